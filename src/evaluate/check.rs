//! A check as a value: what it asks of which subjects, and what becomes of each answer.

use super::facts::{self, Facts};
use super::finding::{Citation, Finding, Level, Verdict};
use super::truth::Truth;
use crate::inventory::{Drive, Inventory, Node, NumaNode, NvmeController};
use crate::reading::{Collection, Sources};

/// One property that is demanded.
pub struct Check {
    /// The identifier: subject and property, as in "media.identity".
    pub id: &'static str,
    /// The property, in one line.
    pub title: &'static str,
    /// How much it weighs.
    pub level: Level,
    /// What is asked of which subjects.
    pub test: Test,
    /// The verdict where the assertion is absent. Never a pass.
    pub when_absent: WhenAbsent,
    /// Why the demand exists.
    pub why: &'static str,
    /// What to do if it is not met.
    pub fix: &'static str,
    /// Where it comes from: title, address, clause.
    pub source: (&'static str, &'static str, &'static str),
}

/// What becomes of an absent assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenAbsent {
    /// It could not be told.
    Unknown,
    /// It does not apply.
    Skipped,
}

/// The conditions of a check, by the kind of its subject.
pub enum Test {
    /// The node as a whole.
    Node(Predicate<Node>),
    /// Each drive.
    Drive(Predicate<Drive>),
    /// Each NVMe controller.
    NvmeController(Predicate<NvmeController>),
    /// Each NUMA node.
    NumaNode(Predicate<NumaNode>),
}

/// Conditions over one subject; the node is there for context.
pub struct Predicate<T> {
    /// Whether the check applies; a reason in words goes with it.
    pub applies: fn(&Facts<'_>, &T, &Node) -> Truth,
    /// What a subject is that the check does not apply to.
    pub otherwise: &'static str,
    /// Whether the property holds.
    pub assert: fn(&Facts<'_>, &T) -> Truth,
    /// What was found, in one sentence.
    pub found: fn(&Facts<'_>, &T) -> String,
}

impl Check {
    /// Every verdict of this check on one node.
    pub(crate) fn judge(&self, inventory: &Inventory, node_name: &str) -> Vec<Finding> {
        let judging = Judging { check: self, inventory, node: node_name };
        let node = &inventory.node;
        match &self.test {
            Test::Node(predicate) => {
                let facts = Facts::new(inventory, "", &node.sources);
                match judging.subject(predicate, node, facts, "node".to_owned()) {
                    Outcome::Judged(finding) => vec![*finding],
                    Outcome::LeftOut => vec![judging.skipped(predicate.otherwise)],
                }
            }
            Test::Drive(predicate) => judging.each(predicate, "drives", "drive", &node.drives),
            Test::NvmeController(predicate) => {
                judging.each(predicate, "nvme_controllers", "NVMe controller", &node.nvme_controllers)
            }
            Test::NumaNode(predicate) => judging.each(predicate, "numa_nodes", "NUMA node", &node.numa_nodes),
        }
    }
}

/// A record that can be one of many subjects.
pub trait Subject {
    /// What tells it from its like, for a person.
    fn label(&self) -> String;
    /// Where its facts were read.
    fn sources(&self) -> &Sources;
}

impl Subject for Drive {
    fn label(&self) -> String {
        match (self.name.known(), self.serial.known()) {
            (Some(name), Some(serial)) => format!("{name} (serial {serial})"),
            (Some(name), None) => name.clone(),
            (None, Some(serial)) => format!("serial {serial}"),
            (None, None) => "without name".to_owned(),
        }
    }
    fn sources(&self) -> &Sources {
        &self.sources
    }
}

impl Subject for NvmeController {
    fn label(&self) -> String {
        self.name.known().cloned().unwrap_or_else(|| "without name".to_owned())
    }
    fn sources(&self) -> &Sources {
        &self.sources
    }
}

impl Subject for NumaNode {
    fn label(&self) -> String {
        self.id.known().map_or_else(|| "without number".to_owned(), u64::to_string)
    }
    fn sources(&self) -> &Sources {
        &self.sources
    }
}

enum Outcome {
    Judged(Box<Finding>),
    LeftOut,
}

struct Judging<'a> {
    check: &'a Check,
    inventory: &'a Inventory,
    node: &'a str,
}

impl Judging<'_> {
    /// An empty or partial selection never passes: what may be missing is a finding of its own.
    fn each<T: Subject>(
        &self,
        predicate: &Predicate<T>,
        path: &str,
        kind: &str,
        collection: &Collection<T>,
    ) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (index, item) in collection.items().iter().enumerate() {
            let facts = Facts::new(self.inventory, format!("{path}[{index}]"), item.sources());
            match self.subject(predicate, item, facts, format!("{kind} {}", item.label())) {
                Outcome::Judged(finding) => findings.push(*finding),
                Outcome::LeftOut => {}
            }
        }
        let reasons: Vec<String> = collection.reasons().iter().map(|id| facts::reason(self.inventory, *id)).collect();
        if !reasons.is_empty() {
            let mut finding = self.finding(format!("every {kind}"), Verdict::Unknown);
            finding.message = format!("there may be more than the {} seen: {}", findings.len(), reasons.join("; "));
            findings.push(finding);
        } else if findings.is_empty() {
            findings.push(self.skipped(&format!("no {kind} that this is about: {}", predicate.otherwise)));
        }
        findings
    }

    fn subject<T>(&self, predicate: &Predicate<T>, item: &T, facts: Facts<'_>, subject: String) -> Outcome {
        let undecided = |reasons: std::collections::BTreeSet<String>| {
            let mut finding = self.finding(subject.clone(), Verdict::Unknown);
            finding.message = reasons.into_iter().collect::<Vec<_>>().join("; ");
            finding
        };
        let mut finding = match (predicate.applies)(&facts, item, &self.inventory.node) {
            Truth::False => return Outcome::LeftOut,
            Truth::Unknown(reasons) => undecided(reasons),
            Truth::Absent => undecided(["it cannot be told whether this applies".to_owned()].into()),
            Truth::True => match (predicate.assert)(&facts, item) {
                Truth::True => {
                    let mut finding = self.finding(subject, Verdict::Pass);
                    finding.message = (predicate.found)(&facts, item);
                    finding
                }
                Truth::False => {
                    let mut finding = self.finding(subject, self.check.level.failed());
                    finding.message = (predicate.found)(&facts, item);
                    finding
                }
                Truth::Unknown(reasons) => undecided(reasons),
                Truth::Absent => {
                    let verdict = match self.check.when_absent {
                        WhenAbsent::Unknown => Verdict::Unknown,
                        WhenAbsent::Skipped => Verdict::Skipped,
                    };
                    let mut finding = self.finding(subject, verdict);
                    finding.message = (predicate.found)(&facts, item);
                    finding
                }
            },
        };
        finding.evidence = facts.into_evidence();
        Outcome::Judged(Box::new(finding))
    }

    fn skipped(&self, reason: &str) -> Finding {
        let mut finding = self.finding("node".to_owned(), Verdict::Skipped);
        finding.message = reason.to_owned();
        finding
    }

    fn finding(&self, subject: String, verdict: Verdict) -> Finding {
        let (title, url, clause) = self.check.source;
        Finding {
            check: self.check.id.to_owned(),
            title: self.check.title.to_owned(),
            node: self.node.to_owned(),
            subject,
            verdict,
            level: self.check.level,
            waived: None,
            message: String::new(),
            evidence: Vec::new(),
            limits: Vec::new(),
            why: self.check.why.to_owned(),
            fix: self.check.fix.to_owned(),
            sources: vec![Citation { title: title.to_owned(), url: url.to_owned(), clause: clause.to_owned() }],
            low_confidence: false,
        }
    }
}

/// A drive that is a volume of a hypervisor has no medium to judge; whether it is one cannot always be told.
pub(crate) fn on_bare_metal(facts: &Facts<'_>, node: &Node) -> Truth {
    let system = facts.node_record("system", |inventory| &inventory.node.system.sources);
    let truth = system.test("virtual_machine", &node.system.virtual_machine, |is| !is);
    facts.absorb(system);
    truth
}
