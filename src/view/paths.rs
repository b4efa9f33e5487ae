//! Where in a node's tree a record stands, found by the record's address.
//!
//! Expressions do not carry paths along: filtering, sorting and grouping copy values, and a copied record is still
//! the same record. So the paths of the facts that a finding rests on are looked up afterwards.

use super::{Record, Value};
use std::fmt::Write as _;

/// One step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// A field of a record.
    Field(&'a str),
    /// A position in a list.
    Item(usize),
}

/// The place of every record of some trees.
#[derive(Debug, Default)]
pub struct Paths<'a> {
    /// By address of the record: its place in `places`.
    addresses: Vec<(usize, usize)>,
    places: Vec<Place<'a>>,
}

#[derive(Debug)]
struct Place<'a> {
    parent: Option<usize>,
    steps: [Option<Step<'a>>; 2],
    record: Record<'a>,
}

impl<'a> Paths<'a> {
    /// Walks the trees. Of two places of one record the first counts; a root's name may be empty, as in a path
    /// `drives[3]` that leaves out "node.".
    #[must_use]
    pub fn new(roots: &[(&'a str, Value<'a>)]) -> Self {
        let mut paths = Self::default();
        for (name, value) in roots {
            let step = (!name.is_empty()).then_some(Step::Field(name));
            paths.walk(*value, None, [step, None]);
        }
        paths.addresses.sort_unstable();
        paths.addresses.dedup_by_key(|(address, _)| *address);
        paths
    }

    fn walk(&mut self, value: Value<'a>, parent: Option<usize>, steps: [Option<Step<'a>>; 2]) {
        match value {
            Value::Record(record) => {
                let place = self.places.len();
                self.places.push(Place { parent, steps, record });
                self.addresses.push((record.as_ptr().addr(), place));
                for (name, value) in record {
                    self.walk(*value, Some(place), [Some(Step::Field(name)), None]);
                }
            }
            Value::Low(low) => self.walk(low.value, parent, steps),
            other => {
                for (position, item) in other.items().unwrap_or_default().iter().enumerate() {
                    // A list of lists of records has no third step: no schema has one.
                    if let [step, None] = steps {
                        self.walk(*item, parent, [step, Some(Step::Item(position))]);
                    }
                }
            }
        }
    }

    fn place(&self, record: Record<'_>) -> Option<usize> {
        let found = self.addresses.binary_search_by_key(&record.as_ptr().addr(), |(address, _)| *address).ok()?;
        self.addresses.get(found).map(|(_, place)| *place)
    }

    /// The steps from the root to a record; `None` if it stands in none of the trees.
    #[must_use]
    pub fn steps(&self, record: Record<'_>) -> Option<Vec<Step<'a>>> {
        let mut steps = Vec::new();
        let mut next = Some(self.place(record)?);
        while let Some(place) = next.and_then(|place| self.places.get(place)) {
            steps.extend(place.steps.iter().rev().flatten());
            next = place.parent;
        }
        steps.reverse();
        Some(steps)
    }

    /// The path of a record's field, as in `drives[3].bytes`; `None` if the record stands in none of the trees.
    #[must_use]
    pub fn path(&self, record: Record<'_>, field: &str) -> Option<String> {
        let mut path = String::new();
        for step in self.steps(record)? {
            match step {
                Step::Field(name) if path.is_empty() => path.push_str(name),
                Step::Field(name) => {
                    path.push('.');
                    path.push_str(name);
                }
                Step::Item(position) => {
                    let _ = write!(path, "[{position}]");
                }
            }
        }
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(field);
        Some(path)
    }

    /// Where a record's field was read: an index into the inventory's `sources`. Where the record notes none, the
    /// records around it are asked for the field that holds it.
    #[must_use]
    pub fn source(&self, record: Record<'_>, field: &str) -> Option<u32> {
        let noted = |record: Record<'_>, field: &str| match Value::Record(record).at(&["sources", field]) {
            Some(Value::Int(source)) => u32::try_from(source).ok(),
            _ => None,
        };
        if let Some(source) = noted(record, field) {
            return Some(source);
        }
        let mut next = self.place(record);
        while let Some(place) = next.and_then(|place| self.places.get(place)) {
            let around = place.parent.and_then(|parent| self.places.get(parent))?;
            if let Some(Step::Field(name)) = place.steps.first().copied().flatten()
                && let Some(source) = noted(around.record, name)
            {
                return Some(source);
            }
            next = place.parent;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::write;
    use bumpalo::Bump;
    use serde_json::json;

    #[test]
    fn records_are_found_by_their_address() {
        let arena = Bump::new();
        let json = json!({
            "cpu": { "cores": 4, "sources": { "cores": 7 } },
            "drives": [{ "bytes": 1 }, {}, { "bytes": 3, "sources": { "bytes": 2 } }],
            "sources": { "drives": 9 }
        });
        let node = write(&json, &arena, &[]).unwrap();
        let paths = Paths::new(&[("node", node)]);
        let record = |path: &[&str]| match node.at(path) {
            Some(Value::Record(record)) => record,
            other => panic!("{other:?}"),
        };
        assert_eq!(paths.path(record(&["cpu"]), "cores").unwrap(), "node.cpu.cores");
        assert_eq!(paths.path(record(&["drives", "2"]), "bytes").unwrap(), "node.drives[2].bytes");
        assert_eq!(paths.path(record(&["drives", "1"]), "bytes").unwrap(), "node.drives[1].bytes");
        assert_eq!(Paths::new(&[("", node)]).path(record(&["drives", "2"]), "bytes").unwrap(), "drives[2].bytes");
        assert_eq!(paths.source(record(&["drives", "2"]), "bytes"), Some(2));
        assert_eq!(paths.source(record(&["drives", "0"]), "bytes"), Some(9));
        assert_eq!(paths.source(record(&["cpu"]), "threads"), None);
        let other = Value::record(&[("bytes", Value::Int(1))], &arena);
        let Value::Record(other) = other else { panic!() };
        assert!(paths.path(other, "bytes").is_none());
    }
}
