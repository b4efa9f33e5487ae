//! One neighbour while it is put together from what an agent printed.

use super::tlv::{Ets, Told};
use crate::collect::ledger::{Ledger, Read};
use crate::inventory::dcb::LldpNeighbour;
use crate::reading::{Reading, SourceId};
use crate::units::Bytes;

/// A fact: what was announced, nothing, or why it cannot be read.
type Announced<T> = Result<Option<T>, String>;

/// What was announced so far.
pub(super) struct Draft {
    pub(super) interface: String,
    pub(super) agent: &'static str,
    pub(super) chassis_id: Announced<String>,
    pub(super) port_id: Announced<String>,
    pub(super) port_description: Announced<String>,
    pub(super) system_name: Announced<String>,
    pub(super) system_description: Announced<String>,
    pub(super) management_addresses: Vec<String>,
    pub(super) pvid: Announced<u64>,
    pub(super) vlans: Vec<u64>,
    pub(super) vlan_names: Vec<String>,
    pub(super) max_frame: Announced<u64>,
    pub(super) aggregated: Announced<bool>,
    pub(super) pfc: Announced<(bool, u64, Vec<u64>)>,
    pub(super) ets: Announced<Ets>,
    pub(super) recommended: Announced<Vec<u64>>,
    pub(super) applications: Announced<Vec<String>>,
    /// The priorities with PFC are those of CEE, which IEEE's outrank.
    by_cee: bool,
}

impl Draft {
    pub(super) fn new(interface: &str, agent: &'static str) -> Self {
        Self {
            interface: interface.to_owned(),
            agent,
            chassis_id: Ok(None),
            port_id: Ok(None),
            port_description: Ok(None),
            system_name: Ok(None),
            system_description: Ok(None),
            management_addresses: Vec::new(),
            pvid: Ok(None),
            vlans: Vec::new(),
            vlan_names: Vec::new(),
            max_frame: Ok(None),
            aggregated: Ok(None),
            pfc: Ok(None),
            ets: Ok(None),
            recommended: Ok(None),
            applications: Ok(None),
            by_cee: false,
        }
    }

    /// Takes a TLV that the agent passed on undecoded.
    pub(super) fn take(&mut self, oui: [u8; 3], subtype: u8, body: &[u8]) {
        match super::tlv::parse(oui, subtype, body) {
            Ok(told) => told.into_iter().for_each(|told| self.add(told)),
            Err(cause) => self.broken(oui, subtype, cause),
        }
    }

    fn add(&mut self, told: Told) {
        match told {
            Told::Ets(ets) => self.ets = Ok(Some(ets)),
            Told::Recommended { bandwidth } => self.recommended = Ok(Some(bandwidth)),
            Told::Pfc { cee: true, .. } if matches!(self.pfc, Ok(Some(_)) | Err(_)) && !self.by_cee => {}
            Told::Pfc { willing, capability, priorities, cee } => {
                self.pfc = Ok(Some((willing, capability, priorities)));
                self.by_cee = cee;
            }
            Told::Applications(applications) => self.applications = Ok(Some(applications)),
            Told::Aggregated(aggregated) => self.aggregated = Ok(Some(aggregated)),
            Told::Other => {}
        }
    }

    /// What was announced there cannot be told.
    fn broken(&mut self, oui: [u8; 3], subtype: u8, cause: String) {
        match (oui, subtype) {
            (_, 7) => self.aggregated = Err(cause),
            (_, 9) => self.ets = Err(cause),
            (_, 10) => self.recommended = Err(cause),
            (_, 12) => self.applications = Err(cause),
            _ => self.pfc = Err(cause),
        }
    }

    /// The record.
    pub(super) fn finish(mut self, ledger: &Ledger<'_>, source: SourceId) -> LldpNeighbour {
        let name = format!("what the neighbour of {} announces", self.interface);
        let mut record = LldpNeighbour::default();
        self.vlans.extend(self.pvid.as_ref().ok().copied().flatten().filter(|pvid| *pvid != 0));
        self.vlans.sort_unstable();
        self.vlans.dedup();
        macro_rules! known {
            ($field:ident, $value:expr) => {
                set!(record.$field, Read { reading: Reading::Known($value), source })
            };
        }
        macro_rules! announced {
            ($field:ident, $value:expr) => {
                set!(
                    record.$field,
                    Read {
                        reading: match $value {
                            Ok(Some(value)) => Reading::Known(value),
                            Ok(None) => Reading::Absent,
                            Err(cause) => ledger.malformed(&name, cause),
                        },
                        source
                    }
                )
            };
        }
        known!(interface, self.interface);
        known!(agent, self.agent.to_owned());
        known!(management_addresses, self.management_addresses);
        known!(vlans, self.vlans);
        known!(vlan_names, self.vlan_names);
        announced!(chassis_id, self.chassis_id);
        announced!(port_id, self.port_id);
        announced!(port_description, self.port_description);
        announced!(system_name, self.system_name);
        announced!(system_description, self.system_description);
        announced!(pvid, self.pvid);
        announced!(max_frame, self.max_frame.map(|bytes| bytes.map(Bytes)));
        announced!(aggregated, self.aggregated);
        announced!(pfc_willing, self.pfc.clone().map(|pfc| pfc.map(|(willing, ..)| willing)));
        announced!(pfc_capability, self.pfc.clone().map(|pfc| pfc.map(|(_, capability, _)| capability)));
        announced!(pfc_priorities, self.pfc.map(|pfc| pfc.map(|(.., priorities)| priorities)));
        announced!(ets_willing, self.ets.clone().map(|ets| ets.map(|ets| ets.willing)));
        announced!(ets_classes, self.ets.clone().map(|ets| ets.map(|ets| ets.classes)));
        announced!(ets_bandwidth, self.ets.clone().map(|ets| ets.map(|ets| ets.bandwidth)));
        announced!(ets_selection, self.ets.map(|ets| ets.map(|ets| ets.selection)));
        announced!(ets_recommended, self.recommended);
        announced!(applications, self.applications);
        record
    }
}
