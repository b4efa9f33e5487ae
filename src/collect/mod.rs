//! From a [`Host`] to an [`Inventory`]: one file a section. Asks and parses; never judges, never aborts.

pub mod ledger;
