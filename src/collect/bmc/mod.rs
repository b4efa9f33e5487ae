//! The management controller: what the kernel's IPMI driver tells, and what ipmitool reads through it.
//!
//! ipmitool is asked only where the kernel has an interface, and only by subcommands that read: `sel info`, `sel elist`, `sdr elist`. Knows no limits.

mod events;
mod sensors;

use super::ledger::{Ledger, Missing, Read, some_text};
use crate::host::{ToolCall, ToolOutput};
use crate::inventory::bmc::{Bmc, BmcEvent, BmcSensor};
use crate::reading::{Collection, ErrorId, ErrorKind, Reading, SourceId};
use crate::units::Ratio;
use std::time::Duration;

const CLASS: &str = "/sys/class/ipmi";
/// A controller with a long log takes its time over the slow interface.
const LIMIT: Duration = Duration::from_secs(60);
/// Most events that are kept.
const EVENTS: usize = 200;

const INFO: [&str; 3] = ["ipmitool", "sel", "info"];
const LOG: [&str; 4] = ["ipmitool", "-c", "sel", "elist"];
const SENSORS: [&str; 5] = ["ipmitool", "-c", "sdr", "elist", "all"];

/// Reads the controller.
pub(crate) fn collect(ledger: &Ledger<'_>) -> Bmc {
    let mut bmc = Bmc::default();
    let listing = ledger.list(CLASS, Missing::Absent);
    let interface = match &listing.reading {
        Reading::Known(listing) => listing.names.first().cloned(),
        Reading::Absent | Reading::Unreadable(_) => None,
    };
    let Some(interface) = interface else {
        let (present, rest) = match listing.reading {
            Reading::Unreadable(error) => (Reading::Unreadable(error), Some(error)),
            Reading::Known(listing) if !listing.complete => {
                let error = ledger.incomplete(CLASS);
                (Reading::Unreadable(error), Some(error))
            }
            Reading::Known(_) | Reading::Absent => (Reading::Known(false), None),
        };
        set!(bmc.present, Read { reading: present, source: listing.source });
        nothing(&mut bmc, rest, listing.source);
        return bmc;
    };
    set!(bmc.present, Read { reading: Reading::Known(true), source: listing.source });
    // Since Linux 4.15; before, the same files stood under a platform device.
    let file = |name: &str| {
        let path = format!("{CLASS}/{interface}/device/bmc/{name}");
        ledger.parsed(&path, Missing::Untold("the kernel is older than 4.15"), some_text)
    };
    set!(bmc.firmware, file("firmware_revision"));
    set!(bmc.manufacturer_id, file("manufacturer_id"));
    set!(bmc.product_id, file("product_id"));
    set!(bmc.ipmi_version, file("ipmi_version"));
    log_state(ledger, &mut bmc);
    events(ledger, &mut bmc);
    sensors(ledger, &mut bmc);
    bmc
}

/// What there is to say without an interface.
fn nothing(bmc: &mut Bmc, error: Option<ErrorId>, source: SourceId) {
    macro_rules! each {
        ($($field:ident),*) => {
            $( set!(bmc.$field, Read { reading: error.map_or(Reading::Absent, Reading::Unreadable), source }); )*
        };
    }
    each!(firmware, manufacturer_id, product_id, ipmi_version, event_log_entries, event_log_used, event_log_overflow);
    bmc.events = error.map_or_else(|| Collection::Complete(Vec::new()), Collection::Unreadable);
    bmc.sensors = error.map_or_else(|| Collection::Complete(Vec::new()), Collection::Unreadable);
    bmc.sources.set("events", source);
    bmc.sources.set("sensors", source);
}

/// What ipmitool prints if it ends well.
fn run(ledger: &Ledger<'_>, argv: &[&str]) -> (Result<String, ErrorId>, SourceId) {
    let call = ToolCall { argv: argv.iter().map(|word| (*word).to_owned()).collect(), time: LIMIT };
    let run = ledger.run(&call);
    let operation = format!("run {}", argv.join(" "));
    let told = match run.reading {
        Reading::Known(ToolOutput { status: Some(0), stdout, .. }) => Ok(String::from_utf8_lossy(&stdout).into_owned()),
        Reading::Known(ToolOutput { stderr, stdout, .. }) => {
            let text = if stderr.trim_ascii().is_empty() { stdout } else { stderr };
            let text = String::from_utf8_lossy(&text).into_owned();
            let line =
                text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it failed and says nothing");
            // "Could not open device at /dev/ipmi0 or ...: Permission denied"
            let denied = line.contains("Could not open device") || line.contains("ermission denied");
            let kind = if denied { ErrorKind::PermissionDenied } else { ErrorKind::Io };
            Err(ledger.error(operation, kind, line.chars().take(200).collect::<String>()))
        }
        Reading::Unreadable(error) => Err(match ledger.error_at(error) {
            Some(told) if told.kind == ErrorKind::ToolMissing => {
                ledger.error(operation, ErrorKind::ToolMissing, "no such program; it is in the package ipmitool")
            }
            _ => error,
        }),
        Reading::Absent => Err(ledger.error(operation, ErrorKind::Io, "it gave nothing")),
    };
    (told, run.source)
}

/// The value behind a name in `sel info`.
fn value<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    })
}

fn log_state(ledger: &Ledger<'_>, bmc: &mut Bmc) {
    let (told, source) = run(ledger, &INFO);
    let fact = |parsed: Result<Option<u64>, String>| match parsed {
        Ok(Some(value)) => Reading::Known(value),
        Ok(None) => Reading::Absent,
        Err(cause) => ledger.malformed("the answer of ipmitool sel info", cause),
    };
    match told {
        Err(error) => {
            set!(bmc.event_log_entries, Read { reading: Reading::Unreadable(error), source });
            set!(bmc.event_log_used, Read { reading: Reading::Unreadable(error), source });
            set!(bmc.event_log_overflow, Read { reading: Reading::Unreadable(error), source });
        }
        Ok(text) => {
            let entries = value(&text, "Entries").ok_or_else(|| "no line Entries".to_owned());
            let entries = entries.and_then(|count| count.parse().map(Some).map_err(|_| format!("{count:?} entries")));
            set!(bmc.event_log_entries, Read { reading: fact(entries), source });
            // "57%", or "unknown" and the like of controllers that do not tell how much room there is.
            let used = value(&text, "Percent Used").map(|used| used.strip_suffix('%')?.trim().parse().ok());
            let used = fact(match used {
                Some(Some(percent)) if percent > 100 => Err(format!("{percent} % of the log")),
                Some(used) => Ok(used),
                None => Err("no line Percent Used".to_owned()),
            });
            set!(bmc.event_log_used, Read { reading: used.map(|percent| Ratio(percent as f64 / 100.0)), source });
            let overflow = match value(&text, "Overflow") {
                Some("true") => Reading::Known(true),
                Some("false") => Reading::Known(false),
                other => ledger.malformed("the answer of ipmitool sel info", format!("Overflow is {other:?}")),
            };
            set!(bmc.event_log_overflow, Read { reading: overflow, source });
        }
    }
}

fn events(ledger: &Ledger<'_>, bmc: &mut Bmc) {
    // An empty log has no entries to print, and ipmitool says so on its other output or fails.
    if bmc.event_log_entries == Reading::Known(0) {
        bmc.events = Collection::Complete(Vec::new());
        if let Some(source) = bmc.sources.get("event_log_entries") {
            bmc.sources.set("events", source);
        }
        return;
    }
    let (told, source) = run(ledger, &LOG);
    bmc.sources.set("events", source);
    bmc.events = match told.map(|text| events::parse(&text)) {
        Err(error) => Collection::Unreadable(error),
        Ok(Err(cause)) => {
            Collection::Unreadable(ledger.error("parse the answer of ipmitool sel elist", ErrorKind::Malformed, cause))
        }
        Ok(Ok(mut events)) => {
            let more = events.len().saturating_sub(EVENTS);
            events.drain(..more);
            let event = |event: events::Event| {
                let mut record = BmcEvent::default();
                set!(record.time, Read { reading: Reading::Known(event.time), source });
                set!(record.kind, Read { reading: Reading::Known(event.kind), source });
                set!(record.sensor, Read { reading: Reading::Known(event.sensor), source });
                set!(record.event, Read { reading: Reading::Known(event.event), source });
                record
            };
            let cut = (more > 0).then(|| {
                let cause = format!("{more} older events are left out");
                ledger.error("keep the event log", ErrorKind::TooLarge, cause)
            });
            Collection::new(events.into_iter().map(event).collect(), cut.into_iter().collect())
        }
    };
}

fn sensors(ledger: &Ledger<'_>, bmc: &mut Bmc) {
    let (told, source) = run(ledger, &SENSORS);
    bmc.sources.set("sensors", source);
    bmc.sensors = match told.map(|text| sensors::parse(&text)) {
        Err(error) => Collection::Unreadable(error),
        Ok(Err(cause)) => {
            Collection::Unreadable(ledger.error("parse the answer of ipmitool sdr elist", ErrorKind::Malformed, cause))
        }
        Ok(Ok(sensors)) => {
            let sensor = |sensor: sensors::Sensor| {
                let mut record = BmcSensor::default();
                set!(record.name, Read { reading: Reading::Known(sensor.name), source });
                set!(record.kind, Read { reading: Reading::Known(sensor.kind.to_owned()), source });
                set!(record.status, Read { reading: Reading::Known(sensor.status), source });
                set!(record.reading, Read { reading: sensor.reading.map_or(Reading::Absent, Reading::Known), source });
                record
            };
            Collection::Complete(sensors.into_iter().map(sensor).collect())
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Answer, Entry, Host, HostErrorKind, Question, Record, Replay};
    use crate::inventory::bmc::BmcEventKind;

    fn output(status: i32, stdout: &str, stderr: &str) -> Result<Answer, HostErrorKind> {
        let (stdout, stderr) = (stdout.as_bytes().to_vec(), stderr.as_bytes().to_vec());
        Ok(Answer::Tool(ToolOutput { status: Some(status), stdout, stderr }))
    }

    fn question(argv: &[&str]) -> Question {
        Question::Run(argv.iter().map(|word| (*word).to_owned()).collect())
    }

    fn machine() -> Replay {
        let file =
            |name: &str, text: &str| (format!("{CLASS}/ipmi0/device/bmc/{name}"), Entry::file(format!("{text}\n")));
        Replay::complete([
            file("firmware_revision", "2.82"),
            file("manufacturer_id", "0x0002a2"),
            file("product_id", "0x0100"),
            file("ipmi_version", "2.0"),
        ])
    }

    fn host() -> Replay {
        let info = "SEL Information\nVersion          : 1.5 (v1.5, v2 compliant)\nEntries          : 545\nFree Space       : 6552 bytes \n\
            Percent Used     : 57%\nLast Add Time    : 07/15/2025 22:35:35\nOverflow         : false\n";
        let log = "1,10/26/2025,20:17:30,Event Logging Disabled SEL,Log area reset/cleared,Asserted\n2,10/27/2025,01:02:04,Memory ECC,Uncorrectable ECC,Asserted\n";
        machine()
            .with(question(&INFO), output(0, info, ""))
            .with(question(&LOG), output(0, log, ""))
            .with(question(&SENSORS), output(0, "PS1 Status,C8h,ok,10.1,Presence detected\n", ""))
    }

    fn seen(host: &dyn Host) -> (Bmc, Vec<crate::reading::ReadError>) {
        let ledger = Ledger::new(host);
        let bmc = collect(&ledger);
        (bmc, ledger.close().1)
    }

    #[test]
    fn a_controller_with_its_log_and_sensors() {
        let host = host();
        let record = Record::new(&host);
        let (bmc, errors) = seen(&record);
        assert_eq!((&bmc.present, &bmc.firmware), (&Reading::Known(true), &Reading::Known("2.82".into())));
        assert_eq!((&bmc.event_log_entries, &bmc.event_log_used), (&Reading::Known(545), &Reading::Known(Ratio(0.57))));
        assert_eq!(bmc.event_log_overflow, Reading::Known(false));
        let [event] = bmc.events.items() else { panic!("{:?}", bmc.events) };
        assert_eq!(
            (&event.kind, &event.sensor),
            (&Reading::Known(BmcEventKind::MemoryUncorrected), &Reading::Known("Memory ECC".into()))
        );
        assert_eq!(bmc.sensors.items()[0].kind, Reading::Known("power-supply".into()));
        assert_eq!(errors, []);
        let replay = Replay::from_files(record.capture()).unwrap();
        assert_eq!(seen(&replay), (bmc, errors));
    }

    #[test]
    fn without_an_interface_nothing_is_asked() {
        let empty = Replay::complete([("/sys/class/net/x", Entry::file(""))]);
        let record = Record::new(&empty);
        let (bmc, _) = seen(&record);
        assert_eq!((&bmc.present, &bmc.firmware), (&Reading::Known(false), &Reading::Absent));
        assert_eq!(bmc.events, Collection::Complete(Vec::new()));
        assert!(!record.capture().iter().any(|(path, _)| path.starts_with("tools/")));
        let denied =
            Replay::complete::<&str>([]).with(Question::List(CLASS.into()), Err(HostErrorKind::PermissionDenied));
        let (bmc, _) = seen(&denied);
        assert!(matches!(bmc.present, Reading::Unreadable(_)) && matches!(bmc.sensors, Collection::Unreadable(_)));
    }

    #[test]
    fn a_tool_that_is_missing_or_fails_tells_why() {
        let all = |outcome: Result<Answer, HostErrorKind>| {
            let host = machine().with(question(&INFO), outcome.clone());
            let host = host.with(question(&LOG), outcome.clone()).with(question(&SENSORS), outcome);
            let (bmc, errors) = seen(&host);
            assert_eq!(bmc.firmware, Reading::Known("2.82".into()));
            assert!(
                matches!(bmc.event_log_used, Reading::Unreadable(_)) && matches!(bmc.events, Collection::Unreadable(_))
            );
            let last = errors.last().unwrap().clone();
            (last.kind, last.cause)
        };
        assert!(all(Err(HostErrorKind::ToolMissing)).1.contains("package ipmitool"));
        let denied =
            output(1, "", "Could not open device at /dev/ipmi0 or /dev/ipmi/0 or /dev/ipmidev/0: Permission denied\n");
        assert_eq!(all(denied).0, ErrorKind::PermissionDenied);
        assert_eq!(all(output(0, "nonsense\n", "")).0, ErrorKind::Malformed);
    }

    #[test]
    fn an_empty_log_is_not_read_and_a_long_one_is_cut() {
        let info = "Entries          : 0\nPercent Used     : unknown\nOverflow         : false\n";
        let host = host().with(question(&INFO), output(0, info, "")).with(question(&LOG), Err(HostErrorKind::Io));
        let (bmc, errors) = seen(&host);
        assert_eq!((&bmc.events, &bmc.event_log_used), (&Collection::Complete(Vec::new()), &Reading::Absent));
        assert_eq!(errors, []);
        let line = |n: u32| format!("{n:x},10/27/2025,01:02:04,Memory ECC,Correctable ECC,Asserted\n");
        let long: String = (0..250).map(line).collect();
        let (bmc, errors) = seen(&self::host().with(question(&LOG), output(0, &long, "")));
        assert_eq!((bmc.events.items().len(), bmc.events.reasons().len()), (200, 1));
        assert!(errors[0].cause.contains("50 older events"));
    }
}
