//! Storage controllers, network ports, bonds and RDMA devices, in a few lines each.

use super::{NAMES, Say, Told, listed, tallied};
use crate::inventory::controller::{ControllerKind, StorageController};
use crate::inventory::nic::{Bond, Nic, NicKind};
use crate::inventory::rdma::{RdmaDevice, RdmaPort};
use crate::reading::Collection;
use crate::report::group::together;

impl Say<'_> {
    /// Equal controllers on one line. NVMe drives are their own controllers, and told as drives.
    pub(super) fn controllers(&self) -> Vec<String> {
        let apart = |controller: &&StorageController| controller.kind.known() != Some(&ControllerKind::Nvme);
        self.alike(&self.0.node.storage_controllers, apart, |controller| {
            let model = self.text(&controller.model).words("model");
            let kind = self.told(&controller.kind, |kind| kind.word().to_owned()).words("kind");
            let mode = match self.told(&controller.mode, |mode| mode.word().to_owned()) {
                Told::Known(mode) => format!(", {mode} mode"),
                Told::Absent => String::new(),
                Told::Unknown(reason) => format!(", mode unknown ({reason})"),
            };
            (format!("{model}, {kind}{mode}"), self.text(&controller.name).into_text())
        })
    }

    /// Equal ports of adapters on one line, and how many other interfaces there are.
    pub(super) fn nics(&self) -> Vec<String> {
        let nics = &self.0.node.nics;
        let is_port = |nic: &&Nic| {
            use NicKind::{Ipoib, Paravirtual, Physical, VirtualFunction, Wireless};
            let kinds = [Physical, Paravirtual, VirtualFunction, Ipoib, Wireless];
            nic.kind.known().is_none_or(|kind| kinds.contains(kind))
        };
        let mut lines = self.alike(nics, is_port, |nic| {
            (format!("{}, {}", self.adapter(nic), self.link(nic)), self.text(&nic.name).into_text())
        });
        let others = tallied(
            nics.items()
                .iter()
                .filter(|nic| !is_port(nic))
                .filter_map(|nic| nic.kind.known())
                .map(|kind| kind.word().to_owned()),
        );
        if !others.is_empty() {
            let others: Vec<String> = others.into_iter().map(|(kind, n)| format!("{n} {kind}")).collect();
            lines.push(format!("besides {}", others.join(", ")));
        }
        lines
    }

    /// What a port is a port of.
    fn adapter(&self, nic: &Nic) -> String {
        let functions = self.0.node.pci_functions.items();
        let own = nic
            .pci_address
            .known()
            .and_then(|address| functions.iter().find(|function| function.address.known() == Some(address)));
        let model = own.and_then(|function| match (function.vendor.known(), function.device.known()) {
            (Some(vendor), Some(device)) => Some(super::brief(&format!("{vendor} {device}"), super::NAME)),
            _ => None,
        });
        let kind = self.told(&nic.kind, |kind| kind.word().to_owned());
        match (model, kind, self.text(&nic.driver)) {
            (Some(model), Told::Known(kind), _) if kind == NicKind::Physical.word() => model,
            (Some(model), kind, _) => format!("{model} ({})", kind.words("kind")),
            (None, kind, Told::Known(driver)) => format!("{}, driver {driver}", kind.words("kind")),
            (None, kind, _) => format!("{}, model not told", kind.words("kind")),
        }
    }

    fn link(&self, nic: &Nic) -> String {
        let mtu = match self.told(&nic.mtu, u64::to_string) {
            Told::Known(mtu) => format!("MTU {mtu}"),
            other => format!("MTU {}", other.into_text()),
        };
        let link = match (nic.admin_up.known(), nic.carrier.known(), self.told(&nic.speed, ToString::to_string)) {
            (Some(false), _, _) => "set down".to_owned(),
            (_, Some(false), _) => "no link".to_owned(),
            (_, _, Told::Known(speed)) => speed,
            (_, _, Told::Absent) => "no speed".to_owned(),
            (_, _, Told::Unknown(reason)) => format!("speed unknown ({reason})"),
        };
        format!("{link}, {mtu}")
    }

    /// A line a bond; none where there is none, which is the rule.
    pub(super) fn bonds(&self) -> Vec<String> {
        let bonds = &self.0.node.bonds;
        if bonds.items().is_empty() {
            return Vec::new();
        }
        bonds.items().iter().map(|bond| self.bond(bond)).collect()
    }

    fn bond(&self, bond: &Bond) -> String {
        let name = self.text(&bond.name).into_text();
        let mode = self.told(&bond.mode, |mode| mode.word().to_owned()).words("mode");
        let slaves = bond.slaves.items();
        let up = slaves.iter().filter(|slave| slave.mii_up.known() == Some(&true)).count();
        let names = listed(slaves.iter().map(|slave| self.text(&slave.name).into_text()), NAMES);
        format!("{name}, {mode}: {names} ({up} of {} up){}", slaves.len(), self.may_be_more(&bond.slaves))
    }

    /// Equal RDMA ports on one line.
    pub(super) fn rdma(&self) -> Vec<String> {
        let devices = &self.0.node.rdma_devices;
        let ports: Vec<(&RdmaDevice, &RdmaPort)> = devices
            .items()
            .iter()
            .flat_map(|device| device.ports.items().iter().map(move |port| (device, port)))
            .collect();
        let told: Vec<(String, String)> = ports.iter().map(|(device, port)| self.rdma_port(device, port)).collect();
        let of_devices = std::iter::once(self.may_be_more(devices));
        let of_ports = devices.items().iter().map(|device| self.may_be_more(&device.ports));
        let mut gaps: Vec<String> =
            of_devices.chain(of_ports).filter_map(|gap| gap.strip_prefix("; ").map(str::to_owned)).collect();
        gaps.dedup();
        lines(&told, gaps)
    }

    fn rdma_port(&self, device: &RdmaDevice, port: &RdmaPort) -> (String, String) {
        let protocol = self.told(&port.protocol, |protocol| protocol.word().to_owned()).words("protocol");
        let state = self.told(&port.state, |state| state.word().to_owned()).words("state");
        let rate = match self.told(&port.rate, ToString::to_string) {
            Told::Known(rate) => rate,
            Told::Absent => "no link".to_owned(),
            Told::Unknown(reason) => format!("rate unknown ({reason})"),
        };
        let name =
            format!("{}/{}", self.text(&device.name).into_text(), self.told(&port.number, u64::to_string).into_text());
        let name = match port.netdev.known() {
            Some(netdev) => format!("{name} on {}", super::brief(netdev, super::NAME)),
            None => name,
        };
        (format!("{protocol}, {rate}, {state}"), name)
    }

    /// Things that are told alike on one line, in the order of the inventory: "2 x kind: a, b".
    fn alike<T>(
        &self,
        all: &Collection<T>,
        of: impl Fn(&&T) -> bool,
        tell: impl Fn(&T) -> (String, String),
    ) -> Vec<String> {
        if let Collection::Unreadable(id) = all {
            return vec![format!("unknown ({})", self.reason(*id))];
        }
        let told: Vec<(String, String)> = all.items().iter().filter(of).map(tell).collect();
        lines(&told, self.may_be_more(all).strip_prefix("; ").map(str::to_owned).into_iter().collect())
    }

    /// Whether a section was read at all: a reading that never was is not worth a line.
    pub(super) fn is_read<T>(&self, all: &Collection<T>) -> bool {
        !matches!(all, Collection::Unreadable(id) if *id == crate::reading::ErrorId::NOT_COLLECTED)
    }
}

impl Told {
    /// As part of a sentence: the word, or what it is that has none.
    fn words(self, what: &str) -> String {
        match self {
            Self::Known(text) => text,
            Self::Absent => format!("no {what}"),
            Self::Unknown(reason) => format!("{what} unknown ({reason})"),
        }
    }
}

/// A line a kind, then what may be missing.
fn lines(told: &[(String, String)], gaps: Vec<String>) -> Vec<String> {
    let mut lines: Vec<String> = together(told.iter(), |(kind, _)| kind)
        .into_iter()
        .filter_map(|alike| Some(kind_line(&alike.first()?.0, alike.iter().map(|(_, name)| name.clone()))))
        .collect();
    match (lines.is_empty(), gaps.as_slice()) {
        (true, []) => lines.push("none".to_owned()),
        (true, gaps) => lines.push(format!("none seen; {}", gaps.join("; "))),
        (false, _) => lines.extend(gaps),
    }
    lines
}

fn kind_line(kind: &str, names: impl ExactSizeIterator<Item = String>) -> String {
    format!("{} x {kind}: {}", names.len(), listed(names, NAMES))
}

#[cfg(test)]
mod tests {
    use super::super::tests::shown;
    use serde_json::{Value, json};

    fn of(label: &str, node: Value) -> Vec<String> {
        let mut rows = Vec::new();
        let mut inside = false;
        for row in shown(node) {
            let (this, text) = row.split_once('|').unwrap();
            inside = this == label || (inside && this.is_empty());
            if inside {
                rows.push(text.to_owned());
            }
        }
        rows
    }

    #[test]
    fn ports_are_told_by_adapter_and_link() {
        let nic = |name: &str, speed: Value, carrier: bool| {
            json!({"name": name, "kind": "physical", "pci_address": "0000:3b:00.0", "admin_up": true, "carrier": carrier,
                "speed": speed, "mtu": 9000})
        };
        let node = json!({
            "pci_functions": [{"address": "0000:3b:00.0", "vendor": "Mellanox", "device": "ConnectX-5"}],
            "nics": [nic("ens1", json!(25_000_000_000_u64), true), nic("ens2", json!(25_000_000_000_u64), true),
                nic("ens3", Value::Null, false),
                {"name": "eth0", "kind": "paravirtual", "driver": "virtio_net", "admin_up": true, "carrier": true,
                    "speed": {"unreadable": 0}, "mtu": 1500},
                {"name": "lo", "kind": "loopback"}, {"name": "br0", "kind": "bridge"}],
        });
        assert_eq!(
            of("Network", node),
            [
                "2 x Mellanox ConnectX-5, 25 Gbit/s, MTU 9000: ens1, ens2",
                "1 x Mellanox ConnectX-5, no link, MTU 9000: ens3",
                "1 x paravirtual, driver virtio_net, speed unknown (permission denied), MTU 1500: eth0",
                "besides 1 loopback, 1 bridge",
            ]
        );
    }

    #[test]
    fn a_bond_tells_how_many_of_its_slaves_are_up() {
        let slave = |name: &str, up: bool| json!({"name": name, "mii_up": up});
        let node =
            json!({"bonds": [{"name": "bond0", "mode": "802.3ad", "slaves": [slave("a", true), slave("b", false)]}]});
        assert_eq!(of("Bonds", node), ["bond0, 802.3ad: a, b (1 of 2 up)"]);
        assert!(of("Bonds", json!({"bonds": []})).is_empty());
    }

    #[test]
    fn rdma_ports_are_told_by_protocol_and_rate() {
        let device = |name: &str, rate: Value| json!({"name": name, "ports": [{"number": 1, "state": "active", "protocol": "roce-v2", "rate": rate, "netdev": "e1"}]});
        let node = json!({"rdma_devices": [device("mlx5_0", json!(100_000_000_000_u64)), device("mlx5_1", json!(100_000_000_000_u64))]});
        assert_eq!(of("RDMA", node), ["2 x roce-v2, 100 Gbit/s, active: mlx5_0/1 on e1, mlx5_1/1 on e1"]);
        let gap =
            json!({"rdma_devices": {"items": [{"name": "a", "ports": {"items": [], "partial": [0]}}], "partial": [0]}});
        assert_eq!(of("RDMA", gap), ["none seen; there may be more (permission denied)"]);
        assert_eq!(of("RDMA", json!({"rdma_devices": []})), ["none"]);
    }

    #[test]
    fn controllers_of_nvme_drives_are_left_to_the_drives() {
        let node = json!({"storage_controllers": [
            {"name": "0000:01:00.0", "kind": "raid", "model": "MegaRAID 3108", "mode": {"unreadable": 0}},
            {"name": "nvme0", "kind": "nvme", "model": "PM9A3", "mode": null}]});
        assert_eq!(of("Storage", node), ["1 x MegaRAID 3108, raid, mode unknown (permission denied): 0000:01:00.0"]);
        let gap = json!({"storage_controllers": {"items": [], "partial": [0]}});
        assert_eq!(of("Storage", gap), ["none seen; there may be more (permission denied)"]);
    }
}
