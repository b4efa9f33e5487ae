//! Partition tables: GPT (UEFI Specification 2.10, section 5.3), MBR with extended partitions, and the labels of BSD, Sun and SGI.
//!
//! GPT is looked for in blocks of the device's size, of 512 and of 4096 bytes, at the start, at the end, and where the primary header says that the backup
//! is. Both headers and both arrays of entries are checked. The labels of BSD, Sun and SGI: util-linux, libblkid/src/partitions.

use super::bytes::{be16, byte, crc32, guid, is_at, le32, le64, part, text16, with};
use super::partition_type;
use super::region::{Checked, Found, Region};
use crate::inventory::signature::SignatureKind;
use std::collections::BTreeSet;

/// Most partitions that are told.
pub(super) const PARTITIONS: usize = 128;
/// Longest array of entries that is read.
const ENTRIES_BYTES: u64 = 1 << 20;
/// Most partitions within an extended one that are followed.
const LOGICAL: usize = 60;

/// One partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) number: u64,
    pub(super) start: u64,
    pub(super) bytes: u64,
    pub(super) type_id: String,
    pub(super) type_name: Option<&'static str>,
    pub(super) label: Option<String>,
    pub(super) uuid: Option<String>,
    /// It holds other partitions.
    pub(super) container: bool,
}

/// What partition tables tell.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) found: Vec<Found>,
    pub(super) parts: Vec<Part>,
    /// There are more than are told.
    pub(super) more: bool,
}

/// Reads all tables of a whole device. `file_system` is whether a boot sector of a file system stands at its start.
pub(super) fn read(region: &Region<'_>, file_system: bool) -> Tables {
    let mut tables = Tables::default();
    gpt(region, &mut tables);
    let has_gpt = !tables.found.is_empty();
    mbr(region, file_system, has_gpt, &mut tables);
    others(region, &mut tables);
    tables
}

/// A header of GPT.
struct Header {
    offset: u64,
    block: u64,
    problems: Vec<String>,
    disk: Option<String>,
    revision: u32,
    alternate: u64,
    usable: (u64, u64),
    entries_crc: u32,
    count: u32,
    parts: Vec<Part>,
    more: bool,
    /// Why its entries could not be read.
    unread: Option<crate::reading::ErrorId>,
}

fn gpt(region: &Region<'_>, tables: &mut Tables) {
    let blocks: BTreeSet<u64> = [region.block, 512, 4096].into();
    let blocks: Vec<u64> =
        std::iter::once(region.block).chain(blocks.into_iter().filter(|b| *b != region.block)).collect();
    let mut primary = blocks.iter().find_map(|block| header(region, *block, *block));
    let ends =
        blocks.iter().filter_map(|block| Some(((region.length / block).checked_sub(1)?.checked_mul(*block)?, *block)));
    let mut backup =
        ends.clone().filter(|(end, block)| end > block).find_map(|(end, block)| header(region, end, block));
    let mut elsewhere = false;
    if let (Some(first), None) = (&primary, &backup) {
        let offset = first.alternate.checked_mul(first.block).filter(|offset| *offset > first.block);
        backup = offset.and_then(|offset| header(region, offset, first.block));
        elsewhere = backup.is_some();
    }
    let unread_end = ends.clone().find_map(|(end, _)| region.failure(end, 512));
    let unread_start = blocks.iter().find_map(|block| region.failure(*block, 512));
    match (&mut primary, &mut backup) {
        (Some(primary), Some(backup)) => {
            if elsewhere {
                primary.problems.push(format!("its backup lies at {}, not at the device's end", backup.offset));
            }
            let same = (&primary.disk, primary.entries_crc, primary.count, primary.usable)
                == (&backup.disk, backup.entries_crc, backup.count, backup.usable);
            if !same {
                primary.problems.push("it differs from the backup".to_owned());
                backup.problems.push("it differs from the primary".to_owned());
            }
        }
        (Some(primary), None) if unread_end.is_none() => {
            primary.problems.push("there is no backup at the device's end".to_owned())
        }
        (None, Some(backup)) if unread_start.is_none() => backup.problems.push("there is no primary".to_owned()),
        _ => {}
    }
    let of_use = |header: &&Header| !header.problems.iter().any(|problem| problem.contains("CRC32"));
    let chosen =
        [primary.as_ref(), backup.as_ref()].into_iter().flatten().find(of_use).or(primary.as_ref()).or(backup.as_ref());
    if let Some(chosen) = chosen {
        tables.parts.clone_from(&chosen.parts);
        tables.more = chosen.more;
    }
    for (kind, header, other) in
        [(SignatureKind::Gpt, &primary, unread_end), (SignatureKind::GptBackup, &backup, unread_start)]
    {
        let Some(header) = header else { continue };
        let mut found = Found::new(kind, header.offset);
        found.uuid.clone_from(&header.disk);
        found.version = Some(format!("{}.{}", header.revision >> 16, header.revision & 0xffff));
        let alone = primary.is_none() || backup.is_none();
        found.checked = match (header.problems.is_empty(), header.unread, other.filter(|_| alone)) {
            (false, _, _) => Checked::Wrong(header.problems.join("; ")),
            (true, Some(error), _) | (true, None, Some(error)) => Checked::Unread(error),
            (true, None, None) => Checked::Right,
        };
        tables.found.push(found);
    }
}

/// The header at an offset, whatever its checksums say.
fn header(region: &Region<'_>, offset: u64, block: u64) -> Option<Header> {
    let sector = region.bytes(offset, 512)?;
    if !is_at(&sector, 0, b"EFI PART") {
        return None;
    }
    let mut problems = Vec::new();
    let size = u64::from(le32(&sector, 12)?);
    let whole = if (92..=block.min(4096)).contains(&size) { region.bytes(offset, size) } else { None };
    let right = whole.is_some_and(|header| Some(crc32(&with(&header, 16, 4, 0))) == le32(&sector, 16));
    if !right {
        problems.push("the CRC32 of its header does not hold".to_owned());
    }
    if block != region.block {
        problems.push(format!("it is made for blocks of {block} bytes, the device has {}", region.block));
    }
    let mine = le64(&sector, 24)?;
    if mine.checked_mul(block) != Some(offset) {
        problems.push(format!("it says that it lies at block {mine}"));
    }
    let (first, last) = (le64(&sector, 40)?, le64(&sector, 48)?);
    let (lba, count, entry) = (le64(&sector, 72)?, le32(&sector, 80)?, le32(&sector, 84)?);
    let entries_crc = le32(&sector, 88)?;
    let mut header = Header {
        offset,
        block,
        problems,
        disk: guid(&sector, 56),
        revision: le32(&sector, 8)?,
        alternate: le64(&sector, 32)?,
        usable: (first, last),
        entries_crc,
        count,
        parts: Vec::new(),
        more: false,
        unread: None,
    };
    header.entries(region, lba, u64::from(entry));
    Some(header)
}

impl Header {
    fn entries(&mut self, region: &Region<'_>, lba: u64, size: u64) {
        let total = u64::from(self.count).saturating_mul(size);
        if !(128..=4096).contains(&size) || !(1..=ENTRIES_BYTES).contains(&total) {
            self.problems.push(format!("it says that it has {} entries of {size} bytes", self.count));
            return;
        }
        let place = lba.saturating_mul(self.block);
        let Some(entries) = region.bytes(place, total) else {
            match region.failure(place, total) {
                Some(error) => self.unread = Some(error),
                None => self.problems.push(format!("its entries would lie at block {lba}")),
            }
            return;
        };
        if crc32(&entries) != self.entries_crc {
            self.problems.push("the CRC32 of its entries does not hold".to_owned());
        }
        for (index, entry) in entries.chunks_exact(usize::try_from(size).unwrap_or(128)).enumerate() {
            let Some(part) = self.part(index as u64 + 1, entry) else { continue };
            if part.bytes == 0 || part.start.saturating_add(part.bytes) > region.length {
                self.problems.push(format!("its partition {} does not lie on the device", part.number));
            }
            if self.parts.len() == PARTITIONS {
                self.more = true;
                break;
            }
            self.parts.push(part);
        }
    }

    fn part(&self, number: u64, entry: &[u8]) -> Option<Part> {
        let type_id = guid(entry, 0)?;
        let (first, last) = (le64(entry, 32)?, le64(entry, 40)?);
        let blocks = last.checked_sub(first).and_then(|blocks| blocks.checked_add(1)).unwrap_or(0);
        Some(Part {
            number,
            start: first.saturating_mul(self.block),
            bytes: blocks.saturating_mul(self.block),
            type_name: partition_type::of_guid(&type_id),
            type_id,
            label: text16(entry, 56, 72),
            uuid: guid(entry, 16),
            container: false,
        })
    }
}

/// The four entries of a sector: flag, type, first block, blocks.
fn slots(sector: &[u8]) -> Option<Vec<(u8, u8, u64, u64)>> {
    if !is_at(sector, 510, &[0x55, 0xaa]) {
        return None;
    }
    let slots = part(sector, 446, 64)?.chunks_exact(16);
    slots
        .map(|slot| Some((byte(slot, 0)?, byte(slot, 4)?, u64::from(le32(slot, 8)?), u64::from(le32(slot, 12)?))))
        .collect()
}

fn is_extended(kind: u8) -> bool {
    matches!(kind, 0x05 | 0x0f | 0x85)
}

fn mbr(region: &Region<'_>, file_system: bool, has_gpt: bool, tables: &mut Tables) {
    let Some(sector) = region.bytes(0, 512) else { return };
    let Some(slots) = slots(&sector) else { return };
    if file_system {
        return;
    }
    let valid = slots.iter().all(|(flag, ..)| flag & 0x7f == 0);
    if !valid {
        tables.found.push(Found::new(SignatureKind::BootSector, 0));
        return;
    }
    let used: Vec<(u64, u8, u64, u64)> = slots
        .iter()
        .zip(1_u64..)
        .filter(|((_, kind, _, blocks), _)| *kind != 0 && *blocks != 0)
        .map(|((_, kind, first, blocks), number)| (number, *kind, *first, *blocks))
        .collect();
    let protective = used.iter().any(|(_, kind, ..)| *kind == 0xee);
    let mut found = Found::new(if protective { SignatureKind::ProtectiveMbr } else { SignatureKind::Mbr }, 0);
    found.uuid = le32(&sector, 440).filter(|id| *id != 0).map(|id| format!("{id:08x}"));
    if protective {
        if used.len() > 1 {
            found.version = Some("hybrid".to_owned());
        }
        let unread =
            region.failure(region.block, 512).or_else(|| region.failure(region.length.saturating_sub(4096), 4096));
        found.checked = match (has_gpt, unread) {
            (true, _) => Checked::Right,
            (false, Some(error)) => Checked::Unread(error),
            (false, None) => Checked::Wrong("it protects a GUID partition table that is not there".to_owned()),
        };
        tables.found.push(found);
        return;
    }
    let mut parts = Vec::new();
    let mut outside = false;
    for (number, kind, first, blocks) in used {
        let part = region_part(region, number, kind, first, blocks);
        outside |= part.start.saturating_add(part.bytes) > region.length;
        parts.push(part);
        if is_extended(kind) {
            logical(region, first, &mut parts);
        }
    }
    if outside {
        found.checked = Checked::Wrong("a partition does not lie on the device".to_owned());
    }
    tables.found.push(found);
    if !has_gpt {
        parts.sort_by_key(|part| part.number);
        tables.more = parts.len() > PARTITIONS;
        parts.truncate(PARTITIONS);
        tables.parts = parts;
    }
}

fn region_part(region: &Region<'_>, number: u64, kind: u8, first: u64, blocks: u64) -> Part {
    Part {
        number,
        start: first.saturating_mul(region.block),
        bytes: blocks.saturating_mul(region.block),
        type_id: format!("0x{kind:02x}"),
        type_name: partition_type::of_mbr(kind),
        label: None,
        uuid: None,
        container: is_extended(kind),
    }
}

/// The chain of partitions within an extended one. Each link has a partition, relative to the link, and the next link, relative to the first.
fn logical(region: &Region<'_>, base: u64, parts: &mut Vec<Part>) {
    let mut link = base;
    let mut seen = BTreeSet::new();
    let mut number = 5;
    while seen.len() < LOGICAL && seen.insert(link) {
        let Some(slots) =
            link.checked_mul(region.block).and_then(|at| region.bytes(at, 512)).and_then(|sector| slots(&sector))
        else {
            return;
        };
        let mut next = None;
        for (_, kind, first, blocks) in slots {
            if kind == 0 || blocks == 0 {
                continue;
            }
            if is_extended(kind) {
                next = next.or(Some(base.saturating_add(first)));
            } else {
                parts.push(region_part(region, number, kind, link.saturating_add(first), blocks));
                number += 1;
            }
        }
        match next {
            Some(next) => link = next,
            None => return,
        }
    }
}

fn others(region: &Region<'_>, tables: &mut Tables) {
    let Some(sector) = region.bytes(0, 512) else { return };
    let words = sector.chunks_exact(2).map(|pair| be16(pair, 0).unwrap_or(0));
    if is_at(&sector, 508, &[0xda, 0xbe]) {
        let mut found = Found::new(SignatureKind::SunLabel, 0);
        found.checked = Checked::that(words.fold(0, |sum, word| sum ^ word) == 0, "its checksum does not hold");
        tables.found.push(found);
    }
    if is_at(&sector, 0, &[0x0b, 0xe5, 0xa9, 0x41]) {
        tables.found.push(Found::new(SignatureKind::SgiLabel, 0));
    }
    if let Some(label) = region.bytes(512, 148)
        && is_at(&label, 0, &[0x57, 0x45, 0x56, 0x82])
        && is_at(&label, 132, &[0x57, 0x45, 0x56, 0x82])
    {
        tables.found.push(Found::new(SignatureKind::BsdLabel, 512));
    }
}
