//! Metadata of RAID controllers and of main boards' RAID, on whole devices. SNIA Common RAID Disk Data Format 2.0; mdadm, super-ddf.c and super-intel.c;
//! util-linux, libblkid/src/superblocks/ddf_raid.c, isw_raid.c, adaptec_raid.c, promise_raid.c, highpoint_raid.c, silicon_raid.c, lsi_raid.c,
//! jmicron_raid.c, nvidia_raid.c, via_raid.c; the checksum of JMicron: dmraid, lib/format/ataraid/jm.c.
//!
//! Sectors from the end are of 512 bytes; of DDF and Intel also of the device's own size.

use super::bytes::{be32, byte, crc32, is_at, le16, le32, part, text, with};
use super::region::{Checked, Found, Region};
use crate::inventory::signature::SignatureKind as Kind;

/// Every one on a whole device.
pub(super) fn read(region: &Region<'_>) -> Vec<Found> {
    const FORMATS: &[fn(&Region<'_>) -> Option<Found>] =
        &[ddf, imsm, adaptec, promise, highpoint_37x, highpoint_45x, silicon, lsi, jmicron, nvidia, via];
    // Smaller ones are no members.
    if !region.whole || region.length < 64 << 10 {
        return Vec::new();
    }
    FORMATS.iter().filter_map(|format| format(region)).collect()
}

/// Where a sector counted from the end lies, of 512 bytes and of the device's size.
fn from_end(region: &Region<'_>, count: u64) -> Vec<u64> {
    let mut places: Vec<u64> = region.sector_from_end(count).into_iter().collect();
    if region.block != 512 {
        places.extend((region.length / region.block).checked_sub(count).and_then(|at| at.checked_mul(region.block)));
    }
    places
}

fn ddf(region: &Region<'_>) -> Option<Found> {
    const MAGIC: u32 = 0xde11_de11;
    for offset in [from_end(region, 1), from_end(region, 257)].concat() {
        let Some(header) = region.bytes(offset, 512) else { continue };
        let number: fn(&[u8], usize) -> Option<u32> = match be32(&header, 0)? {
            MAGIC => be32,
            other if other.swap_bytes() == MAGIC => le32,
            _ => continue,
        };
        let mut found = Found::new(Kind::Ddf, offset);
        found.version = text(&header, 32, 8);
        // A T10 vendor name of 8 characters, then bytes.
        let guid = part(&header, 8, 24)?;
        let hex = guid.iter().skip(8).map(|byte| format!("{byte:02x}"));
        found.label = text(guid, 0, 8);
        found.uuid = Some(hex.collect());
        let right = Some(crc32(&with(&header, 4, 4, 0xff))) == number(&header, 4);
        found.checked = Checked::that(right, "the CRC of its anchor does not hold");
        return Some(found);
    }
    None
}

fn imsm(region: &Region<'_>) -> Option<Found> {
    for (offset, sector) in from_end(region, 2).into_iter().zip([512, region.block]) {
        let Some(anchor) = region.bytes(offset, 512) else { continue };
        if !is_at(&anchor, 0, b"Intel Raid ISM Cfg Sig. ") {
            continue;
        }
        let mut found = Found::new(Kind::Imsm, offset);
        found.version = text(&anchor, 24, 8);
        found.member_of = Some(format!("{:08x}", le32(&anchor, 40)?));
        let size = u64::from(le32(&anchor, 36)?);
        found.checked = match imsm_block(region, offset, sector, size) {
            Some(block) => {
                let words = block.chunks_exact(4).map(|word| le32(word, 0).unwrap_or(0));
                let sum = words.fold(0_u32, u32::wrapping_add).wrapping_sub(le32(&anchor, 32)?);
                Checked::that(sum == le32(&anchor, 32)?, "the checksum of its metadata does not hold")
            }
            None => Checked::Wrong("its metadata are not all there".to_owned()),
        };
        return Some(found);
    }
    None
}

/// The anchor, and what is longer than a sector: it stands in the sectors before.
fn imsm_block(region: &Region<'_>, offset: u64, sector: u64, size: u64) -> Option<Vec<u8>> {
    if !(48..=64 << 10).contains(&size) {
        return None;
    }
    let mut block = region.bytes(offset, sector.min(size.max(512)))?;
    if let Some(rest) = size.checked_sub(sector).filter(|rest| *rest > 0) {
        let sectors = rest.div_ceil(sector);
        block.extend(region.bytes(offset.checked_sub(sectors * sector)?, rest)?);
    }
    block.truncate(usize::try_from(size).ok()?);
    Some(block)
}

fn last(region: &Region<'_>, count: u64) -> Option<(u64, Vec<u8>)> {
    let offset = region.sector_from_end(count)?;
    Some((offset, region.bytes(offset, 512)?))
}

fn adaptec(region: &Region<'_>) -> Option<Found> {
    let (offset, sector) = last(region, 1)?;
    if be32(&sector, 0)? != 0x37fc_4d1e || !is_at(&sector, 256, b"DPTM") {
        return None;
    }
    Some(Found::new(Kind::Adaptec, offset))
}

fn promise(region: &Region<'_>) -> Option<Found> {
    const SECTORS: [u64; 13] = [63, 255, 256, 16, 399, 591, 675, 735, 911, 974, 991, 951, 3087];
    SECTORS.iter().find_map(|count| {
        let offset = region.sector_from_end(*count)?;
        let start = region.bytes(offset, 24)?;
        is_at(&start, 0, b"Promise Technology, Inc.").then(|| Found::new(Kind::Promise, offset))
    })
}

/// Magic numbers of HighPoint, of a sound and of a broken set.
const HIGHPOINT: [u32; 2] = [0x5a78_16f0, 0x5a78_16fd];

fn highpoint_37x(region: &Region<'_>) -> Option<Found> {
    let word = region.bytes(9 * 512 + 32, 4)?;
    HIGHPOINT.contains(&le32(&word, 0)?).then(|| Found::new(Kind::Highpoint37x, 9 * 512))
}

fn highpoint_45x(region: &Region<'_>) -> Option<Found> {
    let (offset, sector) = last(region, 11)?;
    [0x5a78_16f3, 0x5a78_16fd].contains(&le32(&sector, 0)?).then(|| Found::new(Kind::Highpoint45x, offset))
}

fn silicon(region: &Region<'_>) -> Option<Found> {
    let (offset, sector) = last(region, 1)?;
    if le32(&sector, 0x60)? != 0x2f00_0000 || byte(&sector, 0x116)? >= 8 {
        return None;
    }
    let words = part(&sector, 0, 0x13e)?.chunks_exact(2).map(|word| le16(word, 0).unwrap_or(0));
    let sum = words.fold(0_u16, u16::wrapping_add).wrapping_neg();
    let mut found = Found::new(Kind::Silicon, offset);
    found.version = Some(format!("{}.{}", le16(&sector, 0x10a)?, le16(&sector, 0x108)?));
    found.checked = Checked::that(sum == le16(&sector, 0x13e)?, "the checksum of its metadata does not hold");
    Some(found)
}

fn lsi(region: &Region<'_>) -> Option<Found> {
    let (offset, sector) = last(region, 1)?;
    is_at(&sector, 0, b"$XIDE$").then(|| Found::new(Kind::Lsi, offset))
}

fn jmicron(region: &Region<'_>) -> Option<Found> {
    let (offset, sector) = last(region, 1)?;
    let words = part(&sector, 0, 128)?.chunks_exact(2).map(|word| le16(word, 0).unwrap_or(0));
    let sum = words.fold(0_u16, u16::wrapping_add);
    // Two characters of magic alone are chance.
    if !is_at(&sector, 0, b"JM") || sum > 1 {
        return None;
    }
    let mut found = Found::new(Kind::Jmicron, offset);
    found.version = Some(format!("{}.{}", byte(&sector, 3)?, byte(&sector, 2)?));
    found.checked = Checked::Right;
    Some(found)
}

fn nvidia(region: &Region<'_>) -> Option<Found> {
    let (offset, sector) = last(region, 2)?;
    if !is_at(&sector, 0, b"NVIDIA") {
        return None;
    }
    let mut found = Found::new(Kind::Nvidia, offset);
    found.version = Some(le16(&sector, 16)?.to_string());
    Some(found)
}

fn via(region: &Region<'_>) -> Option<Found> {
    let (offset, sector) = last(region, 1)?;
    let sum = part(&sector, 0, 50)?.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    // The magic number alone is that of every boot sector.
    if le16(&sector, 0)? != 0xaa55 || byte(&sector, 2)? > 2 || sum != byte(&sector, 50)? {
        return None;
    }
    let mut found = Found::new(Kind::Via, offset);
    found.version = Some(byte(&sector, 2)?.to_string());
    found.checked = Checked::Right;
    Some(found)
}
