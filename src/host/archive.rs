//! A tar archive, plain or compressed, as a [`MemoryTree`].
//!
//! Archives come from others: everything is bounded, nothing is unpacked to disk, and an archive that ends early or
//! fails its checksum is refused as a whole, for half a capture looks like a machine with half the drives.
//! Does not know what the files mean.

use super::tree::{Clash, MemoryTree, Names, Node};
use super::{Limits, OpenCause, manifest};
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::rc::Rc;
use tar::EntryType;

/// The bounds of an archive.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Unpacked, in bytes, whether kept or passed over.
    pub(crate) bytes: u64,
    /// Members.
    pub(crate) entries: usize,
    /// Names in one path.
    pub(crate) depth: usize,
}

impl Bounds {
    /// A capture of a large machine is some 100 MB in 200 000 files.
    pub(crate) const DEFAULT: Self = Self { bytes: 2 << 30, entries: 1_000_000, depth: 64 };
}

/// Most memory of an xz dictionary, in KiB: `xz -9` wants 64 MiB.
const XZ_MEMORY_KIB: u32 = 256 << 10;
/// Longest name in a path and longest path or link target (`NAME_MAX`, `PATH_MAX`).
const NAME_BYTES: usize = 255;
const PATH_BYTES: usize = 4096;

/// What the first bytes of a file say that it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Packing {
    Plain,
    Gzip,
    Bzip2,
    Xz,
    Zstd,
}

/// RFC 1952 2.3.1; bzip2's "BZh"; The .xz File Format 2.1.1.1; RFC 8878 3.1.1 and 3.1.2.
fn packing(start: &[u8]) -> Packing {
    match start {
        [0x1f, 0x8b, ..] => Packing::Gzip,
        [b'B', b'Z', b'h', ..] => Packing::Bzip2,
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Packing::Xz,
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
        _ => Packing::Plain,
    }
}

/// Reads an archive. Only what stands under one of the `wanted` names, at the top or below one folder, is kept.
pub(crate) fn read(source: impl Read, bounds: Bounds, wanted: &[&str]) -> Result<MemoryTree, OpenCause> {
    let mut start = Vec::new();
    let mut source = BufReader::with_capacity(64 << 10, source);
    (&mut source).take(6).read_to_end(&mut start).map_err(|error| damaged(&error))?;
    let packing = packing(&start);
    let source = BufReader::with_capacity(64 << 10, Cursor::new(start).chain(source));
    match packing {
        Packing::Plain => unpack(source, bounds, wanted),
        Packing::Gzip => unpack(flate2::bufread::MultiGzDecoder::new(source), bounds, wanted),
        Packing::Bzip2 => unpack(bzip2::bufread::MultiBzDecoder::new(source), bounds, wanted),
        Packing::Xz => unpack(lzma_rust2::XzReader::new_mem_limit(source, true, XZ_MEMORY_KIB), bounds, wanted),
        Packing::Zstd => unpack(ZstdFrames { source, frame: None }, bounds, wanted),
    }
}

fn damaged(error: &io::Error) -> OpenCause {
    if error.get_ref().is_some_and(|inner| inner.is::<OverBound>()) {
        return OpenCause::TooLarge(error.to_string());
    }
    OpenCause::Damaged(error.to_string())
}

/// The stream has more bytes than the bound.
#[derive(Debug)]
struct OverBound(u64);

impl std::fmt::Display for OverBound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "unpacked it has more than {} bytes", self.0)
    }
}

impl std::error::Error for OverBound {}

/// Counts what passes, and remembers how many zero bytes came last.
struct Counted<R> {
    inner: R,
    bound: u64,
    left: u64,
    zeros: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        self.left = self.left.checked_sub(count as u64).ok_or_else(|| io::Error::other(OverBound(self.bound)))?;
        let read = into.get(..count).unwrap_or_default();
        let zeros = read.iter().rev().take_while(|byte| **byte == 0).count();
        self.zeros.set(if zeros == count { self.zeros.get().saturating_add(count as u64) } else { zeros as u64 });
        Ok(count)
    }
}

fn unpack(source: impl Read, bounds: Bounds, wanted: &[&str]) -> Result<MemoryTree, OpenCause> {
    let zeros = Rc::new(Cell::new(0));
    let counted = Counted { inner: source, bound: bounds.bytes, left: bounds.bytes, zeros: Rc::clone(&zeros) };
    let mut archive = tar::Archive::new(counted);
    let mut kept = Kept { tree: MemoryTree::default(), below_links: Vec::new(), bytes: 0 };
    let mut members = 0_usize;
    for entry in archive.entries().map_err(|error| damaged(&error))? {
        let entry = entry.map_err(|error| damaged(&error))?;
        members += 1;
        if members > bounds.entries {
            return Err(OpenCause::TooLarge(format!("it has more than {} members", bounds.entries)));
        }
        kept.member(entry, bounds, wanted)?;
    }
    if members == 0 {
        return Err(OpenCause::Damaged("not a tar archive, or an empty one".to_owned()));
    }
    // The end is marked by two blocks of zeros, of which the reader takes the first (POSIX pax, "ustar Interchange
    // Format"). An archive cut between two members has none.
    if zeros.get() < 512 {
        return Err(OpenCause::Damaged("it ends without its end mark".to_owned()));
    }
    // The checksum of a compressed archive is looked at only when its end is read.
    let mut rest = archive.into_inner();
    io::copy(&mut rest, &mut io::sink()).map_err(|error| damaged(&error))?;
    kept.finish()
}

/// What is kept of an archive while it is read.
struct Kept {
    tree: MemoryTree,
    /// Members below a link: placed at the end, when all links are known.
    below_links: Vec<(Vec<String>, Node)>,
    bytes: u64,
}

impl Kept {
    fn member<R: Read>(
        &mut self,
        mut entry: tar::Entry<'_, R>,
        bounds: Bounds,
        wanted: &[&str],
    ) -> Result<(), OpenCause> {
        // A name that is not text cannot be asked for.
        let Ok(path) = String::from_utf8(entry.path_bytes().into_owned()) else { return Ok(()) };
        let Some(path) = plain_names(&path) else {
            return Err(OpenCause::Damaged(format!("the member {} leads out of it", printable(&path))));
        };
        if path.len() > bounds.depth {
            return Err(OpenCause::TooLarge(format!("a path in it has more than {} names", bounds.depth)));
        }
        if path.iter().any(|name| name.len() > NAME_BYTES || name.contains('\0')) {
            return Err(OpenCause::Damaged("a member's name is longer than 255 bytes or holds a NUL".to_owned()));
        }
        let is_wanted = |name: Option<&&str>| name.is_some_and(|name| wanted.contains(name));
        if !is_wanted(path.first()) && !is_wanted(path.get(1)) {
            return Ok(());
        }
        let node = match entry.header().entry_type() {
            EntryType::Directory => Node::Folder(Names::new()),
            EntryType::Symlink => match link_target(&entry) {
                Some(target) => Node::Link(target),
                None => Node::Other,
            },
            EntryType::Link => self.hard_link(&entry),
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                let is_manifest = path.last() == Some(&manifest::FILE);
                let cap = if is_manifest { manifest::BYTES } else { Limits::FILE_BYTES };
                self.file(&mut entry, bounds, cap)?
            }
            EntryType::Block | EntryType::Char | EntryType::Fifo => Node::Other,
            // Global headers and the like are no members.
            _ => return Ok(()),
        };
        match self.tree.insert(&path, node) {
            Ok(()) => Ok(()),
            Err(Clash::UnderLink(node)) => {
                self.below_links.push((path.into_iter().map(str::to_owned).collect(), node));
                Ok(())
            }
            Err(Clash::Taken) => {
                Err(OpenCause::Damaged(format!("{} is both a folder and a file", printable(&path.join("/")))))
            }
        }
    }

    fn file<R: Read>(&mut self, entry: &mut tar::Entry<'_, R>, bounds: Bounds, cap: usize) -> Result<Node, OpenCause> {
        // The holes of a sparse file in the pax format are described in the content itself: not understood.
        if let Ok(Some(extensions)) = entry.pax_extensions() {
            for extension in extensions.flatten() {
                if extension.key_bytes().starts_with(b"GNU.sparse.") {
                    return Ok(Node::Other);
                }
            }
        }
        let size = entry.size();
        if size > cap as u64 {
            return Ok(Node::LargeFile);
        }
        self.bytes += size;
        if self.bytes > bounds.bytes {
            return Err(OpenCause::TooLarge(OverBound(bounds.bytes).to_string()));
        }
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(|error| damaged(&error))?;
        if content.len() as u64 != size {
            return Err(OpenCause::Damaged("it ends in the middle of a member".to_owned()));
        }
        Ok(Node::File(content.into()))
    }

    /// The same content as an earlier member, named by its full path in the archive.
    fn hard_link<R: Read>(&self, entry: &tar::Entry<'_, R>) -> Node {
        let target = link_target(entry).unwrap_or_default();
        let node = plain_names(&target).and_then(|names| self.tree.node(&names).cloned());
        match node {
            Some(node @ (Node::File(_) | Node::LargeFile | Node::Link(_))) => node,
            Some(Node::Folder(_) | Node::Other) | None => Node::Other,
        }
    }

    fn finish(mut self) -> Result<MemoryTree, OpenCause> {
        let mut lost = BTreeSet::new();
        for (path, node) in std::mem::take(&mut self.below_links) {
            let names: Vec<&str> = path.iter().map(String::as_str).collect();
            if self.tree.insert_through_links(&names, node).is_err() {
                lost.insert(path.join("/"));
            }
        }
        match lost.first() {
            None => Ok(self.tree),
            Some(path) => Err(OpenCause::Damaged(format!(
                "the member {} stands below a link that leads to no folder in it",
                printable(path)
            ))),
        }
    }
}

/// The names of a path, without the empty ones and `.`; nothing if it climbs.
fn plain_names(path: &str) -> Option<Vec<&str>> {
    let names: Vec<&str> = path.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    if names.contains(&"..") { None } else { Some(names) }
}

fn link_target<R: Read>(entry: &tar::Entry<'_, R>) -> Option<String> {
    let target = String::from_utf8(entry.link_name_bytes()?.into_owned()).ok()?;
    (target.len() < PATH_BYTES && !target.contains('\0')).then_some(target)
}

/// A name from an archive, fit for a message.
fn printable(name: &str) -> String {
    name.chars().take(200).flat_map(char::escape_debug).collect()
}

/// A zstd stream of several frames, of which the decoder knows one at a time (RFC 8878 3.1).
struct ZstdFrames<R> {
    source: R,
    frame: Option<FrameDecoder>,
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            let Some(frame) = &mut self.frame else {
                if self.source.fill_buf()?.is_empty() {
                    return Ok(0);
                }
                self.start_frame()?;
                continue;
            };
            if frame.can_collect() > 0 {
                return frame.read(into);
            }
            if !frame.is_finished() {
                frame
                    .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(io::Error::other)?;
                continue;
            }
            if let (Some(told), Some(found)) = (frame.get_checksum_from_data(), frame.get_calculated_checksum())
                && told != found
            {
                return Err(io::Error::other("zstd checksum mismatch"));
            }
            self.frame = None;
        }
    }
}

impl<R: BufRead> ZstdFrames<R> {
    /// Begins a frame, or passes over one that holds no data.
    fn start_frame(&mut self) -> io::Result<()> {
        let mut frame = FrameDecoder::new();
        match frame.init(&mut self.source) {
            Ok(()) => {
                self.frame = Some(frame);
                Ok(())
            }
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                let skipped = io::copy(&mut (&mut self.source).take(length.into()), &mut io::sink())?;
                if skipped < length.into() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
            }
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const SMALL: Bounds = Bounds { bytes: 64 << 10, entries: 3, depth: 4 };

    fn archive(members: &[(&str, usize)]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, size) in members {
            let mut header = tar::Header::new_gnu();
            header.set_size(*size as u64);
            builder.append_data(&mut header, path, &*vec![0; *size]).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn outcome(archive: &[u8]) -> Result<MemoryTree, OpenCause> {
        read(archive, SMALL, &["sys"])
    }

    #[test]
    fn each_bound_holds() {
        assert!(outcome(&archive(&[("sys/a", 60 << 10), ("sys/b", 1)])).is_ok());
        for over in [
            archive(&[("sys/a", 40 << 10), ("sys/b", 40 << 10)]),
            // what is not kept counts too
            archive(&[("home/a", 70 << 10), ("sys/b", 1)]),
            archive(&[("sys/a", 1), ("sys/b", 1), ("sys/c", 1), ("sys/d", 1)]),
            archive(&[("sys/1/2/3/4", 1)]),
        ] {
            assert!(matches!(outcome(&over), Err(OpenCause::TooLarge(_))));
        }
    }

    #[test]
    fn a_bomb_is_refused_before_it_is_unpacked() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&archive(&[("sys/a", 10 << 20)])).unwrap();
        let gzip = encoder.finish().unwrap();
        assert!(gzip.len() < 64 << 10);
        assert_eq!(outcome(&gzip).unwrap_err(), OpenCause::TooLarge("unpacked it has more than 65536 bytes".into()));
    }

    #[test]
    fn the_holes_of_a_sparse_file_count() {
        let sparse = |size: u64| {
            let mut header = tar::Header::new_gnu();
            header.set_path("sys/sparse").unwrap();
            header.set_entry_type(EntryType::GNUSparse);
            header.set_size(1);
            let gnu = header.as_gnu_mut().unwrap();
            gnu.set_real_size(size);
            gnu.sparse[0].offset.copy_from_slice(format!("{:011o}\0", size - 1).as_bytes());
            gnu.sparse[0].numbytes.copy_from_slice(b"00000000001\0");
            header.set_cksum();
            let mut content = [0; 512];
            content[0] = b'x';
            [&header.as_bytes()[..], &content, &[0; 1024]].concat()
        };
        let tree = outcome(&sparse(10)).unwrap();
        let Some(Node::File(content)) = tree.node(&["sys", "sparse"]) else { panic!("no file") };
        assert_eq!(&**content, b"\0\0\0\0\0\0\0\0\0x");
        assert!(matches!(outcome(&sparse(1 << 20)), Err(OpenCause::TooLarge(_))));
    }

    #[test]
    fn packings_are_told_by_their_first_bytes() {
        assert_eq!(packing(b""), Packing::Plain);
        assert_eq!(packing(b"\x1f\x8b\x08"), Packing::Gzip);
        assert_eq!(packing(b"BZh9"), Packing::Bzip2);
        assert_eq!(packing(b"\xfd7zXZ\0"), Packing::Xz);
        assert_eq!(packing(b"\x28\xb5\x2f\xfd\0"), Packing::Zstd);
        assert_eq!(packing(b"\x5e\x2a\x4d\x18\0"), Packing::Zstd);
    }
}
