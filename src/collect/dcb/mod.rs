//! Data Center Bridging of every physical interface, by rtnetlink. Only commands that get are put.
//!
//! Knows no limits, and nothing of LLDP itself: what the neighbour announces is heard by an agent ([`super::lldp`]), and told to the kernel by
//! some.

mod message;
#[cfg(test)]
mod tests;
pub(crate) mod words;

use super::ledger::{Ledger, Read};
use crate::host::{HostErrorKind, NetlinkFamily};
use crate::inventory::dcb::Dcb;
use crate::inventory::nic::{Nic, NicKind};
use crate::reading::{ErrorId, Reading, SourceId};
use message::{IeeeEts, IeeePfc};

/// DCBX modes by bit (`DCB_CAP_DCBX_*`).
const MODES: [&str; 5] = ["host", "lld-managed", "cee", "ieee", "static"];

/// Asks for every physical interface. The kernel answers at once, from its memory or the driver's.
pub(crate) fn collect(ledger: &Ledger<'_>, nics: &mut [Nic]) {
    for nic in nics {
        let physical = nic.kind.known() == Some(&NicKind::Physical);
        nic.dcb = match nic.name.known() {
            Some(name) if physical => of(ledger, name),
            _ => absent(ledger),
        };
    }
}

/// What a command answered: the attributes below one of its own.
enum Answer {
    /// The attribute's content.
    Told(Vec<u8>),
    /// The kernel or the driver has no such thing.
    None,
    /// It could not be had.
    Unread(ErrorId),
}

struct Asked {
    answer: Answer,
    source: SourceId,
    name: String,
}

fn ask(ledger: &Ledger<'_>, interface: &str, command: u8, word: &str, attribute: u16) -> Asked {
    let source = ledger.source(format!("rtnetlink {word} {interface}"));
    let name = format!("{word} of {interface}");
    let answer = match ledger.host().netlink(NetlinkFamily::Route, &message::request(command, interface)) {
        Ok(messages) => {
            let told = message::attributes(&messages).and_then(message::each);
            match told.map(|attributes| message::find(&attributes, attribute).map(<[u8]>::to_vec)) {
                Ok(Some(content)) => Answer::Told(content),
                Ok(None) => Answer::None,
                Err(cause) => match ledger.malformed::<()>(&name, cause) {
                    Reading::Unreadable(error) => Answer::Unread(error),
                    _ => Answer::None,
                },
            }
        }
        Err(error) if error.kind == HostErrorKind::NotSupported => Answer::None,
        Err(error) => Answer::Unread(ledger.host_error(error)),
    };
    Asked { answer, source, name }
}

impl Asked {
    /// A fact of what was told; `None` is what it does not hold.
    fn fact<T>(&self, ledger: &Ledger<'_>, parse: impl FnOnce(&[u8]) -> Result<Option<T>, String>) -> Read<T> {
        let reading = match &self.answer {
            Answer::Told(content) => match parse(content) {
                Ok(Some(value)) => Reading::Known(value),
                Ok(None) => Reading::Absent,
                Err(cause) => ledger.malformed(&self.name, cause),
            },
            Answer::None => Reading::Absent,
            Answer::Unread(error) => Reading::Unreadable(*error),
        };
        Read { reading, source: self.source }
    }

    /// A fact of one attribute within.
    fn within<T>(&self, ledger: &Ledger<'_>, kind: u16, parse: impl FnOnce(&[u8]) -> Result<T, String>) -> Read<T> {
        self.fact(ledger, |content| message::find(&message::each(content)?, kind).map(parse).transpose())
    }
}

fn of(ledger: &Ledger<'_>, interface: &str) -> Dcb {
    let mut dcb = Dcb::default();
    let mode = ask(ledger, interface, message::DCB_CMD_GDCBX, "DCB_CMD_GDCBX", message::DCB_ATTR_DCBX);
    set!(dcb.dcbx, mode.fact(ledger, |content| modes(content).map(Some)));

    let ieee = ask(ledger, interface, message::DCB_CMD_IEEE_GET, "DCB_CMD_IEEE_GET", message::DCB_ATTR_IEEE);
    let ets = |content: &[u8]| message::structure::<IeeeEts>(content, "struct ieee_ets");
    let pfc = |content: &[u8]| message::structure::<IeeePfc>(content, "struct ieee_pfc");
    macro_rules! field {
        ($field:ident, $kind:ident, $parse:expr) => {
            set!(dcb.$field, ieee.within(ledger, message::$kind, $parse))
        };
    }
    field!(ets_willing, DCB_ATTR_IEEE_ETS, |content| flag(ets(content)?.willing));
    field!(ets_bandwidth, DCB_ATTR_IEEE_ETS, |content| words::bandwidth(&ets(content)?.tc_tx_bw));
    field!(ets_selection, DCB_ATTR_IEEE_ETS, |content| words::selections(&ets(content)?.tc_tsa));
    field!(ets_classes, DCB_ATTR_IEEE_ETS, |content| words::classes(ets(content)?.prio_tc));
    field!(pfc_capability, DCB_ATTR_IEEE_PFC, |content| Ok(u64::from(pfc(content)?.pfc_cap)));
    field!(pfc_priorities, DCB_ATTR_IEEE_PFC, |content| Ok(words::priorities(pfc(content)?.pfc_en)));
    field!(pfc_sent, DCB_ATTR_IEEE_PFC, |content| sum(&pfc(content)?.requests));
    field!(pfc_received, DCB_ATTR_IEEE_PFC, |content| sum(&pfc(content)?.indications));
    field!(applications, DCB_ATTR_IEEE_APP_TABLE, applications);
    field!(peer_pfc_priorities, DCB_ATTR_IEEE_PEER_PFC, |content| Ok(words::priorities(pfc(content)?.pfc_en)));
    field!(peer_ets_bandwidth, DCB_ATTR_IEEE_PEER_ETS, |content| words::bandwidth(&ets(content)?.tc_tx_bw));
    field!(peer_ets_classes, DCB_ATTR_IEEE_PEER_ETS, |content| words::classes(ets(content)?.prio_tc));

    let speaks_cee = dcb.dcbx.known().is_some_and(|modes| modes.iter().any(|mode| mode == "cee"));
    set!(
        dcb.cee_pfc_priorities,
        if speaks_cee {
            let cee = ask(ledger, interface, message::DCB_CMD_CEE_GET, "DCB_CMD_CEE_GET", message::DCB_ATTR_CEE);
            cee.within(ledger, message::DCB_ATTR_CEE_PFC, cee_priorities)
        } else {
            let reading = match dcb.dcbx {
                Reading::Unreadable(error) => Reading::Unreadable(error),
                Reading::Known(_) | Reading::Absent => Reading::Absent,
            };
            Read { reading, source: mode.source }
        }
    );
    dcb
}

/// An interface that is no port has none of its own.
fn absent(ledger: &Ledger<'_>) -> Dcb {
    let source = ledger.source("derived: not a physical interface");
    let mut dcb = Dcb::default();
    macro_rules! absent {
        ($($field:ident),*) => {
            $( set!(dcb.$field, Read { reading: Reading::Absent, source }); )*
        };
    }
    absent!(
        dcbx,
        ets_willing,
        ets_bandwidth,
        ets_selection,
        ets_classes,
        pfc_capability,
        pfc_priorities,
        pfc_sent,
        pfc_received,
        applications,
        peer_pfc_priorities,
        peer_ets_bandwidth,
        peer_ets_classes,
        cee_pfc_priorities
    );
    dcb
}

fn modes(content: &[u8]) -> Result<Vec<String>, String> {
    let [bits] = content else { return Err(format!("a mode of {} bytes", content.len())) };
    let set = MODES.iter().enumerate().filter(|(bit, _)| bits >> bit & 1 == 1);
    Ok(set.map(|(_, word)| (*word).to_owned()).collect())
}

fn flag(byte: u8) -> Result<bool, String> {
    match byte {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("a flag of {other}")),
    }
}

fn sum(counters: &[u64]) -> Result<u64, String> {
    let add = |sum: u64, count: &u64| sum.checked_add(*count);
    counters.iter().try_fold(0, add).ok_or_else(|| "more frames than can be counted".to_owned())
}

/// Every entry is a `struct dcb_app`, whatever the attribute is called (`DCB_ATTR_IEEE_APP`, `DCB_ATTR_DCB_APP`).
fn applications(content: &[u8]) -> Result<Vec<String>, String> {
    let mut applications = Vec::new();
    for (_, entry) in message::each(content)? {
        let [selector, priority, low, high] = entry else {
            return Err(format!("struct dcb_app of {} bytes", entry.len()));
        };
        applications.push(words::application(*selector, u16::from_ne_bytes([*low, *high]), *priority)?);
    }
    applications.sort();
    Ok(applications)
}

/// `DCB_PFC_UP_ATTR_0` (1) to `_7` (8), each a byte that is not 0 if PFC is on.
fn cee_priorities(content: &[u8]) -> Result<Vec<u64>, String> {
    let mut priorities = Vec::new();
    for (kind, value) in message::each(content)? {
        if let (1..=8, [value]) = (kind, value)
            && *value != 0
        {
            priorities.push(u64::from(kind) - 1);
        }
    }
    priorities.sort_unstable();
    Ok(priorities)
}
