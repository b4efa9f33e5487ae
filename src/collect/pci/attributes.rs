//! The attributes of one function.

use super::config::{self, Express, PortType};
use super::link::{self, End};
use super::path::{self, Address};
use super::{ALWAYS, DEVICES, Function, Place, aer, ids};
use crate::collect::ledger::{Ledger, Missing, Read};
use crate::host::{HostError, HostErrorKind};
use crate::inventory::pci::PciFunction;
use crate::reading::{ErrorKind, Reading, SourceId};
use crate::units::TransfersPerSec;

/// The two readings of a function's end of a link. Absent: it has no PCI Express capability.
pub(super) struct Ends {
    pub current: Reading<End>,
    pub max: Reading<End>,
    /// What the configuration space says it is, where that was asked.
    pub port: Option<PortType>,
}

/// Asks for functions, with what holds for all of them.
pub(super) struct Questions<'l, 'h> {
    ledger: &'l Ledger<'h>,
    /// What a missing link attribute means.
    no_link: Missing,
    names: &'static ids::Table<'static>,
    names_source: SourceId,
}

/// Why an attribute was not told, before it is known whether another place tells it.
enum Failure {
    Host(HostError),
    Malformed(String, String),
}

impl<'l, 'h> Questions<'l, 'h> {
    pub(super) fn new(ledger: &'l Ledger<'h>) -> Self {
        let names = ids::table();
        // "PCI: Add sysfs max_link_speed/width, current_link_speed/width, etc", since Linux 4.13; only for functions with a PCI
        // Express capability (`pcie_dev_attrs_are_visible()`).
        let release = ledger.value("/proc/sys/kernel/osrelease", ALWAYS, parse_release);
        let no_link = match release {
            Reading::Known(release) if release >= (4, 13) => Missing::Absent,
            Reading::Known(_) => {
                Missing::Untold("the kernel is older than 4.13, and the configuration space did not tell it either")
            }
            Reading::Absent | Reading::Unreadable(_) => Missing::Untold("the kernel may be older than 4.13"),
        };
        let names_source = ledger.source(format!("derived: PCI ID Repository {}", names.version));
        Self { ledger, no_link, names, names_source }
    }

    pub(super) fn function(&self, address: Address, place: &Place) -> Function {
        let ledger = self.ledger;
        let mut record = PciFunction::default();
        let at = |name: &str| format!("{}/{name}", place.at);

        let list = ledger.source(format!("list {DEVICES}"));
        set!(record.address, Read { reading: Reading::Known(address.to_string()), source: list });

        let vendor = ledger.parsed(&at("vendor"), ALWAYS, parse_id);
        let device = ledger.parsed(&at("device"), ALWAYS, parse_id);
        let class = ledger.parsed(&at("class"), ALWAYS, parse_class);
        let (subsystem_vendor, subsystem_device) = self.subsystem(&place.at);
        let (vendor_id, device_id, class_id) = (vendor.reading.known(), device.reading.known(), class.reading.known());
        let (vendor_id, device_id, class_id) = (vendor_id.copied(), device_id.copied(), class_id.copied());

        let name = |reading: Reading<Option<&'static str>>, what: String| Read {
            reading: match reading {
                Reading::Known(Some(name)) => Reading::Known(name.to_owned()),
                Reading::Known(None) => Reading::Unreadable(ledger.error(
                    format!("name {what}"),
                    ErrorKind::NotFound,
                    format!("the PCI ID Repository of {} has no name for it", self.names.version),
                )),
                Reading::Absent => Reading::Absent,
                Reading::Unreadable(error) => Reading::Unreadable(error),
            },
            source: self.names_source,
        };
        let hex = |id: Option<u16>| id.map_or_else(|| "????".to_owned(), |id| format!("{id:04x}"));
        set!(
            record.vendor,
            name(
                vendor.reading.clone().map(|vendor| self.names.vendor(vendor)),
                format!("PCI vendor {}", hex(vendor_id))
            )
        );
        set!(
            record.device,
            name(
                both(&vendor.reading, &device.reading).map(|(vendor, device)| self.names.device(vendor, device)),
                format!("PCI device {}:{}", hex(vendor_id), hex(device_id)),
            )
        );
        let subsystem = both(&subsystem_vendor.reading, &subsystem_device.reading);
        // A vendor of 0 is none: the registers are optional for bridges and hard-wired to 0 there.
        let subsystem = match subsystem {
            Reading::Known((0, _)) => Reading::Absent,
            other => other,
        };
        let subsystem_what = format!(
            "PCI subsystem {}:{} of {}:{}",
            hex(subsystem_vendor.reading.known().copied()),
            hex(subsystem_device.reading.known().copied()),
            hex(vendor_id),
            hex(device_id)
        );
        set!(
            record.subsystem,
            name(
                match both(&vendor.reading, &device.reading) {
                    Reading::Known(of) => subsystem.clone().map(|subsystem| self.names.subsystem(of, subsystem)),
                    Reading::Absent => Reading::Absent,
                    Reading::Unreadable(error) => Reading::Unreadable(error),
                },
                subsystem_what,
            )
        );
        set!(
            record.class_name,
            name(
                class.reading.clone().map(|[base, sub, _]| self.names.class(base, sub)),
                class_id.map_or_else(String::new, |[base, sub, _]| format!("PCI class {base:02x}{sub:02x}")),
            )
        );

        let no_subsystem = subsystem == Reading::Absent;
        let part = |read: Read<u16>| Read {
            reading: if no_subsystem { Reading::Absent } else { read.reading.map(|id| format!("{id:04x}")) },
            source: read.source,
        };
        set!(record.subsystem_vendor_id, part(subsystem_vendor));
        set!(record.subsystem_device_id, part(subsystem_device));
        set!(record.vendor_id, vendor.map(|id| format!("{id:04x}")));
        set!(record.device_id, device.map(|id| format!("{id:04x}")));
        set!(record.class, class.map(|[base, sub, interface]| format!("{base:02x}{sub:02x}{interface:02x}")));

        set!(record.driver, last_part(ledger.link(&at("driver"), Missing::Absent)));
        let no_numa = Missing::Untold("the kernel is built without NUMA");
        set!(record.numa_node, absent_if_none(ledger.parsed(&at("numa_node"), no_numa, parse_numa_node)));
        let group = last_part(ledger.link(&at("iommu_group"), Missing::Absent));
        set!(record.iommu_group, numbered(ledger, &at("iommu_group"), group));
        let old = Missing::Untold("the kernel is older than 5.11");
        set!(record.power_state, ledger.parsed(&at("power_state"), old, parse_power_state));
        let no_pm = Missing::Untold("the kernel is built without power management");
        set!(record.runtime_status, ledger.parsed(&at("power/runtime_status"), no_pm, parse_word));
        aer::read(ledger, &place.at, &mut record);
        set!(record.sriov_total_vfs, ledger.parsed(&at("sriov_totalvfs"), Missing::Absent, parse_number));
        set!(record.sriov_num_vfs, ledger.parsed(&at("sriov_numvfs"), Missing::Absent, parse_number));
        let physical = last_part(ledger.link(&at("physfn"), Missing::Absent));
        set!(
            record.virtual_function,
            Read {
                reading: match &physical.reading {
                    Reading::Known(_) => Reading::Known(true),
                    Reading::Absent => Reading::Known(false),
                    Reading::Unreadable(error) => Reading::Unreadable(*error),
                },
                source: physical.source,
            }
        );
        set!(record.physical_function, physical);
        set!(
            record.path,
            Read {
                reading: place.chain.reading.clone().map(|chain| chain.all().map(|hop| hop.to_string()).collect()),
                source: place.chain.source,
            }
        );
        let ends = self.link(&mut record, address, &place.at);
        Function { address, chain: place.chain.reading.clone(), vendor: vendor_id, class: class_id, ends, record }
    }

    /// Subsystem vendor and device; where a tree lacks their files, out of the alias that modules are loaded by.
    fn subsystem(&self, at: &str) -> (Read<u16>, Read<u16>) {
        let path = |file: &str| format!("{at}/{file}");
        let (vendor, device) = (path("subsystem_vendor"), path("subsystem_device"));
        let told = (self.attribute(&vendor, parse_id), self.attribute(&device, parse_id));
        let modalias = path("modalias");
        let from_alias = match &told {
            (Ok(_), Ok(_)) => None,
            _ => self.attribute(&modalias, parse_modalias).ok(),
        };
        let read = |told: Result<u16, Failure>, file: &str, alias: Option<u16>| match (told, alias) {
            (Ok(id), _) => Read { reading: Reading::Known(id), source: self.ledger.source(file) },
            (Err(Failure::Host(_)), Some(id)) => {
                Read { reading: Reading::Known(id), source: self.ledger.source(modalias.as_str()) }
            }
            (Err(failure), _) => Read { reading: self.failed(failure, ALWAYS), source: self.ledger.source(file) },
        };
        (
            read(told.0, &vendor, from_alias.map(|(vendor, _)| vendor)),
            read(told.1, &device, from_alias.map(|(_, device)| device)),
        )
    }

    /// The link attributes, and what the configuration space says where they are not all told.
    fn link(&self, record: &mut PciFunction, address: Address, at: &str) -> Ends {
        let current = self.end(at, "current");
        let max = self.end(at, "max");
        let revision_at = format!("{at}/revision");
        let revision = self.attribute(&revision_at, parse_revision);
        let none = |told: &Result<End, Failure>| matches!((told, self.no_link), (Err(Failure::Host(error)), Missing::Absent) if error.kind == HostErrorKind::NotFound);
        let told = current.is_ok() && max.is_ok() || none(&current) && none(&max);
        let config_at = format!("{at}/config");
        let config = if told && revision.is_ok() { None } else { self.config(&config_at) };
        let config_source = || self.ledger.source(config_at.clone());

        set!(
            record.revision,
            match (revision, &config) {
                (Ok(revision), _) =>
                    Read { reading: Reading::Known(revision), source: self.ledger.source(revision_at) },
                (Err(Failure::Host(_)), Some(config)) =>
                    Read { reading: Reading::Known(config.revision), source: config_source() },
                (Err(failure), _) => Read {
                    reading: self.failed(failure, Missing::Untold("the kernel is older than 4.10")),
                    source: self.ledger.source(revision_at),
                },
            }
            .map(|revision| format!("{revision:02x}"))
        );

        let express = config.as_ref().map(|config| config.express);
        let (config_current, config_max, port) = match express {
            Some(Express::Port { kind, max, current }) => (Reading::Known(current), Reading::Known(max), Some(kind)),
            Some(Express::None) => (Reading::Absent, Reading::Absent, None),
            Some(Express::Hidden) | None => (Reading::default(), Reading::default(), None),
        };
        let joined = |which: &str, sysfs: Result<End, Failure>, config: Reading<End>| -> (Reading<End>, bool) {
            match (sysfs, config) {
                (Ok(end), Reading::Unreadable(_)) => (Reading::Known(end), false),
                (Ok(end), Reading::Known(config)) if end == config => (Reading::Known(end), false),
                (Ok(End::None), Reading::Absent) => (Reading::Absent, false),
                (Ok(end), Reading::Absent) => (self.conflict(address, which, end, None), false),
                (Ok(end), Reading::Known(config)) => (self.conflict(address, which, end, Some(config)), false),
                (Err(failure), Reading::Unreadable(_)) => (self.failed(failure, self.no_link), false),
                (Err(_), told) => (told, true),
            }
        };
        let (current, current_by_config) = joined("current", current, config_current);
        let (max, max_by_config) = joined("maximum", max, config_max);
        let source = |name: &str, by_config: bool| {
            if by_config { config_source() } else { self.ledger.source(format!("{at}/{name}")) }
        };
        let (speed, width) = self.split(address, &current);
        set!(
            record.current_link_speed,
            Read { reading: speed, source: source("current_link_speed", current_by_config) }
        );
        set!(
            record.current_link_width,
            Read { reading: width, source: source("current_link_width", current_by_config) }
        );
        let (speed, width) = self.split(address, &max);
        set!(record.max_link_speed, Read { reading: speed, source: source("max_link_speed", max_by_config) });
        set!(record.max_link_width, Read { reading: width, source: source("max_link_width", max_by_config) });
        let carried = self.bandwidth(address, &record.current_link_speed, &record.current_link_width);
        let source = self.ledger.source("derived: current_link_speed, current_link_width");
        set!(record.link_bandwidth, Read { reading: carried, source });
        Ends { current, max, port }
    }

    fn bandwidth(
        &self,
        address: Address,
        speed: &Reading<TransfersPerSec>,
        width: &Reading<u64>,
    ) -> Reading<crate::units::BitsPerSec> {
        match both(speed, width) {
            Reading::Known((speed, width)) => match link::bandwidth(speed, width) {
                Some(bandwidth) => Reading::Known(bandwidth),
                None => Reading::Unreadable(self.ledger.error(
                    format!("tell the bandwidth of {address}"),
                    ErrorKind::NotSupported,
                    format!("the encoding at {speed} is not known"),
                )),
            },
            Reading::Absent => Reading::Absent,
            Reading::Unreadable(error) => Reading::Unreadable(error),
        }
    }

    fn attribute<T>(&self, path: &str, parse: impl FnOnce(&str) -> Result<T, String>) -> Result<T, Failure> {
        let bytes = self.ledger.host().read(path).map_err(Failure::Host)?;
        let malformed = |cause: String| Failure::Malformed(path.to_owned(), cause);
        let text = std::str::from_utf8(&bytes).map_err(|error| malformed(error.to_string()))?;
        parse(text.trim_end()).map_err(malformed)
    }

    fn failed<T>(&self, failure: Failure, missing: Missing) -> Reading<T> {
        match failure {
            Failure::Host(error) => self.ledger.failed(error, missing),
            Failure::Malformed(path, cause) => self.ledger.malformed(&path, cause),
        }
    }

    fn end(&self, at: &str, which: &str) -> Result<End, Failure> {
        let speed = self.attribute(&format!("{at}/{which}_link_speed"), link::parse_speed)?;
        let width = self.attribute(&format!("{at}/{which}_link_width"), link::parse_width)?;
        Ok(link::end(speed, width))
    }

    /// The configuration space, if it can be read and makes sense. That it cannot is no error of its own: the attribute that
    /// it would stand in for has one.
    fn config(&self, path: &str) -> Option<config::Config> {
        let bytes = self.ledger.host().read(path).ok()?;
        config::parse(&bytes).ok()
    }

    fn conflict<T>(&self, address: Address, which: &str, sysfs: End, config: Option<End>) -> Reading<T> {
        let config = config.map_or_else(|| "no PCI Express".to_owned(), words);
        Reading::Unreadable(self.ledger.error(
            format!("read the {which} link of {address}"),
            ErrorKind::Conflict,
            format!("the kernel says {}, the configuration space says {config}", words(sysfs)),
        ))
    }

    /// Rate and lanes by themselves.
    fn split(&self, address: Address, end: &Reading<End>) -> (Reading<TransfersPerSec>, Reading<u64>) {
        let untold =
            |cause: &str| self.ledger.error(format!("read the link of {address}"), ErrorKind::NotSupported, cause);
        match end {
            Reading::Known(End::Link { rate, lanes }) => (
                match rate {
                    Some(rate) => Reading::Known(TransfersPerSec(*rate)),
                    None => Reading::Unreadable(untold("its rate has a code that the kernel does not know")),
                },
                match lanes {
                    Some(lanes) => Reading::Known(*lanes),
                    None => Reading::Unreadable(untold("its width is no number of lanes")),
                },
            ),
            Reading::Known(End::None) | Reading::Absent => (Reading::Absent, Reading::Absent),
            Reading::Known(End::Silent) => {
                let error = untold("every bit reads as one: the device has no power or does not answer");
                (Reading::Unreadable(error), Reading::Unreadable(error))
            }
            Reading::Unreadable(error) => (Reading::Unreadable(*error), Reading::Unreadable(*error)),
        }
    }
}

fn words(end: End) -> String {
    match end {
        End::Link { rate, lanes } => format!(
            "{} x{}",
            rate.map_or_else(|| "an unknown rate".to_owned(), |rate| TransfersPerSec(rate).to_string()),
            lanes.map_or_else(|| "?".to_owned(), |lanes| lanes.to_string())
        ),
        End::None => "no link".to_owned(),
        End::Silent => "nothing".to_owned(),
    }
}

/// Both values, or the first reason why not.
pub(super) fn both<A: Clone, B: Clone>(a: &Reading<A>, b: &Reading<B>) -> Reading<(A, B)> {
    match (a, b) {
        (Reading::Known(a), Reading::Known(b)) => Reading::Known((a.clone(), b.clone())),
        (Reading::Unreadable(error), _) | (_, Reading::Unreadable(error)) => Reading::Unreadable(*error),
        (Reading::Absent, _) | (_, Reading::Absent) => Reading::Absent,
    }
}

fn last_part(read: Read<String>) -> Read<String> {
    read.map(|target| target.rsplit('/').next().unwrap_or(&target).to_owned())
}

fn numbered(ledger: &Ledger<'_>, path: &str, read: Read<String>) -> Read<u64> {
    let reading = match read.reading {
        Reading::Known(name) => match name.parse() {
            Ok(number) => Reading::Known(number),
            Err(_) => ledger.malformed(path, format!("no number: {name:?}")),
        },
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source: read.source }
}

fn absent_if_none<T>(read: Read<Option<T>>) -> Read<T> {
    let reading = match read.reading {
        Reading::Known(Some(value)) => Reading::Known(value),
        Reading::Known(None) | Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source: read.source }
}

/// "5.15.0-91-generic": the first two numbers.
fn parse_release(text: &str) -> Result<(u32, u32), String> {
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => Ok((major, minor)),
        _ => Err(format!("no release of a kernel: {text:?}")),
    }
}

/// "0x8086".
fn parse_id(text: &str) -> Result<u16, String> {
    hex(text, 4).and_then(|id| u16::try_from(id).ok()).ok_or_else(|| format!("no identifier: {text:?}"))
}

/// "0x02".
fn parse_revision(text: &str) -> Result<u8, String> {
    hex(text, 2).and_then(|revision| u8::try_from(revision).ok()).ok_or_else(|| format!("no revision: {text:?}"))
}

/// "0x010802".
fn parse_class(text: &str) -> Result<[u8; 3], String> {
    let class = hex(text, 6).ok_or_else(|| format!("no class: {text:?}"))?;
    let [_, base, sub, interface] = class.to_be_bytes();
    Ok([base, sub, interface])
}

/// "pci:v00008086d00000A54sv00001028sd00002003bc01sc08i02" (`modalias_show()` in `drivers/pci/pci-sysfs.c`): the subsystem's two
/// identifiers, which are eight digits wide and of which the upper four are 0.
fn parse_modalias(text: &str) -> Result<(u16, u16), String> {
    let wrong = || format!("no alias of a PCI function: {text:?}");
    let (_, rest) = text.strip_prefix("pci:v").and_then(|rest| rest.split_once("sv")).ok_or_else(wrong)?;
    let (vendor, rest) = rest.split_once("sd").ok_or_else(wrong)?;
    let (device, _) = rest.split_once("bc").ok_or_else(wrong)?;
    let id = |digits: &str| {
        let id = path::hex(&digits.to_ascii_lowercase(), 8..=8)?;
        u16::try_from(id).ok()
    };
    id(vendor).zip(id(device)).ok_or_else(wrong)
}

fn hex(text: &str, digits: usize) -> Option<u32> {
    path::hex(text.strip_prefix("0x")?, digits..=digits)
}

/// A number, or -1 for none.
fn parse_numa_node(text: &str) -> Result<Option<u64>, String> {
    if text == "-1" { Ok(None) } else { parse_number(text).map(Some) }
}

fn parse_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("no number: {text:?}"))
}

/// One word of small letters.
fn parse_word(text: &str) -> Result<String, String> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_lowercase()) {
        Ok(text.to_owned())
    } else {
        Err(format!("no word: {text:?}"))
    }
}

/// "D0" to "D3cold"; the kernel also writes "unknown" and "error" (`pci_power_names` in `drivers/pci/pci.c`).
fn parse_power_state(text: &str) -> Result<String, String> {
    match text {
        "D0" | "D1" | "D2" | "D3hot" | "D3cold" => Ok(text.to_owned()),
        other => Err(format!("no power state: {other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_the_kernel_writes_them() {
        assert_eq!(parse_id("0x8086"), Ok(0x8086));
        assert_eq!(parse_revision("0x0a"), Ok(0x0a));
        assert_eq!(parse_class("0x010802"), Ok([1, 8, 2]));
        assert_eq!(parse_numa_node("-1"), Ok(None));
        assert_eq!(parse_numa_node("1"), Ok(Some(1)));
        assert_eq!(parse_release("3.10.0-1160.el7.x86_64"), Ok((3, 10)));
        assert_eq!(parse_release("6.1-rc3"), Ok((6, 1)));
        assert_eq!(parse_power_state("D3hot").as_deref(), Ok("D3hot"));
        assert_eq!(parse_word("suspended").as_deref(), Ok("suspended"));
        assert_eq!(parse_modalias("pci:v00008086d00000A54sv00001028sd0000200Abc01sc08i02"), Ok((0x1028, 0x200a)));
        for bad in [
            "",
            "pci:v00008086",
            "usb:v1D6Bp0002",
            "pci:v00008086d00000A54sv1028sd2003bc01",
            "pci:vsvFFFFFFFFsd00000000bc",
        ] {
            assert!(parse_modalias(bad).is_err(), "{bad}");
        }
        assert!(parse_id("8086").is_err());
        assert!(parse_id("0x80861").is_err());
        assert!(parse_class("0x0108").is_err());
        assert!(parse_numa_node("-2").is_err());
        assert!(parse_release("linux").is_err());
        assert!(parse_power_state("unknown").is_err());
        assert!(parse_word("").is_err());
    }
}
