//! Recordings from folders and archives, whole and damaged.
#![expect(clippy::disallowed_methods, reason = "recordings are made here")]

use passmuster::host::{Host, HostErrorKind, OpenCause, Replay};
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;

const SIZE: &[u8] = b"3907029168\n";

/// A tar archive of one machine, below `prefix`.
fn tar_of(prefix: &str) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    let mut file = |path: &str, content: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o444);
        builder.append_data(&mut header, format!("{prefix}{path}"), content).unwrap();
    };
    file("sys/devices/sda/size", SIZE);
    file("proc/cpuinfo", b"processor\t: 0\n");
    file("README", b"not asked for");
    let mut link = |path: &str, kind: tar::EntryType, target: &str| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        builder.append_link(&mut header, format!("{prefix}{path}"), target).unwrap();
    };
    link("sys/block/sda", tar::EntryType::Symlink, "../devices/sda");
    link("sys/absolute", tar::EntryType::Symlink, "/sys/devices/sda/size");
    link("sys/outside", tar::EntryType::Symlink, "../../../../../../etc/passwd");
    link("sys/hard", tar::EntryType::Link, &format!("{prefix}sys/devices/sda/size"));
    for (path, kind) in [("dev/pipe", tar::EntryType::Fifo), ("dev/sda", tar::EntryType::Block)] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        builder.append_data(&mut header, format!("{prefix}{path}"), &[][..]).unwrap();
    }
    builder.into_inner().unwrap()
}

/// What [`tar_of`] and [`folder`] must answer.
fn is_that_machine(host: &Replay) {
    let kind = |path: &str| host.read(path).unwrap_err().kind;
    assert_eq!(host.read("/sys/block/sda/size").unwrap(), SIZE);
    assert_eq!(host.read("/sys/absolute").unwrap(), SIZE);
    assert_eq!(host.read("/sys/hard").unwrap(), SIZE);
    assert_eq!(host.read_link("/sys/outside").unwrap(), "../../../../../../etc/passwd");
    assert_eq!(kind("/sys/outside"), HostErrorKind::NotInCapture);
    assert_eq!(kind("/sys/../../etc/passwd"), HostErrorKind::NotInCapture);
    assert_eq!(kind("/etc/passwd"), HostErrorKind::NotInCapture);
    assert_eq!(kind("/dev/pipe"), HostErrorKind::NotInCapture);
    assert_eq!(kind("/sys/devices"), HostErrorKind::Io);
    let listing = host.list("/sys").unwrap();
    assert_eq!(listing.names, ["absolute", "block", "devices", "hard", "outside"]);
    assert!(!listing.complete);
}

fn open(archive: &[u8]) -> Result<Replay, OpenCause> {
    Replay::from_archive(archive)
}

#[test]
fn an_archive_is_told_by_its_content_and_may_have_one_top_folder() {
    for prefix in ["", "./", "simple-lvm/", "./simple-lvm/"] {
        is_that_machine(&open(&tar_of(prefix)).unwrap());
    }
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(&tar_of("")).unwrap();
    let xz = {
        let mut writer = lzma_rust2::XzWriter::new(Vec::new(), lzma_rust2::XzOptions::default()).unwrap();
        writer.write_all(&tar_of("")).unwrap();
        writer.finish().unwrap()
    };
    let zstd = |bytes: &[u8]| ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest);
    let archives = [gzip(&tar_of("")), bzip2.finish().unwrap(), xz, zstd(&tar_of(""))];
    for archive in &archives {
        is_that_machine(&open(archive).unwrap());
        // cut anywhere, it is refused
        for cut in [archive.len() - 1, archive.len() / 2, 20] {
            assert!(matches!(open(&archive[..cut]), Err(OpenCause::Damaged(_))), "{cut} of {}", archive.len());
        }
    }
    // several members of one stream, as pigz and pzstd write them
    let plain = tar_of("");
    let (first, second) = plain.split_at(700);
    is_that_machine(&open(&[gzip(first), gzip(second)].concat()).unwrap());
    let skipped = [&[0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9][..], &zstd(first), &zstd(second)].concat();
    is_that_machine(&open(&skipped).unwrap());
}

#[test]
fn a_damaged_archive_is_refused_as_a_whole() {
    let plain = tar_of("");
    assert!(matches!(open(b""), Err(OpenCause::Damaged(_))));
    assert!(matches!(open(b"just text"), Err(OpenCause::Damaged(_))));
    // between two members, inside a member, inside a header
    for cut in [1024, 1024 + 512 + 5, 100, plain.len() - 1024] {
        assert!(matches!(open(&plain[..cut]), Err(OpenCause::Damaged(_))), "{cut}");
    }
    let mut flipped = plain.clone();
    flipped[5] ^= 1;
    assert!(matches!(open(&flipped), Err(OpenCause::Damaged(_))));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    gzip.write_all(&plain).unwrap();
    let mut gzip = gzip.finish().unwrap();
    let checksum = gzip.len() - 8;
    gzip[checksum] ^= 1;
    assert!(matches!(open(&gzip), Err(OpenCause::Damaged(_))));
}

fn member(path: &[u8], kind: tar::EntryType, size: u64, content: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path);
    header.set_entry_type(kind);
    header.set_size(size);
    header.set_mode(0o444);
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

#[test]
fn members_that_lead_out_clash_or_nest_too_deep_are_refused() {
    let archive = |members: &[Vec<u8>]| [members.concat(), vec![0; 1024]].concat();
    let file = |path: &[u8]| member(path, tar::EntryType::Regular, 1, b"x");
    assert!(open(&archive(&[file(b"sys/a")])).is_ok());
    assert!(matches!(open(&archive(&[file(b"../sys/a")])), Err(OpenCause::Damaged(_))));
    assert!(matches!(open(&archive(&[file(b"sys/../../a")])), Err(OpenCause::Damaged(_))));
    assert!(matches!(open(&archive(&[file(b"sys/a"), file(b"sys/a/b")])), Err(OpenCause::Damaged(_))));
    assert!(matches!(open(&archive(&[file(b"home/me")])), Err(OpenCause::Empty)));
    let deep = format!("sys/{}", "a/".repeat(48));
    assert!(open(&archive(&[file(deep.as_bytes())])).is_ok());
    // an absolute member is one below the tree's root, as tar itself would unpack it
    let host = open(&archive(&[file(b"/sys/a")])).unwrap();
    assert_eq!(host.read("/sys/a").unwrap(), b"x");
    // a later member replaces an earlier one of the same name
    let later = member(b"sys/a", tar::EntryType::Regular, 1, b"y");
    assert_eq!(open(&archive(&[file(b"sys/a"), later])).unwrap().read("/sys/a").unwrap(), b"y");
}

#[test]
fn a_file_over_the_cap_is_too_large_and_not_cut() {
    let size = (16 << 20) + 1;
    let archive = [
        member(b"sys/large", tar::EntryType::Regular, size, &vec![b'x'; size as usize]),
        member(b"sys/small", tar::EntryType::Regular, 1, b"x"),
        vec![0; 1024],
    ]
    .concat();
    let host = open(&archive).unwrap();
    let error = host.read("/sys/large").unwrap_err();
    assert_eq!(error.kind, HostErrorKind::TooLarge);
    assert_eq!(error.to_string(), "cannot read /sys/large: larger than the limit of 16777216 bytes");
    assert_eq!(host.read("/sys/small").unwrap(), b"x");
}

/// The machine of [`tar_of`] as a folder.
fn folder(root: &Path) {
    fs::create_dir_all(root.join("sys/devices/sda")).unwrap();
    fs::create_dir_all(root.join("sys/block")).unwrap();
    fs::create_dir_all(root.join("dev")).unwrap();
    fs::create_dir_all(root.join("proc")).unwrap();
    fs::write(root.join("sys/devices/sda/size"), SIZE).unwrap();
    fs::write(root.join("proc/cpuinfo"), "processor\t: 0\n").unwrap();
    fs::write(root.join("README"), "not asked for").unwrap();
    symlink("../devices/sda", root.join("sys/block/sda")).unwrap();
    symlink("/sys/devices/sda/size", root.join("sys/absolute")).unwrap();
    symlink("../../../../../../etc/passwd", root.join("sys/outside")).unwrap();
    fs::hard_link(root.join("sys/devices/sda/size"), root.join("sys/hard")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("dev/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
}

#[test]
fn a_folder_answers_as_an_archive_does() {
    let temp = tempfile::tempdir().unwrap();
    folder(temp.path());
    is_that_machine(&Replay::open(temp.path()).unwrap());
    let above = tempfile::tempdir().unwrap();
    folder(&above.path().join("simple-lvm"));
    is_that_machine(&Replay::open(above.path()).unwrap());
    let archive = above.path().join("archive.of-any-name");
    fs::write(&archive, tar_of("x/")).unwrap();
    is_that_machine(&Replay::open(&archive).unwrap());
}

#[test]
fn a_link_to_a_real_folder_outside_is_never_followed() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "of this machine").unwrap();
    let temp = tempfile::tempdir().unwrap();
    fs::create_dir_all(temp.path().join("sys/a")).unwrap();
    let target = outside.path().to_str().unwrap();
    symlink(target, temp.path().join("sys/absolute")).unwrap();
    let ups = "../".repeat(temp.path().components().count() + 2);
    symlink(format!("{ups}{}", target.trim_start_matches('/')), temp.path().join("sys/relative")).unwrap();
    symlink("a/../../..", temp.path().join("sys/above")).unwrap();
    let host = Replay::open(temp.path()).unwrap();
    for path in ["/sys/absolute/secret", "/sys/relative/secret", "/sys/above/x", "/sys/a/../../../x"] {
        assert_eq!(host.read(path).unwrap_err().kind, HostErrorKind::NotInCapture, "{path}");
    }
    assert_eq!(host.list("/sys/above").unwrap_err().kind, HostErrorKind::NotInCapture);
}

#[test]
fn what_cannot_be_opened_says_why() {
    let temp = tempfile::tempdir().unwrap();
    let open = |path: &Path| Replay::open(path).err().unwrap();
    let missing = open(&temp.path().join("none"));
    assert_eq!(missing.cause, OpenCause::NotFound);
    assert_eq!(missing.path, temp.path().join("none"));
    assert!(missing.to_string().ends_with("/none: no such file or directory"), "{missing}");
    assert_eq!(open(temp.path()).cause, OpenCause::Empty);
    fs::create_dir(temp.path().join("home")).unwrap();
    assert_eq!(open(temp.path()).cause, OpenCause::Empty);
    assert_eq!(open(Path::new("/dev/null")).cause, OpenCause::NotAFile);
    fs::write(temp.path().join("empty"), "").unwrap();
    assert!(matches!(open(&temp.path().join("empty")).cause, OpenCause::Damaged(_)));
}
