//! Answers of the kernel put together attribute by attribute, as `net/dcb/dcbnl.c` does.
#![expect(clippy::field_reassign_with_default, reason = "a record with a few facts of many reads better so")]

use super::*;
use crate::host::{Answer, Host, HostErrorKind, Question, Record, Replay};
use crate::reading::ReadError;

fn attribute(kind: u16, content: &[u8]) -> Vec<u8> {
    let mut bytes = ((content.len() + 4) as u16).to_ne_bytes().to_vec();
    bytes.extend(kind.to_ne_bytes());
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

fn message(command: u8, attributes: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![0; 16];
    bytes.extend([0, command, 0, 0]);
    attributes.iter().for_each(|attribute| bytes.extend(attribute));
    let length = bytes.len() as u32;
    bytes[..4].copy_from_slice(&length.to_ne_bytes());
    bytes[4..6].copy_from_slice(&78_u16.to_ne_bytes());
    bytes
}

/// 48, 50 and 2 percent; priority 3 in class 1, priority 7 in class 2.
fn ets() -> Vec<u8> {
    let mut bytes = vec![1, 8, 0];
    bytes.extend([48, 50, 2, 0, 0, 0, 0, 0]); // tc_tx_bw
    bytes.extend([100, 0, 0, 0, 0, 0, 0, 0]); // tc_rx_bw
    bytes.extend([2, 2, 2, 0, 0, 0, 0, 255]); // tc_tsa
    bytes.extend([0, 0, 0, 1, 0, 0, 0, 2]); // prio_tc
    bytes.extend([0; 24]);
    bytes
}

fn pfc(enabled: u8, requests: u64, indications: u64) -> Vec<u8> {
    let mut bytes = vec![8, enabled, 0, 0, 0, 0, 0, 0];
    for counter in [requests, indications] {
        bytes.extend([0; 24]);
        bytes.extend(counter.to_ne_bytes()); // priority 3
        bytes.extend([0; 32]);
    }
    bytes
}

fn app(selector: u8, priority: u8, protocol: u16) -> Vec<u8> {
    let [low, high] = protocol.to_ne_bytes();
    attribute(1, &[selector, priority, low, high])
}

const NESTED: u16 = 0x8000;

fn ieee() -> Vec<u8> {
    let applications = [app(3, 3, 4791), app(1, 4, 0x8906), app(5, 3, 26)].concat();
    let content = [
        attribute(1, &ets()),
        attribute(7, &[0; 64]), // maxrate, of no interest
        attribute(2, &pfc(0b1000, 7, 9)),
        attribute(3 | NESTED, &applications),
        attribute(5, &pfc(0b1_0000, 0, 0)),
    ];
    message(21, &[attribute(1, b"eth0\0"), attribute(13 | NESTED, &content.concat()), attribute(14, &[0b1001])])
}

fn question(command: u8) -> Question {
    Question::Netlink(NetlinkFamily::Route, message::request(command, "eth0"))
}

fn host(mode: u8) -> Replay {
    let modes = message(22, &[attribute(1, b"eth0\0"), attribute(14, &[mode])]);
    Replay::complete::<&str>([])
        .with(question(22), Ok(Answer::Messages(vec![modes])))
        .with(question(21), Ok(Answer::Messages(vec![ieee()])))
}

fn seen(host: &dyn Host) -> (Dcb, Vec<ReadError>) {
    let mut nic = Nic::default();
    nic.name = Reading::Known("eth0".to_owned());
    nic.kind = Reading::Known(NicKind::Physical);
    let mut nics = [nic];
    let ledger = Ledger::new(host);
    collect(&ledger, &mut nics);
    let [nic] = nics;
    (nic.dcb, ledger.close().1)
}

fn known<T>(value: T) -> Reading<T> {
    Reading::Known(value)
}

fn words(words: &[&str]) -> Reading<Vec<String>> {
    known(words.iter().map(|word| (*word).to_owned()).collect())
}

#[test]
fn the_request_is_one_that_the_door_lets_through() {
    let request = message::request(21, "eth0");
    // length, type 78, flags REQUEST, sequence 1, port 0; family 0, command 21; attribute of 9 bytes, type 1
    let expected = [
        &28_u32.to_ne_bytes()[..],
        &[78_u16.to_ne_bytes(), 1_u16.to_ne_bytes()].concat(),
        &[1_u32.to_ne_bytes(), 0_u32.to_ne_bytes()].concat(),
        &[0, 21, 0, 0],
        &[9_u16.to_ne_bytes(), 1_u16.to_ne_bytes()].concat(),
        b"eth0\0\0\0\0",
    ]
    .concat();
    let mut expected = expected;
    let length = expected.len() as u32;
    expected[..4].copy_from_slice(&length.to_ne_bytes());
    assert_eq!(request, expected);
    assert_eq!(request.len(), 32);
}

#[test]
fn what_the_kernel_has_of_an_interface() {
    let (dcb, errors) = seen(&host(0b1001));
    assert_eq!(dcb.dcbx, words(&["host", "ieee"]));
    assert_eq!((&dcb.ets_willing, &dcb.ets_bandwidth), (&known(true), &known(vec![48, 50, 2, 0, 0, 0, 0, 0])));
    assert_eq!(dcb.ets_selection, words(&["ets", "ets", "ets", "strict", "strict", "strict", "strict", "vendor"]));
    assert_eq!(dcb.ets_classes, known(vec![0, 0, 0, 1, 0, 0, 0, 2]));
    assert_eq!((&dcb.pfc_capability, &dcb.pfc_priorities), (&known(8), &known(vec![3])));
    assert_eq!((&dcb.pfc_sent, &dcb.pfc_received), (&known(7), &known(9)));
    assert_eq!(dcb.applications, words(&["dgram 4791: 3", "dscp 26: 3", "ethertype 0x8906: 4"]));
    assert_eq!((&dcb.peer_pfc_priorities, &dcb.peer_ets_bandwidth), (&known(vec![4]), &Reading::Absent));
    assert_eq!(dcb.cee_pfc_priorities, Reading::Absent);
    assert_eq!(errors, []);
}

#[test]
fn cee_is_asked_where_it_is_spoken() {
    let up = |priority: u16, on: u8| attribute(priority + 1, &[on]);
    let pfc = attribute(6 | NESTED, &[up(3, 1), up(4, 0), up(5, 2)].concat());
    let cee = message(26, &[attribute(1, b"eth0\0"), attribute(16 | NESTED, &pfc)]);
    let host = host(0b0101).with(question(26), Ok(Answer::Messages(vec![cee])));
    let (dcb, errors) = seen(&host);
    assert_eq!((&dcb.dcbx, &dcb.cee_pfc_priorities), (&words(&["host", "cee"]), &known(vec![3, 5])));
    assert_eq!(errors, []);
}

#[test]
fn a_driver_without_it_has_none_and_one_that_may_not_be_asked_tells_nothing() {
    let none = [21, 22].into_iter().fold(Replay::complete::<&str>([]), |host, command| {
        host.with(question(command), Err(HostErrorKind::NotSupported))
    });
    let (dcb, errors) = seen(&none);
    assert_eq!((&dcb.dcbx, &dcb.pfc_priorities), (&Reading::Absent, &Reading::Absent));
    assert_eq!((&dcb.applications, &dcb.cee_pfc_priorities), (&Reading::Absent, &Reading::Absent));
    assert_eq!(errors, []);
    let denied = [21, 22].into_iter().fold(Replay::complete::<&str>([]), |host, command| {
        host.with(question(command), Err(HostErrorKind::PermissionDenied))
    });
    let (dcb, _) = seen(&denied);
    assert!(matches!(dcb.pfc_priorities, Reading::Unreadable(_)));
    assert!(matches!(dcb.dcbx, Reading::Unreadable(_)) && matches!(dcb.cee_pfc_priorities, Reading::Unreadable(_)));
}

#[test]
fn cut_and_impossible_answers_are_malformed() {
    let nested = |content: &[u8]| message(21, &[attribute(13, content)]);
    for answer in [
        vec![],
        vec![vec![0; 12]],
        vec![ieee(), ieee()],
        vec![message(21, &[vec![3, 0, 1, 0]])], // an attribute shorter than its header
        vec![message(21, &[vec![200, 0, 13, 0]])], // and one longer than the message
        vec![nested(&attribute(2, &[8, 1, 0]))], // struct ieee_pfc cut
        vec![nested(&[attribute(2, &pfc(1, u64::MAX, 0)), attribute(3, &attribute(1, &[9, 1, 0, 0]))].concat())],
    ] {
        let host = host(1).with(question(21), Ok(Answer::Messages(answer.clone())));
        let (dcb, errors) = seen(&host);
        let told =
            [matches!(dcb.pfc_priorities, Reading::Unreadable(_)), matches!(dcb.applications, Reading::Unreadable(_))];
        assert!(told.contains(&true), "{answer:?}");
        assert!(errors.iter().all(|error| error.kind == crate::reading::ErrorKind::Malformed), "{errors:?}");
    }
    let mut wild = ets();
    wild[3] = 101;
    wild[27] = 8;
    wild[19] = 9;
    wild[0] = 7;
    let host = host(1).with(question(21), Ok(Answer::Messages(vec![nested(&attribute(1, &wild))])));
    let (dcb, errors) = seen(&host);
    assert!(matches!(dcb.ets_willing, Reading::Unreadable(_)) && matches!(dcb.ets_bandwidth, Reading::Unreadable(_)));
    assert!(matches!(dcb.ets_classes, Reading::Unreadable(_)) && matches!(dcb.ets_selection, Reading::Unreadable(_)));
    assert_eq!((dcb.pfc_priorities, errors.len()), (Reading::Absent, 4));
}

#[test]
fn what_is_no_port_is_not_asked_and_a_recording_gives_the_same() {
    let mut bond = Nic::default();
    bond.name = Reading::Known("bond0".to_owned());
    bond.kind = Reading::Known(NicKind::Bond);
    let empty = Replay::complete::<&str>([]);
    let record = Record::new(&empty);
    let ledger = Ledger::new(&record);
    let mut nics = [bond];
    collect(&ledger, &mut nics);
    assert_eq!(nics[0].dcb.pfc_priorities, Reading::Absent);
    assert!(!record.capture().iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("netlink")));

    let host = host(0b1001);
    let record = Record::new(&host);
    let live = seen(&record);
    let replay = Replay::from_files(record.capture()).unwrap();
    assert_eq!(seen(&replay), live);
}
