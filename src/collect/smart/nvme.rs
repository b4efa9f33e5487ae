//! Health of an NVMe drive behind a bridge or a RAID controller, from smartctl's copy of its SMART / Health log.
//!
//! NVM Express Base Specification 2.0, figure "SMART / Health Information Log Page". Drives that the kernel's NVMe driver
//! has are asked by admin commands instead.

use super::told::{Told, natural, percent, times};
use crate::inventory::health::{Health, SelfTest};
use crate::units::Seconds;

const LOG: &str = "/nvme_smart_health_information_log";
/// Newer versions print a "table", 7.4 prints the newest entry first in it.
const TESTS: &str = "/nvme_self_test_log/table";

/// Fills the facts of an NVMe drive.
pub(super) fn fill(told: &Told<'_, '_>, health: &mut Health) {
    let log = |field: &str| format!("{LOG}/{field}");
    macro_rules! field {
        ($field:ident, $parsed:expr) => {
            set!(health.$field, told.fact($parsed))
        };
    }
    let minutes = |field: &str| told.count(&log(field)).map(|count| count.map(|count| Seconds(count as f64 * 60.0)));
    let share = |field: &str| match told.count(&log(field)) {
        Ok(Some(value)) if value > 100 => Err(format!("{field} is {value} % of a whole")),
        other => other.map(|value| value.map(percent)),
    };
    let units = |field: &str| told.count(&log(field))?.map(|count| times(count, 512_000)).transpose();
    set!(health.passed, told.passed());
    field!(critical_warnings, warnings(told));
    field!(temperature, told.degrees(&["/temperature/current", &log("temperature")]));
    field!(temperature_warning, told.degrees(&["/nvme_composite_temperature_threshold/warning"]));
    field!(temperature_critical, told.degrees(&["/nvme_composite_temperature_threshold/critical"]));
    field!(warning_temperature_time, minutes("warning_temp_time"));
    field!(critical_temperature_time, minutes("critical_comp_time"));
    field!(available_spare, share("available_spare"));
    field!(available_spare_threshold, share("available_spare_threshold"));
    field!(percentage_used, told.count(&log("percentage_used")).map(|used| used.map(percent)));
    field!(media_errors, told.count(&log("media_errors")));
    field!(error_log_entries, told.count(&log("num_err_log_entries")));
    field!(self_test, newest_self_test(told));
    field!(self_test_failures, failed_self_tests(told));
    field!(
        power_on_time,
        told.count(&log("power_on_hours")).map(|hours| hours.map(|hours| Seconds(hours as f64 * 3600.0)))
    );
    field!(power_cycles, told.count(&log("power_cycles")));
    field!(unsafe_shutdowns, told.count(&log("unsafe_shutdowns")));
    field!(written, units("data_units_written"));
    field!(read, units("data_units_read"));
    set!(health.write_cache, told.untold("smartctl does not tell whether the volatile write cache is on"));
    macro_rules! absent {
        ($($field:ident),*) => {
            $( set!(health.$field, told.without()); )*
        };
    }
    absent!(
        reallocated_sectors,
        pending_sectors,
        offline_uncorrectable,
        grown_defects,
        interface_crc_errors,
        non_medium_errors,
        attributes_failing,
        attributes_failed_before,
        link_speed,
        max_link_speed
    );
}

fn warnings(told: &Told<'_, '_>) -> Result<Option<Vec<String>>, String> {
    match told.count(&format!("{LOG}/critical_warning"))? {
        Some(value) => match u8::try_from(value) {
            Ok(byte) => Ok(Some(crate::collect::nvme::critical_warnings(byte))),
            Err(_) => Err(format!("critical_warning is {value}")),
        },
        None => Ok(None),
    }
}

/// Bits 3:0 of a self-test's status (Base Specification 2.0, figure "Self-test Result Data Structure").
fn self_test(result: u64) -> Result<Option<SelfTest>, String> {
    match result {
        0 => Ok(Some(SelfTest::Passed)),
        1..=4 | 8 | 9 => Ok(Some(SelfTest::Aborted)),
        5..=7 => Ok(Some(SelfTest::Failed)),
        15 => Ok(None),
        other => Err(format!("the reserved self-test result {other}")),
    }
}

fn newest_self_test(told: &Told<'_, '_>) -> Result<Option<SelfTest>, String> {
    match told.count("/nvme_self_test_log/current_self_test_operation/value")? {
        None | Some(0) => {}
        Some(1 | 2 | 14) => return Ok(Some(SelfTest::Running)),
        Some(other) => return Err(format!("the reserved self-test {other} is under way")),
    }
    told.count(&format!("{TESTS}/0/self_test_result/value"))?.map_or(Ok(None), self_test)
}

fn failed_self_tests(told: &Told<'_, '_>) -> Result<Option<u64>, String> {
    if told.at("/nvme_self_test_log").is_none() {
        return Ok(None);
    }
    let mut failed = 0;
    for index in 0..20 {
        let Some(result) = told.at(&format!("{TESTS}/{index}/self_test_result/value")) else { break };
        let result = natural(result, "a self-test's result").and_then(self_test)?;
        failed += u64::from(result == Some(SelfTest::Failed));
    }
    Ok(Some(failed))
}
