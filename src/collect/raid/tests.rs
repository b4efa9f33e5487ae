//! The parsers on outputs of the form that the tools print, and whole machines with such a controller.

use super::*;
use crate::host::{Answer, HostErrorKind, Question, Replay, ToolOutput};
use crate::inventory::Media;
use crate::inventory::controller::Attached;
use crate::inventory::raid::WritePolicy;
use crate::reading::ReadError;
use crate::units::{BitsPerSec, Bytes, Celsius, Ratio};

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../fixtures/raid/", $name))
    };
}

const ALL: &str = fixture!("storcli-all.json");
const DRIVES: &str = fixture!("storcli-drives.json");
const VOLUMES: &str = fixture!("storcli-volumes.json");
const SSACLI: &str = fixture!("ssacli.txt");
const LIST: &str = fixture!("sas3ircu-list.txt");
const DISPLAY: &str = fixture!("sas3ircu-display.txt");
const ARCCONF: &str = fixture!("arcconf.txt");

fn value<T>(value: T) -> Told<T> {
    Told::Value(value)
}

fn text(text: &str) -> Told<String> {
    Told::Value(text.to_owned())
}

fn known(text: &str) -> Reading<String> {
    Reading::Known(text.to_owned())
}

fn storcli(all: &str, drives: &str, volumes: &str) -> Report {
    let parse = |text| storcli::parse(text).unwrap();
    storcli::report(&parse(all), &parse(drives), &parse(volumes))
}

#[test]
fn storcli_tells_of_a_controller() {
    let report = storcli(ALL, DRIVES, VOLUMES);
    let [controller] = &report.controllers[..] else { panic!("{report:?}") };
    assert_eq!((controller.name.as_str(), controller.pci_address.as_deref()), ("/c0", Some("0000:03:00.0")));
    assert_eq!((&controller.model, &controller.serial), (&text("ACME RAID 3000-8i"), &text("AR00000001")));
    assert_eq!((&controller.firmware, &controller.firmware_package), (&text("5.100.00-3310"), &text("51.10.0-3612")));
    assert_eq!((&controller.personality, &controller.status), (&text("RAID-Mode"), &text("Optimal")));
    assert_eq!((&controller.battery, &controller.battery_model), (&text("Optimal"), &text("CVPM05")));
    assert_eq!((&controller.rebuild_rate, &controller.patrol_read_rate), (&value(30), &value(20)));
    assert_eq!(controller.memory, value(2 << 30));
    assert_eq!(
        (&controller.memory_correctable_errors, &controller.memory_uncorrectable_errors),
        (&value(2), &value(0))
    );
    assert_eq!(controller.temperature, value(61));
    assert!(controller.gaps.is_empty(), "{:?}", controller.gaps);

    let [mirror, single] = &controller.volumes[..] else { panic!("{:?}", controller.volumes) };
    assert_eq!((mirror.name.as_str(), &mirror.label, &mirror.level), ("/c0/v0", &text("system"), &text("RAID1")));
    assert_eq!((&mirror.state, &mirror.bytes), (&text("Optl"), &value(479_559_942_144)));
    assert_eq!((&mirror.write_policy, &mirror.read_ahead), (&value(WritePolicy::WriteBack), &value(true)));
    assert_eq!((&mirror.block_device, &mirror.drive_cache), (&text("sda"), &text("Disk's Default")));
    assert_eq!(mirror.drives, value(vec!["/c0/e252/s0".to_owned(), "/c0/e252/s1".to_owned()]));
    assert_eq!((&single.label, &single.block_device), (&Told::Nothing, &Told::Nothing));
    assert_eq!((&single.write_policy, &single.read_ahead), (&value(WritePolicy::WriteThrough), &value(false)));
}

#[test]
fn storcli_tells_of_drives() {
    let report = storcli(ALL, DRIVES, VOLUMES);
    let drives = &report.controllers[0].drives;
    let names: Vec<&str> = drives.iter().map(|drive| drive.name.as_str()).collect();
    assert_eq!(names, ["/c0/s4", "/c0/e252/s0", "/c0/e252/s1", "/c0/e252/s2", "/c0/e252/s3"]);
    let bad = &drives[2];
    assert_eq!((&bad.enclosure, &bad.slot), (&text("252"), &text("1")));
    assert_eq!(
        (&bad.model, &bad.serial, &bad.firmware),
        (&text("ACMESSD480G-01"), &text("S00000000002"), &text("FW01"))
    );
    assert_eq!(
        (&bad.bytes, &bad.media, &bad.transport),
        (&value(480_103_981_056), &value(Media::Ssd), &value(Transport::Sata))
    );
    assert_eq!((&bad.state, &bad.volume), (&text("Onln"), &text("/c0/v0")));
    assert_eq!((&bad.media_error_count, &bad.other_error_count), (&value(3), &value(7)));
    assert_eq!((&bad.predictive_failure_count, &bad.alert), (&value(1), &value(true)));
    assert_eq!((&bad.temperature, &bad.link_speed), (&value(22), &value(6_000_000_000)));
    assert_eq!(bad.wwn.as_deref(), Some("5000000000000a02"));
    assert!(!bad.exposed);
    // Blocks of 4096 bytes.
    assert_eq!(drives[3].bytes, value(2_400_000_000_000));
    let jbod = &drives[4];
    assert!(jbod.exposed);
    assert_eq!((&jbod.volume, &jbod.temperature), (&Told::Nothing, &Told::Untold));
    // One without an enclosure, of which only the list tells.
    let direct = &drives[0];
    assert_eq!((&direct.enclosure, &direct.slot, &direct.state), (&Told::Nothing, &text("4"), &text("UBad")));
    assert_eq!((&direct.serial, &direct.media_error_count), (&Told::Untold, &Told::Untold));
}

#[test]
fn without_details_the_list_remains() {
    let report = storcli::report(&storcli::parse(ALL).unwrap(), &[], &[]);
    let controller = &report.controllers[0];
    assert_eq!((controller.drives.len(), controller.volumes.len()), (5, 2));
    assert_eq!(controller.drives[1].volume, text("/c0/v0"));
    assert_eq!((&controller.volumes[0].drives, &controller.volumes[0].block_device), (&Told::Untold, &Told::Untold));
    // The rounded figure: 446.625 GiB.
    assert_eq!(controller.volumes[0].bytes, value(479_559_942_144));
    assert!(controller.gaps.is_empty());
}

#[test]
fn a_list_that_is_shorter_than_its_count_is_a_gap() {
    let parsed = |text: &str| storcli::report(&storcli::parse(text).unwrap(), &[], &[]).controllers.remove(0).gaps;
    let more = ALL.replace("\"Physical Drives\": 5", "\"Physical Drives\": 6");
    assert_eq!(parsed(&more), ["it counts 6 drives and lists 5"]);
    let more = ALL.replace("\"Virtual Drives\": 2", "\"Virtual Drives\": 3");
    assert_eq!(parsed(&more), ["it counts 3 volumes and lists 2"]);
    let none = ALL.replace("Physical Drives", "x").replace("PD LIST", "y");
    assert_eq!(parsed(&none), ["it lists no drives and does not count them"]);
}

#[test]
fn storcli2_calls_things_otherwise() {
    let report =
        storcli(fixture!("storcli2-all.json"), fixture!("storcli2-drives.json"), fixture!("storcli2-volumes.json"));
    let [controller] = &report.controllers[..] else { panic!("{report:?}") };
    assert_eq!((controller.name.as_str(), controller.pci_address.as_deref()), ("/c0", Some("0000:16:00.0")));
    assert_eq!((&controller.model, &controller.personality), (&text("ACME RAID 4000-16i"), &text("RAID")));
    assert_eq!(controller.firmware_package, text("8.12.1.0-00000-00003"));
    assert_eq!((&controller.battery, &controller.battery_model), (&text("Degraded"), &text("FBU345")));
    assert_eq!((&controller.memory, &controller.temperature), (&value(4 << 30), &value(62)));
    assert_eq!((&controller.rebuild_rate, &controller.patrol_read_rate), (&Told::Untold, &value(30)));
    assert_eq!(controller.memory_uncorrectable_errors, value(1));
    let volume = &controller.volumes[0];
    assert_eq!((volume.name.as_str(), &volume.state, &volume.block_device), ("/c0/v1", &text("Dgrd"), &text("sdg")));
    assert_eq!((&volume.write_policy, &volume.read_ahead), (&value(WritePolicy::WriteBack), &value(false)));
    assert_eq!((&volume.bytes, &volume.drives), (&value(9_999_220_736_000), &value(vec!["/c0/e306/s6".to_owned()])));
    let [drive, jbod] = &controller.drives[..] else { panic!("{:?}", controller.drives) };
    assert_eq!((&drive.state, &drive.volume), (&text("Conf, Online"), &text("/c0/v1")));
    assert_eq!((&drive.serial, &drive.firmware), (&text("S0000000000000000006"), &text("E001")));
    assert_eq!((&drive.media_error_count, &drive.other_error_count), (&value(4), &value(5)));
    assert_eq!((&drive.bytes, &drive.temperature), (&value(10_000_831_348_736), &value(45)));
    assert!(jbod.exposed && !drive.exposed);
    assert_eq!((&jbod.transport, &jbod.state), (&value(Transport::Nvme), &text("JBOD, Online")));
}

#[test]
fn initiator_and_target_firmware() {
    let report = parse("storcli", fixture!("storcli-it.json")).unwrap();
    let controller = &report.controllers[0];
    assert_eq!((&controller.personality, &controller.temperature), (&text("IT"), &value(49)));
    assert_eq!((&controller.battery, &controller.battery_model), (&Told::Nothing, &Told::Nothing));
    // What is unconfigured comes through.
    assert!(controller.drives[0].exposed);
}

#[test]
fn outputs_of_storcli_that_are_none() {
    let none = storcli::parse(fixture!("storcli-none.json")).unwrap();
    assert_eq!(storcli::report(&none, &[], &[]).refused, ["Controller 0 not found"]);
    let with_words =
        format!("Generating detailed summary of the adapter, it may take a while to complete.\n\n{ALL}\nEOF");
    assert_eq!(storcli::parse(&with_words).map(|answers| answers.len()), Ok(1));
    for (text, cause) in [
        ("", "it is no JSON"),
        ("Segmentation fault", "it is no JSON"),
        ("{}", "there is no list of controllers"),
        ("{\"Controllers\": 1}", "there is no list of controllers"),
        ("{\"Controllers\": [1]}", "a controller is no object"),
        ("{\"Controllers\": [{}]}", "there is no status"),
        ("{\"Controllers\": [{\"Command Status\": {}}]}", "there is no status"),
    ] {
        assert_eq!(storcli::parse(text).map(|_| ()), Err(cause.to_owned()), "{text}");
    }
    assert!(storcli::parse(ALL.get(..900).unwrap()).is_err());
    // Members of another type are not told, and nothing is made up.
    let odd = "{\"Controllers\": [{\"Command Status\": {\"Controller\": 0, \"Status\": \"Success\"}, \"Response Data\": {\
        \"PD LIST\": [1, {}, {\"EID:Slt\": 5}, {\"EID:Slt\": \"a:b\"}], \"VD LIST\": {\"DG/VD\": \"x\"}, \"Basics\": [], \
        \"HwCfg\": null}}]}";
    let report = parse("storcli", odd).unwrap();
    assert!(report.controllers[0].drives.is_empty() && report.controllers[0].volumes.is_empty());
    assert_eq!(report.controllers[0].temperature, Told::Untold);
}

#[test]
fn figures_that_are_none_are_said_to_be() {
    let text = ALL
        .replace("\"ROC temperature(Degree Celsius)\": 61", "\"ROC temperature(Degree Celsius)\": \"hot\"")
        .replace("\"RWBD\"", "\"fast\"")
        .replace("\"Med\": \"HDD\"", "\"Med\": \"TAPE\"");
    let report = parse("storcli", &text).unwrap();
    let controller = &report.controllers[0];
    assert_eq!(controller.temperature, Told::Wrong("no number: \"hot\"".to_owned()));
    assert_eq!(controller.volumes[0].write_policy, Told::Wrong("no cache policy: \"fast\"".to_owned()));
    assert_eq!(controller.drives[0].media, Told::Wrong("no medium: \"TAPE\"".to_owned()));
    let absent = ALL.replace("\"Cachevault_Info\"", "\"x\"").replace("\"BBU\": \"Present\"", "\"BBU\": \"Absent\"");
    assert_eq!(parse("storcli", &absent).unwrap().controllers[0].battery, Told::Nothing);
    let untold = ALL.replace("\"Cachevault_Info\"", "\"x\"");
    assert_eq!(parse("storcli", &untold).unwrap().controllers[0].battery, Told::Untold);
}

#[test]
fn ssacli_tells_of_two_controllers() {
    let report = parse("ssacli", SSACLI).unwrap();
    let [raid, hba] = &report.controllers[..] else { panic!("{report:?}") };
    assert_eq!((raid.name.as_str(), raid.pci_address.as_deref()), ("slot=0", Some("0000:03:00.0")));
    assert_eq!((&raid.model, &raid.firmware), (&text("Smart Array P440ar"), &text("7.00-0")));
    assert_eq!((&raid.personality, &raid.status), (&text("RAID"), &text("OK")));
    assert_eq!((&raid.battery, &raid.battery_model), (&text("Failed (Replace Batteries)"), &text("Batteries")));
    assert_eq!((&raid.memory, &raid.temperature), (&value(2 << 30), &value(55)));
    assert_eq!((&raid.memory_correctable_errors, &raid.firmware_package), (&Told::Nothing, &Told::Nothing));
    let [volume] = &raid.volumes[..] else { panic!("{:?}", raid.volumes) };
    assert_eq!((volume.name.as_str(), &volume.level), ("slot=0 ld 1", &text("RAID 1")));
    assert_eq!((&volume.state, &volume.block_device), (&text("Interim Recovery Mode"), &text("sda")));
    assert_eq!((&volume.bytes, &volume.label), (&value(600_114_305_433), &text("01A0B0C0PSA0000001")));
    assert_eq!((&volume.write_policy, &volume.drive_cache), (&value(WritePolicy::WriteBack), &text("Disabled")));
    assert_eq!(volume.drives, value(vec!["slot=0 pd 1I:1:1".to_owned(), "slot=0 pd 1I:1:2".to_owned()]));
    let [good, bad, loose] = &raid.drives[..] else { panic!("{:?}", raid.drives) };
    assert_eq!((&good.enclosure, &good.slot), (&text("1I:1"), &text("1")));
    assert_eq!((&good.model, &good.serial, &good.firmware), (&text("EG0600ACME"), &text("S0000101"), &text("HPD1")));
    assert_eq!(
        (&good.bytes, &good.media, &good.transport),
        (&value(600_000_000_000), &value(Media::Hdd), &value(Transport::Sas))
    );
    assert_eq!((&good.alert, &good.temperature, &good.link_speed), (&value(false), &value(31), &value(6_000_000_000)));
    assert_eq!((&good.volume, &good.media_error_count), (&text("slot=0 ld 1"), &Told::Nothing));
    assert_eq!((&bad.state, &bad.alert), (&text("Predictive Failure"), &value(true)));
    assert_eq!((&loose.volume, &loose.media), (&Told::Nothing, &value(Media::Ssd)));
    assert!(loose.exposed && !good.exposed);
    // Worn out by its own word, whatever the state.
    assert_eq!((&loose.state, &loose.alert), (&text("OK"), &value(true)));
    assert_eq!((&hba.personality, &hba.battery, &hba.memory), (&text("HBA"), &Told::Nothing, &Told::Nothing));
    assert!(hba.drives.is_empty() && hba.volumes.is_empty() && hba.gaps.is_empty());
}

#[test]
fn when_a_smart_array_writes_back() {
    let policy = |changes: &[(&str, &str)]| {
        let text = changes.iter().fold(SSACLI.to_owned(), |text, (old, new)| text.replace(old, new));
        parse("ssacli", &text).unwrap().controllers[0].volumes[0].write_policy.clone()
    };
    let through = value(WritePolicy::WriteThrough);
    assert_eq!(policy(&[("Caching:  Enabled", "Caching:  Disabled")]), through);
    assert_eq!(policy(&[("10% Read / 90% Write", "100% Read / 0% Write")]), through);
    assert_eq!(policy(&[("Cache Status: OK", "Cache Status: Temporarily Disabled")]), through);
    assert_eq!(policy(&[("Cache Ratio", "Ratio")]), Told::Untold);
    assert_eq!(policy(&[("Caching:  Enabled", "")]), Told::Untold);
}

#[test]
fn outputs_of_ssacli_that_are_none() {
    assert_eq!(parse("ssacli", "").map(|_| ()), Err("it names no controller".to_owned()));
    let refused = parse("ssacli", "\nError: No controllers detected. Possible causes:\n").unwrap();
    assert_eq!(refused.refused, ["No controllers detected. Possible causes:"]);
    // The short form has no facts of the controller.
    let short = "\nSmart Array P410 in Slot 1                (sn: P1)\n\n   array A (SAS, Unused Space: 0  MB)\n\n      logicaldrive 1 (2.2 TB, RAID 1+0, OK)\n\n      physicaldrive 1I:1:1 (port 1I:box 1:bay 1, SAS, 600 GB, OK)\n";
    let report = parse("ssacli", short).unwrap();
    assert_eq!(report.controllers[0].battery, Told::Untold);
    assert_eq!(report.controllers[0].volumes[0].name, "slot=1 ld 1");
    assert_eq!(report.controllers[0].gaps, ["the output is not the detailed one"]);
}

#[test]
fn integrated_raid() {
    assert_eq!(ircu::list(LIST), Ok(vec![0]));
    assert!(ircu::list("SAS3IRCU: MPTLib2 Error 1").is_err());
    let controller = ircu::display(0, DISPLAY).unwrap();
    assert_eq!((controller.name.as_str(), controller.pci_address.as_deref()), ("0", Some("0000:3b:00.0")));
    assert_eq!((&controller.personality, &controller.firmware), (&text("IR"), &text("16.00.12.00")));
    let [volume] = &controller.volumes[..] else { panic!("{controller:?}") };
    assert_eq!((volume.name.as_str(), &volume.label, &volume.level), ("0 volume 1", &text("boot"), &text("RAID1")));
    assert_eq!((&volume.state, &volume.bytes), (&text("Degraded (DGD)"), &value(238_991_441_920)));
    assert_eq!(volume.drives, value(vec!["0 2:0".to_owned(), "0 2:1".to_owned()]));
    let [one, two, three] = &controller.drives[..] else { panic!("{:?}", controller.drives) };
    assert_eq!((one.name.as_str(), &one.volume, &one.state), ("0 2:0", &text("0 volume 1"), &text("Optimal (OPT)")));
    assert_eq!(
        (&one.bytes, &one.media, &one.transport),
        (&value(240_056_795_136), &value(Media::Ssd), &value(Transport::Sata))
    );
    assert_eq!((&one.serial, one.wwn.as_deref()), (&text("S0000201"), Some("500000000000c201")));
    assert_eq!((&two.state, &two.wwn, two.exposed), (&text("Failed (FLD)"), &None, false));
    assert_eq!((&three.volume, three.exposed, &three.media), (&Told::Nothing, true, &value(Media::Hdd)));
    let target =
        ircu::display(0, &DISPLAY.replace("RAID Support                            : Yes", "RAID Support : No"));
    assert_eq!(target.unwrap().personality, text("IT"));
    for (text, cause) in [
        ("", "there is no controller information"),
        ("Controller information\n", "there is no physical device information"),
    ] {
        assert_eq!(ircu::display(0, text).map(|_| ()), Err(cause.to_owned()));
    }
}

#[test]
fn arcconf_tells_of_a_controller() {
    assert_eq!(arcconf::controllers(ARCCONF), Some(1));
    let controller = arcconf::config(1, ARCCONF).unwrap();
    assert_eq!((controller.name.as_str(), controller.pci_address.as_deref()), ("1", Some("0000:03:00.0")));
    assert_eq!((&controller.model, &controller.serial), (&text("ACME ASR7"), &text("3A000000001")));
    assert_eq!((&controller.firmware, &controller.personality), (&text("7.4-0 (30862)"), &text("RAID (Expose RAW)")));
    assert_eq!((&controller.battery, &controller.battery_model), (&text("Ready"), &text("AFM-700/700LP")));
    assert_eq!((&controller.temperature, &controller.memory), (&value(60), &value(1 << 30)));
    let [volume] = &controller.volumes[..] else { panic!("{controller:?}") };
    assert_eq!((volume.name.as_str(), &volume.level), ("1 logical device 0", &text("RAID 5")));
    assert_eq!((&volume.state, &volume.bytes), (&text("Degraded"), &value(1_999_296_790_528)));
    assert_eq!((&volume.write_policy, &volume.read_ahead), (&value(WritePolicy::WriteBack), &value(true)));
    assert_eq!(volume.drives, value(vec!["1 device 0".to_owned(), "1 device 1".to_owned()]));
    let [good, bad] = &controller.drives[..] else { panic!("{:?}", controller.drives) };
    assert_eq!((&good.enclosure, &good.slot, &good.volume), (&text("0"), &text("0"), &text("1 logical device 0")));
    assert_eq!(
        (&good.serial, &good.bytes, &good.media),
        (&text("S0000301"), &value(1_000_204_140_544), &value(Media::Hdd))
    );
    assert_eq!((&good.temperature, &good.link_speed), (&value(34), &value(6_000_000_000)));
    assert_eq!(good.wwn.as_deref(), Some("5000000000000d01"));
    assert_eq!((&bad.state, &bad.alert, &bad.predictive_failure_count), (&text("Failed"), &value(true), &value(4)));
    for absent in ["Not Present", "ZMM not installed", "Not Installed"] {
        let text = ARCCONF.replace(
            "Overall Backup Unit Status              : Ready",
            &format!("Overall Backup Unit Status : {absent}"),
        );
        assert_eq!(arcconf::config(1, &text).unwrap().battery, Told::Nothing, "{absent}");
    }
    // A segment without its drive: which drives the volume has is not told.
    let missing = ARCCONF.replace("Slot:1) S0000302", "Slot:1)");
    assert_eq!(arcconf::config(1, &missing).unwrap().volumes[0].drives, Told::Untold);
    assert!(arcconf::config(1, "Controllers found: 0\n\nCommand completed successfully.").is_err());
    assert!(parse("megacli", "").is_err());
}

// ---- whole machines --------------------------------------------------------------------------------------

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
