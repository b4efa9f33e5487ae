//! The only place that reads input files and writes outputs.
//!
//! An output file is written beside its place, flushed to the disk and renamed, so that nobody ever sees half of one;
//! whatever fails or is interrupted, nothing is left behind. Does not know what it reads or writes.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the one place for input and output")]

use super::exit::{Exit, Failure};
use crate::report::text::shown;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Largest inventory file, in bytes. One of a node with 2048 CPUs and 500 drives is some 3 MB.
pub(crate) const INVENTORY_BYTES: u64 = 64 << 20;
/// What a file is that is no input.
pub(crate) const NEITHER: &str = "neither an inventory (JSON) nor a capture (tar archive)";
/// Bytes by which an input is told.
const HEAD: u64 = 512;

/// An input file, told by its first bytes.
pub(crate) enum Input {
    /// A folder: a capture if anything.
    Folder,
    /// It begins like JSON: all of it.
    Json(Vec<u8>),
    /// Another file: an archive if anything.
    Other(Box<dyn Read>),
}

/// Opens an input; `-` is standard input.
///
/// # Errors
/// The cause, if it cannot be read, is empty, or is JSON and too large.
pub(crate) fn open(path: &Path) -> Result<Input, String> {
    if path == Path::new("-") {
        return told(Box::new(io::stdin()));
    }
    let file = File::open(path).map_err(|error| cause(&error))?;
    if file.metadata().map_err(|error| cause(&error))?.is_dir() {
        return Ok(Input::Folder);
    }
    told(Box::new(file))
}

fn told(mut file: Box<dyn Read>) -> Result<Input, String> {
    let mut head = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut head).map_err(|error| cause(&error))?;
    if head.is_empty() {
        return Err("the file is empty".to_owned());
    }
    let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&head);
    // A file that begins with 512 bytes of white space is taken for JSON as well: nothing else begins so.
    if text.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|byte| *byte != b'{') {
        // A tar header has zeros and packed data is no text; told here, for what an archive reader says of text is
        // about a header that was never one.
        let is_text = std::str::from_utf8(text).map_or_else(|error| error.error_len().is_none(), |_| true);
        if is_text && !text.contains(&0) && !text.starts_with(b"BZh") {
            return Err(NEITHER.to_owned());
        }
        return Ok(Input::Other(Box::new(io::Cursor::new(head).chain(file))));
    }
    let mut bytes = text.to_vec();
    let rest = INVENTORY_BYTES - bytes.len() as u64 + 1;
    file.take(rest).read_to_end(&mut bytes).map_err(|error| cause(&error))?;
    if bytes.len() as u64 > INVENTORY_BYTES {
        return Err(format!("larger than {} MiB, the most that an inventory may have", INVENTORY_BYTES >> 20));
    }
    Ok(Input::Json(bytes))
}

/// The whole of a file that is not larger than `most` bytes.
///
/// # Errors
/// The cause, if it cannot be read or is larger.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let file = File::open(path).map_err(|error| cause(&error))?;
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(|error| cause(&error))?;
    if bytes.len() as u64 > most { Err(format!("larger than {most} bytes")) } else { Ok(bytes) }
}

/// The `.yaml` files under `checks`, `rules` and `fixtures/checks` of a folder, by their path in it. Links to
/// folders are not followed.
///
/// # Errors
/// A line with the path and the cause, if the folder or a file cannot be read, or a file is larger than `most` bytes.
pub(crate) fn rule_files(folder: &Path, most: u64) -> Result<Vec<(String, Vec<u8>)>, String> {
    /// Folders within each other.
    const DEPTH: usize = 8;
    let told = |path: &Path, error: &io::Error| format!("cannot read {}: {}", path.display(), cause(error));
    fs::read_dir(folder).map_err(|error| told(folder, &error))?;
    let mut files = Vec::new();
    let mut folders: Vec<(String, usize)> =
        ["checks", "rules", "fixtures/checks"].iter().map(|name| ((*name).to_owned(), 0)).collect();
    while let Some((inside, depth)) = folders.pop() {
        let path = folder.join(&inside);
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries.map_err(|error| told(&path, &error))?,
        };
        for entry in entries {
            let entry = entry.map_err(|error| told(&path, &error))?;
            let name = format!("{inside}/{}", entry.file_name().to_string_lossy());
            let kind = entry.file_type().map_err(|error| told(&entry.path(), &error))?;
            if kind.is_dir() && depth < DEPTH {
                folders.push((name, depth + 1));
            } else if name.ends_with(".yaml") {
                // A link to a file is taken for the file, as mounted settings are made of links; anything else that cannot
                // be read is told, for a check that is left out judges nothing.
                if !fs::metadata(entry.path()).map_err(|error| told(&entry.path(), &error))?.is_file() {
                    return Err(format!("cannot read {}: it is no file", entry.path().display()));
                }
                let bytes = read(&entry.path(), most)
                    .map_err(|cause| format!("cannot read {}: {cause}", entry.path().display()))?;
                files.push((name, bytes));
            } else if name.ends_with(".yml") {
                return Err(format!("cannot use {}: files of rules end in .yaml", entry.path().display()));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Writes standard output.
///
/// # Errors
/// If whoever reads went away, without words; else with the cause.
pub(crate) fn stdout(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::silent(Exit::ClosedPipe),
        _ => Failure::new(Exit::CannotWrite, format!("cannot write standard output: {}", cause(&error))),
    })
}

/// Writes a line to standard error, made harmless. Where that fails there is nobody left to tell.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "muster: {}", shown(line));
}

/// Writes text to standard error as it is: help after wrong use.
pub(crate) fn stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes one file, or to what stands at the path if that is a pipe or a device.
///
/// # Errors
/// With the path and the cause; then the file is as it was before.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    // A rename would put a file in the place of /dev/null, or of what a link like /dev/stdout leads to.
    let existing = fs::metadata(path).ok();
    if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
        let written = OpenOptions::new().write(true).open(path).and_then(|mut file| file.write_all(bytes));
        return match written {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::silent(Exit::ClosedPipe)),
            written => written.map_err(|error| cannot_write(path, &error)),
        };
    }
    // A link is followed: the file it leads to is replaced.
    let target = if existing.is_some() { fs::canonicalize(path) } else { Ok(path.to_owned()) };
    let target = target.map_err(|error| cannot_write(path, &error))?;
    let mut staged = vec![stage(&target, bytes).map_err(|error| cannot_write(path, &error))?];
    if let (Some(existing), Some(one)) = (existing, staged.first()) {
        // Whoever may read the old file may read the new one, no more and no less.
        let _ = fs::set_permissions(&one.temporary, existing.permissions());
    }
    publish(&mut staged)
}

/// Writes files into a folder, which is made if it is missing. All are on the disk before the first gets its name.
///
/// # Errors
/// With the path and the cause; then the folder is as it was before.
pub(crate) fn write_into(folder: &Path, files: &[(&str, Vec<u8>)]) -> Result<(), Failure> {
    let made = Made::new(folder).map_err(|error| {
        Failure::new(Exit::CannotWrite, format!("cannot make the folder {}: {}", folder.display(), cause(&error)))
    })?;
    let mut staged = Vec::new();
    for (name, bytes) in files {
        let path = folder.join(name);
        if path.is_dir() {
            return Err(cannot_write(&path, &io::ErrorKind::IsADirectory.into()));
        }
        staged.push(stage(&path, bytes).map_err(|error| cannot_write(&path, &error))?);
    }
    publish(&mut staged)?;
    made.keep();
    Ok(())
}

/// Whether a capture may be written to this folder: it must be missing or empty.
///
/// # Errors
/// With the path and the reason.
pub(crate) fn check_free(folder: &Path) -> Result<(), Failure> {
    let refused = |why: &str| {
        Err(Failure::new(Exit::CannotWrite, format!("cannot write the capture {}: {why}", folder.display())))
    };
    match fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => refused("the folder is not empty"),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => refused(&cause(&error)),
    }
}

/// Writes a tree of files as a folder, all or none. The folder must be missing or empty.
///
/// # Errors
/// With the path and the cause; then the folder is as it was before.
pub(crate) fn write_tree(folder: &Path, entries: &[(String, Vec<u8>)]) -> Result<(), Failure> {
    check_free(folder)?;
    let failed = |error: io::Error| cannot_write(folder, &error);
    let made = Made::new(folder).map_err(failed)?;
    let staged = stage_tree(folder, entries).map_err(failed)?;
    // The folder itself stays: it may be a mount point, or have an owner of its own.
    let pending = pending();
    let mut moved: Vec<PathBuf> = Vec::new();
    let result = fs::read_dir(&staged.temporary).and_then(|children| {
        for child in children {
            let child = child?;
            let target = folder.join(child.file_name());
            fs::rename(child.path(), &target)?;
            moved.push(target);
        }
        Ok(())
    });
    if let Err(error) = result {
        moved.iter().for_each(|path| remove(path));
        return Err(failed(error));
    }
    drop(pending);
    made.keep();
    Ok(())
}

fn stage_tree(folder: &Path, entries: &[(String, Vec<u8>)]) -> io::Result<Staged> {
    let staged = {
        let mut pending = pending();
        let temporary = tempfile::Builder::new().prefix(TEMPORARY).tempdir_in(folder)?.keep();
        pending.files.push(temporary.clone());
        Staged { temporary, target: folder.to_owned() }
    };
    for (name, bytes) in entries {
        let name = Path::new(name);
        // The names are our own recorder's; this is the last place where one that leaves the folder can be stopped.
        if !name.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(io::Error::other(format!("{} leaves the folder", name.display())));
        }
        let path = staged.temporary.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, bytes)?;
    }
    Ok(staged)
}

/// Removes everything that is not finished. For an interrupt: the lock is held on purpose, so that nothing new begins
/// before the process ends.
pub(crate) fn abandon() -> MutexGuard<'static, Pending> {
    let pending = pending();
    pending.files.iter().for_each(|path| remove(path));
    pending.folders.iter().rev().for_each(|path| {
        let _ = fs::remove_dir(path);
    });
    pending
}

const TEMPORARY: &str = ".muster-";

/// What is being written, for [`abandon`].
pub(crate) struct Pending {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Pending {
    fn forget(&mut self, path: &Path) {
        self.files.retain(|file| file != path);
        self.folders.retain(|folder| folder != path);
    }
}

static PENDING: Mutex<Pending> = Mutex::new(Pending { files: Vec::new(), folders: Vec::new() });

fn pending() -> MutexGuard<'static, Pending> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file or folder that is written and not yet in its place. Removed if it is dropped before.
struct Staged {
    temporary: PathBuf,
    target: PathBuf,
}

impl Drop for Staged {
    fn drop(&mut self) {
        remove(&self.temporary);
        pending().forget(&self.temporary);
    }
}

fn remove(path: &Path) {
    // The one that does not fit fails and harms nothing.
    let _ = fs::remove_file(path);
    let _ = fs::remove_dir_all(path);
}

fn stage(target: &Path, bytes: &[u8]) -> io::Result<Staged> {
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let (mut file, staged) = {
        let mut pending = pending();
        // Readable as any file that the user makes: the umask is taken off by the kernel.
        let mut builder = tempfile::Builder::new();
        let builder = builder.prefix(TEMPORARY).permissions(Permissions::from_mode(0o666));
        let (file, temporary) = builder.tempfile_in(folder)?.keep().map_err(|error| error.error)?;
        pending.files.push(temporary.clone());
        (file, Staged { temporary, target: target.to_owned() })
    };
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(staged)
}

/// Puts all files in their places. Between two of them nothing can be interrupted.
fn publish(staged: &mut Vec<Staged>) -> Result<(), Failure> {
    let mut pending = pending();
    let mut result = Ok(());
    for one in staged.iter() {
        result = fs::rename(&one.temporary, &one.target).map_err(|error| cannot_write(&one.target, &error));
        if result.is_err() {
            break;
        }
        pending.forget(&one.temporary);
        // That the name is on the disk too is worth asking for, and not offered by every file system.
        if let Some(folder) = one.target.parent() {
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
    }
    drop(pending);
    staged.clear();
    result
}

/// Folders that were made for an output, outermost first; those still empty go again if it fails.
struct Made(Vec<PathBuf>);

impl Made {
    fn new(folder: &Path) -> io::Result<Self> {
        let mut missing: Vec<PathBuf> = folder
            .ancestors()
            .take_while(|ancestor| !ancestor.as_os_str().is_empty() && fs::symlink_metadata(ancestor).is_err())
            .map(Path::to_owned)
            .collect();
        missing.reverse();
        let mut made = Self(Vec::new());
        let mut pending = pending();
        for one in missing {
            if let Err(error) = fs::create_dir(&one) {
                drop(pending);
                return Err(error);
            }
            pending.folders.push(one.clone());
            made.0.push(one);
        }
        drop(pending);
        if fs::metadata(folder)?.is_dir() { Ok(made) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    fn keep(mut self) {
        let mut pending = pending();
        self.0.drain(..).for_each(|path| pending.forget(&path));
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        let mut pending = pending();
        for path in self.0.iter().rev() {
            let _ = fs::remove_dir(path);
            pending.forget(path);
        }
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Exit::CannotWrite, format!("cannot write {}: {}", path.display(), cause(error)))
}

/// The cause in the kernel's words, without the number: "no space left on device".
fn cause(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_leaves_what_was_there_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("report.json"), "old").unwrap();
        let made = Made::new(&folder.path().join("a/b")).unwrap();
        let file = stage(&folder.path().join("report.json"), b"new").unwrap();
        let inner = stage(&folder.path().join("a/b/report.json"), b"new").unwrap();
        let tree = stage_tree(folder.path(), &[("proc/cpuinfo".to_owned(), b"x".to_vec())]).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
        drop(abandon());
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["report.json"]);
        assert_eq!(fs::read_to_string(folder.path().join("report.json")).unwrap(), "old");
        drop((file, inner, tree, made));
    }

    #[test]
    fn a_name_that_leaves_the_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["../x", "/tmp/x", "a/../../x"] {
            let failure = write_tree(&folder.path().join("c"), &[(name.to_owned(), Vec::new())]).unwrap_err();
            assert_eq!(failure.exit, Exit::CannotWrite);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{name}");
        }
    }
}
