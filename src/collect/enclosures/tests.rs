//! Enclosures made up for the purpose.

use super::*;
use crate::host::{Answer, Entry, HostErrorKind, Question, Replay};
use crate::reading::ReadError;

const HANGS: &str =
    "/sys/devices/pci0000:00/0000:00:03.0/host0/port-0:0/expander-0:0/port-0:0:8/end_device-0:0:8/target0:0:8/0:0:8:0";

fn entries() -> Vec<(String, Entry)> {
    let at = format!("{HANGS}/enclosure/0:0:8:0");
    let mut entries = vec![
        (
            "/sys/class/enclosure/0:0:8:0".into(),
            Entry::link(format!("../..{}/enclosure/0:0:8:0", HANGS.trim_start_matches("/sys"))),
        ),
        ("/sys/class/scsi_device/0:0:8:0/device/type".into(), Entry::file("13\n")),
        ("/sys/class/scsi_device/0:0:0:0/device/type".into(), Entry::file("0\n")),
        ("/sys/bus/pci/slots".into(), Entry::Dir),
        (format!("{at}/components"), Entry::file("24\n")),
        (format!("{at}/id"), Entry::file("0x500304801f3a00bf\n")),
        (format!("{at}/device"), Entry::link("../../../0:0:8:0")),
        (format!("{HANGS}/vendor"), Entry::file("MAKER   \n")),
        (format!("{HANGS}/model"), Entry::file("SHELF           \n")),
        (format!("{HANGS}/rev"), Entry::file("0c06\n")),
        (format!("{at}/uevent"), Entry::file("")),
        (format!("{at}/power/control"), Entry::file("auto\n")),
        (format!("{at}/Slot 02/device"), Entry::link("../../../../../../../disk")),
        (
            "/sys/devices/pci0000:00/0000:00:03.0/host0/port-0:0/expander-0:0/disk/block/sda/size".into(),
            Entry::file("8\n"),
        ),
    ];
    for (name, number, status, fault, power) in [
        ("Slot 10", "10", "not installed", "0", "off"),
        ("Slot 02", "2", "OK", "0", "on"),
        ("Slot 03", "3", "critical", "6", "on"),
    ] {
        for (file, content) in [
            ("type", "array device"),
            ("slot", number),
            ("status", status),
            ("fault", fault),
            ("locate", "0"),
            ("active", "0"),
            ("power_status", power),
        ] {
            entries.push((format!("{at}/{name}/{file}"), Entry::file(format!("{content}\n"))));
        }
    }
    entries
}

fn drives(serial: Reading<String>) -> Collection<Drive> {
    let block_devices = Reading::Known(vec!["sda".to_owned()]);
    Collection::Complete(vec![Drive { block_devices, serial, ..Drive::default() }])
}

fn told(host: &Replay, serial: Reading<String>) -> (Section, Vec<ReadError>) {
    let ledger = Ledger::new(host);
    let section = collect(&ledger, &drives(serial));
    (section, ledger.close().1)
}

fn known(text: &str) -> Reading<String> {
    Reading::Known(text.to_owned())
}

#[test]
fn a_shelf_with_three_slots() {
    let (section, errors) = told(&Replay::complete(entries()), known("S1"));
    let Collection::Complete(all) = &section.enclosures else { panic!("{:?} {errors:?}", section.enclosures) };
    let [shelf] = &all[..] else { panic!("{all:?}") };
    assert_eq!(shelf.name, known("0:0:8:0"));
    assert_eq!(shelf.id, known("500304801f3a00bf"));
    assert_eq!((&shelf.vendor, &shelf.model, &shelf.revision), (&known("MAKER"), &known("SHELF"), &known("0c06")));
    assert_eq!(shelf.components, Reading::Known(24));
    assert_eq!(shelf.pci_address, known("0000:00:03.0"));
    let Collection::Complete(slots) = &shelf.slots else { panic!("{:?}", shelf.slots) };
    let names: Vec<_> = slots.iter().map(|slot| slot.name.known().unwrap().as_str()).collect();
    assert_eq!(names, ["Slot 02", "Slot 03", "Slot 10"]);
    assert_eq!((&slots[0].drive, &slots[0].serial), (&known("sda"), &known("S1")));
    assert_eq!((&slots[0].number, &slots[0].status), (&Reading::Known(2), &known("OK")));
    assert_eq!((&slots[0].fault, &slots[0].power), (&Reading::Known(false), &Reading::Known(true)));
    assert_eq!((&slots[1].fault, &slots[1].status), (&Reading::Known(true), &known("critical")));
    assert_eq!((&slots[1].drive, &slots[1].serial), (&Reading::Absent, &Reading::Absent));
    assert_eq!((&slots[2].power, &slots[2].status), (&Reading::Known(false), &known("not installed")));
    assert_eq!(slots[2].kind, known("array device"));
    assert_eq!((&slots[2].locate, &slots[2].active), (&Reading::Known(false), &Reading::Known(false)));
}

#[test]
fn a_serial_number_that_is_not_known_is_not_absent() {
    let (section, errors) = told(&Replay::complete(entries()), Reading::Unreadable(ErrorId(77)));
    let slot = &section.enclosures.items()[0].slots.items()[0];
    let Reading::Unreadable(error) = slot.serial else { panic!("{:?}", slot.serial) };
    assert_eq!(errors[error.0 as usize].operation, "tell the serial number of sda");
    let (section, _) = told(&Replay::complete(entries()), Reading::Absent);
    assert_eq!(section.enclosures.items()[0].slots.items()[0].serial, Reading::Absent);
}

#[test]
fn none_is_only_told_where_no_services_device_is() {
    let disk = ("/sys/class/scsi_device/0:0:0:0/device/type", Entry::file("0\n"));
    let (section, _) = told(&Replay::complete([disk.clone()]), Reading::Absent);
    assert_eq!(section.enclosures, Collection::Complete(Vec::new()));
    let services = ("/sys/class/scsi_device/0:0:9:0/device/type", Entry::file("13\n"));
    let (section, errors) = told(&Replay::complete([disk, services.clone()]), Reading::Absent);
    let Collection::Partial { items, reasons } = &section.enclosures else { panic!("{:?}", section.enclosures) };
    assert!(items.is_empty());
    assert_eq!(
        errors[reasons[0].0 as usize].to_string(),
        "cannot see the slots of the enclosure 0:0:9:0: the module ses is not loaded"
    );
    let loaded = ("/sys/class/enclosure", Entry::Dir);
    let (section, errors) = told(&Replay::complete([services, loaded]), Reading::Absent);
    let reason = section.enclosures.reasons()[0];
    assert_eq!(errors[reason.0 as usize].cause, "the driver ses did not take it");
}

#[test]
fn a_slot_that_does_not_answer() {
    let slot = "/sys/class/enclosure/0:0:8:0/Slot 02";
    let host = Replay::complete(entries())
        .with(Question::Read(format!("{slot}/power_status")), Err(HostErrorKind::NotSupported))
        .with(Question::Read(format!("{slot}/status")), Err(HostErrorKind::TimedOut))
        .with(Question::Read(format!("{slot}/fault")), Ok(Answer::Bytes(b"8\n".to_vec())))
        .with(Question::Read(format!("{slot}/locate")), Err(HostErrorKind::PermissionDenied));
    let (section, errors) = told(&host, known("S1"));
    let slot = &section.enclosures.items()[0].slots.items()[0];
    let kind = |reading: &Reading<bool>| match reading {
        Reading::Unreadable(error) => errors[error.0 as usize].kind,
        other => panic!("{other:?}"),
    };
    assert_eq!(kind(&slot.power), ErrorKind::NotSupported);
    assert_eq!(kind(&slot.fault), ErrorKind::Malformed);
    assert_eq!(kind(&slot.locate), ErrorKind::PermissionDenied);
    assert!(matches!(&slot.status, Reading::Unreadable(error) if errors[error.0 as usize].kind == ErrorKind::TimedOut));
    assert_eq!(slot.drive, known("sda"));
}

#[test]
fn a_tree_without_manifest_is_partial() {
    let (section, _) = told(&Replay::from_entries(entries()), known("S1"));
    assert!(matches!(&section.enclosures, Collection::Partial { items, .. } if items.len() == 1));
    assert!(matches!(&section.pci_slots, Collection::Partial { items, .. } if items.is_empty()));
}

#[test]
fn words_of_slots() {
    assert_eq!(parse_id("0x1"), Ok(Some("0000000000000001".to_owned())));
    assert_eq!(parse_id("0"), Ok(None));
    for text in ["", "0x", "500304801f3a00bf", "0x1500304801f3a00bf", "0xzz"] {
        assert!(parse_id(text).is_err(), "{text}");
    }
    // FAULT REQSTD alone, FAULT SENSED alone.
    assert_eq!((parse_fault("2"), parse_fault("4")), (Ok(true), Ok(true)));
    assert!(parse_fault("3").is_err());
    assert_eq!(parse_status("non-critical").as_deref(), Ok("non-critical"));
    assert!(parse_status("fine").is_err());
    assert!(parse_power("1").is_err());
    assert!(number("-1").is_err());
}

#[test]
fn slots_of_pci() {
    let host = Replay::complete([
        ("/sys/bus/pci/slots/10/address", Entry::file("0000:3b:00\n")),
        ("/sys/bus/pci/slots/10/power", Entry::file("1\n")),
        ("/sys/bus/pci/slots/10/attention", Entry::file("2\n")),
        ("/sys/bus/pci/slots/10/latch", Entry::file("0\n")),
        ("/sys/bus/pci/slots/10/adapter", Entry::file("1\n")),
        ("/sys/bus/pci/slots/2/address", Entry::file("0000:5e:00\n")),
        ("/sys/bus/pci/slots/2/power", Entry::file("perhaps\n")),
    ]);
    let (section, _) = told(&host, Reading::Absent);
    let Collection::Complete(slots) = &section.pci_slots else { panic!("{:?}", section.pci_slots) };
    assert_eq!(slots[0].name, known("2"));
    assert_eq!((&slots[0].attention, &slots[0].latch_open), (&Reading::Absent, &Reading::Absent));
    assert!(matches!(slots[0].power, Reading::Unreadable(_)));
    assert_eq!((&slots[1].name, &slots[1].address), (&known("10"), &known("0000:3b:00")));
    assert_eq!((&slots[1].power, &slots[1].adapter), (&Reading::Known(true), &Reading::Known(true)));
    assert_eq!((&slots[1].attention, &slots[1].latch_open), (&Reading::Known(2), &Reading::Known(false)));
    let (section, errors) = told(&Replay::complete([("/sys/class/x", Entry::Dir)]), Reading::Absent);
    assert!(matches!(section.pci_slots, Collection::Unreadable(_)), "{errors:?}");
}
