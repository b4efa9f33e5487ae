//! What the field knows, as written: `rules/knowledge/*.yaml`.

use crate::rules::read::{At, Choice, Count, Flag, choice, raw};
use crate::rules::text::{Line, PatternText, Prose, ValueText};
use crate::verdict::Level;

raw! {
    /// One file of knowledge.
    pub struct RawKnowledge {
        /// Drives by model.
        pub drives: Option<Vec<RawDriveRow>>,
        /// Firmware with known faults.
        pub advisories: Option<Vec<RawAdvisory>>,
        /// Storage controllers by name.
        pub controllers: Option<Vec<RawControllerRow>>,
        /// Network interfaces by name.
        pub nics: Option<Vec<RawNicRow>>,
        /// Processors by model.
        pub cpus: Option<Vec<RawCpuRow>>,
    }
}

/// How well a row is founded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Founded {
    /// Verified at the source.
    Verified,
    /// By a reference report.
    Reported,
    /// By memory: low confidence, can at most warn.
    Memory,
}
choice!("confidence", Founded { Verified = "V", Reported = "S", Memory = "M" });

words! {
    /// What a drive is made for.
    pub enum DriveClass {
        /// For servers.
        Enterprise = "enterprise",
        /// For desktops and laptops.
        Client = "client",
        /// To start a server from.
        Boot = "boot",
        /// Shingled magnetic recording.
        Smr = "smr",
    }
}

words! {
    /// What workload a drive is rated for.
    pub enum DriveUse {
        /// Up to about one write a day.
        ReadIntensive = "read-intensive",
        /// About three writes a day.
        MixedUse = "mixed-use",
        /// Ten writes a day or more.
        WriteIntensive = "write-intensive",
    }
}

impl Choice for DriveClass {
    const WHAT: &'static str = "class";
    const ALL: &'static [Self] = &[Self::Enterprise, Self::Client, Self::Boot, Self::Smr];
    const FIRST: Self = Self::Enterprise;
    fn word(self) -> &'static str {
        self.word()
    }
}

impl Choice for DriveUse {
    const WHAT: &'static str = "use";
    const ALL: &'static [Self] = &[Self::ReadIntensive, Self::MixedUse, Self::WriteIntensive];
    const FIRST: Self = Self::ReadIntensive;
    fn word(self) -> &'static str {
        self.word()
    }
}

raw! {
    /// Drives of one family.
    pub struct RawDriveRow {
        /// A regular expression on the model.
        pub model: PatternText,
        /// Maker.
        pub vendor: Line,
        /// Family.
        pub family: Line,
        /// What it is made for.
        pub class: At<DriveClass>,
        /// nvme, sas or sata.
        pub interface: Option<Line>,
        /// Holds what it acknowledged when the power goes.
        pub power_loss_protection: Option<Flag>,
        /// Rated drive writes a day, as in `3DWPD`.
        pub endurance: Option<ValueText>,
        /// What it is rated for.
        pub r#use: Option<At<DriveUse>>,
        /// Rated 4 KiB random reads, as in `800000iops`.
        pub random_read: Option<ValueText>,
        /// Rated 4 KiB random writes.
        pub random_write: Option<ValueText>,
        /// Rated sequential read, as in `6.5GB/s`.
        pub sequential_read: Option<ValueText>,
        /// Rated sequential write.
        pub sequential_write: Option<ValueText>,
        /// Models that the pattern matches.
        pub matches: Vec<Line>,
        /// Models near to it that it does not match.
        pub near_misses: Vec<Line>,
        /// Where it is said.
        pub source: Line,
        /// How well it is founded.
        pub confidence: At<Founded>,
    }
}

raw! {
    /// Firmware with a known fault.
    pub struct RawAdvisory {
        /// Its name in the field, as in `HPE a00092491`.
        pub id: Line,
        /// A regular expression on the model.
        pub model: PatternText,
        /// Scheme by which firmware revisions are compared.
        pub scheme: Line,
        /// Revisions with the fault, in the words of the scheme.
        pub affected: Line,
        /// First revision without it.
        pub fixed: Option<Line>,
        /// Fails after this many hours of power.
        pub hours: Option<Count>,
        /// What happens.
        pub effect: Prose,
        /// How much it weighs.
        pub level: At<Level>,
        /// Models that the pattern matches.
        pub matches: Vec<Line>,
        /// Models near to it that it does not match.
        pub near_misses: Vec<Line>,
        /// Where it is said.
        pub source: Line,
        /// How well it is founded.
        pub confidence: At<Founded>,
    }
}

raw! {
    /// A storage controller.
    pub struct RawControllerRow {
        /// A regular expression on the name.
        pub name: PatternText,
        /// What it is.
        pub what: Line,
        /// Whether drives behind it are seen as they are.
        pub pass_through: Option<Flag>,
        /// Names that the pattern matches.
        pub matches: Vec<Line>,
        /// Names near to it that it does not match.
        pub near_misses: Vec<Line>,
        /// Where it is said.
        pub source: Line,
        /// How well it is founded.
        pub confidence: At<Founded>,
    }
}

raw! {
    /// A network interface.
    pub struct RawNicRow {
        /// A regular expression on the name.
        pub name: PatternText,
        /// What it is.
        pub what: Line,
        /// RDMA protocols that it speaks.
        pub rdma: Option<Vec<Line>>,
        /// PCIe lanes that its full rate takes.
        pub lanes: Option<Count>,
        /// Names that the pattern matches.
        pub matches: Vec<Line>,
        /// Names near to it that it does not match.
        pub near_misses: Vec<Line>,
        /// Where it is said.
        pub source: Line,
        /// How well it is founded.
        pub confidence: At<Founded>,
    }
}

raw! {
    /// A processor family.
    pub struct RawCpuRow {
        /// A regular expression on the model.
        pub model: PatternText,
        /// What it is.
        pub what: Line,
        /// Memory channels a socket.
        pub memory_channels: Option<Count>,
        /// Highest memory transfer rate, as in `3200MT/s`.
        pub memory_rate: Option<ValueText>,
        /// Models that the pattern matches.
        pub matches: Vec<Line>,
        /// Models near to it that it does not match.
        pub near_misses: Vec<Line>,
        /// Where it is said.
        pub source: Line,
        /// How well it is founded.
        pub confidence: At<Founded>,
    }
}
