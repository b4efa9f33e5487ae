//! From drives to facts: which device is read, what its outcome is, and that a recording tells the same.

use super::*;
use crate::collect::block::BlockSection;
use crate::collect::ledger::Ledger;
use crate::host::{
    ClockState, Host, HostError, HostErrorKind, Listing, NetlinkFamily, NvmeAdmin, NvmeAnswer, Record, Replay,
    ToolCall, ToolOutput,
};
use crate::inventory::signature::{SignatureFamily, SignatureKind};
use crate::inventory::{BlockDevice, Drive, Transport, Usage};
use crate::reading::{Collection, ReadError, Reading};
use crate::units::Bytes;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// A machine of files and devices.
#[derive(Default)]
struct Machine {
    files: BTreeMap<String, Result<String, HostErrorKind>>,
    devices: BTreeMap<String, Result<Image, HostErrorKind>>,
    read: Mutex<Vec<String>>,
}

fn refused<T>(operation: String, kind: HostErrorKind) -> Result<T, HostError> {
    Err(HostError { operation, kind, cause: "so it is".to_owned() })
}

impl Host for Machine {
    fn read(&self, path: &str) -> Result<Vec<u8>, HostError> {
        match self.files.get(path) {
            Some(Ok(text)) => Ok(text.clone().into_bytes()),
            Some(Err(kind)) => refused(format!("read {path}"), *kind),
            None => refused(format!("read {path}"), HostErrorKind::NotFound),
        }
    }
    fn read_device(&self, device: &str, offset: u64, length: u32) -> Result<Vec<u8>, HostError> {
        let operation = format!("read {length} bytes of {device} at {offset}");
        self.read.lock().unwrap().push(device.to_owned());
        match self.devices.get(device) {
            Some(Ok(image)) if image.is_bad(offset, u64::from(length)) => refused(operation, HostErrorKind::Io),
            Some(Ok(image)) => Ok(image.get(offset, u64::from(length))),
            Some(Err(kind)) => refused(operation, *kind),
            None => refused(operation, HostErrorKind::NotFound),
        }
    }
    fn list(&self, path: &str) -> Result<Listing, HostError> {
        refused(path.to_owned(), HostErrorKind::NotFound)
    }
    fn read_link(&self, path: &str) -> Result<String, HostError> {
        refused(path.to_owned(), HostErrorKind::NotFound)
    }
    fn run(&self, call: &ToolCall) -> Result<ToolOutput, HostError> {
        refused(call.argv.join(" "), HostErrorKind::ToolMissing)
    }
    fn nvme_admin(&self, device: &str, _: &NvmeAdmin) -> Result<NvmeAnswer, HostError> {
        refused(device.to_owned(), HostErrorKind::NotFound)
    }
    fn ethtool(&self, interface: &str, _: &[u8]) -> Result<Vec<u8>, HostError> {
        refused(interface.to_owned(), HostErrorKind::NotFound)
    }
    fn netlink(&self, _: NetlinkFamily, _: &[u8]) -> Result<Vec<Vec<u8>>, HostError> {
        refused("netlink".to_owned(), HostErrorKind::NotSupported)
    }
    fn now(&self) -> Result<jiff::Timestamp, HostError> {
        refused("now".to_owned(), HostErrorKind::NotSupported)
    }
    fn clock_state(&self) -> Result<ClockState, HostError> {
        refused("clock".to_owned(), HostErrorKind::NotSupported)
    }
}

fn known<T>(value: T) -> Reading<T> {
    Reading::Known(value)
}

/// A drive of certain block devices, free, and these devices.
fn drive(name: &str, transport: Transport, devices: &[&str]) -> Drive {
    Drive {
        name: known(name.to_owned()),
        transport: known(transport),
        usage: known(Usage::Free),
        block_devices: known(devices.iter().map(|device| (*device).to_owned()).collect()),
        ..Drive::default()
    }
}

fn device(name: &str, bytes: u64) -> BlockDevice {
    BlockDevice {
        name: known(name.to_owned()),
        bytes: known(Bytes(bytes)),
        logical_block_size: known(Bytes(512)),
        ..BlockDevice::default()
    }
}

const SIZE: u64 = 16 * MIB;

fn read(host: &dyn Host, drives: Vec<Drive>) -> (Vec<Drive>, Vec<ReadError>) {
    let names: Vec<String> =
        drives.iter().flat_map(|drive| drive.block_devices.known().cloned().unwrap_or_default()).collect();
    let mut section = BlockSection {
        drives: Collection::Complete(drives),
        nvme_controllers: Collection::Complete(Vec::new()),
        block_devices: Collection::Complete(names.iter().map(|name| device(name, SIZE)).collect()),
        excluded: Collection::Complete(Vec::new()),
    };
    let ledger = Ledger::new(host);
    super::super::collect(&ledger, &mut section);
    (section.drives.items().to_vec(), ledger.close().1)
}

fn one(
    image: Result<Image, HostErrorKind>,
    change: impl FnOnce(&mut Drive, &mut Machine),
) -> (Drive, Vec<ReadError>, usize) {
    let mut machine = Machine::default();
    machine.devices.insert("/dev/sda".to_owned(), image);
    let mut drive = drive("sda", Transport::Sas, &["sda"]);
    change(&mut drive, &mut machine);
    let (drives, errors) = read(&machine, vec![drive]);
    let reads = machine.read.lock().unwrap().len();
    (drives[0].clone(), errors, reads)
}

fn unread(errors: &[ReadError], reading: &Reading<bool>) -> String {
    match reading {
        Reading::Unreadable(error) => errors[error.0 as usize].to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn blank_only_if_everything_says_so() {
    for fill in [0, 0xff] {
        let mut image = Image::new(SIZE);
        image.fill = fill;
        let (blank, errors, _) = one(Ok(image), |_, _| ());
        assert_eq!((&blank.blank, &blank.unrecognised_data), (&known(true), &known(false)));
        assert_eq!((blank.signatures, blank.partitions), (Collection::Complete(vec![]), Collection::Complete(vec![])));
        assert_eq!(errors, []);
    }
    let (held, _, _) = one(Ok(Image::new(SIZE)), |drive, _| drive.usage = known(Usage::Held));
    assert_eq!((held.blank, held.unrecognised_data), (known(false), known(false)));
    let (noise, ..) = one(Ok(Image::new(SIZE).with(SIZE / 2, [1])), |_, _| ());
    assert_eq!((noise.blank, noise.unrecognised_data), (known(false), known(true)));
    let (same, ..) = one(Ok(Image { fill: 0x5a, ..Image::new(SIZE) }), |_, _| ());
    assert_eq!((same.blank, same.unrecognised_data), (known(false), known(true)));
    let (signed, ..) = one(Ok(Image::new(SIZE).with(1024, ext4())), |_, _| ());
    assert_eq!((signed.blank, signed.unrecognised_data), (known(false), known(false)));
    // What uses it is not known.
    let (absent, errors, _) = one(Ok(Image::new(SIZE)), |drive, _| drive.usage = Reading::Absent);
    assert_eq!(unread(&errors, &absent.blank), "cannot tell what uses sda: the kernel does not say");
}

#[test]
fn one_place_that_cannot_be_read_and_nothing_is_blank() {
    for place in [0, 30_000, MIB, 2 * MIB, SIZE - 512, SIZE / 64 * 33] {
        let mut image = Image::new(SIZE);
        image.bad.push((place, place + 1));
        let (drive, errors, _) = one(Ok(image), |_, _| ());
        assert!(unread(&errors, &drive.blank).contains("bytes of /dev/sda at"), "{place}");
        assert!(matches!(drive.unrecognised_data, Reading::Unreadable(_)), "{place}");
        assert!(!matches!(drive.signatures, Collection::Complete(_)), "{place}");
    }
    // With a signature it is known that it is not.
    let mut image = Image::new(SIZE).with(1024, ext4());
    image.bad.push((SIZE - 512, SIZE));
    let (drive, ..) = one(Ok(image), |_, _| ());
    assert_eq!((&drive.blank, drive.signatures.items().len()), (&known(false), 1));
    assert_eq!(drive.signatures.reasons().len(), 1);
    // Shorter than the kernel says.
    let (drive, errors, _) = one(Ok(Image::new(SIZE - 4096)), |_, _| ());
    assert!(unread(&errors, &drive.blank).contains("the device ended after"));
}

#[test]
fn a_signature_says_where_it_lies() {
    let (drive, _, _) = one(Ok(Image::new(SIZE).with(1024, ext4())), |_, _| ());
    let [signature] = drive.signatures.items() else { panic!("{:?}", drive.signatures) };
    assert_eq!(
        (&signature.kind, &signature.family),
        (&known(SignatureKind::Ext4), &known(SignatureFamily::Filesystem))
    );
    assert_eq!((&signature.device, &signature.offset), (&known("sda".to_owned()), &known(Bytes(1024))));
    assert_eq!((&signature.partition, &signature.member_of), (&Reading::Absent, &Reading::Absent));
    assert_eq!((&signature.uuid, &signature.label), (&known(ID_TEXT.to_owned()), &known("data".to_owned())));
    assert_eq!((&signature.intact, &signature.damage), (&known(true), &Reading::Absent));
    let (drive, _, _) = one(Ok(Image::new(SIZE).with(1024, ext4()).with(1300, [1])), |_, _| ());
    assert_eq!(drive.signatures.items()[0].intact, known(false));
    assert_eq!(drive.signatures.items()[0].damage, known("the checksum of its super block does not hold".to_owned()));
}

#[test]
fn what_sleeps_is_not_woken() {
    for status in ["suspended\n", "suspending\n"] {
        let (drive, errors, reads) = one(Ok(Image::new(SIZE)), |_, machine| {
            machine.files.insert("/sys/class/block/sda/device/power/runtime_status".to_owned(), Ok(status.to_owned()));
        });
        assert!(unread(&errors, &drive.blank).ends_with("sda sleeps (runtime power management), and is not woken"));
        assert!(matches!(drive.signatures, Collection::Unreadable(_)));
        assert_eq!(reads, 0);
    }
    for status in [Ok("active\n".to_owned()), Ok("unsupported\n".to_owned())] {
        let (drive, ..) = one(Ok(Image::new(SIZE)), |_, machine| {
            machine.files.insert("/sys/class/block/sda/device/power/runtime_status".to_owned(), status);
        });
        assert_eq!(drive.blank, known(true));
    }
    // Whether it sleeps cannot be told: it is left alone.
    let (drive, errors, reads) = one(Ok(Image::new(SIZE)), |_, machine| {
        let path = "/sys/class/block/sda/device/power/runtime_status".to_owned();
        machine.files.insert(path, Err(HostErrorKind::Io));
    });
    assert!(unread(&errors, &drive.blank).contains("runtime_status"), "{errors:?}");
    assert_eq!(reads, 0);
    let (drive, errors, reads) = one(Ok(Image::new(SIZE)), |drive, _| drive.health.standby = known(true));
    assert!(unread(&errors, &drive.blank).ends_with("it sleeps, and is not woken"));
    assert_eq!(reads, 0);
}

#[test]
fn a_drive_that_may_not_or_cannot_be_read() {
    for (kind, asked) in
        [(HostErrorKind::PermissionDenied, 1), (HostErrorKind::TimedOut, 1), (HostErrorKind::NotInCapture, 1)]
    {
        let (drive, errors, reads) = one(Err(kind), |_, _| ());
        assert!(unread(&errors, &drive.blank).contains("read 64 bytes of /dev/sda at 0"));
        assert_eq!(reads, asked, "{kind:?}");
        assert!(!matches!(drive.signatures, Collection::Complete(_)));
    }
    let (drive, errors, reads) = one(Ok(Image::new(SIZE)), |drive, _| drive.block_devices = Reading::Absent);
    assert_eq!(
        (unread(&errors, &drive.blank).as_str(), reads),
        ("cannot read what lies on sda: it has no block device", 0)
    );
}

#[test]
fn paths_are_read_once_and_namespaces_all() {
    let mut machine = Machine::default();
    machine.devices.insert("/dev/sda".to_owned(), Err(HostErrorKind::Io));
    for name in ["sdb", "sdc", "nvme0n1", "nvme0n2"] {
        machine.devices.insert(format!("/dev/{name}"), Ok(Image::new(SIZE)));
    }
    machine.devices.insert("/dev/nvme0n2".to_owned(), Ok(Image::new(SIZE).with(1024, ext4())));
    let drives = vec![
        drive("sda", Transport::Sas, &["sda", "sdb", "sdc"]),
        drive("nvme0n1", Transport::Nvme, &["nvme0n1", "nvme0n2"]),
    ];
    let (drives, _) = read(&machine, drives);
    // The first path fails, the second tells, the third is not asked.
    assert_eq!(drives[0].blank, known(true));
    let read = machine.read.lock().unwrap();
    assert!(read.contains(&"/dev/sdb".to_owned()) && !read.contains(&"/dev/sdc".to_owned()));
    assert_eq!(drives[1].blank, known(false));
    assert_eq!(drives[1].signatures.items()[0].device, known("nvme0n2".to_owned()));
}

#[test]
fn a_recording_tells_the_same() {
    let mut machine = Machine::default();
    let mut broken = Image::new(SIZE).with(1024, ext4());
    broken.bad.push((2 * MIB, 3 * MIB));
    for (name, image) in
        [("sda", Ok(Image::new(SIZE))), ("sdb", Ok(broken)), ("sdc", Err(HostErrorKind::PermissionDenied))]
    {
        machine.devices.insert(format!("/dev/{name}"), image);
    }
    let drives = || ["sda", "sdb", "sdc"].map(|name| drive(name, Transport::Sata, &[name])).to_vec();
    let record = Record::new(&machine);
    let first = read(&record, drives());
    let replay = Replay::from_files(record.capture()).unwrap();
    assert_eq!(read(&replay, drives()), first);
    assert_eq!(first.0[0].blank, known(true));
    assert_eq!(first.0[1].signatures.items().len(), 1);
}
