//! Volume managers, software RAID, storage systems, and metadata of RAID controllers.

use super::*;

fn lvm_label(sector: u64) -> Vec<u8> {
    let label = block(
        512,
        &[
            (0, b"LABELONE"),
            (8, &sector.to_le_bytes()),
            (20, &[32, 0, 0, 0]),
            (24, b"LVM2 001"),
            (32, b"Gab060mfbZcBnx2RXqAv1MH5zKTWVf37"),
            (64, &(64 * MIB).to_le_bytes()),
            // One area of data, none more; one of metadata at 4096.
            (72, &MIB.to_le_bytes()),
            (104, &4096_u64.to_le_bytes()),
            (112, &(MIB - 4096).to_le_bytes()),
        ],
    );
    crc_put(label, 16, |label| bytes::crc32_raw(0xf597_a6cf, &label[20..]))
}

#[test]
fn lvm2_and_its_volume_group() {
    let mda = block(512, &[(4, b" LVM2 x[5A%r0N*>"), (40, &0x1000_u64.to_le_bytes()), (48, &900_u64.to_le_bytes())]);
    let image = Image::new(64 * MIB).with(512, lvm_label(1)).with(4096, mda).with(8192, b"vg_data {\nid = \"x\"\n");
    let id = Some("Gab060-mfbZ-cBnx-2RXq-Av1M-H5zK-TWVf37");
    assert_eq!(told(&image.only()), ("lvm2-pv", 512, None, id, Some("vg_data"), Some("LVM2 001")));
    assert_eq!(image.only().checked, Checked::Right);
    assert_eq!(
        wrong(&image.clone().with(512 + 300, [1]).only()),
        "the CRC of its label does not hold, or it was moved"
    );
    // Metadata that are not text tell no name.
    assert_eq!(image.clone().with(8192, [0xff; 16]).only().member_of, None);
    assert_eq!(image.clone().with(4100, [0]).only().member_of, None);
    // In a sector where it does not belong.
    let moved = Image::new(64 * MIB).with(0, lvm_label(1));
    assert_eq!((moved.only().offset, wrong(&moved.only())), (0, "the CRC of its label does not hold, or it was moved"));
    assert_eq!(Image::new(64 * MIB).with(1536, lvm_label(3)).only().checked, Checked::Right);
    assert!(Image::new(64 * MIB).with(2048, lvm_label(4)).found().is_empty());
}

/// The kernel's `calc_sb_1_csum`: words summed with 64 bits, high and low half added; the field itself zero.
fn md_1(offset: u64) -> Vec<u8> {
    let mut sb = block(
        256 + 2 * 3,
        &[
            (0, &[0xfc, 0x4e, 0x2b, 0xa9, 1]),
            (16, &OTHER),
            (32, b"host:0"),
            (144, &(offset / 512).to_le_bytes()),
            (168, &ID),
            (220, &[3]),
            (256, &[0, 0, 1, 0, 0xfe, 0xff]),
        ],
    );
    let words: u64 = sb[..260].chunks(4).map(|w| u64::from(u32::from_le_bytes(w.try_into().unwrap()))).sum();
    let sum = words + 0xfffe;
    put(&mut sb, 216, ((sum & 0xffff_ffff) as u32).wrapping_add((sum >> 32) as u32).to_le_bytes());
    sb
}

#[test]
fn md_of_every_version() {
    let length = 64 * MIB + 5000;
    for (offset, version) in [(64 * MIB + 4096 - 8192, "1.0"), (0, "1.1"), (4096, "1.2")] {
        let image = Image::new(length).with(offset, md_1(offset));
        assert_eq!(told(&image.only()), ("md", offset, Some("host:0"), Some(ID_TEXT), Some(OTHER_TEXT), Some(version)));
        assert_eq!(image.only().checked, Checked::Right);
        assert_eq!(
            wrong(&image.clone().with(offset + 257, [1]).only()),
            "the checksum of its super block does not hold"
        );
        assert_eq!(wrong(&image.with(offset + 144, [99]).only()), "it says that it lies elsewhere");
    }
    // `mdp_super_t`: words; the sum of all but word 38.
    for big in [false, true] {
        let mut words = [0_u32; 1024];
        for (index, word) in
            [(0, 0xa92b_4efc), (2, 90), (5, 0x0102_0304), (13, 0x0506_0708), (14, 0x090a_0b0c), (15, 0x0d0e_0f10)]
        {
            words[index] = word;
        }
        let sum: u64 = words.iter().map(|word| u64::from(*word)).sum();
        words[38] = (sum as u32).wrapping_add((sum >> 32) as u32);
        let sb: Vec<u8> =
            words.iter().flat_map(|word| if big { word.to_be_bytes() } else { word.to_le_bytes() }).collect();
        let image = Image::new(length).with(64 * MIB - 65536, sb);
        assert_eq!(told(&image.only()), ("md", 64 * MIB - 65536, None, None, Some(ID_TEXT), Some("0.90")), "{big}");
        assert_eq!(image.only().checked, Checked::Right);
        assert_eq!(
            wrong(&image.with(64 * MIB - 65536 + 800, [1]).only()),
            "the checksum of its super block does not hold"
        );
    }
}

#[test]
fn caches_pools_and_snapshots() {
    let mut sb = block(
        4096,
        &[
            (16, &[1]),
            (24, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81"),
            (40, &ID),
            (56, &OTHER),
            (72, b"c"),
            (206, &[2]),
        ],
    );
    let sum = bytes::crc64(&sb[8..208 + 16]);
    put(&mut sb, 0, sum.to_le_bytes());
    let image = Image::new(64 * MIB).with(4096, &sb);
    assert_eq!(told(&image.only()), ("bcache", 4096, Some("c"), Some(ID_TEXT), Some(OTHER_TEXT), Some("1")));
    assert_eq!(image.only().checked, Checked::Right);
    assert_eq!(wrong(&image.with(4096 + 210, [1]).only()), "the checksum of its super block does not hold");

    let sb = block(512, &[(4, b"!Stra0tis\x86\xff\x02^\x41rh"), (32, &[b'a'; 32]), (64, &[b'b'; 32])]);
    let sb = crc_put(sb, 0, |sb| bytes::crc32c(&sb[4..]));
    let image = Image::new(64 * MIB).with(512, &sb).with(4608, &sb);
    let (pool, device) = ("a".repeat(32), "b".repeat(32));
    assert_eq!(told(&image.only()), ("stratis", 512, None, Some(device.as_str()), Some(pool.as_str()), None));
    assert_eq!(image.only().checked, Checked::Right);
    let half = image.clone().with(600, [1]).only();
    assert_eq!(
        (half.offset, wrong(&half)),
        (4608, "one of its two super blocks is gone, or its CRC-32C does not hold")
    );
    assert!(matches!(image.with(4612, [0]).only().checked, Checked::Wrong(_)));

    assert_eq!(
        told(&Image::new(MIB).with(0, block(64, &[(0, b"dmvdo001"), (40, &ID)])).only()),
        ("vdo", 0, None, Some(ID_TEXT), None, None)
    );
    assert_eq!(Image::new(MIB).with(0, b"SnAp").only().kind.word(), "dm-snapshot");
    for offset in [6 * 512, MIB - 512] {
        let head = block(
            512,
            &[(0, b"PRIVHEAD"), (13, &[2]), (15, &[12]), (0x30, b"disk-id"), (0xb0, b"group-id"), (0xf0, b"Dg0")],
        );
        let image = Image::new(MIB).with(offset, head);
        assert_eq!(
            told(&image.only()),
            ("windows-dynamic-disk", offset, Some("Dg0"), Some("disk-id"), Some("group-id"), Some("2.12"))
        );
    }
}

/// A pair of a list in XDR.
fn pair(name: &str, kind: u32, value: &[u8]) -> Vec<u8> {
    let mut named = name.as_bytes().to_vec();
    named.resize(name.len().div_ceil(4) * 4, 0);
    let size = 12 + named.len() + 8 + value.len();
    let mut out = Vec::new();
    for word in [size as u32, 0, name.len() as u32] {
        out.extend(word.to_be_bytes());
    }
    out.extend(named);
    out.extend(kind.to_be_bytes());
    out.extend(1_u32.to_be_bytes());
    out.extend(value);
    out
}

fn zfs_list(pool: u64) -> Vec<u8> {
    let mut list = vec![1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
    list.extend(pair("version", 8, &5000_u64.to_be_bytes()));
    list.extend(pair("name", 9, b"\0\0\0\x04tank"));
    list.extend(pair("pool_guid", 8, &pool.to_be_bytes()));
    list.extend(pair("guid", 8, &77_u64.to_be_bytes()));
    list.extend([0; 8]);
    list
}

#[test]
fn zfs_by_its_labels() {
    let label = 256 << 10;
    let places = [0, label, 64 * MIB - 2 * label, 64 * MIB - label];
    // The end is not a multiple of a label.
    let mut image = Image::new(64 * MIB + 4096);
    for place in places {
        image.put(place + 16384, zfs_list(42));
        image.put(place + 131_072 + 4096, 0x00ba_b10c_u64.to_le_bytes());
    }
    assert_eq!(told(&image.only()), ("zfs", 0, Some("tank"), Some("77"), Some("42"), Some("5000")));
    assert_eq!(image.only().checked, Checked::Right);
    let half = image
        .clone()
        .with(16384, [0; 16])
        .with(131_072 + 4096, [0; 8])
        .with(label + 16384, [0; 16])
        .with(label + 131_072 + 4096, [0; 8]);
    assert_eq!((half.only().offset, wrong(&half.only())), (64 * MIB - 2 * label, "2 of its 4 labels are there"));
    assert_eq!(wrong(&image.clone().with(label + 16384, zfs_list(43)).only()), "its labels differ");
    let mut unread = image.clone();
    unread.bad.push((64 * MIB - label + 16384, 64 * MIB - label + 16385));
    assert_eq!(unread.only().checked, Checked::Unread(ErrorId(7)));
    for magic in [0x00ba_b10c_u64.to_le_bytes(), 0x00ba_b10c_u64.to_be_bytes()] {
        let remains = Image::new(64 * MIB).with(131_072 + 1024, magic);
        assert_eq!((remains.only().kind.word(), wrong(&remains.only())), ("zfs", "only uberblocks are left"));
    }
    // Lengths that lead out of the list.
    assert_eq!(Image::new(64 * MIB).with(16384, zfs_list(1)).with(16384 + 12, [0xff; 4]).only().label, None);
}

fn bluestore_label(meta: &[(&str, &str)]) -> Vec<u8> {
    let string = |text: &str| [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat();
    let mut label = b"bluestore block device\n3f1c0000-0000-0000-0000-000000000001\n\x02\x01\0\0\0\0".to_vec();
    label.extend([0; 32]);
    label.extend(string("main"));
    label.extend((meta.len() as u32).to_le_bytes());
    meta.iter().for_each(|(name, value)| label.extend([string(name), string(value)].concat()));
    label
}

#[test]
fn bluestore_and_nothing_of_its_key() {
    let meta = [
        ("bluefs", "1"),
        ("ceph_fsid", "c1"),
        ("kv_backend", "rocksdb"),
        ("magic", "m"),
        ("osd_key", "SECRET"),
        ("whoami", "0"),
    ];
    let label = bluestore_label(&meta);
    let key = label.windows(6).position(|window| window == b"SECRET").unwrap() as u64;
    let image = Image::new(2048 * MIB).with(0, &label);
    let id = Some("3f1c0000-0000-0000-0000-000000000001");
    assert_eq!(told(&image.only()), ("ceph-bluestore", 0, Some("main"), id, Some("c1"), Some("2")));
    let (_, reads) = image.look();
    assert!(reads.iter().all(|(from, length)| from + length <= key || *from >= 4096), "{reads:?}");
    // Without the cluster the entries before the key are read, and no more.
    let image = Image::new(2048 * MIB).with(0, bluestore_label(&meta[2..]));
    assert_eq!(image.only().member_of, None);
    let key = image.get(0, 4096).windows(6).position(|window| window == b"SECRET").unwrap() as u64;
    assert!(image.look().1.iter().all(|(from, length)| from + length <= key || *from >= 4096));
    let copy = Image::new(2048 * MIB).with(1024 * MIB, &label);
    assert_eq!((copy.only().offset, wrong(&copy.only())), (1024 * MIB, "the first label is gone"));
    // Lengths that lead out of the label.
    assert_eq!(Image::new(2048 * MIB).with(0, &label).with(60 + 6 + 32, [0xff; 4]).only().label, None);
}

#[test]
fn storage_systems_by_their_headers() {
    let mut header = block(512, &[(0, b"SPACEDB "), (8, &[0, 3, 2, 0]), (0x20, &OTHER), (0x30, &ID)]);
    let sum = bytes::crc32(&header);
    put(&mut header, 12, sum.to_be_bytes());
    for offset in [0, 16 * MIB, 129 * MIB] {
        let image = Image::new(300 * MIB).with(offset, &header);
        assert_eq!(told(&image.only()), ("storage-spaces", offset, None, Some(ID_TEXT), Some(OTHER_TEXT), Some("3")));
        assert_eq!(image.only().checked, Checked::Right);
        assert_eq!(image.with(offset + 300, [1]).only().checked, Checked::No);
    }
    let volume = block(512, &[(0, &[0x0d, 0xd0, 1, 0xc0, 6]), (130, &ID)]);
    let image = Image::new(10 * MIB).with(MIB, volume).with(MIB + 532, b"5f000000-aaaaaaaa-bbbb-cccccccccccc");
    let id = Some("04030201-08070605-0a09-0b0c0d0e0f10");
    assert_eq!(
        told(&image.only()),
        ("vmfs-volume", MIB, None, id, Some("5f000000-aaaaaaaa-bbbb-cccccccccccc"), Some("6"))
    );
    let fs = block(512, &[(0, &[0x5e, 0xf1, 0xab, 0x2f]), (8, &[6]), (9, &ID), (29, b"datastore1")]);
    let image = Image::new(10 * MIB).with(2 * MIB, fs);
    assert_eq!(told(&image.only()), ("vmfs", 2 * MIB, Some("datastore1"), id, None, Some("6")));

    for (magic, at, version) in [(0x8374_026b_u32, 40, "8"), (0x8374_026c, 40, "8"), (0x8374_026d, 48, "9")] {
        let md = block(64, &[(at, &[0, 0, 0, 0, 0, 0, 0xab, 0xcd]), (60, &magic.to_be_bytes())]);
        let image = Image::new(10 * MIB + 512).with(10 * MIB - 4096, md);
        assert_eq!(told(&image.only()), ("drbd", 10 * MIB - 4096, None, Some("000000000000abcd"), None, Some(version)));
        let other = Image::new(10 * MIB).with(10 * MIB - 4096 + 60, 0x8374_026e_u32.to_be_bytes());
        assert!(other.found().is_empty());
    }
    assert_eq!(
        told(&Image::new(MIB).with(32, b"ORCLDISKDATA01").only()),
        ("oracle-asm", 0, Some("DATA01"), None, None, None)
    );
}

#[test]
fn ddf_and_imsm() {
    for big in [true, false] {
        let mut anchor = block(512, &[(4, &[0xff; 4]), (8, b"LSI     \x10\x02\x03"), (32, b"01.02.00")]);
        put(&mut anchor, 0, if big { 0xde11_de11_u32.to_be_bytes() } else { 0xde11_de11_u32.to_le_bytes() });
        let sum = bytes::crc32(&anchor);
        put(&mut anchor, 4, if big { sum.to_be_bytes() } else { sum.to_le_bytes() });
        for count in [1, 257] {
            let image = Image::new(10 * MIB).with(10 * MIB - count * 512, &anchor);
            let id = Some("10020300000000000000000000000000");
            assert_eq!(told(&image.only()), ("ddf", 10 * MIB - count * 512, Some("LSI"), id, None, Some("01.02.00")));
            assert_eq!(image.only().checked, Checked::Right);
            assert_eq!(
                wrong(&image.with(10 * MIB - count * 512 + 100, [1]).only()),
                "the CRC of its anchor does not hold"
            );
        }
    }
    // mdadm's `__gen_imsm_checksum`: all words but the sum itself.
    let metadata = |size: usize| {
        let mut all = block(
            size,
            &[
                (0, b"Intel Raid ISM Cfg Sig. 1.3.00"),
                (36, &(size as u32).to_le_bytes()),
                (40, &[0xef, 0xbe, 0xad, 0xde]),
            ],
        );
        put(&mut all, size - 4, [9, 0, 0, 0]);
        let sum = all.chunks(4).fold(0_u32, |sum, word| sum.wrapping_add(u32::from_le_bytes(word.try_into().unwrap())));
        put(&mut all, 32, sum.to_le_bytes());
        all
    };
    for (sector, size) in [(512, 480), (512, 512), (512, 900), (4096, 480), (4096, 5000)] {
        let all = metadata(size as usize);
        let first = all.len().min(sector as usize);
        let end = 10 * MIB - 2 * sector;
        let before = (size as u64).saturating_sub(sector).div_ceil(sector) * sector;
        let image = Image::new(10 * MIB).blocks_of(sector).with(end, &all[..first]).with(end - before, &all[first..]);
        assert_eq!(
            told(&image.only()),
            ("intel-imsm", end, None, None, Some("deadbeef"), Some("1.3.00")),
            "{sector} {size}"
        );
        assert_eq!(image.only().checked, Checked::Right, "{sector} {size}");
        assert_eq!(wrong(&image.clone().with(end + 100, [1]).only()), "the checksum of its metadata does not hold");
        assert_eq!(wrong(&image.with(end + 36, [0xff; 4]).only()), "its metadata are not all there");
    }
}

#[test]
fn other_vendor_raid() {
    let end = 10 * MIB;
    let at = |count: u64, sector: Vec<u8>| Image::new(end).with(end - count * 512, sector);
    let mut silicon = block(512, &[(0x60, &[0, 0, 0, 0x2f]), (0x108, &[1, 0, 2, 0]), (0x36, b"disk")]);
    let sum = silicon[..0x13e].chunks(2).fold(0_u16, |sum, w| sum.wrapping_add(u16::from_le_bytes([w[0], w[1]])));
    put(&mut silicon, 0x13e, 0_u16.wrapping_sub(sum).to_le_bytes());
    let mut jmicron = block(512, &[(0, b"JM\x01\x02")]);
    let sum = u16::from_le_bytes(*b"JM") + 0x0201;
    put(&mut jmicron, 4, 0_u16.wrapping_sub(sum).to_le_bytes());
    let mut via = block(512, &[(0, &[0x55, 0xaa, 1, 7])]);
    via[50] = 0x55_u8.wrapping_add(0xaa).wrapping_add(8);
    let cases = [
        (at(1, block(512, &[(0, &[0x37, 0xfc, 0x4d, 0x1e]), (256, b"DPTM")])), "adaptec", None),
        (at(63, b"Promise Technology, Inc.".to_vec()), "promise-fasttrak", None),
        (at(3087, b"Promise Technology, Inc.".to_vec()), "promise-fasttrak", None),
        (Image::new(end).with(4640, [0xf0, 0x16, 0x78, 0x5a]), "highpoint-37x", None),
        (at(11, vec![0xf3, 0x16, 0x78, 0x5a]), "highpoint-45x", None),
        (at(1, silicon.clone()), "silicon-image-medley", Some("2.1")),
        (at(1, b"$XIDE$".to_vec()), "lsi-megaraid", None),
        (at(1, jmicron.clone()), "jmicron", Some("2.1")),
        (at(2, block(18, &[(0, b"NVIDIA"), (16, &[0x64])])), "nvidia-nvraid", Some("100")),
        (at(1, via.clone()), "via", Some("1")),
    ];
    for (image, kind, version) in cases {
        assert_eq!((image.only().kind.word(), image.only().version.as_deref()), (kind, version));
    }
    assert_eq!(wrong(&at(1, silicon).with(end - 512 + 0x40, [1]).only()), "the checksum of its metadata does not hold");
    // Weak magic numbers need their sums.
    assert!(at(1, jmicron).with(end - 512 + 10, [9]).found().is_empty());
    assert!(at(1, via).with(end - 512 + 10, [9]).found().is_empty());
}
