//! File systems, encryption, swap space, and what is none of it.

use super::*;
use sha2::{Digest, Sha256};

#[test]
fn ext_by_its_features() {
    let sound = Image::new(300 * MIB).with(1024, ext4());
    assert_eq!(told(&sound.only()), ("ext4", 1024, Some("data"), Some(ID_TEXT), None, Some("1.0")));
    assert_eq!(sound.only().checked, Checked::Right);
    let damaged = sound.clone().with(1024 + 200, [1]);
    assert_eq!(wrong(&damaged.only()), "the checksum of its super block does not hold");
    for (compat, incompat, read_only, kind) in [
        (0, 2, 1, "ext2"),
        (4, 2, 3, "ext3"),
        (4, 6, 7, "ext3"),
        (4, 0x42, 1, "ext4"),
        (0, 8, 0, "ext-journal"),
        (0, 2, 8, "ext4"),
    ] {
        let image =
            sound.clone().with(1024 + 92, [compat]).with(1024 + 96, [incompat, 0]).with(1024 + 100, [read_only, 0]);
        assert_eq!((image.only().kind.word(), image.only().checked), (kind, Checked::No));
    }
    // Two bytes of magic alone are none.
    assert!(Image::new(MIB).with(1024 + 56, [0x53, 0xef]).found().is_empty());
    let copies = Image::new(300 * MIB).with(128 * MIB, ext4());
    assert_eq!((copies.only().kind.word(), wrong(&copies.only())), ("ext-backup", "the first super block is gone"));
    assert_eq!(Image::new(300 * MIB).with(8193 * 1024, ext4()).only().offset, 8193 * 1024);
}

#[test]
fn xfs_old_and_new() {
    let sb = block(512, &[(0, b"XFSB"), (32, &ID), (100, &[0xb4, 0xa5]), (102, &[2, 0]), (108, b"logs")]);
    let sound = crc_put(sb.clone(), 224, bytes::crc32c);
    let image = Image::new(16 * MIB).with(0, &sound);
    assert_eq!(told(&image.only()), ("xfs", 0, Some("logs"), Some(ID_TEXT), None, Some("5")));
    assert_eq!(image.only().checked, Checked::Right);
    assert_eq!(wrong(&image.clone().with(300, [1]).only()), "the CRC-32C of its super block does not hold");
    let old = Image::new(16 * MIB).with(0, sb).with(101, [0xa4]);
    assert_eq!((old.only().version.as_deref(), old.only().checked), (Some("4"), Checked::No));
    for size in [512, 4096] {
        let remains = Image::new(16 * MIB).with(size, b"XAGF\0\0\0\x01\0\0\0\0");
        assert_eq!((remains.only().kind.word(), remains.only().offset), ("xfs-remains", size));
    }
}

#[test]
fn btrfs_and_its_copies() {
    let sb = block(4096, &[(32, &OTHER), (64, b"_BHRfS_M"), (267, &ID), (299, b"pool")]);
    let sound = crc_put(sb, 0, |sb| bytes::crc32c(&sb[32..]));
    let image = Image::new(80 * MIB).with(64 << 10, &sound);
    assert_eq!(told(&image.only()), ("btrfs", 65536, Some("pool"), Some(ID_TEXT), Some(OTHER_TEXT), None));
    assert_eq!(image.only().checked, Checked::Right);
    assert_eq!(wrong(&image.clone().with(65536 + 400, [1]).only()), "the CRC-32C of its super block does not hold");
    // Another checksum, as xxhash, is not verified.
    assert_eq!(image.with(65536 + 196, [1]).only().checked, Checked::No);
    let copy = Image::new(80 * MIB).with(64 * MIB, &sound);
    assert_eq!((copy.only().kind.word(), wrong(&copy.only())), ("btrfs-backup", "the first super block is gone"));
}

#[test]
fn f2fs_and_nilfs2() {
    let sb = block(
        3072,
        &[(0, &[0x10, 0x20, 0xf5, 0xf2]), (4, &[1, 0, 15, 0]), (0x20, &[0xfc, 0x0b]), (0x6c, &ID), (0x7c, b"f\x002\0")],
    );
    let sound = crc_put(sb, 0xbfc, |sb| bytes::crc32_raw(0xf2f5_2010, &sb[..0xbfc]));
    let image = Image::new(64 * MIB).with(1024, &sound);
    assert_eq!(told(&image.only()), ("f2fs", 1024, Some("f2"), Some(ID_TEXT), None, Some("1.15")));
    assert_eq!(image.only().checked, Checked::Right);
    assert_eq!(wrong(&image.clone().with(1024 + 0x100, [1]).only()), "the CRC32 of its super block does not hold");
    let copy = Image::new(64 * MIB).with(5120, &sound);
    assert_eq!((copy.only().offset, wrong(&copy.only())), (5120, "the first super block is gone"));

    let sb = block(1024, &[(0, &[2]), (6, &[0x34, 0x34]), (8, &[0x18, 1]), (12, &[9, 9, 9, 9])]);
    let sound = crc_put(sb, 16, |sb| bytes::crc32_raw(0x0909_0909, &sb[..0x118]));
    let image = Image::new(64 * MIB).with(1024, &sound);
    assert_eq!((image.only().kind.word(), image.only().checked), ("nilfs2", Checked::Right));
    assert!(image.with(1024 + 50, [1]).found().is_empty());
}

#[test]
fn file_systems_of_windows() {
    let boot = block(
        512,
        &[(0, &[0xeb, 0x52, 0x90]), (3, b"NTFS    "), (72, &[8, 7, 6, 5, 4, 3, 2, 1]), (510, &[0x55, 0xaa])],
    );
    let image = Image::new(10 * MIB).with(0, &boot);
    assert_eq!(told(&image.only()), ("ntfs", 0, None, Some("0102030405060708"), None, None));
    let copy = Image::new(10 * MIB).with(10 * MIB - 512, &boot);
    assert_eq!((copy.only().offset, wrong(&copy.only())), (10 * MIB - 512, "the first boot sector is gone"));
    assert_eq!(Image::new(MIB).with(0, b"\0\0\0ReFS\0").only().kind.word(), "refs");

    // Sectors of 512, one a cluster, one reserved, two FATs, 512 entries in the root folder.
    let bpb = |sectors: u16, per_fat: u16| {
        block(
            512,
            &[
                (0, &[0xeb, 0x3c, 0x90]),
                (11, &512_u16.to_le_bytes()),
                (13, &[1, 1, 0, 2]),
                (17, &512_u16.to_le_bytes()),
                (19, &sectors.to_le_bytes()),
                (21, &[0xf8]),
                (22, &per_fat.to_le_bytes()),
                (39, &[4, 3, 2, 1]),
                (43, b"NAME       FAT     "),
                (510, &[0x55, 0xaa]),
            ],
        )
    };
    // 33 + 2 * 12 sectors before: 4084 clusters are the most of FAT12.
    for (sectors, kind) in [(57 + 4084, "fat12"), (57 + 4085, "fat16")] {
        let image = Image::new(10 * MIB).with(0, bpb(sectors, 12));
        assert_eq!(told(&image.only()), (kind, 0, Some("NAME"), Some("0102-0304"), None, None));
    }
    let fat32 = Image::new(10 * MIB)
        .with(0, bpb(0, 0))
        .with(32, 600_000_u32.to_le_bytes())
        .with(36, 4600_u32.to_le_bytes())
        .with(0x43, [4, 3, 2, 1])
        .with(0x47, b"NO NAME    FAT32   ");
    assert_eq!(told(&fat32.only()), ("fat32", 0, None, Some("0102-0304"), None, None));
    // Not a power of two a cluster: a boot sector, whose it is not known.
    assert_eq!(Image::new(10 * MIB).with(0, bpb(4000, 12)).with(13, [3]).with(446, [1]).words(), ["boot-sector"]);

    let mut boot = block(
        512 * 12,
        &[(0, &[0xeb, 0x76, 0x90]), (3, b"EXFAT   "), (100, &[4, 3, 2, 1, 0, 1]), (108, &[9]), (510, &[0x55, 0xaa])],
    );
    let sum = boot[..512 * 11].iter().enumerate().fold(0_u32, |sum, (at, byte)| match at {
        106 | 107 | 112 => sum,
        _ => sum.rotate_right(1).wrapping_add(u32::from(*byte)),
    });
    (0..128).for_each(|index| put(&mut boot, 512 * 11 + index * 4, sum.to_le_bytes()));
    let image = Image::new(10 * MIB).with(0, &boot);
    assert_eq!(told(&image.only()), ("exfat", 0, None, Some("0102-0304"), None, Some("1.0")));
    assert_eq!(image.only().checked, Checked::Right);
    // Flags and percent in use do not count.
    assert_eq!(image.clone().with(112, [50]).only().checked, Checked::Right);
    assert_eq!(wrong(&image.with(600, [1]).only()), "the checksum of its boot region does not hold");
    assert_eq!(wrong(&Image::new(10 * MIB).with(12 * 512, &boot).only()), "the first boot region is gone");
}

#[test]
fn file_systems_by_their_magic() {
    let at = |offset: u64, length: usize, values: &[(usize, &[u8])]| {
        Image::new(10 * MIB).with(offset, block(length, values))
    };
    let cases: [(Image, Told<'_>); 14] = [
        (at(32768, 80, &[(0, b"\x01CD001"), (40, b"LIVE  ")]), ("iso9660", 32768, Some("LIVE"), None, None, None)),
        (at(34816, 8, &[(1, b"NSR03")]), ("udf", 34816, None, None, None, None)),
        (at(0, 96, &[(0, b"hsqs"), (28, &[4, 0, 1, 0])]), ("squashfs", 0, None, None, None, Some("4.1"))),
        (at(0, 96, &[(0, b"sqsh"), (28, &[0, 3, 0, 1])]), ("squashfs", 0, None, None, None, Some("3.1"))),
        (
            at(1024, 80, &[(0, &[0xe2, 0xe1, 0xf5, 0xe0]), (48, &ID), (64, b"img")]),
            ("erofs", 1024, Some("img"), Some(ID_TEXT), None, None),
        ),
        (
            at(32768, 170, &[(0, b"JFS1"), (4, &[2]), (136, &ID), (152, b"j")]),
            ("jfs", 32768, Some("j"), Some(ID_TEXT), None, Some("2")),
        ),
        (
            at(65536, 128, &[(52, b"ReIsEr2Fs"), (84, &ID), (100, b"r")]),
            ("reiserfs", 65536, Some("r"), Some(ID_TEXT), None, None),
        ),
        (at(65536, 16, &[(0, b"ReIsEr4")]), ("reiser4", 65536, None, None, None, None)),
        (at(0, 96, &[(32, b"NXSB"), (72, &ID)]), ("apfs", 0, None, Some(ID_TEXT), None, None)),
        (at(1024, 4, &[(0, b"H+\0\x04")]), ("hfsplus", 1024, None, None, None, Some("4"))),
        (
            at(4096, 400, &[(0, b"OCFSV2"), (192, &[0, 0, 90, 0]), (272, b"o"), (336, &ID)]),
            ("ocfs2", 4096, Some("o"), Some(ID_TEXT), None, Some("0.90")),
        ),
        (
            at(65536, 272, &[(0, &[1, 0x16, 0x19, 0x70]), (24, &[0, 0, 7, 9]), (160, b"c:g"), (256, &ID)]),
            ("gfs2", 65536, Some("c:g"), Some(ID_TEXT), None, Some("1801")),
        ),
        (
            at(
                4096,
                128,
                &[
                    (16, &[7]),
                    (24, b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef"),
                    (56, &ID),
                    (72, b"b"),
                ],
            ),
            ("bcachefs", 4096, Some("b"), Some(ID_TEXT), None, Some("7")),
        ),
        (at(8192, 128, &[(52, b"ReIsErFs")]), ("reiserfs", 8192, None, None, None, None)),
    ];
    for (image, expected) in cases {
        assert_eq!(told(&image.only()), expected);
        // A byte short of magic is none.
        let (offset, piece) = image.pieces[0].clone();
        let spoilt: Vec<u8> = piece.iter().map(|byte| byte.rotate_left(1) ^ 1).collect();
        assert!(Image::new(10 * MIB).with(offset, spoilt).found().is_empty(), "{expected:?}");
    }
}

fn luks2(offset: u64, magic: &[u8]) -> Vec<u8> {
    let mut header = block(
        16384,
        &[
            (0, magic),
            (6, &[0, 2]),
            (8, &16384_u64.to_be_bytes()),
            (24, b"secret"),
            (72, b"sha256"),
            (168, b"3f1c0000-0000-0000-0000-000000000001"),
            (256, &offset.to_be_bytes()),
            (4096, b"{\"keyslots\":{}}"),
        ],
    );
    let sum = Sha256::digest(&header);
    put(&mut header, 448, sum);
    header
}

#[test]
fn luks_and_nothing_of_its_keys() {
    let first = luks2(0, b"LUKS\xba\xbe");
    let second = luks2(16384, b"SKUL\xba\xbe");
    let image = Image::new(64 * MIB).with(0, &first).with(16384, &second).with(32768, [0xab; 4096]);
    let id = Some("3f1c0000-0000-0000-0000-000000000001");
    assert_eq!(told(&image.only()), ("luks", 0, Some("secret"), id, None, Some("2")));
    assert_eq!(image.only().checked, Checked::Right);
    assert_eq!(wrong(&image.clone().with(5000, [1]).only()), "the checksum of the first header does not hold");
    assert_eq!(wrong(&image.clone().with(16384 + 5000, [1]).only()), "the checksum of the second header does not hold");
    assert_eq!(wrong(&image.clone().with(16384, [0]).only()), "the second header is gone");
    assert_eq!(image.clone().with(72, b"sha512").with(16384 + 72, b"sha512").only().checked, Checked::No);
    let alone = Image::new(64 * MIB).with(16384, &second);
    assert_eq!(told(&alone.only()), ("luks-backup", 16384, Some("secret"), id, None, Some("2")));
    // One that says that it lies elsewhere is no second header.
    assert!(Image::new(64 * MIB).with(32768, &second).found().is_empty());

    let old = block(592, &[(0, b"LUKS\xba\xbe\0\x01"), (8, b"aes"), (168, b"3f1c0000-0000-0000-0000-000000000002")]);
    let old = Image::new(64 * MIB).with(0, old).with(4096, [0xab; 4096]);
    assert_eq!(told(&old.only()), ("luks", 0, None, Some("3f1c0000-0000-0000-0000-000000000002"), None, Some("1")));
    for (image, keys) in [(&image, 32768), (&old, 4096)] {
        let (_, reads) = image.look();
        assert!(reads.iter().all(|(from, length)| from + length <= keys || *from >= 8 * MIB), "{reads:?}");
    }
}

#[test]
fn swap_space_and_nothing_of_its_memory() {
    for page in [4096, 8192, 16384, 32768, 65536] {
        let image = Image::new(64 * MIB)
            .with(1024, block(44, &[(0, &[1]), (12, &ID), (28, b"sw")]))
            .with(page - 10, b"SWAPSPACE2");
        assert_eq!(told(&image.only()), ("swap", page - 10, Some("sw"), Some(ID_TEXT), None, Some("1")));
        if page == 4096 {
            let (_, reads) = image.look();
            assert!(reads.iter().all(|(from, length)| from + length <= 4096 || *from >= 8 * MIB), "{reads:?}");
        }
    }
    for (magic, kind, version) in [
        ("SWAP-SPACE", "swap", "0"),
        ("S1SUSPEND\0", "suspend-image", "s1suspend"),
        ("S2SUSPEND\0", "suspend-image", "s2suspend"),
        ("ULSUSPEND\0", "suspend-image", "ulsuspend"),
        ("LINHIB0001", "suspend-image", "linhib0001"),
    ] {
        let image = Image::new(64 * MIB).with(4086, magic);
        assert_eq!((image.only().kind.word(), image.only().version.as_deref()), (kind, Some(version)));
        let (_, reads) = image.look();
        assert!(reads.iter().all(|(from, length)| from + length <= 4096 || *from >= 8 * MIB), "{magic} {reads:?}");
    }
    let image = Image::new(64 * MIB).with(0, b"\xed\xc3\x02\xe9\x98\x56\xe5\x0c");
    assert_eq!((image.only().kind.word(), image.only().version.as_deref()), ("suspend-image", Some("tuxonice")));
}

#[test]
fn other_encryption_and_integrity() {
    assert_eq!(Image::new(MIB).with(0, b"\xeb\x58\x90-FVE-FS-").only().kind.word(), "bitlocker");
    assert_eq!(
        told(&Image::new(MIB).with(0, b"integrt\0\x05").only()),
        ("dm-integrity", 0, None, None, None, Some("5"))
    );
    let verity = block(64, &[(0, b"verity\0\0\x01"), (16, &ID)]);
    assert_eq!(told(&Image::new(MIB).with(0, verity).only()), ("dm-verity", 0, None, Some(ID_TEXT), None, Some("1")));
}

#[test]
fn what_is_nothing_is_nothing() {
    for length in [
        1,
        63,
        64,
        511,
        512,
        513,
        4095,
        4096,
        65536,
        69632,
        69633,
        MIB - 1,
        MIB,
        2 * MIB + 100,
        5 * MIB,
        300 * MIB + 511,
    ] {
        for (fill, data) in [(0, false), (0xff, false), (0x5a, true)] {
            let mut image = Image::new(length);
            image.fill = fill;
            let (looked, _) = image.look();
            assert!(looked.found.is_empty() && looked.parts.is_empty() && looked.reasons.is_empty(), "{length} {fill}");
            assert_eq!(looked.data, data, "{length} {fill}");
        }
    }
}

#[test]
fn one_byte_in_any_sample_is_data() {
    let length = 1024 * MIB;
    for place in [100, 500_000, length - 1, length - MIB, length / 64 * 7, length / 64 * 63 + 65535] {
        let (looked, _) = Image::new(length).with(place, [1]).look();
        assert!(looked.data && looked.found.is_empty(), "{place}");
    }
    // The edges tell of all of a small one.
    assert!(Image::new(2 * MIB).with(MIB + 77, [1]).look().0.data);
    let (looked, reads) = Image::new(length).look();
    assert!(!looked.data);
    assert_eq!(reads.iter().filter(|(from, size)| from % (length / 64) == 0 && *size == 64 << 10).count(), 64);
    let bytes: u64 = reads.iter().map(|(_, length)| length).sum();
    assert!(bytes < 8 * MIB, "{bytes}");
}

#[test]
fn what_was_not_read_has_its_reason() {
    let mut image = Image::new(300 * MIB);
    image.bad.push((128 * MIB, 128 * MIB + 1));
    let (looked, _) = image.look();
    assert_eq!((looked.found.len(), looked.data, looked.reasons.len()), (0, false, 1));
    let mut image = Image::new(300 * MIB);
    image.bad.push((151 * MIB, 152 * MIB));
    assert_eq!(image.look().0.reasons.len(), 0, "no sample lies there");
    image.bad.push((300 * MIB - 1, 300 * MIB));
    assert_eq!(image.look().0.reasons.len(), 1);
}

#[test]
fn arbitrary_bytes_break_nothing() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for round in 0..20 {
        let noise: Vec<u8> = (0..20_000).flat_map(|_| random().to_le_bytes()).collect();
        let image = Image::new(160_000).with(0, noise);
        let (looked, _) = image.look();
        assert!(looked.data, "{round}");
        assert!(looked.found.iter().all(|(found, _, _)| found.kind.word() == "boot-sector"), "{:?}", looked.found);
    }
}
