//! SCSI hosts and where they stand.

use crate::collect::ledger::{Ledger, Missing, Read};
use crate::collect::pci::Pci;
use crate::collect::pci::path::{Address, Chain};
use crate::reading::{ErrorId, Reading};

const HOSTS: &str = "/sys/class/scsi_host";
/// Classes whose names are those of their hosts.
const TRANSPORTS: [&str; 2] = ["/sys/class/sas_host", "/sys/class/fc_host"];

/// One SCSI host.
#[derive(Debug)]
pub(super) struct Host {
    pub number: u32,
    /// Folder of its attributes.
    pub at: String,
    /// Where its link leads to.
    pub path: Read<String>,
    /// The last PCI function on that way.
    pub pci: Option<Address>,
}

/// All hosts that were found, and why some may be missing.
pub(super) struct Found {
    pub hosts: Vec<Host>,
    pub reasons: Vec<ErrorId>,
}

impl Host {
    pub(super) fn name(&self) -> String {
        format!("host{}", self.number)
    }

    /// The folder above its ATA port, which the ports of one chip share.
    pub(super) fn chip(&self) -> Option<&str> {
        let path = self.path.reading.known()?;
        let port = path.split('/').find(|part| numbered(part, "ata").is_some())?;
        path.split_once(&format!("/{port}/")).map(|(above, _)| above)
    }

    /// The number of its ATA port, which its links bear too (`ata_tport_add()` and `ata_tlink_add()` in
    /// `drivers/ata/libata-transport.c`).
    pub(super) fn ata(&self) -> Option<u32> {
        self.path.reading.known()?.split('/').find_map(|part| numbered(part, "ata"))
    }
}

/// The number behind a prefix, as in "host12".
pub(super) fn numbered(part: &str, prefix: &str) -> Option<u32> {
    let digits = part.strip_prefix(prefix)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// The hosts of the class; in a tree that may lack some, also those below the PCI functions and in the transports that it has.
pub(super) fn find(ledger: &Ledger<'_>, pci: &Pci) -> Found {
    let mut hosts = Vec::new();
    let mut reasons = Vec::new();
    // Without SCSI there is no such class.
    let complete = match ledger.names(HOSTS, Missing::Absent) {
        Reading::Known(listing) => {
            for number in listing.names.iter().filter_map(|name| numbered(name, "host")) {
                let at = format!("{HOSTS}/host{number}");
                let path = ledger.link(&at, Missing::Untold("every SCSI host has it"));
                let pci = path.reading.known().and_then(|path| Chain::parse(path).last());
                hosts.push(Host { number, at, path, pci });
            }
            if !listing.complete {
                reasons.push(ledger.incomplete(HOSTS));
            }
            listing.complete
        }
        Reading::Absent => true,
        Reading::Unreadable(error) => {
            reasons.push(error);
            false
        }
    };
    if !complete {
        for address in pci.known.keys() {
            for host in below(ledger, *address) {
                if hosts.iter().all(|known| known.number != host.number) {
                    hosts.push(host);
                }
            }
        }
    }
    if !complete {
        for transport in TRANSPORTS {
            let Ok(listing) = ledger.host().list(transport) else { continue };
            for number in listing.names.iter().filter_map(|name| numbered(name, "host")) {
                if hosts.iter().all(|known| known.number != number) {
                    let path = ledger.link(&format!("{transport}/host{number}"), Missing::Absent);
                    let pci = path.reading.known().and_then(|path| Chain::parse(path).last());
                    hosts.push(Host { number, at: format!("{HOSTS}/host{number}"), path, pci });
                }
            }
        }
    }
    hosts.sort_by_key(|host| host.number);
    Found { hosts, reasons }
}

/// Hosts that stand directly below a function, or below its ATA ports and virtio devices.
fn below(ledger: &Ledger<'_>, address: Address) -> Vec<Host> {
    let folder = format!("/sys/bus/pci/devices/{address}");
    let Ok(listing) = ledger.host().list(&folder) else { return Vec::new() };
    let mut found = Vec::new();
    for name in &listing.names {
        let below = format!("{folder}/{name}");
        if let Some(number) = numbered(name, "host") {
            found.push((number, below));
        } else if numbered(name, "ata").is_some() || numbered(name, "virtio").is_some() {
            let Ok(listing) = ledger.host().list(&below) else { continue };
            let hosts =
                listing.names.iter().filter_map(|name| Some((numbered(name, "host")?, format!("{below}/{name}"))));
            found.extend(hosts);
        }
    }
    found
        .into_iter()
        .map(|(number, folder)| {
            let at = format!("{folder}/scsi_host/host{number}");
            let source = ledger.source(format!("list {}", folder.rsplit_once('/').map_or("", |(above, _)| above)));
            Host { number, path: Read { reading: Reading::Known(at.clone()), source }, at, pci: Some(address) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Replay;

    #[test]
    fn ports_of_one_chip_share_a_folder() {
        let ledger_host = Replay::complete([("/x", crate::host::Entry::Dir)]);
        let ledger = Ledger::new(&ledger_host);
        let host = |path: &str| Host {
            number: 0,
            at: String::new(),
            path: Read { reading: Reading::Known(path.into()), source: ledger.source("") },
            pci: None,
        };
        let on_chip = host("../../devices/platform/soc/f7ea0000.sata/ata12/host11/scsi_host/host11");
        assert_eq!(on_chip.chip(), Some("../../devices/platform/soc/f7ea0000.sata"));
        assert_eq!(on_chip.ata(), Some(12));
        assert_eq!(host("../../devices/platform/host3/scsi_host/host3").chip(), None);
    }

    #[test]
    fn numbers_behind_prefixes() {
        assert_eq!(numbered("host12", "host"), Some(12));
        for part in ["host", "hostx", "host-1", "host+1", "xhost1", "host99999999999"] {
            assert_eq!(numbered(part, "host"), None, "{part}");
        }
    }
}
