//! Devices made by hand, byte by byte as the specifications lay them out, sound and unsound.

mod drives;
mod formats;
mod tables;
mod volumes;

use super::region::{Checked, Found, Source};
use super::{Looked, bytes, look};
use crate::reading::ErrorId;
use std::cell::RefCell;

pub(super) const MIB: u64 = 1 << 20;

/// A device: one byte all over, and what was put on it, later over earlier.
#[derive(Clone)]
pub(super) struct Image {
    pub(super) length: u64,
    pub(super) block: u64,
    pub(super) fill: u8,
    pub(super) pieces: Vec<(u64, Vec<u8>)>,
    /// Places that cannot be read.
    pub(super) bad: Vec<(u64, u64)>,
}

impl Image {
    pub(super) fn new(length: u64) -> Self {
        Self { length, block: 512, fill: 0, pieces: Vec::new(), bad: Vec::new() }
    }
    pub(super) fn with(mut self, offset: u64, bytes: impl AsRef<[u8]>) -> Self {
        self.put(offset, bytes);
        self
    }
    pub(super) fn put(&mut self, offset: u64, bytes: impl AsRef<[u8]>) {
        self.pieces.push((offset, bytes.as_ref().to_vec()));
    }
    pub(super) fn blocks_of(mut self, block: u64) -> Self {
        self.block = block;
        self
    }
    /// Fewer bytes at the end, as a device gives.
    pub(super) fn get(&self, offset: u64, length: u64) -> Vec<u8> {
        let length = length.min(self.length.saturating_sub(offset));
        let mut bytes = vec![self.fill; length as usize];
        for (start, piece) in &self.pieces {
            for (index, byte) in piece.iter().enumerate() {
                let at = start + index as u64;
                if at >= offset && at < offset + length {
                    bytes[(at - offset) as usize] = *byte;
                }
            }
        }
        bytes
    }
    pub(super) fn is_bad(&self, offset: u64, length: u64) -> bool {
        self.bad.iter().any(|(from, to)| offset < *to && *from < offset + length)
    }
    pub(super) fn look(&self) -> (Looked, Vec<(u64, u64)>) {
        let source = Reader { image: self, reads: RefCell::default() };
        let looked = look(&source, self.length, self.block);
        (looked, source.reads.into_inner())
    }
    pub(super) fn found(&self) -> Vec<Found> {
        self.look().0.found.into_iter().map(|(found, _, _)| found).collect()
    }
    /// The only thing on it.
    pub(super) fn only(&self) -> Found {
        let found = self.found();
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].clone()
    }
    pub(super) fn words(&self) -> Vec<&'static str> {
        self.found().iter().map(|found| found.kind.word()).collect()
    }
}

struct Reader<'i> {
    image: &'i Image,
    reads: RefCell<Vec<(u64, u64)>>,
}

impl Source for Reader<'_> {
    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, ErrorId> {
        let length = u64::from(length);
        assert!(offset + length <= self.image.length, "{length} bytes at {offset} are not there");
        self.reads.borrow_mut().push((offset, length));
        if self.image.is_bad(offset, length) { Err(ErrorId(7)) } else { Ok(self.image.get(offset, length)) }
    }
    fn refuse(&self, _: String) -> ErrorId {
        ErrorId(8)
    }
}

pub(super) fn put(bytes: &mut [u8], at: usize, value: impl AsRef<[u8]>) {
    let value = value.as_ref();
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// Zeros with values in them.
pub(super) fn block(length: usize, values: &[(usize, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![0; length];
    for (at, value) in values {
        put(&mut bytes, *at, value);
    }
    bytes
}

pub(super) const ID: [u8; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
pub(super) const ID_TEXT: &str = "01020304-0506-0708-090a-0b0c0d0e0f10";
pub(super) const OTHER: [u8; 16] = [0xaa; 16];
pub(super) const OTHER_TEXT: &str = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa";

/// Kind, offset, label, identity, member of, version.
pub(super) type Told<'a> = (&'a str, u64, Option<&'a str>, Option<&'a str>, Option<&'a str>, Option<&'a str>);

pub(super) fn told(found: &Found) -> Told<'_> {
    (
        found.kind.word(),
        found.offset,
        found.label.as_deref(),
        found.uuid.as_deref(),
        found.member_of.as_deref(),
        found.version.as_deref(),
    )
}

pub(super) fn wrong(found: &Found) -> &str {
    match &found.checked {
        Checked::Wrong(what) => what,
        other => panic!("{other:?}"),
    }
}

pub(super) fn crc_put(mut bytes: Vec<u8>, at: usize, sum: impl Fn(&[u8]) -> u32) -> Vec<u8> {
    let value = sum(&bytes).to_le_bytes();
    put(&mut bytes, at, value);
    bytes
}

/// An ext4 super block with a checksum.
pub(super) fn ext4() -> Vec<u8> {
    let sb = block(
        1024,
        &[
            (4, &[0, 64, 0, 0]),
            (24, &[2, 0, 0, 0]),
            (56, &[0x53, 0xef]),
            (76, &[1, 0, 0, 0]),
            (92, &[0x3c, 0, 0, 0]),
            (96, &[0xc2, 2, 0, 0]),
            (100, &[0x6b, 4, 0, 0]),
            (104, &ID),
            (120, b"data"),
        ],
    );
    crc_put(sb, 0x3fc, |sb| bytes::crc32c_raw(u32::MAX, &sb[..0x3fc]))
}
