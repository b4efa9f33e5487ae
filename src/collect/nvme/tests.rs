//! NVMe answers as the specification lays them out, byte by byte, sound and unsound.
#![expect(clippy::field_reassign_with_default, reason = "a record with a few facts of many reads better so")]

use super::*;
use crate::host::{Answer, Host, HostErrorKind, Question, Record, Replay};
use crate::inventory::Drive;
use crate::inventory::health::SelfTest;
use crate::reading::ReadError;
use crate::units::{Bytes, Celsius, Ratio, Seconds, Watts};

const SMART: u8 = 0x02;

fn put(bytes: &mut [u8], offset: usize, value: &[u8]) {
    bytes[offset..offset + value.len()].copy_from_slice(value);
}

/// Identify Controller of a drive with three firmware slots, a write cache, self-tests and one endurance group.
fn identify_controller() -> Vec<u8> {
    let mut bytes = vec![0; 4096];
    put(&mut bytes, 0, &0x144d_u16.to_le_bytes()); // VID
    put(&mut bytes, 2, &0x1028_u16.to_le_bytes()); // SSVID
    put(&mut bytes, 4, b"S000000001          "); // SN
    put(&mut bytes, 24, b"ACME DC 1                               "); // MN
    put(&mut bytes, 64, b"FW0001  "); // FR
    bytes[76] = 0b11; // CMIC: ports, controllers
    bytes[77] = 9; // MDTS
    put(&mut bytes, 78, &65_u16.to_le_bytes()); // CNTLID
    put(&mut bytes, 80, &0x0001_0400_u32.to_le_bytes()); // VER 1.4
    put(&mut bytes, 96, &(1_u32 << 4).to_le_bytes()); // CTRATT: endurance groups
    bytes[111] = 1; // CNTRLTYPE: IO
    put(&mut bytes, 256, &0b1_1110_u16.to_le_bytes()); // OACS: format, firmware, namespaces, self-test
    bytes[260] = 0b1_0111; // FRMW: slot 1 read only, 3 slots, without reset
    bytes[262] = 63; // ELPE
    bytes[263] = 4; // NPSS
    bytes[265] = 1; // APSTA
    put(&mut bytes, 266, &343_u16.to_le_bytes()); // WCTEMP 70 degrees
    put(&mut bytes, 268, &356_u16.to_le_bytes()); // CCTEMP 83 degrees
    put(&mut bytes, 280, &1_920_383_410_176_u128.to_le_bytes()); // TNVMCAP
    put(&mut bytes, 328, &0b11_u32.to_le_bytes()); // SANICAP
    put(&mut bytes, 516, &32_u32.to_le_bytes()); // NN
    put(&mut bytes, 520, &0b101_1111_u16.to_le_bytes()); // ONCS
    bytes[525] = 1; // VWC
    put(&mut bytes, 526, &1023_u16.to_le_bytes()); // AWUN
    put(&mut bytes, 528, &7_u16.to_le_bytes()); // AWUPF
    put(&mut bytes, 2048, &1_200_u16.to_le_bytes()); // MP of power state 0: 12 W
    bytes
}

/// A namespace of 1 920 383 410 176 bytes in blocks of 512, with four formats.
fn identify_namespace() -> Vec<u8> {
    let mut bytes = vec![0; 4096];
    let blocks = 3_750_748_848_u64;
    put(&mut bytes, 0, &blocks.to_le_bytes()); // NSZE
    put(&mut bytes, 8, &blocks.to_le_bytes()); // NCAP
    put(&mut bytes, 16, &1_000_u64.to_le_bytes()); // NUSE
    bytes[24] = 1; // NSFEAT: thin
    bytes[25] = 3; // NLBAF: four formats
    bytes[26] = 0x10; // FLBAS: format 0, metadata extended
    bytes[29] = 0b010; // DPS: type 2
    bytes[30] = 1; // NMIC
    put(&mut bytes, 46, &256_u16.to_le_bytes()); // NOIOB
    bytes[99] = 1; // NSATTR: write protected
    put(&mut bytes, 102, &1_u16.to_le_bytes()); // ENDGID
    put(&mut bytes, 104, &[0xff; 16]); // NGUID: none
    put(&mut bytes, 120, &[0, 0x25, 0x38, 1, 2, 3, 4, 5]); // EUI64
    put(&mut bytes, 128, &0x0209_0000_u32.to_le_bytes()); // 512+0, good
    put(&mut bytes, 132, &0x0309_0008_u32.to_le_bytes()); // 512+8, degraded
    put(&mut bytes, 136, &0x000c_0000_u32.to_le_bytes()); // 4096+0, best
    put(&mut bytes, 140, &0x000c_0008_u32.to_le_bytes()); // 4096+8, best
    bytes
}

fn smart_log() -> Vec<u8> {
    let mut bytes = vec![0; 512];
    bytes[0] = 0b101; // spare below, reliability degraded
    put(&mut bytes, 1, &310_u16.to_le_bytes()); // 37 degrees
    bytes[3] = 8;
    bytes[4] = 10;
    bytes[5] = 103;
    put(&mut bytes, 32, &2_000_u128.to_le_bytes());
    put(&mut bytes, 48, &1_000_u128.to_le_bytes());
    put(&mut bytes, 112, &12_u128.to_le_bytes());
    put(&mut bytes, 128, &10_000_u128.to_le_bytes());
    put(&mut bytes, 144, &5_u128.to_le_bytes());
    put(&mut bytes, 160, &3_u128.to_le_bytes());
    put(&mut bytes, 176, &77_u128.to_le_bytes());
    put(&mut bytes, 192, &2_u32.to_le_bytes());
    put(&mut bytes, 196, &1_u32.to_le_bytes());
    bytes
}

fn firmware_slots() -> Vec<u8> {
    let mut bytes = vec![0; 512];
    bytes[0] = 0x21; // slot 1 runs, slot 2 at the next reset
    put(&mut bytes, 8, b"FW0001  ");
    put(&mut bytes, 16, b"FW0002  ");
    bytes
}

fn error_log() -> Vec<u8> {
    let mut bytes = vec![0; 64 * 64];
    put(&mut bytes, 0, &9_u64.to_le_bytes());
    put(&mut bytes, 8, &3_u16.to_le_bytes()); // queue
    put(&mut bytes, 12, &((0x281_u16 << 1) | 1).to_le_bytes()); // Unrecovered Read Error, phase tag 1
    put(&mut bytes, 16, &4_711_u64.to_le_bytes());
    put(&mut bytes, 24, &1_u32.to_le_bytes());
    put(&mut bytes, 64, &8_u64.to_le_bytes());
    put(&mut bytes, 64 + 12, &(0x002_u16 << 1).to_le_bytes()); // Invalid Field of an admin command
    put(&mut bytes, 64 + 24, &u32::MAX.to_le_bytes());
    bytes
}

fn self_tests() -> Vec<u8> {
    let mut bytes = vec![0; 564];
    for index in 0..20 {
        bytes[4 + index * 28] = 0xf; // never run
    }
    bytes[4] = 0x17; // the newest, short: a segment failed
    bytes[4 + 28] = 0x20; // extended: passed
    bytes
}

fn endurance_group() -> Vec<u8> {
    let mut bytes = vec![0; 512];
    bytes[0] = 0b1000; // read only
    bytes[3] = 90;
    bytes[4] = 5;
    bytes[5] = 12;
    put(&mut bytes, 80, &7_u128.to_le_bytes());
    put(&mut bytes, 128, &4_u128.to_le_bytes());
    put(&mut bytes, 160, &1_920_383_410_176_u128.to_le_bytes());
    bytes
}

fn descriptors() -> Vec<u8> {
    let mut bytes = vec![0; 4096];
    put(&mut bytes, 0, &[2, 16, 0, 0]);
    put(&mut bytes, 4, &[0x11; 16]);
    put(&mut bytes, 20, &[3, 16, 0, 0]);
    put(&mut bytes, 24, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    bytes
}

fn log_page(lid: u8, length: u32) -> NvmeAdmin {
    NvmeAdmin::GetLogPage { lid, lsp: 0, lsi: 0, nsid: 0xffff_ffff, length, offset: 0 }
}

fn feature(fid: u8, length: u32) -> NvmeAdmin {
    NvmeAdmin::GetFeatures { fid, sel: 0, cdw11: 0, nsid: 0, length }
}

fn answered(data: Vec<u8>) -> Result<Answer, HostErrorKind> {
    Ok(Answer::Nvme(NvmeAnswer { status: 0, result: 0, data }))
}

fn refused(status: u16) -> Result<Answer, HostErrorKind> {
    Ok(Answer::Nvme(NvmeAnswer { status, result: 0, data: Vec::new() }))
}

fn result(result: u32) -> Result<Answer, HostErrorKind> {
    Ok(Answer::Nvme(NvmeAnswer { status: 0, result, data: Vec::new() }))
}

/// A host with one drive that answers everything; later answers replace these.
fn host() -> Replay {
    let endurance = NvmeAdmin::GetLogPage { lid: 9, lsp: 0, lsi: 1, nsid: 0xffff_ffff, length: 512, offset: 0 };
    let answers = [
        (NvmeAdmin::Identify { cns: 1, nsid: 0 }, answered(identify_controller())),
        (NvmeAdmin::Identify { cns: 0, nsid: 1 }, answered(identify_namespace())),
        (NvmeAdmin::Identify { cns: 3, nsid: 1 }, answered(descriptors())),
        (log_page(SMART, 512), answered(smart_log())),
        (log_page(0x03, 512), answered(firmware_slots())),
        (log_page(0x01, 4096), answered(error_log())),
        (log_page(0x06, 564), answered(self_tests())),
        (endurance, answered(endurance_group())),
        (feature(0x06, 0), result(1)),
        (feature(0x0c, 256), result(1)),
        (feature(0x02, 0), result(0)),
        (feature(0x07, 0), result(0x001f_000f)),
        (feature(0x04, 0), result(343)),
    ];
    let host = Replay::from_files([("/sys/class/block/nvme0n1/nsid", b"1\n".to_vec())]).unwrap();
    answers.into_iter().fold(host, |host, (command, outcome)| host.with(question(command), outcome))
}

fn question(command: NvmeAdmin) -> Question {
    Question::NvmeAdmin("/dev/nvme0".to_owned(), command)
}

fn known<T>(value: T) -> Reading<T> {
    Reading::Known(value)
}

fn words(words: &[&str]) -> Reading<Vec<String>> {
    known(words.iter().map(|word| (*word).to_owned()).collect())
}

fn text(word: &str) -> Reading<String> {
    known(word.to_owned())
}

/// Block devices as sysfs tells of one drive behind one controller.
fn section(model: &str, firmware: &str) -> BlockSection {
    let mut controller = NvmeController::default();
    controller.name = text("nvme0");
    controller.model = text(model);
    controller.firmware = text(firmware);
    controller.namespaces = words(&["nvme0n1"]);
    let mut drive = Drive::default();
    drive.name = text("nvme0n1");
    drive.paths = words(&["nvme0"]);
    drive.block_devices = words(&["nvme0n1"]);
    BlockSection {
        drives: Collection::Complete(vec![drive]),
        nvme_controllers: Collection::Complete(vec![controller]),
        block_devices: Collection::Complete(Vec::new()),
        excluded: Collection::Complete(Vec::new()),
    }
}

struct Seen {
    controller: NvmeController,
    drive: Drive,
    errors: Vec<ReadError>,
}

impl Seen {
    fn by(host: &dyn Host) -> Self {
        Self::of(host, section("ACME DC 1", "FW0001"))
    }

    fn of(host: &dyn Host, mut section: BlockSection) -> Self {
        let ledger = Ledger::new(host);
        collect(&ledger, &mut section);
        let (_, errors) = ledger.close();
        let controller = section.nvme_controllers.items()[0].clone();
        Self { controller, drive: section.drives.items()[0].clone(), errors }
    }

    fn cause<T: std::fmt::Debug>(&self, reading: &Reading<T>) -> String {
        match reading {
            Reading::Unreadable(error) => self.errors[error.0 as usize].to_string(),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn what_the_controller_is() {
    let seen = Seen::by(&host());
    let identify = &seen.controller.identify;
    assert_eq!(identify.vendor_id, text("0x144d"));
    assert_eq!(identify.subsystem_vendor_id, text("0x1028"));
    assert_eq!(identify.version, text("1.4"));
    assert_eq!(identify.controller_type, text("io"));
    assert_eq!(identify.controller_id, known(65));
    assert_eq!((&identify.multi_port, &identify.multi_controller), (&known(true), &known(true)));
    let admin = ["format-nvm", "firmware", "namespace-management", "device-self-test"];
    assert_eq!(identify.optional_admin_commands, words(&admin));
    let io = ["compare", "write-uncorrectable", "dataset-management", "write-zeroes", "save-select", "timestamp"];
    assert_eq!(identify.optional_io_commands, words(&io));
    assert_eq!(identify.sanitize, words(&["crypto-erase", "block-erase"]));
    assert_eq!(identify.volatile_write_cache, known(true));
    assert_eq!((&identify.atomic_write, &identify.atomic_write_power_fail), (&known(1024), &known(8)));
    assert_eq!(identify.max_transfer_exponent, known(9));
    assert_eq!(identify.namespaces_max, known(32));
    assert_eq!(identify.capacity, known(Bytes(1_920_383_410_176)));
    assert_eq!(identify.unallocated_capacity, known(Bytes(0)));
    assert_eq!(identify.host_memory_preferred, Reading::Absent);
    assert_eq!((&identify.power_states, &identify.max_power), (&known(5), &known(Watts(12.0))));
    assert_eq!((&identify.firmware_slots, &identify.firmware_slot1_read_only), (&known(3), &known(true)));
    assert_eq!(identify.firmware_activation_without_reset, known(true));
    assert_eq!((&identify.error_log_size, &identify.endurance_groups), (&known(64), &known(true)));

    let firmware = &seen.controller.firmware_slots;
    assert_eq!((&firmware.active_slot, &firmware.next_slot), (&known(1), &known(2)));
    assert_eq!(firmware.slots, words(&["1: FW0001", "2: FW0002"]));

    let features = &seen.controller.features;
    assert_eq!((&features.volatile_write_cache, &features.autonomous_power_states), (&known(true), &known(true)));
    assert_eq!((&features.submission_queues, &features.completion_queues), (&known(16), &known(32)));
    assert_eq!((&features.power_state, &features.temperature_threshold), (&known(0), &known(Celsius(70.0))));

    let errors = seen.controller.error_log.items();
    assert_eq!(errors.len(), 2);
    assert_eq!((&errors[0].error_count, &errors[0].submission_queue), (&known(9), &known(3)));
    assert_eq!((&errors[0].status, &errors[0].lba, &errors[0].nsid), (&text("2/81"), &known(4_711), &known(1)));
    assert_eq!(
        (&errors[1].status, &errors[1].lba, &errors[1].nsid),
        (&text("0/02"), &Reading::Absent, &Reading::Absent)
    );

    let groups = seen.controller.endurance_groups.items();
    assert_eq!(groups.len(), 1);
    assert_eq!((&groups[0].id, &groups[0].critical_warnings), (&known(1), &words(&["read-only"])));
    assert_eq!((&groups[0].available_spare, &groups[0].percentage_used), (&known(Ratio(0.9)), &known(Ratio(0.12))));
    assert_eq!((&groups[0].media_written, &groups[0].media_errors), (&known(Bytes(7_000_000_000)), &known(4)));
    assert_eq!(seen.errors, []);
}

#[test]
fn how_the_drive_fares() {
    let health = Seen::by(&host()).drive.health;
    assert_eq!(health.passed, known(false));
    assert_eq!(health.critical_warnings, words(&["available-spare", "reliability-degraded"]));
    assert_eq!(health.temperature, known(Celsius(37.0)));
    assert_eq!(health.temperature_warning, known(Celsius(70.0)));
    assert_eq!(health.temperature_critical, known(Celsius(83.0)));
    assert_eq!(health.warning_temperature_time, known(Seconds(120.0)));
    assert_eq!(health.critical_temperature_time, known(Seconds(60.0)));
    assert_eq!((&health.available_spare, &health.available_spare_threshold), (&known(Ratio(0.08)), &known(Ratio(0.1))));
    assert_eq!(health.percentage_used, known(Ratio(1.03)));
    assert_eq!((&health.media_errors, &health.error_log_entries), (&known(3), &known(77)));
    assert_eq!((&health.written, &health.read), (&known(Bytes(512_000_000)), &known(Bytes(1_024_000_000))));
    assert_eq!((&health.power_on_time, &health.power_cycles), (&known(Seconds(36_000_000.0)), &known(12)));
    assert_eq!(health.unsafe_shutdowns, known(5));
    assert_eq!((&health.self_test, &health.self_test_failures), (&known(SelfTest::Failed), &known(1)));
    assert_eq!(health.write_cache, known(true));
    assert_eq!((&health.reallocated_sectors, &health.standby), (&Reading::Absent, &Reading::Absent));
    assert_eq!(health.not_asked, known(Vec::new()));
}

#[test]
fn how_a_namespace_is_laid_out() {
    let drive = Seen::by(&host()).drive;
    let [namespace] = drive.namespaces.items() else { panic!("{:?}", drive.namespaces) };
    assert_eq!((&namespace.name, &namespace.nsid), (&text("nvme0n1"), &known(1)));
    assert_eq!(namespace.bytes, known(Bytes(1_920_383_410_176)));
    assert_eq!(namespace.utilization, known(Bytes(512_000)));
    assert_eq!((&namespace.thin_provisioned, &namespace.shared), (&known(true), &known(true)));
    assert_eq!((&namespace.lba_format, &namespace.logical_block_size), (&known(0), &known(Bytes(512))));
    assert_eq!((&namespace.metadata_bytes, &namespace.metadata_extended), (&known(Bytes(0)), &Reading::Absent));
    assert_eq!((&namespace.protection_type, &namespace.write_protected), (&known(2), &known(true)));
    assert_eq!(namespace.relative_performance, known(2));
    assert_eq!(namespace.best_logical_block_size, known(Bytes(4096)));
    assert_eq!(namespace.lba_formats, words(&["512+0 rp2", "512+8 rp3", "4096+0 rp0", "4096+8 rp0"]));
    assert_eq!((&namespace.endurance_group, &namespace.optimal_io_boundary), (&known(1), &known(256)));
    assert_eq!(namespace.eui64, text("0025380102030405"));
    assert_eq!(namespace.nguid, text("11111111111111111111111111111111"), "the descriptor's, not the FFh of Identify");
    assert_eq!(namespace.uuid, text("00010203-0405-0607-0809-0a0b0c0d0e0f"));
}

#[test]
fn formats_beyond_the_first_sixteen_need_the_upper_bits() {
    let mut bytes = identify_namespace();
    bytes[25] = 17; // 18 formats
    bytes[26] = 0b010_0001; // format 1 of the second sixteen
    put(&mut bytes, 128 + 17 * 4, &0x000c_0040_u32.to_le_bytes());
    let drive = Seen::by(&host().with(question(NvmeAdmin::Identify { cns: 0, nsid: 1 }), answered(bytes))).drive;
    let namespace = &drive.namespaces.items()[0];
    assert_eq!((&namespace.lba_format, &namespace.metadata_bytes), (&known(17), &known(Bytes(64))));
    assert_eq!(namespace.metadata_extended, known(false));
}

#[test]
fn what_a_controller_does_not_know_is_absent() {
    let host = host()
        .with(question(feature(0x04, 0)), refused(0x002))
        .with(question(log_page(0x06, 564)), refused(0x109))
        .with(question(NvmeAdmin::Identify { cns: 3, nsid: 1 }), refused(0x002));
    let seen = Seen::by(&host);
    assert_eq!(seen.controller.features.temperature_threshold, Reading::Absent);
    assert_eq!(
        (&seen.drive.health.self_test, &seen.drive.health.self_test_failures),
        (&Reading::Absent, &Reading::Absent)
    );
    assert_eq!(seen.drive.namespaces.items()[0].uuid, Reading::Absent);
    assert_eq!(seen.errors, []);
}

#[test]
fn a_refusal_of_what_every_controller_has_is_no_absence() {
    let seen = Seen::by(&host().with(question(log_page(SMART, 512)), refused(0x002)));
    let cause = seen.cause(&seen.drive.health.passed);
    assert!(cause.ends_with("the controller answers with status code type 0h, status code 02h"), "{cause}");
    let seen = Seen::by(&host().with(question(feature(0x06, 0)), refused(0x006)));
    let cause = seen.cause(&seen.drive.health.write_cache);
    assert!(cause.ends_with("status code type 0h, status code 06h"), "{cause}");
}

#[test]
fn what_identify_says_is_not_there_is_not_asked_for() {
    let mut bytes = identify_controller();
    bytes[525] = 0; // no volatile write cache
    bytes[265] = 0; // no autonomous power state transitions
    put(&mut bytes, 256, &0_u16.to_le_bytes()); // no self-tests
    put(&mut bytes, 96, &0_u32.to_le_bytes()); // no endurance groups
    let host = host().with(question(NvmeAdmin::Identify { cns: 1, nsid: 0 }), answered(bytes));
    let record = Record::new(&host);
    let seen = Seen::by(&record);
    assert_eq!(seen.controller.features.volatile_write_cache, Reading::Absent);
    assert_eq!((&seen.drive.health.write_cache, &seen.drive.health.self_test), (&Reading::Absent, &Reading::Absent));
    assert_eq!(seen.controller.endurance_groups.items(), []);
    let manifest = record.capture().into_iter().find(|(path, _)| path == "muster-capture.json").unwrap().1;
    let manifest = String::from_utf8(manifest).unwrap();
    for asked in ["\"fid\":6", "\"fid\":12", "\"lid\":6", "\"lid\":9"] {
        assert!(!manifest.contains(asked), "{asked} was asked for");
    }
    assert!(manifest.contains("\"fid\":4") && manifest.contains("\"lid\":2"));
}

#[test]
fn a_controller_that_may_not_be_asked_is_asked_once() {
    for kind in [HostErrorKind::PermissionDenied, HostErrorKind::NotFound, HostErrorKind::TimedOut] {
        let host = host().with(question(NvmeAdmin::Identify { cns: 1, nsid: 0 }), Err(kind));
        let record = Record::new(&host);
        let seen = Seen::by(&record);
        let cause = seen.cause(&seen.drive.health.percentage_used);
        assert!(cause.starts_with("cannot ask /dev/nvme0 for NVMe Identify CNS 01h, namespace 0h: "), "{cause}");
        let namespace = &seen.drive.namespaces.items()[0];
        assert_eq!((&namespace.name, seen.cause(&namespace.metadata_bytes)), (&text("nvme0n1"), cause.clone()));
        assert_eq!(seen.cause(&seen.controller.firmware_slots.slots), cause);
        assert!(matches!(seen.controller.error_log, Collection::Unreadable(_)));
        let manifest = record.capture().into_iter().find(|(path, _)| path == "muster-capture.json").unwrap().1;
        assert_eq!(String::from_utf8(manifest).unwrap().matches("nvme-admin").count(), 1, "{kind:?}");
    }
}

/// Every answer replaced by one of `data`.
fn all_answers(data: impl Fn(usize) -> Vec<u8>) -> Seen {
    let commands = [
        (NvmeAdmin::Identify { cns: 1, nsid: 0 }, 4096),
        (NvmeAdmin::Identify { cns: 0, nsid: 1 }, 4096),
        (NvmeAdmin::Identify { cns: 3, nsid: 1 }, 4096),
        (log_page(SMART, 512), 512),
        (log_page(0x03, 512), 512),
        (log_page(0x01, 64), 64),
        (log_page(0x01, 4096), 4096),
        (log_page(0x06, 564), 564),
    ];
    let host = commands
        .into_iter()
        .fold(host(), |host, (command, length)| host.with(question(command), answered(data(length))));
    Seen::by(&host)
}

#[test]
fn short_answers_and_all_ones_tell_nothing() {
    for (seen, cause) in [
        (all_answers(|length| vec![0xff; length]), "every byte is FFh, as if the controller were gone"),
        (all_answers(|length| vec![0; length - 1]), "bytes, "),
        (all_answers(|_| Vec::new()), "0 bytes, "),
    ] {
        let health = &seen.drive.health;
        assert!(seen.cause(&health.passed).contains(cause), "{}", seen.cause(&health.passed));
        assert!(seen.cause(&health.percentage_used).contains(cause));
        assert!(seen.cause(&health.temperature_warning).contains(cause));
        assert!(seen.cause(&seen.controller.identify.volatile_write_cache).contains(cause));
        assert!(seen.cause(&seen.controller.firmware_slots.active_slot).contains(cause));
        assert!(seen.cause(&seen.drive.namespaces.items()[0].bytes).contains(cause));
        assert!(matches!(seen.controller.error_log, Collection::Unreadable(_)));
        assert!(matches!(seen.controller.endurance_groups, Collection::Unreadable(_)));
    }
}

#[test]
fn reserved_and_impossible_values_are_malformed() {
    let mut smart = smart_log();
    put(&mut smart, 1, &0xffff_u16.to_le_bytes());
    smart[3] = 101;
    smart[4] = 255;
    smart[5] = 255; // allowed: 255 % or more
    put(&mut smart, 160, &u128::MAX.to_le_bytes());
    put(&mut smart, 48, &u128::MAX.to_le_bytes());
    smart[0] = 0x80;
    let mut identify = identify_controller();
    identify[111] = 9;
    identify[260] = 0;
    let mut namespace = identify_namespace();
    put(&mut namespace, 16, &u64::MAX.to_le_bytes());
    namespace[26] = 9; // a format that is not in the table
    namespace[29] = 7;
    let mut slots = firmware_slots();
    slots[0] = 0;
    slots[8] = 0x80;
    let host = host()
        .with(question(log_page(SMART, 512)), answered(smart))
        .with(question(NvmeAdmin::Identify { cns: 1, nsid: 0 }), answered(identify))
        .with(question(NvmeAdmin::Identify { cns: 0, nsid: 1 }), answered(namespace))
        .with(question(log_page(0x03, 512)), answered(slots));
    let seen = Seen::by(&host);
    let health = &seen.drive.health;
    assert!(seen.cause(&health.temperature).ends_with("a temperature of 65535 K"));
    assert!(seen.cause(&health.available_spare).ends_with("101 % of a whole"));
    assert!(seen.cause(&health.available_spare_threshold).ends_with("255 % of a whole"));
    assert_eq!(health.percentage_used, known(Ratio(2.55)));
    assert!(seen.cause(&health.media_errors).contains("a count of 3402823"));
    assert!(seen.cause(&health.written).contains("data units"));
    assert_eq!((&health.passed, &health.critical_warnings), (&known(false), &words(&["reserved-7"])));
    assert!(seen.cause(&seen.controller.identify.controller_type).ends_with("the reserved controller type 9"));
    assert!(seen.cause(&seen.controller.identify.firmware_slots).contains("no firmware slot"));
    assert!(seen.cause(&seen.controller.firmware_slots.active_slot).ends_with("no firmware slot is active"));
    assert!(seen.cause(&seen.controller.firmware_slots.slots).contains("not ASCII"));
    let namespace = &seen.drive.namespaces.items()[0];
    assert!(seen.cause(&namespace.logical_block_size).contains("LBA format 9 is in use and not in the table"));
    assert!(seen.cause(&namespace.utilization).contains("blocks allocated of"));
    assert!(seen.cause(&namespace.protection_type).ends_with("the reserved protection type 7"));
}

#[test]
fn a_namespace_that_is_not_active_tells_nothing() {
    let host = host().with(question(NvmeAdmin::Identify { cns: 0, nsid: 1 }), answered(vec![0; 4096]));
    let seen = Seen::by(&host);
    assert!(seen.cause(&seen.drive.namespaces.items()[0].logical_block_size).ends_with("its size is 0"));
}

#[test]
fn damaged_descriptors_are_malformed() {
    for (list, cause) in [
        (vec![1, 7, 0, 0, 1, 2, 3, 4, 5, 6, 7], "a descriptor of type 1 with 7 bytes"),
        (vec![2, 16, 0, 0, 1, 2], "a descriptor of 16 bytes with 2 left"),
    ] {
        let seen = Seen::by(&host().with(question(NvmeAdmin::Identify { cns: 3, nsid: 1 }), answered(list)));
        assert!(seen.cause(&seen.drive.namespaces.items()[0].uuid).ends_with(cause));
    }
}

#[test]
fn a_recording_replays_to_the_same() {
    let live = host().with(question(log_page(0x06, 564)), Err(HostErrorKind::TimedOut));
    let record = Record::new(&live);
    let first = Seen::by(&record);
    let replay = Replay::from_files(record.capture()).unwrap();
    let again = Seen::by(&replay);
    assert_eq!(first.drive, again.drive);
    assert_eq!(first.controller, again.controller);
    assert_eq!(first.errors, again.errors);
}

#[test]
fn a_drive_with_two_controllers_is_told_by_the_one_that_answers() {
    let mut section = section("ACME DC 1", "FW0001");
    let mut silent = section.nvme_controllers.items()[0].clone();
    silent.name = text("nvme1");
    let both = vec![silent, section.nvme_controllers.items()[0].clone()];
    section.nvme_controllers = Collection::Complete(both);
    section.drives.items_mut()[0].paths = words(&["nvme1", "nvme0"]);
    let identify = Question::NvmeAdmin("/dev/nvme1".into(), NvmeAdmin::Identify { cns: 1, nsid: 0 });
    let seen = Seen::of(&host().with(identify, Err(HostErrorKind::TimedOut)), section);
    assert_eq!(seen.drive.health.media_errors, known(3));
    assert_eq!(seen.drive.namespaces.items().len(), 1);
    assert_eq!(seen.drive.namespaces.items()[0].nsid, known(1));
}

/// Each controller is asked with a ledger of its own, in which the numbers of the section's reasons mean something else.
#[test]
fn namespaces_that_could_not_be_listed_have_a_reason_that_says_so() {
    let host = host();
    let ledger = Ledger::new(&host);
    let why = ledger.error("list /sys/class/nvme/nvme0", ErrorKind::PermissionDenied, "permission denied");
    let mut section = section("ACME DC 1", "FW0001");
    section.nvme_controllers.items_mut()[0].namespaces = Reading::Unreadable(why);
    collect(&ledger, &mut section);
    let Collection::Partial { reasons, .. } = &section.drives.items()[0].namespaces else {
        panic!("{:?}", section.drives.items()[0].namespaces)
    };
    assert_eq!(ledger.error_at(reasons[0]).unwrap().operation, "ask /dev/nvme0 for its namespaces");
    let groups = section.nvme_controllers.items()[0].endurance_groups.reasons().to_vec();
    assert_eq!(ledger.error_at(groups[0]).unwrap().operation, "ask /dev/nvme0 for its namespaces");
}

#[test]
fn a_drive_that_is_not_nvme_has_no_namespaces() {
    let host = host();
    let ledger = Ledger::new(&host);
    let mut section = section("ACME DC 1", "FW0001");
    let mut others = Vec::new();
    for path in ["0:0:0:0", "virtio1", "nvme7"] {
        let mut drive = Drive::default();
        drive.name = text(path);
        drive.paths = words(&[path]);
        others.push(drive);
    }
    section.drives = Collection::Complete(others);
    collect(&ledger, &mut section);
    let [sata, virtio, unlisted] = section.drives.items() else { panic!() };
    assert_eq!(sata.namespaces, Collection::Complete(Vec::new()));
    assert_eq!(virtio.namespaces, Collection::Complete(Vec::new()));
    assert!(matches!(unlisted.namespaces, Collection::Unreadable(_)));
}
