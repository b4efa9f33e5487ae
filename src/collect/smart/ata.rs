//! Health of an ATA drive: attributes by number and name, Device Statistics, SCT and the logs.
//!
//! ACS-4 (T13/BSR INCITS 529) for Device Statistics and self-test results. Attributes are vendor specific: a number counts only under a name that
//! says what it counts, as smartctl's database of drives has it.

use super::told::{Told, natural, percent, times};
use crate::inventory::health::{Health, SelfTest};
use crate::units::{BitsPerSec, Bytes, Ratio, Seconds};
use serde_json::Value;

/// Attributes whose normalised value is the percentage of life that is left, by the name that smartctl's database gives.
const LIFE_LEFT: [&str; 7] = [
    "Media_Wearout_Indicator",
    "SSD_Life_Left",
    "Percent_Lifetime_Remain",
    "Percent_Life_Remaining",
    "Remaining_Lifetime_Perc",
    "Wear_Leveling_Count",
    "Lifetime_Remaining%",
];
/// Words in the name of an attribute that counts losses of power without warning.
const POWER_LOSS: [&str; 5] = ["unexpect", "unsafe_shutdown", "unclean_shutdown", "sudden_power", "power_loss"];

/// Fills the facts of an ATA drive.
pub(super) fn fill(told: &Told<'_, '_>, health: &mut Health) {
    let rotating = told.at("/rotation_rate").and_then(Value::as_u64).is_some_and(|rate| rate > 0);
    macro_rules! field {
        ($field:ident, $parsed:expr) => {
            set!(health.$field, told.fact($parsed))
        };
    }
    set!(health.passed, told.passed());
    field!(temperature, told.degrees(&["/temperature/current"]));
    field!(temperature_warning, told.degrees(&["/temperature/op_limit_max"]));
    field!(temperature_critical, told.degrees(&["/temperature/limit_max"]));
    set!(health.percentage_used, if rotating { told.without() } else { told.fact(used(told)) });
    field!(media_errors, counted(told, 187, &["uncorrect"], Some((4, 0x08))));
    field!(reallocated_sectors, counted(told, 5, &["alloc", "retired", "bad_block", "reassign"], Some((3, 0x20))));
    field!(pending_sectors, pending(told));
    field!(offline_uncorrectable, counted(told, 198, &["uncorrect"], None));
    field!(interface_crc_errors, counted(told, 199, &["crc"], Some((6, 0x18))));
    field!(unsafe_shutdowns, unsafe_shutdowns(told));
    field!(attributes_failing, when_failed(told, "now"));
    field!(attributes_failed_before, when_failed(told, "past"));
    field!(
        error_log_entries,
        told.first_count(&["/ata_smart_error_log/extended/count", "/ata_smart_error_log/summary/count"])
    );
    field!(self_test, newest_self_test(told));
    field!(self_test_failures, failed_self_tests(told));
    field!(power_on_time, told.power_on_seconds().map(|time| time.map(Seconds)));
    field!(power_cycles, told.count("/power_cycle_count"));
    field!(written, sectors(told, 0x18));
    field!(read, sectors(told, 0x28));
    field!(write_cache, told.flag("/write_cache/enabled"));
    field!(link_speed, speed(told, "current"));
    field!(max_link_speed, speed(told, "max"));
    macro_rules! absent {
        ($($field:ident),*) => {
            $( set!(health.$field, told.without()); )*
        };
    }
    absent!(
        critical_warnings,
        warning_temperature_time,
        critical_temperature_time,
        available_spare,
        available_spare_threshold,
        grown_defects,
        non_medium_errors
    );
}

/// The attribute of a number, if the drive has it.
fn attribute<'t>(told: &'t Told<'_, '_>, id: u64) -> Option<&'t Value> {
    let table = told.at("/ata_smart_attributes/table")?.as_array()?;
    table.iter().find(|attribute| attribute.get("id").and_then(Value::as_u64) == Some(id))
}

fn name(attribute: &Value) -> String {
    attribute.get("name").and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase()
}

/// The raw value as smartctl reads it: the leading number of its text, for several values may be packed into the 48 bits ("0 (0 7)").
fn raw(attribute: &Value) -> Result<Option<u64>, String> {
    let Some(raw) = attribute.get("raw") else { return Ok(None) };
    let text = raw.get("string").and_then(Value::as_str).unwrap_or_default().trim();
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    let ends = text.chars().nth(digits.len()).is_none_or(char::is_whitespace);
    if !digits.is_empty() && ends {
        return digits.parse().map(Some).map_err(|_| format!("an attribute's raw value is {text:?}"));
    }
    raw.get("value").map(|value| natural(value, "an attribute's raw value")).transpose()
}

/// A value of Device Statistics that the drive says is valid.
fn statistic(told: &Told<'_, '_>, page: u64, offset: u64) -> Result<Option<u64>, String> {
    let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_u64);
    let pages = told.at("/ata_device_statistics/pages").and_then(Value::as_array);
    let page = pages.and_then(|pages| pages.iter().find(|found| number(found, "number") == Some(page)));
    let table = page.and_then(|page| page.get("table")).and_then(Value::as_array);
    let entry = table.and_then(|table| table.iter().find(|entry| number(entry, "offset") == Some(offset)));
    let valid = |entry: &&Value| entry.pointer("/flags/valid").and_then(Value::as_bool) == Some(true);
    let Some(entry) = entry.filter(valid) else { return Ok(None) };
    entry.get("value").map(|value| natural(value, "a device statistic")).transpose()
}

/// A counter: the attribute of that number if its name says that it is this counter, else the statistic (page, offset).
fn counted(told: &Told<'_, '_>, id: u64, words: &[&str], fallback: Option<(u64, u64)>) -> Result<Option<u64>, String> {
    if let Some(attribute) = attribute(told, id) {
        let name = name(attribute);
        if words.iter().any(|word| name.contains(word)) {
            return raw(attribute);
        }
    }
    fallback.map_or(Ok(None), |(page, offset)| statistic(told, page, offset))
}

fn pending(told: &Told<'_, '_>) -> Result<Option<u64>, String> {
    match counted(told, 197, &["pending", "unstable"], None)? {
        Some(count) => Ok(Some(count)),
        None => told.count("/ata_pending_defects_log/count"),
    }
}

fn unsafe_shutdowns(told: &Told<'_, '_>) -> Result<Option<u64>, String> {
    match counted(told, 174, &POWER_LOSS, None)? {
        Some(count) => Ok(Some(count)),
        None => counted(told, 192, &POWER_LOSS, None),
    }
}

/// Endurance used: Device Statistics page 07h, offset 8, else what smartctl makes of it, else an attribute of life left.
fn used(told: &Told<'_, '_>) -> Result<Option<Ratio>, String> {
    if let Some(used) = statistic(told, 7, 8)? {
        return Ok(Some(percent(used)));
    }
    if let Some(used) = told.count("/endurance_used/current_percent")? {
        return Ok(Some(percent(used)));
    }
    let table = told.at("/ata_smart_attributes/table").and_then(Value::as_array);
    let named = |wanted: &&str| {
        let mut table = table?.iter();
        table.find(|attribute| attribute.get("name").and_then(Value::as_str) == Some(wanted))
    };
    let Some(attribute) = LIFE_LEFT.iter().find_map(named) else { return Ok(None) };
    let left = attribute.get("value").map(|value| natural(value, "an attribute's value")).transpose()?;
    // Above 100 it does not count percent.
    Ok(left.filter(|left| *left <= 100).map(|left| percent(100 - left)))
}

fn when_failed(told: &Told<'_, '_>, when: &str) -> Result<Option<Vec<String>>, String> {
    let Some(table) = told.at("/ata_smart_attributes/table") else { return Ok(None) };
    let table = table.as_array().ok_or_else(|| "the table of attributes is no list".to_owned())?;
    let failed = table.iter().filter(|entry| entry.get("when_failed").and_then(Value::as_str) == Some(when));
    let shown = failed.map(|attribute| {
        let id = attribute.get("id").and_then(Value::as_u64).unwrap_or_default();
        format!("{id} {}", attribute.get("name").and_then(Value::as_str).unwrap_or_default()).trim().to_owned()
    });
    Ok(Some(shown.collect()))
}

/// The log of self-tests that is there: extended, else standard.
fn self_test_log<'t>(told: &'t Told<'_, '_>) -> Option<&'t Value> {
    told.at("/ata_smart_self_test_log/extended").or_else(|| told.at("/ata_smart_self_test_log/standard"))
}

/// Self-test execution status, bits 7:4 (ACS-4, "Self-test execution status byte values").
fn self_test(status: u64) -> Result<SelfTest, String> {
    match status >> 4 {
        0 => Ok(SelfTest::Passed),
        1 | 2 => Ok(SelfTest::Aborted),
        3..=8 => Ok(SelfTest::Failed),
        15 => Ok(SelfTest::Running),
        other => Err(format!("the reserved self-test status {other}")),
    }
}

fn newest_self_test(told: &Told<'_, '_>) -> Result<Option<SelfTest>, String> {
    let now = told.count("/ata_smart_data/self_test/status/value")?;
    if now.is_some_and(|status| status >> 4 == 15) {
        return Ok(Some(SelfTest::Running));
    }
    let newest = self_test_log(told).and_then(|log| log.pointer("/table/0/status/value"));
    newest.map(|status| natural(status, "a self-test's status").and_then(self_test)).transpose()
}

fn failed_self_tests(told: &Told<'_, '_>) -> Result<Option<u64>, String> {
    let Some(log) = self_test_log(told) else { return Ok(None) };
    if let Some(count) = log.get("error_count_total") {
        return natural(count, "error_count_total").map(Some);
    }
    let table = log.get("table").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let failed = |entry: &&Value| entry.pointer("/status/passed").and_then(Value::as_bool) == Some(false);
    Ok(Some(table.iter().filter(failed).count() as u64))
}

/// Logical sectors of Device Statistics page 01h in bytes.
fn sectors(told: &Told<'_, '_>, offset: u64) -> Result<Option<Bytes>, String> {
    let Some(sectors) = statistic(told, 1, offset)? else { return Ok(None) };
    let Some(size) = told.count("/logical_block_size")? else {
        return Err("sectors are counted and their size is not told".to_owned());
    };
    times(sectors, size).map(Some)
}

fn speed(told: &Told<'_, '_>, which: &str) -> Result<Option<BitsPerSec>, String> {
    let units = told.count(&format!("/interface_speed/{which}/units_per_second"))?;
    let bits = told.count(&format!("/interface_speed/{which}/bits_per_unit"))?;
    let Some((units, bits)) = units.zip(bits) else { return Ok(None) };
    units.checked_mul(bits).map(|speed| Some(BitsPerSec(speed))).ok_or_else(|| format!("{units} times {bits} bit/s"))
}
