//! Machines with such a controller, and what becomes of its tool.

use super::super::*;
use super::*;
use crate::host::{Answer, HostErrorKind, Question, Replay, ToolOutput};
use crate::inventory::controller::Attached;
use crate::reading::ReadError;
use crate::units::{BitsPerSec, Bytes, Celsius, Ratio};

const AT: &str = "0000:03:00.0";

fn controller(driver: &str, kind: ControllerKind, address: &str) -> StorageController {
    StorageController {
        name: known(address),
        pci_address: known(address),
        kind: Reading::Known(kind),
        driver: known(driver),
        attached: Collection::Complete(Vec::new()),
        ..StorageController::default()
    }
}

fn with_volume(mut controller: StorageController, volume: Reading<bool>) -> StorageController {
    controller.attached = Collection::Complete(vec![Attached { volume, ..Attached::default() }]);
    controller
}

fn drive(name: &str, serial: Reading<String>, transport: Transport) -> Drive {
    Drive {
        name: known(name),
        serial,
        transport: Reading::Known(transport),
        pci_address: known(AT),
        ..Drive::default()
    }
}

fn ran(host: Replay, argv: &str, stdout: &str) -> Replay {
    let output = ToolOutput { status: Some(0), stdout: stdout.as_bytes().to_vec(), stderr: Vec::new() };
    host.with(Question::Run(argv.split(' ').map(str::to_owned).collect()), Ok(Answer::Tool(output)))
}

fn failed(host: Replay, argv: &str, kind: HostErrorKind) -> Replay {
    host.with(Question::Run(argv.split(' ').map(str::to_owned).collect()), Err(kind))
}

fn empty() -> Replay {
    Replay::complete([("/x", crate::host::Entry::Dir)])
}

fn megaraid() -> Replay {
    let host = ran(empty(), "storcli64 /call show all J nolog", ALL);
    let host = ran(host, "storcli64 /call/eall/sall show all J nolog", DRIVES);
    let host = failed(host, "storcli64 /call/sall show all J nolog", HostErrorKind::Io);
    ran(host, "storcli64 /call/vall show all J nolog", VOLUMES)
}

fn collected(host: &Replay, controllers: Vec<StorageController>, drives: Vec<Drive>) -> (Section, Vec<ReadError>) {
    let ledger = Ledger::new(host);
    let section = collect(&ledger, &Collection::Complete(controllers), &Collection::Complete(drives));
    (section, ledger.close().1)
}

fn names<T>(items: &[T], name: impl Fn(&T) -> &Reading<String>) -> Vec<&str> {
    items.iter().map(|item| name(item).known().unwrap().as_str()).collect()
}

#[test]
fn what_hides_behind_megaraid() {
    let controllers = vec![controller("megaraid_sas", ControllerKind::Raid, AT)];
    let drives = vec![drive("sda", known("volume"), Transport::Raid), drive("sdb", known("S0000004"), Transport::Sas)];
    let (section, errors) = collected(&megaraid(), controllers, drives);
    let Collection::Complete(hidden) = &section.hidden else { panic!("{:?} {errors:?}", section.hidden) };
    // The JBOD is the kernel's sdb, and not hidden.
    assert_eq!(names(hidden, |d| &d.name), ["/c0/s4", "/c0/e252/s0", "/c0/e252/s1", "/c0/e252/s2"]);
    let bad = &hidden[2];
    assert_eq!((&bad.controller, &bad.volume), (&known(AT), &known("/c0/v0")));
    assert_eq!((&bad.media_error_count, &bad.other_error_count), (&Reading::Known(3), &Reading::Known(7)));
    assert_eq!(
        (&bad.predictive_failure_count, &bad.bytes),
        (&Reading::Known(1), &Reading::Known(Bytes(480_103_981_056)))
    );
    assert_eq!((&bad.health.passed, &bad.health.media_errors), (&Reading::Known(false), &Reading::Known(3)));
    assert_eq!((&bad.health.interface, &bad.health.temperature), (&known("storcli64"), &Reading::Known(Celsius(22.0))));
    assert_eq!(bad.health.link_speed, Reading::Known(BitsPerSec(6_000_000_000)));
    let Reading::Unreadable(error) = bad.health.power_on_time else { panic!("{:?}", bad.health) };
    assert_eq!(errors[error.0 as usize].cause, "it does not tell; smartctl may");
    assert!(matches!(hidden[0].serial, Reading::Unreadable(_)));

    // The kernel's drives are not all there are.
    let [unseen] = section.unseen[..] else { panic!("{:?}", section.unseen) };
    assert_eq!(
        errors[unseen.0 as usize].to_string(),
        "cannot see the drives behind 0000:03:00.0: storcli64 lists 4 that the kernel does not show"
    );

    let Collection::Complete(volumes) = &section.volumes else { panic!("{:?}", section.volumes) };
    assert_eq!(names(volumes, |volume| &volume.name), ["/c0/v0", "/c0/v1"]);
    assert_eq!(volumes[0].controller, known(AT));
    let raid = &section.controllers[0].raid;
    assert_eq!((&raid.tool, &raid.name, &raid.battery), (&known("storcli64"), &known("/c0"), &known("Optimal")));
    assert_eq!((&raid.rebuild_rate, &raid.temperature), (&Reading::Known(Ratio(0.3)), &Reading::Known(Celsius(61.0))));
    assert_eq!(
        (&section.controllers[0].firmware, &section.controllers[0].serial),
        (&known("5.100.00-3310"), &known("AR00000001"))
    );
}

#[test]
fn a_tool_that_is_missing_is_named() {
    let mut host = empty();
    for program in ["storcli64", "storcli", "perccli64", "perccli"] {
        host = failed(host, &format!("{program} /call show all J nolog"), HostErrorKind::ToolMissing);
    }
    let (section, errors) = collected(&host, vec![controller("megaraid_sas", ControllerKind::Raid, AT)], Vec::new());
    let Reading::Unreadable(error) = section.controllers[0].raid.battery else { panic!("{:?}", section.controllers) };
    assert_eq!(errors[error.0 as usize].kind, ErrorKind::ToolMissing);
    assert_eq!(
        errors[error.0 as usize].to_string(),
        "cannot run storcli64 or storcli or perccli64 or perccli: not installed; it comes with Broadcom's package storcli or Dell's perccli"
    );
    assert_eq!(section.hidden, Collection::Partial { items: Vec::new(), reasons: vec![error] });
    assert_eq!(section.volumes, Collection::Partial { items: Vec::new(), reasons: vec![error] });
}

#[test]
fn the_first_program_that_is_installed_answers() {
    let mut host = empty();
    for program in ["storcli64", "storcli", "perccli"] {
        host = failed(host, &format!("{program} /call show all J nolog"), HostErrorKind::ToolMissing);
    }
    host = ran(host, "perccli64 /call show all J nolog", ALL);
    let (section, _) = collected(&host, vec![controller("megaraid_sas", ControllerKind::Raid, AT)], Vec::new());
    assert_eq!(section.controllers[0].raid.tool, known("perccli64"));
    // Of the details nothing was recorded: the drives are listed all the same, and the JBOD that no serial number joins is told of.
    let Collection::Partial { items, reasons } = &section.hidden else { panic!("{:?}", section.hidden) };
    assert_eq!((items.len(), reasons.len()), (4, 1));
}

#[test]
fn a_silent_tool_is_asked_once() {
    let host = ran(empty(), "storcli64 /call show all J nolog", ALL);
    let host = failed(host, "storcli64 /call/eall/sall show all J nolog", HostErrorKind::TimedOut);
    // Would answer, and is not asked.
    let host = ran(host, "storcli64 /call/vall show all J nolog", VOLUMES);
    let (section, errors) = collected(&host, vec![controller("megaraid_sas", ControllerKind::Raid, AT)], Vec::new());
    let Reading::Unreadable(error) = section.volumes.items()[0].block_device else { panic!("{:?}", section.volumes) };
    assert_eq!(
        errors[error.0 as usize].to_string(),
        "cannot run storcli64 /call/eall/sall show all J nolog: so the test says"
    );
    assert!(matches!(section.controllers[0].raid.battery, Reading::Known(_)));
    let host = failed(empty(), "storcli64 /call show all J nolog", HostErrorKind::TimedOut);
    let (section, errors) = collected(&host, vec![controller("megaraid_sas", ControllerKind::Raid, AT)], Vec::new());
    let reason = section.hidden.reasons()[0];
    assert_eq!(errors[reason.0 as usize].kind, ErrorKind::TimedOut);
}

#[test]
fn nothing_is_asked_without_such_a_controller() {
    let plain = vec![
        controller("ahci", ControllerKind::Ahci, "0000:00:17.0"),
        controller("nvme", ControllerKind::Nvme, "0000:01:00.0"),
        controller("mvsas", ControllerKind::SasHba, "0000:02:00.0"),
    ];
    // A replay that holds no answer would say so.
    let (section, errors) = collected(&Replay::from_entries::<&str>([]), plain, Vec::new());
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(section.hidden, Collection::Complete(Vec::new()));
    assert_eq!(section.volumes, Collection::Complete(Vec::new()));
    assert!(section.unseen.is_empty());
    assert!(section.controllers.iter().all(|filled| filled.raid.temperature == Reading::Absent));
}

#[test]
fn a_controller_without_a_known_tool_may_hide_drives() {
    for controllers in [
        vec![controller("arcmsr", ControllerKind::Raid, AT)],
        vec![StorageController { driver: Reading::Absent, ..controller("", ControllerKind::Raid, AT) }],
        vec![StorageController { driver: Reading::Absent, ..controller("", ControllerKind::SasHba, AT) }],
    ] {
        let (section, errors) = collected(&empty(), controllers, Vec::new());
        let Collection::Partial { reasons, .. } = &section.hidden else { panic!("{:?}", section.hidden) };
        assert!(errors[reasons[0].0 as usize].cause.starts_with("no tool for the driver"), "{errors:?}");
        assert!(matches!(section.controllers[0].raid.battery, Reading::Unreadable(_)));
    }
}

#[test]
fn an_hba_without_volumes_hides_nothing() {
    let missing = || {
        let storcli =
            ["storcli64", "storcli", "perccli64", "perccli"].map(|name| format!("{name} /call show all J nolog"));
        let all = ["sas3ircu LIST", "sas2ircu LIST"].into_iter().chain(storcli.iter().map(String::as_str));
        all.fold(empty(), |host, argv| failed(host, argv, HostErrorKind::ToolMissing))
    };
    let hba = || controller("mpt3sas", ControllerKind::SasHba, AT);
    let (section, _) = collected(&missing(), vec![with_volume(hba(), Reading::Known(false))], Vec::new());
    assert_eq!(section.hidden, Collection::Complete(Vec::new()));
    assert_eq!(section.volumes, Collection::Complete(Vec::new()));
    assert!(matches!(section.controllers[0].raid.personality, Reading::Unreadable(_)));
    // With one, or where that is not known, it may.
    for volume in [Reading::Known(true), Reading::Unreadable(ErrorId(0))] {
        let (section, _) = collected(&missing(), vec![with_volume(hba(), volume)], Vec::new());
        assert!(matches!(section.hidden, Collection::Partial { .. }));
    }
    let unsure = StorageController { attached: Collection::Unreadable(ErrorId(0)), ..hba() };
    assert!(matches!(collected(&missing(), vec![unsure], Vec::new()).0.hidden, Collection::Partial { .. }));
}

#[test]
fn where_several_tools_would_do_all_are_named() {
    let host = ["ssacli ctrl all show config detail", "hpssacli ctrl all show config detail", "arcconf GETCONFIG 1"]
        .iter()
        .fold(empty(), |host, argv| failed(host, argv, HostErrorKind::ToolMissing));
    let (section, errors) = collected(&host, vec![controller("smartpqi", ControllerKind::Raid, AT)], Vec::new());
    assert_eq!(
        errors[section.hidden.reasons()[0].0 as usize].to_string(),
        "cannot run ssacli or hpssacli or arcconf: not installed; it comes with HPE's package ssacli, or Microchip's package Arcconf"
    );
}

#[test]
fn two_tools_complete_each_other() {
    let display =
        DISPLAY.replace("Bus                                     : 59", "Bus                                     : 3");
    let host = ran(ran(empty(), "sas3ircu LIST", LIST), "sas3ircu 0 DISPLAY", &display);
    let host = ran(host, "storcli64 /call show all J nolog", fixture!("storcli-it.json"));
    let controllers = vec![with_volume(controller("mpt3sas", ControllerKind::SasHba, AT), Reading::Known(true))];
    let drives = vec![drive("sdb", known("S0000203"), Transport::Sas)];
    let (section, errors) = collected(&host, controllers, drives);
    let raid = &section.controllers[0].raid;
    assert_eq!((&raid.tool, &raid.personality), (&known("sas3ircu"), &known("IR")));
    assert_eq!((&raid.temperature, &raid.firmware_package), (&Reading::Known(Celsius(49.0)), &known("00.00.00.00")));
    assert_eq!(raid.memory_correctable_errors, Reading::Absent);
    let Collection::Complete(hidden) = &section.hidden else { panic!("{:?} {errors:?}", section.hidden) };
    assert_eq!(names(hidden, |drive| &drive.name), ["0 2:0", "0 2:1"]);
    assert_eq!((&hidden[1].state, &hidden[1].media_error_count), (&known("Failed (FLD)"), &Reading::Absent));
    assert_eq!(section.volumes.items().len(), 1);
}

#[test]
fn a_controller_that_the_tool_does_not_show() {
    let elsewhere = controller("megaraid_sas", ControllerKind::Raid, "0000:af:00.0");
    let (section, errors) = collected(&megaraid(), vec![elsewhere], Vec::new());
    let Reading::Unreadable(error) = section.controllers[0].raid.status else { panic!("{:?}", section.controllers) };
    assert_eq!(errors[error.0 as usize].cause, "it shows no controller with this PCI address");
    assert_eq!(section.hidden.reasons(), [error]);
    assert!(section.hidden.items().is_empty());
    // One without an address is the only one there is.
    let host = ran(empty(), "storcli64 /call show all J nolog", &ALL.replace("PCI Address", "x"));
    let one = || controller("megaraid_sas", ControllerKind::Raid, AT);
    let (section, _) = collected(&host, vec![one()], Vec::new());
    assert_eq!(section.controllers[0].raid.name, known("/c0"));
    let two = vec![one(), controller("megaraid_sas", ControllerKind::Raid, "0000:af:00.0")];
    let (section, _) = collected(&host, two, Vec::new());
    assert!(section.controllers.iter().all(|filled| matches!(filled.raid.name, Reading::Unreadable(_))));
}

#[test]
fn refusals_and_rubbish() {
    let rubbish = "what it prints is not understood: it is no JSON";
    for (stdout, kind, cause) in [
        (fixture!("storcli-none.json"), ErrorKind::ToolFailed, "Controller 0 not found"),
        ("Killed", ErrorKind::Malformed, rubbish),
        ("", ErrorKind::ToolFailed, "it printed nothing"),
    ] {
        let host = ran(empty(), "storcli64 /call show all J nolog", stdout);
        let (section, errors) =
            collected(&host, vec![controller("megaraid_sas", ControllerKind::Raid, AT)], Vec::new());
        let reason = &errors[section.hidden.reasons()[0].0 as usize];
        assert_eq!((reason.kind, reason.cause.as_str()), (kind, cause));
        assert!(matches!(section.controllers[0].raid.battery, Reading::Unreadable(_)));
    }
    let argv = "storcli64 /call show all J nolog".split(' ').map(str::to_owned).collect();
    let stderr = b"\nstorcli64: error while loading shared libraries\n".to_vec();
    let broken = Answer::Tool(ToolOutput { status: Some(127), stdout: Vec::new(), stderr });
    let host = empty().with(Question::Run(argv), Ok(broken));
    let (section, errors) = collected(&host, vec![controller("megaraid_sas", ControllerKind::Raid, AT)], Vec::new());
    let reason = section.hidden.reasons()[0];
    assert_eq!(errors[reason.0 as usize].cause, "storcli64: error while loading shared libraries");
    let host = failed(empty(), "ssacli ctrl all show config detail", HostErrorKind::PermissionDenied);
    let (section, errors) = collected(&host, vec![controller("hpsa", ControllerKind::Raid, AT)], Vec::new());
    assert_eq!(errors[section.hidden.reasons()[0].0 as usize].kind, ErrorKind::PermissionDenied);
}

#[test]
fn smart_arrays_and_adaptec() {
    let host = ran(empty(), "ssacli ctrl all show config detail", SSACLI);
    let controllers =
        vec![controller("hpsa", ControllerKind::Raid, AT), controller("hpsa", ControllerKind::Raid, "0000:88:00.0")];
    let drives = vec![drive("sdc", known("S0000103"), Transport::Sata)];
    let (section, errors) = collected(&host, controllers, drives);
    let Collection::Complete(hidden) = &section.hidden else { panic!("{:?} {errors:?}", section.hidden) };
    assert_eq!(names(hidden, |drive| &drive.name), ["slot=0 pd 1I:1:1", "slot=0 pd 1I:1:2"]);
    assert_eq!(hidden[1].health.passed, Reading::Known(false));
    assert_eq!(section.controllers[1].raid.personality, known("HBA"));
    assert_eq!(section.controllers[1].raid.battery, Reading::Absent);

    // smartpqi has two makers; ssacli is not there, arcconf is.
    let host = ["ssacli", "hpssacli"].iter().fold(empty(), |host, program| {
        failed(host, &format!("{program} ctrl all show config detail"), HostErrorKind::ToolMissing)
    });
    let host = ran(host, "arcconf GETCONFIG 1", ARCCONF);
    let (section, _) = collected(&host, vec![controller("smartpqi", ControllerKind::Raid, AT)], Vec::new());
    assert_eq!(section.controllers[0].raid.tool, known("arcconf"));
    assert_eq!(names(section.hidden.items(), |drive| &drive.name), ["1 device 0", "1 device 1"]);
    assert_eq!(section.hidden.items()[1].health.passed, Reading::Known(false));
}

#[test]
fn more_than_one_controller_of_arcconf() {
    let two = ARCCONF.replace("Controllers found: 1", "Controllers found: 2");
    let second = two.replace("0:3:0:0", "0:4:0:0").replace("S00003", "S00004");
    let host = ran(ran(empty(), "arcconf GETCONFIG 1", &two), "arcconf GETCONFIG 2", &second);
    let controllers = vec![
        controller("aacraid", ControllerKind::Raid, AT),
        controller("aacraid", ControllerKind::Raid, "0000:04:00.0"),
    ];
    let (section, _) = collected(&host, controllers, Vec::new());
    assert_eq!(section.hidden.items().len(), 4);
    assert_eq!(section.hidden.items()[2].controller, known("0000:04:00.0"));
}

#[test]
fn behind_a_boot_mirror_nothing_is_seen() {
    let mut mirror = drive("sdz", known("B1"), Transport::Raid);
    mirror.pci_address = known("0000:00:17.0");
    let (section, errors) =
        collected(&empty(), vec![controller("ahci", ControllerKind::Ahci, "0000:00:17.0")], vec![mirror]);
    let Collection::Partial { items, reasons } = &section.hidden else { panic!("{:?}", section.hidden) };
    assert!(items.is_empty());
    assert_eq!(errors[reasons[0].0 as usize].operation, "see the drives behind sdz");
}
