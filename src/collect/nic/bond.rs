//! Bonds and their slaves: `/sys/class/net/*/bonding` and `bonding_slave`, or the text of `/proc/net/bonding`.
//!
//! sysfs comes first; the text is for recordings that have nothing else. What the text does not tell stays untold. Teams are not read here.

use super::attribute::{known_or_absent, text};
use super::{BONDING_MASTERS, NET, parse};
use crate::collect::ledger::{Ledger, Missing, Read};
use crate::host::{HostError, HostErrorKind};
use crate::inventory::nic::{Bond, BondMode, BondSlave, LacpRate, Nic, NicKind};
use crate::reading::{Collection, ErrorId, ErrorKind, Reading, SourceId};
use crate::units::Seconds;
use std::collections::BTreeSet;

const PROC: &str = "/proc/net/bonding";

/// Reads every bond.
pub(super) fn collect(ledger: &Ledger<'_>, nics: &[Nic]) -> Collection<Bond> {
    let (names, reasons) = names_of_bonds(ledger, nics);
    Collection::new(names.iter().map(|name| bond(ledger, name)).collect(), reasons)
}

/// `bonding_masters` names them all, and is there while the driver is loaded. Without it, what can be seen.
fn names_of_bonds(ledger: &Ledger<'_>, nics: &[Nic]) -> (BTreeSet<String>, Vec<ErrorId>) {
    let masters = ledger.value(&format!("{NET}/{BONDING_MASTERS}"), Missing::Absent, names);
    let reason = match masters {
        Reading::Known(names) => return (names.into_iter().collect(), Vec::new()),
        Reading::Absent => return (BTreeSet::new(), Vec::new()),
        Reading::Unreadable(error) => error,
    };
    let seen =
        nics.iter().filter(|nic| nic.kind.known() == Some(&NicKind::Bond)).filter_map(|nic| nic.name.known().cloned());
    let told = match ledger.host().list(PROC) {
        Ok(listing) => listing.names,
        Err(_) => Vec::new(),
    };
    (seen.chain(told).collect(), vec![reason])
}

/// Names between blanks. The kernel cuts a list that is longer than a page by "++more++".
pub(super) fn names(text: &str) -> Result<Vec<String>, String> {
    if text.contains("++more++") {
        return Err("the kernel cut the list".to_owned());
    }
    let mut names: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    names.sort();
    Ok(names)
}

/// Where one bond, or one slave, is told.
enum Place<'a> {
    Sysfs(String),
    Proc { path: &'a str, source: SourceId, fields: &'a Fields },
}

impl Place<'_> {
    /// One fact: by the name of its file, or by the label of its line. A line that is missing means what `no_line` says.
    fn fact<T>(
        &self,
        ledger: &Ledger<'_>,
        file: &str,
        label: &str,
        no_line: Missing,
        parse: impl FnOnce(&str) -> Result<Option<T>, String>,
    ) -> Read<T> {
        match self {
            Self::Sysfs(folder) => {
                let path = format!("{folder}/{file}");
                let untold = Missing::Untold("the bonding driver has no such attribute");
                let reading = match ledger.value(&path, untold, |text| Ok(text.to_owned())) {
                    Reading::Known(text) => known_or_absent(ledger, &path, parse(&text)),
                    Reading::Absent => Reading::Absent,
                    Reading::Unreadable(error) => Reading::Unreadable(error),
                };
                Read { reading, source: ledger.source(path) }
            }
            Self::Proc { path, source, fields } => {
                let reading = match (fields.value(label), no_line) {
                    (Some(text), _) => known_or_absent(ledger, path, parse(text)),
                    (None, Missing::Absent) => Reading::Absent,
                    (None, Missing::Untold(why)) => {
                        let cause = format!("no line {label:?}: {why}");
                        Reading::Unreadable(ledger.error(format!("parse {path}"), ErrorKind::NotSupported, cause))
                    }
                };
                Read { reading, source: *source }
            }
        }
    }
}

fn bond(ledger: &Ledger<'_>, name: &str) -> Bond {
    let folder = format!("{NET}/{name}/bonding");
    let path = format!("{PROC}/{name}");
    // Only a recording can lack the folder of a bond.
    let lacks = |error: &HostError| matches!(error.kind, HostErrorKind::NotFound | HostErrorKind::NotInCapture);
    if ledger.host().read(&format!("{folder}/mode")).is_err_and(|error| lacks(&error)) {
        let told = ledger.host().read(&path).ok();
        if let Some(told) = told.as_deref().and_then(|bytes| std::str::from_utf8(bytes).ok()).and_then(ProcBond::parse)
        {
            let source = ledger.source(path.as_str());
            let place = Place::Proc { path: &path, source, fields: &told.fields };
            let slaves = told.slaves.iter().map(|(slave, fields)| {
                let place = Place::Proc { path: &path, source, fields };
                move |mode: &Reading<BondMode>| bond_slave(ledger, slave, source, &place, mode)
            });
            let mut bond = facts(ledger, name, source, &place);
            bond.slaves = Collection::Complete(slaves.map(|slave| slave(&bond.mode)).collect());
            return bond;
        }
    }
    let source = ledger.source(format!("{NET}/{BONDING_MASTERS}"));
    let mut bond = facts(ledger, name, source, &Place::Sysfs(folder.clone()));
    bond.slaves = slaves(ledger, name, &folder, &bond.mode);
    bond
}

fn facts(ledger: &Ledger<'_>, name: &str, source: SourceId, place: &Place<'_>) -> Bond {
    const ALWAYS: Missing = Missing::Untold("the driver writes it of every bond");
    let mut bond = Bond::default();
    set!(bond.name, Read { reading: Reading::Known(name.to_owned()), source });
    set!(bond.mode, place.fact(ledger, "mode", "Bonding Mode", ALWAYS, |text| mode(text).map(Some)));
    set!(bond.mii_up, place.fact(ledger, "mii_status", "MII Status", ALWAYS, up));
    set!(bond.miimon, place.fact(ledger, "miimon", "MII Polling Interval (ms)", ALWAYS, milliseconds));
    let min_links = Missing::Untold("the driver writes it of 802.3ad bonds since 3.7");
    set!(bond.min_links, place.fact(ledger, "min_links", "Min links", min_links, number));
    let hash = place.fact(ledger, "xmit_hash_policy", "Transmit Hash Policy", Missing::Absent, first_word);
    set!(bond.hash_policy, if_mode(&bond.mode, uses_hash, hash));
    let active = place.fact(ledger, "active_slave", "Currently Active Slave", Missing::Absent, slave_name);
    set!(bond.active_slave, active);
    set!(bond.primary, place.fact(ledger, "primary", "Primary Slave", Missing::Absent, slave_name));
    let lacp = |mode| mode == BondMode::Lacp;
    let rate = place.fact(ledger, "lacp_rate", "LACP rate", Missing::Absent, lacp_rate);
    set!(bond.lacp_rate, if_mode(&bond.mode, lacp, rate));
    let aggregator = place.fact(ledger, "ad_aggregator", "Aggregator ID", Missing::Absent, not_zero);
    set!(bond.active_aggregator, if_mode(&bond.mode, lacp, aggregator));
    let ports = place.fact(ledger, "ad_num_ports", "Number of ports", Missing::Absent, number_if_any);
    set!(bond.active_ports, if_mode(&bond.mode, lacp, ports));
    let root_only = Missing::Untold("told to root, and only with an active aggregator");
    let partner = place.fact(ledger, "ad_partner_mac", "Partner Mac Address", root_only, partner_mac);
    set!(bond.partner_mac, if_mode(&bond.mode, lacp, partner));
    bond
}

fn slaves(ledger: &Ledger<'_>, bond: &str, folder: &str, mode: &Reading<BondMode>) -> Collection<BondSlave> {
    let path = format!("{folder}/slaves");
    let list = ledger.parsed(&path, Missing::Untold("the bonding driver has no such attribute"), names);
    let slave = |name: &String| {
        // Beside the slave's own folder the bond has a link to it, `slave_X` before Linux 3.14; a recording may have that alone.
        let places =
            [format!("{NET}/{name}"), format!("{NET}/{bond}/lower_{name}"), format!("{NET}/{bond}/slave_{name}")];
        let folders: Vec<String> = places.iter().map(|place| format!("{place}/bonding_slave")).collect();
        let there = folders.iter().find(|folder| ledger.host().read(&format!("{folder}/mii_status")).is_ok());
        let place = Place::Sysfs(there.or(folders.first()).cloned().unwrap_or_default());
        bond_slave(ledger, name, list.source, &place, mode)
    };
    match &list.reading {
        Reading::Known(names) => Collection::Complete(names.iter().map(slave).collect()),
        Reading::Absent => Collection::Complete(Vec::new()),
        Reading::Unreadable(error) => Collection::Unreadable(*error),
    }
}

fn bond_slave(
    ledger: &Ledger<'_>,
    name: &str,
    listed: SourceId,
    place: &Place<'_>,
    mode: &Reading<BondMode>,
) -> BondSlave {
    const ALWAYS: Missing = Missing::Untold("the driver writes it of every slave");
    let mut slave = BondSlave::default();
    set!(slave.name, Read { reading: Reading::Known(name.to_owned()), source: listed });
    set!(slave.mii_up, place.fact(ledger, "mii_status", "MII Status", ALWAYS, up));
    let not_in_proc = Missing::Untold("the driver writes it in sysfs alone");
    set!(slave.state, place.fact(ledger, "state", "State", not_in_proc, text));
    set!(slave.link_failures, place.fact(ledger, "link_failure_count", "Link Failure Count", ALWAYS, number));
    set!(slave.permanent_mac, place.fact(ledger, "perm_hwaddr", "Permanent HW addr", ALWAYS, parse::address));
    let lacp = |mode| mode == BondMode::Lacp;
    let aggregator = place.fact(ledger, "ad_aggregator_id", "Aggregator ID", ALWAYS, number_if_any);
    set!(slave.aggregator, if_mode(mode, lacp, aggregator));
    let root_only = Missing::Untold("told to root, by kernels since 4.2");
    let actor = place.fact(ledger, "ad_actor_oper_port_state", ACTOR_STATE, root_only, port_state);
    set!(slave.lacp_actor_state, if_mode(mode, lacp, actor));
    let partner = place.fact(ledger, "ad_partner_oper_port_state", PARTNER_STATE, root_only, port_state);
    set!(slave.lacp_partner_state, if_mode(mode, lacp, partner));
    slave
}

/// What only some modes have: absent in others, whatever stands there.
fn if_mode<T>(mode: &Reading<BondMode>, has: impl FnOnce(BondMode) -> bool, read: Read<T>) -> Read<T> {
    let reading = match mode {
        Reading::Known(mode) if !has(*mode) => Reading::Absent,
        Reading::Known(_) | Reading::Absent => read.reading,
        Reading::Unreadable(error) => match read.reading {
            // Empty because the mode has none, or because it was not told: only the mode could say.
            Reading::Absent => Reading::Unreadable(*error),
            other => other,
        },
    };
    Read { reading, source: read.source }
}

/// `bond_mode_uses_xmit_hash` of `include/net/bonding.h`.
fn uses_hash(mode: BondMode) -> bool {
    matches!(mode, BondMode::Lacp | BondMode::BalanceXor | BondMode::BalanceTlb | BondMode::BalanceAlb)
}

/// sysfs: "802.3ad 4". The text: the names of `bond_mode_name` in `drivers/net/bonding/bond_main.c`, with more behind some.
fn mode(text: &str) -> Result<BondMode, String> {
    let names = [
        ("load balancing (round-robin)", BondMode::BalanceRr),
        ("fault-tolerance (active-backup)", BondMode::ActiveBackup),
        ("load balancing (xor)", BondMode::BalanceXor),
        ("fault-tolerance (broadcast)", BondMode::Broadcast),
        ("IEEE 802.3ad Dynamic link aggregation", BondMode::Lacp),
        ("transmit load balancing", BondMode::BalanceTlb),
        ("adaptive load balancing", BondMode::BalanceAlb),
    ];
    match names.iter().find(|(name, _)| text.starts_with(name)) {
        Some((_, mode)) => Ok(*mode),
        None => parse::word(text.split_whitespace().next().unwrap_or_default()),
    }
}

/// `bond_slave_link_status` of `include/net/bonding.h`: "up", "going down", "down", "going back".
fn up(text: &str) -> Result<Option<bool>, String> {
    match text.trim() {
        "up" => Ok(Some(true)),
        "down" | "going down" | "going back" => Ok(Some(false)),
        other => Err(format!("no state of a link: {other:?}")),
    }
}

fn number(text: &str) -> Result<Option<u64>, String> {
    parse::number(text).map(Some)
}

/// "N/A", or nothing, where the mode has none.
fn number_if_any(text: &str) -> Result<Option<u64>, String> {
    match text.trim() {
        "" | "N/A" => Ok(None),
        text => number(text),
    }
}

/// sysfs writes 0 if no aggregator is active.
fn not_zero(text: &str) -> Result<Option<u64>, String> {
    number_if_any(text).map(|number| number.filter(|number| *number != 0))
}

fn milliseconds(text: &str) -> Result<Option<Seconds>, String> {
    parse::number(text).map(|milliseconds| Some(Seconds(milliseconds as f64 / 1000.0)))
}

/// "layer3+4 1" in sysfs, "layer3+4 (1)" in the text.
fn first_word(text: &str) -> Result<Option<String>, String> {
    Ok(text.split_whitespace().next().map(str::to_owned))
}

fn lacp_rate(text: &str) -> Result<Option<LacpRate>, String> {
    match text.split_whitespace().next() {
        Some(word) => parse::word(word).map(Some),
        None => Ok(None),
    }
}

/// An interface, with more behind it ("eth0 (primary_reselect always)"); "None" in the text, nothing in sysfs.
fn slave_name(text: &str) -> Result<Option<String>, String> {
    first_word(text).map(|name| name.filter(|name| name != "None"))
}

/// sysfs writes nothing for whom may not know (`CAP_NET_ADMIN`).
fn partner_mac(text: &str) -> Result<Option<String>, String> {
    if text.trim().is_empty() { Err("empty: told to root only".to_owned()) } else { parse::address(text) }
}

/// The bits of a port's state in an LACP packet (IEEE 802.1AX-2014, 6.4.2.3), as sorted words.
fn port_state(text: &str) -> Result<Option<Vec<String>>, String> {
    const BITS: &[(u64, &str)] = &[
        (1 << 0, "activity"),
        (1 << 2, "aggregation"),
        (1 << 4, "collecting"),
        (1 << 6, "defaulted"),
        (1 << 5, "distributing"),
        (1 << 7, "expired"),
        (1 << 3, "synchronization"),
        (1 << 1, "timeout"),
    ];
    let Some(state) = number_if_any(text)? else { return Ok(None) };
    if state > 0xff {
        return Err(format!("{state} is no state of a port"));
    }
    Ok(Some(BITS.iter().filter(|(bit, _)| state & bit != 0).map(|(_, word)| (*word).to_owned()).collect()))
}

/// Lines of `/proc/net/bonding`, by label.
#[derive(Debug, Default, PartialEq, Eq)]
struct Fields(Vec<(String, String)>);

impl Fields {
    fn value(&self, label: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == label).map(|(_, value)| value.as_str())
    }
}

/// The text of `/proc/net/bonding/X` (`drivers/net/bonding/bond_procfs.c`): the bond's lines, then each slave's.
#[derive(Debug, PartialEq, Eq)]
struct ProcBond {
    fields: Fields,
    slaves: Vec<(String, Fields)>,
}

const ACTOR_STATE: &str = "details actor lacp pdu: port state";
const PARTNER_STATE: &str = "details partner lacp pdu: port state";

impl ProcBond {
    /// `None` if it is no such text.
    fn parse(text: &str) -> Option<Self> {
        let mut fields = Fields::default();
        let mut slaves: Vec<(String, Fields)> = Vec::new();
        // Lines of the two LACP packets have the same labels.
        let mut packet = "";
        for line in text.lines() {
            let Some((label, value)) = line.trim().split_once(':') else { continue };
            let value = value.trim();
            if label == "Slave Interface" {
                packet = "";
                slaves.push((value.to_owned(), Fields::default()));
                continue;
            }
            if value.is_empty() && label.starts_with("details ") {
                packet = label;
                continue;
            }
            let label = if packet.is_empty() { label.to_owned() } else { format!("{packet}: {label}") };
            let target = slaves.last_mut().map_or(&mut fields, |(_, fields)| fields);
            target.0.push((label, value.to_owned()));
        }
        fields.value("Bonding Mode")?;
        Some(Self { fields, slaves })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Ethernet Channel Bonding Driver: v5.15.0\n\n\
        Bonding Mode: IEEE 802.3ad Dynamic link aggregation\nTransmit Hash Policy: layer3+4 (1)\nMII Status: up\n\
        MII Polling Interval (ms): 100\nUp Delay (ms): 0\n\n802.3ad info\nLACP active: on\nLACP rate: fast\nMin links: 0\n\
        System MAC address: 02:00:00:00:00:01\nActive Aggregator Info:\n\tAggregator ID: 2\n\tNumber of ports: 1\n\
        \tPartner Mac Address: 02:00:00:00:00:99\n\n\
        Slave Interface: ens1f0\nMII Status: up\nLink Failure Count: 3\nPermanent HW addr: 02:00:00:00:00:01\nAggregator ID: 2\n\
        details actor lacp pdu:\n    port key: 9\n    port state: 63\ndetails partner lacp pdu:\n    oper key: 1\n    port state: 61\n\n\
        Slave Interface: ens1f1\nMII Status: going down\nLink Failure Count: 0\nPermanent HW addr: 02:00:00:00:00:02\nAggregator ID: N/A\n\
        details actor lacp pdu:\n    port state: 69\ndetails partner lacp pdu:\n    port state: 1\n";

    #[test]
    fn the_text_is_the_bonds_lines_then_each_slaves() {
        let bond = ProcBond::parse(TEXT).unwrap();
        assert_eq!(bond.fields.value("Aggregator ID"), Some("2"));
        assert_eq!(bond.fields.value("Partner Mac Address"), Some("02:00:00:00:00:99"));
        assert_eq!(bond.slaves.len(), 2);
        assert_eq!(bond.slaves[0].1.value(ACTOR_STATE), Some("63"));
        assert_eq!(bond.slaves[0].1.value(PARTNER_STATE), Some("61"));
        assert_eq!(bond.slaves[1].1.value("Aggregator ID"), Some("N/A"));
        assert_eq!(ProcBond::parse("nothing: of it"), None);
        assert_eq!(ProcBond::parse(""), None);
    }

    #[test]
    fn modes_have_two_spellings() {
        for (text, expected) in [
            ("802.3ad 4", BondMode::Lacp),
            ("IEEE 802.3ad Dynamic link aggregation", BondMode::Lacp),
            ("active-backup 1", BondMode::ActiveBackup),
            ("fault-tolerance (active-backup) (fail_over_mac active)", BondMode::ActiveBackup),
            ("load balancing (xor)", BondMode::BalanceXor),
            ("balance-rr 0", BondMode::BalanceRr),
        ] {
            assert_eq!(mode(text), Ok(expected), "{text}");
        }
        assert!(mode("").is_err());
        assert!(mode("bonded 9").is_err());
    }

    #[test]
    fn a_link_that_goes_is_not_up() {
        assert_eq!(up("up"), Ok(Some(true)));
        assert_eq!(up("going down"), Ok(Some(false)));
        assert!(up("").is_err());
    }

    #[test]
    fn the_state_of_a_port_is_bits() {
        let words = |words: &[&str]| Ok(Some(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()));
        // 63 = 0x3f: all of activity, timeout, aggregation, synchronization, collecting, distributing.
        assert_eq!(
            port_state("63"),
            words(&["activity", "aggregation", "collecting", "distributing", "synchronization", "timeout"])
        );
        // 69 = 0x45: nobody answers.
        assert_eq!(port_state("69"), words(&["activity", "aggregation", "defaulted"]));
        assert_eq!(port_state("0"), words(&[]));
        assert_eq!(port_state("N/A"), Ok(None));
        assert!(port_state("256").is_err());
    }

    #[test]
    fn a_list_that_the_kernel_cut_is_no_list() {
        assert_eq!(names("eth5 eth1"), Ok(vec!["eth1".to_owned(), "eth5".to_owned()]));
        assert_eq!(names(""), Ok(vec![]));
        assert!(names("eth0 eth1 ++more++").is_err());
    }

    #[test]
    fn nobody_is_no_slave_and_zero_no_aggregator() {
        assert_eq!(slave_name("None"), Ok(None));
        assert_eq!(slave_name(""), Ok(None));
        assert_eq!(slave_name("eth0 (primary_reselect always)"), Ok(Some("eth0".to_owned())));
        assert_eq!(not_zero("0"), Ok(None));
        assert_eq!(not_zero("3"), Ok(Some(3)));
        assert_eq!(milliseconds("100"), Ok(Some(Seconds(0.1))));
        assert!(partner_mac("").is_err());
        assert_eq!(partner_mac("00:00:00:00:00:00"), Ok(None));
    }
}
