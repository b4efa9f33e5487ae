//! Health of a SCSI drive: its log pages, the grown defect list and its self-tests.
//!
//! SPC-6 for self-test results (log page 10h), SBC-4 for error counters (02h, 03h, 05h) and endurance (11h), as smartctl prints them.

use super::told::{Told, natural, percent, times};
use crate::inventory::health::{Health, SelfTest};
use crate::units::{BitsPerSec, Bytes, Seconds};
use serde_json::Value;

/// Fills the facts of a SCSI drive, but for the write cache, of which smartctl prints no JSON.
pub(super) fn fill(told: &Told<'_, '_>, health: &mut Health) {
    macro_rules! field {
        ($field:ident, $parsed:expr) => {
            set!(health.$field, told.fact($parsed))
        };
    }
    set!(health.passed, told.passed());
    field!(temperature, told.degrees(&["/temperature/current"]));
    field!(temperature_critical, told.degrees(&["/temperature/drive_trip", "/scsi_temperature/drive_trip"]));
    field!(percentage_used, told.count("/scsi_percentage_used_endurance_indicator").map(|used| used.map(percent)));
    field!(media_errors, uncorrected(told));
    field!(pending_sectors, told.count("/scsi_pending_defects/count"));
    set!(
        health.grown_defects,
        match told.at("/scsi_grown_defect_list") {
            Some(Value::String(_)) | None => told.untold("smartctl could not read the grown defect list"),
            Some(_) => told.fact(told.count("/scsi_grown_defect_list")),
        }
    );
    set!(
        health.non_medium_errors,
        match told.first_count(&["/scsi_error_counter_log/non_medium_error_count", "/scsi_non_medium_error_count"]) {
            Ok(None) => told.untold("this version of smartctl prints no JSON of it"),
            parsed => told.fact(parsed),
        }
    );
    field!(self_test, newest_self_test(told));
    field!(self_test_failures, failed_self_tests(told));
    field!(power_on_time, told.power_on_seconds().map(|time| time.map(Seconds)));
    field!(power_cycles, told.count("/scsi_start_stop_cycle_counter/accumulated_start_stop_cycles"));
    field!(written, processed(told, "write"));
    field!(read, processed(told, "read"));
    field!(link_speed, link_speed(told));
    set!(health.max_link_speed, told.untold("smartctl does not tell the fastest rate of a SAS port"));
    macro_rules! absent {
        ($($field:ident),*) => {
            $( set!(health.$field, told.without()); )*
        };
    }
    absent!(
        critical_warnings,
        temperature_warning,
        warning_temperature_time,
        critical_temperature_time,
        available_spare,
        available_spare_threshold,
        reallocated_sectors,
        offline_uncorrectable,
        interface_crc_errors,
        attributes_failing,
        attributes_failed_before,
        error_log_entries,
        unsafe_shutdowns
    );
}

/// Total uncorrected errors of the read, write and verify pages that the drive has.
fn uncorrected(told: &Told<'_, '_>) -> Result<Option<u64>, String> {
    let mut sum = None;
    for page in ["read", "write", "verify"] {
        if let Some(count) = told.count(&format!("/scsi_error_counter_log/{page}/total_uncorrected_errors"))? {
            let so_far: u64 = sum.unwrap_or(0);
            sum = Some(so_far.checked_add(count).ok_or("more uncorrected errors than can be counted")?);
        }
    }
    Ok(sum)
}

/// Gigabytes of 10^9 bytes with three decimals, as text; 0 is what drives print that do not count.
fn processed(told: &Told<'_, '_>, page: &str) -> Result<Option<Bytes>, String> {
    let pointer = format!("/scsi_error_counter_log/{page}/gigabytes_processed");
    let Some(text) = told.word(&pointer) else { return Ok(None) };
    let (whole, thousandths) = text.split_once('.').ok_or_else(|| format!("{pointer} is {text:?}"))?;
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if thousandths.len() != 3 || !digits(thousandths) || !digits(whole) {
        return Err(format!("{pointer} is {text:?}"));
    }
    let megabytes: u64 = format!("{whole}{thousandths}").parse().map_err(|_| format!("{pointer} is {text:?}"))?;
    if megabytes == 0 { Ok(None) } else { times(megabytes, 1_000_000).map(Some) }
}

/// Self-test result, SPC-6 table "SELF-TEST RESULTS field".
fn self_test(result: u64) -> Result<SelfTest, String> {
    match result {
        0 => Ok(SelfTest::Passed),
        1 | 2 => Ok(SelfTest::Aborted),
        3..=7 => Ok(SelfTest::Failed),
        15 => Ok(SelfTest::Running),
        other => Err(format!("the reserved self-test result {other}")),
    }
}

fn newest_self_test(told: &Told<'_, '_>) -> Result<Option<SelfTest>, String> {
    let newest = told.at("/scsi_self_test_0/result/value");
    newest.map(|result| natural(result, "a self-test's result").and_then(self_test)).transpose()
}

fn failed_self_tests(told: &Told<'_, '_>) -> Result<Option<u64>, String> {
    let mut failed = None;
    // The log has twenty places.
    for index in 0..20 {
        let Some(result) = told.at(&format!("/scsi_self_test_{index}/result/value")) else { break };
        let result = natural(result, "a self-test's result").and_then(self_test)?;
        failed = Some(failed.unwrap_or(0) + u64::from(result == SelfTest::Failed));
    }
    Ok(failed)
}

/// The negotiated rate of the first phy on which something hangs, as in "phy enabled; 12 Gbps".
fn link_speed(told: &Told<'_, '_>) -> Result<Option<BitsPerSec>, String> {
    for port in 0..2 {
        for phy in 0..8 {
            let Some(rate) = told.word(&format!("/scsi_sas_port_{port}/phy_{phy}/negotiated_logical_link_rate")) else {
                break;
            };
            let Some(number) = rate.strip_prefix("phy enabled; ").and_then(|rate| rate.strip_suffix(" Gbps")) else {
                continue;
            };
            let speed = match number {
                "1.5" => 1_500_000_000,
                "3" => 3_000_000_000,
                "6" => 6_000_000_000,
                "12" => 12_000_000_000,
                "22.5" => 22_500_000_000,
                _ => return Err(format!("the link rate {rate:?}")),
            };
            return Ok(Some(BitsPerSec(speed)));
        }
    }
    Ok(None)
}
