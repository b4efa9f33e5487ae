//! Log pages: health, errors, firmware slots, self-tests, endurance groups; from laid-out bytes to facts.

use super::identify::bytes;
use super::layout::{EnduranceGroupLog, ErrorLogEntry, FirmwareSlots, IdentifyController, SelfTestLog, SmartLog};
use super::structure::Structure;
use crate::collect::ledger::Ledger;
use crate::inventory::health::{Health, SelfTest};
use crate::inventory::nvme::{EnduranceGroup, ErrorEntry, Firmware};
use crate::units::{Bytes, Celsius, Ratio, Seconds};
use zerocopy::FromBytes;

/// Critical Warning of the SMART / Health log, by bit.
const CRITICAL_WARNINGS: [&str; 8] = [
    "available-spare",
    "temperature",
    "reliability-degraded",
    "read-only",
    "volatile-memory-backup-failed",
    "persistent-memory-read-only",
    "reserved-6",
    "reserved-7",
];

/// Critical Warning of an endurance group, by bit.
const GROUP_WARNINGS: [&str; 8] = [
    "available-spare",
    "reserved-1",
    "reliability-degraded",
    "read-only",
    "reserved-4",
    "reserved-5",
    "reserved-6",
    "reserved-7",
];

/// Set bits of Critical Warning, in words.
pub(crate) fn critical_warnings(byte: u8) -> Vec<String> {
    warnings(byte, &CRITICAL_WARNINGS)
}

fn warnings(byte: u8, words: &[&str; 8]) -> Vec<String> {
    words.iter().enumerate().filter(|(bit, _)| byte >> bit & 1 == 1).map(|(_, word)| (*word).to_owned()).collect()
}

/// A temperature in kelvin, 0 of which is "not reported". No drive is as hot as 500 K, nor does one work below 173 K.
pub(super) fn kelvin(value: u16) -> Result<Option<Celsius>, String> {
    match value {
        0 => Ok(None),
        173..=500 => Ok(Some(Celsius(f64::from(value) - 273.0))),
        _ => Err(format!("a temperature of {value} K")),
    }
}

/// A share in percent that cannot be more than all.
fn percent(value: u8) -> Result<Option<Ratio>, String> {
    if value > 100 { Err(format!("{value} % of a whole")) } else { Ok(Some(Ratio(f64::from(value) / 100.0))) }
}

fn count(value: u128) -> Result<Option<u64>, String> {
    u64::try_from(value).map(Some).map_err(|_| format!("a count of {value}"))
}

fn data_units(value: u128) -> Result<Option<Bytes>, String> {
    value.checked_mul(512_000).ok_or_else(|| format!("{value} data units")).and_then(bytes).map(Some)
}

fn minutes(value: u32) -> Result<Option<Seconds>, String> {
    Ok(Some(Seconds(f64::from(value) * 60.0)))
}

/// Fills what the SMART / Health log and Identify Controller tell of a drive's health.
pub(super) fn health(
    ledger: &Ledger<'_>,
    smart: &Structure<'_, SmartLog>,
    identify: &Structure<'_, IdentifyController>,
    health: &mut Health,
) {
    macro_rules! field {
        ($told:ident, $field:ident, $parse:expr) => {
            set!(health.$field, $told.field(ledger, $parse))
        };
    }
    field!(smart, passed, |s| Ok(Some(s.critical_warning == 0)));
    field!(smart, critical_warnings, |s| Ok(Some(critical_warnings(s.critical_warning))));
    field!(smart, temperature, |s| kelvin(s.composite_temperature.get()));
    field!(identify, temperature_warning, |c| kelvin(c.wctemp.get()));
    field!(identify, temperature_critical, |c| kelvin(c.cctemp.get()));
    field!(smart, warning_temperature_time, |s| minutes(s.warning_temperature_minutes.get()));
    field!(smart, critical_temperature_time, |s| minutes(s.critical_temperature_minutes.get()));
    field!(smart, available_spare, |s| percent(s.available_spare));
    field!(smart, available_spare_threshold, |s| percent(s.available_spare_threshold));
    field!(smart, percentage_used, |s| Ok(Some(Ratio(f64::from(s.percentage_used) / 100.0))));
    field!(smart, media_errors, |s| count(s.media_errors.get()));
    field!(smart, error_log_entries, |s| count(s.error_log_entries.get()));
    field!(smart, power_on_time, |s| Ok(count(s.power_on_hours.get())?.map(|hours| Seconds(hours as f64 * 3600.0))));
    field!(smart, power_cycles, |s| count(s.power_cycles.get()));
    field!(smart, unsafe_shutdowns, |s| count(s.unsafe_shutdowns.get()));
    field!(smart, written, |s| data_units(s.data_units_written.get()));
    field!(smart, read, |s| data_units(s.data_units_read.get()));
}

/// How the newest self-test ended: result 0, the newest that was recorded. Bits 3:0 of its status.
pub(super) fn newest_self_test(log: &SelfTestLog) -> Result<Option<SelfTest>, String> {
    match log.current & 0xf {
        0 => {}
        // Short, extended, vendor specific.
        1 | 2 | 0xe => return Ok(Some(SelfTest::Running)),
        other => return Err(format!("the reserved self-test {other} is under way")),
    }
    match log.results.first().map(|result| result.status & 0xf) {
        None | Some(0xf) => Ok(None),
        Some(0) => Ok(Some(SelfTest::Passed)),
        Some(1..=4 | 8 | 9) => Ok(Some(SelfTest::Aborted)),
        Some(5..=7) => Ok(Some(SelfTest::Failed)),
        Some(other) => Err(format!("the reserved self-test result {other}")),
    }
}

/// How many of the recorded self-tests failed: a fatal error, or a segment that failed.
pub(super) fn failed_self_tests(log: &SelfTestLog) -> u64 {
    log.results.iter().filter(|result| matches!(result.status & 0xf, 5..=7)).count() as u64
}

/// A revision in a slot; an empty slot is all zero.
fn revision(bytes: &[u8; 8]) -> Result<Option<String>, String> {
    if bytes.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    if !bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return Err("a firmware revision that is not ASCII".to_owned());
    }
    let revision = String::from_utf8_lossy(bytes).trim().to_owned();
    Ok((!revision.is_empty()).then_some(revision))
}

/// Fills what Firmware Slot Information tells.
pub(super) fn firmware(ledger: &Ledger<'_>, told: &Structure<'_, FirmwareSlots>) -> Firmware {
    let mut firmware = Firmware::default();
    set!(
        firmware.active_slot,
        told.field(ledger, |log| match log.afi & 7 {
            0 => Err("no firmware slot is active".to_owned()),
            slot => Ok(Some(slot.into())),
        })
    );
    set!(
        firmware.next_slot,
        told.field(ledger, |log| Ok((log.afi >> 4 & 7 != 0).then_some((log.afi >> 4 & 7).into())))
    );
    set!(
        firmware.slots,
        told.field(ledger, |log| {
            let mut slots = Vec::new();
            for (index, bytes) in log.frs.iter().enumerate() {
                if let Some(revision) = revision(bytes)? {
                    slots.push(format!("{}: {revision}", index + 1));
                }
            }
            Ok(Some(slots))
        })
    );
    firmware
}

/// Entries of the error log, newest first; one with error count 0 was never written.
pub(super) fn errors(ledger: &Ledger<'_>, told: &Structure<'_, ErrorLogEntry>, log: &[u8]) -> Vec<ErrorEntry> {
    let entries = log.chunks_exact(64).filter_map(|entry| ErrorLogEntry::ref_from_bytes(entry).ok());
    let written = entries.filter(|entry| entry.error_count.get() != 0);
    let entries = written.map(|entry| {
        let mut record = ErrorEntry::default();
        let status = entry.status.get() >> 1;
        macro_rules! field {
            ($field:ident, $value:expr) => {
                set!(record.$field, told.field(ledger, |_| Ok($value)))
            };
        }
        field!(error_count, Some(entry.error_count.get()));
        let queue = entry.sqid.get();
        field!(submission_queue, (queue != 0xffff).then_some(queue.into()));
        field!(status, Some(format!("{:x}/{:02x}", status >> 8 & 7, status & 0xff)));
        // The admin queue's commands are not about blocks.
        field!(lba, (queue != 0 && queue != 0xffff).then_some(entry.lba.get()));
        let nsid = entry.nsid.get();
        field!(nsid, (nsid != 0 && nsid != u32::MAX).then_some(nsid.into()));
        record
    });
    entries.collect()
}

/// Fills what Endurance Group Information tells.
pub(super) fn endurance_group(ledger: &Ledger<'_>, told: &Structure<'_, EnduranceGroupLog>, id: u16) -> EnduranceGroup {
    let mut group = EnduranceGroup::default();
    macro_rules! field {
        ($field:ident, $parse:expr) => {
            set!(group.$field, told.field(ledger, $parse))
        };
    }
    field!(id, |_| Ok(Some(u64::from(id))));
    field!(critical_warnings, |g| Ok(Some(warnings(g.critical_warning, &GROUP_WARNINGS))));
    field!(available_spare, |g| percent(g.available_spare));
    field!(available_spare_threshold, |g| percent(g.available_spare_threshold));
    field!(percentage_used, |g| Ok(Some(Ratio(f64::from(g.percentage_used) / 100.0))));
    field!(media_errors, |g| count(g.media_errors.get()));
    field!(media_written, |g| match g.media_units_written.get() {
        0 => Ok(None),
        // Billions of bytes.
        units => units.checked_mul(1_000_000_000).ok_or_else(|| format!("{units} units")).and_then(bytes).map(Some),
    });
    field!(capacity, |g| match g.tegcap.get() {
        0 => Ok(None),
        capacity => bytes(capacity).map(Some),
    });
    group
}
