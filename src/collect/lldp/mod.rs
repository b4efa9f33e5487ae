//! What neighbours announce by LLDP, as the agent that runs on the node heard it.
//!
//! Only the tool of an agent that runs is asked: without its daemon lldpcli has nothing to tell, and lldptool waits for it. Nothing is sent,
//! nothing configured. Knows no limits.

mod draft;
mod lldpad;
mod lldpd;
#[cfg(test)]
mod tests;
mod tlv;

use super::ledger::{Ledger, Read};
use crate::host::{HostErrorKind, ToolCall, ToolOutput};
use crate::inventory::dcb::LldpNeighbour;
use crate::inventory::nic::{Nic, NicKind};
use crate::reading::{Collection, ErrorId, ErrorKind, Reading};
use std::time::Duration;

/// Agents, the name of their process, and the file that holds its number (lldpd(8), lldpad(8); `/var/run` is `/run`).
const AGENTS: [(&str, &str); 2] = [("lldpd", "/run/lldpd.pid"), ("lldpad", "/run/lldpad.pid")];
/// How long a tool may take. Both only talk to their daemon.
const LIMIT: Duration = Duration::from_secs(5);

/// Which agents run, and what they heard.
pub(crate) fn collect(ledger: &Ledger<'_>, nics: &[Nic]) -> (Read<Vec<String>>, Collection<LldpNeighbour>) {
    let running = running(ledger);
    let neighbours = match &running.reading {
        Reading::Known(agents) => {
            let (mut found, mut reasons) = (Vec::new(), Vec::new());
            for agent in agents {
                let heard = if agent == "lldpd" { by_lldpd(ledger) } else { by_lldpad(ledger, nics) };
                match heard {
                    Ok((neighbours, more)) => {
                        found.extend(neighbours);
                        reasons.extend(more);
                    }
                    Err(error) => reasons.push(error),
                }
            }
            match (agents.is_empty(), reasons.first()) {
                (true, _) => {
                    let cause = "no LLDP agent runs; lldpd (package lldpd) hears neighbours once it has run for 30 s";
                    Collection::Unreadable(ledger.error("hear LLDP neighbours", ErrorKind::NotFound, cause))
                }
                (false, Some(error)) if found.is_empty() => Collection::Unreadable(*error),
                _ => Collection::new(found, reasons),
            }
        }
        Reading::Unreadable(error) => Collection::Unreadable(*error),
        Reading::Absent => Collection::Complete(Vec::new()),
    };
    (running, neighbours)
}

/// The agents whose process runs: the number in its file is that of a process of this name.
fn running(ledger: &Ledger<'_>) -> Read<Vec<String>> {
    let source = ledger.source("/run/lldpd.pid, /run/lldpad.pid, /proc/*/comm");
    let mut agents = Vec::new();
    for (agent, file) in AGENTS {
        let number = match ledger.host().read(file) {
            Ok(number) => number,
            Err(error) if error.kind == HostErrorKind::NotFound => continue,
            Err(error) => return Read { reading: Reading::Unreadable(ledger.host_error(error)), source },
        };
        let number = String::from_utf8_lossy(&number).trim().to_owned();
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            let reading = ledger.malformed(file, format!("no process number: {number:?}"));
            return Read { reading, source };
        }
        match ledger.host().read(&format!("/proc/{number}/comm")) {
            Ok(name) if name.trim_ascii() == agent.as_bytes() => agents.push(agent.to_owned()),
            // The file was left behind, and the number is nobody's or another's.
            Ok(_) => {}
            Err(error) if error.kind == HostErrorKind::NotFound => {}
            Err(error) => return Read { reading: Reading::Unreadable(ledger.host_error(error)), source },
        }
    }
    Read { reading: Reading::Known(agents), source }
}

fn call(argv: &[&str]) -> ToolCall {
    ToolCall { argv: argv.iter().map(|word| (*word).to_owned()).collect(), time: LIMIT }
}

/// The output of a tool that ended well.
fn output(ledger: &Ledger<'_>, argv: &[&str], package: &str) -> Result<Read<Vec<u8>>, ErrorId> {
    let run = ledger.run(&call(argv));
    let operation = format!("run {}", argv.join(" "));
    match run.reading {
        Reading::Known(ToolOutput { status: Some(0), stdout, .. }) => {
            Ok(Read { reading: Reading::Known(stdout), source: run.source })
        }
        Reading::Known(ToolOutput { stdout, stderr, .. }) => {
            let told = if stderr.trim_ascii().is_empty() { stdout } else { stderr };
            let told = String::from_utf8_lossy(&told);
            let line =
                told.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it failed and says nothing");
            let denied =
                ["ermission denied", "not permitted", "unable to connect"].iter().any(|word| line.contains(word));
            let kind = if denied { ErrorKind::PermissionDenied } else { ErrorKind::Io };
            Err(ledger.error(operation, kind, line.chars().take(200).collect::<String>()))
        }
        Reading::Unreadable(error) => match ledger.error_at(error) {
            Some(told) if told.kind == ErrorKind::ToolMissing => {
                let cause = format!("no such program; it is in the package {package}");
                Err(ledger.error(operation, ErrorKind::ToolMissing, cause))
            }
            _ => Err(error),
        },
        Reading::Absent => Err(ledger.error(operation, ErrorKind::Io, "it gave nothing")),
    }
}

type Heard = (Vec<LldpNeighbour>, Vec<ErrorId>);

fn by_lldpd(ledger: &Ledger<'_>) -> Result<Heard, ErrorId> {
    let argv = ["lldpcli", "-f", "json0", "show", "neighbors", "details"];
    let output = output(ledger, &argv, "lldpd")?;
    let text = output.reading.known().map_or(&[][..], Vec::as_slice);
    match lldpd::neighbours(text) {
        Ok(drafts) => Ok((drafts.into_iter().map(|draft| draft.finish(ledger, output.source)).collect(), Vec::new())),
        Err(cause) => Err(ledger.error("parse the answer of lldpcli", ErrorKind::Malformed, cause)),
    }
}

/// lldptool tells of one interface at a time: of the ports that have a carrier.
fn by_lldpad(ledger: &Ledger<'_>, nics: &[Nic]) -> Result<Heard, ErrorId> {
    let (mut neighbours, mut reasons) = (Vec::new(), Vec::new());
    let with_carrier =
        nics.iter().filter(|nic| nic.kind.known() == Some(&NicKind::Physical) && nic.carrier.known() != Some(&false));
    for interface in with_carrier.filter_map(|nic| nic.name.known()) {
        match output(ledger, &["lldptool", "-t", "-n", "-i", interface], "lldpad") {
            Ok(output) => {
                let text = String::from_utf8_lossy(output.reading.known().map_or(&[][..], Vec::as_slice)).into_owned();
                let told = lldpad::neighbour(interface, &text);
                neighbours.extend(told.map(|draft| draft.finish(ledger, output.source)));
            }
            Err(error) => reasons.push(error),
        }
    }
    Ok((neighbours, reasons))
}
