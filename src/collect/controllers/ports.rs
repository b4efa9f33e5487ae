//! Ports of controllers and expanders: SAS phys, SATA links, Fibre Channel ports.

use super::Key;
use super::driver;
use super::hosts::{Host, numbered};
use crate::collect::ledger::{Ledger, Missing, Read};
use crate::inventory::controller::{ControllerKind, PortKind, PortState, SasExpander, StoragePort};
use crate::reading::{Collection, ErrorId, ErrorKind, Reading};
use crate::units::BitsPerSec;
use std::collections::BTreeMap;

const PHYS: &str = "/sys/class/sas_phy";
const EXPANDERS: &str = "/sys/class/sas_expander";
const SATA: &str = "/sys/class/ata_link";
const FC: &str = "/sys/class/fc_host";
/// The transport class gives it to every one of its things.
const ALWAYS: Missing = Missing::Untold("the transport class has it for every one");

/// All ports and expanders, by controller.
pub(super) struct Found {
    sas: Class<StoragePort>,
    sata: Class<StoragePort>,
    fc: Class<StoragePort>,
    expanders: Class<SasExpander>,
}

/// What one class of sysfs holds.
struct Class<T> {
    by_key: BTreeMap<Key, Vec<T>>,
    reasons: Vec<ErrorId>,
}

impl<T: Clone> Class<T> {
    /// Reads the class; `of` tells the controller of a name, `one` reads it. A class that is not there has none: the transport's
    /// module is not loaded.
    fn read(ledger: &Ledger<'_>, path: &str, of: impl Fn(&str) -> Option<Key>, one: impl Fn(&str) -> T) -> Self {
        let mut by_key: BTreeMap<Key, Vec<T>> = BTreeMap::new();
        let mut reasons = Vec::new();
        match ledger.names(path, Missing::Absent) {
            Reading::Known(listing) => {
                let mut names: Vec<&String> = listing.names.iter().collect();
                // "phy-0:2" before "phy-0:10".
                names.sort_by_key(|name| numbers(name));
                for name in names {
                    if let Some(key) = of(name) {
                        by_key.entry(key).or_default().push(one(name));
                    }
                }
                if !listing.complete {
                    reasons.push(ledger.incomplete(path));
                }
            }
            Reading::Absent => {}
            Reading::Unreadable(error) => reasons.push(error),
        }
        Self { by_key, reasons }
    }

    fn of(&self, key: Key) -> Collection<T> {
        Collection::new(self.by_key.get(&key).cloned().unwrap_or_default(), self.reasons.clone())
    }
}

/// The numbers in a name, then the name.
fn numbers(name: &str) -> (Vec<u64>, &str) {
    let numbers = name.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
    (numbers.collect(), name)
}

/// Reads the four classes.
pub(super) fn find(ledger: &Ledger<'_>, hosts: &[Host], key_of_host: &BTreeMap<u32, Key>) -> Found {
    // "phy-HOST:PHY", "phy-HOST:EXPANDER:PHY", "expander-HOST:EXPANDER" (`drivers/scsi/scsi_transport_sas.c`).
    let of_host = |name: &str, prefix: &str| {
        let number = numbered(name.strip_prefix(prefix)?.split(':').next()?, "")?;
        key_of_host.get(&number).copied()
    };
    // "link12", and "link12.0" behind a port multiplier.
    let of_link = |name: &str| {
        let ata = numbered(name.strip_prefix("link")?.split('.').next()?, "")?;
        let host = hosts.iter().find(|host| host.ata() == Some(ata))?;
        key_of_host.get(&host.number).copied()
    };
    Found {
        sas: Class::read(ledger, PHYS, |name| of_host(name, "phy-"), |name| phy(ledger, name)),
        sata: Class::read(ledger, SATA, of_link, |name| sata(ledger, name)),
        fc: Class::read(ledger, FC, |name| of_host(name, "host"), |name| fc(ledger, name)),
        expanders: Class::read(ledger, EXPANDERS, |name| of_host(name, "expander-"), |name| expander(ledger, name)),
    }
}

impl Found {
    /// The ports of one controller.
    pub(super) fn ports(
        &self,
        ledger: &Ledger<'_>,
        key: Key,
        kind: ControllerKind,
        name: &str,
    ) -> Collection<StoragePort> {
        match kind {
            ControllerKind::Ahci | ControllerKind::Ata => self.sata.of(key),
            ControllerKind::Fc => self.fc.of(key),
            ControllerKind::Scsi | ControllerKind::Other => {
                let (sas, fc) = (self.sas.of(key), self.fc.of(key));
                let ports = sas.items().iter().chain(fc.items()).cloned().collect();
                Collection::new(ports, [sas.reasons(), fc.reasons()].concat())
            }
            ControllerKind::SasHba | ControllerKind::Raid => match self.sas.of(key) {
                Collection::Complete(phys) if phys.is_empty() => Collection::Unreadable(ledger.error(
                    format!("read the ports of {name}"),
                    ErrorKind::NotSupported,
                    "its driver does not show them in sysfs",
                )),
                phys => phys,
            },
            _ => Collection::Complete(Vec::new()),
        }
    }

    /// The expanders behind one controller.
    pub(super) fn expanders(&self, key: Key, kind: ControllerKind) -> Collection<SasExpander> {
        match kind {
            ControllerKind::SasHba | ControllerKind::Raid | ControllerKind::Scsi | ControllerKind::Other => {
                self.expanders.of(key)
            }
            _ => Collection::Complete(Vec::new()),
        }
    }
}

/// A rate and what it says of the link.
type Told = (PortState, Option<BitsPerSec>);

fn new(ledger: &Ledger<'_>, class: &str, name: &str, kind: PortKind) -> StoragePort {
    let mut port = StoragePort::default();
    let source = ledger.source(format!("list {class}"));
    set!(port.name, Read { reading: Reading::Known(name.to_owned()), source });
    set!(port.kind, Read { reading: Reading::Known(kind), source });
    set!(port.expander, Read { reading: Reading::Absent, source });
    set!(port.hardware_maximum, Read { reading: Reading::Absent, source });
    set!(port.minimum, Read { reading: Reading::Absent, source });
    set!(port.enabled, Read { reading: Reading::Absent, source });
    set!(port.invalid_dword_count, Read { reading: Reading::Absent, source });
    set!(port.running_disparity_error_count, Read { reading: Reading::Absent, source });
    set!(port.loss_of_dword_sync_count, Read { reading: Reading::Absent, source });
    set!(port.phy_reset_problem_count, Read { reading: Reading::Absent, source });
    port
}

fn link(port: &mut StoragePort, told: Read<Told>) {
    let source = told.source;
    let (state, rate) = match told.reading {
        Reading::Known((state, rate)) => (Reading::Known(state), rate.map_or(Reading::Absent, Reading::Known)),
        Reading::Absent => (Reading::Absent, Reading::Absent),
        Reading::Unreadable(error) => (Reading::Unreadable(error), Reading::Unreadable(error)),
    };
    set!(port.state, Read { reading: state, source });
    set!(port.negotiated, Read { reading: rate, source });
}

fn phy(ledger: &Ledger<'_>, name: &str) -> StoragePort {
    let at = format!("{PHYS}/{name}");
    let mut port = new(ledger, PHYS, name, PortKind::Sas);
    if let Some((host_and_expander, _)) = name.strip_prefix("phy-").and_then(|rest| rest.rsplit_once(':'))
        && host_and_expander.contains(':')
    {
        port.expander = Reading::Known(format!("expander-{host_and_expander}"));
    }
    link(&mut port, ledger.parsed(&format!("{at}/negotiated_linkrate"), ALWAYS, parse_sas_rate));
    set!(port.maximum, ledger.parsed(&format!("{at}/maximum_linkrate"), ALWAYS, parse_rate));
    set!(port.hardware_maximum, ledger.parsed(&format!("{at}/maximum_linkrate_hw"), ALWAYS, parse_rate));
    set!(port.minimum, ledger.parsed(&format!("{at}/minimum_linkrate"), ALWAYS, parse_rate));
    let since = Missing::Untold("the kernel is too old for it");
    set!(port.enabled, ledger.parsed(&format!("{at}/enable"), since, parse_flag));
    set!(port.address, ledger.parsed(&format!("{at}/sas_address"), ALWAYS, parse_address));
    let count = |file: &str| ledger.parsed(&format!("{at}/{file}"), ALWAYS, driver::number);
    set!(port.invalid_dword_count, count("invalid_dword_count"));
    set!(port.running_disparity_error_count, count("running_disparity_error_count"));
    set!(port.loss_of_dword_sync_count, count("loss_of_dword_sync_count"));
    set!(port.phy_reset_problem_count, count("phy_reset_problem_count"));
    port
}

fn sata(ledger: &Ledger<'_>, name: &str) -> StoragePort {
    let at = format!("{SATA}/{name}");
    let mut port = new(ledger, SATA, name, PortKind::Sata);
    link(&mut port, ledger.parsed(&format!("{at}/sata_spd"), ALWAYS, parse_sata_rate));
    let limit = ledger.parsed(&format!("{at}/hw_sata_spd_limit"), ALWAYS, parse_sata_rate);
    let reading = match limit.reading {
        Reading::Known((_, rate)) => rate.map_or(Reading::Absent, Reading::Known),
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    set!(port.maximum, Read { reading, source: limit.source });
    let source = ledger.source(format!("list {SATA}"));
    set!(port.address, Read { reading: Reading::Absent, source });
    port
}

fn fc(ledger: &Ledger<'_>, name: &str) -> StoragePort {
    let at = format!("{FC}/{name}");
    let mut port = new(ledger, FC, name, PortKind::Fc);
    set!(port.state, ledger.parsed(&format!("{at}/port_state"), ALWAYS, parse_fc_state));
    let speed = ledger.parsed(&format!("{at}/speed"), ALWAYS, parse_fc_rate);
    let reading = match speed.reading {
        Reading::Known(rate) => rate.map_or(Reading::Absent, Reading::Known),
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    set!(port.negotiated, Read { reading, source: speed.source });
    set!(port.maximum, ledger.parsed(&format!("{at}/supported_speeds"), ALWAYS, parse_fc_speeds));
    set!(port.address, ledger.parsed(&format!("{at}/port_name"), ALWAYS, parse_address));
    port
}

fn expander(ledger: &Ledger<'_>, name: &str) -> SasExpander {
    let at = |file: &str| format!("{EXPANDERS}/{name}/{file}");
    let mut record = SasExpander::default();
    let source = ledger.source(format!("list {EXPANDERS}"));
    set!(record.name, Read { reading: Reading::Known(name.to_owned()), source });
    set!(record.vendor, ledger.parsed(&at("vendor_id"), ALWAYS, driver::text));
    set!(record.product, ledger.parsed(&at("product_id"), ALWAYS, driver::text));
    set!(record.revision, ledger.parsed(&at("product_rev"), ALWAYS, driver::text));
    set!(record.level, ledger.parsed(&at("level"), ALWAYS, driver::number));
    set!(record.address, ledger.parsed(&format!("/sys/class/sas_device/{name}/sas_address"), ALWAYS, parse_address));
    record
}

/// "12.0 Gbit", "6.0 Gbps", "16 Gbit", "22.5 Gbit": tenths of a gigabit are as fine as it gets.
fn parse_rate(text: &str) -> Result<BitsPerSec, String> {
    let wrong = || format!("no rate: {text:?}");
    let figure = text.trim().strip_suffix(" Gbit").or_else(|| text.trim().strip_suffix(" Gbps")).ok_or_else(wrong)?;
    let (whole, tenth) = figure.split_once('.').unwrap_or((figure, "0"));
    let digits = |text: &str, most: usize| {
        let good = !text.is_empty() && text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit());
        if good { text.parse::<u64>().ok() } else { None }
    };
    match (digits(whole, 4), digits(tenth, 1)) {
        (Some(whole), Some(tenth)) if whole + tenth > 0 => Ok(BitsPerSec(whole * 1_000_000_000 + tenth * 100_000_000)),
        _ => Err(wrong()),
    }
}

/// `negotiated_linkrate`: a rate, or one of the words of `sas_linkspeed_names` in `drivers/scsi/scsi_transport_sas.c`.
fn parse_sas_rate(text: &str) -> Result<Told, String> {
    match text {
        "Unknown" => Ok((PortState::Down, None)),
        "Phy disabled" => Ok((PortState::Disabled, None)),
        // Something answers and no rate was agreed on.
        "Link Rate failed" | "Spin-up hold" => Ok((PortState::Failed, None)),
        rate => parse_rate(rate).map(|rate| (PortState::Up, Some(rate))),
    }
}

/// `sata_spd`: a rate, or `<unknown>` where no link is up (`sata_spd_string()` in `drivers/ata/libata-core.c`).
fn parse_sata_rate(text: &str) -> Result<Told, String> {
    match text {
        "<unknown>" => Ok((PortState::Down, None)),
        rate => parse_rate(rate).map(|rate| (PortState::Up, Some(rate))),
    }
}

/// `port_state`, by `fc_port_state_names` in `drivers/scsi/scsi_transport_fc.c`.
fn parse_fc_state(text: &str) -> Result<PortState, String> {
    match text {
        "Online" => Ok(PortState::Up),
        "Offline" | "Linkdown" | "Not Present" | "Blocked" | "Bypassed" => Ok(PortState::Down),
        "Error" | "Deleted" | "Diagnostics" | "Loopback" => Ok(PortState::Failed),
        other => Err(format!("no state of a port: {other:?}")),
    }
}

/// `speed`: a rate, or a word where there is none.
fn parse_fc_rate(text: &str) -> Result<Option<BitsPerSec>, String> {
    match text.trim() {
        "unknown" | "Unknown" | "Not Negotiated" => Ok(None),
        rate => parse_rate(rate).map(Some),
    }
}

/// `supported_speeds`, as in "4 Gbit, 8 Gbit, 16 Gbit": the highest.
fn parse_fc_speeds(text: &str) -> Result<BitsPerSec, String> {
    let mut highest = 0;
    for part in text.split(',') {
        highest = highest.max(parse_rate(part)?.0);
    }
    Ok(BitsPerSec(highest))
}

/// "1" or "0".
pub(in crate::collect) fn parse_flag(text: &str) -> Result<bool, String> {
    match text.trim() {
        "1" => Ok(true),
        "0" => Ok(false),
        other => Err(format!("neither 0 nor 1: {other:?}")),
    }
}

/// "0x5000ccab0200947e".
pub(in crate::collect) fn parse_address(text: &str) -> Result<String, String> {
    match text.strip_prefix("0x") {
        Some(digits) if digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            Ok(digits.to_ascii_lowercase())
        }
        _ => Err(format!("no address: {text:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const G: u64 = 1_000_000_000;

    #[test]
    fn rates() {
        for (text, bits) in [
            ("1.5 Gbit", 1_500_000_000),
            ("12.0 Gbit", 12 * G),
            ("22.5 Gbit", 22_500_000_000),
            ("6.0 Gbps", 6 * G),
            ("16 Gbit", 16 * G),
        ] {
            assert_eq!(parse_rate(text), Ok(BitsPerSec(bits)), "{text}");
        }
        for text in ["", "12", "12.0", "-3.0 Gbit", "0 Gbit", "1.25 Gbit", "99999 Gbit", "Gbit"] {
            assert!(parse_rate(text).is_err(), "{text}");
        }
        assert_eq!(parse_fc_speeds("4 Gbit, 8 Gbit, 16 Gbit"), Ok(BitsPerSec(16 * G)));
        assert!(parse_fc_speeds("unknown").is_err());
        assert_eq!(parse_fc_rate("Not Negotiated"), Ok(None));
    }

    #[test]
    fn words_where_there_is_no_rate() {
        assert_eq!(parse_sas_rate("12.0 Gbit"), Ok((PortState::Up, Some(BitsPerSec(12 * G)))));
        assert_eq!(parse_sas_rate("Phy disabled"), Ok((PortState::Disabled, None)));
        assert_eq!(parse_sas_rate("Link Rate failed"), Ok((PortState::Failed, None)));
        assert_eq!(parse_sas_rate("Unknown"), Ok((PortState::Down, None)));
        assert!(parse_sas_rate("something new").is_err());
        assert_eq!(parse_sata_rate("<unknown>"), Ok((PortState::Down, None)));
        assert_eq!(parse_fc_state("Linkdown"), Ok(PortState::Down));
        assert!(parse_fc_state("unknown").is_err());
    }

    #[test]
    fn flags() {
        assert_eq!(parse_flag("1"), Ok(true));
        assert_eq!(parse_flag("0"), Ok(false));
        for text in ["", "2", "on", "01"] {
            assert!(parse_flag(text).is_err(), "{text}");
        }
    }

    #[test]
    fn addresses_and_order() {
        assert_eq!(parse_address("0x5000CCAB0200947e").as_deref(), Ok("5000ccab0200947e"));
        assert!(parse_address("5000ccab0200947e").is_err());
        assert!(parse_address("0x5000").is_err());
        let mut names = vec!["phy-0:10", "phy-0:2", "phy-0:0:1"];
        names.sort_by_key(|name| numbers(name));
        assert_eq!(names, ["phy-0:0:1", "phy-0:2", "phy-0:10"]);
    }
}
