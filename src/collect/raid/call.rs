//! The makers' tools: for which driver, by which names, and with which arguments. Nothing else can be asked.
//!
//! Every argument list only shows. "nolog" keeps storcli and perccli from writing a log file where they are started.

use super::arcconf;
use super::ircu;
use super::report::Report;
use super::ssacli;
use super::storcli;
use crate::collect::ledger::Ledger;
use crate::host::{HostError, HostErrorKind, ToolCall, ToolOutput};
use crate::reading::{ErrorId, ErrorKind, SourceId};
use std::time::Duration;

/// How long a tool may take for one question. One with some hundred drives takes ten seconds and more.
const TIME: Duration = Duration::from_secs(60);
/// Most controllers that are asked one after the other.
const CONTROLLERS: u32 = 16;

/// One family of tools with one way of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Maker {
    Ircu,
    Storcli,
    Storcli2,
    Ssacli,
    Arcconf,
}

/// Everything that is ever asked, but for the number of a controller, which stands in the place of "N".
const STORCLI_ALL: &[&str] = &["/call", "show", "all", "J", "nolog"];
const STORCLI_DRIVES: &[&str] = &["/call/eall/sall", "show", "all", "J", "nolog"];
const STORCLI_DIRECT: &[&str] = &["/call/sall", "show", "all", "J", "nolog"];
const STORCLI_VOLUMES: &[&str] = &["/call/vall", "show", "all", "J", "nolog"];
const SSACLI: &[&str] = &["ctrl", "all", "show", "config", "detail"];
const IRCU_LIST: &[&str] = &["LIST"];
const IRCU_DISPLAY: &[&str] = &["N", "DISPLAY"];
const ARCCONF: &[&str] = &["GETCONFIG", "N"];

impl Maker {
    /// The tools for the controllers of a driver, the first that shows a controller counting.
    pub(super) fn of_driver(driver: &str) -> &'static [Self] {
        match driver {
            "megaraid_sas" => &[Self::Storcli],
            "mpi3mr" => &[Self::Storcli2],
            "mpt3sas" | "mpt2sas" => &[Self::Ircu, Self::Storcli],
            "hpsa" => &[Self::Ssacli],
            "smartpqi" => &[Self::Ssacli, Self::Arcconf],
            "aacraid" => &[Self::Arcconf],
            _ => &[],
        }
    }

    /// Names of the program, the first that is installed counting.
    pub(super) fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Ircu => &["sas3ircu", "sas2ircu"],
            Self::Storcli => &["storcli64", "storcli", "perccli64", "perccli"],
            Self::Storcli2 => &["storcli2", "perccli2"],
            Self::Ssacli => &["ssacli", "hpssacli"],
            Self::Arcconf => &["arcconf"],
        }
    }

    /// Who gives it out, and in which package.
    fn package(self) -> &'static str {
        match self {
            Self::Ircu => "Broadcom's package sas3ircu",
            Self::Storcli => "Broadcom's package storcli or Dell's perccli",
            Self::Storcli2 => "Broadcom's package storcli2 or Dell's perccli2",
            Self::Ssacli => "HPE's package ssacli",
            Self::Arcconf => "Microchip's package Arcconf",
        }
    }
}

/// Why a tool told nothing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Failure {
    /// None of its programs is installed.
    Missing,
    /// It was asked, or a recording holds no answer.
    Failed(ErrorId),
}

/// That none of the tools is installed, and where they come from.
pub(super) fn missing(ledger: &Ledger<'_>, makers: &[Maker]) -> ErrorId {
    let programs: Vec<&str> = makers.iter().flat_map(|maker| maker.programs()).copied().collect();
    let packages: Vec<&str> = makers.iter().map(|maker| maker.package()).collect();
    ledger.error(
        format!("run {}", programs.join(" or ")),
        ErrorKind::ToolMissing,
        format!("not installed; it comes with {}", packages.join(", or ")),
    )
}

/// What became of asking one tool.
pub(super) struct Asked {
    pub(super) maker: Maker,
    /// The program that answered, or the first that was looked for.
    pub(super) program: &'static str,
    pub(super) source: SourceId,
    /// What it told, or why it told nothing.
    pub(super) report: Result<Report, Failure>,
    /// A question about details that was not answered, the first.
    pub(super) unanswered: Option<ErrorId>,
}

/// A tool that is installed, or may be.
struct Tool<'l, 'h> {
    ledger: &'l Ledger<'h>,
    program: &'static str,
    /// It did not answer in time, and is asked no more.
    silent: bool,
    unanswered: Option<ErrorId>,
}

pub(super) fn call(program: &str, arguments: &[&str], number: Option<u32>) -> ToolCall {
    let argument = |word: &&str| match (*word, number) {
        ("N", Some(number)) => number.to_string(),
        (word, _) => word.to_owned(),
    };
    ToolCall { argv: std::iter::once(program.to_owned()).chain(arguments.iter().map(argument)).collect(), time: TIME }
}

/// Asks one tool all that it is asked.
pub(super) fn ask(ledger: &Ledger<'_>, maker: Maker) -> Asked {
    let first = match maker {
        Maker::Ircu => call("", IRCU_LIST, None),
        Maker::Storcli | Maker::Storcli2 => call("", STORCLI_ALL, None),
        Maker::Ssacli => call("", SSACLI, None),
        Maker::Arcconf => call("", ARCCONF, Some(1)),
    };
    let (program, answer) = find(ledger, maker, &first);
    let words = first.argv.get(1..).unwrap_or_default().join(" ");
    let source = ledger.source(format!("run {program} {words}"));
    let text = match answer {
        Ok(text) => text,
        Err(failure) => return Asked { maker, program, source, report: Err(failure), unanswered: None },
    };
    let mut tool = Tool { ledger, program, silent: false, unanswered: None };
    let report = match maker {
        Maker::Storcli | Maker::Storcli2 => tool.storcli(&text),
        Maker::Ssacli => ssacli::parse(&text),
        Maker::Ircu => tool.ircu(&text),
        Maker::Arcconf => tool.arcconf(&text),
    };
    let operation = format!("run {program} {words}");
    let report = match report {
        Ok(report) => match (report.controllers.is_empty(), report.refused.first()) {
            (true, Some(refused)) => {
                Err(Failure::Failed(ledger.error(operation, ErrorKind::ToolFailed, refused.clone())))
            }
            _ => Ok(report),
        },
        Err(cause) => {
            let cause = format!("what it prints is not understood: {cause}");
            Err(Failure::Failed(ledger.error(operation, ErrorKind::Malformed, cause)))
        }
    };
    Asked { maker, program, source, report, unanswered: tool.unanswered }
}

/// What a tool printed; that it printed nothing is a failure, of which it may tell on the other output.
fn printed(ledger: &Ledger<'_>, call: &ToolCall, answer: Result<ToolOutput, HostError>) -> Result<String, ErrorId> {
    let output = answer.map_err(|error| ledger.host_error(error))?;
    if !output.stdout.iter().all(u8::is_ascii_whitespace) {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let cause = match complaint.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => line.chars().take(200).collect(),
        None => "it printed nothing".to_owned(),
    };
    Err(ledger.error(format!("run {}", call.argv.join(" ")), ErrorKind::ToolFailed, cause))
}

/// The first program that is there, and its answer.
fn find(ledger: &Ledger<'_>, maker: Maker, first: &ToolCall) -> (&'static str, Result<String, Failure>) {
    let programs = maker.programs();
    let name = programs.first().copied().unwrap_or_default();
    let mut unrecorded: Option<HostError> = None;
    for program in programs {
        let argv = std::iter::once((*program).to_owned()).chain(first.argv.iter().skip(1).cloned()).collect();
        let call = ToolCall { argv, time: TIME };
        match ledger.host().run(&call) {
            Err(error) if error.kind == HostErrorKind::ToolMissing => {}
            Err(error) if error.kind == HostErrorKind::NotInCapture => {
                unrecorded.get_or_insert(error);
            }
            answer => return (program, printed(ledger, &call, answer).map_err(Failure::Failed)),
        }
    }
    let failure = unrecorded.map_or(Failure::Missing, |error| Failure::Failed(ledger.host_error(error)));
    (name, Err(failure))
}

impl Tool<'_, '_> {
    /// What it prints; nothing where it could not be asked, which leaves the facts untold that only this answer tells.
    fn output(&mut self, arguments: &[&str], number: Option<u32>) -> Option<String> {
        if self.silent {
            return None;
        }
        let call = call(self.program, arguments, number);
        let answer = self.ledger.host().run(&call);
        self.silent = matches!(&answer, Err(error) if error.kind == HostErrorKind::TimedOut);
        printed(self.ledger, &call, answer).map_err(|error| self.unanswered.get_or_insert(error)).ok()
    }

    fn storcli(&mut self, all: &str) -> Result<Report, String> {
        let all = storcli::parse(all)?;
        let listed = storcli::report(&all, &[], &[]);
        let of = |direct: bool| {
            listed.controllers.iter().flat_map(|c| &c.drives).any(|drive| drive.enclosure.value().is_none() == direct)
        };
        let mut drives = Vec::new();
        let mut volumes = Vec::new();
        let parsed = |text: Option<String>| text.and_then(|text| storcli::parse(&text).ok()).unwrap_or_default();
        if of(false) {
            drives.extend(parsed(self.output(STORCLI_DRIVES, None)));
        }
        if of(true) {
            drives.extend(parsed(self.output(STORCLI_DIRECT, None)));
        }
        if listed.controllers.iter().any(|controller| !controller.volumes.is_empty()) {
            volumes.extend(parsed(self.output(STORCLI_VOLUMES, None)));
        }
        Ok(storcli::report(&all, &drives, &volumes))
    }

    fn ircu(&mut self, list: &str) -> Result<Report, String> {
        let mut report = Report::default();
        for number in ircu::list(list)? {
            let told = match self.output(IRCU_DISPLAY, Some(number)) {
                Some(text) => ircu::display(number, &text),
                None => Err("it was not answered".to_owned()),
            };
            match told {
                Ok(controller) => report.controllers.push(controller),
                Err(cause) => report.refused.push(format!("{number} DISPLAY: {cause}")),
            }
        }
        Ok(report)
    }

    fn arcconf(&mut self, first: &str) -> Result<Report, String> {
        let count = arcconf::controllers(first).ok_or("it does not say how many controllers there are")?;
        let mut report = Report::default();
        for number in 1..=count.min(CONTROLLERS) {
            let told = match number {
                1 => arcconf::config(1, first),
                _ => match self.output(ARCCONF, Some(number)) {
                    Some(text) => arcconf::config(number, &text),
                    None => Err("it was not answered".to_owned()),
                },
            };
            match told {
                Ok(controller) => report.controllers.push(controller),
                Err(cause) => report.refused.push(format!("GETCONFIG {number}: {cause}")),
            }
        }
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words that only show. A new argument list has to be looked at here.
    #[test]
    fn every_argument_list_only_shows() {
        let lists = [
            (STORCLI_ALL, "/call show all J nolog"),
            (STORCLI_DRIVES, "/call/eall/sall show all J nolog"),
            (STORCLI_DIRECT, "/call/sall show all J nolog"),
            (STORCLI_VOLUMES, "/call/vall show all J nolog"),
            (SSACLI, "ctrl all show config detail"),
            (IRCU_LIST, "LIST"),
            (IRCU_DISPLAY, "N DISPLAY"),
            (ARCCONF, "GETCONFIG N"),
        ];
        for (list, words) in lists {
            assert_eq!(list.join(" "), words);
            for word in list {
                let known = word.starts_with("/call")
                    || ["show", "all", "J", "nolog", "ctrl", "config", "detail", "LIST", "N", "DISPLAY", "GETCONFIG"]
                        .contains(word);
                assert!(known, "{word}");
            }
        }
        // The source holds no other list.
        let source = include_str!("call.rs");
        let declared = source.lines().filter(|line| line.starts_with("const ") && line.contains("&[&str]")).count();
        assert_eq!(declared, lists.len());
        assert_eq!(call("sas3ircu", IRCU_DISPLAY, Some(2)).argv, ["sas3ircu", "2", "DISPLAY"]);
        assert_eq!(call("ssacli", SSACLI, None).argv, ["ssacli", "ctrl", "all", "show", "config", "detail"]);
    }

    #[test]
    fn drivers_have_tools() {
        for driver in ["megaraid_sas", "mpi3mr", "mpt3sas", "mpt2sas", "hpsa", "smartpqi", "aacraid"] {
            let makers = Maker::of_driver(driver);
            assert!(!makers.is_empty() && makers.iter().all(|maker| !maker.programs().is_empty()), "{driver}");
        }
        for driver in ["ahci", "nvme", "arcmsr", ""] {
            assert!(Maker::of_driver(driver).is_empty(), "{driver}");
        }
    }
}
