//! Whole interfaces, answer by answer, as the kernel and the specifications lay them out; names and serial numbers are made up.

use super::super::tests::{Tree, cause, known, link, nic, port, read};
use super::ask::tests::{count_answer, strings_answer};
use super::ask::{StringSet, count_request, strings_request};
use super::features::features_request;
use super::features::tests::{features_answer, flags_answer};
use super::fec::tests::fec_answer;
use super::link_modes::masks_request;
use super::link_modes::tests::{settings_answer, words_answer};
use super::module::part_request;
use super::queues::tests::numbers_answer;
use super::statistics::stats_request;
use super::statistics::tests::stats_answer;
use crate::host::{Answer, Entry, Host, HostErrorKind, Question, Record, Replay};
use crate::inventory::ethtool::{ModuleMedium, PortType};
use crate::inventory::nic::Nic;
use crate::reading::{Collection, ErrorKind, Reading};
use crate::units::{BitsPerSec, Celsius, Seconds, Watts};

const NAME: &str = "ens1f0";

fn question(request: Vec<u8>) -> Question {
    Question::Ethtool(NAME.to_owned(), request)
}

/// A request of a structure with nothing but its command.
fn fixed(command: u32, length: usize) -> Vec<u8> {
    numbers_answer(&[command], length)
}

fn told(host: Replay, request: Vec<u8>, answer: Vec<u8>) -> Replay {
    host.with(question(request), Ok(Answer::Bytes(answer)))
}

fn refused(host: Replay, request: Vec<u8>, kind: HostErrorKind) -> Replay {
    host.with(question(request), Err(kind))
}

/// A port of an adapter, of which nothing is told by ethtool yet.
fn machine() -> Replay {
    let mut tree = Tree::new();
    port(&mut tree, "0000:3b:00.0", NAME, &[("speed", "25000"), ("duplex", "full")]);
    Replay::complete(tree)
}

fn with_strings(host: Replay, set: StringSet, names: &[&str]) -> Replay {
    let host = told(host, count_request(set), count_answer(set, names.len() as u32));
    told(host, strings_request(set, names.len() as u32), strings_answer(set, names))
}

fn link_settings(host: Replay, answer: Vec<u8>) -> Replay {
    let host = told(host, fixed(0x4c, 48), words_answer(-4));
    told(host, masks_request(4), answer)
}

/// Everything but the module.
fn whole() -> Replay {
    let host =
        link_settings(machine(), settings_answer(3, 1, [&[6, 10, 12, 31, 33, 50, 51], &[6, 12, 31, 50], &[12, 31]]));
    let host = told(host, fixed(0x50, 16), fec_answer(1 << 3, 1 << 1 | 1 << 3));
    let host = told(host, fixed(0x10, 36), numbers_answer(&[0x10, 8192, 0, 0, 4096, 1024, 0, 0, 512], 36));
    let host = told(host, fixed(0x3c, 36), numbers_answer(&[0x3c, 1, 2, 3, 63, 4, 5, 6, 32], 36));
    let coalesce = [0x0e, 8, 128, 0, 0, 16, 64, 0, 0, 0, 1, 0];
    let host = told(host, fixed(0x0e, 92), numbers_answer(&coalesce, 92));
    let host = told(host, fixed(0x12, 16), numbers_answer(&[0x12, 1, 0, 1], 16));
    let features: Vec<String> = (0..34).map(|bit| format!("feature-{bit:02}")).collect();
    let mut features: Vec<&str> = features.iter().map(String::as_str).collect();
    features[0] = "tx-scatter-gather";
    features[2] = "rx-checksum";
    features[33] = "hw-tc-offload";
    let host = with_strings(host, StringSet::Features, &features);
    let host = told(host, features_request(2), features_answer(&[0b101, 0b10]));
    let host = with_strings(host, StringSet::PrivateFlags, &["rx_cqe_moder", "fw-lldp-agent", "disable-fw-lldp"]);
    let host = told(host, fixed(0x27, 8), flags_answer(0b001));
    let counters = [
        "rx0_packets",
        "rx_out_of_buffer",
        "rx_crc_errors_phy",
        "rx_prio3_pause",
        "rx_prio4_pause",
        "rx_prio3_discards",
    ];
    let host = with_strings(host, StringSet::Stats, &counters);
    told(host, stats_request(6), stats_answer(&[1_000, 7, 2, 30, 4, 5]))
}

/// Answers of a module: what it is, and parts of its EEPROM.
fn with_module(host: Replay, kind: u32, length: u32, parts: &[(u32, Vec<u8>)]) -> Replay {
    let host = told(host, fixed(0x42, 44), numbers_answer(&[0x42, kind, length], 44));
    parts.iter().fold(host, |host, (offset, bytes)| {
        let asked = part_request((*offset, bytes.len() as u32));
        let answer = [&asked[..16], bytes].concat();
        told(host, asked, answer)
    })
}

fn put(bytes: &mut [u8], offset: usize, value: &[u8]) {
    bytes[offset..offset + value.len()].copy_from_slice(value);
}

/// SFF-8472, A0h: a short-range module with diagnostics.
fn sfp() -> Vec<u8> {
    let mut bytes = vec![0; 96];
    bytes[0] = 0x03;
    bytes[2] = 0x07; // LC
    bytes[3] = 0x10; // 10GBASE-SR
    bytes[18] = 40; // 400 m of OM4
    put(&mut bytes, 20, b"ACME OPTICS     ");
    put(&mut bytes, 40, b"SFP-25G-SR      ");
    put(&mut bytes, 56, b"A2  ");
    put(&mut bytes, 68, b"SN0000000001    ");
    bytes[92] = 0x68; // measures, calibrated, average power
    bytes
}

/// SFF-8472, A2h.
fn sfp_diagnostics() -> Vec<u8> {
    let mut bytes = vec![0; 112];
    put(&mut bytes, 0, &(75_i16 * 256).to_be_bytes());
    put(&mut bytes, 2, &(-5_i16 * 256).to_be_bytes());
    put(&mut bytes, 4, &(70_i16 * 256).to_be_bytes());
    put(&mut bytes, 96, &(41_i16 * 256 + 128).to_be_bytes()); // 41.5 degrees
    put(&mut bytes, 102, &6_000_u16.to_be_bytes()); // 0.6 mW sent
    put(&mut bytes, 104, &5_500_u16.to_be_bytes()); // 0.55 mW received
    bytes
}

/// SFF-8636, page 00h, upper half.
fn qsfp(technology: u8, connector: u8) -> Vec<u8> {
    let mut bytes = vec![0; 128];
    bytes[0] = 0x11; // 128: QSFP28
    bytes[2] = connector; // 130
    bytes[18] = 3; // 146
    bytes[19] = technology << 4; // 147
    put(&mut bytes, 20, b"ACME CABLES     "); // 148
    put(&mut bytes, 40, b"Q28-DAC-3M\0\0\0\0\0\0"); // 168
    put(&mut bytes, 56, b"  "); // 184
    put(&mut bytes, 68, b"SN0000000002    "); // 196
    bytes
}

fn asked(host: &dyn Host) -> (Nic, Vec<String>, Vec<crate::reading::ReadError>) {
    let (network, sources, errors) = read(host);
    (nic(&network, NAME).clone(), sources, errors)
}

fn unread<T>(reading: &Reading<T>) -> usize {
    match reading {
        Reading::Unreadable(error) => error.0 as usize,
        Reading::Known(_) | Reading::Absent => panic!("it was told"),
    }
}

fn words(words: &[&str]) -> Reading<Vec<String>> {
    Reading::Known(words.iter().map(|word| (*word).to_owned()).collect())
}

#[test]
fn an_adapter_is_told_in_full() {
    let (nic, sources, errors) = asked(&with_module(whole(), 2, 512, &[(0, sfp()), (256, sfp_diagnostics())]));
    let link = &nic.link_settings;
    assert_eq!((&link.port, &link.autoneg), (&known(PortType::Fibre), &known(true)));
    assert_eq!(link.transceiver, known("internal".to_owned()));
    let modes = ["Autoneg", "FIBRE", "10000baseT/Full", "25000baseCR/Full", "25000baseSR/Full", "RS", "BASER"];
    assert_eq!(link.supported, words(&modes));
    assert_eq!(link.partner, words(&["10000baseT/Full", "25000baseCR/Full"]));
    for speed in [&link.max_supported_speed, &link.max_advertised_speed, &link.max_common_speed] {
        assert_eq!(*speed, known(BitsPerSec(25_000_000_000)));
    }
    assert_eq!((&nic.fec.active, &nic.fec.configured), (&words(&["rs"]), &words(&["auto", "rs"])));
    let ring = &nic.ring;
    assert_eq!(
        [&ring.rx, &ring.rx_max, &ring.tx, &ring.tx_max],
        [&known(1024), &known(8192), &known(512), &known(4096)]
    );
    let channels = &nic.channels;
    assert_eq!([&channels.rx_max, &channels.tx_max, &channels.combined_max], [&known(1), &known(2), &known(63)]);
    assert_eq!([&channels.rx, &channels.tx, &channels.combined], [&known(4), &known(5), &known(32)]);
    let coalesce = &nic.coalesce;
    assert_eq!((&coalesce.adaptive_rx, &coalesce.adaptive_tx), (&known(true), &known(false)));
    assert_eq!((&coalesce.rx_time, &coalesce.rx_frames), (&known(Seconds(8e-6)), &known(128)));
    assert_eq!((&coalesce.tx_time, &coalesce.tx_frames), (&known(Seconds(16e-6)), &known(64)));
    let pause = &nic.pause;
    assert_eq!([&pause.autoneg, &pause.rx, &pause.tx], [&known(true), &known(false), &known(true)]);
    assert_eq!(nic.features, words(&["hw-tc-offload", "rx-checksum", "tx-scatter-gather"]));
    assert_eq!(nic.private_flags, words(&["rx_cqe_moder"]));
    assert_eq!(nic.private_flags_off, words(&["disable-fw-lldp", "fw-lldp-agent"]));
    let counters = &nic.port_counters;
    assert_eq!((&counters.crc_errors, &counters.out_of_buffer), (&known(2), &known(7)));
    assert_eq!(counters.rx_priority_pause, known(34));
    assert_eq!((&counters.symbol_errors, &counters.tx_pause), (&Reading::Absent, &Reading::Absent));
    let named: Vec<_> = nic.statistics.items().iter().map(|item| item.name.known().unwrap().as_str()).collect();
    let expected = ["rx_out_of_buffer", "rx_crc_errors_phy", "rx_prio3_pause", "rx_prio4_pause", "rx_prio3_discards"];
    assert_eq!(named, expected);
    assert!(matches!(nic.statistics, Collection::Complete(_)));
    let source = |id: Option<crate::reading::SourceId>| sources[id.unwrap().0 as usize].as_str();
    assert_eq!(source(nic.sources.get("features")), "ethtool ens1f0 ETHTOOL_GFEATURES");
    assert_eq!(source(nic.ring.sources.get("rx")), "ethtool ens1f0 ETHTOOL_GRINGPARAM");
    assert_eq!(source(counters.sources.get("crc_errors")), "ethtool ens1f0 ETHTOOL_GSTATS rx_crc_errors_phy");
    assert_eq!(source(counters.sources.get("rx_priority_pause")), "ethtool ens1f0 ETHTOOL_GSTATS rx_prio*_pause");
    assert!(!errors.iter().any(|error| error.operation.contains("ethtool command 4C")), "{errors:?}");
}

#[test]
fn a_module_of_sff_8472_is_told() {
    let (nic, ..) = asked(&with_module(whole(), 2, 512, &[(0, sfp()), (256, sfp_diagnostics())]));
    let module = &nic.module;
    assert_eq!((&module.form_factor, &module.connector), (&known("SFP".to_owned()), &known("LC".to_owned())));
    assert_eq!(module.medium, known(ModuleMedium::Optical));
    assert_eq!(module.vendor, known("ACME OPTICS".to_owned()));
    assert_eq!(module.part_number, known("SFP-25G-SR".to_owned()));
    assert_eq!(module.revision, known("A2".to_owned()));
    assert_eq!(module.serial, known("SN0000000001".to_owned()));
    assert_eq!(module.cable_length, Reading::Absent);
    assert_eq!(module.temperature, known(Celsius(41.5)));
    assert_eq!(module.temperature_alarm_high, known(Celsius(75.0)));
    assert_eq!(module.temperature_warning_high, known(Celsius(70.0)));
    assert_eq!((&module.tx_power, &module.rx_power), (&known(Watts(0.0006)), &known(Watts(0.00055))));
}

/// The question for the diagnostics would be an error: this recording does not hold it.
#[test]
fn direct_attach_copper_measures_nothing_and_is_not_asked() {
    let mut bytes = sfp();
    bytes[2] = 0x21;
    bytes[8] = 0b100;
    bytes[18] = 3;
    bytes[92] = 0;
    let (nic, ..) = asked(&with_module(whole(), 1, 256, &[(0, bytes)]));
    assert_eq!(nic.module.medium, known(ModuleMedium::PassiveCopper));
    assert_eq!(nic.module.connector, known("copper pigtail".to_owned()));
    assert_eq!(nic.module.cable_length, known(3));
    assert_eq!((&nic.module.temperature, &nic.module.rx_power), (&Reading::Absent, &Reading::Absent));
    assert_eq!(nic.module.temperature_alarm_high, Reading::Absent);

    // Diagnostics that would have to be calibrated here are left alone.
    let mut external = sfp();
    external[92] = 0x50;
    let (nic, ..) = asked(&with_module(whole(), 2, 512, &[(0, external)]));
    assert_eq!(nic.module.temperature, Reading::Absent);
}

#[test]
fn a_module_of_sff_8636_is_told_without_its_flags() {
    let mut monitors = vec![0xff; 48];
    put(&mut monitors, 6, &(50_i16 * 256).to_be_bytes()); // 22
    for lane in 0..4 {
        put(&mut monitors, 18 + lane * 2, &(9_000 - 1_000 * lane as u16).to_be_bytes()); // 34
        put(&mut monitors, 34 + lane * 2, &(8_000 + 1_000 * lane as u16).to_be_bytes()); // 50
    }
    let thresholds = [75_i16, -5, 72, 0].iter().flat_map(|limit| (limit * 256).to_be_bytes()).collect();
    let parts = [(128, qsfp(0, 0x0c)), (16, monitors), (512, thresholds)];
    let (nic, ..) = asked(&with_module(whole(), 3, 640, &parts));
    let module = &nic.module;
    assert_eq!((&module.form_factor, &module.connector), (&known("QSFP28".to_owned()), &known("MPO 1x12".to_owned())));
    assert_eq!((&module.medium, &module.cable_length), (&known(ModuleMedium::Optical), &Reading::Absent));
    assert_eq!(
        (&module.vendor, &module.part_number),
        (&known("ACME CABLES".to_owned()), &known("Q28-DAC-3M".to_owned()))
    );
    assert_eq!((&module.serial, &module.revision), (&known("SN0000000002".to_owned()), &Reading::Absent));
    assert_eq!(module.temperature, known(Celsius(50.0)));
    assert_eq!(module.temperature_alarm_high, known(Celsius(75.0)));
    assert_eq!(module.temperature_warning_high, known(Celsius(72.0)));
    assert_eq!((&module.rx_power, &module.tx_power), (&known(Watts(0.0006)), &known(Watts(0.0008))));

    // Without page 03h there are no thresholds, and of passive copper nothing more is asked.
    let parts = [(128, qsfp(0xa, 0x23))];
    let (nic, ..) = asked(&with_module(whole(), 3, 640, &parts));
    assert_eq!((&nic.module.medium, &nic.module.cable_length), (&known(ModuleMedium::PassiveCopper), &known(3)));
    assert_eq!((&nic.module.temperature, &nic.module.temperature_alarm_high), (&Reading::Absent, &Reading::Absent));
    assert_eq!(nic.module.connector, known("no separable connector".to_owned()));
    let parts = [(128, qsfp(0, 0x23)), (16, vec![0; 48])];
    let (nic, ..) = asked(&with_module(whole(), 4, 256, &parts));
    assert_eq!((&nic.module.medium, &nic.module.cable_length), (&known(ModuleMedium::ActiveCable), &known(3)));
    assert_eq!((&nic.module.temperature, &nic.module.rx_power), (&Reading::Absent, &Reading::Absent));
    assert_eq!(nic.module.temperature_alarm_high, Reading::Absent);
}

#[test]
fn a_module_of_cmis_is_told_by_its_identifier() {
    let mut bytes = vec![0; 128];
    bytes[0] = 0x18; // 128
    put(&mut bytes, 1, b"ACME            "); // 129
    put(&mut bytes, 20, b"QDD-400G-DAC    "); // 148
    put(&mut bytes, 36, b"1A"); // 164
    put(&mut bytes, 38, b"SN0000000003    "); // 166
    bytes[74] = 25; // 202: 2.5 m
    bytes[75] = 0x23; // 203
    bytes[84] = 0x0b; // 212
    let (nic, ..) = asked(&with_module(whole(), 3, 256, &[(128, bytes.clone())]));
    let module = &nic.module;
    assert_eq!(
        (&module.form_factor, &module.medium),
        (&known("QSFP-DD".to_owned()), &known(ModuleMedium::PassiveCopper))
    );
    assert_eq!((&module.vendor, &module.part_number), (&known("ACME".to_owned()), &known("QDD-400G-DAC".to_owned())));
    assert_eq!((&module.revision, &module.serial), (&known("1A".to_owned()), &known("SN0000000003".to_owned())));
    assert_eq!((&module.cable_length, &module.temperature), (&known(3), &Reading::Absent));
    bytes[84] = 0;
    bytes[75] = 0x28;
    bytes[74] = 0;
    let mut monitors = vec![0; 8];
    put(&mut monitors, 0, &(60_i16 * 256).to_be_bytes());
    let (nic, ..) = asked(&with_module(whole(), 3, 256, &[(128, bytes), (14, monitors)]));
    assert_eq!(
        (&nic.module.connector, &nic.module.medium),
        (&known("MPO 1x16".to_owned()), &known(ModuleMedium::Optical))
    );
    assert_eq!((&nic.module.cable_length, &nic.module.temperature), (&Reading::Absent, &known(Celsius(60.0))));
    assert_eq!((&nic.module.rx_power, &nic.module.temperature_alarm_high), (&Reading::Absent, &Reading::Absent));
}

#[test]
fn lengths_of_cmis_have_a_multiplier() {
    for (byte, metres) in
        [(0, None), (5, Some(1)), (0x45, Some(5)), (0x85, Some(50)), (0xc5, Some(500)), (0x3f, Some(7))]
    {
        assert_eq!(super::module::cmis_length(byte), metres, "{byte:02x}");
    }
}

/// An EEPROM that does not answer reads as all ones or all zeros, and one of a counterfeit may hold anything.
#[test]
fn a_damaged_module_is_no_module() {
    for byte in [0x00, 0xff] {
        let (nic, _, errors) = asked(&with_module(whole(), 1, 256, &[(0, vec![byte; 96])]));
        assert!(cause(&nic.module.form_factor, &errors).contains("no module has the identifier"), "{byte}");
    }
    let mut damaged = sfp();
    damaged[0] = 0x77;
    damaged[2] = 0x99;
    damaged[25] = 0x07;
    let (nic, _, errors) = asked(&with_module(whole(), 2, 300, &[(0, damaged)]));
    assert_eq!(
        (&nic.module.form_factor, &nic.module.connector),
        (&known("0x77".to_owned()), &known("0x99".to_owned()))
    );
    assert_eq!(nic.module.medium, Reading::Absent);
    assert!(cause(&nic.module.vendor, &errors).contains("not text"));

    // The driver read less than was asked for.
    let host = told(whole(), fixed(0x42, 44), numbers_answer(&[0x42, 1, 256], 44));
    let mut short = part_request((0, 96));
    short[12..16].copy_from_slice(&8_u32.to_ne_bytes());
    let (nic, _, errors) = asked(&told(host, part_request((0, 96)), short));
    assert!(cause(&nic.module.vendor, &errors).ends_with("8 bytes of 96"), "{errors:?}");

    let host = told(whole(), fixed(0x42, 44), numbers_answer(&[0x42, 9, 256], 44));
    let (nic, _, errors) = asked(&host);
    assert!(cause(&nic.module.vendor, &errors).ends_with("module type 9"));
}

#[test]
fn what_a_driver_does_not_know_is_absent() {
    let commands = [(0x4c, 48), (0x50, 16), (0x10, 36), (0x3c, 36), (0x0e, 92), (0x12, 16), (0x42, 44)];
    let host = commands.iter().fold(machine(), |host, (command, length)| {
        refused(host, fixed(*command, *length), HostErrorKind::NotSupported)
    });
    let sets = [StringSet::Stats, StringSet::PrivateFlags, StringSet::Features];
    let host = sets.iter().fold(host, |host, set| {
        // The kernel answers, without the bit of the set.
        let mut answer = count_answer(*set, 0);
        answer[8..16].fill(0);
        told(host, count_request(*set), answer)
    });
    let (nic, ..) = asked(&host);
    assert_eq!((&nic.link_settings.port, &nic.link_settings.supported), (&Reading::Absent, &Reading::Absent));
    assert_eq!((&nic.fec.active, &nic.ring.rx), (&Reading::Absent, &Reading::Absent));
    assert_eq!((&nic.channels.combined, &nic.coalesce.rx_time), (&Reading::Absent, &Reading::Absent));
    assert_eq!((&nic.pause.rx, &nic.module.vendor), (&Reading::Absent, &Reading::Absent));
    assert_eq!((&nic.features, &nic.private_flags), (&Reading::Absent, &Reading::Absent));
    assert_eq!((&nic.private_flags_off, &nic.firmware_lldp), (&Reading::Absent, &Reading::Absent));
    assert_eq!(nic.port_counters.crc_errors, Reading::Absent);
    assert_eq!(nic.statistics, Collection::Complete(Vec::new()));
}

#[test]
fn what_may_not_be_asked_is_not_absent() {
    let host = refused(whole(), fixed(0x42, 44), HostErrorKind::PermissionDenied);
    let (nic, _, errors) = asked(&host);
    for error in [unread(&nic.module.vendor), unread(&nic.module.temperature)] {
        assert_eq!(errors[error].kind, ErrorKind::PermissionDenied);
        assert_eq!(errors[error].operation, "ask ens1f0 for ethtool command 42h");
    }
    // An empty cage: drivers refuse in their own ways.
    let host = refused(whole(), fixed(0x42, 44), HostErrorKind::Io);
    assert!(matches!(asked(&host).0.module.form_factor, Reading::Unreadable(_)));
    // Nothing recorded.
    let (nic, ..) = asked(&machine());
    assert!(matches!(nic.ring.rx, Reading::Unreadable(_)));
    assert!(matches!(nic.link_settings.port, Reading::Unreadable(_)));
    assert!(matches!(nic.features, Reading::Unreadable(_)));
    assert!(matches!(nic.private_flags, Reading::Unreadable(_)));
    assert!(matches!(nic.firmware_lldp, Reading::Unreadable(_)));
    assert!(matches!(nic.port_counters.discards, Reading::Unreadable(_)));
    assert!(matches!(nic.statistics, Collection::Unreadable(_)));
}

#[test]
fn damaged_answers_are_told_as_such() {
    let host = told(machine(), fixed(0x10, 36), vec![0; 35]);
    let (nic, _, errors) = asked(&host);
    assert!(cause(&nic.ring.rx, &errors).ends_with("35 bytes, 36 expected"));
    // More names than the driver said a moment before.
    let mut more = strings_answer(StringSet::Stats, &["a"]);
    more[8..12].copy_from_slice(&2_u32.to_ne_bytes());
    let host = told(machine(), count_request(StringSet::Stats), count_answer(StringSet::Stats, 1));
    let (nic, _, errors) = asked(&told(host, strings_request(StringSet::Stats, 1), more));
    assert!(cause(&nic.port_counters.crc_errors, &errors).ends_with("2 names, where 1 were counted before"));
    let host = told(machine(), count_request(StringSet::Stats), count_answer(StringSet::Stats, u32::MAX));
    let (nic, _, errors) = asked(&host);
    assert!(cause(&nic.port_counters.crc_errors, &errors).contains("4294967295 names"));
    let host = link_settings(machine(), settings_answer(0x55, 7, [&[1], &[], &[]]));
    let (nic, _, errors) = asked(&host);
    assert!(cause(&nic.link_settings.port, &errors).ends_with("port type 55h"));
    assert!(cause(&nic.link_settings.autoneg, &errors).ends_with("autoneg 7"));
    assert_eq!(nic.link_settings.supported, words(&["10baseT/Full"]));
    assert_eq!(
        (&nic.link_settings.advertised, &nic.link_settings.max_common_speed),
        (&Reading::Absent, &Reading::Absent)
    );
}

#[test]
fn a_twisted_pair_has_no_module_and_a_bridge_is_not_asked() {
    let host = link_settings(machine(), settings_answer(0, 1, [&[7, 12], &[12], &[]]));
    let (nic, sources, _) = asked(&host);
    assert_eq!((&nic.module.vendor, &nic.module.temperature), (&Reading::Absent, &Reading::Absent));
    assert_eq!(sources[nic.module.sources.get("vendor").unwrap().0 as usize], "ethtool ens1f0 ETHTOOL_GLINKSETTINGS");

    let mut tree = Tree::new();
    let folder = super::super::tests::interface(&mut tree, "virtual", NAME, &[("uevent", "DEVTYPE=bridge")]);
    tree.push((format!("{folder}/brif"), Entry::Dir));
    link(&mut tree, &format!("{folder}/unused"), "x");
    let (nic, sources, errors) = asked(&Replay::complete(tree));
    assert_eq!((&nic.ring.rx, &nic.features), (&Reading::Absent, &Reading::Absent));
    assert_eq!((&nic.module.vendor, &nic.port_counters.discards), (&Reading::Absent, &Reading::Absent));
    assert_eq!(nic.statistics, Collection::Complete(Vec::new()));
    assert_eq!(sources[nic.ring.sources.get("rx").unwrap().0 as usize], "derived: kind of ens1f0");
    // The driver and the permanent address are asked of every interface.
    assert!(errors.iter().all(|error| !error.operation.contains("command 10h")), "{errors:?}");
}

#[test]
fn what_cannot_be_told_from_a_kind_is_not_asked() {
    let mut tree = Tree::new();
    link(&mut tree, &format!("/sys/class/net/{NAME}"), "../../devices/somewhere");
    let (nic, _, errors) = asked(&Replay::complete(tree));
    assert!(matches!(nic.kind, Reading::Unreadable(_)), "{:?}", nic.kind);
    assert!(cause(&nic.ring.rx, &errors).contains("not whether it can be asked"), "{errors:?}");
}

#[test]
fn firmware_that_speaks_lldp_is_told_by_the_flag_of_its_driver() {
    let of = |names: &[&str], mask: u32| {
        let host = with_strings(machine(), StringSet::PrivateFlags, names);
        asked(&told(host, fixed(0x27, 8), flags_answer(mask))).0.firmware_lldp
    };
    assert_eq!(of(&["MFP", "disable-fw-lldp"], 0b00), known(true));
    assert_eq!(of(&["MFP", "disable-fw-lldp"], 0b10), known(false));
    assert_eq!(of(&["fw-lldp-agent"], 0b1), known(true));
    assert_eq!(of(&["fw-lldp-agent"], 0b0), known(false));
    assert_eq!(of(&["rx_striding_rq"], 0b1), Reading::Absent);
}

#[test]
fn a_recording_of_these_questions_replays_to_the_same() {
    let host = with_module(whole(), 2, 512, &[(0, sfp()), (256, sfp_diagnostics())]);
    let record = Record::new(&host);
    let first = read(&record);
    let again = read(&Replay::from_files(record.capture()).unwrap());
    assert!(first.0 == again.0 && first.1 == again.1 && first.2 == again.2);
}
