//! Whether an interface has a link, and how fast it is.
//!
//! The kernel refuses `carrier` of an interface that is set down, and `speed` and `duplex` too (`net/core/net-sysfs.c`, `carrier_show`,
//! `speed_show`); without a link drivers give -1, a stale number or nothing. So where there is no link, speed is absent whatever
//! stands in the file. What the link partner offers is not read here.

use super::attribute::{Attribute, undefined};
use super::parse;
use crate::collect::ledger::{Ledger, Missing, Read};
use crate::inventory::nic::{Nic, NicKind, OperState};
use crate::reading::{ErrorKind, Reading};

const NO_SUCH_ATTRIBUTE: Missing = Missing::Untold("the kernel tells no such attribute of an interface");

/// Reads the state of the link, and what is defined only with one. `kind` must be set.
pub(super) fn read(ledger: &Ledger<'_>, folder: &str, nic: &mut Nic) {
    set!(nic.admin_up, ledger.parsed(&format!("{folder}/flags"), NO_SUCH_ATTRIBUTE, parse::admin_up));
    set!(nic.operstate, ledger.parsed(&format!("{folder}/operstate"), NO_SUCH_ATTRIBUTE, parse::word));
    set!(nic.carrier, carrier(ledger, &format!("{folder}/carrier"), nic));
    set!(
        nic.carrier_changes,
        ledger.parsed(
            &format!("{folder}/carrier_changes"),
            Missing::Untold("the kernel is older than 3.15"),
            parse::number
        )
    );
    set!(
        nic.carrier_down_count,
        ledger.parsed(
            &format!("{folder}/carrier_down_count"),
            Missing::Untold("the kernel is older than 4.16"),
            parse::number
        )
    );
    let link = link(folder, nic);
    set!(nic.speed, of_link(ledger, &format!("{folder}/speed"), "speed", &link, nic, parse::speed));
    set!(nic.duplex, of_link(ledger, &format!("{folder}/duplex"), "duplex", &link, nic, parse::duplex));
}

/// Whether there is a link, and the file that says that there is none.
enum Link {
    Up,
    Down(String),
    Untold,
}

fn link(folder: &str, nic: &Nic) -> Link {
    let down = |file: &str| Link::Down(format!("{folder}/{file}"));
    match (nic.carrier.known(), nic.admin_up.known(), nic.operstate.known()) {
        (Some(true), _, _) => Link::Up,
        (Some(false), _, _) => down("carrier"),
        (None, Some(false), _) => down("flags"),
        (None, _, Some(OperState::Down | OperState::LowerLayerDown | OperState::NotPresent)) => down("operstate"),
        (None, _, Some(OperState::Up)) => Link::Up,
        (None, _, _) => Link::Untold,
    }
}

fn carrier(ledger: &Ledger<'_>, path: &str, nic: &Nic) -> Read<bool> {
    let set_down = nic.admin_up.known() == Some(&false)
        || (nic.admin_up.known().is_none() && nic.operstate.known() == Some(&OperState::Down));
    let reading = match Attribute::read(ledger, path) {
        Attribute::Text(text) => match parse::flag(&text) {
            Ok(carrier) => Reading::Known(carrier),
            Err(cause) => ledger.malformed(path, cause),
        },
        Attribute::Undefined(_) if set_down => Reading::Absent,
        Attribute::Undefined(refusal) => undefined(ledger, path, refusal, "the interface is not running"),
        Attribute::Failed(error) => Reading::Unreadable(ledger.host_error(error)),
    };
    Read { reading, source: ledger.source(path) }
}

/// An attribute that is defined only with a link.
fn of_link<T>(
    ledger: &Ledger<'_>,
    path: &str,
    what: &str,
    link: &Link,
    nic: &Nic,
    parse: impl FnOnce(&str) -> Result<Option<T>, String>,
) -> Read<T> {
    if let Link::Down(told_by) = link {
        return Read { reading: Reading::Absent, source: ledger.source(told_by.as_str()) };
    }
    // These have no line that could have a speed or a duplex; the drivers of some make up a figure all the same.
    let no_line = matches!(
        nic.kind.known(),
        Some(NicKind::Loopback | NicKind::Dummy | NicKind::Bridge | NicKind::Veth | NicKind::Tun | NicKind::Tunnel)
    );
    let why = match link {
        Link::Up => format!("the driver tells no {what} of its link"),
        Link::Down(_) | Link::Untold => format!("there is no link, or the driver tells no {what}"),
    };
    let reading = match Attribute::read(ledger, path) {
        Attribute::Text(text) => match parse(&text) {
            Ok(Some(value)) => Reading::Known(value),
            Ok(None) if no_line => Reading::Absent,
            Ok(None) => {
                let cause = format!("{text}: {why}");
                Reading::Unreadable(ledger.error(format!("read {path}"), ErrorKind::NotSupported, cause))
            }
            Err(cause) => ledger.malformed(path, cause),
        },
        Attribute::Undefined(_) if no_line => Reading::Absent,
        Attribute::Undefined(refusal) => undefined(ledger, path, refusal, &why),
        Attribute::Failed(error) => Reading::Unreadable(ledger.host_error(error)),
    };
    Read { reading, source: ledger.source(path) }
}
