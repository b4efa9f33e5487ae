//! The site file as written: `muster.yaml`, what one deployment says about itself.

use crate::rules::raw::check::RawSetting;
use crate::rules::raw::pack::{NicRole, RawDemand, RawDriveRole};
use crate::rules::read::{At, Count, Entries, raw};
use crate::rules::subject::Subject;
use crate::rules::text::{CheckIdText, DateText, ExpressionText, Line, Name, Prose, ValueText};

raw! {
    /// One deployment.
    pub struct RawSite {
        /// The solution that will run on it, as with `--for`.
        pub solution: Option<Name>,
        /// Its nodes: host names or sets like `node[01-16]`.
        pub nodes: Option<Vec<Line>>,
        /// Its networks: which interface belongs to which. Asked before the pack's own rules.
        pub networks: Option<Vec<RawNetwork>>,
        /// Drives whose role is known. Asked before the pack's own rules.
        pub drives: Option<Vec<RawDriveRole>>,
        /// Planned working set of one node, as in `2TB`; `site.working_set` in expressions.
        pub working_set: Option<ValueText>,
        /// Figures of packs, by name.
        pub params: Option<Entries<RawSetting>>,
        /// What was bought, a node: `uniform` alone passes when every node lacks the same drive.
        pub bill_of_materials: Option<Vec<RawBillItem>>,
        /// Other demands than those of the packs, by check. A milder one counts as a waiver.
        pub overrides: Option<Entries<RawDemand>>,
        /// Failures that somebody answers for.
        pub waivers: Option<Vec<RawWaiver>>,
    }
}

raw! {
    /// One network.
    pub struct RawNetwork {
        /// Its name.
        pub name: Line,
        /// What its interfaces are meant for.
        pub role: At<NicRole>,
        /// Which interfaces: `nic` and `node` are seen, raw facts and knowledge only.
        pub when: ExpressionText,
    }
}

raw! {
    /// One line of the bill of materials.
    pub struct RawBillItem {
        /// What was bought, in words.
        pub what: Line,
        /// What it is.
        pub r#for: At<Subject>,
        /// Which of them.
        pub r#where: Option<ExpressionText>,
        /// How many a node has.
        pub count: Count,
        /// Which nodes; all by default: `node` is seen.
        pub nodes: Option<ExpressionText>,
    }
}

raw! {
    /// A failure that somebody answers for.
    pub struct RawWaiver {
        /// The check.
        pub check: CheckIdText,
        /// Which nodes and subjects: `node` and the subject of the check are seen. `true` for all.
        pub scope: ExpressionText,
        /// Why.
        pub reason: Prose,
        /// Who answers for it.
        pub owner: Line,
        /// The last day on which it counts.
        pub expires: DateText,
    }
}
