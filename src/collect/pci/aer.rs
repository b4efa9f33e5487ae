//! Advanced Error Reporting: what the kernel counted for one function.
//!
//! `aer_dev_*` of `drivers/pci/pcie/aer.c`: a line for each kind of error, name and count, and a total at the end.

use crate::collect::ledger::{Ledger, Missing, Read};
use crate::inventory::pci::PciFunction;
use crate::reading::Reading;

/// Errors of one severity.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Counters {
    total: u64,
    /// Kinds that have occurred.
    occurred: Vec<String>,
}

/// Reads the three files of a function at `place`.
pub(super) fn read(ledger: &Ledger<'_>, place: &str, record: &mut PciFunction) {
    let file = |severity: &str| ledger.parsed(&format!("{place}/aer_dev_{severity}"), Missing::Absent, parse);
    let (correctable, nonfatal, fatal) = (file("correctable"), file("nonfatal"), file("fatal"));
    let names = ledger.source(format!("{place}/aer_dev_*"));
    let mut occurred = Vec::new();
    let mut reading = Reading::Absent;
    for counters in [&correctable, &nonfatal, &fatal] {
        match &counters.reading {
            Reading::Known(counters) => {
                occurred.extend(counters.occurred.iter().cloned());
                if reading == Reading::Absent {
                    reading = Reading::Known(Vec::new());
                }
            }
            Reading::Absent => {}
            Reading::Unreadable(error) => reading = Reading::Unreadable(*error),
        }
    }
    occurred.sort();
    let reading = reading.map(|_: Vec<String>| occurred);
    set!(record.error_names, Read { reading, source: names });
    set!(record.correctable_errors, correctable.map(|counters| counters.total));
    set!(record.nonfatal_errors, nonfatal.map(|counters| counters.total));
    set!(record.fatal_errors, fatal.map(|counters| counters.total));
}

fn parse(text: &str) -> Result<Counters, String> {
    let mut total = None;
    let mut occurred = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let broken = || format!("no name with a count: {line:?}");
        let (name, count) = line.trim().rsplit_once(' ').ok_or_else(broken)?;
        let count: u64 = count.parse().map_err(|_| broken())?;
        if name.starts_with("TOTAL_ERR_") {
            total = Some(count);
        } else if count > 0 {
            occurred.push(format!("{} {count}", name.trim()));
        }
    }
    let total = total.ok_or("no total")?;
    Ok(Counters { total, occurred })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Entry, HostErrorKind, Question, Replay};

    const PLACE: &str = "/sys/bus/pci/devices/0000:3b:00.0";

    fn files(correctable: &str) -> Replay {
        Replay::complete([
            (format!("{PLACE}/aer_dev_correctable"), Entry::file(correctable)),
            (format!("{PLACE}/aer_dev_nonfatal"), Entry::file("Undefined 0\nCmpltTO 1\nTOTAL_ERR_NONFATAL 1\n")),
            (format!("{PLACE}/aer_dev_fatal"), Entry::file("Undefined 0\nTOTAL_ERR_FATAL 0\n")),
        ])
    }

    fn seen(host: &Replay) -> PciFunction {
        let mut record = PciFunction::default();
        read(&Ledger::new(host), PLACE, &mut record);
        record
    }

    #[test]
    fn totals_and_what_occurred() {
        let record = seen(&files("RxErr 0\nBadTLP 7\nBadDLLP 2\nNonFatalErr 0\nTOTAL_ERR_COR 9\n"));
        assert_eq!((&record.correctable_errors, &record.nonfatal_errors), (&Reading::Known(9), &Reading::Known(1)));
        assert_eq!(record.fatal_errors, Reading::Known(0));
        let expected = ["BadDLLP 2", "BadTLP 7", "CmpltTO 1"].map(str::to_owned).to_vec();
        assert_eq!(record.error_names, Reading::Known(expected));
    }

    #[test]
    fn a_function_without_the_capability_and_garbage() {
        let none = seen(&Replay::complete([(format!("{PLACE}/vendor"), Entry::file("0x8086"))]));
        assert_eq!((&none.correctable_errors, &none.error_names), (&Reading::Absent, &Reading::Absent));
        for text in ["", "RxErr 0\n", "RxErr\nTOTAL_ERR_COR 0\n", "RxErr -1\nTOTAL_ERR_COR 0\n", "TOTAL_ERR_COR x\n"] {
            let record = seen(&files(text));
            assert!(matches!(record.correctable_errors, Reading::Unreadable(_)), "{text:?}");
            assert!(matches!(record.error_names, Reading::Unreadable(_)), "{text:?}");
            assert_eq!(record.nonfatal_errors, Reading::Known(1));
        }
        let path = format!("{PLACE}/aer_dev_fatal");
        let denied = files("TOTAL_ERR_COR 0\n").with(Question::Read(path), Err(HostErrorKind::PermissionDenied));
        assert!(matches!(seen(&denied).fatal_errors, Reading::Unreadable(_)));
    }
}
