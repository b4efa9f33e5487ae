//! From what a tool told to readings, each with its source or the reason why it is not known.

use super::report::{Controller, Drive, Told, Volume};
use crate::collect::ledger::{Ledger, Read};
use crate::inventory::health::Health;
use crate::inventory::hidden::HiddenDrive;
use crate::inventory::raid::{RaidController, RaidVolume};
use crate::reading::{ErrorId, ErrorKind, Reading, SourceId};
use crate::units::{BitsPerSec, Bytes, Celsius, Ratio};

/// One tool's output, from which facts are read.
pub(super) struct Output<'l, 'h> {
    pub(super) ledger: &'l Ledger<'h>,
    pub(super) program: &'static str,
    pub(super) source: SourceId,
    /// Why details are not told, where a question about them was not answered.
    pub(super) unanswered: Option<ErrorId>,
}

impl Output<'_, '_> {
    fn read<T>(&self, told: Told<T>, what: &str) -> Read<T> {
        let reading = match told {
            Told::Value(value) => Reading::Known(value),
            Told::Nothing => Reading::Absent,
            Told::Untold => Reading::Unreadable(self.unanswered.unwrap_or_else(|| {
                let operation = format!("read the {what} in the output of {}", self.program);
                self.ledger.error(operation, ErrorKind::NotSupported, "it does not tell")
            })),
            Told::Wrong(cause) => {
                self.ledger.malformed(&format!("the {what} in the output of {}", self.program), cause)
            }
        };
        Read { reading, source: self.source }
    }

    fn known<T>(&self, value: T) -> Read<T> {
        Read { reading: Reading::Known(value), source: self.source }
    }

    /// The facts of a controller.
    pub(super) fn controller(&self, told: &Controller) -> RaidController {
        let told = told.clone();
        let mut record = RaidController::default();
        let percent = |told: Told<u64>| told.and_then(|percent| Told::Value(Ratio(percent as f64 / 100.0)));
        set!(record.tool, self.known(self.program.to_owned()));
        set!(record.name, self.known(told.name));
        set!(record.personality, self.read(told.personality, "personality"));
        set!(record.status, self.read(told.status, "status of the controller"));
        set!(record.firmware_package, self.read(told.firmware_package, "firmware package"));
        set!(record.battery, self.read(told.battery, "state of the battery"));
        set!(record.battery_model, self.read(told.battery_model, "model of the battery"));
        set!(record.memory, self.read(told.memory, "memory of the controller").map(Bytes));
        set!(record.rebuild_rate, self.read(percent(told.rebuild_rate), "rebuild rate"));
        set!(record.patrol_read_rate, self.read(percent(told.patrol_read_rate), "patrol read rate"));
        let errors = "errors of the controller's memory";
        set!(record.memory_correctable_errors, self.read(told.memory_correctable_errors, errors));
        set!(record.memory_uncorrectable_errors, self.read(told.memory_uncorrectable_errors, errors));
        let temperature = self.read(told.temperature, "temperature of the controller");
        set!(record.temperature, temperature.map(|degrees| Celsius(degrees as f64)));
        record
    }

    /// One volume.
    pub(super) fn volume(&self, controller: &str, told: Volume) -> RaidVolume {
        let mut record = RaidVolume::default();
        set!(record.name, self.known(told.name));
        set!(record.label, self.read(told.label, "name of a volume"));
        set!(record.controller, self.known(controller.to_owned()));
        set!(record.level, self.read(told.level, "RAID level"));
        set!(record.bytes, self.read(told.bytes, "size of a volume").map(Bytes));
        set!(record.state, self.read(told.state, "state of a volume"));
        set!(record.block_device, self.read(told.block_device, "block device of a volume"));
        set!(record.drives, self.read(told.drives, "drives of a volume"));
        set!(record.write_policy, self.read(told.write_policy, "write policy"));
        set!(record.read_ahead, self.read(told.read_ahead, "read policy"));
        set!(record.drive_cache, self.read(told.drive_cache, "policy for the drives' cache"));
        record
    }

    /// One physical drive.
    pub(super) fn drive(&self, controller: &str, told: Drive) -> HiddenDrive {
        let mut record = HiddenDrive { health: self.health(&told), ..HiddenDrive::default() };
        set!(record.name, self.known(told.name));
        set!(record.controller, self.known(controller.to_owned()));
        set!(record.enclosure, self.read(told.enclosure, "enclosure of a drive"));
        set!(record.slot, self.read(told.slot, "slot of a drive"));
        set!(record.model, self.read(told.model, "model of a drive"));
        set!(record.serial, self.read(told.serial, "serial number of a drive"));
        set!(record.firmware, self.read(told.firmware, "firmware of a drive"));
        set!(record.bytes, self.read(told.bytes, "size of a drive").map(Bytes));
        set!(record.media, self.read(told.media, "medium of a drive"));
        set!(record.transport, self.read(told.transport, "interface of a drive"));
        set!(record.state, self.read(told.state, "state of a drive"));
        set!(record.volume, self.read(told.volume, "volume of a drive"));
        set!(record.media_error_count, self.read(told.media_error_count, "media errors of a drive"));
        set!(record.other_error_count, self.read(told.other_error_count, "other errors of a drive"));
        let predicted = "predictions of failure of a drive";
        set!(record.predictive_failure_count, self.read(told.predictive_failure_count, predicted));
        record
    }

    /// The little that such a tool tells of a drive's health.
    fn health(&self, told: &Drive) -> Health {
        let mut health = unasked(
            self.source,
            self.ledger.error(
                format!("read more of the drives' health in the output of {}", self.program),
                ErrorKind::NotSupported,
                "it does not tell; smartctl may",
            ),
        );
        set!(health.interface, self.known(self.program.to_owned()));
        let passed = told.alert.clone().and_then(|alert| Told::Value(!alert));
        set!(health.passed, self.read(passed, "SMART alert of a drive"));
        let temperature = self.read(told.temperature.clone(), "temperature of a drive");
        set!(health.temperature, temperature.map(|degrees| Celsius(degrees as f64)));
        if let Told::Value(errors) = told.media_error_count {
            set!(health.media_errors, self.known(errors));
        }
        set!(health.link_speed, self.read(told.link_speed.clone(), "link speed of a drive").map(BitsPerSec));
        let fastest = self.read(told.max_link_speed.clone(), "fastest link speed of a drive");
        set!(health.max_link_speed, fastest.map(BitsPerSec));
        set!(health.not_asked, self.known(Vec::new()));
        set!(health.smartctl_signs, Read { reading: Reading::Absent, source: self.source });
        health
    }
}

/// Health of which nothing is known for one reason.
fn unasked(source: SourceId, error: ErrorId) -> Health {
    let mut health = Health::default();
    macro_rules! unreadable {
        ($($field:ident),* $(,)?) => {
            $( set!(health.$field, Read { reading: Reading::Unreadable(error), source }); )*
        };
    }
    unreadable!(
        critical_warnings,
        temperature_warning,
        temperature_critical,
        warning_temperature_time,
        critical_temperature_time,
        available_spare,
        available_spare_threshold,
        percentage_used,
        media_errors,
        reallocated_sectors,
        pending_sectors,
        offline_uncorrectable,
        grown_defects,
        interface_crc_errors,
        non_medium_errors,
        attributes_failing,
        attributes_failed_before,
        error_log_entries,
        self_test,
        self_test_failures,
        power_on_time,
        power_cycles,
        unsafe_shutdowns,
        written,
        read,
        write_cache,
        standby,
    );
    health
}

/// The facts of a controller of which nothing is told, or which has no such tool.
pub(super) fn blank(reading: &Reading<()>, source: SourceId) -> RaidController {
    let mut record = RaidController::default();
    fn none<T>(reading: &Reading<()>) -> Reading<T> {
        match reading {
            Reading::Unreadable(error) => Reading::Unreadable(*error),
            Reading::Known(()) | Reading::Absent => Reading::Absent,
        }
    }
    macro_rules! fill {
        ($($field:ident),* $(,)?) => {
            $( set!(record.$field, Read { reading: none(reading), source }); )*
        };
    }
    fill!(
        tool,
        name,
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
    record
}
