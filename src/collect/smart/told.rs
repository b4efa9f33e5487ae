//! What smartctl printed: its exit status, its messages, and the fields of its JSON by path.
//!
//! smartctl(8) of smartmontools 7.3, sections "EXIT STATUS" and "JSON"; the names of the fields are those of its sources
//! (ataprint.cpp, scsiprint.cpp, nvmeprint.cpp). JSON is printed since version 7.0.

use crate::collect::ledger::{Ledger, Read};
use crate::host::ToolOutput;
use crate::reading::{ErrorId, ErrorKind, Reading, SourceId};
use crate::units::{Bytes, Celsius, Ratio};
use serde_json::Value;

/// Exit status that smartctl is told to give for a drive that sleeps (`--nocheck=standby,3`): bits 0 and 1, which it never sets both by itself.
pub(super) const ASLEEP: i32 = 3;
/// Exit status bit 0: the command line; bit 1: the device could not be opened or did not identify itself.
const NOTHING_READ: i32 = 0b11;
/// Exit status bit 2: a command to the drive failed, or a checksum in its answer is wrong.
const GAPS: i32 = 0b100;
/// Bits 3 to 7 in words.
const SIGNS: [(u8, &str); 5] = [
    (3, "disk-failing"),
    (4, "prefail-below-threshold"),
    (5, "below-threshold-in-past"),
    (6, "error-log-has-entries"),
    (7, "self-test-log-has-errors"),
];

/// One call of smartctl that gave something to read.
pub(super) struct Told<'a, 'h> {
    pub(super) ledger: &'a Ledger<'h>,
    root: Value,
    pub(super) source: SourceId,
    device: String,
    status: i32,
    gaps: Option<ErrorId>,
}

/// What became of a call.
pub(super) enum Outcome<'a, 'h> {
    /// There is something to read.
    Told(Told<'a, 'h>),
    /// The drive sleeps and was left so.
    Asleep(SourceId),
    /// Nothing was read.
    Nothing(ErrorId, SourceId),
}

/// Reads what a call gave. `device` is what was asked, as in "/dev/sda".
pub(super) fn outcome<'a, 'h>(ledger: &'a Ledger<'h>, device: &str, output: Read<ToolOutput>) -> Outcome<'a, 'h> {
    let source = output.source;
    let nothing = |kind: ErrorKind, cause: String| {
        Outcome::Nothing(ledger.error(format!("ask {device} by smartctl"), kind, cause), source)
    };
    let output = match output.reading {
        Reading::Known(output) => output,
        Reading::Unreadable(error) => {
            return match ledger.error_at(error) {
                Some(told) if told.kind == ErrorKind::ToolMissing => {
                    nothing(ErrorKind::ToolMissing, "no such program; it is in the package smartmontools".to_owned())
                }
                _ => Outcome::Nothing(error, source),
            };
        }
        Reading::Absent => return nothing(ErrorKind::Io, "it gave nothing".to_owned()),
    };
    let Some(status) = output.status else {
        return nothing(ErrorKind::Io, "smartctl was ended by a signal".to_owned());
    };
    let root = match serde_json::from_slice::<Value>(&output.stdout) {
        Ok(root) if root.is_object() => root,
        Ok(_) => return nothing(ErrorKind::Malformed, "smartctl printed JSON that is no object".to_owned()),
        Err(_) if !output.stdout.trim_ascii_start().starts_with(b"{") => {
            let cause = "smartctl printed no JSON; version 7.0 or later of smartmontools is needed";
            return nothing(ErrorKind::NotSupported, cause.to_owned());
        }
        Err(error) => return nothing(ErrorKind::Malformed, format!("smartctl printed broken JSON: {error}")),
    };
    if status == ASLEEP {
        return Outcome::Asleep(source);
    }
    if status & NOTHING_READ != 0 {
        let messages = messages(&root);
        let kind = if messages.contains("Permission denied") || messages.contains("Operation not permitted") {
            ErrorKind::PermissionDenied
        } else {
            ErrorKind::Io
        };
        let cause = if messages.is_empty() { format!("smartctl ended with status {status}") } else { messages };
        return nothing(kind, cause);
    }
    let gaps = (status & GAPS != 0).then(|| {
        let cause = "smartctl says that a command failed or a checksum is wrong (exit status bit 2)";
        ledger.error(format!("read all logs of {device}"), ErrorKind::Io, cause)
    });
    Outcome::Told(Told { ledger, root, source, device: device.to_owned(), status, gaps })
}

/// What it complains of, joined; its messages may have several lines.
fn messages(root: &Value) -> String {
    let Some(messages) = root.pointer("/smartctl/messages").and_then(Value::as_array) else { return String::new() };
    let wrong = messages.iter().filter(|message| message.get("severity").and_then(Value::as_str) == Some("error"));
    let texts = wrong.filter_map(|message| message.get("string").and_then(Value::as_str));
    let words = texts.flat_map(|text| text.lines().map(str::trim).filter(|line| !line.is_empty()));
    let joined = words.collect::<Vec<_>>().join("; ");
    joined.chars().take(200).collect()
}

impl Told<'_, '_> {
    /// What stands at a JSON pointer (RFC 6901), `null` and nothing being one.
    pub(super) fn at(&self, pointer: &str) -> Option<&Value> {
        self.root.pointer(pointer).filter(|value| !value.is_null())
    }

    /// The word at a pointer, not empty.
    pub(super) fn word(&self, pointer: &str) -> Option<&str> {
        self.at(pointer).and_then(Value::as_str).map(str::trim).filter(|word| !word.is_empty())
    }

    /// A fact: `None` is what the drive has not, unless smartctl could not read all of its logs.
    pub(super) fn fact<T>(&self, parsed: Result<Option<T>, String>) -> Read<T> {
        let reading = match (parsed, self.gaps) {
            (Ok(Some(value)), _) => Reading::Known(value),
            (Ok(None), None) => Reading::Absent,
            (Ok(None), Some(error)) => Reading::Unreadable(error),
            (Err(cause), _) => self.ledger.malformed(&format!("smartctl's answer for {}", self.device), cause),
        };
        Read { reading, source: self.source }
    }

    /// A fact that this protocol has not.
    pub(super) fn without<T>(&self) -> Read<T> {
        Read { reading: Reading::Absent, source: self.source }
    }

    /// A fact that could not be had although the drive answered.
    pub(super) fn untold<T>(&self, cause: &str) -> Read<T> {
        let operation = format!("read the health of {}", self.device);
        let error = self.ledger.error(operation, ErrorKind::NotSupported, cause);
        Read { reading: Reading::Unreadable(error), source: self.source }
    }

    /// A count at a pointer.
    pub(super) fn count(&self, pointer: &str) -> Result<Option<u64>, String> {
        self.at(pointer).map(|value| natural(value, pointer)).transpose()
    }

    /// The first count that is there.
    pub(super) fn first_count(&self, pointers: &[&str]) -> Result<Option<u64>, String> {
        pointers.iter().find(|pointer| self.at(pointer).is_some()).map_or(Ok(None), |pointer| self.count(pointer))
    }

    /// A flag at a pointer.
    pub(super) fn flag(&self, pointer: &str) -> Result<Option<bool>, String> {
        self.at(pointer).map(|value| value.as_bool().ok_or_else(|| format!("{pointer} is {value}"))).transpose()
    }

    /// A temperature in degrees at the first pointer that is there. 0 is what drives without a sensor tell.
    pub(super) fn degrees(&self, pointers: &[&str]) -> Result<Option<Celsius>, String> {
        let Some(pointer) = pointers.iter().find(|pointer| self.at(pointer).is_some()) else { return Ok(None) };
        match self.at(pointer).and_then(Value::as_i64) {
            Some(0) => Ok(None),
            Some(degrees @ -60..=150) => Ok(Some(Celsius(degrees as f64))),
            _ => Err(format!("{pointer} is {}", self.at(pointer).unwrap_or(&Value::Null))),
        }
    }

    /// Hours and, where given, minutes that it was powered on, in seconds.
    pub(super) fn power_on_seconds(&self) -> Result<Option<f64>, String> {
        let Some(hours) = self.count("/power_on_time/hours")? else { return Ok(None) };
        let minutes = self.count("/power_on_time/minutes")?.unwrap_or(0);
        Ok(Some(hours as f64 * 3600.0 + minutes as f64 * 60.0))
    }

    /// Bits 3 to 7 of the exit status, in words.
    pub(super) fn signs(&self) -> Vec<String> {
        let set = SIGNS.iter().filter(|(bit, _)| self.status >> bit & 1 == 1);
        set.map(|(_, word)| (*word).to_owned()).collect()
    }

    /// The drive's own verdict. Where SMART is switched off there is none.
    pub(super) fn passed(&self) -> Read<bool> {
        if self.at("/smart_status/passed").is_none() {
            if self.flag("/smart_support/enabled") == Ok(Some(false)) {
                return self.untold("SMART is switched off on the drive (smartctl --smart=on switches it on)");
            }
            return self.untold("the drive gives no verdict of its own");
        }
        self.fact(self.flag("/smart_status/passed"))
    }
}

/// A whole number that is not negative.
pub(super) fn natural(value: &Value, what: &str) -> Result<u64, String> {
    value.as_u64().ok_or_else(|| format!("{what} is {value}"))
}

/// Percent as a share.
pub(super) fn percent(value: u64) -> Ratio {
    Ratio(value as f64 / 100.0)
}

/// Units of some bytes.
pub(super) fn times(count: u64, unit: u64) -> Result<Bytes, String> {
    count.checked_mul(unit).map(Bytes).ok_or_else(|| format!("{count} times {unit} bytes"))
}
