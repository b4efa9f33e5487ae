//! The kernel's error numbers as kinds and words, the same on every machine and with every C library.
//!
//! Knows no operation but the reading of links, where `EINVAL` has a meaning of its own (readlink(2)).

use super::{HostError, HostErrorKind};

/// Kind and words by number: Linux `include/uapi/asm-generic/errno-base.h` and `errno.h`, in the words of strerror(3).
const KNOWN: &[(i32, HostErrorKind, &str)] = &[
    (libc::EPERM, HostErrorKind::PermissionDenied, "operation not permitted"),
    (libc::ENOENT, HostErrorKind::NotFound, "no such file or directory"),
    (libc::EINTR, HostErrorKind::Io, "interrupted system call"),
    (libc::EIO, HostErrorKind::Io, "input/output error"),
    (libc::ENXIO, HostErrorKind::NotFound, "no such device or address"),
    (libc::ENOEXEC, HostErrorKind::Io, "exec format error"),
    (libc::EBADF, HostErrorKind::Io, "bad file descriptor"),
    (libc::EAGAIN, HostErrorKind::Io, "resource temporarily unavailable"),
    (libc::ENOMEM, HostErrorKind::Io, "cannot allocate memory"),
    (libc::EACCES, HostErrorKind::PermissionDenied, "permission denied"),
    (libc::EFAULT, HostErrorKind::Io, "bad address"),
    (libc::EBUSY, HostErrorKind::Io, "device or resource busy"),
    (libc::ENODEV, HostErrorKind::NotFound, "no such device"),
    (libc::ENOTDIR, HostErrorKind::NotFound, "not a directory"),
    (libc::EISDIR, HostErrorKind::Io, "is a directory"),
    (libc::EINVAL, HostErrorKind::Io, "invalid argument"),
    (libc::ENFILE, HostErrorKind::Io, "too many open files in system"),
    (libc::EMFILE, HostErrorKind::Io, "too many open files"),
    (libc::ENOTTY, HostErrorKind::NotSupported, "inappropriate ioctl for device"),
    (libc::EFBIG, HostErrorKind::Io, "file too large"),
    (libc::ENOSPC, HostErrorKind::Io, "no space left on device"),
    (libc::ERANGE, HostErrorKind::Io, "numerical result out of range"),
    (libc::ENAMETOOLONG, HostErrorKind::Io, "file name too long"),
    (libc::ENOSYS, HostErrorKind::NotSupported, "function not implemented"),
    (libc::ELOOP, HostErrorKind::Io, "too many levels of symbolic links"),
    (libc::ENODATA, HostErrorKind::Io, "no data available"),
    (libc::ETIME, HostErrorKind::Io, "timer expired"),
    (libc::EPROTO, HostErrorKind::Io, "protocol error"),
    (libc::EBADMSG, HostErrorKind::Io, "bad message"),
    (libc::EOVERFLOW, HostErrorKind::Io, "value too large for defined data type"),
    (libc::EREMOTEIO, HostErrorKind::Io, "remote I/O error"),
    (libc::ENOMEDIUM, HostErrorKind::Io, "no medium found"),
    (libc::EMSGSIZE, HostErrorKind::Io, "message too long"),
    (libc::EPROTONOSUPPORT, HostErrorKind::NotSupported, "protocol not supported"),
    (libc::EAFNOSUPPORT, HostErrorKind::NotSupported, "address family not supported by protocol"),
    (libc::EOPNOTSUPP, HostErrorKind::NotSupported, "operation not supported"),
    (libc::ENETDOWN, HostErrorKind::Io, "network is down"),
    (libc::ENOBUFS, HostErrorKind::Io, "no buffer space available"),
    (libc::ETIMEDOUT, HostErrorKind::Io, "connection timed out"),
    (libc::EHOSTDOWN, HostErrorKind::Io, "host is down"),
    (libc::ESTALE, HostErrorKind::Io, "stale file handle"),
];

/// What an error number means.
pub(crate) fn meaning(number: i32) -> (HostErrorKind, String) {
    match KNOWN.iter().find(|(known, _, _)| *known == number) {
        Some((_, kind, words)) => (*kind, (*words).to_owned()),
        None => (HostErrorKind::Io, format!("error number {number}")),
    }
}

/// An operation that the kernel refused.
pub(crate) fn failure(operation: String, number: i32) -> HostError {
    let (kind, cause) = meaning(number);
    HostError { operation, kind, cause }
}

/// What an error of the standard library means.
pub(crate) fn io_meaning(error: &std::io::Error) -> (HostErrorKind, String) {
    match error.raw_os_error() {
        Some(number) => meaning(number),
        None => (HostErrorKind::Io, error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_kinds_that_the_trait_promises() {
        for (number, kind) in [
            (2, HostErrorKind::NotFound),
            (20, HostErrorKind::NotFound),
            (19, HostErrorKind::NotFound),
            (6, HostErrorKind::NotFound),
            (13, HostErrorKind::PermissionDenied),
            (1, HostErrorKind::PermissionDenied),
            (95, HostErrorKind::NotSupported),
            (25, HostErrorKind::NotSupported),
            (38, HostErrorKind::NotSupported),
            (93, HostErrorKind::NotSupported),
            (97, HostErrorKind::NotSupported),
            (22, HostErrorKind::Io),
            (5, HostErrorKind::Io),
        ] {
            assert_eq!(meaning(number).0, kind, "{number}");
        }
    }

    #[test]
    fn the_words_carry_no_number_unless_there_are_no_words() {
        assert_eq!(meaning(2).1, "no such file or directory");
        assert_eq!(meaning(4095), (HostErrorKind::Io, "error number 4095".to_owned()));
        let error = std::io::Error::from_raw_os_error(13);
        assert_eq!(io_meaning(&error), (HostErrorKind::PermissionDenied, "permission denied".to_owned()));
    }

    #[test]
    fn every_number_is_known_once() {
        let mut numbers: Vec<i32> = KNOWN.iter().map(|(number, _, _)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), KNOWN.len());
    }
}
