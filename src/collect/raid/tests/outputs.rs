//! Outputs taken apart.

use super::super::*;
use super::*;
use crate::inventory::Media;
use crate::inventory::raid::WritePolicy;

fn value<T>(value: T) -> Told<T> {
    Told::Value(value)
}

fn text(text: &str) -> Told<String> {
    Told::Value(text.to_owned())
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
