//! Volume managers and software RAID: LVM2 (lvm2, lib/format_text/layout.h and lib/label/label.h), md (kernel, include/uapi/linux/raid/md_p.h; mdadm), bcache
//! (kernel, drivers/md/bcache), Stratis, VDO, snapshots of device mapper, dynamic disks of Windows. As util-linux, libblkid/src/superblocks/lvm.c,
//! linux_raid.c, bcache.c, stratis.c, vdo.c.

use super::bytes::{byte, crc32_raw, crc32c, crc64, is_at, le16, le32, le64, part, text, uuid, with};
use super::region::{Checked, Found, Region};
use crate::inventory::signature::SignatureKind as Kind;

/// Every one in a region.
pub(super) fn read(region: &Region<'_>) -> Vec<Found> {
    const FORMATS: &[fn(&Region<'_>) -> Option<Found>] =
        &[lvm2, md_0_90, md_1_0, md_1_1, md_1_2, bcache, stratis, vdo, snapshot, dynamic];
    FORMATS.iter().filter_map(|format| format(region)).collect()
}

/// Start value of LVM's CRC-32 (`INITIAL_CRC`).
const LVM_CRC: u32 = 0xf597_a6cf;

fn lvm2(region: &Region<'_>) -> Option<Found> {
    // `LABEL_SCAN_SECTORS`.
    for sector in 0..4_u64 {
        let Some(label) = region.bytes(sector * 512, 512) else { continue };
        if !is_at(&label, 0, b"LABELONE") {
            continue;
        }
        let mut found = Found::new(Kind::Lvm2, sector * 512);
        let right = crc32_raw(LVM_CRC, part(&label, 20, 492)?) == le32(&label, 16)? && le64(&label, 8)? == sector;
        found.checked = Checked::that(right, "the CRC of its label does not hold, or it was moved");
        found.version = text(&label, 24, 8);
        let header = le32(&label, 20)? as usize;
        found.uuid = text(&label, header, 32).map(|id| lvm_id(&id));
        found.member_of = volume_group(region, &label, header);
        return Some(found);
    }
    None
}

/// An identity of LVM with its hyphens.
fn lvm_id(id: &str) -> String {
    let mut out = String::new();
    for (index, c) in id.chars().enumerate() {
        if matches!(index, 6 | 10 | 14 | 18 | 22 | 26) {
            out.push('-');
        }
        out.push(c);
    }
    out
}

/// The volume group's name: the first word of the metadata that is in force, in the first metadata area.
fn volume_group(region: &Region<'_>, label: &[u8], header: usize) -> Option<String> {
    // After identity and size: areas of data, a pair of zeros, areas of metadata.
    let mut at = header.checked_add(40)?;
    let mut ended = 0;
    let area = loop {
        let (offset, size) = (le64(label, at)?, le64(label, at.checked_add(8)?)?);
        at = at.checked_add(16)?;
        match (offset, ended) {
            (0, 1) => return None,
            (0, _) => ended += 1,
            (_, 1) => break (offset, size),
            _ => {}
        }
    };
    let mda = region.bytes(area.0, 512)?;
    if !is_at(&mda, 4, b" LVM2 x[5A%r0N*>") {
        return None;
    }
    let (offset, size) = (le64(&mda, 40)?, le64(&mda, 48)?);
    if offset == 0 || size == 0 || offset >= area.1 {
        return None;
    }
    // The ring may end within it; names are not longer than 127 characters.
    let length = size.min(130).min(area.1.checked_sub(offset)?);
    let metadata = region.bytes(area.0.checked_add(offset)?, length)?;
    let name = metadata.split(|byte| matches!(byte, b' ' | b'\n' | b'{')).next()?;
    let valid = !name.is_empty() && name.iter().all(|c| c.is_ascii_alphanumeric() || b"+_.-".contains(c));
    if valid { text(name, 0, name.len()) } else { None }
}

/// `MD_SB_MAGIC`.
const MD: u32 = 0xa92b_4efc;
/// `MD_RESERVED_BYTES`.
const MD_RESERVED: u64 = 64 << 10;

fn md_0_90(region: &Region<'_>) -> Option<Found> {
    let offset = (region.length / MD_RESERVED).checked_sub(1)?.checked_mul(MD_RESERVED)?;
    let sb = region.bytes(offset, 4096)?;
    let big = match le32(&sb, 0)? {
        MD => false,
        other if other.swap_bytes() == MD => true,
        _ => return None,
    };
    let word = |index: usize| {
        let word = le32(&sb, index * 4)?;
        Some(if big { word.swap_bytes() } else { word })
    };
    if word(1)? != 0 {
        return None;
    }
    let mut found = Found::new(Kind::Md, offset);
    found.version = Some(format!("{}.{}", word(1)?, word(2)?));
    let mut id = Vec::new();
    for index in [5, 13, 14, 15] {
        id.extend(word(index)?.to_be_bytes());
    }
    found.member_of = uuid(&id, 0);
    let words = (0..1024).filter(|index| *index != 38).filter_map(word);
    found.checked =
        Checked::that(folded(words.map(u64::from).sum()) == word(38)?, "the checksum of its super block does not hold");
    Some(found)
}

/// A sum of 64 bits folded to 32.
fn folded(sum: u64) -> u32 {
    (sum as u32).wrapping_add((sum >> 32) as u32)
}

fn md_1_0(region: &Region<'_>) -> Option<Found> {
    let offset = (region.length / 4096 * 4096).checked_sub(8192)?;
    md_1(region, offset, "1.0")
}

fn md_1_1(region: &Region<'_>) -> Option<Found> {
    md_1(region, 0, "1.1")
}

fn md_1_2(region: &Region<'_>) -> Option<Found> {
    md_1(region, 4096, "1.2")
}

fn md_1(region: &Region<'_>, offset: u64, version: &str) -> Option<Found> {
    let sb = region.bytes(offset, 256)?;
    if le32(&sb, 0)? != MD || le32(&sb, 4)? != 1 {
        return None;
    }
    let mut found = Found::new(Kind::Md, offset);
    found.version = Some(version.to_owned());
    found.member_of = uuid(&sb, 16);
    found.label = text(&sb, 32, 32);
    found.uuid = uuid(&sb, 168);
    let devices = u64::from(le32(&sb, 220)?);
    let right = devices <= 1920
        && region
            .bytes(offset, 256 + devices * 2)
            .is_some_and(|sb| Some(md_sum(&with(&sb, 216, 4, 0))) == le32(&sb, 216));
    found.checked = if le64(&sb, 144)?.checked_mul(512) != Some(offset) {
        Checked::Wrong("it says that it lies elsewhere".to_owned())
    } else {
        Checked::that(right, "the checksum of its super block does not hold")
    };
    Some(found)
}

/// The sum of words, a half word at the end too.
fn md_sum(sb: &[u8]) -> u32 {
    let words = sb.chunks(4).map(|word| le32(word, 0).or_else(|| le16(word, 0).map(u32::from)).unwrap_or(0));
    folded(words.map(u64::from).sum())
}

fn bcache(region: &Region<'_>) -> Option<Found> {
    const MAGIC: &[u8] = b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81";
    let sb = region.bytes(4096, 4096)?;
    if !is_at(&sb, 24, MAGIC) {
        return None;
    }
    let mut found = Found::new(Kind::Bcache, 4096);
    found.version = Some(le64(&sb, 16)?.to_string());
    found.uuid = uuid(&sb, 40);
    found.member_of = uuid(&sb, 56);
    found.label = text(&sb, 72, 32);
    let keys = usize::from(le16(&sb, 206)?);
    let right = keys <= 256 && crc64(part(&sb, 8, 200 + keys * 8)?) == le64(&sb, 0)?;
    found.checked = Checked::that(right, "the checksum of its super block does not hold");
    Some(found)
}

fn stratis(region: &Region<'_>) -> Option<Found> {
    const MAGIC: &[u8] = b"!Stra0tis\x86\xff\x02^\x41rh";
    let copies: Vec<(u64, Vec<u8>)> = [512, 9 * 512]
        .into_iter()
        .filter_map(|offset| Some((offset, region.bytes(offset, 512)?)))
        .filter(|(_, sb)| is_at(sb, 4, MAGIC))
        .collect();
    let holds = |sb: &[u8]| part(sb, 4, 508).is_some_and(|rest| Some(crc32c(rest)) == le32(sb, 0));
    let whole = copies.len() == 2 && copies.iter().all(|(_, sb)| holds(sb));
    let (offset, sb) = copies.iter().find(|(_, sb)| holds(sb)).or(copies.first())?;
    let mut found = Found::new(Kind::Stratis, *offset);
    found.member_of = text(sb, 32, 32);
    found.uuid = text(sb, 64, 32);
    found.checked = Checked::that(whole, "one of its two super blocks is gone, or its CRC-32C does not hold");
    Some(found)
}

fn vdo(region: &Region<'_>) -> Option<Found> {
    let block = region.bytes(0, 64)?;
    if !is_at(&block, 0, b"dmvdo001") {
        return None;
    }
    let mut found = Found::new(Kind::Vdo, 0);
    found.uuid = uuid(&block, 40);
    Some(found)
}

fn snapshot(region: &Region<'_>) -> Option<Found> {
    is_at(&region.bytes(0, 4)?, 0, b"SnAp").then(|| Found::new(Kind::DmSnapshot, 0))
}

/// `PRIVHEAD` of the Logical Disk Manager: sector 6 of an MBR disk; the last sector of the disk, or of the metadata's partition of a GPT disk (kernel,
/// block/partitions/ldm.h).
fn dynamic(region: &Region<'_>) -> Option<Found> {
    for offset in [Some(6 * 512), region.sector_from_end(1)].into_iter().flatten() {
        let Some(head) = region.bytes(offset, 512) else { continue };
        if is_at(&head, 0, b"PRIVHEAD") {
            let mut found = Found::new(Kind::WindowsDynamic, offset);
            found.uuid = text(&head, 0x30, 64);
            found.member_of = text(&head, 0xb0, 64);
            found.label = text(&head, 0xf0, 32);
            let major = byte(&head, 13)?;
            found.version = Some(format!("{major}.{}", byte(&head, 15)?));
            return Some(found);
        }
    }
    None
}
