//! What a maker's tool told, as plain values: what the parsers give, before it becomes readings. Pure.

use crate::inventory::raid::WritePolicy;
use crate::inventory::{Media, Transport};

/// One figure or word of a tool's output.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Told<T> {
    /// It is there.
    Value(T),
    /// The tool says that there is none, or never has such a thing.
    Nothing,
    /// The output does not say.
    #[default]
    Untold,
    /// It is there and not what its format demands; the cause.
    Wrong(String),
}

impl<T> Told<T> {
    /// The value, if it was told.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Nothing | Self::Untold | Self::Wrong(_) => None,
        }
    }

    /// Another value made of it, which may be wrong.
    pub(super) fn and_then<U>(self, f: impl FnOnce(T) -> Told<U>) -> Told<U> {
        match self {
            Self::Value(value) => f(value),
            Self::Nothing => Told::Nothing,
            Self::Untold => Told::Untold,
            Self::Wrong(cause) => Told::Wrong(cause),
        }
    }

    /// This, or another where this was not told.
    pub(super) fn or(self, other: impl FnOnce() -> Self) -> Self {
        if matches!(self, Self::Untold) { other() } else { self }
    }
}

impl<T> From<Result<T, String>> for Told<T> {
    fn from(result: Result<T, String>) -> Self {
        match result {
            Ok(value) => Self::Value(value),
            Err(cause) => Self::Wrong(cause),
        }
    }
}

/// All that one tool told.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// Its controllers.
    pub controllers: Vec<Controller>,
    /// What it refused, in its words.
    pub refused: Vec<String>,
}

/// One controller.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(missing_docs, reason = "the facts of inventory::raid::RaidController, by their names")]
pub struct Controller {
    pub name: String,
    /// PCI function, as the kernel writes it.
    pub pci_address: Option<String>,
    pub model: Told<String>,
    pub serial: Told<String>,
    pub firmware: Told<String>,
    pub personality: Told<String>,
    pub status: Told<String>,
    pub firmware_package: Told<String>,
    pub battery: Told<String>,
    pub battery_model: Told<String>,
    pub memory: Told<u64>,
    /// In percent.
    pub rebuild_rate: Told<u64>,
    /// In percent.
    pub patrol_read_rate: Told<u64>,
    pub memory_correctable_errors: Told<u64>,
    pub memory_uncorrectable_errors: Told<u64>,
    pub temperature: Told<i64>,
    pub volumes: Vec<Volume>,
    pub drives: Vec<Drive>,
    /// Why volumes or drives may be missing.
    pub gaps: Vec<String>,
}

/// One volume.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(missing_docs, reason = "the facts of inventory::raid::RaidVolume, by their names")]
pub struct Volume {
    pub name: String,
    pub label: Told<String>,
    pub level: Told<String>,
    pub bytes: Told<u64>,
    pub state: Told<String>,
    pub block_device: Told<String>,
    pub drives: Told<Vec<String>>,
    pub write_policy: Told<WritePolicy>,
    pub read_ahead: Told<bool>,
    pub drive_cache: Told<String>,
}

/// One physical drive, hidden or not.
#[derive(Debug, Clone, PartialEq, Default)]
#[expect(missing_docs, reason = "the facts of inventory::hidden::HiddenDrive, by their names")]
pub struct Drive {
    pub name: String,
    pub enclosure: Told<String>,
    pub slot: Told<String>,
    pub model: Told<String>,
    pub serial: Told<String>,
    pub firmware: Told<String>,
    pub bytes: Told<u64>,
    pub media: Told<Media>,
    pub transport: Told<Transport>,
    pub state: Told<String>,
    pub volume: Told<String>,
    pub media_error_count: Told<u64>,
    pub other_error_count: Told<u64>,
    pub predictive_failure_count: Told<u64>,
    /// The drive's own SMART alert is on.
    pub alert: Told<bool>,
    pub temperature: Told<i64>,
    pub link_speed: Told<u64>,
    pub max_link_speed: Told<u64>,
    /// World Wide Name, lower-case hexadecimal.
    pub wwn: Option<String>,
    /// The tool says that the system sees it as it is.
    pub exposed: bool,
}
