//! Drives behind RAID controllers, put together from several tools. Pure.
//!
//! The maker's own tool knows slot, state and volume; smartctl knows the health. The same drive is known by its serial number.

use crate::inventory::Drive;
use crate::inventory::health::Health;
use crate::inventory::hidden::HiddenDrive;
use crate::reading::{Fact, Reading};
use std::collections::BTreeMap;

/// Drives that the makers' tools show, completed by those that smartctl shows: of a drive that both know the health is smartctl's where it answered, and the
/// rest the maker's; where the maker's tool does not tell a fact, smartctl's stands. The makers' come first, in their order.
#[must_use]
pub fn merge(makers: Vec<HiddenDrive>, smartctl: Vec<HiddenDrive>) -> Vec<HiddenDrive> {
    let mut drives = makers;
    let mut by_serial: BTreeMap<String, usize> = BTreeMap::new();
    for (index, drive) in drives.iter().enumerate() {
        if let Some(serial) = key(&drive.serial) {
            by_serial.entry(serial).or_insert(index);
        }
    }
    for mut other in smartctl {
        let known =
            key(&other.serial).and_then(|serial| by_serial.get(&serial)).and_then(|index| drives.get_mut(*index));
        match known {
            Some(drive) => complete(drive, other),
            None => {
                only_smartctl(&mut other);
                drives.push(other);
            }
        }
    }
    drives
}

/// A serial number as it is compared: some tools pad it, and some change the case.
fn key(serial: &Reading<String>) -> Option<String> {
    serial.known().map(|serial| serial.trim().to_ascii_uppercase()).filter(|serial| !serial.is_empty())
}

fn complete(drive: &mut HiddenDrive, other: HiddenDrive) {
    macro_rules! fill {
        ($($field:ident),*) => {
            $( if drive.$field.known().is_none() && other.$field.known().is_some() {
                drive.$field = other.$field.clone();
                if let Some(source) = other.sources.get(stringify!($field)) {
                    drive.sources.set(stringify!($field), source);
                }
            } )*
        };
    }
    fill!(model, firmware, bytes, media, transport);
    if answered(&other.health) {
        drive.health = other.health;
    }
}

/// Whether smartctl got an answer from the drive, or may have and was told to leave it asleep.
fn answered(health: &Health) -> bool {
    health.passed.known().is_some() || health.temperature.known().is_some() || health.standby.known() == Some(&true)
}

/// What no tool but the maker's has a word for.
fn only_smartctl(drive: &mut HiddenDrive) {
    macro_rules! absent {
        ($($field:ident),*) => {
            $( if drive.$field.is_not_collected() {
                drive.$field = Reading::Absent;
            } )*
        };
    }
    absent!(state, volume, media_error_count, other_error_count, predictive_failure_count);
}

/// What the kernel shows, by which a drive of a tool is known to be no hidden one.
#[derive(Default)]
pub(crate) struct Shown {
    serials: Vec<String>,
    names: Vec<String>,
    /// The serial number of some could not be told.
    pub(crate) unknown: bool,
}

/// Whether the kernel shows a drive that a tool lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// It is one of the kernel's drives.
    Shown,
    /// It is none.
    Hidden,
    /// The tool says that it is shown, and which one it is cannot be told.
    Untold,
}

impl Shown {
    pub(crate) fn of(drives: &[Drive]) -> Self {
        let mut shown = Self::default();
        for drive in drives {
            match key(&drive.serial) {
                Some(serial) => shown.serials.push(serial),
                None => shown.unknown = true,
            }
            shown.names.extend(drive.wwn.known().map(|wwn| wwn.to_ascii_lowercase()));
        }
        shown
    }

    /// By serial number or World Wide Name. Where the tool says that the system sees the drive (`exposed`), a serial number that is the beginning of the
    /// other counts too: SCSI INQUIRY has room for 8 characters of 20.
    pub(crate) fn sight(&self, serial: Option<&str>, wwn: Option<&str>, exposed: bool) -> Sight {
        const LEAST: usize = 8;
        let serial = serial.map(|serial| serial.trim().to_ascii_uppercase()).filter(|serial| !serial.is_empty());
        let known = serial.as_ref().is_some_and(|serial| self.serials.contains(serial));
        if known || wwn.is_some_and(|wwn| self.names.iter().any(|name| name == wwn)) {
            return Sight::Shown;
        }
        if !exposed {
            return Sight::Hidden;
        }
        let Some(serial) = serial else { return Sight::Untold };
        let alike = |other: &String| {
            other.len().min(serial.len()) >= LEAST && (other.starts_with(&serial) || serial.starts_with(other.as_str()))
        };
        match (self.serials.iter().any(alike), self.unknown) {
            (true, _) => Sight::Shown,
            (false, true) => Sight::Untold,
            (false, false) => Sight::Hidden,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::{ErrorId, SourceId};
    use crate::units::Bytes;

    fn known(text: &str) -> Reading<String> {
        Reading::Known(text.to_owned())
    }

    fn drive(name: &str, serial: Reading<String>) -> HiddenDrive {
        HiddenDrive { name: known(name), serial, ..HiddenDrive::default() }
    }

    #[test]
    fn one_drive_of_two_tools() {
        let mut maker = drive("/c0/e252/s4", known("S1"));
        maker.state = known("Onln");
        maker.volume = known("/c0/v0");
        maker.slot = known("4");
        maker.model = Reading::Unreadable(ErrorId(1));
        maker.bytes = Reading::Known(Bytes(1));
        maker.health.interface = known("storcli64");
        maker.health.passed = Reading::Known(true);
        let mut smart = drive("/dev/bus/0 megaraid,5", known(" s1 "));
        smart.slot = Reading::Absent;
        smart.model = known("M");
        smart.sources.set("model", SourceId(7));
        smart.bytes = Reading::Known(Bytes(2));
        smart.health.interface = known("megaraid,5");
        smart.health.passed = Reading::Known(false);
        smart.health.media_errors = Reading::Known(3);

        let merged = merge(vec![maker.clone()], vec![smart.clone()]);
        let [one] = &merged[..] else { panic!("{merged:?}") };
        assert_eq!((&one.name, &one.slot), (&known("/c0/e252/s4"), &known("4")));
        assert_eq!((&one.state, &one.volume), (&known("Onln"), &known("/c0/v0")));
        assert_eq!((&one.model, one.sources.get("model")), (&known("M"), Some(SourceId(7))));
        assert_eq!(one.bytes, Reading::Known(Bytes(1)));
        assert_eq!((&one.health.interface, &one.health.passed), (&known("megaraid,5"), &Reading::Known(false)));
        assert_eq!(one.health.media_errors, Reading::Known(3));

        // One that smartctl could not ask keeps what the maker's tool told.
        smart.health.passed = Reading::Unreadable(ErrorId(2));
        let merged = merge(vec![maker.clone()], vec![smart.clone()]);
        assert_eq!(
            (&merged[0].health.interface, &merged[0].health.passed),
            (&known("storcli64"), &Reading::Known(true))
        );
        // One that sleeps was asked.
        smart.health.standby = Reading::Known(true);
        assert_eq!(merge(vec![maker], vec![smart])[0].health.interface, known("megaraid,5"));
    }

    #[test]
    fn drives_of_one_tool_alone() {
        let smart = drive("/dev/bus/0 megaraid,6", known("S2"));
        let unknown = drive("/dev/bus/0 megaraid,7", Reading::Unreadable(ErrorId(3)));
        let maker = drive("/c0/e252/s5", Reading::Unreadable(ErrorId(4)));
        let merged = merge(vec![maker.clone()], vec![smart.clone(), unknown]);
        let names: Vec<_> = merged.iter().map(|drive| drive.name.known().unwrap().as_str()).collect();
        assert_eq!(names, ["/c0/e252/s5", "/dev/bus/0 megaraid,6", "/dev/bus/0 megaraid,7"]);
        // What only the maker's tool could tell is absent of the others, and stays as it was of its own.
        assert_eq!((&merged[1].state, &merged[1].other_error_count), (&Reading::Absent, &Reading::Absent));
        assert!(merged[0].state.is_not_collected());
        assert_eq!(merge(vec![maker.clone()], Vec::new()), [maker]);
        assert!(merge(Vec::new(), Vec::new()).is_empty());
        assert_eq!(merge(Vec::new(), vec![smart])[0].volume, Reading::Absent);
    }

    #[test]
    fn an_empty_serial_number_joins_nothing() {
        let merged = merge(vec![drive("a", known(" "))], vec![drive("b", known(""))]);
        assert_eq!(merged.len(), 2);
    }

    fn kernel(serial: Reading<String>, wwn: &str) -> Drive {
        Drive { serial, wwn: known(wwn), ..Drive::default() }
    }

    #[test]
    fn what_the_kernel_shows_is_not_hidden() {
        let shown = Shown::of(&[kernel(known("WP00PXQ70000E242438M"), "5000c500ef71fdc3"), kernel(known("ABC"), "x")]);
        assert_eq!(shown.sight(Some("wp00pxq70000e242438m "), None, false), Sight::Shown);
        assert_eq!(shown.sight(Some("OTHER"), Some("5000c500ef71fdc3"), false), Sight::Shown);
        assert_eq!(shown.sight(Some("OTHER"), None, false), Sight::Hidden);
        assert_eq!(shown.sight(None, None, false), Sight::Hidden);
        // The beginning of a serial number counts where the tool says that the drive is exposed, and is long enough.
        assert_eq!(shown.sight(Some("WP00PXQ7"), None, true), Sight::Shown);
        assert_eq!(shown.sight(Some("WP00PXQ7"), None, false), Sight::Hidden);
        assert_eq!(shown.sight(Some("WP00"), None, true), Sight::Hidden);
        assert_eq!(shown.sight(None, None, true), Sight::Untold);
        let unsure = Shown::of(&[kernel(Reading::Unreadable(ErrorId(0)), "x")]);
        assert_eq!(unsure.sight(Some("S1"), None, true), Sight::Untold);
        assert_eq!(unsure.sight(Some("S1"), None, false), Sight::Hidden);
    }
}
