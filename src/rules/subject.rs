//! What a check can be about, and where in the facts of a node it is found.
//!
//! The only table of subjects: adding one is a line here.

use crate::inventory::Node;
use crate::reading::{FactType, Record, RecordType};
use crate::rules::read::Choice;

/// What a check is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subject(usize);

/// The word of a subject, which is its name in expressions too; and the path of its collection under `node`.
const TABLE: &[(&str, &[&str])] = &[
    ("node", &[]),
    ("cluster", &[]),
    ("cpu", &["cpu", "packages"]),
    ("cache", &["cpu", "caches"]),
    ("numa", &["numa_nodes"]),
    ("drive", &["drives"]),
    ("nvme", &["nvme_controllers"]),
    ("block", &["block_devices"]),
    ("nic", &["nics"]),
    ("bond", &["bonds"]),
    ("rdma", &["rdma_devices"]),
    ("pci", &["pci_functions"]),
    ("controller", &["storage_controllers"]),
    ("link", &["pci_links"]),
    ("dimm", &["dimms"]),
    ("processor", &["processor_sockets"]),
    ("edac", &["memory_controllers"]),
    ("volume", &["raid_volumes"]),
    ("hidden", &["hidden_drives"]),
    ("enclosure", &["enclosures"]),
];

impl Subject {
    /// The whole node.
    pub const NODE: Self = Self(0);
    /// All nodes together.
    pub const CLUSTER: Self = Self(1);

    /// One that could not be read, which is recorded.
    pub(crate) const BROKEN: Self = Self(usize::MAX);

    /// Every subject.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..TABLE.len()).map(Self)
    }

    /// The subject of a word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::all().find(|subject| subject.name() == word)
    }

    /// The word in `for:`, which is its name in expressions.
    #[must_use]
    pub fn name(self) -> &'static str {
        TABLE.get(self.0).map_or("", |(name, _)| name)
    }

    /// Where its elements are under `node`; empty for the node and the cluster.
    #[must_use]
    pub fn path(self) -> &'static [&'static str] {
        TABLE.get(self.0).map_or(&[], |(_, path)| path)
    }

    /// The facts of one element. `None` for the cluster, which has only the keys that a check declares.
    #[must_use]
    pub fn record(self) -> Option<&'static RecordType> {
        if self == Self::CLUSTER || self == Self::BROKEN {
            return None;
        }
        let mut record = Node::record_type();
        for step in self.path() {
            let field = (record.fields)().into_iter().find(|field| field.name == *step)?;
            match field.fact {
                FactType::Record(next) | FactType::Collection(next) => record = next,
                _ => return None,
            }
        }
        Some(record)
    }
}

impl Choice for Subject {
    const WHAT: &'static str = "subject";
    #[rustfmt::skip]
    const ALL: &'static [Self] = &[
        Self(0), Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7), Self(8), Self(9), Self(10), Self(11), Self(12),
        Self(13), Self(14), Self(15), Self(16), Self(17), Self(18), Self(19),
    ];
    const FIRST: Self = Self::BROKEN;
    fn word(self) -> &'static str {
        self.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subject_is_a_collection_of_the_node() {
        assert_eq!(Subject::ALL.len(), TABLE.len());
        for subject in Subject::all().skip(2) {
            let record = subject.record().unwrap_or_else(|| panic!("{} has no facts", subject.name()));
            let mut facts = FactType::Record(Node::record_type());
            for step in subject.path() {
                let FactType::Record(within) = facts else { panic!("{step} is in no record") };
                facts = (within.fields)().into_iter().find(|field| field.name == *step).expect(step).fact;
            }
            assert_eq!(facts, FactType::Collection(record), "{}", subject.name());
            assert_eq!(Subject::named(subject.name()), Some(subject));
        }
        assert_eq!(Subject::NODE.name(), "node");
        assert_eq!(Subject::CLUSTER.name(), "cluster");
        assert_eq!(Subject::CLUSTER.record(), None);
    }
}
