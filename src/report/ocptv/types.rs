//! The messages of the OCP Test & Validation output specification 2.0 that a report is made of.
//!
//! Names and shapes are the specification's (opencomputeproject/ocp-diag-core, json_spec/README.md). Only what is written is
//! here: there are no series and no files in a report.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// One line.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Artifact<'a> {
    #[serde(flatten)]
    pub(crate) body: Body<'a>,
    pub(crate) sequence_number: u64,
    pub(crate) timestamp: &'a str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Body<'a> {
    SchemaVersion { major: u32, minor: u32 },
    TestRunArtifact(RunArtifact<'a>),
    TestStepArtifact(StepArtifact<'a>),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum RunArtifact<'a> {
    TestRunStart(RunStart<'a>),
    TestRunEnd { status: Status, result: TestResult },
    Log(Log),
    Error(Error),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StepArtifact<'a> {
    pub(crate) test_step_id: &'a str,
    #[serde(flatten)]
    pub(crate) body: StepBody,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StepBody {
    TestStepStart { name: String },
    TestStepEnd { status: Status },
    Measurement(Measurement),
    Diagnosis(Diagnosis),
    Log(Log),
    Error(Error),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RunStart<'a> {
    pub(crate) name: &'static str,
    pub(crate) version: &'a str,
    pub(crate) command_line: &'a str,
    pub(crate) parameters: BTreeMap<&'static str, Value>,
    pub(crate) dut_info: DutInfo,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DutInfo {
    pub(crate) dut_info_id: &'static str,
    pub(crate) name: String,
    pub(crate) platform_infos: Vec<PlatformInfo>,
    pub(crate) software_infos: Vec<SoftwareInfo>,
    pub(crate) hardware_infos: Vec<HardwareInfo>,
}

#[derive(Debug, Serialize)]
pub(crate) struct PlatformInfo {
    pub(crate) info: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SoftwareInfo {
    pub(crate) software_info_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) computer_system: Option<String>,
    pub(crate) software_type: SoftwareType,
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum SoftwareType {
    Firmware,
    System,
    Application,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HardwareInfo {
    pub(crate) hardware_info_id: String,
    pub(crate) computer_system: String,
    pub(crate) name: String,
    pub(crate) part_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) manufacturer: Option<String>,
    /// The model, which is what a maker takes orders by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) manufacturer_part_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) serial_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) location: Option<String>,
    /// The revision of its firmware.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) revision: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Measurement {
    pub(crate) name: String,
    /// Text, a number or a flag.
    pub(crate) value: Value,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(crate) unit: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) validators: Vec<Validator>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hardware_info_id: Option<String>,
    pub(crate) metadata: BTreeMap<&'static str, String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Validator {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: ValidatorType,
    pub(crate) value: Value,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum ValidatorType {
    Equal,
    NotEqual,
    LessThan,
    LessThanOrEqual,
    GreaterThan,
    GreaterThanOrEqual,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Diagnosis {
    pub(crate) verdict: String,
    #[serde(rename = "type")]
    pub(crate) kind: DiagnosisType,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hardware_info_id: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum DiagnosisType {
    Pass,
    Fail,
    Unknown,
}

#[derive(Debug, Serialize)]
pub(crate) struct Log {
    pub(crate) severity: Severity,
    pub(crate) message: String,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Severity {
    Info,
    Debug,
    Warning,
}

#[derive(Debug, Serialize)]
pub(crate) struct Error {
    pub(crate) symptom: &'static str,
    pub(crate) message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Status {
    Complete,
    Error,
    Skip,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum TestResult {
    NotApplicable,
    Pass,
    Fail,
}
