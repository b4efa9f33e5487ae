//! Storage systems: ZFS (labels and uberblocks: util-linux, libblkid/src/superblocks/zfs.c, and `vdev_impl.h` of OpenZFS), Ceph BlueStore (Ceph,
//! src/os/bluestore/bluestore_types.cc and `bdev_label_positions` of BlueStore.cc), Storage Spaces (from what was found out of it, no specification is
//! published: the header "SPACEDB " at the start of the partition, its CRC-32 and GUIDs are big endian), VMFS (libblkid, vmfs.c), DRBD (libblkid, drbd.c),
//! Oracle ASM (libblkid, ocfs.c).
//!
//! A BlueStore label holds the key of its daemon after what is of interest: it is read entry by entry and only so far, so its CRC-32C is not verified.

use super::bytes::{be32, be64, byte, crc32, is_at, le32, le64, text, uuid, with};
use super::region::{Checked, Found, Region};
use crate::inventory::signature::SignatureKind as Kind;

/// Every one in a region.
pub(super) fn read(region: &Region<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for format in [zfs, bluestore, vmfs_volume, vmfs, drbd, oracle_asm] {
        found.extend(format(region));
    }
    found.extend(storage_spaces(region));
    found
}

const LABEL: u64 = 256 << 10;
/// Of a label: its list of names and values, of which the first part is read, and its ring of uberblocks, of which the same.
const NVLIST: (u64, u64) = (16 << 10, 4 << 10);
const UBERBLOCKS: (u64, u64) = (128 << 10, 8 << 10);
const UBERBLOCK: u64 = 0x00ba_b10c;

/// What one label of ZFS tells.
#[derive(Default)]
struct ZfsLabel {
    /// It has a list of names and values.
    listed: bool,
    uberblock: bool,
    version: Option<u64>,
    name: Option<String>,
    pool: Option<u64>,
    device: Option<u64>,
}

fn zfs(region: &Region<'_>) -> Option<Found> {
    let end = region.length / LABEL * LABEL;
    let places = [Some(0), Some(LABEL), end.checked_sub(2 * LABEL), end.checked_sub(LABEL)];
    if region.length < 4 * LABEL {
        return None;
    }
    let places: Vec<u64> = places.into_iter().flatten().collect();
    let labels: Vec<(u64, ZfsLabel)> = places.iter().map(|place| (*place, zfs_label(region, *place))).collect();
    let (offset, first) = labels.iter().find(|(_, l)| l.listed).or(labels.iter().find(|(_, l)| l.uberblock))?;
    let mut found = Found::new(Kind::Zfs, *offset);
    found.version = first.version.map(|version| version.to_string());
    found.label.clone_from(&first.name);
    found.uuid = first.device.map(|guid| guid.to_string());
    found.member_of = first.pool.map(|guid| guid.to_string());
    let listed = || labels.iter().map(|(_, label)| label).filter(|label| label.listed);
    let differs = listed().any(|label| (label.pool, label.device) != (first.pool, first.device));
    let count = listed().count();
    let unread = places.iter().find_map(|place| region.failure(*place, LABEL));
    found.checked = match unread {
        _ if differs => Checked::Wrong("its labels differ".to_owned()),
        Some(error) => Checked::Unread(error),
        None if count == 0 => Checked::Wrong("only uberblocks are left".to_owned()),
        None => Checked::that(count == 4, &format!("{count} of its 4 labels are there")),
    };
    Some(found)
}

fn zfs_label(region: &Region<'_>, place: u64) -> ZfsLabel {
    let mut label = ZfsLabel::default();
    // XDR, then version 0 and flag "unique names".
    if let Some(list) = region.bytes(place + NVLIST.0, NVLIST.1)
        && byte(&list, 0) == Some(1)
        && matches!(byte(&list, 1), Some(0 | 1))
        && (be32(&list, 4), be32(&list, 8)) == (Some(0), Some(1))
    {
        label.listed = true;
        let _ = zfs_list(&list, &mut label);
    }
    if let Some(ring) = region.bytes(place + UBERBLOCKS.0, UBERBLOCKS.1) {
        let magic = |block: &[u8]| {
            let value = le64(block, 0);
            value == Some(UBERBLOCK) || value == Some(UBERBLOCK.swap_bytes())
        };
        label.uberblock = ring.chunks_exact(1024).any(magic);
    }
    label
}

/// Pairs: size, size in memory, length of the name, the name padded to 4 bytes, type, number of elements, value.
fn zfs_list(list: &[u8], label: &mut ZfsLabel) -> Option<()> {
    const UINT64: u32 = 8;
    const STRING: u32 = 9;
    let mut at = 12;
    loop {
        let size = be32(list, at)? as usize;
        let length = be32(list, at.checked_add(8)?)? as usize;
        if size < 20 {
            return None;
        }
        let name = text(list, at + 12, length);
        let value = at.checked_add(12)?.checked_add(length.checked_next_multiple_of(4)?)?;
        let kind = be32(list, value)?;
        match (name.as_deref(), kind) {
            (Some("name"), STRING) => label.name = text(list, value + 12, be32(list, value + 8)? as usize),
            (Some("version"), UINT64) => label.version = be64(list, value + 8),
            (Some("pool_guid"), UINT64) => label.pool = be64(list, value + 8),
            (Some("guid"), UINT64) => label.device = be64(list, value + 8),
            _ => {}
        }
        at = at.checked_add(size)?;
    }
}

/// The label's places on a main device: the first, and its copies since Ceph 19.
const BLUESTORE: [u64; 5] = [0, 1 << 30, 10 << 30, 100 << 30, 1000 << 30];

fn bluestore(region: &Region<'_>) -> Option<Found> {
    for offset in BLUESTORE {
        let Some(start) = region.unsealed(offset, 60) else { continue };
        if !is_at(&start, 0, b"bluestore block device\n") {
            continue;
        }
        let mut found = Found::new(Kind::BlueStore, offset);
        found.uuid = text(&start, 23, 36);
        let _ = bluestore_entries(region, offset, &mut found);
        if offset != 0 {
            found.checked = Checked::Wrong("the first label is gone".to_owned());
        }
        return Some(found);
    }
    None
}

/// After the text: version, its oldest reader, length; UUID, size, time of birth; description; number of entries, and they in the order of their names.
fn bluestore_entries(region: &Region<'_>, offset: u64, found: &mut Found) -> Option<()> {
    let read = |at: &mut u64, length: u64| {
        let bytes = if *at + length <= 4096 { region.unsealed(offset + *at, length) } else { None };
        *at += length;
        bytes
    };
    let string = |at: &mut u64| {
        let length = u64::from(le32(&read(at, 4)?, 0)?);
        if length == 0 { Some(String::new()) } else { text(&read(at, length.min(4096))?, 0, length as usize) }
    };
    let mut at = 60;
    let version = byte(&read(&mut at, 6)?, 0)?;
    found.version = Some(version.to_string());
    at += 16 + 8 + 8;
    found.label = string(&mut at).filter(|description| !description.is_empty());
    if version < 2 {
        return None;
    }
    let count = le32(&read(&mut at, 4)?, 0)?;
    for _ in 0..count.min(16) {
        let name = string(&mut at)?;
        // The key stands behind "osd_key"; nothing after "magic" is of interest.
        if name.as_str() > "magic" {
            return None;
        }
        let value = string(&mut at);
        if name == "ceph_fsid" {
            found.member_of = value;
            return Some(());
        }
    }
    None
}

/// Where partitions of Storage Spaces begin on disks that Windows initialised: after the reserved one of 16 MiB or 128 MiB and the rest of the first MiB.
const SPACES: [u64; 4] = [0, 16 << 20, 17 << 20, 129 << 20];

fn storage_spaces(region: &Region<'_>) -> Vec<Found> {
    let places = if region.whole { SPACES.as_slice() } else { &[0] };
    places.iter().filter_map(|offset| spaces_at(region, *offset)).collect()
}

fn spaces_at(region: &Region<'_>, offset: u64) -> Option<Found> {
    let header = region.bytes(offset, 512)?;
    if !is_at(&header, 0, b"SPACEDB ") {
        return None;
    }
    let mut found = Found::new(Kind::StorageSpaces, offset);
    found.version = super::bytes::be16(&header, 8).map(|version| version.to_string());
    found.member_of = uuid(&header, 0x20);
    found.uuid = uuid(&header, 0x30);
    // That the sum covers 512 bytes was observed, not specified: one that does not hold proves nothing.
    if Some(crc32(&with(&header, 12, 4, 0))) == be32(&header, 12) {
        found.checked = Checked::Right;
    }
    Some(found)
}

/// A UUID of VMware: two words, a half word and six bytes.
fn vmware_uuid(bytes: &[u8], at: usize) -> Option<String> {
    let guid = super::bytes::guid(bytes, at)?;
    let (a, b) = (le32(bytes, at)?, le32(bytes, at + 4)?);
    let c = super::bytes::le16(bytes, at + 8)?;
    let rest = guid.replace('-', "").chars().skip(20).collect::<String>();
    Some(format!("{a:08x}-{b:08x}-{c:04x}-{rest}"))
}

fn vmfs_volume(region: &Region<'_>) -> Option<Found> {
    let header = region.bytes(1 << 20, 512)?;
    if le32(&header, 0)? != 0xc001_d00d {
        return None;
    }
    let mut found = Found::new(Kind::VmfsVolume, 1 << 20);
    found.version = Some(le32(&header, 4)?.to_string());
    found.uuid = vmware_uuid(&header, 130);
    if let Some(lvm) = region.bytes((1 << 20) + 512, 64) {
        found.member_of = text(&lvm, 20, 35);
    }
    Some(found)
}

fn vmfs(region: &Region<'_>) -> Option<Found> {
    let header = region.bytes(2 << 20, 512)?;
    if le32(&header, 0)? != 0x2fab_f15e {
        return None;
    }
    let mut found = Found::new(Kind::Vmfs, 2 << 20);
    found.version = Some(byte(&header, 8)?.to_string());
    found.uuid = vmware_uuid(&header, 9);
    found.label = text(&header, 29, 128);
    Some(found)
}

/// `DRBD_MAGIC`, to which the formats of metadata add 4 (8), 5 (8.4, not closed) and 6 (9).
const DRBD: u32 = 0x8374_0267;

fn drbd(region: &Region<'_>) -> Option<Found> {
    // Internal metadata lie in the last block of 4096 bytes.
    let offset = (region.length / 4096 * 4096).checked_sub(4096)?;
    let places = [offset, region.length.checked_sub(4096)?];
    for offset in places {
        let Some(block) = region.bytes(offset, 64) else { continue };
        let (version, device) = match be32(&block, 60)?.checked_sub(DRBD) {
            Some(4 | 5) => ("8", be64(&block, 40)?),
            Some(6) => ("9", be64(&block, 48)?),
            _ => continue,
        };
        let mut found = Found::new(Kind::Drbd, offset);
        found.version = Some(version.to_owned());
        found.uuid = (device != 0).then(|| format!("{device:016x}"));
        return Some(found);
    }
    None
}

fn oracle_asm(region: &Region<'_>) -> Option<Found> {
    let block = region.bytes(0, 64)?;
    if !is_at(&block, 32, b"ORCLDISK") {
        return None;
    }
    let mut found = Found::new(Kind::OracleAsm, 0);
    found.label = text(&block, 40, 24);
    Some(found)
}
