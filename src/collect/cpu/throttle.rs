//! How often processors were slowed down for heat: `thermal_throttle` of `arch/x86/kernel/cpu/mce/therm_throt.c`, Intel only.

use super::CPUS;
use crate::collect::cpulist::CpuSet;
use crate::collect::ledger::{Ledger, Missing, Read};
use crate::reading::Reading;

/// The largest count of all online CPUs; those of one core or package show the same one. Absent if the first CPU has none.
pub(super) fn most(ledger: &Ledger<'_>, online: &CpuSet, file: &str) -> Read<u64> {
    let source = ledger.source(format!("{CPUS}/cpu*/thermal_throttle/{file}"));
    let mut most = None;
    for cpu in online.iter() {
        let path = format!("{CPUS}/cpu{cpu}/thermal_throttle/{file}");
        let read =
            ledger.value(&path, Missing::Absent, |text| text.parse::<u64>().map_err(|_| format!("no count: {text:?}")));
        match read {
            Reading::Known(count) => most = most.max(Some(count)),
            Reading::Absent if most.is_none() => return Read { reading: Reading::Absent, source },
            Reading::Absent => {}
            Reading::Unreadable(error) => return Read { reading: Reading::Unreadable(error), source },
        }
    }
    Read { reading: most.map_or(Reading::Absent, Reading::Known), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Entry, Replay};

    fn read(counts: &[(u32, &str)]) -> Reading<u64> {
        let file = |(cpu, text): &(u32, &str)| {
            (format!("{CPUS}/cpu{cpu}/thermal_throttle/core_throttle_count"), Entry::file(format!("{text}\n")))
        };
        let host = Replay::complete(counts.iter().map(file).chain([(format!("{CPUS}/online"), Entry::file("0-2"))]));
        let online = crate::collect::cpulist::parse_list("0-2").unwrap();
        most(&Ledger::new(&host), &online, "core_throttle_count").reading
    }

    #[test]
    fn the_largest_count_of_all() {
        assert_eq!(read(&[(0, "3"), (1, "12"), (2, "3")]), Reading::Known(12));
        assert_eq!(read(&[(0, "0"), (1, "0"), (2, "0")]), Reading::Known(0));
        assert_eq!(read(&[]), Reading::Absent);
        assert!(matches!(read(&[(0, "0"), (1, "x")]), Reading::Unreadable(_)));
    }
}
