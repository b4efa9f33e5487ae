//! Encryption, swap space and what else marks a device: LUKS 1 (On-Disk Format Specification 1.2.3) and 2 (LUKS2 On-Disk Format 1.1.1), BitLocker,
//! dm-integrity (kernel, drivers/md/dm-integrity.c), dm-verity, swap space and images of suspended systems (util-linux, libblkid/src/superblocks/swap.c).

use super::bytes::{be16, be64, byte, is_at, le32, part, text, uuid, with};
use super::region::{Checked, Found, Region};
use crate::inventory::signature::SignatureKind as Kind;
use sha2::{Digest, Sha256};

/// Every one in a region.
pub(super) fn read(region: &Region<'_>) -> Vec<Found> {
    const FORMATS: &[fn(&Region<'_>) -> Option<Found>] = &[luks, bitlocker, integrity, verity, swap, tux_on_ice];
    FORMATS.iter().filter_map(|format| format(region)).collect()
}

/// Where the second header of LUKS2 may lie, by the size of the first.
const SECOND: [u64; 9] = [16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20, 2 << 20, 4 << 20];

fn luks(region: &Region<'_>) -> Option<Found> {
    let first = region.bytes(0, 592)?;
    if is_at(&first, 0, b"LUKS\xba\xbe") {
        let version = be16(&first, 6)?;
        let mut found = Found::new(Kind::Luks, 0);
        found.version = Some(version.to_string());
        found.uuid = text(&first, 168, 40);
        if version == 2 {
            found.label = text(&first, 24, 48);
            found.checked = luks2_copies(region, &first);
        }
        return Some(found);
    }
    SECOND.iter().find_map(|offset| {
        let header = region.bytes(*offset, 512)?;
        if !is_at(&header, 0, b"SKUL\xba\xbe") || be64(&header, 256)? != *offset {
            return None;
        }
        let mut found = Found::new(Kind::LuksBackup, *offset);
        found.version = Some(be16(&header, 6)?.to_string());
        found.uuid = text(&header, 168, 40);
        found.label = text(&header, 24, 48);
        found.checked = Checked::Wrong("the first header is gone".to_owned());
        Some(found)
    })
}

/// Both headers of LUKS2, where they are of the usual size: larger ones lie between keys.
fn luks2_copies(region: &Region<'_>, first: &[u8]) -> Checked {
    const USUAL: u64 = 16 << 10;
    if be64(first, 8) != Some(USUAL) {
        return Checked::No;
    }
    let Some(first) = region.bytes(0, USUAL) else { return unread(region, 0, USUAL) };
    let Some(second) = region.bytes(USUAL, USUAL) else { return unread(region, USUAL, USUAL) };
    if !is_at(&second, 0, b"SKUL\xba\xbe") {
        return Checked::Wrong("the second header is gone".to_owned());
    }
    match (luks2_sum_holds(&first), luks2_sum_holds(&second)) {
        (Some(true), Some(true)) => Checked::Right,
        (None, _) | (_, None) => Checked::No,
        (Some(false), _) => Checked::Wrong("the checksum of the first header does not hold".to_owned()),
        (_, Some(false)) => Checked::Wrong("the checksum of the second header does not hold".to_owned()),
    }
}

fn unread(region: &Region<'_>, offset: u64, length: u64) -> Checked {
    match region.failure(offset, length) {
        Some(error) => Checked::Unread(error),
        None => Checked::Wrong("the device ends within its headers".to_owned()),
    }
}

/// Whether the checksum of a header, with its own field zero, holds; `None` for an algorithm that is not known here.
fn luks2_sum_holds(header: &[u8]) -> Option<bool> {
    if text(header, 72, 32)? != "sha256" {
        return None;
    }
    let sum = Sha256::digest(with(header, 448, 64, 0));
    Some(part(header, 448, 32) == Some(sum.as_slice()))
}

fn bitlocker(region: &Region<'_>) -> Option<Found> {
    let sector = region.bytes(0, 512)?;
    is_at(&sector, 3, b"-FVE-FS-").then(|| Found::new(Kind::BitLocker, 0))
}

fn integrity(region: &Region<'_>) -> Option<Found> {
    let sb = region.bytes(0, 64)?;
    if !is_at(&sb, 0, b"integrt\0") {
        return None;
    }
    let mut found = Found::new(Kind::DmIntegrity, 0);
    found.version = Some(byte(&sb, 8)?.to_string());
    Some(found)
}

fn verity(region: &Region<'_>) -> Option<Found> {
    let sb = region.bytes(0, 64)?;
    if !is_at(&sb, 0, b"verity\0\0") {
        return None;
    }
    let mut found = Found::new(Kind::DmVerity, 0);
    found.version = Some(le32(&sb, 8)?.to_string());
    found.uuid = uuid(&sb, 16);
    Some(found)
}

/// Ends of the first page, whose size is that of the machine that made it.
const PAGES: [u64; 5] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10];

fn swap(region: &Region<'_>) -> Option<Found> {
    for page in PAGES {
        let Some(magic) = region.bytes(page - 10, 10) else { continue };
        let (kind, version) = match magic.as_slice() {
            b"SWAPSPACE2" => (Kind::Swap, "1"),
            b"SWAP-SPACE" => (Kind::Swap, "0"),
            b"LINHIB0001" => (Kind::Suspend, "linhib0001"),
            other if other.starts_with(b"S1SUSPEND") => (Kind::Suspend, "s1suspend"),
            other if other.starts_with(b"S2SUSPEND") => (Kind::Suspend, "s2suspend"),
            other if other.starts_with(b"ULSUSPEND") => (Kind::Suspend, "ulsuspend"),
            _ => continue,
        };
        let mut found = Found::new(kind, page - 10);
        found.version = Some(version.to_owned());
        if version != "0"
            && let Some(header) = region.bytes(1024, 64)
        {
            found.uuid = uuid(&header, 12);
            found.label = text(&header, 28, 16);
        }
        return Some(found);
    }
    None
}

fn tux_on_ice(region: &Region<'_>) -> Option<Found> {
    let mut found = Found::new(Kind::Suspend, 0);
    found.version = Some("tuxonice".to_owned());
    is_at(&region.bytes(0, 8)?, 0, b"\xed\xc3\x02\xe9\x98\x56\xe5\x0c").then_some(found)
}
