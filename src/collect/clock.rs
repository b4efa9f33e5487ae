//! How far the clock is off, by the service that keeps it: chronyd, ntpd, or ptp4l. Knows no limits.
//!
//! Asked is the client of a service that runs, and only to show: `chronyc -c -n tracking`, `ntpq -pn`, `pmc` with a GET. Times are
//! signed: above 0 the clock is ahead where the service says so; what counts is how far it is off.

use super::ledger::{Ledger, Read};
use crate::host::{ToolCall, ToolOutput};
use crate::inventory::platform::Time;
use crate::reading::{ErrorKind, Reading, SourceId};
use crate::units::Seconds;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(5);
const CHRONYC: [&str; 4] = ["chronyc", "-c", "-n", "tracking"];
const NTPQ: [&str; 2] = ["ntpq", "-pn"];
const PMC: [&str; 5] = ["pmc", "-u", "-b", "0", "GET CURRENT_DATA_SET"];

/// What a service tells.
#[derive(Debug, Clone, PartialEq)]
struct Tracking {
    /// Its source; `None` while it has none.
    source: Option<String>,
    stratum: Option<u64>,
    /// How far the clock is off, without its sign.
    offset: Option<f64>,
}

type Parser = fn(&str) -> Result<Tracking, String>;

/// Completes the clock's record by what its service tells.
pub(crate) fn complete(ledger: &Ledger<'_>, time: &mut Time) {
    let source = time.sources.get("services").unwrap_or_else(|| ledger.source("derived: services"));
    let services = match &time.services {
        Reading::Known(services) => services,
        Reading::Absent => &Vec::new(),
        Reading::Unreadable(error) => {
            let error = *error;
            return fill(time, source, Reading::Unreadable(error));
        }
    };
    let runs = |names: &[&str]| services.iter().any(|service| names.contains(&service.as_str()));
    let asked: Option<(&[&str], &str, Parser)> = if runs(&["chronyd"]) {
        Some((&CHRONYC, "chrony", chrony))
    } else if runs(&["ntpd", "ntpsec"]) {
        Some((&NTPQ, "ntp", ntpq))
    } else if runs(&["ptp4l"]) {
        Some((&PMC, "linuxptp", pmc))
    } else {
        None
    };
    let Some((argv, package, parse)) = asked else {
        if services.is_empty() {
            return fill(time, source, Reading::Absent);
        }
        let operation = "ask the time service how far the clock is off";
        let error = ledger.error(
            operation,
            ErrorKind::NotSupported,
            format!("{} has no client known here", services.join(", ")),
        );
        return fill(time, source, Reading::Unreadable(error));
    };
    let (told, source) = run(ledger, argv, package, parse);
    match told {
        Ok(tracking) => fill(time, source, Reading::Known(tracking)),
        Err(error) => fill(time, source, Reading::Unreadable(error)),
    }
}

fn fill(time: &mut Time, source: SourceId, told: Reading<Tracking>) {
    fn part<T>(told: &Reading<Tracking>, of: impl FnOnce(&Tracking) -> Option<T>) -> Reading<T> {
        match told {
            Reading::Known(tracking) => of(tracking).map_or(Reading::Absent, Reading::Known),
            Reading::Absent => Reading::Absent,
            Reading::Unreadable(error) => Reading::Unreadable(*error),
        }
    }
    set!(time.source, Read { reading: part(&told, |tracking| tracking.source.clone()), source });
    set!(time.stratum, Read { reading: part(&told, |tracking| tracking.stratum), source });
    set!(time.offset, Read { reading: part(&told, |tracking| tracking.offset.map(Seconds)), source });
}

fn run(
    ledger: &Ledger<'_>,
    argv: &[&str],
    package: &str,
    parse: Parser,
) -> (Result<Tracking, crate::reading::ErrorId>, SourceId) {
    let call = ToolCall { argv: argv.iter().map(|word| (*word).to_owned()).collect(), time: LIMIT };
    let run = ledger.run(&call);
    let operation = format!("run {}", argv.join(" "));
    let told = match run.reading {
        Reading::Known(ToolOutput { status: Some(0), stdout, .. }) => parse(&String::from_utf8_lossy(&stdout))
            .map_err(|cause| ledger.error(operation, ErrorKind::Malformed, cause)),
        Reading::Known(ToolOutput { stdout, stderr, .. }) => {
            let text = if stderr.trim_ascii().is_empty() { stdout } else { stderr };
            let text = String::from_utf8_lossy(&text).into_owned();
            let line =
                text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it failed and says nothing");
            Err(ledger.error(operation, ErrorKind::Io, line.chars().take(200).collect::<String>()))
        }
        Reading::Unreadable(error) => Err(match ledger.error_at(error) {
            Some(told) if told.kind == ErrorKind::ToolMissing => {
                let cause = format!("no such program; it is in the package {package}");
                ledger.error(operation, ErrorKind::ToolMissing, cause)
            }
            _ => error,
        }),
        Reading::Absent => Err(ledger.error(operation, ErrorKind::Io, "it gave nothing")),
    };
    (told, run.source)
}

fn number(text: &str, what: &str) -> Result<f64, String> {
    let value: f64 = text.trim().parse().map_err(|_| format!("{what} is {text:?}"))?;
    if value.is_finite() { Ok(value) } else { Err(format!("{what} is {text:?}")) }
}

fn whole(text: &str, what: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("{what} is {text:?}"))
}

/// chronyc(1), `tracking` with `-c`: reference ID, its name, stratum, reference time, system time, last offset, ... and leap status; seconds.
fn chrony(text: &str) -> Result<Tracking, String> {
    let fields: Vec<&str> = text.trim().split(',').collect();
    let [_, name, stratum, _, system, _, _, _, _, _, _, _, _, leap] = fields.as_slice() else {
        return Err(format!("{} fields in place of 14", fields.len()));
    };
    if *leap == "Not synchronised" {
        return Ok(Tracking { source: None, stratum: None, offset: None });
    }
    let offset = number(system, "the system time")?.abs();
    Ok(Tracking {
        source: Some((*name).to_owned()),
        stratum: Some(whole(stratum, "the stratum")?),
        offset: Some(offset),
    })
}

/// ntpq(8), `peers`: the line that begins with `*` (or `o`, with a pulse) is the source; its offset is in milliseconds.
fn ntpq(text: &str) -> Result<Tracking, String> {
    if !text.contains("refid") {
        return Err("no table of peers".to_owned());
    }
    let Some(line) = text.lines().find(|line| line.starts_with(['*', 'o'])) else {
        return Ok(Tracking { source: None, stratum: None, offset: None });
    };
    let fields: Vec<&str> = line.get(1..).unwrap_or_default().split_whitespace().collect();
    let [remote, _, stratum, _, _, _, _, _, offset, _] = fields.as_slice() else {
        return Err(format!("{} columns in place of 10", fields.len()));
    };
    let offset = number(offset, "the offset")?.abs() / 1000.0;
    Ok(Tracking {
        source: Some((*remote).to_owned()),
        stratum: Some(whole(stratum, "the stratum")?),
        offset: Some(offset),
    })
}

/// pmc(8): `offsetFromMaster` in nanoseconds, `stepsRemoved` from the grandmaster.
fn pmc(text: &str) -> Result<Tracking, String> {
    let value = |name: &str| {
        text.lines().find_map(|line| {
            let (key, value) = line.trim().split_once(char::is_whitespace)?;
            (key == name).then(|| value.trim())
        })
    };
    let offset = value("offsetFromMaster").ok_or("no offsetFromMaster")?;
    let steps = whole(value("stepsRemoved").ok_or("no stepsRemoved")?, "stepsRemoved")?;
    let offset = number(offset, "offsetFromMaster")?.abs() / 1e9;
    Ok(Tracking { source: Some("PTP".to_owned()), stratum: Some(steps), offset: Some(offset) })
}

#[cfg(test)]
#[expect(clippy::field_reassign_with_default, reason = "a record with a few facts of many reads better so")]
mod tests {
    use super::*;
    use crate::host::{Answer, HostErrorKind, Question, Record, Replay};

    fn seen(services: &[&str], argv: &[&str], outcome: Result<Answer, HostErrorKind>) -> (Time, Vec<String>) {
        let question = Question::Run(argv.iter().map(|word| (*word).to_owned()).collect());
        let host = Replay::complete::<&str>([]).with(question, outcome);
        let ledger = Ledger::new(&host);
        let mut time = Time::default();
        time.services = Reading::Known(services.iter().map(|word| (*word).to_owned()).collect());
        complete(&ledger, &mut time);
        (time, ledger.close().1.into_iter().map(|error| error.cause).collect())
    }

    fn output(status: i32, stdout: &str) -> Result<Answer, HostErrorKind> {
        let (stdout, stderr) = (stdout.as_bytes().to_vec(), Vec::new());
        Ok(Answer::Tool(ToolOutput { status: Some(status), stdout, stderr }))
    }

    #[test]
    fn each_service_by_its_own_client() {
        let line = "C0000201,192.0.2.1,3,1764590000.123456789,-0.000012345,0.000010000,0.000020000,-1.234,0.001,0.050,0.012000000,0.000500000,64.2,Normal\n";
        let (time, errors) = seen(&["chronyd"], &CHRONYC, output(0, line));
        assert_eq!((&time.source, &time.stratum), (&Reading::Known("192.0.2.1".into()), &Reading::Known(3)));
        assert_eq!(time.offset, Reading::Known(Seconds(0.000_012_345)));
        assert_eq!(errors, [] as [&str; 0]);
        let table = "     remote           refid      st t when poll reach   delay   offset  jitter\n==============================\n\
            +192.0.2.2       192.0.2.9        2 u   33   64  377    0.500   -9.000   0.100\n*192.0.2.1       .GPS.            1 u   12   64  377    0.400   -1.500   0.200\n";
        let (time, _) = seen(&["ntpd"], &NTPQ, output(0, table));
        assert_eq!((&time.source, &time.stratum), (&Reading::Known("192.0.2.1".into()), &Reading::Known(1)));
        assert_eq!(time.offset, Reading::Known(Seconds(0.0015)));
        let answer = "sending: GET CURRENT_DATA_SET\n\t020000.fffe.000001-0 seq 0 RESPONSE MANAGEMENT CURRENT_DATA_SET\n\t\tstepsRemoved     1\n\t\toffsetFromMaster -250.0\n\t\tmeanPathDelay    500.0\n";
        let (time, _) = seen(&["phc2sys", "ptp4l"], &PMC, output(0, answer));
        assert_eq!((&time.stratum, &time.offset), (&Reading::Known(1), &Reading::Known(Seconds(2.5e-7))));
    }

    #[test]
    fn a_service_without_a_source_and_a_client_that_fails() {
        let line = "00000000,,0,0.000000000,0.000000000,0.0,0.0,0.0,0.0,0.0,1.0,1.0,0.0,Not synchronised\n";
        let (time, _) = seen(&["chronyd"], &CHRONYC, output(0, line));
        assert_eq!((&time.source, &time.offset), (&Reading::Absent, &Reading::Absent));
        let (time, _) =
            seen(&["ntpd"], &NTPQ, output(0, "     remote           refid      st\n 192.0.2.2 .INIT. 16\n"));
        assert_eq!(time.offset, Reading::Absent);
        let (time, errors) = seen(&["chronyd"], &CHRONYC, Err(HostErrorKind::ToolMissing));
        assert!(
            matches!(time.offset, Reading::Unreadable(_))
                && errors.iter().any(|cause| cause.contains("package chrony"))
        );
        for (status, text) in
            [(1, "506 Cannot talk to daemon\n"), (0, "a,b\n"), (0, "x,y,z,0,far,0,0,0,0,0,0,0,0,Normal\n")]
        {
            assert!(matches!(seen(&["chronyd"], &CHRONYC, output(status, text)).0.offset, Reading::Unreadable(_)));
        }
        assert!(matches!(seen(&["ntpd"], &NTPQ, output(0, "garbage")).0.offset, Reading::Unreadable(_)));
        assert!(matches!(
            seen(&["ptp4l"], &PMC, output(0, "offsetFromMaster inf\nstepsRemoved 1")).0.offset,
            Reading::Unreadable(_)
        ));
        let (time, _) = seen(&["systemd-timesyncd"], &CHRONYC, output(0, ""));
        assert!(matches!(time.offset, Reading::Unreadable(_)));
    }

    #[test]
    fn without_a_service_no_client_is_asked() {
        let host = Replay::complete::<&str>([]);
        let record = Record::new(&host);
        let ledger = Ledger::new(&record);
        let mut time = Time::default();
        time.services = Reading::Known(Vec::new());
        complete(&ledger, &mut time);
        assert_eq!((&time.source, &time.offset), (&Reading::Absent, &Reading::Absent));
        assert!(!record.capture().iter().any(|(path, _)| path.starts_with("tools/")));
    }
}
