//! RAID controllers asked by the tools of their makers: what the controller is, its volumes, and the drives that it hides from the kernel.
//!
//! A tool is asked only where a controller of its driver is there, and only by argument lists that show ([`call`]). What it prints is taken apart by pure
//! functions and becomes records in [`records`]. Nothing here judges a word of a tool.

mod arcconf;
mod call;
mod figures;
mod ircu;
mod lines;
mod records;
pub mod report;
mod ssacli;
mod storcli;
#[cfg(test)]
mod tests;

use super::hidden::{Shown, Sight};
use super::ledger::Ledger;
use crate::inventory::controller::{ControllerKind, StorageController};
use crate::inventory::hidden::HiddenDrive;
use crate::inventory::raid::{RaidController, RaidVolume};
use crate::inventory::{Drive, Transport};
use crate::reading::{Collection, ErrorId, ErrorKind, Fact, Reading, Renumber, Sources};
use call::{Asked, Failure, Maker};
use records::Output;
use report::{Controller, Report, Told};
use std::collections::BTreeSet;

/// An output by the name of its tool, taken apart: "storcli" (also perccli, storcli2, perccli2), "ssacli", "ircu", "arcconf".
///
/// # Errors
/// Says what is wrong with it, or that there is no such tool.
pub fn parse(tool: &str, text: &str) -> Result<Report, String> {
    match tool {
        "storcli" => storcli::parse(text).map(|answers| storcli::report(&answers, &answers, &answers)),
        "ssacli" => ssacli::parse(text),
        "ircu" => {
            ircu::display(0, text).map(|controller| Report { controllers: vec![controller], refused: Vec::new() })
        }
        "arcconf" => {
            arcconf::config(1, text).map(|controller| Report { controllers: vec![controller], refused: Vec::new() })
        }
        other => Err(format!("no tool {other}")),
    }
}

record! {
    /// What was told of one storage controller.
    pub struct Filled {
        /// By the maker's tool.
        pub raid: RaidController,
        /// Its firmware, where the tool told it.
        pub firmware: Reading<String>,
        /// Its serial number, where the tool told it.
        pub serial: Reading<String>,
    }
}

/// What the section tells.
pub(crate) struct Section {
    /// One for each storage controller, in order.
    pub(crate) controllers: Vec<Filled>,
    pub(crate) volumes: Collection<RaidVolume>,
    pub(crate) hidden: Collection<HiddenDrive>,
    /// Why the kernel's drives are not all: these are told of, and it does not show them.
    pub(crate) unseen: Vec<ErrorId>,
    pub(crate) sources: Sources,
}

impl Section {
    /// Rewrites every index, as when ledgers are joined.
    pub(crate) fn renumber(&mut self, ids: &Renumber<'_>) {
        self.controllers.iter_mut().for_each(|filled| Fact::renumber(filled, ids));
        self.volumes.renumber(ids);
        self.hidden.renumber(ids);
        let mut unseen = Collection::<HiddenDrive>::new(Vec::new(), std::mem::take(&mut self.unseen));
        unseen.renumber(ids);
        self.unseen = unseen.reasons().to_vec();
        ids.record_sources(&mut self.sources);
    }
}

/// What is known of one storage controller before a tool is asked.
struct Known<'c> {
    record: &'c StorageController,
    name: String,
    makers: &'static [Maker],
    nature: Nature,
}

/// What a controller may keep to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nature {
    /// It makes no volumes and hides nothing.
    Plain,
    /// It has no volume now, which is told without a tool: nothing is hidden.
    Open,
    /// It may have volumes and hide drives.
    Raid,
}

impl<'c> Known<'c> {
    fn of(record: &'c StorageController) -> Self {
        use ControllerKind as Kind;
        let driver = record.driver.known().map(String::as_str);
        let makers = driver.map_or(&[][..], Maker::of_driver);
        let kind = record.kind.known().copied();
        let nature = match (driver, kind) {
            (Some("mpt3sas" | "mpt2sas"), _) => {
                let volume = |reading: &Reading<bool>| *reading != Reading::Known(false);
                let whole = matches!(record.attached, Collection::Complete(_));
                if whole && !record.attached.items().iter().any(|thing| volume(&thing.volume)) {
                    Nature::Open
                } else {
                    Nature::Raid
                }
            }
            (Some("mpi3mr"), _) | (_, Some(Kind::Raid)) => Nature::Raid,
            // A function that nobody drives may be such a controller.
            (None, Some(Kind::SasHba | Kind::Scsi | Kind::Other) | None) => Nature::Raid,
            _ => Nature::Plain,
        };
        let name = record.name.known().cloned().unwrap_or_default();
        Self { record, name, makers, nature }
    }

    fn address(&self) -> Option<&str> {
        self.record.pci_address.known().map(String::as_str)
    }
}

/// Asks the tools for the controllers that are there. `drives` are those that the kernel shows.
pub(crate) fn collect(
    ledger: &Ledger<'_>,
    controllers: &Collection<StorageController>,
    drives: &Collection<Drive>,
) -> Section {
    let known: Vec<Known<'_>> = controllers.items().iter().map(Known::of).collect();
    let wanted: BTreeSet<Maker> = known.iter().flat_map(|known| known.makers.iter().copied()).collect();
    let asked: Vec<Asked> = wanted.into_iter().map(|maker| call::ask(ledger, maker)).collect();
    let mut sources = Sources::default();
    let source = ledger.source("derived: storage_controllers, the makers' tools");
    sources.set("raid_volumes", source);
    sources.set("hidden_drives", source);

    let shown = Shown::of(drives.items());
    let mut whole = Whole::default();
    let filled = known.iter().map(|one| whole.controller(ledger, one, &known, &asked, &shown)).collect();
    boot_mirrors(ledger, drives, &mut whole);
    Section {
        controllers: filled,
        volumes: Collection::new(whole.volumes, whole.volume_reasons),
        hidden: Collection::new(whole.hidden, whole.hidden_reasons),
        unseen: whole.unseen,
        sources,
    }
}

/// Everything that is told, and why more may be.
#[derive(Default)]
struct Whole {
    volumes: Vec<RaidVolume>,
    volume_reasons: Vec<ErrorId>,
    hidden: Vec<HiddenDrive>,
    hidden_reasons: Vec<ErrorId>,
    unseen: Vec<ErrorId>,
    /// PCI functions of which a tool told.
    told: BTreeSet<String>,
}

impl Whole {
    fn controller(
        &mut self,
        ledger: &Ledger<'_>,
        known: &Known<'_>,
        all: &[Known<'_>],
        asked: &[Asked],
        shown: &Shown,
    ) -> Filled {
        let tools: Vec<&Asked> =
            known.makers.iter().filter_map(|maker| asked.iter().find(|a| a.maker == *maker)).collect();
        let found: Vec<(&Asked, &Controller)> =
            tools.iter().filter_map(|asked| Some((*asked, shows(asked, known, all)?))).collect();
        let mut filled = Filled::default();
        let Some((first, controller)) = found.first().copied() else {
            let reading = self.untold(ledger, known, &tools);
            filled.raid = records::blank(&reading, ledger.source("derived: driver, the makers' tools"));
            return filled;
        };
        self.told.extend(known.address().map(str::to_owned));
        let about = |asked: &Asked, unanswered: Option<ErrorId>| Output {
            ledger,
            program: asked.program,
            source: asked.source,
            unanswered,
        };
        let output = about(first, first.unanswered);
        filled.raid = about(first, None).controller(controller);
        for (asked, controller) in &found {
            complete(&mut filled.raid, about(asked, None).controller(controller));
            for (field, told, slot) in [
                ("firmware", &controller.firmware, &mut filled.firmware),
                ("serial", &controller.serial, &mut filled.serial),
            ] {
                if let (Told::Value(value), None) = (told, slot.known()) {
                    *slot = Reading::Known(value.clone());
                    filled.sources.set(field, asked.source);
                }
            }
        }

        let name = known.address().map_or_else(|| controller.name.clone(), str::to_owned);
        self.volumes.extend(controller.volumes.iter().map(|volume| output.volume(&name, volume.clone())));
        for gap in &controller.gaps {
            let operation = format!("list the volumes and drives of {name}");
            let error = ledger.error(operation, ErrorKind::Malformed, format!("{}: {gap}", first.program));
            self.volume_reasons.push(error);
            self.hidden_reasons.push(error);
        }
        let before = self.hidden.len();
        for drive in &controller.drives {
            match shown.sight(drive.serial.value().map(String::as_str), drive.wwn.as_deref(), drive.exposed) {
                Sight::Shown => {}
                Sight::Hidden => self.hidden.push(output.drive(&name, drive.clone())),
                // Nothing can be hidden by a controller that has no volume.
                Sight::Untold if known.nature == Nature::Open => {}
                Sight::Untold => self.hidden_reasons.push(ledger.error(
                    format!("tell which of the kernel's drives {} is", drive.name),
                    ErrorKind::NotFound,
                    format!("{} says that the system sees it, and no serial number joins them", first.program),
                )),
            }
        }
        if self.hidden.len() > before {
            let cause = format!("{} lists {} that the kernel does not show", first.program, self.hidden.len() - before);
            self.unseen.push(ledger.error(format!("see the drives behind {name}"), ErrorKind::NotSupported, cause));
        }
        filled
    }

    /// Why no tool told of a controller; absent if there is nothing that one could tell.
    fn untold(&mut self, ledger: &Ledger<'_>, known: &Known<'_>, tools: &[&Asked]) -> Reading<()> {
        let driver = match &known.record.driver {
            Reading::Known(driver) => driver.as_str(),
            Reading::Absent => "none",
            Reading::Unreadable(_) => "that is not known",
        };
        let mut failures = tools.iter().filter_map(|asked| asked.report.as_ref().err());
        let error = match tools.first() {
            None if known.nature == Nature::Plain => return Reading::Absent,
            None => ledger.error(
                format!("ask the maker's tool of {}", known.name),
                ErrorKind::NotSupported,
                format!("no tool for the driver {driver} is known here"),
            ),
            Some(_) => match tools.iter().find_map(|asked| asked.report.is_ok().then_some(asked.program)) {
                Some(program) => ledger.error(
                    format!("find {} in the output of {program}", known.name),
                    ErrorKind::NotFound,
                    "it shows no controller with this PCI address",
                ),
                None => match failures.find_map(|failure| match failure {
                    Failure::Failed(error) => Some(*error),
                    Failure::Missing => None,
                }) {
                    Some(error) => error,
                    None => call::missing(ledger, known.makers),
                },
            },
        };
        if known.nature == Nature::Raid {
            self.volume_reasons.push(error);
            self.hidden_reasons.push(error);
        }
        Reading::Unreadable(error)
    }
}

/// The controller in the output of a tool: by its PCI address, or as the only one where the tool tells no address.
fn shows<'a>(asked: &'a Asked, known: &Known<'_>, all: &[Known<'_>]) -> Option<&'a Controller> {
    let report = asked.report.as_ref().ok()?;
    let by_address = known.address().and_then(|address| {
        report.controllers.iter().find(|controller| controller.pci_address.as_deref() == Some(address))
    });
    let alone = || match &report.controllers[..] {
        [only] if only.pci_address.is_none() => {
            (all.iter().filter(|other| other.makers.contains(&asked.maker)).count() == 1).then_some(only)
        }
        _ => None,
    };
    by_address.or_else(alone)
}

/// Takes from another tool what the first did not tell.
fn complete(first: &mut RaidController, other: RaidController) {
    macro_rules! take {
        ($($field:ident),* $(,)?) => {
            $( if first.$field.known().is_none() && other.$field.known().is_some() {
                first.$field = other.$field;
                if let Some(source) = other.sources.get(stringify!($field)) {
                    first.sources.set(stringify!($field), source);
                }
            } )*
        };
    }
    take!(
        personality,
        status,
        firmware_package,
        battery,
        battery_model,
        memory,
        rebuild_rate,
        patrol_read_rate,
        memory_correctable_errors,
        memory_uncorrectable_errors,
        temperature,
    );
}

/// Mirrors of boot drives pose as one disk on a controller that is none of these, and no tool that is known here looks behind them.
fn boot_mirrors(ledger: &Ledger<'_>, drives: &Collection<Drive>, whole: &mut Whole) {
    for drive in drives.items().iter().filter(|drive| drive.transport == Reading::Known(Transport::Raid)) {
        if drive.pci_address.known().is_some_and(|address| whole.told.contains(address)) {
            continue;
        }
        let name = drive.name.known().map_or("", String::as_str);
        let error = ledger.error(
            format!("see the drives behind {name}"),
            ErrorKind::NotSupported,
            "it is a volume of a RAID controller, and no maker's tool told of that",
        );
        whole.volume_reasons.push(error);
        whole.hidden_reasons.push(error);
    }
}
