//! SATA, SAS and bridged drives asked by smartctl, side by side, each with its time limit.
//!
//! Only questions that read (`-x`, or less where a model must be spared), and none that wakes a drive. Which drives there are is known from
//! sysfs; drives behind RAID controllers are looked for in [`hidden`]. Knows no limits.

mod ata;
pub(crate) mod hidden;
mod nvme;
mod scsi;
#[cfg(test)]
mod tests;
mod told;

use super::block::BlockSection;
use super::caution::{self, Smart};
use super::ledger::{Ledger, Read};
use super::side_by_side;
use crate::host::ToolCall;
use crate::inventory::health::Health;
use crate::inventory::hidden::HiddenDrive;
use crate::inventory::{Drive, Transport};
use crate::reading::{ErrorId, ErrorKind, Reading, Record, Renumber, SourceId};
use std::time::Duration;
use told::{Outcome, Told};

/// How long one call of smartctl may take. `-x` of a sound hard disk takes well below a second; one that retries commands takes its time.
const LIMIT: Duration = Duration::from_secs(20);
/// As much as a drive without log directory may be asked.
const WITHOUT_LOGS: [&str; 5] = ["-i", "-H", "-A", "-g", "wcache"];

/// Asks every drive that the kernel's NVMe driver does not have, and completes it by what it told.
pub(crate) fn collect(ledger: &Ledger<'_>, block: &mut BlockSection) {
    let drives: Vec<usize> = block
        .drives
        .items()
        .iter()
        .enumerate()
        .filter(|(_, drive)| drive.health.interface == Reading::default())
        .map(|(index, _)| index)
        .collect();
    let told = {
        let drives: Vec<&Drive> = drives.iter().filter_map(|index| block.drives.items().get(*index)).collect();
        side_by_side::each(ledger, &drives, side_by_side::BOUND, |ledger, drive| Answered(health(ledger, drive)))
    };
    for (index, told) in drives.into_iter().zip(told) {
        if let Some(drive) = block.drives.items_mut().get_mut(index) {
            complete(drive, told.0);
        }
    }
    super::block::identify(ledger, block.drives.items_mut());
}

/// Takes over health, and what sysfs could not tell of the drive itself: INQUIRY of an ATA drive is cut, a bridge hides the medium.
fn complete(drive: &mut Drive, mut told: HiddenDrive) {
    macro_rules! unless_known {
        ($($field:ident),*) => {
            $(
                if matches!(drive.$field, Reading::Unreadable(_)) && matches!(told.$field, Reading::Known(_)) {
                    drive.$field = std::mem::take(&mut told.$field);
                    drive.sources.set(stringify!($field), told.sources.get(stringify!($field)).unwrap_or(SourceId(0)));
                }
            )*
        };
    }
    unless_known!(model, serial, firmware, media);
    let mut health = told.health;
    // The kernel took it from the caching mode page, or from a bridge's translation of it (drivers/scsi/sd.c, sd_read_cache_type()).
    if matches!(health.write_cache, Reading::Unreadable(_)) && health.passed.known().is_some() {
        health.write_cache = drive.write_back.clone();
        health.sources.set("write_cache", drive.sources.get("write_back").unwrap_or(SourceId(0)));
    }
    drive.health = health;
}

/// Why smartctl has no use for drives of a transport.
fn of_no_use(transport: Transport) -> Option<&'static str> {
    use Transport as T;
    match transport {
        T::Sata | T::Sas | T::Scsi | T::Usb | T::Nvme => None,
        T::Raid => Some("it is a volume of a RAID controller, which hides how its drives fare"),
        T::Fc | T::Iscsi | T::NvmeFabric => {
            Some("it is a volume of a storage server, which alone knows how its drives fare")
        }
        T::Dasd => Some("smartctl knows no DASD"),
        T::Mmc => Some("smartctl knows no SD cards and eMMC"),
        T::Pmem => Some("smartctl knows no NVDIMMs"),
        T::Virtio | T::Xen => Some("it is a disk of a hypervisor, which alone knows what is below"),
    }
}

/// One drive's answer, on its way from the thread that asked.
#[derive(Default)]
pub(crate) struct Answered(HiddenDrive);

impl crate::reading::Fact for Answered {
    fn fact_type() -> crate::reading::FactType {
        <HiddenDrive as crate::reading::Fact>::fact_type()
    }
    fn is_not_collected(&self) -> bool {
        false
    }
    fn renumber(&mut self, ids: &Renumber<'_>) {
        Record::renumber(&mut self.0, ids);
    }
}

fn health(ledger: &Ledger<'_>, drive: &Drive) -> HiddenDrive {
    let of = |health| HiddenDrive { health, ..HiddenDrive::default() };
    let name = drive.name.known().map_or("", String::as_str);
    let source = ledger.source("derived: transport");
    if let Some(reason) = drive.transport.known().copied().and_then(of_no_use) {
        let error = ledger.error(format!("ask {name} for its health"), ErrorKind::NotSupported, reason);
        return of(unread(error, source));
    }
    let devices = drive.block_devices.known().map_or(&[][..], Vec::as_slice);
    let Some(device) = devices.first() else {
        let error = ledger.error(format!("ask {name} for its health"), ErrorKind::NotFound, "it has no block device");
        return of(unread(error, source));
    };
    // Opening the device would resume one that the kernel has suspended.
    let status = format!("/sys/class/block/{device}/device/power/runtime_status");
    if ledger.host().read(&status).is_ok_and(|status| status.trim_ascii() == b"suspended") {
        return of(asleep(ledger, name, ledger.source(status)));
    }
    let device = format!("/dev/{device}");
    let spared = match allowed(ledger, drive, devices) {
        Smart::Everything => None,
        Smart::NoLogDirectory(reason) => Some(reason),
        Smart::Nothing(reason) => return of(not_asked(ledger, name, reason)),
    };
    let (health, told) = ask(ledger, &Target::plain(&device), spared);
    let mut answered = of(health);
    if let Some(told) = told {
        hidden::identity(&told, &mut answered);
    }
    answered
}

/// How far a drive may be asked. One whose model cannot be told may be one that must not be asked.
fn allowed(ledger: &Ledger<'_>, drive: &Drive, devices: &[String]) -> Smart {
    let inquiry = |device: &String| {
        let told = ledger.host().read(&format!("/sys/class/block/{device}/device/model")).ok()?;
        String::from_utf8(told).ok()
    };
    match drive.model.known().cloned().or_else(|| devices.first().and_then(inquiry)) {
        Some(model) => caution::smart(&model),
        None => Smart::Nothing("its model cannot be told, and some models lose data when they are asked"),
    }
}

/// What smartctl is told to ask.
pub(crate) struct Target {
    /// Device file.
    device: String,
    /// Device type, as in "megaraid,5"; none lets smartctl find it out.
    kind: Option<String>,
}

impl Target {
    fn plain(device: &str) -> Self {
        Self { device: device.to_owned(), kind: None }
    }

    /// As it is told to a person.
    fn name(&self) -> String {
        match &self.kind {
            Some(kind) => format!("{} {kind}", self.device),
            None => self.device.clone(),
        }
    }

    fn call(&self, spared: bool) -> ToolCall {
        let asleep = format!("--nocheck=standby,{}", told::ASLEEP);
        let mut argv = vec!["smartctl".to_owned(), "--json=c".to_owned(), asleep];
        if spared {
            argv.extend(WITHOUT_LOGS.map(str::to_owned));
        } else {
            argv.push("-x".to_owned());
        }
        if let Some(kind) = &self.kind {
            argv.extend(["-d".to_owned(), kind.clone()]);
        }
        argv.push(self.device.clone());
        ToolCall { argv, time: LIMIT }
    }
}

/// Asks a drive; `spared` is why it is not asked for its logs. Gives the answer too, for the identity in it.
fn ask<'a, 'h>(ledger: &'a Ledger<'h>, target: &Target, spared: Option<&str>) -> (Health, Option<Told<'a, 'h>>) {
    let name = target.name();
    let output = ledger.run(&target.call(spared.is_some()));
    match told::outcome(ledger, &name, output) {
        Outcome::Nothing(error, source) => (unread(error, source), None),
        Outcome::Asleep(source) => (asleep(ledger, &name, source), None),
        Outcome::Told(told) => {
            let mut health = Health::default();
            match told.word("/device/protocol") {
                Some("ATA") => ata::fill(&told, &mut health),
                Some("SCSI") => scsi::fill(&told, &mut health),
                Some("NVMe") => nvme::fill(&told, &mut health),
                other => {
                    let cause = format!("smartctl tells of no protocol known here: {other:?}");
                    let error = ledger.error(format!("ask {name} by smartctl"), ErrorKind::Malformed, cause);
                    return (unread(error, told.source), None);
                }
            }
            let kind = told.word("/device/type").map(str::to_owned);
            set!(health.interface, told.fact(Ok(kind)));
            set!(health.standby, told.fact(Ok(Some(false))));
            set!(health.smartctl_signs, told.fact(Ok(Some(told.signs()))));
            let reasons = spared.map(|reason| format!("log directory and logs: {reason}")).into_iter().collect();
            set!(health.not_asked, told.fact(Ok(Some(reasons))));
            if !matches!(&health.write_cache, Reading::Known(_)) && told.word("/device/protocol") == Some("SCSI") {
                set!(health.write_cache, told.untold("smartctl prints no JSON of the caching mode page"));
            }
            (health, Some(told))
        }
    }
}

/// Every fact but `interface`, `standby` and `not_asked`.
macro_rules! every_fact {
    ($health:ident, $read:expr) => {
        every_fact!(
            $health, $read, passed critical_warnings temperature temperature_warning temperature_critical warning_temperature_time
            critical_temperature_time available_spare available_spare_threshold percentage_used media_errors reallocated_sectors
            pending_sectors offline_uncorrectable grown_defects interface_crc_errors non_medium_errors attributes_failing
            attributes_failed_before error_log_entries self_test self_test_failures power_on_time power_cycles unsafe_shutdowns
            written read write_cache link_speed max_link_speed smartctl_signs
        );
    };
    ($health:ident, $read:expr, $($field:ident)*) => {
        $( set!($health.$field, $read); )*
    };
}

/// Nothing could be read, for one reason.
fn unread(error: ErrorId, source: SourceId) -> Health {
    let mut health = Health::default();
    every_fact!(health, Read { reading: Reading::Unreadable(error), source });
    set!(health.interface, Read { reading: Reading::Unreadable(error), source });
    set!(health.standby, Read { reading: Reading::Unreadable(error), source });
    set!(health.not_asked, Read { reading: Reading::Unreadable(error), source });
    health
}

fn asleep(ledger: &Ledger<'_>, name: &str, source: SourceId) -> Health {
    let cause = "it is in standby and was not woken; read from it, then ask again";
    let error = ledger.error(format!("ask {name} for its health"), ErrorKind::NotSupported, cause);
    let mut health = unread(error, source);
    set!(health.standby, Read { reading: Reading::Known(true), source });
    set!(health.not_asked, Read { reading: Reading::Known(vec![format!("everything: {cause}")]), source });
    health
}

fn not_asked(ledger: &Ledger<'_>, name: &str, reason: &str) -> Health {
    let source = ledger.source("derived: model");
    let error = ledger.error(format!("ask {name} for its health"), ErrorKind::NotSupported, reason);
    let mut health = unread(error, source);
    set!(health.not_asked, Read { reading: Reading::Known(vec![format!("everything: {reason}")]), source });
    health
}
