//! Whether something keeps the clock right, as far as the kernel and systemd tell. Does not ask the time service itself.

use crate::collect::ledger::{Ledger, Missing, Read};
use crate::host::ClockState;
use crate::inventory::platform::Time;
use crate::reading::{ErrorKind, Reading};
use crate::units::Seconds;

/// `STA_UNSYNC`, `include/uapi/linux/timex.h`.
const STA_UNSYNC: i32 = 0x40;
/// `TIME_ERROR`, same header.
const TIME_ERROR: i32 = 5;
/// A link `invocation:UNIT` for each unit that systemd has started and not released.
const UNITS: &str = "/run/systemd/units";

/// Units of time services as distributions name them, and what they run.
const SERVICES: &[(&str, &str)] = &[
    ("chrony.service", "chronyd"),
    ("chronyd.service", "chronyd"),
    ("ntp.service", "ntpd"),
    ("ntpd.service", "ntpd"),
    ("ntpsec.service", "ntpsec"),
    ("openntpd.service", "openntpd"),
    ("phc2sys.service", "phc2sys"),
    ("ptp4l.service", "ptp4l"),
    ("systemd-timesyncd.service", "systemd-timesyncd"),
];

/// Reads the clock's state.
pub fn collect(ledger: &Ledger<'_>) -> Time {
    let mut time = Time::default();
    let source = ledger.source("clock_adjtime CLOCK_REALTIME");
    let state = match ledger.host().clock_state() {
        Ok(state) => Reading::Known(state),
        Err(error) => Reading::Unreadable(ledger.host_error(error)),
    };
    set!(time.synchronized, Read { reading: state.clone().map(|state| synchronized(&state)), source });
    let error = |microseconds: i64, what: &str| {
        if microseconds < 0 {
            let operation = "ask the kernel for the state of its clock";
            Reading::Unreadable(ledger.error(operation, ErrorKind::Malformed, format!("{what} is {microseconds}")))
        } else {
            Reading::Known(Seconds(microseconds as f64 / 1e6))
        }
    };
    let of = |field: fn(&ClockState) -> i64, what: &str| match &state {
        Reading::Known(state) => error(field(state), what),
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(*error),
    };
    set!(time.max_error, Read { reading: of(|state| state.maxerror, "maxerror"), source });
    set!(time.estimated_error, Read { reading: of(|state| state.esterror, "esterror"), source });
    set!(time.services, services(ledger));
    time
}

fn synchronized(state: &ClockState) -> bool {
    state.status & STA_UNSYNC == 0 && state.state != TIME_ERROR
}

fn services(ledger: &Ledger<'_>) -> Read<Vec<String>> {
    let list = ledger.list(UNITS, Missing::Untold("systemd does not run, or is older than 236"));
    let reading = match list.reading {
        Reading::Known(listing) if !listing.complete => Reading::Unreadable(ledger.incomplete(UNITS)),
        Reading::Known(listing) => Reading::Known(running(&listing.names)),
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source: list.source }
}

fn running(names: &[String]) -> Vec<String> {
    let units: Vec<&str> = names.iter().filter_map(|name| name.strip_prefix("invocation:")).collect();
    let mut found: Vec<String> =
        SERVICES.iter().filter(|(unit, _)| units.contains(unit)).map(|(_, service)| (*service).to_owned()).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Entry, Replay};

    #[test]
    fn the_kernel_says_whether_the_clock_is_disciplined() {
        let read = |state, status| {
            let host = Replay::complete([
                ("run/systemd/units/invocation:chronyd.service", Entry::file("")),
                ("run/systemd/units/invocation:ssh.service", Entry::file("")),
            ])
            .with_clock_state(ClockState { state, status, maxerror: 1500, esterror: 250 });
            collect(&Ledger::new(&host))
        };
        // STA_PLL | STA_NANO, as chronyd leaves it
        let time = read(0, 0x2001);
        assert_eq!(time.synchronized, Reading::Known(true));
        assert_eq!(time.max_error, Reading::Known(Seconds(0.0015)));
        assert_eq!(time.estimated_error, Reading::Known(Seconds(0.00025)));
        assert_eq!(time.services, Reading::Known(vec!["chronyd".to_owned()]));
        assert_eq!(read(5, 0x40).synchronized, Reading::Known(false));
        assert_eq!(read(0, 0x41).synchronized, Reading::Known(false));
        assert_eq!(read(5, 0).synchronized, Reading::Known(false));
        // a leap second to come
        assert_eq!(read(1, 0x11).synchronized, Reading::Known(true));
    }

    #[test]
    fn a_recording_without_the_clock_tells_nothing() {
        let host = Replay::complete([("sys/x", Entry::file(""))]);
        let time = collect(&Ledger::new(&host));
        assert!(matches!(time.synchronized, Reading::Unreadable(_)));
        assert!(matches!(time.max_error, Reading::Unreadable(_)));
        assert!(matches!(time.services, Reading::Unreadable(_)));
        let host = host.with_clock_state(ClockState { state: 0, status: 0, maxerror: -1, esterror: 0 });
        let time = collect(&Ledger::new(&host));
        assert!(matches!(time.max_error, Reading::Unreadable(_)));
        assert_eq!(time.estimated_error, Reading::Known(Seconds(0.0)));
    }
}
