//! A part of a device that formats lie in, the whole of it or a partition: read where a format asks, each place once.
//!
//! Counts what could not be read and whether all that was read is one and the same byte. Knows no format.

use super::bytes;
use crate::inventory::signature::SignatureKind;
use crate::reading::ErrorId;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// Most reads of one region: formats ask for some forty.
const READS: u32 = 400;
/// What is read at a region's start at once: the places of most formats.
const HEAD: u64 = 68 << 10;
/// What is read at a whole device's end at once: the second partition table and metadata of RAID controllers.
const TAIL: u64 = 36 << 10;

/// Where bytes come from.
pub trait Source {
    /// Bytes at an offset of the device, exactly as many as asked for.
    ///
    /// # Errors
    /// Why not.
    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, ErrorId>;
    /// A reason of our own.
    fn refuse(&self, cause: String) -> ErrorId;
}

/// Which bytes were seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// Nothing was read.
    Nothing,
    /// All are this one.
    Only(u8),
    /// They differ.
    Mixed,
}

impl Seen {
    pub(super) fn and(self, bytes: &[u8]) -> Self {
        bytes.iter().fold(self, |seen, byte| match seen {
            Self::Nothing => Self::Only(*byte),
            Self::Only(other) if other == *byte => seen,
            Self::Only(_) | Self::Mixed => Self::Mixed,
        })
    }
}

/// A part of a device.
pub(super) struct Region<'s> {
    source: &'s dyn Source,
    /// Where it begins on the device.
    pub(super) base: u64,
    /// Its length in bytes.
    pub(super) length: u64,
    /// Logical block size of the device.
    pub(super) block: u64,
    /// The whole device, rather than a partition.
    pub(super) whole: bool,
    pieces: RefCell<Vec<(u64, Vec<u8>)>>,
    failed: RefCell<Vec<(u64, u64, ErrorId)>>,
    reasons: RefCell<BTreeSet<ErrorId>>,
    /// Keys or memory lie there: not read.
    sealed: Cell<(u64, u64)>,
    reads: Cell<u32>,
    seen: Cell<Seen>,
}

impl<'s> Region<'s> {
    pub(super) fn new(source: &'s dyn Source, base: u64, length: u64, block: u64, whole: bool) -> Self {
        Self {
            source,
            base,
            length,
            block,
            whole,
            pieces: RefCell::default(),
            failed: RefCell::default(),
            reasons: RefCell::default(),
            sealed: Cell::new((0, 0)),
            reads: Cell::new(0),
            seen: Cell::new(Seen::Nothing),
        }
    }

    /// Reads start and end at once, so that formats find their places there.
    pub(super) fn prefetch(&self) {
        let Some(start) = self.clamped(0, 64) else { return };
        if bytes::is_at(&start, 0, b"bluestore block device") {
            // The key of the daemon stands in the label.
            self.sealed.set((start.len() as u64, HEAD));
        } else if bytes::is_at(&start, 0, b"LUKS\xba\xbe") {
            let header = if bytes::be16(&start, 6) == Some(2) { 32 << 10 } else { 592 };
            self.clamped(0, header);
            self.sealed.set((header, 8 << 20));
        } else if bytes::is_at(&start, 3, b"-FVE-FS-") {
            self.clamped(0, 512);
            self.sealed.set((512, 8 << 20));
        } else if let Some(page) = self.clamped(0, 4096) {
            const SWAP: [&[u8]; 6] =
                [b"SWAPSPACE2", b"SWAP-SPACE", b"LINHIB0001", b"S1SUSPEND", b"S2SUSPEND", b"ULSUSPEND"];
            if SWAP.iter().any(|magic| bytes::is_at(&page, 4086, magic)) {
                self.sealed.set((4096, 8 << 20));
            } else {
                self.clamped(4096, HEAD - 4096);
            }
        }
        if self.whole {
            self.clamped(self.length.saturating_sub(TAIL), TAIL);
        }
    }

    /// As many bytes as there are.
    fn clamped(&self, offset: u64, length: u64) -> Option<Vec<u8>> {
        let length = length.min(self.length.checked_sub(offset)?);
        if length == 0 { None } else { self.bytes(offset, length) }
    }

    /// Bytes at an offset of the region. `None` outside of it, where they are not to be read, and where they could not be: [`Self::reasons`] grows then.
    pub(super) fn bytes(&self, offset: u64, length: u64) -> Option<Vec<u8>> {
        let end = offset.checked_add(length)?;
        let (sealed, unsealed) = self.sealed.get();
        if length == 0 || end > self.length || (offset < unsealed && end > sealed) {
            return None;
        }
        self.there(offset, length).or_else(|| self.fetched(offset, length))
    }

    /// Like [`Self::bytes`], also where keys lie: for the few bytes before them.
    pub(super) fn unsealed(&self, offset: u64, length: u64) -> Option<Vec<u8>> {
        if length == 0 || offset.checked_add(length)? > self.length {
            return None;
        }
        self.there(offset, length).or_else(|| self.fetched(offset, length))
    }

    fn there(&self, offset: u64, length: u64) -> Option<Vec<u8>> {
        self.pieces.borrow().iter().find_map(|(start, piece)| {
            let from = usize::try_from(offset.checked_sub(*start)?).ok()?;
            bytes::part(piece, from, usize::try_from(length).ok()?).map(<[u8]>::to_vec)
        })
    }

    fn fetched(&self, offset: u64, length: u64) -> Option<Vec<u8>> {
        if self.failure(offset, length).is_some() {
            return None;
        }
        self.reads.set(self.reads.get() + 1);
        let answer = match (self.base.checked_add(offset), u32::try_from(length)) {
            _ if self.reads.get() > READS => {
                Err(self.source.refuse(format!("more than {READS} places would have to be read")))
            }
            (Some(start), Ok(length)) => self.source.read(start, length),
            _ => Err(self.source.refuse(format!("{length} bytes at {offset} are too many or too far"))),
        };
        match answer {
            Ok(bytes) => {
                self.seen.set(self.seen.get().and(&bytes));
                self.pieces.borrow_mut().push((offset, bytes.clone()));
                Some(bytes)
            }
            Err(error) => {
                self.reasons.borrow_mut().insert(error);
                self.failed.borrow_mut().push((offset, offset.saturating_add(length), error));
                None
            }
        }
    }

    /// Reads a place only to see its bytes; whether that went well.
    pub(super) fn passed(&self, offset: u64, length: u64) -> bool {
        if self.there(offset, length).is_some() {
            return true;
        }
        let read = self.fetched(offset, length).is_some();
        if read {
            self.pieces.borrow_mut().pop();
        }
        read
    }

    /// Why a place could not be read, if it could not.
    pub(super) fn failure(&self, offset: u64, length: u64) -> Option<ErrorId> {
        let end = offset.saturating_add(length);
        self.failed.borrow().iter().find(|(from, to, _)| *from < end && offset < *to).map(|(_, _, error)| *error)
    }

    /// Why places could not be read.
    pub(super) fn reasons(&self) -> Vec<ErrorId> {
        self.reasons.borrow().iter().copied().collect()
    }

    /// Which bytes were read so far.
    pub(super) fn seen(&self) -> Seen {
        self.seen.get()
    }

    /// The offset of a sector of 512 bytes counted from the end, 1 the last one.
    pub(super) fn sector_from_end(&self, count: u64) -> Option<u64> {
        (self.length / 512).checked_sub(count)?.checked_mul(512)
    }
}

/// What a format found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) kind: SignatureKind,
    /// Offset in the region.
    pub(super) offset: u64,
    pub(super) label: Option<String>,
    pub(super) uuid: Option<String>,
    pub(super) member_of: Option<String>,
    pub(super) version: Option<String>,
    pub(super) checked: Checked,
}

/// What became of checksums and copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Checked {
    /// There are none, or they are not verified.
    No,
    /// They hold.
    Right,
    /// What is wrong.
    Wrong(String),
    /// A part was not read.
    Unread(ErrorId),
}

impl Checked {
    /// Right if a condition holds.
    pub(super) fn that(right: bool, wrong: &str) -> Self {
        if right { Self::Right } else { Self::Wrong(wrong.to_owned()) }
    }
}

impl Found {
    pub(super) fn new(kind: SignatureKind, offset: u64) -> Self {
        Self { kind, offset, label: None, uuid: None, member_of: None, version: None, checked: Checked::No }
    }
}
