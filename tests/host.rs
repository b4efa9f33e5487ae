//! Recordings from folders and archives, whole and damaged.
#![expect(clippy::disallowed_methods, reason = "recordings are made here")]

use passmuster::host::{
    Entry, Host, HostErrorKind, Live, NetlinkFamily, NvmeAdmin, OpenCause, Outcome, Question, Record, Replay,
};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

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

/// By number: plain, gzip, bzip2, xz, zstd.
fn packed(packing: usize, bytes: &[u8]) -> Vec<u8> {
    match packing {
        1 => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        2 => {
            let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        3 => {
            let mut options = lzma_rust2::XzOptions::default();
            options.lzma_options.dict_size = 1 << 16;
            let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
            writer.write_all(bytes).unwrap();
            writer.finish().unwrap()
        }
        4 => ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest),
        _ => bytes.to_vec(),
    }
}

fn open(archive: &[u8]) -> Result<Replay, OpenCause> {
    Replay::from_archive(archive)
}

#[test]
fn an_archive_is_told_by_its_content_and_may_have_one_top_folder() {
    for prefix in ["", "./", "simple-lvm/", "./simple-lvm/"] {
        is_that_machine(&open(&tar_of(prefix)).unwrap());
    }
    let archives = [1, 2, 3, 4].map(|packing| packed(packing, &tar_of("")));
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
    for packing in [1, 2, 3, 4] {
        is_that_machine(&open(&[packed(packing, first), packed(packing, second)].concat()).unwrap());
    }
    // a frame of zstd that holds no data
    let skipped = [&[0x53, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9][..], &packed(4, &plain)].concat();
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

/// Questions to any Linux machine, of every verb, with answers and failures.
fn questions(file: &Path) -> Vec<Question> {
    let words = |argv: &[&str]| Question::Run(argv.iter().map(|word| (*word).to_owned()).collect());
    let message = |kind: u16, payload: &[u8]| {
        let length = 16 + payload.len() as u32;
        [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), &0x301_u16.to_ne_bytes(), &[0; 8], payload].concat()
    };
    let file = file.to_str().unwrap().to_owned();
    let mut questions = vec![
        Question::Now,
        Question::ClockState,
        // changes from one reading to the next
        Question::Read("/proc/uptime".into()),
        Question::Read("/proc/self/stat".into()),
        // through a link, and by its own path
        Question::Read("/sys/class/net/lo/mtu".into()),
        Question::Read("/sys/devices/virtual/net/lo/mtu".into()),
        // down: EINVAL
        Question::Read("/sys/class/net/lo/speed".into()),
        words(&["sh", "-c", "printf out; printf '\\377' >&2; exit 3"]),
        words(&["cat", "/proc/uptime"]),
        words(&["no-such-tool"]),
        words(&["/bin/sh"]),
        Question::NvmeAdmin("/dev/nvme4095".into(), NvmeAdmin::Identify { cns: 1, nsid: 0 }),
        Question::Ethtool("lo".into(), [0x0a_u32.to_ne_bytes(), [0; 4]].concat()),
        Question::Ethtool("lo".into(), 2_u32.to_ne_bytes().to_vec()),
        Question::Netlink(NetlinkFamily::Route, message(18, &[0; 16])),
        Question::Netlink(NetlinkFamily::Route, message(16, &[0; 16])),
        Question::ReadDevice(file, 3, 4),
        Question::ReadDevice("/dev/null".into(), 0, 4),
    ];
    for path in ["/proc/version", "/proc/none", "/proc/version/none", "/sys/class/net", "/sys/class/net/lo", "relative"]
    {
        questions.extend([
            Question::Read(path.to_owned()),
            Question::List(path.to_owned()),
            Question::ReadLink(path.to_owned()),
        ]);
    }
    questions
}

fn ask(host: &dyn Host, questions: &[Question]) -> Vec<Outcome> {
    questions.iter().map(|question| question.put(host, Duration::from_secs(60))).collect()
}

#[test]
fn a_recording_of_this_machine_answers_as_the_machine_did() {
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().write_all(b"0123456789").unwrap();
    let questions = questions(file.path());
    let live = Live::new();
    let record = Record::new(&live);
    let recorded = ask(&record, &questions);
    assert!(recorded.iter().filter(|outcome| outcome.is_ok()).count() > 10);
    assert!(recorded.iter().filter(|outcome| outcome.is_err()).count() > 10);
    assert_eq!(ask(&record, &questions), recorded, "asked again, the first answers come");

    let capture = record.capture();
    assert_eq!(ask(&Replay::from_files(capture.clone()).unwrap(), &questions), recorded);

    let temp = tempfile::tempdir().unwrap();
    let mut builder = tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    for (path, content) in &capture {
        let place = temp.path().join(path);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, content).unwrap();
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        builder.append_data(&mut header, format!("node01/{path}"), &content[..]).unwrap();
    }
    let folder = Replay::open(temp.path()).unwrap();
    assert_eq!(ask(&folder, &questions), recorded);
    let archive = builder.into_inner().unwrap().finish().unwrap();
    assert_eq!(ask(&Replay::from_archive(&archive[..]).unwrap(), &questions), recorded);

    // people find in it what was read, under its own name
    let version = fs::read(temp.path().join("proc/version")).unwrap();
    assert_eq!(version, live.read("/proc/version").unwrap());
    assert!(temp.path().join("tools/cat %2Fproc%2Fuptime").is_file());

    let never = folder.read("/proc/cmdline").unwrap_err();
    assert_eq!(never.kind, HostErrorKind::NotInCapture);
    assert_eq!(never.to_string(), "cannot read /proc/cmdline: not in the capture");

    // a capture that lost a file, or a part of one, is not half a machine
    let uptime = temp.path().join("proc/uptime");
    fs::write(&uptime, "1").unwrap();
    assert!(matches!(Replay::open(temp.path()).err().unwrap().cause, OpenCause::Damaged(_)));
    fs::remove_file(&uptime).unwrap();
    let error = Replay::open(temp.path()).err().unwrap();
    assert!(
        error.to_string().ends_with("damaged: the file proc/uptime, which the manifest names, is not in it"),
        "{error}"
    );
    fs::write(temp.path().join("muster-capture.json"), r#"{"schema": "muster.capture/v9"}"#).unwrap();
    let error = Replay::open(temp.path()).err().unwrap();
    assert_eq!(error.cause, OpenCause::Schema("muster.capture/v9".to_owned()));
}

#[test]
fn live_and_replayed_failures_have_the_same_words() {
    let live = Live::new();
    let replay = Replay::complete([("proc/version", Entry::file("")), ("sys/class/net/lo", Entry::link("../x"))]);
    let questions = [
        Question::Read("/proc/none".into()),
        Question::Read("/proc/version/none".into()),
        Question::Read("/proc".into()),
        Question::Read("relative".into()),
        Question::List("/proc/version".into()),
        Question::List("/proc/none".into()),
        Question::ReadLink("/proc/version".into()),
        Question::ReadLink("/proc/none".into()),
        Question::Run(vec!["no-such-tool".into()]),
        Question::ReadDevice("/dev/none".into(), 0, 1),
        Question::NvmeAdmin("/dev/nvme4095".into(), NvmeAdmin::Identify { cns: 1, nsid: 0 }),
    ];
    for (live, replayed) in ask(&live, &questions).into_iter().zip(ask(&replay, &questions)) {
        assert!(live.is_err());
        assert_eq!(live, replayed);
    }
}

/// Names of few letters, so that arbitrary links and paths meet.
fn any_path() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "sys", "..", ".", "", "etc"]);
    (any::<bool>(), prop::collection::vec(name, 1..6))
        .prop_map(|(absolute, names)| format!("{}{}", if absolute { "/" } else { "" }, names.join("/")))
}

fn any_entries() -> impl Strategy<Value = BTreeMap<String, Entry>> {
    let name = prop::sample::select(vec!["a", "b", "sys", "etc"]);
    let path = prop::collection::vec(name, 1..4).prop_map(|names| format!("sys/{}", names.join("/")));
    let entry = prop_oneof![
        3 => any_path().prop_filter("the kernel makes no empty link", |target| !target.is_empty()).prop_map(Entry::Link),
        1 => Just(Entry::file("inside")),
        1 => Just(Entry::Dir),
    ];
    prop::collection::vec((path, entry), 0..12).prop_map(|entries| {
        let mut tree = BTreeMap::new();
        for (path, entry) in entries {
            let meets = |other: &String| {
                let (long, short) = if other.len() > path.len() { (other, &path) } else { (&path, other) };
                long == short || long.strip_prefix(short.as_str()).is_some_and(|rest| rest.starts_with('/'))
            };
            if !tree.keys().any(meets) {
                tree.insert(path, entry);
            }
        }
        tree
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Outside stand folders and files of the same names: whoever leaves the tree finds "outside".
    #[test]
    fn arbitrary_links_never_leave_the_tree_and_folders_answer_as_memory_does(
        entries in any_entries(),
        paths in prop::collection::vec(any_path(), 1..40),
    ) {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("a/b");
        for outer in [temp.path(), &temp.path().join("a")] {
            for name in ["a", "b", "sys", "etc"] {
                if outer != temp.path() || name != "a" {
                    fs::create_dir_all(outer.join(name)).unwrap();
                }
                if name != "b" && name != "a" {
                    fs::write(outer.join(name).join("a"), "outside").unwrap();
                }
            }
        }
        fs::create_dir_all(root.join("sys")).unwrap();
        for (path, entry) in &entries {
            let place = root.join(path);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            match entry {
                Entry::File(content) => fs::write(place, content).unwrap(),
                Entry::Link(target) => symlink(target, place).unwrap(),
                Entry::Dir => fs::create_dir(place).unwrap(),
            }
        }
        let disk = Replay::open(&root).unwrap();
        let memory = Replay::from_entries(entries.into_iter().chain([("sys".to_owned(), Entry::Dir)]));
        for path in paths {
            for question in
                [Question::Read(path.clone()), Question::List(path.clone()), Question::ReadLink(path.clone())]
            {
                let answer = question.put(&disk, Duration::ZERO);
                prop_assert_eq!(&answer, &question.put(&memory, Duration::ZERO));
                let is_outside = format!("{answer:?}").contains(&format!("{:?}", b"outside"));
                prop_assert!(!is_outside);
            }
        }
    }

    #[test]
    fn arbitrary_bytes_are_no_reason_to_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..4096),
        start in prop::sample::select(vec![&b""[..], b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"]),
    ) {
        let _ = open(&[start, &bytes].concat());
    }

    #[test]
    fn a_damaged_archive_is_no_reason_to_panic(
        packing in 0_usize..5,
        damages in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        checksum in any::<bool>(),
    ) {
        let mut plain = tar_of("");
        let damage = |bytes: &mut Vec<u8>| {
            for (place, value) in &damages {
                let place = place.index(bytes.len());
                bytes[place] = *value;
            }
        };
        if packing == 0 {
            damage(&mut plain);
            if checksum {
                // the damage stands, its header's checksum is right
                for block in plain.chunks_exact_mut(512) {
                    let mut header = tar::Header::new_old();
                    header.as_mut_bytes().copy_from_slice(block);
                    if block.iter().any(|byte| *byte != 0) && header.cksum().is_ok() {
                        header.set_cksum();
                        block.copy_from_slice(header.as_bytes());
                    }
                }
            }
            if let Ok(host) = open(&plain) {
                let _ = host.list("/sys");
            }
        } else {
            let mut packed = packed(packing, &plain);
            damage(&mut packed);
            let _ = open(&packed);
        }
    }

    #[test]
    fn an_arbitrary_manifest_is_no_reason_to_panic(text in r#"[\[\]{}":,a-z0-9/]{0,200}"#) {
        let text = format!(r#"{{"schema":"muster.capture/v1","written_by":"","questions":[{text}]}}"#);
        let _ = Replay::from_files([("muster-capture.json", text.into_bytes())]);
    }
}
