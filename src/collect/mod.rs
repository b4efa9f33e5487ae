//! From a [`Host`](crate::host::Host) to an [`Inventory`](crate::inventory::Inventory): one file a section. Asks and parses; never judges, never aborts.

pub mod ledger;
