//! passmuster decides, before a cluster is built, whether its hardware passes muster.
//!
//! One way through the house: a [`host::Host`] is read by [`collect`] into an
//! [`inventory::Inventory`] of typed readings; from there on everything is pure: [`evaluate`]
//! judges the inventory and [`report`] shows the findings. `docs/architecture.md` has the map.

#[macro_use]
mod record;

pub mod cli;
pub mod collect;
mod enrich;
pub mod evaluate;
pub mod expr;
pub mod host;
pub mod inventory;
pub mod reading;
pub mod report;
mod roles;
pub mod rules;
pub mod units;
pub mod verdict;
pub mod view;
mod words;
