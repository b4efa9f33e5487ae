//! Which functions a link joins, what each link does against what it could, and the bottleneck of each path.
//!
//! A link is told by both of its ends: the port above and the device below. Which way a port looks is told by its Device/Port Type
//! where the configuration space was read; elsewhere by its place: a bridge below a host bridge is a root port, one below a
//! port that looks down is the upstream port of a switch, one below that a downstream port.

use super::attributes::{Ends, both};
use super::link::{self, End};
use super::path::Address;
use super::{Function, first_error};
use crate::collect::ledger::{Ledger, Read};
use crate::inventory::pci::{LinkTraining, PciLink};
use crate::reading::{Collection, ErrorId, ErrorKind, Reading};
use crate::units::{BitsPerSec, TransfersPerSec};
use std::collections::BTreeMap;

/// Where the link of a function is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looks {
    /// A root port, a downstream port: its link is below.
    Down,
    /// An endpoint, an upstream port: its link is above.
    Up,
    /// Conventional PCI, or a part of the root complex: it has none.
    Nowhere,
    /// It could not be told.
    Unknown(ErrorId),
}

/// What lies between a function and the one below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    /// A link, named by the port above.
    Link(Address),
    /// The inside of a switch.
    Switch,
    /// A conventional bus.
    Conventional,
    /// It could not be told.
    Unknown(ErrorId),
}

type Index<'f> = BTreeMap<Address, &'f Function>;

/// Finds the links, and gives each function its bottleneck.
pub(super) fn derive(ledger: &Ledger<'_>, functions: &mut [Function], reasons: &[ErrorId]) -> Collection<PciLink> {
    let index: Index<'_> = functions.iter().map(|function| (function.address, function)).collect();
    let mut reasons = reasons.to_vec();
    // By the port above: the device below.
    let mut lower: BTreeMap<Address, &Function> = BTreeMap::new();
    let mut paths: BTreeMap<Address, Result<Vec<Between>, ErrorId>> = BTreeMap::new();
    for function in index.values() {
        let path = match &function.chain {
            Reading::Known(chain) => {
                Ok(chain.stretches.iter().flat_map(|stretch| between(ledger, &index, stretch)).collect())
            }
            Reading::Unreadable(error) => Err(*error),
            Reading::Absent => Ok(Vec::new()),
        };
        match path.as_ref().map(|path: &Vec<Between>| path.last().copied()) {
            Ok(Some(Between::Link(port))) if function.record.virtual_function != Reading::Known(true) => {
                lower.entry(port).or_insert(function);
            }
            Ok(Some(Between::Unknown(error))) => reasons.push(error),
            Err(error) => reasons.push(*error),
            Ok(_) => {}
        }
        paths.insert(function.address, path);
    }
    let links: BTreeMap<Address, PciLink> = lower
        .iter()
        .filter_map(|(port, device)| {
            let upper = index.get(port)?;
            Some((*port, one(ledger, upper, device, idles(&index, device))))
        })
        .collect();

    let source = ledger.source("derived: path, pci_links");
    for Function { address, record, .. } in functions.iter_mut() {
        let Some(path) = paths.get(address) else { continue };
        let (bottleneck, now) = narrowest(ledger, path, &links, |link| &link.bandwidth);
        let (_, max) = narrowest(ledger, path, &links, |link| &link.max_bandwidth);
        set!(record.bottleneck, Read { reading: bottleneck, source });
        set!(record.path_bandwidth, Read { reading: now, source });
        set!(record.path_max_bandwidth, Read { reading: max, source });
    }
    Collection::new(links.into_values().collect(), reasons)
}

/// What lies between the functions of a stretch, one less than there are functions.
fn between(ledger: &Ledger<'_>, index: &Index<'_>, stretch: &[Address]) -> Vec<Between> {
    let mut looks = Vec::new();
    let mut above = None;
    for address in stretch {
        let looking = looking(ledger, index, *address, above);
        looks.push((*address, looking));
        above = Some(looking);
    }
    // As in a virtual machine that was given the device and not the port.
    let unseen = match looks.first() {
        Some((address, Looks::Up)) => Some(Between::Unknown(ledger.error(
            format!("tell the link above {address}"),
            ErrorKind::NotSupported,
            "the port above it is not shown",
        ))),
        _ => None,
    };
    let below = looks.windows(2).filter_map(|pair| match pair {
        [(port, Looks::Down), (_, Looks::Up)] => Some(Between::Link(*port)),
        [(_, Looks::Unknown(error)), _] | [_, (_, Looks::Unknown(error))] => Some(Between::Unknown(*error)),
        [(_, Looks::Up), (_, Looks::Up | Looks::Down)] => Some(Between::Switch),
        [_, (_, Looks::Nowhere)] | [(_, Looks::Nowhere), _] => Some(Between::Conventional),
        [(port, Looks::Down), (below, Looks::Down)] => Some(Between::Unknown(ledger.error(
            format!("tell what is between {port} and {below}"),
            ErrorKind::Malformed,
            "both look down",
        ))),
        _ => None,
    });
    unseen.into_iter().chain(below).collect()
}

fn looking(ledger: &Ledger<'_>, index: &Index<'_>, address: Address, above: Option<Looks>) -> Looks {
    let untold = |cause: &str| {
        Looks::Unknown(ledger.error(format!("tell the link of {address}"), ErrorKind::NotInCapture, cause))
    };
    let Some(function) = index.get(&address) else {
        return untold("the function is on the path of another and was not read");
    };
    // A virtual function shares the link of its physical one; its own registers are reserved.
    if let Reading::Known(physical) = &function.record.physical_function {
        let physical = Address::parse(physical).filter(|physical| {
            index.get(physical).is_some_and(|function| function.record.physical_function == Reading::Absent)
        });
        return match physical {
            Some(physical) => looking(ledger, index, physical, above),
            None => untold("its physical function was not read"),
        };
    }
    let Ends { current, max, port } = &function.ends;
    if let Some(port) = port {
        return if port.looks_down() {
            Looks::Down
        } else if port.looks_up() {
            Looks::Up
        } else {
            Looks::Nowhere
        };
    }
    match (current, max) {
        (Reading::Absent, Reading::Absent) => return Looks::Nowhere,
        // A capability without Link Capabilities: a part of the root complex. A port that has no link up keeps its capability.
        (_, Reading::Known(End::None)) => return Looks::Nowhere,
        (Reading::Known(_), _) | (_, Reading::Known(_)) => {}
        (Reading::Unreadable(error), _) | (_, Reading::Unreadable(error)) => return Looks::Unknown(*error),
    }
    match (function.is_bridge(), above) {
        (None, _) => untold("its class is not known"),
        (Some(false), _) => Looks::Up,
        (Some(true), None | Some(Looks::Up)) => Looks::Down,
        (Some(true), Some(Looks::Down)) => Looks::Up,
        (Some(true), Some(Looks::Nowhere)) => untold("it is a bridge to PCI Express below conventional PCI"),
        (Some(true), Some(Looks::Unknown(error))) => Looks::Unknown(error),
    }
}

/// Whether a lower rate of the link above a device may be idleness.
///
/// A suspended device may lower it, and display controllers and accelerators do so on their own when they have nothing to do. Some of
/// these bring a switch of their own (the same vendor), whose link to the board it is then. ASPM changes neither rate nor width.
fn idles(index: &Index<'_>, device: &Function) -> bool {
    let awake = match (&device.record.power_state, &device.record.runtime_status) {
        (Reading::Known(state), _) if state != "D0" => false,
        (_, Reading::Known(status)) if status == "suspended" => false,
        (Reading::Known(_), _) | (_, Reading::Known(_)) => true,
        _ => false,
    };
    if !awake || lowers_its_rate(device.class) {
        return true;
    }
    device.is_bridge() == Some(true)
        && index.values().any(|other| {
            other.vendor == device.vendor
                && lowers_its_rate(other.class)
                && other.chain.known().is_some_and(|chain| chain.all().any(|hop| hop == device.address))
        })
}

/// Base class 03h, display; 12h, processing accelerator; sub-class 0B40h, co-processor (PCI Code and ID Assignment Specification,
/// section 1). A class that is not known may be any of them.
fn lowers_its_rate(class: Option<[u8; 3]>) -> bool {
    match class {
        Some([base, sub, _]) => matches!((base, sub), (0x03 | 0x12, _) | (0x0b, 0x40)),
        None => true,
    }
}

fn one(ledger: &Ledger<'_>, upper: &Function, lower: &Function, may_idle: bool) -> PciLink {
    let mut link = PciLink::default();
    let name = lower.address.to_string();
    let derived = |what: &str| ledger.source(format!("derived: {what}"));
    let ends = |fact: &str| derived(&format!("{fact} of both ends"));
    let path = derived("path");
    set!(link.upper, Read { reading: Reading::Known(upper.address.to_string()), source: path });
    set!(link.lower, Read { reading: Reading::Known(name.clone()), source: path });

    let agreed = |what: &str, below: &Reading<u64>, above: &Reading<u64>| match (below, above) {
        (Reading::Known(below), Reading::Known(above)) if below != above => Reading::Unreadable(ledger.error(
            format!("read the {what} of the link above {name}"),
            ErrorKind::Conflict,
            format!("{} says {below}, {} says {above}", lower.address, upper.address),
        )),
        // What one end tells holds for both: it is one link.
        (Reading::Known(value), _) | (_, Reading::Known(value)) => Reading::Known(*value),
        (Reading::Unreadable(error), _) | (_, Reading::Unreadable(error)) => Reading::Unreadable(*error),
        (Reading::Absent, Reading::Absent) => Reading::Unreadable(ledger.error(
            format!("read the {what} of the link above {name}"),
            ErrorKind::NotSupported,
            "neither end tells it, and yet there is a device below",
        )),
    };
    let rate = |reading: &Reading<TransfersPerSec>| reading.clone().map(|rate| rate.0);
    let (below, above) = (&lower.record, &upper.record);
    let speed = agreed("rate", &rate(&below.current_link_speed), &rate(&above.current_link_speed)).map(TransfersPerSec);
    let width = agreed("width", &below.current_link_width, &above.current_link_width);

    let least = |what: &str, below: Reading<u64>, above: Reading<u64>| match both(&below, &above) {
        Reading::Known((below, above)) => Reading::Known(below.min(above)),
        Reading::Unreadable(error) => Reading::Unreadable(error),
        Reading::Absent => Reading::Unreadable(ledger.error(
            format!("read the highest {what} of the link above {name}"),
            ErrorKind::NotSupported,
            "one of its ends does not tell",
        )),
    };
    let max_speed = least("rate", rate(&below.max_link_speed), rate(&above.max_link_speed)).map(TransfersPerSec);
    let max_width = least("width", below.max_link_width.clone(), above.max_link_width.clone());

    let training = training(&(&speed, &width), &(&max_speed, &max_width), [upper, lower], may_idle);
    let down_trained = match &training {
        Reading::Known(LinkTraining::Full) => Reading::Known(false),
        Reading::Known(LinkTraining::Slow | LinkTraining::Narrow | LinkTraining::SlowAndNarrow) => Reading::Known(true),
        Reading::Known(LinkTraining::SlowMaybeIdle) => Reading::Unreadable(ledger.error(
            format!("tell whether the link above {name} trained down"),
            ErrorKind::NotSupported,
            "its rate is lower than both ends allow, which the device may do when idle; only a reading under load tells",
        )),
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(*error),
    };
    let carried = |rate: &Reading<TransfersPerSec>, width: &Reading<u64>| match both(rate, width) {
        Reading::Known((rate, width)) => match link::bandwidth(rate, width) {
            Some(bandwidth) => Reading::Known(bandwidth),
            None => Reading::Unreadable(ledger.error(
                format!("tell the bandwidth of the link above {name}"),
                ErrorKind::NotSupported,
                format!("the encoding at {rate} is not known"),
            )),
        },
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    set!(link.bandwidth, Read { reading: carried(&speed, &width), source: derived("current_speed, current_width") });
    set!(
        link.max_bandwidth,
        Read { reading: carried(&max_speed, &max_width), source: derived("max_speed, max_width") }
    );
    set!(link.current_speed, Read { reading: speed, source: ends("current_link_speed") });
    set!(link.current_width, Read { reading: width, source: ends("current_link_width") });
    set!(link.max_speed, Read { reading: max_speed, source: ends("max_link_speed") });
    set!(link.max_width, Read { reading: max_width, source: ends("max_link_width") });
    let source = derived("current and maximum of rate and width, power_state, runtime_status, class");
    set!(link.training, Read { reading: training, source });
    set!(link.down_trained, Read { reading: down_trained, source });
    link
}

type Pair<'r> = (&'r Reading<TransfersPerSec>, &'r Reading<u64>);

fn training(current: &Pair<'_>, max: &Pair<'_>, ends: [&Function; 2], may_idle: bool) -> Reading<LinkTraining> {
    let current = match both(current.0, current.1) {
        Reading::Known(current) => current,
        Reading::Absent => return Reading::Absent,
        Reading::Unreadable(error) => return Reading::Unreadable(error),
    };
    match both(max.0, max.1) {
        Reading::Known(max) => Reading::Known(link::training(current, max, may_idle)),
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => {
            // No link can do more than the lesser of its ends: if it does all that one can, the other does not matter.
            let full = ends.into_iter().any(|end| {
                let told = both(&end.record.max_link_speed, &end.record.max_link_width);
                matches!(told, Reading::Known((rate, lanes)) if current.0.0 >= rate.0 && current.1 >= lanes)
            });
            if full { Reading::Known(LinkTraining::Full) } else { Reading::Unreadable(error) }
        }
    }
}

/// The lowest bandwidth on a path, and the lower end of the link that has it.
fn narrowest(
    ledger: &Ledger<'_>,
    path: &Result<Vec<Between>, ErrorId>,
    links: &BTreeMap<Address, PciLink>,
    bandwidth: impl Fn(&PciLink) -> &Reading<BitsPerSec>,
) -> (Reading<String>, Reading<BitsPerSec>) {
    let unreadable = |error: ErrorId| (Reading::Unreadable(error), Reading::Unreadable(error));
    let path = match path {
        Ok(path) => path,
        Err(error) => return unreadable(*error),
    };
    let mut on_path: Vec<&PciLink> = Vec::new();
    let mut conventional = false;
    for between in path {
        match between {
            Between::Link(port) => match links.get(port) {
                Some(link) => on_path.push(link),
                None => {
                    return unreadable(ledger.error(
                        format!("tell the link below {port}"),
                        ErrorKind::NotInCapture,
                        "only virtual functions of the device below were read",
                    ));
                }
            },
            Between::Switch => {}
            Between::Conventional => conventional = true,
            Between::Unknown(error) => return unreadable(*error),
        }
    }
    if on_path.is_empty() {
        return (Reading::Absent, Reading::Absent);
    }
    if conventional {
        return unreadable(ledger.error(
            "tell the bandwidth of a path",
            ErrorKind::NotSupported,
            "a conventional PCI bus is on it, whose rate is not told",
        ));
    }
    if let Some(error) = first_error(on_path.iter().map(|link| bandwidth(link))) {
        return unreadable(error);
    }
    // The first of equals: the one nearest to the root.
    let lowest = on_path
        .iter()
        .filter_map(|link| bandwidth(link).known().map(|bits| (bits.0, *link)))
        .reduce(|least, next| if next.0 < least.0 { next } else { least });
    match lowest {
        Some((bits, link)) => (link.lower.clone(), Reading::Known(BitsPerSec(bits))),
        None => (Reading::Absent, Reading::Absent),
    }
}
