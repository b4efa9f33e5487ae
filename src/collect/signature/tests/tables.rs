//! Partition tables, and what lies on partitions.

use super::*;

const LVM: [u8; 16] = [0x79, 0xd3, 0xd6, 0xe6, 0x07, 0xf5, 0xc2, 0x44, 0xa2, 0x3c, 0x23, 0x8f, 0x2a, 0x3d, 0xf9, 0x28];
const VSAN: [u8; 16] = [0xcc, 0xfc, 0x1c, 0x38, 0x88, 0x72, 0xe0, 0x11, 0x92, 0xee, 0x00, 0x0c, 0x29, 0x11, 0xd0, 0xb2];

/// GPT as UEFI 2.10 lays it out, with partitions of (type, first MiB, MiB).
fn gpt(length: u64, block_size: u64, parts: &[([u8; 16], u64, u64)]) -> Image {
    let last = length / block_size - 1;
    let mut entries = vec![0; 128 * 128];
    for (index, (kind, first, size)) in parts.iter().enumerate() {
        let at = index * 128;
        put(&mut entries, at, kind);
        put(&mut entries, at + 16, [index as u8 + 1; 16]);
        put(&mut entries, at + 32, (first * MIB / block_size).to_le_bytes());
        put(&mut entries, at + 40, ((first + size) * MIB / block_size - 1).to_le_bytes());
        put(&mut entries, at + 56, b"p\0a\0");
    }
    let header = |mine: u64, other: u64, table: u64| {
        let mut header = vec![0; 92];
        put(&mut header, 0, b"EFI PART\0\0\x01\0");
        put(&mut header, 12, 92_u32.to_le_bytes());
        put(&mut header, 24, mine.to_le_bytes());
        put(&mut header, 32, other.to_le_bytes());
        put(&mut header, 40, (2 + 16384 / block_size).to_le_bytes());
        put(&mut header, 48, (last - 1 - 16384 / block_size).to_le_bytes());
        put(&mut header, 56, ID);
        put(&mut header, 72, table.to_le_bytes());
        put(&mut header, 80, 128_u32.to_le_bytes());
        put(&mut header, 84, 128_u32.to_le_bytes());
        put(&mut header, 88, bytes::crc32(&entries).to_le_bytes());
        crc_put(header, 16, bytes::crc32)
    };
    let backup_table = last - 16384 / block_size;
    Image::new(length)
        .blocks_of(block_size)
        .with(446, [0, 0, 2, 0, 0xee, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])
        .with(510, [0x55, 0xaa])
        .with(block_size, header(1, last, 2))
        .with(2 * block_size, &entries)
        .with(backup_table * block_size, &entries)
        .with(last * block_size, header(last, 1, backup_table))
}

fn of(image: &Image, kind: &str) -> Found {
    let found = image.found();
    found.iter().find(|found| found.kind.word() == kind).unwrap_or_else(|| panic!("{kind} is not in {found:?}")).clone()
}

const DISK: &str = "04030201-0605-0807-090a-0b0c0d0e0f10";

#[test]
fn gpt_of_both_block_sizes_with_a_ragged_end() {
    for (block_size, length) in [(512, 100 * MIB), (4096, 100 * MIB), (512, 100 * MIB + 100), (4096, 100 * MIB + 512)] {
        let image = gpt(length, block_size, &[(LVM, 1, 10), (VSAN, 20, 30)]);
        assert_eq!(image.words(), ["protective-mbr", "gpt", "vmware-vsan", "gpt-backup"], "{block_size} {length}");
        assert_eq!(told(&of(&image, "gpt")), ("gpt", block_size, None, Some(DISK), None, Some("1.0")));
        for kind in ["protective-mbr", "gpt", "gpt-backup"] {
            assert_eq!(of(&image, kind).checked, Checked::Right, "{kind}");
        }
        let parts = image.look().0.parts;
        assert_eq!(parts.len(), 2);
        assert_eq!((parts[1].number, parts[1].start, parts[1].bytes), (2, 20 * MIB, 30 * MIB));
        assert_eq!((parts[0].type_name, parts[1].type_name), (Some("linux-lvm"), Some("vmware-vsan")));
        assert_eq!(parts[0].type_id, "e6d6d379-f507-44c2-a23c-238f2a3df928");
        assert_eq!(
            (parts[0].label.as_deref(), parts[0].uuid.as_deref()),
            (Some("pa"), Some("01010101-0101-0101-0101-010101010101"))
        );
    }
}

#[test]
fn gpt_damaged_in_every_way() {
    let length = 100 * MIB;
    let sound = gpt(length, 512, &[(LVM, 1, 10)]);
    let header = sound.clone().with(512 + 60, [0x77]);
    assert_eq!(wrong(&of(&header, "gpt")), "the CRC32 of its header does not hold; it differs from the backup");
    assert_eq!(wrong(&of(&header, "gpt-backup")), "it differs from the primary");
    let entries = sound.clone().with(1024 + 40, [0x77]);
    assert_eq!(wrong(&of(&entries, "gpt")), "the CRC32 of its entries does not hold");
    assert_eq!(of(&entries, "gpt-backup").checked, Checked::Right);
    // The partitions are then the backup's.
    assert_eq!(entries.look().0.parts[0].bytes, 10 * MIB);
    let end = sound.clone().with(length - 512, [0; 512]);
    assert_eq!(wrong(&of(&end, "gpt")), "there is no backup at the device's end");
    let start = sound.clone().with(0, [0; 1024]);
    assert_eq!((start.words(), wrong(&of(&start, "gpt-backup"))), (vec!["gpt-backup"], "there is no primary"));
    assert_eq!(start.look().0.parts.len(), 1);
    let none = sound.clone().with(512, [0; 512]).with(length - 512, [0; 512]);
    assert_eq!(wrong(&of(&none, "protective-mbr")), "it protects a GUID partition table that is not there");
    let mut grown = sound.clone();
    grown.length += MIB;
    assert_eq!(wrong(&of(&grown, "gpt")), format!("its backup lies at {}, not at the device's end", length - 512));
    let mut shrunk = sound.clone();
    shrunk.length = 5 * MIB;
    assert_eq!(
        wrong(&of(&shrunk, "gpt")),
        "its partition 1 does not lie on the device; there is no backup at the device's end"
    );
    let other = gpt(length, 4096, &[(LVM, 1, 10)]).blocks_of(512);
    assert_eq!(wrong(&of(&other, "gpt")), "it is made for blocks of 4096 bytes, the device has 512");
    let many = sound.clone().with(512 + 80, [0xff; 4]);
    assert!(wrong(&of(&many, "gpt")).contains("it says that it has 4294967295 entries of 128 bytes"));
    let far = sound.clone().with(512 + 72, [0xff; 8]);
    assert!(wrong(&of(&far, "gpt")).contains("its entries would lie at block 18446744073709551615"));
    // An end that cannot be read is no end without a backup.
    let mut unread = sound.clone();
    unread.bad.push((length - 512, length));
    assert_eq!(of(&unread, "gpt").checked, Checked::Unread(ErrorId(7)));
    let mut unread = sound;
    unread.bad.push((1024, 1025));
    assert!(unread.look().0.reasons.contains(&ErrorId(7)));
    assert!(!unread.words().contains(&"gpt-backup") || !matches!(of(&unread, "gpt-backup").checked, Checked::Wrong(_)));
}

#[test]
fn gpt_with_more_partitions_than_are_told() {
    let parts: Vec<_> = (0..128).map(|index| (LVM, 1 + index, 1)).collect();
    assert_eq!(gpt(200 * MIB, 512, &parts).look().0.reasons, []);
    let mut image = gpt(200 * MIB, 512, &parts);
    // 256 entries: those of the second half lie behind and are the same.
    let table = image.get(1024, 16384);
    let all = [table.clone(), table].concat();
    let mut header = image.get(512, 92);
    put(&mut header, 80, 256_u32.to_le_bytes());
    put(&mut header, 88, bytes::crc32(&all).to_le_bytes());
    put(&mut header, 16, [0; 4]);
    image = image.with(1024, &all).with(512, crc_put(header, 16, bytes::crc32));
    let (looked, _) = image.look();
    assert_eq!((looked.parts.len(), looked.reasons), (128, vec![ErrorId(8)]));
}

#[test]
fn what_lies_on_partitions() {
    let image = gpt(400 * MIB, 512, &[(LVM, 1, 50), (LVM, 60, 20)])
        .with(MIB + 1024, ext4())
        .with(60 * MIB, b"SnAp")
        // Below the table: what the disk held before.
        .with(128 * MIB, ext4())
        // DRBD at the end of a partition.
        .with(80 * MIB - 4096 + 60, 0x8374_026b_u32.to_be_bytes());
    let found = image.look().0.found;
    let told: Vec<_> =
        found.iter().map(|(found, base, number)| (found.kind.word(), base + found.offset, *number)).collect();
    assert_eq!(
        told,
        [
            ("protective-mbr", 0, None),
            ("gpt", 512, None),
            ("ext4", MIB + 1024, Some(1)),
            ("dm-snapshot", 60 * MIB, Some(2)),
            ("drbd", 80 * MIB - 4096, Some(2)),
            ("ext-backup", 128 * MIB, None),
            ("gpt-backup", 400 * MIB - 512, None),
        ]
    );
    // Metadata at the end of a partition that ends with the device is the partition's.
    let offset = 30 * MIB - 65536;
    let mut sb = block(4096, &[(0, &[0xfc, 0x4e, 0x2b, 0xa9]), (8, &[90])]);
    put(&mut sb, 152, (0xa92b_4efc_u32 + 90).to_le_bytes());
    let mbr = Image::new(30 * MIB)
        .with(446, [0, 0, 0, 0, 0xfd, 0, 0, 0, 0, 8, 0, 0])
        .with(446 + 12, (28 * 2048_u32 + 2048).wrapping_sub(0).to_le_bytes());
    let image = mbr.with(510, [0x55, 0xaa]).with(offset, sb);
    let md: Vec<_> = image.look().0.found.into_iter().filter(|(found, ..)| found.kind.word() == "md").collect();
    assert_eq!((md.len(), md[0].1 + md[0].0.offset, md[0].2), (1, offset, Some(1)));
}

fn entry(kind: u8, first: u32, blocks: u32) -> Vec<u8> {
    block(16, &[(4, &[kind]), (8, &first.to_le_bytes()), (12, &blocks.to_le_bytes())])
}

#[test]
fn mbr_with_logical_partitions() {
    let image = Image::new(100 * MIB)
        .with(440, [1, 2, 3, 4])
        .with(446, entry(0x83, 2048, 2048))
        .with(462, entry(0x0f, 10_000, 50_000))
        .with(510, [0x55, 0xaa])
        .with(10_000 * 512 + 446, entry(0x8e, 63, 1000))
        .with(10_000 * 512 + 462, entry(0x05, 20_000, 5_000))
        .with(10_000 * 512 + 510, [0x55, 0xaa])
        .with(30_000 * 512 + 446, entry(0xfb, 63, 2000))
        .with(30_000 * 512 + 510, [0x55, 0xaa]);
    assert_eq!(told(&image.found()[0]), ("mbr", 0, None, Some("04030201"), None, None));
    // A type of VMware's tells its own.
    assert_eq!(image.words(), ["mbr", "vmfs"]);
    let parts = image.look().0.parts;
    let seen: Vec<_> =
        parts.iter().map(|p| (p.number, p.start / 512, p.bytes / 512, p.type_id.as_str(), p.type_name)).collect();
    assert_eq!(
        seen,
        [
            (1, 2048, 2048, "0x83", Some("linux")),
            (2, 10_000, 50_000, "0x0f", Some("extended-lba")),
            (5, 10_063, 1000, "0x8e", Some("linux-lvm")),
            (6, 30_063, 2000, "0xfb", Some("vmware-vmfs")),
        ]
    );
    // A chain that comes back to itself ends.
    let circle = image.clone().with(30_000 * 512 + 462, entry(0x05, 0, 5_000));
    assert_eq!(circle.look().0.parts.len(), 4);
    let outside = image.clone().with(462, entry(0x83, 10_000, u32::MAX));
    assert_eq!(wrong(&outside.found()[0]), "a partition does not lie on the device");
    let hybrid = image.with(478, entry(0xee, 1, 1));
    assert_eq!(hybrid.found()[0].version.as_deref(), Some("hybrid"));
    // Flags that no table has.
    assert_eq!(Image::new(MIB).with(446, [0x12]).with(510, [0x55, 0xaa]).words(), ["boot-sector"]);
    assert_eq!(Image::new(MIB).with(510, [0x55, 0xaa]).words(), ["mbr"]);
}

#[test]
fn labels_of_other_systems() {
    let sun = Image::new(MIB).with(508, [0xda, 0xbe, 0xda, 0xbe]);
    assert_eq!((sun.only().kind.word(), sun.only().checked), ("sun-disklabel", Checked::Right));
    assert_eq!(wrong(&sun.with(100, [1]).only()), "its checksum does not hold");
    assert_eq!(Image::new(MIB).with(0, [0x0b, 0xe5, 0xa9, 0x41]).words(), ["sgi-disklabel"]);
    let bsd = Image::new(MIB).with(512, 0x8256_4557_u32.to_le_bytes()).with(512 + 132, 0x8256_4557_u32.to_le_bytes());
    assert_eq!(bsd.words(), ["bsd-disklabel"]);
}

#[test]
fn vendor_raid_belongs_to_whole_devices() {
    let image = gpt(100 * MIB, 512, &[(LVM, 1, 10)]).with(11 * MIB - 512, b"$XIDE$");
    assert_eq!(image.words(), ["protective-mbr", "gpt", "gpt-backup"]);
}
