//! Answers of lldpcli 1.0.16 and lldptool as they print them (names and numbers made up).
#![expect(clippy::field_reassign_with_default, reason = "a record with a few facts of many reads better so")]

use super::*;
use crate::host::{Answer, Host, Question, Record, Replay};
use crate::reading::ReadError;
use crate::units::Bytes;

const LLDPCLI: [&str; 6] = ["lldpcli", "-f", "json0", "show", "neighbors", "details"];

/// One port of a switch that announces PFC for priority 3, ETS, two VLANs and frames of 9220 bytes.
const SWITCH: &str = r#"{"lldp": [{"interface": [
  {"name": "eth0", "via": "LLDP", "rid": "1", "age": "0 day, 00:00:06",
   "chassis": [{"id": [{"type": "mac", "value": "02:00:00:00:00:25"}], "name": [{"value": "switch-a"}], "descr": [{"value": "Switch OS 9"}],
     "mgmt-ip": [{"value": "192.0.2.1"}, {"value": "2001:db8::1"}], "mgmt-iface": [{"value": "5"}],
     "capability": [{"type": "Bridge", "enabled": true}]}],
   "port": [{"id": [{"type": "ifname", "value": "Ethernet1/7"}], "descr": [{"value": "to node"}], "ttl": [{"value": "120"}], "mfs": [{"value": "9220"}]}],
   "vlan": [{"vlan-id": "711", "pvid": false, "value": "SMB1"}, {"vlan-id": "710", "pvid": true}],
   "unknown-tlvs": [{"unknown-tlv": [
     {"oui": "00,80,C2", "subtype": "11", "len": "2", "value": "08,08"},
     {"oui": "00,80,C2", "subtype": "9", "len": "21", "value": "03,00,01,00,02,30,32,02,00,00,00,00,00,02,02,02,00,00,00,00,00"},
     {"oui": "00,80,C2", "subtype": "7", "len": "5", "value": "03,00,00,00,05"},
     {"oui": "AA,BB,CC", "subtype": "1", "len": "1", "value": "00"}]}]},
  {"name": "eth1", "via": "CDPv2", "chassis": [{"id": [{"type": "local", "value": "other"}]}]}
]}]}"#;

const LLDPTOOL: &str = "Chassis ID TLV\n\tMAC: 02:00:00:00:00:26\nPort ID TLV\n\tIfname: gi1/1\nTime to Live TLV\n\t120\n\
    Port Description TLV\n\tgigabitethernet1/1\nSystem Name TLV\n\tSwitch POD\nSystem Description TLV\n\tSwitch Module\n\
    Management Address TLV\n\tIPv4: 192.0.2.9\n\tIfindex: 3\nPort VLAN ID TLV\n\tPVID: 0x2c6\nMaximum Frame Size TLV\n\t9216\n\
    IEEE 8021QAZ ETS Configuration TLV\n\t Willing: no\n\t CBS: not supported\n \t MAX_TCS: 3\n\t PRIO_MAP: 0:0 1:0 2:0 3:1 4:0 5:0 6:0 7:2\n\
    \t TC Bandwidth: 48% 50% 2% 0% 0% 0% 0% 0%\n\t TSA_MAP: 0:ets 1:ets 2:ets 3:strict 4:strict 5:strict 6:strict 7:strict\n\
    IEEE 8021QAZ PFC TLV\n\t Willing: yes\n\t MACsec Bypass Capable: no\n\t PFC capable traffic classes: 8\n\t PFC enabled: 3 5\n\
    IEEE 8021QAZ APP TLV\n\tApp#0:\n\t Priority: 3\n\t Sel: 3\n\t {D}UDP Port: 4791\n\n\tApp#1:\n\t Priority: 5\n\t Sel: 1\n\t Ethertype: 0x8906\n\n\
    End of LLDPDU TLV\n";

fn running(agent: &str) -> Replay {
    Replay::complete([
        (format!("/run/{agent}.pid"), crate::host::Entry::file("321\n")),
        ("/proc/321/comm".to_owned(), crate::host::Entry::file(format!("{agent}\n"))),
    ])
}

fn run(argv: &[&str]) -> Question {
    Question::Run(argv.iter().map(|word| (*word).to_owned()).collect())
}

fn output(status: i32, stdout: &str, stderr: &str) -> Result<Answer, HostErrorKind> {
    let (stdout, stderr) = (stdout.as_bytes().to_vec(), stderr.as_bytes().to_vec());
    Ok(Answer::Tool(ToolOutput { status: Some(status), stdout, stderr }))
}

fn port(name: &str, carrier: bool) -> Nic {
    let mut nic = Nic::default();
    nic.name = Reading::Known(name.to_owned());
    nic.kind = Reading::Known(NicKind::Physical);
    nic.carrier = Reading::Known(carrier);
    nic
}

type Seen = (Reading<Vec<String>>, Collection<LldpNeighbour>, Vec<ReadError>);

fn seen(host: &dyn Host) -> Seen {
    let ledger = Ledger::new(host);
    let (agents, neighbours) = collect(&ledger, &[port("eth0", true), port("eth1", false)]);
    (agents.reading, neighbours, ledger.close().1)
}

fn known<T>(value: T) -> Reading<T> {
    Reading::Known(value)
}

fn text(word: &str) -> Reading<String> {
    known(word.to_owned())
}

fn words(words: &[&str]) -> Reading<Vec<String>> {
    known(words.iter().map(|word| (*word).to_owned()).collect())
}

#[test]
fn a_switch_as_lldpd_heard_it() {
    let host = running("lldpd").with(run(&LLDPCLI), output(0, SWITCH, ""));
    let (agents, neighbours, errors) = seen(&host);
    assert_eq!((agents, &errors[..]), (words(&["lldpd"]), &[][..]));
    let [switch] = neighbours.items() else { panic!("{neighbours:?}") };
    assert_eq!((&switch.interface, &switch.agent), (&text("eth0"), &text("lldpd")));
    assert_eq!((&switch.chassis_id, &switch.port_id), (&text("mac 02:00:00:00:00:25"), &text("ifname Ethernet1/7")));
    assert_eq!((&switch.system_name, &switch.port_description), (&text("switch-a"), &text("to node")));
    assert_eq!(switch.management_addresses, words(&["192.0.2.1", "2001:db8::1"]));
    assert_eq!((&switch.pvid, &switch.vlans), (&known(710), &known(vec![710, 711])));
    assert_eq!((&switch.vlan_names, &switch.max_frame), (&words(&["711 SMB1"]), &known(Bytes(9220))));
    assert_eq!((&switch.aggregated, &switch.pfc_priorities), (&known(true), &known(vec![3])));
    assert_eq!((&switch.pfc_willing, &switch.pfc_capability), (&known(false), &known(8)));
    assert_eq!((&switch.ets_bandwidth, &switch.ets_willing), (&known(vec![48, 50, 2, 0, 0, 0, 0, 0]), &known(false)));
    assert_eq!(switch.ets_classes, known(vec![0, 0, 0, 1, 0, 0, 0, 2]));
    assert_eq!((&switch.ets_recommended, &switch.applications), (&Reading::Absent, &Reading::Absent));
}

#[test]
fn a_switch_as_lldpad_heard_it() {
    let host = running("lldpad").with(run(&["lldptool", "-t", "-n", "-i", "eth0"]), output(0, LLDPTOOL, ""));
    let (agents, neighbours, errors) = seen(&host);
    assert_eq!((agents, &errors[..]), (words(&["lldpad"]), &[][..]));
    let [switch] = neighbours.items() else { panic!("{neighbours:?}") };
    assert_eq!((&switch.chassis_id, &switch.port_id), (&text("mac 02:00:00:00:00:26"), &text("ifname gi1/1")));
    assert_eq!((&switch.system_name, &switch.system_description), (&text("Switch POD"), &text("Switch Module")));
    assert_eq!(switch.management_addresses, words(&["192.0.2.9"]));
    assert_eq!((&switch.pvid, &switch.max_frame), (&known(710), &known(Bytes(9216))));
    assert_eq!((&switch.pfc_priorities, &switch.pfc_willing), (&known(vec![3, 5]), &known(true)));
    assert_eq!(switch.ets_bandwidth, known(vec![48, 50, 2, 0, 0, 0, 0, 0]));
    assert_eq!(switch.ets_classes, known(vec![0, 0, 0, 1, 0, 0, 0, 2]));
    assert_eq!(switch.applications, words(&["dgram 4791: 3", "ethertype 0x8906: 5"]));
    let silent =
        running("lldpad").with(run(&["lldptool", "-t", "-n", "-i", "eth0"]), output(0, "End of LLDPDU TLV\n", ""));
    assert_eq!(seen(&silent).1, Collection::Complete(Vec::new()));
}

#[test]
fn only_the_tool_of_an_agent_that_runs_is_asked() {
    let host = Replay::complete::<&str>([]);
    let record = Record::new(&host);
    let (agents, neighbours, errors) = seen(&record);
    assert_eq!(agents, known(Vec::new()));
    assert!(matches!(neighbours, Collection::Unreadable(_)) && errors[0].cause.contains("no LLDP agent runs"));
    assert!(!record.capture().iter().any(|(path, _)| path.starts_with("tools/")));
    // A file that was left behind, and one whose number is another's now.
    let stale = Replay::complete([("/run/lldpd.pid", crate::host::Entry::file("321\n"))]);
    assert_eq!(seen(&stale).0, known(Vec::new()));
    let reused = Replay::complete([
        ("/run/lldpd.pid", crate::host::Entry::file("321\n")),
        ("/proc/321/comm", crate::host::Entry::file("bash\n")),
    ]);
    assert_eq!(seen(&reused).0, known(Vec::new()));
    let garbage = Replay::complete([("/run/lldpd.pid", crate::host::Entry::file("../../etc\n"))]);
    assert!(matches!(seen(&garbage).0, Reading::Unreadable(_)));
}

#[test]
fn a_tool_that_fails_tells_why() {
    let cause = |outcome| {
        let (_, neighbours, errors) = seen(&running("lldpd").with(run(&LLDPCLI), outcome));
        assert!(matches!(neighbours, Collection::Unreadable(_)));
        let last = errors.last().unwrap().clone();
        (last.kind, last.cause)
    };
    let denied =
        "2026-12-01T10:00:00 [WARN/lldpctl] unable to connect to socket /run/lldpd.socket: Permission denied\n";
    assert_eq!(cause(output(1, "", denied)).0, ErrorKind::PermissionDenied);
    assert!(cause(Err(HostErrorKind::ToolMissing)).1.contains("package lldpd"));
    assert_eq!(cause(Err(HostErrorKind::TimedOut)).0, ErrorKind::TimedOut);
    for broken in ["", "{", "[]", "{\"lldp\": 1}", "{\"lldp\": [{\"interface\": [{}]}]}"] {
        assert_eq!(cause(output(0, broken, "")).0, ErrorKind::Malformed, "{broken}");
    }
}

#[test]
fn a_broken_tlv_breaks_what_it_says_alone() {
    let cut = SWITCH.replace("\"08,08\"", "\"08\"").replace("\"value\": \"9220\"", "\"value\": \"many\"");
    let (_, neighbours, errors) = seen(&running("lldpd").with(run(&LLDPCLI), output(0, &cut, "")));
    let switch = &neighbours.items()[0];
    assert!(
        matches!(switch.pfc_priorities, Reading::Unreadable(_)) && matches!(switch.max_frame, Reading::Unreadable(_))
    );
    assert_eq!(switch.ets_classes, known(vec![0, 0, 0, 1, 0, 0, 0, 2]));
    assert!(errors.iter().all(|error| error.kind == ErrorKind::Malformed) && errors.len() == 2, "{errors:?}");
    let garbled = LLDPTOOL.replace("PFC enabled: 3 5", "PFC enabled: three").replace("3:1", "4:1");
    let host = running("lldpad").with(run(&["lldptool", "-t", "-n", "-i", "eth0"]), output(0, &garbled, ""));
    let (_, neighbours, _) = seen(&host);
    let switch = &neighbours.items()[0];
    assert!(
        matches!(switch.pfc_priorities, Reading::Unreadable(_)) && matches!(switch.ets_classes, Reading::Unreadable(_))
    );
    assert_eq!(switch.max_frame, known(Bytes(9216)));
}

#[test]
fn a_recording_gives_the_same() {
    let host = running("lldpd").with(run(&LLDPCLI), output(0, SWITCH, ""));
    let record = Record::new(&host);
    let live = seen(&record);
    assert_eq!(seen(&Replay::from_files(record.capture()).unwrap()), live);
}
