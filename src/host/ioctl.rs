//! The two ioctls by which devices are asked, NVMe admin commands and ethtool, and the call that tells the state of the clock.
//!
//! All unsafe code of the host. Only commands that read can be put: opcodes are composed from [`NvmeAdmin`], ethtool
//! commands stand in a list. Knows neither time limits nor what the answers mean. Tried with Linux 6.1 on QEMU's NVMe
//! controller and its e1000e, never on hardware.
#![expect(
    unsafe_code,
    reason = "ioctl(2), clock_adjtime(2) and the memory that the kernel writes to have no safe form"
)]

use super::{ClockState, NvmeAdmin};
use libc::{c_int, c_void};
use rustix::io::Errno;
use std::mem::{offset_of, size_of};
use std::os::fd::{AsRawFd, BorrowedFd};

// ---- NVMe ------------------------------------------------------------------------------------------------

/// `struct nvme_passthru_cmd`, Linux `include/uapi/linux/nvme_ioctl.h`.
#[repr(C)]
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct PassthruCommand {
    opcode: u8,
    flags: u8,
    rsvd1: u16,
    nsid: u32,
    cdw2: u32,
    cdw3: u32,
    metadata: u64,
    addr: u64,
    metadata_len: u32,
    data_len: u32,
    cdw10: u32,
    cdw11: u32,
    cdw12: u32,
    cdw13: u32,
    cdw14: u32,
    cdw15: u32,
    timeout_ms: u32,
    result: u32,
}

const _: () = {
    assert!(size_of::<PassthruCommand>() == 72);
    assert!(offset_of!(PassthruCommand, nsid) == 4);
    assert!(offset_of!(PassthruCommand, metadata) == 16);
    assert!(offset_of!(PassthruCommand, addr) == 24);
    assert!(offset_of!(PassthruCommand, data_len) == 36);
    assert!(offset_of!(PassthruCommand, cdw10) == 40);
    assert!(offset_of!(PassthruCommand, cdw15) == 60);
    assert!(offset_of!(PassthruCommand, timeout_ms) == 64);
    assert!(offset_of!(PassthruCommand, result) == 68);
};

/// `NVME_IOCTL_ADMIN_CMD`, same header.
const NVME_IOCTL_ADMIN_CMD: libc::Ioctl = libc::_IOWR::<PassthruCommand>(b'N' as u32, 0x41);

/// Opcodes of the NVM Express Base Specification 2.0, figure "Opcodes for Admin Commands": bits 1:0 of each are 10b,
/// "controller to host".
const GET_LOG_PAGE: u8 = 0x02;
const IDENTIFY: u8 = 0x06;
const GET_FEATURES: u8 = 0x0a;

/// Bytes of every Identify data structure (section 5.17).
const IDENTIFY_BYTES: u32 = 4096;
/// Asymmetric Namespace Access, the one log of which a Log Specific Parameter is let through.
const ANA_LOG: u8 = 0x0c;
/// Endurance Group Information, the one log of which a Log Specific Identifier is let through.
const ENDURANCE_GROUP_LOG: u8 = 0x09;
/// Retain Asynchronous Event, CDW10 bit 15 of Get Log Page: reading acknowledges nothing.
const RETAIN_ASYNCHRONOUS_EVENT: u32 = 1 << 15;

/// A command without its buffer, and the buffer's length.
fn nvme_command(command: &NvmeAdmin, most_bytes: u32) -> Result<PassthruCommand, &'static str> {
    // `timeout_ms` stays 0, the driver's own limit of a minute: when a command times out, the driver aborts it and
    // resets the controller. Giving up on an answer must not do that to a drive.
    let composed = match *command {
        NvmeAdmin::Identify { cns, nsid } => PassthruCommand {
            opcode: IDENTIFY,
            nsid,
            data_len: IDENTIFY_BYTES,
            cdw10: cns.into(),
            ..PassthruCommand::default()
        },
        NvmeAdmin::GetLogPage { lid, lsp, lsi, nsid, length, offset } => {
            if length == 0 || length % 4 != 0 || offset % 4 != 0 {
                return Err("length and offset of a log page are multiples of 4, the length not 0");
            }
            // With a parameter some logs do something: telemetry (07h) is created, the persistent event log (0Dh)
            // begins or ends a context.
            if lsp > 0x7f || (lsp != 0 && lid != ANA_LOG) {
                return Err("a log specific parameter could change something");
            }
            if lsi != 0 && lid != ENDURANCE_GROUP_LOG {
                return Err("a log specific identifier is known for the endurance group log alone");
            }
            // NUMD, the number of dwords less one, has 16 bits in CDW10 and 16 in CDW11; the offset is in bytes.
            let dwords = length / 4 - 1;
            PassthruCommand {
                opcode: GET_LOG_PAGE,
                nsid,
                data_len: length,
                cdw10: u32::from(lid) | u32::from(lsp) << 8 | RETAIN_ASYNCHRONOUS_EVENT | (dwords & 0xffff) << 16,
                cdw11: dwords >> 16 | u32::from(lsi) << 16,
                cdw12: (offset & 0xffff_ffff) as u32,
                cdw13: (offset >> 32) as u32,
                ..PassthruCommand::default()
            }
        }
        NvmeAdmin::GetFeatures { fid, sel, cdw11, nsid, length } => {
            if sel > 3 {
                return Err("the select field of a feature is 0 to 3");
            }
            PassthruCommand {
                opcode: GET_FEATURES,
                nsid,
                data_len: length,
                cdw10: u32::from(fid) | u32::from(sel) << 8,
                cdw11,
                ..PassthruCommand::default()
            }
        }
    };
    if composed.data_len > most_bytes { Err("more bytes than the limit at once") } else { Ok(composed) }
}

/// Whether a command can be put at all.
pub(crate) fn check_nvme(command: &NvmeAdmin, most_bytes: u32) -> Result<(), &'static str> {
    nvme_command(command, most_bytes).map(|_| ())
}

/// Puts an NVMe admin command: status field, dword 0 of the completion, and the data if the status is 0.
pub(crate) fn nvme_admin(
    device: BorrowedFd<'_>,
    command: &NvmeAdmin,
    most_bytes: u32,
) -> Result<(u16, u32, Vec<u8>), Errno> {
    let mut passthru = nvme_command(command, most_bytes).map_err(|_| Errno::INVAL)?;
    let mut data = vec![0_u8; passthru.data_len as usize];
    if !data.is_empty() {
        passthru.addr = data.as_mut_ptr() as u64;
    }
    // SAFETY: `device` is open for the call. The request number has the size of `PassthruCommand`, which mirrors the
    // kernel's structure and is written through `&mut`. The kernel writes at most `data_len` bytes to `addr`, which
    // are `data`'s, alive and not otherwise borrowed; no metadata is asked for.
    let status = unsafe { libc::ioctl(device.as_raw_fd(), NVME_IOCTL_ADMIN_CMD, &raw mut passthru) };
    match u16::try_from(status) {
        // Bits above the status code and its type say what to do about it (NVM Express Base Specification 2.0,
        // "Status Field").
        Ok(status) if status & 0x7ff != 0 => Ok((status & 0x7ff, passthru.result, Vec::new())),
        Ok(_) => Ok((0, passthru.result, data)),
        Err(_) => Err(last_errno()),
    }
}

// ---- ethtool ---------------------------------------------------------------------------------------------

/// `SIOCETHTOOL`, Linux `include/uapi/linux/sockios.h`.
const SIOCETHTOOL: libc::Ioctl = 0x8946;

/// `struct ifreq` with the member `ifr_data`, Linux `include/uapi/linux/if.h`.
#[repr(C)]
struct InterfaceRequest {
    name: [u8; libc::IFNAMSIZ],
    data: *mut c_void,
    rest: [u8; size_of::<libc::ifreq>() - libc::IFNAMSIZ - size_of::<*mut c_void>()],
}

const _: () = {
    assert!(size_of::<InterfaceRequest>() == size_of::<libc::ifreq>());
    assert!(offset_of!(InterfaceRequest, data) == offset_of!(libc::ifreq, ifr_ifru));
};

/// Commands that only read, Linux `include/uapi/linux/ethtool.h`. Left out although they read: `GREGS` (some NICs
/// clear counters when their registers are read), `GEEPROM` (slow, and known to upset old NICs), `GET_DUMP_*` (makes
/// the firmware take a dump), and `PERQUEUE`, which wraps another command.
const ETHTOOL_READS: &[(u32, Count)] = &[
    (0x01, Count::Fixed),                               // GSET
    (0x03, Count::Fixed),                               // GDRVINFO
    (0x05, Count::Fixed),                               // GWOL
    (0x07, Count::Fixed),                               // GMSGLVL
    (0x0a, Count::Fixed),                               // GLINK
    (0x0e, Count::Fixed),                               // GCOALESCE
    (0x10, Count::Fixed),                               // GRINGPARAM
    (0x12, Count::Fixed),                               // GPAUSEPARAM
    (0x1b, Count::Told { at: 8, first: 12, size: 32 }), // GSTRINGS
    (0x1d, Count::Told { at: 4, first: 8, size: 8 }),   // GSTATS
    (0x20, Count::Told { at: 4, first: 8, size: 1 }),   // GPERMADDR
    (0x25, Count::Fixed),                               // GFLAGS
    (0x27, Count::Fixed),                               // GPFLAGS
    (0x37, Count::Fixed),                               // GSSET_INFO
    (0x3a, Count::Told { at: 4, first: 8, size: 16 }),  // GFEATURES
    (0x3c, Count::Fixed),                               // GCHANNELS
    (0x41, Count::Fixed),                               // GET_TS_INFO
    (0x42, Count::Fixed),                               // GMODULEINFO
    (0x43, Count::Told { at: 12, first: 16, size: 1 }), // GMODULEEEPROM
    (0x44, Count::Fixed),                               // GEEE
    (0x4a, Count::Told { at: 4, first: 8, size: 8 }),   // GPHYSTATS
    (0x4c, Count::Fixed),                               // GLINKSETTINGS
    (0x50, Count::Fixed),                               // GFECPARAM
];

/// How long an ethtool structure is.
#[derive(Clone, Copy)]
enum Count {
    /// As its type says.
    Fixed,
    /// It ends in elements of `size` bytes from byte `first` on, and their number stands at byte `at`: there the
    /// kernel writes as many as the driver has, whatever room the caller thought of.
    Told { at: usize, first: usize, size: usize },
}

fn ethtool_command(request: &[u8]) -> Option<(u32, Count)> {
    let command = u32::from_ne_bytes(*request.first_chunk()?);
    ETHTOOL_READS.iter().find(|(known, _)| *known == command).copied()
}

/// Whether a request is in the list of those that only read.
pub(crate) fn check_ethtool(interface: &str, request: &[u8], most_bytes: usize) -> Result<(), &'static str> {
    let name = interface.as_bytes();
    if name.is_empty() || name.len() >= libc::IFNAMSIZ || name.iter().any(|byte| matches!(byte, 0 | b'/')) {
        return Err("not the name of an interface");
    }
    if request.len() > most_bytes.min(GuardedBytes::LEN) {
        return Err("the request is longer than the limit");
    }
    ethtool_command(request).map(|_| ()).ok_or("not one of the ethtool commands that only read")
}

/// What became of an ethtool request.
pub(crate) enum Ethtool {
    /// The answered structure, as long as the request.
    Answer(Vec<u8>),
    /// The driver has more than the request had room for.
    NoRoom,
}

/// Puts an ethtool request over any socket.
pub(crate) fn ethtool(socket: BorrowedFd<'_>, interface: &str, request: &[u8]) -> Result<Ethtool, Errno> {
    check_ethtool(interface, request, GuardedBytes::LEN).map_err(|_| Errno::INVAL)?;
    let (_, count) = ethtool_command(request).ok_or(Errno::INVAL)?;
    let mut buffer = GuardedBytes::new()?;
    for (to, from) in buffer.bytes_mut().iter_mut().zip(request) {
        *to = *from;
    }
    let mut name = [0; libc::IFNAMSIZ];
    for (to, from) in name.iter_mut().zip(interface.bytes()) {
        *to = from;
    }
    let mut interface_request = InterfaceRequest { name, data: buffer.start.cast(), rest: [0; _] };
    // SAFETY: `socket` is open for the call. `InterfaceRequest` mirrors the kernel's structure and is written through
    // `&mut`. The name ends in a zero byte, for it is shorter than the field. The kernel reads and writes the
    // structure at `data`, whose end depends on the driver: it is the start of `GuardedBytes::LEN` bytes that are
    // ours alone, behind which lies a page to which nobody, the kernel included, can write (it gives EFAULT then).
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), SIOCETHTOOL, &raw mut interface_request) };
    if result < 0 {
        return Err(last_errno());
    }
    let answer = buffer.bytes_mut().get(..request.len()).ok_or(Errno::INVAL)?.to_vec();
    if let Count::Told { at, first, size } = count {
        let told = buffer.bytes_mut().get(at..at + 4).and_then(|bytes| bytes.first_chunk().copied());
        let told = u32::from_ne_bytes(told.ok_or(Errno::INVAL)?) as usize;
        if told.saturating_mul(size).saturating_add(first) > request.len() {
            return Ok(Ethtool::NoRoom);
        }
    }
    Ok(Ethtool::Answer(answer))
}

/// Memory that ends at a page which cannot be written.
struct GuardedBytes {
    start: *mut u8,
}

impl GuardedBytes {
    /// More than any driver has: 500 000 counters. Untouched pages cost nothing.
    const LEN: usize = 4 << 20;
    /// As long as the largest page of any Linux machine.
    const GUARD: usize = 64 << 10;

    fn new() -> Result<Self, Errno> {
        // SAFETY: a new private anonymous mapping at an address that the kernel chooses touches no memory in use.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                Self::LEN + Self::GUARD,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return Err(last_errno());
        }
        let guarded = Self { start: start.cast() };
        // SAFETY: the first `LEN` bytes of the mapping made above, to which nothing refers yet.
        let result = unsafe { libc::mprotect(start, Self::LEN, libc::PROT_READ | libc::PROT_WRITE) };
        if result < 0 { Err(last_errno()) } else { Ok(guarded) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: `start` is the start of `LEN` readable and writable bytes, zeroed by the kernel, that live as long
        // as `self` and to which only `self` refers.
        unsafe { std::slice::from_raw_parts_mut(self.start, Self::LEN) }
    }
}

impl Drop for GuardedBytes {
    fn drop(&mut self) {
        // SAFETY: the whole mapping made in `new`, to which nothing refers any more. A failure leaves it mapped.
        let _: c_int = unsafe { libc::munmap(self.start.cast(), Self::LEN + Self::GUARD) };
    }
}

// ---- clock -----------------------------------------------------------------------------------------------

/// Reads the clock discipline: no mode set, so nothing is changed (clock_adjtime(2)).
pub(super) fn clock_state() -> Result<ClockState, Errno> {
    // SAFETY: `struct timex` is of integers and padding only, for which all bits zero is a value; `modes` is then 0.
    let mut timex: libc::timex = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel reads and writes one `struct timex`, which `timex` is and stays for the call.
    let state = unsafe { libc::clock_adjtime(libc::CLOCK_REALTIME, &raw mut timex) };
    if state < 0 {
        return Err(last_errno());
    }
    Ok(ClockState { state, status: timex.status, maxerror: timex.maxerror, esterror: timex.esterror })
}

fn last_errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: u32 = 4 << 20;

    #[test]
    fn request_numbers_are_those_of_the_headers() {
        // printed by a C program that includes linux/nvme_ioctl.h and linux/sockios.h
        assert_eq!(NVME_IOCTL_ADMIN_CMD as u32, 0xc048_4e41);
        assert_eq!(SIOCETHTOOL as u32, 0x8946);
    }

    #[test]
    fn commands_are_composed_as_the_specification_says() {
        let identify = nvme_command(&NvmeAdmin::Identify { cns: 0x02, nsid: 7 }, MOST).unwrap();
        let expected =
            PassthruCommand { opcode: 0x06, nsid: 7, data_len: 4096, cdw10: 2, ..PassthruCommand::default() };
        assert_eq!(identify, expected);

        // SMART / Health: 512 bytes are 128 dwords, NUMDL 7Fh
        let smart = NvmeAdmin::GetLogPage { lid: 0x02, lsp: 0, lsi: 0, nsid: u32::MAX, length: 512, offset: 0 };
        let expected = PassthruCommand {
            opcode: 0x02,
            nsid: 0xffff_ffff,
            data_len: 512,
            cdw10: 0x007f_8002,
            ..PassthruCommand::default()
        };
        assert_eq!(nvme_command(&smart, MOST).unwrap(), expected);

        // 512 KiB are 20000h dwords: NUMDL FFFFh, NUMDU 1; the offset above 4 GiB in CDW13
        let large =
            NvmeAdmin::GetLogPage { lid: 0x0c, lsp: 1, lsi: 0, nsid: 0, length: 512 << 10, offset: 0x1_2345_6788 };
        let expected = PassthruCommand {
            opcode: 0x02,
            data_len: 512 << 10,
            cdw10: 0xffff_810c,
            cdw11: 1,
            cdw12: 0x2345_6788,
            cdw13: 1,
            ..PassthruCommand::default()
        };
        assert_eq!(nvme_command(&large, MOST).unwrap(), expected);

        // the endurance group in the upper half of CDW11
        let group = NvmeAdmin::GetLogPage { lid: 0x09, lsp: 0, lsi: 0x102, nsid: u32::MAX, length: 512, offset: 0 };
        let expected = PassthruCommand {
            opcode: 0x02,
            nsid: 0xffff_ffff,
            data_len: 512,
            cdw10: 0x007f_8009,
            cdw11: 0x0102_0000,
            ..PassthruCommand::default()
        };
        assert_eq!(nvme_command(&group, MOST).unwrap(), expected);
        let other = NvmeAdmin::GetLogPage { lid: 0x02, lsp: 0, lsi: 1, nsid: u32::MAX, length: 512, offset: 0 };
        assert!(nvme_command(&other, MOST).is_err());

        let feature = NvmeAdmin::GetFeatures { fid: 0x06, sel: 3, cdw11: 9, nsid: 1, length: 0 };
        let expected = PassthruCommand { opcode: 0x0a, nsid: 1, cdw10: 0x306, cdw11: 9, ..PassthruCommand::default() };
        assert_eq!(nvme_command(&feature, MOST).unwrap(), expected);
    }

    #[test]
    fn what_could_change_something_cannot_be_composed() {
        let log = |lid, lsp, length, offset| {
            nvme_command(&NvmeAdmin::GetLogPage { lid, lsp, lsi: 0, nsid: 0, length, offset }, MOST).is_ok()
        };
        assert!(log(0x02, 0, 512, 0));
        assert!(!log(0x07, 1, 512, 0), "creates telemetry data");
        assert!(!log(0x0d, 1, 512, 0), "begins a context");
        assert!(!log(0x0c, 0x80, 512, 0), "would reach Retain Asynchronous Event");
        assert!(!log(0x02, 0, 0, 0) && !log(0x02, 0, 510, 0) && !log(0x02, 0, 512, 2));
        assert!(!log(0x02, 0, MOST + 4, 0));
        let feature = NvmeAdmin::GetFeatures { fid: 6, sel: 4, cdw11: 0, nsid: 0, length: 0 };
        assert!(nvme_command(&feature, MOST).is_err());
    }

    #[test]
    fn only_ethtool_commands_that_read_pass() {
        let check = |command: u32| check_ethtool("eth0", &command.to_ne_bytes(), 64).is_ok();
        // the even neighbours set what the odd ones get, and the other way round
        for (read, change) in
            [(0x01, 0x02), (0x0e, 0x0f), (0x10, 0x11), (0x12, 0x13), (0x3c, 0x3d), (0x4c, 0x4d), (0x50, 0x51)]
        {
            assert!(check(read), "{read:X}");
            assert!(!check(change), "{change:X}");
        }
        // NWAY_RST, SEEPROM, TEST, PHYS_ID, RESET, FLASHDEV, SPFLAGS, SFEATURES, PERQUEUE, GREGS, nothing
        for change in [0x09, 0x0c, 0x1a, 0x1c, 0x34, 0x33, 0x28, 0x3b, 0x4b, 0x04, 0, u32::MAX] {
            assert!(!check(change), "{change:X}");
        }
        assert!(check_ethtool("eth0", &[3, 0, 0], 64).is_err());
        for name in ["", "a/b", "sixteen-letters-", "a\0b"] {
            assert!(check_ethtool(name, &3_u32.to_ne_bytes(), 64).is_err(), "{name}");
        }
    }

    #[test]
    fn guarded_memory_is_zeroed_and_writable_to_its_end() {
        let mut guarded = GuardedBytes::new().unwrap();
        let bytes = guarded.bytes_mut();
        assert_eq!(bytes.len(), 4 << 20);
        assert!(bytes.first() == Some(&0) && bytes.last() == Some(&0));
        *bytes.last_mut().unwrap() = 1;
    }

    #[test]
    fn the_kernel_stops_at_the_guard() {
        // read(2) into the last byte and beyond, as a driver with too many counters would write
        let guarded = GuardedBytes::new().unwrap();
        let zeros = rustix::fs::open("/dev/zero", rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty()).unwrap();
        // SAFETY: the kernel checks the range that it writes to; it is the mapping's own memory and its guard.
        let count = unsafe {
            let end = guarded.start.add(GuardedBytes::LEN);
            libc::read(zeros.as_raw_fd(), end.cast(), GuardedBytes::GUARD)
        };
        assert_eq!((count, last_errno()), (-1, Errno::FAULT));
    }
}
