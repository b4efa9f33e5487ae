//! A folder on disk as a [`Tree`], and the opening of the file that an archive is.
//!
//! Every name is opened by itself, relative to the folder above it and without following links, so that no link in
//! a recording reaches the machine that reads it. Knows no manifest.
#![expect(clippy::disallowed_types, reason = "part of the one door: recordings are read here")]

use super::tree::{Child, Tree, Trouble};
use super::{HostErrorKind, Limits, errno};
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;

/// A folder.
pub(crate) struct DiskTree {
    root: OwnedFd,
}

/// A file and the folder it was found in.
pub(crate) struct DiskFile {
    folder: OwnedFd,
    name: String,
    found: Stat,
}

/// What stands at a path that a user gave; here links are followed.
pub(crate) enum Opened {
    Folder(DiskTree),
    File(File),
    Other,
}

/// Opens a folder or a file by a path that a user gave.
pub(crate) fn open(path: &Path) -> Result<Opened, Errno> {
    // Not opened before its kind is known: the opening of a pipe would wait for a writer.
    let found = rustix::fs::openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    match FileType::from_raw_mode(rustix::fs::fstat(&found)?.st_mode) {
        FileType::Directory => {
            // Whether its names may be read is asked now, so that the error comes once and from here.
            names_of(&found)?;
            Ok(Opened::Folder(DiskTree { root: found }))
        }
        FileType::RegularFile => {
            let file = rustix::fs::openat(CWD, path, READ, Mode::empty())?;
            Ok(Opened::File(File::from(file)))
        }
        _ => Ok(Opened::Other),
    }
}

/// `NONBLOCK` for the case that a file was replaced by a pipe in between.
const READ: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// Opens a folder, of which there is only a handle, for its names.
fn names_of(folder: &OwnedFd) -> Result<Dir, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Dir::new(rustix::fs::openat(folder, ".", flags, Mode::empty())?)
}

fn failed(number: Errno) -> Trouble {
    match number {
        Errno::NOENT => Trouble::Missing,
        Errno::NOTDIR => Trouble::NotAFolder,
        _ => {
            let (kind, cause) = errno::meaning(number.raw_os_error());
            // To the reader of a recording a device that is gone is not a device that the machine lacks.
            let kind = if kind == HostErrorKind::NotFound { HostErrorKind::Io } else { kind };
            Trouble::Failed(kind, format!("{cause}, on the capture's own file"))
        }
    }
}

impl DiskTree {
    /// The names in a folder of the root; none if it is a link or a file.
    pub(crate) fn names_below(&self, name: &str) -> Result<Vec<String>, Trouble> {
        match self.child(&self.root()?, name)? {
            Some(Child::Folder(folder)) => self.names(&folder),
            Some(Child::File(_) | Child::Link(_) | Child::Other) | None => Ok(Vec::new()),
        }
    }

    /// The same tree from a folder of its root on.
    pub(crate) fn into_folder(self, name: &str) -> Result<Self, Trouble> {
        match self.child(&self.root()?, name)?.ok_or(Trouble::Missing)? {
            Child::Folder(root) => Ok(Self { root }),
            Child::File(_) | Child::Link(_) | Child::Other => Err(Trouble::NotAFolder),
        }
    }
}

impl Tree for DiskTree {
    type Folder<'t> = OwnedFd;
    type File<'t> = DiskFile;

    fn root(&self) -> Result<OwnedFd, Trouble> {
        self.root.try_clone().map_err(|error| {
            let (kind, cause) = errno::io_meaning(&error);
            Trouble::Failed(kind, cause)
        })
    }

    fn child(&self, folder: &OwnedFd, name: &str) -> Result<Option<Child<OwnedFd, DiskFile>>, Trouble> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let found = match rustix::fs::openat(folder, name, flags, Mode::empty()) {
            Ok(found) => found,
            Err(Errno::NOENT) => return Ok(None),
            Err(number) => return Err(failed(number)),
        };
        let stat = rustix::fs::fstat(&found).map_err(failed)?;
        Ok(Some(match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => Child::Folder(found),
            FileType::RegularFile => {
                let folder = rustix::io::fcntl_dupfd_cloexec(folder, 0).map_err(failed)?;
                Child::File(DiskFile { folder, name: name.to_owned(), found: stat })
            }
            FileType::Symlink => {
                let target = rustix::fs::readlinkat(&found, "", Vec::new()).map_err(failed)?;
                match target.into_string() {
                    Ok(target) => Child::Link(target),
                    Err(_) => Child::Other,
                }
            }
            _ => Child::Other,
        }))
    }

    fn names(&self, folder: &OwnedFd) -> Result<Vec<String>, Trouble> {
        let mut names = Vec::new();
        for entry in names_of(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // A name that is not text cannot be asked for: an incomplete tree lacks it.
            if let Ok(name) = entry.file_name().to_str()
                && !matches!(name, "." | "..")
            {
                names.push(name.to_owned());
                if names.len() > Limits::NAMES {
                    return Err(Trouble::TooLarge);
                }
            }
        }
        Ok(names)
    }

    fn content(&self, file: &DiskFile, cap: usize) -> Result<Vec<u8>, Trouble> {
        let opened = rustix::fs::openat(&file.folder, file.name.as_str(), READ | OFlags::NOFOLLOW, Mode::empty())
            .map_err(failed)?;
        let stat = rustix::fs::fstat(&opened).map_err(failed)?;
        if (stat.st_dev, stat.st_ino) != (file.found.st_dev, file.found.st_ino) {
            return Err(Trouble::Failed(HostErrorKind::Io, "the capture changed while it was read".to_owned()));
        }
        let mut content = Vec::new();
        File::from(opened).take(cap as u64 + 1).read_to_end(&mut content).map_err(|error| {
            let (kind, cause) = errno::io_meaning(&error);
            Trouble::Failed(kind, format!("{cause}, on the capture's own file"))
        })?;
        if content.len() > cap { Err(Trouble::TooLarge) } else { Ok(content) }
    }
}
