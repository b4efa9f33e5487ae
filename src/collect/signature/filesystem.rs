//! File systems. Places, magic numbers and checksums: util-linux, libblkid/src/superblocks (ext.c, xfs.c, btrfs.c, f2fs.c, ntfs.c, vfat.c, exfat.c, refs.c,
//! iso9660.c, udf.c, squashfs.c, erofs.c, jfs.c, reiserfs.c, nilfs.c, apfs.c, hfs.c, ocfs.c, gfs.c, bcache.c), and the headers of the kernel that they follow.

use super::bytes::{
    be16, be32, byte, crc32_raw, crc32c, crc32c_raw, is_at, le16, le32, le64, part, text, text16, uuid, with,
};
use super::region::{Checked, Found, Region};
use crate::inventory::signature::SignatureKind as Kind;

/// Every file system in a region.
pub(super) fn read(region: &Region<'_>) -> Vec<Found> {
    const FORMATS: &[fn(&Region<'_>) -> Option<Found>] = &[
        ext, xfs, btrfs, f2fs, ntfs, fat, exfat, refs, iso9660, udf, squashfs, erofs, jfs, reiserfs, nilfs2, apfs,
        hfs_plus, ocfs2, gfs2, bcachefs,
    ];
    FORMATS.iter().filter_map(|format| format(region)).collect()
}

/// Whether a boot sector of one of these file systems stands at the start: its last two bytes are those of a partition table.
pub(super) fn has_boot_sector(found: &[Found]) -> bool {
    found.iter().any(|found| {
        found.offset == 0
            && matches!(
                found.kind,
                Kind::Ntfs | Kind::Fat12 | Kind::Fat16 | Kind::Fat32 | Kind::Exfat | Kind::BitLocker
            )
    })
}

/// `s_feature_compat`: a journal.
const EXT_JOURNAL: u32 = 0x4;
/// `s_feature_incompat`: it is the journal of another.
const EXT_JOURNAL_DEVICE: u32 = 0x8;
/// `s_feature_ro_compat`: checksums of metadata.
const EXT_METADATA_CSUM: u32 = 0x400;
/// Features that ext2 and ext3 know: `s_feature_incompat` (file type, recovery, meta block groups), `s_feature_ro_compat` (sparse super, large file, B-tree).
const EXT3_FEATURES: (u32, u32) = (0x2 | 0x4 | 0x10, 0x1 | 0x2 | 0x4);
/// Where the copies of block group 1 lie, for blocks of 4096 and of 1024 bytes.
const EXT_COPIES: [u64; 2] = [32768 * 4096, 8193 * 1024];

fn ext(region: &Region<'_>) -> Option<Found> {
    if let Some(found) = ext_at(region, 1024) {
        return Some(found);
    }
    EXT_COPIES.iter().find_map(|offset| {
        let mut found = ext_at(region, *offset)?;
        found.kind = Kind::ExtBackup;
        found.checked = Checked::Wrong("the first super block is gone".to_owned());
        Some(found)
    })
}

fn ext_at(region: &Region<'_>, offset: u64) -> Option<Found> {
    let sb = region.bytes(offset, 1024)?;
    // The number of blocks and the size of them keep two bytes of chance out.
    if !is_at(&sb, 0x38, &[0x53, 0xef]) || le32(&sb, 4)? == 0 || le32(&sb, 24)? > 6 {
        return None;
    }
    let (compat, incompat, read_only) = (le32(&sb, 92)?, le32(&sb, 96)?, le32(&sb, 100)?);
    let kind = if incompat & EXT_JOURNAL_DEVICE != 0 {
        Kind::ExtJournal
    } else if incompat & !EXT3_FEATURES.0 != 0 || read_only & !EXT3_FEATURES.1 != 0 {
        Kind::Ext4
    } else if compat & EXT_JOURNAL != 0 {
        Kind::Ext3
    } else {
        Kind::Ext2
    };
    let mut found = Found::new(kind, offset);
    found.uuid = uuid(&sb, 104);
    found.label = text(&sb, 120, 16);
    found.version = Some(format!("{}.{}", le32(&sb, 76)?, le16(&sb, 62)?));
    if read_only & EXT_METADATA_CSUM != 0 {
        let right = crc32c_raw(u32::MAX, part(&sb, 0, 0x3fc)?) == le32(&sb, 0x3fc)?;
        found.checked = Checked::that(right, "the checksum of its super block does not hold");
    }
    Some(found)
}

fn xfs(region: &Region<'_>) -> Option<Found> {
    let sector = region.bytes(0, 512)?;
    if !is_at(&sector, 0, b"XFSB") {
        // The first sector is easily overwritten; the free space header of the first group lies in the next.
        for size in [512, 4096] {
            let group = region.bytes(size, 12)?;
            if is_at(&group, 0, b"XAGF\0\0\0\x01\0\0\0\0") {
                let mut found = Found::new(Kind::XfsRemains, size);
                found.checked = Checked::Wrong("the super block is gone".to_owned());
                return Some(found);
            }
        }
        return None;
    }
    let mut found = Found::new(Kind::Xfs, 0);
    found.uuid = uuid(&sector, 32);
    found.label = text(&sector, 108, 12);
    let version = be16(&sector, 100)? & 0xf;
    found.version = Some(version.to_string());
    if version == 5 {
        let size = u64::from(be16(&sector, 102)?);
        let whole = if (512..=32768).contains(&size) { region.bytes(0, size) } else { None };
        let right = whole.is_some_and(|sb| Some(crc32c(&with(&sb, 224, 4, 0))) == le32(&sb, 224));
        found.checked = Checked::that(right, "the CRC-32C of its super block does not hold");
    }
    Some(found)
}

/// Super blocks of Btrfs: the first, and its copies.
const BTRFS: [u64; 3] = [64 << 10, 64 << 20, 256 << 30];

fn btrfs(region: &Region<'_>) -> Option<Found> {
    for (index, offset) in BTRFS.iter().enumerate() {
        let Some(sb) = region.bytes(*offset, 4096) else { continue };
        if !is_at(&sb, 0x40, b"_BHRfS_M") {
            continue;
        }
        let mut found = Found::new(if index == 0 { Kind::Btrfs } else { Kind::BtrfsBackup }, *offset);
        found.uuid = uuid(&sb, 267);
        found.member_of = uuid(&sb, 32);
        found.label = text(&sb, 299, 256);
        found.checked = match (index, le16(&sb, 196)?) {
            (0, 0) => {
                let right = crc32c(part(&sb, 32, 4064)?) == le32(&sb, 0)?;
                Checked::that(right, "the CRC-32C of its super block does not hold")
            }
            (0, _) => Checked::No,
            _ => Checked::Wrong("the first super block is gone".to_owned()),
        };
        return Some(found);
    }
    None
}

fn f2fs(region: &Region<'_>) -> Option<Found> {
    const MAGIC: u32 = 0xf2f5_2010;
    for (offset, copy) in [(1024, false), (1024 + 4096, true)] {
        let Some(sb) = region.bytes(offset, 3072) else { continue };
        if le32(&sb, 0)? != MAGIC {
            continue;
        }
        let mut found = Found::new(Kind::F2fs, offset);
        found.uuid = uuid(&sb, 0x6c);
        found.label = text16(&sb, 0x7c, 1024);
        found.version = Some(format!("{}.{}", le16(&sb, 4)?, le16(&sb, 6)?));
        let at = le32(&sb, 0x20)? as usize;
        if at != 0 {
            let right = part(&sb, 0, at).is_some_and(|sb_to| Some(crc32_raw(MAGIC, sb_to)) == le32(&sb, at));
            found.checked = Checked::that(right, "the CRC32 of its super block does not hold");
        }
        if copy {
            found.checked = Checked::Wrong("the first super block is gone".to_owned());
        }
        return Some(found);
    }
    None
}

fn ntfs(region: &Region<'_>) -> Option<Found> {
    let last = (region.length / region.block).checked_sub(1)?.checked_mul(region.block)?;
    for offset in [0, last] {
        let Some(sector) = region.bytes(offset, 512) else { continue };
        if !is_at(&sector, 3, b"NTFS    ") {
            continue;
        }
        let mut found = Found::new(Kind::Ntfs, offset);
        found.uuid = le64(&sector, 72).filter(|serial| *serial != 0).map(|serial| format!("{serial:016X}"));
        if offset != 0 {
            found.checked = Checked::Wrong("the first boot sector is gone".to_owned());
        }
        return Some(found);
    }
    None
}

fn fat(region: &Region<'_>) -> Option<Found> {
    let sector = region.bytes(0, 512)?;
    let names = [
        (0x52, "MSWIN"),
        (0x52, "FAT32   "),
        (0x36, "MSDOS"),
        (0x36, "FAT16   "),
        (0x36, "FAT12   "),
        (0x36, "FAT     "),
    ];
    let named = names.iter().any(|(at, name)| is_at(&sector, *at, name.as_bytes()));
    let booting = is_at(&sector, 510, &[0x55, 0xaa]) && matches!(byte(&sector, 0)?, 0xeb | 0xe9);
    let others = is_at(&sector, 0x36, b"JFS     ") || is_at(&sector, 0x36, b"HPFS    ");
    if !named && (!booting || others) || is_at(&sector, 3, b"-FVE-FS-") {
        return None;
    }
    let (size, cluster, fats) = (le16(&sector, 0x0b)?, byte(&sector, 0x0d)?, byte(&sector, 0x10)?);
    let (reserved, media) = (le16(&sector, 0x0e)?, byte(&sector, 0x15)?);
    let sound = fats != 0
        && reserved != 0
        && (media >= 0xf8 || media == 0xf0)
        && cluster.is_power_of_two()
        && size.is_power_of_two()
        && (512..=4096).contains(&size);
    if !sound {
        return None;
    }
    let small = u64::from(le16(&sector, 0x16)?);
    let per_fat = if small == 0 { u64::from(le32(&sector, 0x24)?) } else { small };
    let sectors = match le16(&sector, 0x13)? {
        0 => u64::from(le32(&sector, 0x20)?),
        sectors => u64::from(sectors),
    };
    let root = (u64::from(le16(&sector, 0x11)?) * 32).div_ceil(u64::from(size));
    let before = u64::from(reserved) + per_fat * u64::from(fats) + root;
    let clusters = sectors.checked_sub(before)? / u64::from(cluster);
    let (kind, serial, label) = if small == 0 {
        (Kind::Fat32, 0x43, 0x47)
    } else if clusters < 0xff5 {
        (Kind::Fat12, 0x27, 0x2b)
    } else {
        (Kind::Fat16, 0x27, 0x2b)
    };
    let mut found = Found::new(kind, 0);
    found.uuid = serial_number(le32(&sector, serial)?);
    found.label = text(&sector, label, 11).filter(|label| label != "NO NAME");
    Some(found)
}

/// A serial number of FAT and exFAT as it is written.
fn serial_number(serial: u32) -> Option<String> {
    if serial == 0 { None } else { Some(format!("{:04X}-{:04X}", serial >> 16, serial & 0xffff)) }
}

fn exfat(region: &Region<'_>) -> Option<Found> {
    for copy in [0_u64, 12] {
        let sizes: &[u64] = if copy == 0 { &[512] } else { &[512, 4096] };
        for size in sizes {
            let offset = copy * size;
            let Some(sector) = region.bytes(offset, 512) else { continue };
            if !is_at(&sector, 3, b"EXFAT   ") {
                continue;
            }
            let mut found = Found::new(Kind::Exfat, offset);
            found.uuid = serial_number(le32(&sector, 100)?);
            found.version = Some(format!("{}.{}", byte(&sector, 105)?, byte(&sector, 104)?));
            let shift = u32::from(byte(&sector, 108)?);
            let sector_bytes = if (9..=12).contains(&shift) { 1_u64 << shift } else { 512 };
            let right = region
                .bytes(offset, sector_bytes * 12)
                .is_some_and(|boot| exfat_sum_holds(&boot, sector_bytes as usize));
            found.checked = Checked::that(right, "the checksum of its boot region does not hold");
            if copy != 0 {
                found.checked = Checked::Wrong("the first boot region is gone".to_owned());
            }
            return Some(found);
        }
    }
    None
}

/// The sum over eleven sectors, without flags and percent in use, fills the twelfth.
fn exfat_sum_holds(boot: &[u8], sector: usize) -> bool {
    let Some(summed) = part(boot, 0, sector * 11) else { return false };
    let sum = summed.iter().enumerate().filter(|(index, _)| !matches!(index, 106 | 107 | 112));
    let sum = sum.fold(0_u32, |sum, (_, byte)| sum.rotate_right(1).wrapping_add(u32::from(*byte)));
    part(boot, sector * 11, sector).is_some_and(|sums| sums.chunks_exact(4).all(|word| le32(word, 0) == Some(sum)))
}

fn refs(region: &Region<'_>) -> Option<Found> {
    let sector = region.bytes(0, 512)?;
    if !is_at(&sector, 0, b"\0\0\0ReFS\0") {
        return None;
    }
    Some(Found::new(Kind::Refs, 0))
}

fn iso9660(region: &Region<'_>) -> Option<Found> {
    let descriptor = region.bytes(32 << 10, 2048)?;
    if !is_at(&descriptor, 1, b"CD001") {
        return None;
    }
    let mut found = Found::new(Kind::Iso9660, 32 << 10);
    found.label = text(&descriptor, 40, 32);
    Some(found)
}

fn udf(region: &Region<'_>) -> Option<Found> {
    // The volume recognition sequence: structures of 2048 bytes.
    let names = (16..32_u64).filter_map(|index| region.bytes(index * 2048, 7).map(|structure| (index, structure)));
    let (index, _) = names.into_iter().find(|(_, structure)| is_at(structure, 1, b"NSR0"))?;
    Some(Found::new(Kind::Udf, index * 2048))
}

fn squashfs(region: &Region<'_>) -> Option<Found> {
    let sb = region.bytes(0, 96)?;
    let (major, minor) = if is_at(&sb, 0, b"hsqs") {
        (le16(&sb, 28)?, le16(&sb, 30)?)
    } else if is_at(&sb, 0, b"sqsh") {
        (be16(&sb, 28)?, be16(&sb, 30)?)
    } else {
        return None;
    };
    let mut found = Found::new(Kind::Squashfs, 0);
    found.version = Some(format!("{major}.{minor}"));
    Some(found)
}

fn erofs(region: &Region<'_>) -> Option<Found> {
    let sb = region.bytes(1024, 128)?;
    if le32(&sb, 0)? != 0xe0f5_e1e2 {
        return None;
    }
    let mut found = Found::new(Kind::Erofs, 1024);
    found.uuid = uuid(&sb, 48);
    found.label = text(&sb, 64, 16);
    Some(found)
}

fn jfs(region: &Region<'_>) -> Option<Found> {
    let sb = region.bytes(32 << 10, 184)?;
    if !is_at(&sb, 0, b"JFS1") {
        return None;
    }
    let mut found = Found::new(Kind::Jfs, 32 << 10);
    found.version = Some(le32(&sb, 4)?.to_string());
    found.uuid = uuid(&sb, 136);
    found.label = text(&sb, 152, 16);
    Some(found)
}

fn reiserfs(region: &Region<'_>) -> Option<Found> {
    for offset in [64 << 10, 8 << 10] {
        let Some(sb) = region.bytes(offset, 128) else { continue };
        if is_at(&sb, 0, b"ReIsEr4") {
            return Some(Found::new(Kind::Reiser4, offset));
        }
        if is_at(&sb, 52, b"ReIsErFs") || is_at(&sb, 52, b"ReIsEr2Fs") || is_at(&sb, 52, b"ReIsEr3Fs") {
            let mut found = Found::new(Kind::Reiserfs, offset);
            found.uuid = uuid(&sb, 84);
            found.label = text(&sb, 100, 16);
            return Some(found);
        }
    }
    None
}

fn nilfs2(region: &Region<'_>) -> Option<Found> {
    let sb = region.bytes(1024, 1024)?;
    let size = usize::from(le16(&sb, 8)?);
    if le16(&sb, 6)? != 0x3434 || !(64..=1024).contains(&size) {
        return None;
    }
    let right = crc32_raw(le32(&sb, 12)?, part(&with(&sb, 16, 4, 0), 0, size)?) == le32(&sb, 16)?;
    if !right {
        // Two bytes of magic alone are chance.
        return None;
    }
    let mut found = Found::new(Kind::Nilfs2, 1024);
    found.version = Some(le32(&sb, 0)?.to_string());
    found.checked = Checked::Right;
    Some(found)
}

fn apfs(region: &Region<'_>) -> Option<Found> {
    let sb = region.bytes(0, 96)?;
    if !is_at(&sb, 32, b"NXSB") {
        return None;
    }
    let mut found = Found::new(Kind::Apfs, 0);
    found.uuid = uuid(&sb, 72);
    Some(found)
}

fn hfs_plus(region: &Region<'_>) -> Option<Found> {
    let sb = region.bytes(1024, 16)?;
    let version = be16(&sb, 2)?;
    if (is_at(&sb, 0, b"H+") && version == 4) || (is_at(&sb, 0, b"HX") && version == 5) {
        let mut found = Found::new(Kind::HfsPlus, 1024);
        found.version = Some(version.to_string());
        return Some(found);
    }
    None
}

fn ocfs2(region: &Region<'_>) -> Option<Found> {
    for kib in [1, 2, 4, 8] {
        let Some(sb) = region.bytes(kib << 10, 512) else { continue };
        if is_at(&sb, 0, b"OCFSV2") {
            let mut found = Found::new(Kind::Ocfs2, kib << 10);
            found.version = Some(format!("{}.{}", le16(&sb, 192)?, le16(&sb, 194)?));
            found.label = text(&sb, 272, 64);
            found.uuid = uuid(&sb, 336);
            return Some(found);
        }
    }
    None
}

fn gfs2(region: &Region<'_>) -> Option<Found> {
    let sb = region.bytes(64 << 10, 272)?;
    if be32(&sb, 0)? != 0x0116_1970 {
        return None;
    }
    let mut found = Found::new(Kind::Gfs2, 64 << 10);
    found.version = Some(be32(&sb, 24)?.to_string());
    found.label = text(&sb, 160, 64);
    found.uuid = uuid(&sb, 256);
    Some(found)
}

fn bcachefs(region: &Region<'_>) -> Option<Found> {
    const MAGIC: &[u8] = b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef";
    let sb = region.bytes(4096, 128)?;
    if !is_at(&sb, 24, MAGIC) {
        return None;
    }
    let mut found = Found::new(Kind::Bcachefs, 4096);
    found.version = Some(le16(&sb, 16)?.to_string());
    found.uuid = uuid(&sb, 56);
    found.label = text(&sb, 72, 32);
    Some(found)
}
