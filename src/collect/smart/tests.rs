//! Answers of smartctl as its sources print them, sound and unsound, and what is never asked.
#![expect(clippy::field_reassign_with_default, reason = "a record with a few facts of many reads better so")]

use super::*;
use crate::host::{Answer, Host, HostErrorKind, Question, Record, Replay, ToolOutput};
use crate::inventory::controller::{Attached, ScsiHost, StorageController};
use crate::inventory::health::SelfTest;
use crate::inventory::{Media, Transport};
use crate::reading::{Collection, ReadError};
use crate::units::{BitsPerSec, Bytes, Celsius, Ratio, Seconds};
use serde_json::{Value, json};

fn known<T>(value: T) -> Reading<T> {
    Reading::Known(value)
}

fn text(word: &str) -> Reading<String> {
    known(word.to_owned())
}

fn words(words: &[&str]) -> Reading<Vec<String>> {
    known(words.iter().map(|word| (*word).to_owned()).collect())
}

fn attribute(id: u64, name: &str, value: u64, raw: (u64, &str), when_failed: &str) -> Value {
    json!({"id": id, "name": name, "value": value, "worst": value, "thresh": 10, "when_failed": when_failed,
        "flags": {"value": 51, "prefailure": true}, "raw": {"value": raw.0, "string": raw.1}})
}

fn statistic(offset: u64, value: u64, valid: bool) -> Value {
    json!({"offset": offset, "name": "x", "size": 4, "value": value, "flags": {"value": 192, "valid": valid}})
}

/// A hard disk with trouble that passes all the same.
fn hard_disk() -> Value {
    json!({
        "json_format_version": [1, 0],
        "smartctl": {"version": [7, 3], "exit_status": 192},
        "device": {"name": "/dev/sda", "info_name": "/dev/sda [SAT]", "type": "sat", "protocol": "ATA"},
        "model_name": "ACME HD4000", "serial_number": "Z0000001", "firmware_version": "AC01",
        "user_capacity": {"blocks": 7_814_037_168_u64, "bytes": 4_000_787_030_016_u64},
        "logical_block_size": 512, "physical_block_size": 4096, "rotation_rate": 7200,
        "interface_speed": {"max": {"sata_value": 14, "string": "6.0 Gb/s", "units_per_second": 60, "bits_per_unit": 100_000_000},
            "current": {"sata_value": 2, "string": "3.0 Gb/s", "units_per_second": 30, "bits_per_unit": 100_000_000}},
        "write_cache": {"enabled": true},
        "smart_support": {"available": true, "enabled": true},
        "smart_status": {"passed": true},
        "ata_smart_data": {"self_test": {"status": {"value": 0}}},
        "ata_smart_attributes": {"revision": 16, "table": [
            attribute(5, "Reallocated_Sector_Ct", 8, (8, "8"), "now"),
            attribute(9, "Power_On_Hours", 90, (12_345, "12345h+06m+07.890s"), ""),
            attribute(187, "Reported_Uncorrect", 99, (1, "1"), ""),
            attribute(188, "Command_Timeout", 100, (4_295_032_833, "1 1 1"), ""),
            attribute(190, "Airflow_Temperature_Cel", 60, (40, "40 (Min/Max 20/60)"), "past"),
            attribute(197, "Current_Pending_Sector", 100, (0x0007_0000_0010, "16 (0 7)"), ""),
            attribute(198, "Offline_Uncorrectable", 100, (16, "16"), ""),
            attribute(199, "UDMA_CRC_Error_Count", 200, (3, "3"), ""),
        ]},
        "power_on_time": {"hours": 12_345, "minutes": 6}, "power_cycle_count": 17,
        "temperature": {"current": 40, "op_limit_max": 60, "limit_max": 70, "lifetime_max": 61},
        "ata_smart_error_log": {"extended": {"revision": 1, "count": 21}},
        "ata_smart_self_test_log": {"extended": {"revision": 1, "count": 2, "error_count_total": 1, "table": [
            {"type": {"value": 1}, "status": {"value": 0x70, "string": "Completed: read failure", "passed": false}, "lifetime_hours": 12_340},
            {"type": {"value": 1}, "status": {"value": 0, "passed": true}, "lifetime_hours": 1}]}},
        "ata_device_statistics": {"pages": [
            {"number": 1, "table": [statistic(0x18, 1_000, true), statistic(0x28, 2_000, false)]}]},
    })
}

fn solid_state() -> Value {
    let mut ssd = hard_disk();
    ssd["rotation_rate"] = json!(0);
    ssd["smartctl"]["exit_status"] = json!(0);
    ssd["ata_smart_attributes"]["table"] = json!([
        attribute(5, "Retired_Block_Count", 100, (2, "2"), ""),
        attribute(174, "Unexpect_Power_Loss_Ct", 100, (4, "4"), ""),
        attribute(192, "Power-Off_Retract_Count", 100, (99, "99"), ""),
        attribute(197, "Total_Pfail_Writes", 100, (77, "77"), ""),
        attribute(199, "Unknown_SSD_Attribute", 100, (66, "66"), ""),
        attribute(233, "Media_Wearout_Indicator", 97, (0, "0"), ""),
    ]);
    ssd["ata_device_statistics"] = json!({"pages": [
        {"number": 1, "table": [statistic(0x18, 4_000, true), statistic(0x28, 8_000, true)]},
        {"number": 6, "table": [statistic(0x18, 5, true)]},
        {"number": 7, "table": [statistic(8, 4, true)]}]});
    ssd["ata_pending_defects_log"] = json!({"count": 9});
    ssd
}

fn sas() -> Value {
    let counter = |uncorrected: u64, gigabytes: &str| json!({"total_errors_corrected": 5, "gigabytes_processed": gigabytes, "total_uncorrected_errors": uncorrected});
    json!({
        "smartctl": {"version": [7, 3], "exit_status": 0},
        "device": {"name": "/dev/sdb", "type": "scsi", "protocol": "SCSI"},
        "scsi_vendor": "ACME", "scsi_product": "SAS8000", "scsi_model_name": "ACME SAS8000", "scsi_revision": "B002",
        "user_capacity": {"bytes": 8_001_563_222_016_u64}, "logical_block_size": 512, "rotation_rate": 7200, "serial_number": "SAS00001",
        "scsi_transport_protocol": {"name": "SAS (SPL-4)", "value": 6},
        "smart_support": {"available": true, "enabled": true}, "smart_status": {"passed": true},
        "temperature": {"current": 31, "drive_trip": 65}, "power_on_time": {"hours": 100, "minutes": 30},
        "scsi_start_stop_cycle_counter": {"accumulated_start_stop_cycles": 12},
        "scsi_grown_defect_list": 42, "scsi_pending_defects": {"count": 3},
        "scsi_error_counter_log": {"read": counter(2, "1112235.529"), "write": counter(0, "0.000"), "verify": counter(1, "7.000")},
        "scsi_self_test_0": {"code": {"value": 2}, "result": {"value": 15, "string": "Self test in progress ..."}},
        "scsi_self_test_1": {"code": {"value": 2}, "result": {"value": 7}},
        "scsi_self_test_2": {"code": {"value": 2}, "result": {"value": 2}},
        "scsi_sas_port_0": {"number_of_phys": 1, "phy_0": {"negotiated_logical_link_rate": "phy enabled; speed negotiation failed"}},
        "scsi_sas_port_1": {"number_of_phys": 1, "phy_0": {"negotiated_logical_link_rate": "phy enabled; 12 Gbps"}},
    })
}

fn bridged() -> Value {
    json!({
        "smartctl": {"version": [7, 4], "exit_status": 8},
        "device": {"name": "/dev/sdc", "type": "sntasmedia", "protocol": "NVMe"},
        "model_name": "ACME M2", "serial_number": "NV1", "firmware_version": "1", "smart_status": {"passed": false},
        "nvme_composite_temperature_threshold": {"warning": 80, "critical": 85},
        "nvme_smart_health_information_log": {"critical_warning": 5, "temperature": 44, "available_spare": 4, "available_spare_threshold": 5,
            "percentage_used": 130, "data_units_read": 10, "data_units_written": 20, "power_cycles": 3, "power_on_hours": 2,
            "unsafe_shutdowns": 1, "media_errors": 6, "num_err_log_entries": 7, "warning_temp_time": 2, "critical_comp_time": 1},
        "nvme_self_test_log": {"current_self_test_operation": {"value": 0}, "table": [
            {"self_test_code": {"value": 1}, "self_test_result": {"value": 9}}, {"self_test_code": {"value": 1}, "self_test_result": {"value": 7}}]},
    })
}

fn argv(arguments: &[&str]) -> Vec<String> {
    let fixed = ["smartctl", "--json=c", "--nocheck=standby,3"];
    fixed.iter().chain(arguments).map(|word| (*word).to_owned()).collect()
}

fn output(status: i32, stdout: impl Into<Vec<u8>>) -> Result<Answer, HostErrorKind> {
    Ok(Answer::Tool(ToolOutput { status: Some(status), stdout: stdout.into(), stderr: Vec::new() }))
}

/// A machine on which smartctl answers so for `/dev/NAME`.
fn host(arguments: &[&str], outcome: Result<Answer, HostErrorKind>) -> Replay {
    Replay::complete::<&str>([]).with(Question::Run(argv(arguments)), outcome)
}

fn drive(name: &str, transport: Transport, model: &str) -> Drive {
    let mut drive = Drive::default();
    drive.name = text(name);
    drive.block_devices = words(&[name]);
    drive.transport = known(transport);
    drive.model = text(model);
    drive.write_back = known(true);
    drive
}

struct Seen {
    drive: Drive,
    health: Health,
    errors: Vec<ReadError>,
}

impl Seen {
    fn of(host: &dyn Host, drive: Drive) -> Self {
        let mut section = BlockSection {
            drives: Collection::Complete(vec![drive]),
            nvme_controllers: Collection::Complete(Vec::new()),
            block_devices: Collection::Complete(Vec::new()),
            excluded: Collection::Complete(Vec::new()),
        };
        let ledger = Ledger::new(host);
        collect(&ledger, &mut section);
        let (_, errors) = ledger.close();
        let drive = section.drives.items()[0].clone();
        Self { health: drive.health.clone(), drive, errors }
    }

    /// A SATA disk that answers so.
    fn answered(status: i32, answer: &Value) -> Self {
        let host = host(&["-x", "/dev/sda"], output(status, answer.to_string()));
        Self::of(&host, drive("sda", Transport::Sata, "ACME HD4000"))
    }

    fn cause<T: std::fmt::Debug>(&self, reading: &Reading<T>) -> String {
        match reading {
            Reading::Unreadable(error) => self.errors[error.0 as usize].to_string(),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_hard_disk_that_passes_against_its_own_counters() {
    let seen = Seen::answered(192, &hard_disk());
    let health = &seen.health;
    assert_eq!((&health.interface, &health.passed), (&text("sat"), &known(true)));
    assert_eq!(health.smartctl_signs, words(&["error-log-has-entries", "self-test-log-has-errors"]));
    assert_eq!((&health.reallocated_sectors, &health.offline_uncorrectable), (&known(8), &known(16)));
    assert_eq!(health.pending_sectors, known(16), "several values are packed into the raw one");
    assert_eq!((&health.media_errors, &health.interface_crc_errors), (&known(1), &known(3)));
    assert_eq!(health.attributes_failing, words(&["5 Reallocated_Sector_Ct"]));
    assert_eq!(health.attributes_failed_before, words(&["190 Airflow_Temperature_Cel"]));
    assert_eq!((&health.self_test, &health.self_test_failures), (&known(SelfTest::Failed), &known(1)));
    assert_eq!((&health.error_log_entries, &health.power_cycles), (&known(21), &known(17)));
    assert_eq!(health.power_on_time, known(Seconds(12_345.0 * 3600.0 + 360.0)));
    assert_eq!((&health.written, &health.read), (&known(Bytes(512_000)), &Reading::Absent));
    assert_eq!((&health.temperature, &health.temperature_warning), (&known(Celsius(40.0)), &known(Celsius(60.0))));
    assert_eq!(health.temperature_critical, known(Celsius(70.0)));
    assert_eq!(health.link_speed, known(BitsPerSec(3_000_000_000)));
    assert_eq!(health.max_link_speed, known(BitsPerSec(6_000_000_000)));
    assert_eq!((&health.write_cache, &health.standby), (&known(true), &known(false)));
    assert_eq!((&health.percentage_used, &health.available_spare), (&Reading::Absent, &Reading::Absent));
    assert_eq!((&health.grown_defects, &health.critical_warnings), (&Reading::Absent, &Reading::Absent));
    assert_eq!((&health.not_asked, &health.unsafe_shutdowns), (&words(&[]), &Reading::Absent));
    assert_eq!(seen.errors, []);
}

#[test]
fn attributes_count_by_what_their_names_say() {
    let health = Seen::answered(0, &solid_state()).health;
    assert_eq!(health.reallocated_sectors, known(2));
    assert_eq!(health.unsafe_shutdowns, known(4), "attribute 192 counts retractions here");
    assert_eq!(
        health.pending_sectors,
        known(9),
        "attribute 197 counts something else here, so the log of pending defects"
    );
    assert_eq!(health.interface_crc_errors, known(5), "attribute 199 is not named, so Device Statistics");
    assert_eq!(health.percentage_used, known(Ratio(0.04)), "Device Statistics come before attributes");
    assert_eq!((&health.written, &health.read), (&known(Bytes(2_048_000)), &known(Bytes(4_096_000))));
    assert_eq!(health.smartctl_signs, words(&[]));
    let mut without = solid_state();
    without["ata_device_statistics"] = json!(null);
    assert_eq!(Seen::answered(0, &without).health.percentage_used, known(Ratio(0.03)));
    without["ata_smart_attributes"]["table"][5]["value"] = json!(200);
    assert_eq!(Seen::answered(0, &without).health.percentage_used, Reading::Absent);
    without["endurance_used"] = json!({"current_percent": 12});
    assert_eq!(Seen::answered(0, &without).health.percentage_used, known(Ratio(0.12)));
}

#[test]
fn a_sas_disk() {
    let host = host(&["-x", "/dev/sdb"], output(0, sas().to_string()));
    let seen = Seen::of(&host, drive("sdb", Transport::Sas, "SAS8000"));
    let health = &seen.health;
    assert_eq!((&health.passed, &health.media_errors), (&known(true), &known(3)));
    assert_eq!((&health.grown_defects, &health.pending_sectors), (&known(42), &known(3)));
    assert_eq!((&health.self_test, &health.self_test_failures), (&known(SelfTest::Running), &known(1)));
    assert_eq!((&health.read, &health.written), (&known(Bytes(1_112_235_529_000_000)), &Reading::Absent));
    assert_eq!(health.power_on_time, known(Seconds(361_800.0)));
    assert_eq!((&health.temperature, &health.temperature_critical), (&known(Celsius(31.0)), &known(Celsius(65.0))));
    assert_eq!(health.link_speed, known(BitsPerSec(12_000_000_000)), "the port in use");
    assert_eq!(health.write_cache, known(true), "as the kernel read it");
    assert_eq!((&health.reallocated_sectors, &health.percentage_used), (&Reading::Absent, &Reading::Absent));
    assert!(seen.cause(&health.max_link_speed).contains("does not tell"));
    assert!(seen.cause(&health.non_medium_errors).contains("prints no JSON"));
    let mut unread = sas();
    unread["scsi_grown_defect_list"] = json!("not_available");
    unread["scsi_percentage_used_endurance_indicator"] = json!(7);
    let host = self::host(&["-x", "/dev/sdb"], output(0, unread.to_string()));
    let seen = Seen::of(&host, drive("sdb", Transport::Sas, "SAS8000"));
    assert!(seen.cause(&seen.health.grown_defects).contains("grown defect list"));
    assert_eq!(seen.health.percentage_used, known(Ratio(0.07)));
}

#[test]
fn an_nvme_drive_behind_a_bridge() {
    let host = host(&["-x", "/dev/sdc"], output(8, bridged().to_string()));
    let seen = Seen::of(&host, drive("sdc", Transport::Usb, "ACME M2"));
    let health = &seen.health;
    assert_eq!((&health.passed, &health.smartctl_signs), (&known(false), &words(&["disk-failing"])));
    assert_eq!(health.critical_warnings, words(&["available-spare", "reliability-degraded"]));
    assert_eq!((&health.available_spare, &health.percentage_used), (&known(Ratio(0.04)), &known(Ratio(1.3))));
    assert_eq!((&health.written, &health.read), (&known(Bytes(10_240_000)), &known(Bytes(5_120_000))));
    assert_eq!((&health.media_errors, &health.error_log_entries), (&known(6), &known(7)));
    assert_eq!((&health.self_test, &health.self_test_failures), (&known(SelfTest::Aborted), &known(1)));
    assert_eq!(health.warning_temperature_time, known(Seconds(120.0)));
    assert_eq!((&health.temperature, &health.temperature_critical), (&known(Celsius(44.0)), &known(Celsius(85.0))));
    assert_eq!(health.write_cache, known(true), "as the bridge translates it for the kernel");
}

#[test]
fn what_sysfs_could_not_tell_is_taken_from_the_drive() {
    let host = host(&["-x", "/dev/sdc"], output(8, bridged().to_string()));
    let mut unknown = drive("sdc", Transport::Usb, "cut");
    unknown.media = Reading::default();
    unknown.serial = Reading::default();
    unknown.firmware = text("from sysfs");
    let seen = Seen::of(&host, unknown.clone());
    assert_eq!((&seen.drive.media, &seen.drive.serial), (&known(Media::Ssd), &text("NV1")));
    assert_eq!((&seen.drive.model, &seen.drive.firmware), (&text("cut"), &text("from sysfs")));
    assert_eq!(seen.drive.id, text("serial:cut:NV1"));
    assert!(seen.drive.sources.get("serial").is_some());
    let silent = Seen::of(&self::host(&["-x", "/dev/sdc"], Err(HostErrorKind::ToolMissing)), unknown);
    assert!(matches!(silent.drive.media, Reading::Unreadable(_)));
}

/// Each drive is asked with a ledger of its own; what is taken over from the section keeps the section's numbers.
#[test]
fn a_reason_of_the_section_stays_the_same_reason() {
    let host = host(&["-x", "/dev/sdb"], output(0, sas().to_string()));
    let ledger = Ledger::new(&host);
    ledger.error("read something else", ErrorKind::NotFound, "it is not there");
    let why = ledger.error("read /sys/block/sdb/queue/write_cache", ErrorKind::PermissionDenied, "permission denied");
    let mut disk = drive("sdb", Transport::Sas, "SAS8000");
    disk.write_back = Reading::Unreadable(why);
    let mut section = BlockSection {
        drives: Collection::Complete(vec![disk]),
        nvme_controllers: Collection::Complete(Vec::new()),
        block_devices: Collection::Complete(Vec::new()),
        excluded: Collection::Complete(Vec::new()),
    };
    collect(&ledger, &mut section);
    let Reading::Unreadable(told) = section.drives.items()[0].health.write_cache else { panic!("it is known") };
    assert_eq!(ledger.error_at(told).unwrap().operation, "read /sys/block/sdb/queue/write_cache");
}

#[test]
fn the_exit_status_is_a_bit_mask() {
    let complain = |message: &str| {
        json!({"smartctl": {"exit_status": 2, "messages": [{"string": "a note", "severity": "information"},
            {"string": message, "severity": "error"}]}, "device": {"protocol": "ATA", "type": "sat"}})
    };
    for status in [1, 2, 0xfe] {
        let seen = Seen::answered(status, &complain("Smartctl open device: /dev/sda failed: No such device"));
        assert_eq!(
            seen.cause(&seen.health.passed),
            "cannot ask /dev/sda by smartctl: Smartctl open device: /dev/sda failed: No such device"
        );
        assert!(matches!(seen.health.interface, Reading::Unreadable(_)), "{status}");
    }
    let seen = Seen::answered(2, &complain("Smartctl open device: /dev/sda failed: Permission denied"));
    assert_eq!(seen.errors[0].kind, ErrorKind::PermissionDenied);
    let seen = Seen::answered(1, &json!({"smartctl": {"exit_status": 1}}));
    assert!(seen.cause(&seen.health.passed).ends_with("smartctl ended with status 1"));

    // Bit 2: what is not there may be there.
    let mut gaps = hard_disk();
    gaps["ata_smart_error_log"] = json!(null);
    gaps["temperature"] = json!(null);
    let seen = Seen::answered(4, &gaps);
    assert_eq!(seen.health.reallocated_sectors, known(8));
    assert!(seen.cause(&seen.health.error_log_entries).contains("exit status bit 2"));
    assert!(seen.cause(&seen.health.temperature).contains("exit status bit 2"));
    let seen = Seen::answered(0, &gaps);
    assert_eq!(seen.health.error_log_entries, Reading::Absent);
    let all = Seen::answered(0xf8, &hard_disk()).health.smartctl_signs;
    assert_eq!(
        all,
        words(&[
            "disk-failing",
            "prefail-below-threshold",
            "below-threshold-in-past",
            "error-log-has-entries",
            "self-test-log-has-errors"
        ])
    );
}

#[test]
fn a_drive_without_a_verdict_has_not_passed() {
    let mut silent = hard_disk();
    silent["smart_status"] = json!(null);
    let seen = Seen::answered(0, &silent);
    assert!(seen.cause(&seen.health.passed).contains("no verdict"));
    silent["smart_support"]["enabled"] = json!(false);
    let seen = Seen::answered(0, &silent);
    assert!(seen.cause(&seen.health.passed).contains("SMART is switched off"));
}

#[test]
fn what_is_not_an_answer() {
    let cause = |status: i32, stdout: &str| {
        let host = host(&["-x", "/dev/sda"], output(status, stdout));
        let seen = Seen::of(&host, drive("sda", Transport::Sata, "ACME"));
        seen.cause(&seen.health.media_errors)
    };
    let old = "smartctl 6.6 2017-11-05 r4594\n=======> UNRECOGNIZED OPTION: json=c\n";
    assert!(cause(1, old).contains("version 7.0 or later"));
    assert!(cause(0, "").contains("version 7.0 or later"));
    assert!(cause(0, "{\"smartctl\": ").contains("broken JSON"));
    assert!(cause(0, "[]").contains("no object"));
    assert!(cause(0, "{\"device\": {\"protocol\": \"Tape\"}}").contains("no protocol known here"));
    let host = host(&["-x", "/dev/sda"], Err(HostErrorKind::ToolMissing));
    let seen = Seen::of(&host, drive("sda", Transport::Sata, "ACME"));
    assert!(seen.cause(&seen.health.passed).contains("package smartmontools"));
    assert_eq!(seen.errors.last().unwrap().kind, ErrorKind::ToolMissing);
    let killed = Ok(Answer::Tool(ToolOutput { status: None, stdout: b"{}".to_vec(), stderr: Vec::new() }));
    let seen = Seen::of(&self::host(&["-x", "/dev/sda"], killed), drive("sda", Transport::Sata, "ACME"));
    assert!(seen.cause(&seen.health.passed).contains("signal"));
}

#[test]
fn wrong_types_and_impossible_values_are_malformed() {
    for (pointer, wrong) in [
        ("/temperature/current", json!(900)),
        ("/temperature/current", json!("warm")),
        ("/power_cycle_count", json!(-1)),
        ("/smart_status/passed", json!("yes")),
        ("/ata_smart_attributes/table", json!({})),
        ("/ata_smart_self_test_log/extended/table/0/status/value", json!(0xb0)),
        ("/ata_smart_error_log/extended/count", json!(1.5)),
        ("/interface_speed/current/units_per_second", json!(u64::MAX)),
        ("/ata_device_statistics/pages/0/table/0/value", json!(u64::MAX)),
    ] {
        let mut broken = hard_disk();
        *broken.pointer_mut(pointer).unwrap() = wrong.clone();
        let seen = Seen::answered(0, &broken);
        assert!(
            seen.errors.iter().any(|error| error.kind == ErrorKind::Malformed),
            "{pointer} {wrong}: {:?}",
            seen.errors
        );
    }
    for gigabytes in ["1", "1.5", "-1.000", "1.2345", "99999999999999999999.000", "x.yyy"] {
        let mut broken = sas();
        broken["scsi_error_counter_log"]["read"]["gigabytes_processed"] = json!(gigabytes);
        let host = host(&["-x", "/dev/sdb"], output(0, broken.to_string()));
        let seen = Seen::of(&host, drive("sdb", Transport::Sas, "SAS8000"));
        assert!(matches!(seen.health.read, Reading::Unreadable(_)), "{gigabytes}");
    }
}

#[test]
fn a_drive_in_standby_is_left_asleep() {
    let message = json!({"smartctl": {"exit_status": 3, "messages": [{"string": "Device is in STANDBY mode, exit(3)", "severity": "information"}]}});
    let seen = Seen::answered(3, &message);
    assert_eq!(seen.health.standby, known(true));
    assert!(seen.cause(&seen.health.passed).contains("not woken"));
    let asleep =
        Replay::from_files([("/sys/class/block/sda/device/power/runtime_status", b"suspended\n".to_vec())]).unwrap();
    let record = Record::new(&asleep);
    let seen = Seen::of(&record, drive("sda", Transport::Sata, "ACME"));
    assert_eq!(seen.health.standby, known(true));
    assert!(seen.cause(&seen.health.media_errors).contains("not woken"));
    assert!(!asked(&record).contains("smartctl"), "a suspended device was opened");
}

/// The manifest of what was asked.
fn asked(record: &Record<'_>) -> String {
    let manifest = record.capture().into_iter().find(|(path, _)| path == "muster-capture.json").unwrap().1;
    String::from_utf8(manifest).unwrap()
}

#[test]
fn models_that_must_be_spared_are_not_asked() {
    for model in ["SAMSUNG HD204UI", "SAMSUNG HD155UI"] {
        let record = Replay::complete::<&str>([]);
        let record = Record::new(&record);
        let seen = Seen::of(&record, drive("sda", Transport::Sata, model));
        assert!(!asked(&record).contains("smartctl"), "{model} was asked");
        assert!(seen.cause(&seen.health.passed).contains("SamsungF4EGBadBlocks"));
        assert_eq!(seen.health.not_asked.known().unwrap().len(), 1);
    }
    let spared = host(&["-i", "-H", "-A", "-g", "wcache", "/dev/sda"], output(0, hard_disk().to_string()));
    let record = Record::new(&spared);
    let seen = Seen::of(&record, drive("sda", Transport::Sata, "SATADOM-ML 3ME"));
    assert_eq!((&seen.health.passed, &seen.health.reallocated_sectors), (&known(true), &known(8)));
    assert!(seen.health.not_asked.known().unwrap()[0].contains("ATA_QUIRK_NO_LOG_DIR"));
    let manifest = asked(&record);
    assert!(manifest.contains("smartctl") && !manifest.contains("\"-x\""), "{manifest}");

    // The model is not known: INQUIRY's 16 characters have to do, and without them nothing is asked.
    let mut unknown = drive("sda", Transport::Sata, "");
    unknown.model = Reading::default();
    let inquiry = |model: &str| {
        let file = ("/sys/class/block/sda/device/model", format!("{model:<16}\n").into_bytes());
        Replay::from_files([file])
            .unwrap()
            .with(Question::Run(argv(&["-x", "/dev/sda"])), output(0, hard_disk().to_string()))
    };
    for (host, passed) in [(inquiry("SAMSUNG HD204UI"), false), (inquiry("ACME HD4000"), true)] {
        let seen = Seen::of(&host, unknown.clone());
        assert_eq!(seen.health.passed == known(true), passed);
    }
    let host = host(&["-x", "/dev/sda"], output(0, hard_disk().to_string()));
    let seen = Seen::of(&host, unknown);
    assert!(seen.cause(&seen.health.passed).contains("its model cannot be told"));
}

#[test]
fn drives_that_smartctl_has_no_use_for_are_not_asked() {
    for transport in
        [Transport::Raid, Transport::Virtio, Transport::Fc, Transport::Iscsi, Transport::Mmc, Transport::Pmem]
    {
        let host = Replay::complete::<&str>([]);
        let record = Record::new(&host);
        let seen = Seen::of(&record, drive("sda", transport, "VOLUME"));
        assert!(!asked(&record).contains("smartctl"), "{transport:?}");
        assert!(matches!(seen.health.passed, Reading::Unreadable(_)));
    }
}

#[test]
fn a_recording_gives_the_same_bytes() {
    let host = host(&["-x", "/dev/sda"], output(192, hard_disk().to_string()));
    let record = Record::new(&host);
    let live = Seen::of(&record, drive("sda", Transport::Sata, "ACME"));
    let replay = Replay::from_files(record.capture()).unwrap();
    let again = Seen::of(&replay, drive("sda", Transport::Sata, "ACME"));
    assert_eq!(serde_json::to_string(&live.health).unwrap(), serde_json::to_string(&again.health).unwrap());
    assert_eq!(live.errors, again.errors);
}

fn controller(driver: &str, attached: &[(&str, u64, bool)]) -> Collection<StorageController> {
    let mut controller = StorageController::default();
    controller.name = text("0000:18:00.0");
    controller.driver = text(driver);
    let mut host = ScsiHost::default();
    host.name = text("host2");
    controller.hosts = Collection::Complete(vec![host]);
    let attached = attached.iter().map(|(address, scsi_type, block)| {
        let mut attached = Attached::default();
        attached.scsi_address = text(address);
        attached.scsi_type = known(*scsi_type);
        attached.block_device = if *block { text("sda") } else { Reading::Absent };
        attached.volume = known(*block);
        attached
    });
    controller.attached = Collection::Complete(attached.collect());
    Collection::Complete(vec![controller])
}

fn behind(kind: &str, device: &str, serial: &str) -> (Question, Result<Answer, HostErrorKind>) {
    let mut answer = sas();
    answer["serial_number"] = json!(serial);
    answer["device"]["type"] = json!(kind);
    (Question::Run(argv(&["-x", "-d", kind, device])), output(0, answer.to_string()))
}

fn nothing(kind: &str, device: &str) -> (Question, Result<Answer, HostErrorKind>) {
    let answer =
        json!({"smartctl": {"exit_status": 2, "messages": [{"string": "INQUIRY failed", "severity": "error"}]}});
    (Question::Run(argv(&["-x", "-d", kind, device])), output(2, answer.to_string()))
}

fn hidden_drives(
    host: Replay,
    controllers: &Collection<StorageController>,
    drives: &[Drive],
) -> (Vec<(String, Reading<String>)>, Vec<String>) {
    let ledger = Ledger::new(&host);
    let found = hidden::collect(&ledger, controllers, drives);
    let reasons = found.reasons().iter().map(|id| ledger.error_at(*id).unwrap().to_string()).collect();
    let named = found.items().iter().map(|drive| (drive.name.known().unwrap().clone(), drive.serial.clone()));
    (named.collect(), reasons)
}

#[test]
fn drives_behind_megaraid_are_those_of_the_scan() {
    let scan = json!({"smartctl": {"exit_status": 0}, "devices": [
        {"name": "/dev/sda", "info_name": "/dev/sda", "type": "scsi", "protocol": "SCSI"},
        {"name": "/dev/bus/2", "info_name": "/dev/bus/2 [megaraid_disk_08]", "type": "megaraid,8", "protocol": "SCSI"},
        {"name": "/dev/bus/2", "info_name": "/dev/bus/2 [megaraid_disk_09]", "type": "megaraid,9", "protocol": "SCSI"},
        {"name": "/dev/bus/2", "info_name": "/dev/bus/2 [megaraid_disk_10]", "type": "megaraid,10", "protocol": "SCSI"},
        {"name": "/dev/bus/7", "info_name": "of another", "type": "megaraid,1", "protocol": "SCSI"}]});
    let scanned = Question::Run(["smartctl", "--json=c", "--scan"].map(str::to_owned).to_vec());
    let host = [
        (scanned.clone(), output(0, scan.to_string())),
        behind("megaraid,8", "/dev/bus/2", "SHOWN"),
        behind("megaraid,9", "/dev/bus/2", "HIDDEN"),
        nothing("megaraid,10", "/dev/bus/2"),
    ]
    .into_iter()
    .fold(Replay::complete::<&str>([]), |host, (question, outcome)| host.with(question, outcome));
    let mut shown = drive("sdb", Transport::Sas, "SAS8000");
    shown.serial = text("SHOWN");
    let controllers = controller("megaraid_sas", &[]);
    let (found, reasons) = hidden_drives(host, &controllers, &[shown]);
    assert_eq!(found.len(), 2, "one is shown by the kernel too; one that does not answer is there all the same");
    assert_eq!(found[0], ("/dev/bus/2 megaraid,9".to_owned(), text("HIDDEN")));
    assert_eq!((found[1].0.as_str(), matches!(found[1].1, Reading::Unreadable(_))), ("/dev/bus/2 megaraid,10", true));
    assert_eq!(reasons, [] as [&str; 0]);

    let missing = Replay::complete::<&str>([]).with(scanned, Err(HostErrorKind::ToolMissing));
    let (found, reasons) = hidden_drives(missing, &controllers, &[]);
    assert_eq!(found, []);
    assert!(reasons[0].contains("package smartmontools"), "{reasons:?}");
}

#[test]
fn drives_of_hpsa_are_numbered_and_those_of_areca_stand_in_slots() {
    let generic = |address: &str| {
        let folder = crate::host::Entry::Dir;
        Replay::complete([(format!("/sys/class/scsi_device/{address}/device/scsi_generic/sg3"), folder)])
    };
    // Numbers 0 and 2 answer, 1 does not, and nothing is behind 2.
    let host = (0..16)
        .map(|n| match n {
            0 | 2 => behind(&format!("cciss,{n}"), "/dev/sg3", &format!("S{n}")),
            _ => nothing(&format!("cciss,{n}"), "/dev/sg3"),
        })
        .fold(generic("2:3:0:0"), |host, (question, outcome)| host.with(question, outcome));
    let (found, reasons) =
        hidden_drives(host, &controller("hpsa", &[("2:1:0:0", 0, true), ("2:3:0:0", 12, false)]), &[]);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["/dev/sg3 cciss,0", "/dev/sg3 cciss,1", "/dev/sg3 cciss,2"]);
    assert_eq!(reasons, [] as [&str; 0]);

    let host = (1..=24)
        .map(|n| match n {
            3 => behind("areca,3", "/dev/sg3", "A3"),
            _ => nothing(&format!("areca,{n}"), "/dev/sg3"),
        })
        .fold(generic("2:0:16:0"), |host, (question, outcome)| host.with(question, outcome));
    let (found, reasons) = hidden_drives(host, &controller("arcmsr", &[("2:0:16:0", 3, false)]), &[]);
    assert_eq!(found, [("/dev/sg3 areca,3".to_owned(), text("A3"))]);
    assert!(reasons[0].contains("an empty slot and a drive that does not answer"), "{reasons:?}");

    let (question, outcome) = behind("aacraid,2,1,4", "/dev/aac2", "B4");
    let host = Replay::complete::<&str>([]).with(question, outcome);
    let attached = [("2:0:0:0", 0, true), ("2:1:4:0", 0, false), ("2:3:0:0", 13, false)];
    let (found, _) = hidden_drives(host, &controller("aacraid", &attached), &[]);
    assert_eq!(found, [("/dev/aac2 aacraid,2,1,4".to_owned(), text("B4"))]);
}

#[test]
fn a_machine_without_such_a_controller_is_not_scanned() {
    let host = Replay::complete::<&str>([]);
    let record = Record::new(&host);
    let ledger = Ledger::new(&record);
    let found = hidden::collect(&ledger, &controller("mpt3sas", &[]), &[]);
    assert_eq!(found, Collection::Complete(Vec::new()));
    assert!(!asked(&record).contains("smartctl"));
    let found = hidden::collect(&ledger, &controller("3w-9xxx", &[]), &[]);
    assert_eq!((found.items().len(), found.reasons().len()), (0, 1));
}

#[test]
fn what_a_hidden_drive_is() {
    let (question, outcome) = behind("aacraid,2,1,4", "/dev/aac2", "B4");
    let host = Replay::complete::<&str>([]).with(question, outcome);
    let ledger = Ledger::new(&host);
    let found = hidden::collect(&ledger, &controller("aacraid", &[("2:1:4:0", 0, false)]), &[]);
    let drive = &found.items()[0];
    assert_eq!((&drive.model, &drive.firmware), (&text("ACME SAS8000"), &text("B002")));
    assert_eq!((&drive.bytes, &drive.media), (&known(Bytes(8_001_563_222_016)), &known(Media::Hdd)));
    assert_eq!((&drive.transport, &drive.controller), (&known(Transport::Sas), &text("0000:18:00.0")));
    assert_eq!((&drive.health.media_errors, &drive.state), (&known(3), &Reading::Absent));
}
