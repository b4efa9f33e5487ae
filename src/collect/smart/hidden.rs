//! Drives that stand behind RAID controllers, as far as smartctl reaches them.
//!
//! smartctl(8), option `-d`: megaraid_sas lists its drives (`--scan`); hpsa and smartpqi number them densely from 0, areca has slots 1 to 24,
//! aacraid shows them as SCSI devices without a block device. A drive that the kernel shows as well is not hidden. `--scan` and not
//! `--scan-open`: the latter identifies every drive of the machine, also those that must not be asked.

use super::{Target, ask, told};
use crate::collect::ledger::{Ledger, Missing, Read};
use crate::collect::side_by_side;
use crate::host::ToolCall;
use crate::inventory::controller::{Attached, StorageController};
use crate::inventory::hidden::HiddenDrive;
use crate::inventory::{Drive, Media, Transport};
use crate::reading::{Collection, ErrorId, ErrorKind, Reading, Record, Renumber};
use crate::units::Bytes;
use serde_json::Value;
use std::time::Duration;
use told::{Outcome, Told};

/// Highest number of a drive of hpsa and smartpqi ("0 <= N <= 127", smartctl(8)).
const MOST_CCISS: usize = 128;
/// Slots of an areca controller ("1 to 24").
const ARECA_SLOTS: usize = 24;
/// Peripheral device types (SPC-6 section 6.7.2).
const DISK: u64 = 0;
const PROCESSOR: u64 = 3;
const ARRAY_CONTROLLER: u64 = 12;

/// Drives behind the controllers, and why some may be missing. `drives` are those that the kernel shows.
pub(crate) fn collect(
    ledger: &Ledger<'_>,
    controllers: &Collection<StorageController>,
    drives: &[Drive],
) -> Collection<HiddenDrive> {
    if let Collection::Unreadable(error) = controllers {
        return Collection::Unreadable(*error);
    }
    let mut reasons = controllers.reasons().to_vec();
    let mut found = Vec::new();
    for controller in controllers.items() {
        let Some(driver) = controller.driver.known() else { continue };
        let targets = match driver.as_str() {
            "megaraid_sas" => megaraid(ledger, controller),
            "hpsa" | "smartpqi" => cciss(ledger, controller),
            "arcmsr" => areca(ledger, controller),
            "aacraid" => Ok(aacraid(controller)),
            driver if crate::collect::block::may_hide_drives(driver) => {
                let operation = format!("list the drives behind {}", shown(controller));
                let cause = format!("no tool known here shows the drives of {driver}");
                Err(ledger.error(operation, ErrorKind::NotSupported, cause))
            }
            _ => continue,
        };
        let places = match targets {
            Ok(places) => places,
            Err(error) => {
                reasons.push(error);
                continue;
            }
        };
        let mut answers = asked(ledger, controller, &places);
        match places.kind {
            // Everything that is listed is there.
            Kind::Listed => {}
            // Dense: what does not answer is there if something behind it does.
            Kind::Numbered => {
                let last = answers.iter().rposition(|answer| !answer.refused).map_or(0, |last| last + 1);
                answers.truncate(last);
            }
            Kind::Slots => {
                if answers.iter().any(|answer| answer.refused) {
                    let operation = format!("list the drives behind {}", shown(controller));
                    let cause = "an empty slot and a drive that does not answer look the same to smartctl";
                    reasons.push(ledger.error(operation, ErrorKind::NotSupported, cause));
                }
                answers.retain(|answer| !answer.refused);
            }
        }
        found.extend(answers);
    }
    let seen = |drive: &HiddenDrive| {
        drive.serial.known().is_some_and(|serial| drives.iter().any(|other| other.serial.known() == Some(serial)))
    };
    let hidden = found.into_iter().map(|answer| answer.drive).filter(|drive| !seen(drive)).collect();
    Collection::new(hidden, reasons)
}

/// Places at which a drive may stand.
struct Places {
    kind: Kind,
    targets: Vec<Target>,
}

/// What is known of places before they are asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A list told that a drive stands at each.
    Listed,
    /// Numbers, of which the first so many have a drive.
    Numbered,
    /// Slots, full or empty.
    Slots,
}

/// What was answered for one place.
#[derive(Default)]
struct Answer {
    drive: HiddenDrive,
    /// smartctl reached nothing there.
    refused: bool,
}

impl crate::reading::Fact for Answer {
    fn fact_type() -> crate::reading::FactType {
        HiddenDrive::fact_type()
    }
    fn is_not_collected(&self) -> bool {
        false
    }
    fn renumber(&mut self, ids: &Renumber<'_>) {
        Record::renumber(&mut self.drive, ids);
    }
}

fn shown(controller: &StorageController) -> String {
    controller.name.known().cloned().unwrap_or_else(|| "a controller".to_owned())
}

/// The numbers of its SCSI hosts.
fn hosts(controller: &StorageController) -> impl Iterator<Item = &str> {
    controller.hosts.items().iter().filter_map(|host| host.name.known()?.strip_prefix("host"))
}

fn megaraid(ledger: &Ledger<'_>, controller: &StorageController) -> Result<Places, ErrorId> {
    let argv = ["smartctl", "--json=c", "--scan"].map(str::to_owned).to_vec();
    let output = ledger.run(&ToolCall { argv, time: Duration::from_secs(20) });
    let told = match told::outcome(ledger, "for all devices", output) {
        Outcome::Told(told) => told,
        Outcome::Nothing(error, _) => return Err(error),
        Outcome::Asleep(_) => return Ok(Places { kind: Kind::Listed, targets: Vec::new() }),
    };
    let devices = told.at("/devices").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let word = |device: &Value, key: &str| device.get(key).and_then(Value::as_str).map(str::to_owned);
    // The scan shows the drives of every controller of the driver, each under the bus of its SCSI host.
    let buses: Vec<String> = hosts(controller).map(|host| format!("/dev/bus/{host}")).collect();
    let targets = devices.iter().filter_map(|device| {
        let (name, kind) = (word(device, "name")?, word(device, "type")?);
        let behind = kind.contains("megaraid,") && buses.contains(&name);
        behind.then_some(Target { device: name, kind: Some(kind) })
    });
    Ok(Places { kind: Kind::Listed, targets: targets.collect() })
}

/// The SCSI generic device of the controller itself, which is of a peripheral device type of its own.
fn generic(ledger: &Ledger<'_>, controller: &StorageController, scsi_type: u64) -> Result<String, ErrorId> {
    let of_type = |attached: &&Attached| attached.scsi_type.known() == Some(&scsi_type);
    let mut addresses = controller.attached.items().iter().filter(of_type).filter_map(|a| a.scsi_address.known());
    let operation = format!("list the drives behind {}", shown(controller));
    let Some(address) = addresses.next() else {
        let cause = format!("no SCSI device of type {scsi_type}, by which it is asked");
        return Err(ledger.error(operation, ErrorKind::NotFound, cause));
    };
    let path = format!("/sys/class/scsi_device/{address}/device/scsi_generic");
    match ledger.names(&path, Missing::Untold("the driver sg is not loaded")) {
        Reading::Known(listing) => match listing.names.first() {
            Some(name) => Ok(format!("/dev/{name}")),
            None => Err(ledger.error(operation, ErrorKind::NotFound, format!("{path} is empty"))),
        },
        Reading::Unreadable(error) => Err(error),
        Reading::Absent => Err(ledger.error(operation, ErrorKind::NotFound, format!("{path} is not there"))),
    }
}

fn cciss(ledger: &Ledger<'_>, controller: &StorageController) -> Result<Places, ErrorId> {
    let device = generic(ledger, controller, ARRAY_CONTROLLER)?;
    let target = |n| Target { device: device.clone(), kind: Some(format!("cciss,{n}")) };
    Ok(Places { kind: Kind::Numbered, targets: (0..MOST_CCISS).map(target).collect() })
}

fn areca(ledger: &Ledger<'_>, controller: &StorageController) -> Result<Places, ErrorId> {
    let device = generic(ledger, controller, PROCESSOR)?;
    let target = |n| Target { device: device.clone(), kind: Some(format!("areca,{n}")) };
    Ok(Places { kind: Kind::Slots, targets: (1..=ARECA_SLOTS).map(target).collect() })
}

fn aacraid(controller: &StorageController) -> Places {
    let disk = |attached: &&Attached| {
        attached.scsi_type.known() == Some(&DISK)
            && attached.block_device == Reading::Absent
            && attached.volume.known() != Some(&true)
    };
    let targets = controller.attached.items().iter().filter(disk).filter_map(|attached| {
        let mut numbers = attached.scsi_address.known()?.split(':');
        let (host, channel, id) = (numbers.next()?, numbers.next()?, numbers.next()?);
        Some(Target { device: format!("/dev/aac{host}"), kind: Some(format!("aacraid,{host},{channel},{id}")) })
    });
    Places { kind: Kind::Listed, targets: targets.collect() }
}

/// Asks places in order, some side by side; of numbered places no more once a whole batch holds nothing.
fn asked(ledger: &Ledger<'_>, controller: &StorageController, places: &Places) -> Vec<Answer> {
    let mut answers = Vec::new();
    for batch in places.targets.chunks(side_by_side::BOUND) {
        let told =
            side_by_side::each(ledger, batch, side_by_side::BOUND, |ledger, target| answer(ledger, controller, target));
        let nothing = told.iter().all(|answer| answer.refused);
        answers.extend(told);
        if places.kind == Kind::Numbered && nothing {
            break;
        }
    }
    answers
}

fn answer(ledger: &Ledger<'_>, controller: &StorageController, target: &Target) -> Answer {
    // The controller's firmware polls its drives for the same by itself, whatever their model.
    let (health, told) = ask(ledger, target, None);
    let asleep = health.standby.known() == Some(&true);
    let mut drive = HiddenDrive { health, ..HiddenDrive::default() };
    let source = ledger.source(format!("run {}", target.call(false).argv.join(" ")));
    let absent = || Read { reading: Reading::Absent, source };
    set!(drive.name, Read { reading: Reading::Known(target.name()), source });
    // Readings of the whole section are numbered by its ledger, so only what is known may be taken over here.
    let name = controller.name.known().cloned().map_or(Reading::Absent, Reading::Known);
    set!(drive.controller, Read { reading: name, source });
    set!(drive.enclosure, absent());
    set!(drive.slot, absent());
    set!(drive.state, absent());
    set!(drive.volume, absent());
    match &told {
        Some(told) => identity(told, &mut drive),
        None => {
            let unread = match &drive.health.passed {
                Reading::Unreadable(error) => *error,
                _ => ledger.error(format!("ask {} by smartctl", target.name()), ErrorKind::Io, "it told nothing"),
            };
            macro_rules! unread {
                ($($field:ident),*) => {
                    $( set!(drive.$field, Read { reading: Reading::Unreadable(unread), source }); )*
                };
            }
            unread!(model, serial, firmware, bytes, media, transport);
        }
    }
    let refused = told.is_none() && !asleep && is_empty_place(ledger, &drive);
    Answer { drive, refused }
}

/// Whether smartctl could not even open the place: nothing is there. What was not answered in time, or was not permitted, is another matter.
fn is_empty_place(ledger: &Ledger<'_>, drive: &HiddenDrive) -> bool {
    match &drive.health.passed {
        Reading::Unreadable(error) => ledger.error_at(*error).is_some_and(|error| error.kind == ErrorKind::Io),
        _ => false,
    }
}

/// What the drive says it is.
pub(super) fn identity(told: &Told<'_, '_>, drive: &mut HiddenDrive) {
    let first = |pointers: &[&str]| pointers.iter().find_map(|pointer| told.word(pointer)).map(str::to_owned);
    set!(drive.model, told.fact(Ok(first(&["/model_name", "/scsi_model_name", "/scsi_product"]))));
    set!(drive.serial, told.fact(Ok(first(&["/serial_number"]))));
    set!(drive.firmware, told.fact(Ok(first(&["/firmware_version", "/scsi_revision", "/revision"]))));
    set!(drive.bytes, told.fact(told.count("/user_capacity/bytes").map(|bytes| bytes.map(Bytes))));
    set!(
        drive.media,
        match told.count("/rotation_rate") {
            Ok(Some(0)) => told.fact(Ok(Some(Media::Ssd))),
            Ok(Some(_)) => told.fact(Ok(Some(Media::Hdd))),
            Ok(None) if told.word("/device/protocol") == Some("NVMe") => told.fact(Ok(Some(Media::Ssd))),
            Ok(None) => told.untold("it tells no rotation rate"),
            Err(cause) => told.fact(Err(cause)),
        }
    );
    let sas = told.word("/scsi_transport_protocol/name").is_some_and(|name| name.starts_with("SAS"));
    set!(
        drive.transport,
        match told.word("/device/protocol") {
            Some("ATA") => told.fact(Ok(Some(Transport::Sata))),
            Some("NVMe") => told.fact(Ok(Some(Transport::Nvme))),
            Some("SCSI") if sas => told.fact(Ok(Some(Transport::Sas))),
            _ => told.untold("smartctl does not tell how it is attached"),
        }
    );
}
