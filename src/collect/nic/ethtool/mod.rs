//! What drivers tell by the ethtool ioctl: link settings, FEC, queues, features, counters, and the module in the cage.
//!
//! Structures and numbers are those of Linux `include/uapi/linux/ethtool.h`; all commands only read. Adapters are asked, emulated ones too, side by
//! side; other interfaces are not. `CAP_NET_ADMIN` is needed for modules alone (`net/ethtool/ioctl.c`, `dev_ethtool`). Tried with Linux 6.18 on
//! virtio.

mod ask;
pub(super) mod driver;
mod features;
mod fec;
mod layout;
mod link_modes;
mod module;
mod module_layout;
mod queues;
mod statistics;
#[cfg(test)]
mod tests;

use crate::collect::ledger::{Ledger, Read};
use crate::collect::side_by_side;
use crate::inventory::ethtool::Ethtool;
use crate::inventory::nic::{Nic, NicKind};
use crate::reading::Reading;
use ask::Port;
use features::PrivateFlags;

/// Asks every adapter, and completes the interfaces by what was told. Their names and kinds must be set.
pub(super) fn complete(ledger: &Ledger<'_>, nics: &mut [Nic]) {
    let told = side_by_side::each(ledger, nics, side_by_side::BOUND, interface);
    for (nic, mut told) in nics.iter_mut().zip(told) {
        macro_rules! take {
            ($($field:ident),*) => { $(nic.$field = std::mem::take(&mut told.$field);)* };
        }
        take!(link_settings, fec, ring, channels, coalesce, pause, features, private_flags, private_flags_off);
        take!(firmware_lldp, module, port_counters, statistics);
        for field in ["features", "private_flags", "private_flags_off", "firmware_lldp", "statistics"] {
            if let Some(source) = told.sources.get(field) {
                nic.sources.set(field, source);
            }
        }
    }
}

fn interface(ledger: &Ledger<'_>, nic: &Nic) -> Ethtool {
    let name = nic.name.known().map_or("", String::as_str);
    let port = Port { ledger, name, not_asked: not_asked(ledger, nic, name) };
    let mut told = Ethtool {
        link_settings: link_modes::read(&port),
        fec: fec::read(&port),
        ring: queues::ring(&port),
        channels: queues::channels(&port),
        coalesce: queues::coalesce(&port),
        pause: queues::pause(&port),
        ..Ethtool::default()
    };
    set!(told.features, features::active(&port));
    let flags = PrivateFlags::read(&port);
    set!(told.private_flags, flags.that_are(true));
    set!(told.private_flags_off, flags.that_are(false));
    set!(told.firmware_lldp, flags.firmware_lldp(ledger, name));
    told.module = module::read(&port, &told.link_settings);
    let (counters, statistics, source) = statistics::read(&port);
    told.port_counters = counters;
    told.statistics = statistics;
    told.sources.set("statistics", source);
    told
}

/// What has no line, no rings and no module is not asked for them.
fn not_asked(ledger: &Ledger<'_>, nic: &Nic, name: &str) -> Option<Read<()>> {
    let source = || ledger.source(format!("derived: kind of {name}"));
    match &nic.kind {
        Reading::Known(NicKind::Physical | NicKind::VirtualFunction | NicKind::Paravirtual) => None,
        Reading::Known(_) | Reading::Absent => Some(Read { reading: Reading::Absent, source: source() }),
        // The index is one of the section's ledger, which this one does not hold.
        Reading::Unreadable(_) => {
            let error = ledger.error(
                format!("ask {name} by ethtool"),
                crate::reading::ErrorKind::NotSupported,
                "what it is cannot be told, and so not whether it can be asked",
            );
            Some(Read { reading: Reading::Unreadable(error), source: source() })
        }
    }
}
