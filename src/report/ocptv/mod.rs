//! The report as OCP Test & Validation output: JSON lines that test executives read from a hardware diagnostic.
//!
//! One test run over one device under test: all nodes that were judged, told apart by `computerSystem`. A step is what
//! was judged of one kind of thing of one node. The format has PASS, FAIL and UNKNOWN; how verdicts map to these is in
//! [`diagnosis`] and [`end`]. Written from types of our own: the crate `ocptv` brings an async runtime, for it writes while a
//! test runs, and here everything is known before the first line.
//! Specification: <https://github.com/opencomputeproject/ocp-diag-core/blob/main/json_spec/README.md>, version 2.0.

mod types;

use super::Report;
use super::parts::Parts;
use crate::evaluate::finding::{Comparison, Finding, Level, Made, Overall, Verdict};
use crate::evaluate::kind_of;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use types::{
    Artifact, Body, Diagnosis, DiagnosisType, DutInfo, Error, HardwareInfo, Log, Measurement, PlatformInfo,
    RunArtifact, RunStart, Severity, SoftwareInfo, SoftwareType, Status, StepArtifact, StepBody, TestResult, Validator,
    ValidatorType,
};

/// How the program was called, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The command line, words apart by a blank.
    pub command_line: String,
    /// When the lines are written.
    pub at: jiff::Timestamp,
}

/// The report as JSON lines. `machines` are the parts of its machines, in their order.
///
/// # Errors
/// Only if a value cannot be JSON.
pub fn render(report: &Report, machines: &[Parts], invocation: &Invocation) -> Result<Vec<u8>, serde_json::Error> {
    let timestamp = invocation.at.to_string();
    let mut out = Lines { bytes: Vec::new(), number: 0, timestamp: &timestamp };
    let ids = Ids::of(report, machines);
    out.write(Body::SchemaVersion { major: 2, minor: 0 })?;
    out.run(RunArtifact::TestRunStart(start(report, machines, invocation)))?;
    out.run(RunArtifact::Log(Log { severity: Severity::Info, message: report.headline() }))?;
    for remain in &report.run.remains {
        let message = format!("remains: {}; {} ({})", remain.what, remain.why, remain.source);
        out.run(RunArtifact::Log(Log { severity: Severity::Warning, message }))?;
    }
    for missing in &report.run.certifying.missing {
        let message = format!("not certifying: {missing}");
        out.run(RunArtifact::Log(Log { severity: Severity::Info, message }))?;
    }
    for (place, step) in steps(report).iter().enumerate() {
        let id = (place + 1).to_string();
        out.step(&id, StepBody::TestStepStart { name: step.name() })?;
        for finding in &step.findings {
            let hardware = ids.find(finding);
            for measurement in measurements(finding, hardware.as_ref()) {
                out.step(&id, StepBody::Measurement(measurement))?;
            }
            if let Some(log) = log(finding) {
                out.step(&id, StepBody::Log(log))?;
            }
            if let Some(diagnosis) = diagnosis(finding, hardware) {
                out.step(&id, StepBody::Diagnosis(diagnosis))?;
            }
            if is_open(finding) {
                let message = format!("{}: {}", finding.check, finding.message);
                out.step(&id, StepBody::Error(Error { symptom: "not-judged", message }))?;
            }
        }
        out.step(&id, StepBody::TestStepEnd { status: step.status() })?;
    }
    if report.run.overall == Overall::Undetermined {
        let message = report.headline();
        out.run(RunArtifact::Error(Error { symptom: "undetermined", message }))?;
    }
    let (status, result) = end(report.run.overall);
    out.run(RunArtifact::TestRunEnd { status, result })?;
    Ok(out.bytes)
}

/// How the run ends. A run that leaves a requirement open has no result: it is no pass, and nothing failed either.
fn end(overall: Overall) -> (Status, TestResult) {
    match overall {
        Overall::Ready | Overall::ReadyWithWarnings => (Status::Complete, TestResult::Pass),
        Overall::NotReady => (Status::Complete, TestResult::Fail),
        Overall::Undetermined => (Status::Error, TestResult::NotApplicable),
    }
}

/// The diagnosis of a finding; none for what does not apply and for what is only worth knowing. The format has no word
/// between pass and fail: a warning and a failure that was waived are UNKNOWN, which claims neither, with a log of level
/// WARNING beside it.
fn diagnosis(finding: &Finding, hardware_info_id: Option<String>) -> Option<Diagnosis> {
    let waived = finding.waived.is_some();
    let (kind, word) = match finding.verdict {
        Verdict::Pass => (DiagnosisType::Pass, "pass"),
        Verdict::Fail if waived => (DiagnosisType::Unknown, "fail-waived"),
        Verdict::Fail => (DiagnosisType::Fail, "fail"),
        Verdict::Warn if waived => (DiagnosisType::Unknown, "warn-waived"),
        Verdict::Warn => (DiagnosisType::Unknown, "warn"),
        Verdict::Unknown => (DiagnosisType::Unknown, "unknown"),
        Verdict::Note | Verdict::Skipped => return None,
    };
    Some(Diagnosis {
        verdict: format!("{}-{word}", finding.check),
        kind,
        message: format!("{}: {}", finding.subject, finding.message),
        hardware_info_id,
    })
}

/// What a person reads: of everything that is neither a plain pass nor a plain failure.
fn log(finding: &Finding) -> Option<Log> {
    let Finding { check, subject, message, .. } = finding;
    let line = |severity, message| Some(Log { severity, message });
    if let Some(waived) = &finding.waived {
        let message = format!(
            "{check}: {subject}: {message}; waived until {} by {}: {}",
            waived.expires, waived.owner, waived.reason
        );
        return line(Severity::Warning, message);
    }
    match finding.verdict {
        Verdict::Pass | Verdict::Unknown => None,
        Verdict::Fail => line(Severity::Info, format!("{check}: what to do: {}", finding.fix)),
        Verdict::Warn => line(Severity::Warning, format!("{check}: {subject}: {message}; what to do: {}", finding.fix)),
        Verdict::Note => line(Severity::Info, format!("{check}: {subject}: {message}")),
        Verdict::Skipped => line(Severity::Debug, format!("{check}: {subject}: does not apply: {message}")),
    }
}

/// A requirement that could not be judged.
fn is_open(finding: &Finding) -> bool {
    finding.verdict == Verdict::Unknown && finding.level == Level::Must
}

/// What was read: of each comparison the left side with the right one as validator, then the facts that no comparison has.
/// What is absent or unknown was not measured.
fn measurements(finding: &Finding, hardware: Option<&String>) -> Vec<Measurement> {
    let metadata = |source: &str| {
        let mut metadata = BTreeMap::from([("check", finding.check.clone())]);
        if !source.is_empty() {
            metadata.insert("source", source.to_owned());
        }
        metadata
    };
    let mut all = Vec::new();
    for made in &finding.comparisons {
        let Some(validator) = validator(finding, made) else { continue };
        let read = finding.evidence.iter().find(|evidence| same(&evidence.fact, &made.left));
        all.push(Measurement {
            name: read.map_or_else(|| made.left.clone(), |read| read.fact.clone()),
            value: made.left_value.clone(),
            unit: made.unit,
            validators: vec![validator],
            hardware_info_id: hardware.cloned(),
            metadata: metadata(read.map_or("", |read| &read.source)),
        });
    }
    for evidence in &finding.evidence {
        let compared = |made: &Made| same(&evidence.fact, &made.left) && validator(finding, made).is_some();
        if evidence.value.is_null() || finding.comparisons.iter().any(compared) {
            continue;
        }
        let value = match &evidence.value {
            Value::Array(_) | Value::Object(_) => Value::from(evidence.shown.clone()),
            scalar => scalar.clone(),
        };
        all.push(Measurement {
            name: evidence.fact.clone(),
            value,
            unit: evidence.unit,
            validators: Vec::new(),
            hardware_info_id: hardware.cloned(),
            metadata: metadata(&evidence.source),
        });
    }
    all
}

/// Whether a fact is what a side of a comparison names: `drives[3].bytes` is `drive.bytes`.
fn same(fact: &str, written: &str) -> bool {
    let field = |path: &str| path.rsplit_once('.').map(|(_, field)| field.to_owned());
    let plain = written.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'));
    plain && field(written).is_some() && field(written) == field(fact)
}

/// A comparison as validator. None where the format cannot say it (values of two kinds, no scalars, an order of texts), and
/// none for a comparison that the check turns round: a validator must hold where the verdict is a pass.
fn validator(finding: &Finding, made: &Made) -> Option<Validator> {
    let passes = match finding.verdict {
        Verdict::Pass => true,
        Verdict::Fail | Verdict::Warn | Verdict::Note => false,
        Verdict::Unknown | Verdict::Skipped => return None,
    };
    if made.holds != Some(passes) {
        return None;
    }
    let (numbers, alike) = match (&made.left_value, &made.right_value) {
        (Value::Number(_), Value::Number(_)) => (true, true),
        (Value::String(_), Value::String(_)) | (Value::Bool(_), Value::Bool(_)) => (false, true),
        _ => (false, false),
    };
    let kind = match made.comparison {
        Comparison::Equal if alike => ValidatorType::Equal,
        Comparison::NotEqual if alike => ValidatorType::NotEqual,
        Comparison::Less if numbers => ValidatorType::LessThan,
        Comparison::AtMost if numbers => ValidatorType::LessThanOrEqual,
        Comparison::Greater if numbers => ValidatorType::GreaterThan,
        Comparison::AtLeast if numbers => ValidatorType::GreaterThanOrEqual,
        _ => return None,
    };
    Some(Validator { name: made.right.clone(), kind, value: made.right_value.clone() })
}

/// What was judged of one kind of thing of one node.
struct Step<'a> {
    node: &'a str,
    kind: &'static str,
    findings: Vec<&'a Finding>,
}

impl Step<'_> {
    fn name(&self) -> String {
        match self.node {
            "" => "all nodes".to_owned(),
            node => format!("{node}: {}", self.kind),
        }
    }

    fn status(&self) -> Status {
        if self.findings.iter().any(|finding| is_open(finding)) {
            Status::Error
        } else if self.findings.iter().all(|finding| finding.verdict == Verdict::Skipped) {
            Status::Skip
        } else {
            Status::Complete
        }
    }
}

/// Findings by node and kind of subject, in the order in which they come.
fn steps(report: &Report) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    let mut places: BTreeMap<(&str, &'static str), usize> = BTreeMap::new();
    for finding in &report.run.findings {
        let node = finding.node.as_str();
        let kind = if node.is_empty() { "cluster" } else { kind_of(&finding.subject) };
        let place = *places.entry((node, kind)).or_insert(steps.len());
        if place == steps.len() {
            steps.push(Step { node, kind, findings: Vec::new() });
        }
        if let Some(step) = steps.get_mut(place) {
            step.findings.push(finding);
        }
    }
    steps
}

/// The number of a part, from 1, through all machines.
fn id(place: usize) -> String {
    (place + 1).to_string()
}

/// The numbers by which findings name hardware; none for a name that two parts of a node have.
struct Ids<'a> {
    by_subject: BTreeMap<(&'a str, &'a str), Option<usize>>,
}

impl<'a> Ids<'a> {
    fn of(report: &'a Report, machines: &'a [Parts]) -> Self {
        let mut by_subject = BTreeMap::new();
        let nodes = report.run.nodes.iter().zip(machines);
        let parts = nodes.flat_map(|(node, parts)| parts.hardware.iter().map(|part| (node.name.as_str(), part)));
        for (place, (node, part)) in parts.enumerate() {
            by_subject.entry((node, part.subject.as_str())).and_modify(|place| *place = None).or_insert(Some(place));
        }
        Self { by_subject }
    }

    fn find(&self, finding: &Finding) -> Option<String> {
        self.by_subject.get(&(finding.node.as_str(), finding.subject.as_str())).copied().flatten().map(id)
    }
}

fn start<'a>(report: &'a Report, machines: &[Parts], invocation: &'a Invocation) -> RunStart<'a> {
    let run = &report.run;
    let packs: BTreeMap<&str, Value> = run
        .packs
        .iter()
        .map(|pack| (pack.name.as_str(), json!({ "version": pack.version, "digest": pack.digest })))
        .collect();
    let parameters = BTreeMap::from([
        ("solution", json!(report.solution)),
        ("asOf", json!(report.as_of.to_string())),
        ("packs", json!(packs)),
    ]);
    let name = match run.nodes.as_slice() {
        [node] => node.name.clone(),
        nodes => nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>().join(", "),
    };
    let mut software = vec![SoftwareInfo {
        software_info_id: "1".to_owned(),
        computer_system: None,
        software_type: SoftwareType::Application,
        name: "passmuster".to_owned(),
        version: Some(report.version.clone()),
    }];
    let mut hardware = Vec::new();
    let mut platforms = Vec::new();
    for (node, parts) in run.nodes.iter().zip(machines) {
        if let Some(platform) = &node.platform {
            platforms.push(PlatformInfo { info: format!("{}: {platform}", node.name) });
        }
        for item in &parts.software {
            software.push(SoftwareInfo {
                software_info_id: (software.len() + 1).to_string(),
                computer_system: Some(node.name.clone()),
                software_type: if item.is_firmware { SoftwareType::Firmware } else { SoftwareType::System },
                name: item.name.clone(),
                version: item.version.clone(),
            });
        }
        for part in &parts.hardware {
            hardware.push(HardwareInfo {
                hardware_info_id: id(hardware.len()),
                computer_system: node.name.clone(),
                name: part.name.clone(),
                part_type: part.kind,
                manufacturer: part.vendor.clone(),
                manufacturer_part_number: part.model.clone(),
                serial_number: part.serial.clone(),
                location: part.location.clone(),
                revision: part.firmware.clone(),
            });
        }
    }
    RunStart {
        name: "passmuster",
        version: &report.version,
        command_line: &invocation.command_line,
        parameters,
        dut_info: DutInfo {
            dut_info_id: "1",
            name,
            platform_infos: platforms,
            software_infos: software,
            hardware_infos: hardware,
        },
    }
}

struct Lines<'a> {
    bytes: Vec<u8>,
    number: u64,
    timestamp: &'a str,
}

impl Lines<'_> {
    fn write(&mut self, body: Body<'_>) -> Result<(), serde_json::Error> {
        let artifact = Artifact { body, sequence_number: self.number, timestamp: self.timestamp };
        self.bytes.extend(super::json::to_line(&artifact)?);
        self.number += 1;
        Ok(())
    }

    fn run(&mut self, artifact: RunArtifact<'_>) -> Result<(), serde_json::Error> {
        self.write(Body::TestRunArtifact(artifact))
    }

    fn step(&mut self, test_step_id: &str, body: StepBody) -> Result<(), serde_json::Error> {
        self.write(Body::TestStepArtifact(StepArtifact { test_step_id, body }))
    }
}
