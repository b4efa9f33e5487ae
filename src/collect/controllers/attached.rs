//! Block devices and SCSI devices, by the controller that they hang on.

use super::Key;
use super::driver;
use super::hosts::numbered;
use super::sas;
use crate::collect::ledger::{Ledger, Missing, Read};
use crate::collect::pci::path::{Address, Chain};
use crate::inventory::controller::{Attached, ControllerKind};
use crate::reading::{Collection, ErrorId, ErrorKind, Reading, SourceId};
use std::collections::BTreeMap;

const SCSI: &str = "/sys/class/scsi_device";
const BLOCK: &str = "/sys/block";
const RAID: &str = "/sys/class/raid_devices";

/// Host, channel, target and logical unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Unit {
    host: u32,
    channel: u32,
    target: u32,
    lun: u64,
}

impl Unit {
    /// As the kernel writes it: "0:2:1:0".
    fn parse(text: &str) -> Option<Self> {
        if !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':') {
            return None;
        }
        let mut numbers = text.split(':');
        let unit = Self {
            host: numbers.next()?.parse().ok()?,
            channel: numbers.next()?.parse().ok()?,
            target: numbers.next()?.parse().ok()?,
            lun: numbers.next()?.parse().ok()?,
        };
        numbers.next().is_none().then_some(unit)
    }

    fn text(self) -> String {
        format!("{}:{}:{}:{}", self.host, self.channel, self.target, self.lun)
    }
}

/// One thing that hangs on a controller, before it is asked for more.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Thing {
    unit: Option<Unit>,
    block: Option<String>,
    /// Folder of the SCSI device.
    at: String,
    /// The last PCI function on the way to its block device.
    pci: Option<Address>,
    /// Where the link of its block device leads to.
    path: Option<String>,
}

/// All of them.
pub(super) struct Found {
    things: BTreeMap<Key, Vec<Thing>>,
    scsi_reasons: Vec<ErrorId>,
    block_reasons: Vec<ErrorId>,
    scsi_source: SourceId,
    block_source: SourceId,
}

/// Lists SCSI devices and block devices, and joins them.
pub(super) fn find(ledger: &Ledger<'_>, key_of_host: &BTreeMap<u32, Key>) -> Found {
    let mut units: BTreeMap<Unit, Thing> = BTreeMap::new();
    let mut others: BTreeMap<(Address, String), Thing> = BTreeMap::new();
    let mut scsi_reasons = Vec::new();
    let mut block_reasons = Vec::new();

    // Without SCSI there is no such class.
    let scsi = ledger.list(SCSI, Missing::Absent);
    match scsi.reading {
        Reading::Known(listing) => {
            for name in &listing.names {
                if let Some(unit) = Unit::parse(name) {
                    units.insert(
                        unit,
                        Thing {
                            unit: Some(unit),
                            block: None,
                            at: format!("{SCSI}/{name}/device"),
                            pci: None,
                            path: None,
                        },
                    );
                }
            }
            if !listing.complete {
                scsi_reasons.push(ledger.incomplete(SCSI));
            }
        }
        Reading::Absent => {}
        Reading::Unreadable(error) => scsi_reasons.push(error),
    }

    let block = ledger.list(BLOCK, Missing::Absent);
    match block.reading {
        Reading::Known(listing) => {
            for name in &listing.names {
                let at = format!("{BLOCK}/{name}");
                let target = match ledger.link(&at, Missing::Untold("sysfs has a link for each")).reading {
                    Reading::Known(target) => target,
                    Reading::Absent => continue,
                    Reading::Unreadable(error) => {
                        block_reasons.push(error);
                        continue;
                    }
                };
                let shown = shared_name(name).unwrap_or_else(|| name.clone());
                if let Some(unit) = target.split('/').rev().find_map(Unit::parse) {
                    let at = format!("{at}/device");
                    let thing = || Thing { unit: Some(unit), block: None, at, pci: None, path: None };
                    let thing = units.entry(unit).or_insert_with(thing);
                    thing.block = Some(shown);
                    thing.pci = Chain::parse(&target).last();
                    thing.path = Some(target);
                } else if let Some(address) = Chain::parse(&target).last() {
                    let thing = Thing { unit: None, block: Some(shown.clone()), at, pci: Some(address), path: None };
                    others.insert((address, shown), thing);
                }
            }
            if !listing.complete {
                block_reasons.push(ledger.incomplete(BLOCK));
            }
        }
        Reading::Absent => {}
        Reading::Unreadable(error) => block_reasons.push(error),
    }

    let mut things: BTreeMap<Key, Vec<Thing>> = BTreeMap::new();
    for (unit, thing) in units {
        // A tree may lack the host and tell by the path of the disk where it was.
        let key = key_of_host.get(&unit.host).copied().or(thing.pci.map(Key::Function));
        if let Some(key) = key {
            things.entry(key).or_default().push(thing);
        }
    }
    for ((address, _), thing) in others {
        things.entry(Key::Function(address)).or_default().push(thing);
    }
    Found { things, scsi_reasons, block_reasons, scsi_source: scsi.source, block_source: block.source }
}

/// "nvme0c1n2", the path to a namespace by one controller, is hidden; what is used is "nvme0n2" (`nvme_mpath_set_disk_name()` in
/// `drivers/nvme/host/multipath.c`).
fn shared_name(name: &str) -> Option<String> {
    let (head, namespace) = name.rsplit_once('n')?;
    let (subsystem, controller) = head.rsplit_once('c')?;
    numbered(subsystem, "nvme")?;
    numbered(controller, "")?;
    numbered(namespace, "")?;
    Some(format!("{subsystem}n{namespace}"))
}

impl Found {
    /// What hangs on one controller.
    pub(super) fn of(
        &self,
        ledger: &Ledger<'_>,
        key: Key,
        kind: ControllerKind,
        driver: Option<&str>,
    ) -> Collection<Attached> {
        let things = self.things.get(&key).map_or(&[][..], Vec::as_slice);
        let items = things.iter().map(|thing| self.one(ledger, thing, kind, driver)).collect();
        let mut reasons = self.block_reasons.clone();
        if !matches!(kind, ControllerKind::Nvme | ControllerKind::Mmc | ControllerKind::Vmd) {
            reasons.extend(&self.scsi_reasons);
        }
        Collection::new(items, reasons)
    }

    fn one(&self, ledger: &Ledger<'_>, thing: &Thing, kind: ControllerKind, driver: Option<&str>) -> Attached {
        let mut record = Attached::default();
        let told = |value: Option<String>| value.map_or(Reading::Absent, Reading::Known);
        let block = match (&thing.block, self.block_reasons.first()) {
            (None, Some(error)) => Reading::Unreadable(*error),
            (block, _) => told(block.clone()),
        };
        set!(record.block_device, Read { reading: block, source: self.block_source });
        let source = if thing.at.starts_with(SCSI) { self.scsi_source } else { self.block_source };
        set!(record.scsi_address, Read { reading: told(thing.unit.map(Unit::text)), source });
        let Some(unit) = thing.unit else {
            set!(record.scsi_type, Read { reading: Reading::Absent, source });
            set!(record.volume, Read { reading: Reading::Known(false), source });
            set!(record.raid_level, Read { reading: Reading::Absent, source });
            sas::absent(&mut record, source);
            return record;
        };
        let every = Missing::Untold("every SCSI device has it");
        set!(record.scsi_type, ledger.parsed(&format!("{}/type", thing.at), every, driver::number));
        let (volume, level) = volume(ledger, unit, &thing.at, kind, driver);
        set!(record.volume, volume);
        set!(record.raid_level, level);
        if sas::possible(kind) {
            let path = match &thing.path {
                Some(path) => Read { reading: Reading::Known(path.clone()), source: self.block_source },
                None => ledger.link(&format!("{SCSI}/{}", unit.text()), Missing::Untold("sysfs has a link for each")),
            };
            sas::end_device(ledger, &path, &mut record);
        } else {
            sas::absent(&mut record, source);
        }
        record
    }
}

/// Whether a SCSI device is a volume of its controller, and of what level.
fn volume(
    ledger: &Ledger<'_>,
    unit: Unit,
    at: &str,
    kind: ControllerKind,
    driver: Option<&str>,
) -> (Read<bool>, Read<String>) {
    let address = unit.text();
    let untold =
        |what: &str, cause: String| ledger.error(format!("tell {what} of {address}"), ErrorKind::NotSupported, cause);
    let derived = ledger.source("derived: driver, scsi_address");
    match driver {
        Some("hpsa" | "smartpqi" | "aacraid") => {
            let path = format!("{at}/raid_level");
            let missing = Missing::Untold("this version of the driver does not tell it");
            let level = ledger.parsed(&path, missing, |text| Ok(driver::raid_level(text)));
            let source = level.source;
            match level.reading {
                Reading::Known(Some(level)) => {
                    (Read { reading: Reading::Known(true), source }, Read { reading: Reading::Known(level), source })
                }
                Reading::Known(None) | Reading::Absent => {
                    (Read { reading: Reading::Known(false), source }, Read { reading: Reading::Absent, source })
                }
                Reading::Unreadable(error) => (
                    Read { reading: Reading::Unreadable(error), source },
                    Read { reading: Reading::Unreadable(error), source },
                ),
            }
        }
        // `raid_class` lists the volumes; these drivers do not load without it.
        Some("mpt3sas" | "mpt2sas" | "mptsas") => {
            let listing = ledger.list(RAID, Missing::Untold("the driver registers it"));
            let source = listing.source;
            match listing.reading {
                Reading::Known(listing) if listing.names.contains(&address) => {
                    let path = format!("{RAID}/{address}/level");
                    let level = ledger.parsed(&path, Missing::Untold("every volume has it"), driver::text);
                    (Read { reading: Reading::Known(true), source }, level)
                }
                Reading::Known(listing) if listing.complete => {
                    (Read { reading: Reading::Known(false), source }, Read { reading: Reading::Absent, source })
                }
                Reading::Known(_) => {
                    let error = ledger.incomplete(RAID);
                    (
                        Read { reading: Reading::Unreadable(error), source },
                        Read { reading: Reading::Unreadable(error), source },
                    )
                }
                Reading::Absent => {
                    (Read { reading: Reading::Known(false), source }, Read { reading: Reading::Absent, source })
                }
                Reading::Unreadable(error) => (
                    Read { reading: Reading::Unreadable(error), source },
                    Read { reading: Reading::Unreadable(error), source },
                ),
            }
        }
        // `MEGASAS_IS_LOGICAL()` and `MEGASAS_MAX_PD_CHANNELS` in `drivers/scsi/megaraid/megaraid_sas.h`.
        Some("megaraid_sas") if unit.channel >= 2 => {
            let error = untold("the RAID level", "the driver megaraid_sas does not tell it in sysfs".to_owned());
            (
                Read { reading: Reading::Known(true), source: derived },
                Read { reading: Reading::Unreadable(error), source: derived },
            )
        }
        Some("megaraid_sas") => (
            Read { reading: Reading::Known(false), source: derived },
            Read { reading: Reading::Absent, source: derived },
        ),
        _ => {
            let unknown = match kind {
                ControllerKind::Raid | ControllerKind::Scsi | ControllerKind::Other => true,
                // Of these the drivers above are the ones that can make volumes, mpi3mr aside.
                ControllerKind::SasHba => matches!(driver, None | Some("mpi3mr")),
                _ => false,
            };
            if unknown {
                let driver = driver.unwrap_or("that is not known");
                let error = untold("whether it is a volume", format!("the driver {driver} does not tell it in sysfs"));
                let unreadable = Read { reading: Reading::Unreadable(error), source: derived };
                (unreadable, Read { reading: Reading::Unreadable(error), source: derived })
            } else {
                (
                    Read { reading: Reading::Known(false), source: derived },
                    Read { reading: Reading::Absent, source: derived },
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_path_is_shown_by_the_name_of_the_shared_device() {
        assert_eq!(shared_name("nvme0c1n2").as_deref(), Some("nvme0n2"));
        for name in ["nvme0n1", "sda", "nvme0c1", "nvmec1n2", "c1n1", "nvme0cn1"] {
            assert_eq!(shared_name(name), None, "{name}");
        }
    }

    #[test]
    fn units() {
        assert_eq!(Unit::parse("11:0:3:0").map(Unit::text).as_deref(), Some("11:0:3:0"));
        for text in ["0:0:0", "0:0:0:0:0", "0000:3b:00.0", "a:0:0:0", "", "+1:0:0:0"] {
            assert_eq!(Unit::parse(text), None, "{text}");
        }
    }
}
