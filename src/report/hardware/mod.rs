//! What was found in a machine, in a few lines that a newcomer understands.
//!
//! For the eye alone: programs read the inventory. What is unknown says so with its reason. Text of the machine is
//! escaped and cut to a bearable length here.

mod attached;

use super::group::together;
use super::text::{brief, count};
use crate::inventory::{Drive, Inventory, NumaNode};
use crate::reading::{Collection, ErrorId, ErrorKind, Reading};
use crate::units::Bytes;

/// One line of what was found.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// What it is about; empty if it continues the row before.
    pub label: &'static str,
    /// What was found.
    pub text: String,
}

/// The label of the one row in which equal machines differ.
pub const SERIAL: &str = "Serial";

/// Longest model, name or version that is shown, in characters.
const NAME: usize = 64;
/// Longest reason that is shown.
const REASON: usize = 120;
/// Most names in a list of drives.
const NAMES: usize = 8;
/// Most kinds of NUMA nodes that are shown.
const NUMA_KINDS: usize = 8;

/// What was found, in the order in which it is shown.
#[must_use]
pub fn rows(inventory: &Inventory) -> Vec<Row> {
    let say = Say(inventory);
    let system = say.system();
    let serial = say.text(&inventory.node.system.serial).into_text();
    let mut rows = Vec::new();
    // Where nothing is known of the system, and for one reason, that is said once.
    let said = serial.starts_with("unknown") && system.starts_with(&serial);
    rows.push(Row { label: "System", text: system });
    if !said {
        rows.push(Row { label: SERIAL, text: serial });
    }
    rows.extend([
        Row { label: "Firmware", text: say.firmware() },
        Row { label: "OS", text: say.os() },
        Row { label: "CPU", text: say.cpu() },
        Row { label: "Memory", text: say.memory() },
        Row { label: "NUMA", text: say.numa() },
    ]);
    let mut label = "Drives";
    for text in say.drives() {
        rows.push(Row { label, text });
        label = "";
    }
    let node = &inventory.node;
    let sections = [
        ("Storage", say.is_read(&node.storage_controllers).then(|| say.controllers())),
        ("Network", say.is_read(&node.nics).then(|| say.nics())),
        ("Bonds", say.is_read(&node.bonds).then(|| say.bonds())),
        ("RDMA", say.is_read(&node.rdma_devices).then(|| say.rdma())),
    ];
    for (mut label, lines) in sections {
        for text in lines.into_iter().flatten() {
            rows.push(Row { label, text });
            label = "";
        }
    }
    if let Some(text) = say.excluded() {
        rows.push(Row { label: "Left out", text });
    }
    rows
}

/// A reading in words.
enum Told {
    Known(String),
    Absent,
    Unknown(String),
}

impl Told {
    fn into_text(self) -> String {
        match self {
            Self::Known(text) => text,
            Self::Absent => "none".to_owned(),
            Self::Unknown(reason) => format!("unknown ({reason})"),
        }
    }
}

struct Say<'a>(&'a Inventory);

impl Say<'_> {
    fn reason(&self, id: ErrorId) -> String {
        match self.0.errors.get(id.0 as usize) {
            // "no such file or directory: the kernel is older than 5.5": what that means is worth the room.
            Some(error) if error.kind == ErrorKind::NotFound => {
                let meaning = error.cause.split_once(": ").map_or(error.cause.as_str(), |(_, meaning)| meaning);
                brief(meaning, REASON)
            }
            Some(error) => brief(&error.cause, REASON),
            None => "not collected".to_owned(),
        }
    }

    fn told<T>(&self, reading: &Reading<T>, words: impl FnOnce(&T) -> String) -> Told {
        match reading {
            Reading::Known(value) => Told::Known(words(value)),
            Reading::Absent => Told::Absent,
            Reading::Unreadable(id) => Told::Unknown(self.reason(*id)),
        }
    }

    fn text(&self, reading: &Reading<String>) -> Told {
        self.told(reading, |text| brief(text, NAME))
    }

    fn system(&self) -> String {
        let system = &self.0.node.system;
        let mut text = match (self.text(&system.vendor), self.text(&system.product)) {
            (Told::Known(vendor), Told::Known(product)) if product.starts_with(&vendor) => product,
            (Told::Known(vendor), Told::Known(product)) => format!("{vendor} {product}"),
            (Told::Absent, Told::Absent) => "not told by the firmware".to_owned(),
            (Told::Unknown(vendor), Told::Unknown(product)) if vendor == product => format!("unknown ({vendor})"),
            (vendor, product) => joined(vec![("vendor", "vendor ", vendor), ("model", "model ", product)]),
        };
        match &system.virtual_machine {
            Reading::Known(true) => {
                text.push_str("; a virtual machine");
                if let Reading::Known(hypervisor) = &system.hypervisor {
                    text.push_str(&format!(" ({})", brief(hypervisor, NAME)));
                }
            }
            Reading::Known(false) => {}
            Reading::Absent => text.push_str("; whether it is a virtual machine is not told"),
            // Said once where nothing at all is known, and for one reason.
            Reading::Unreadable(id) if text == format!("unknown ({})", self.reason(*id)) => {}
            Reading::Unreadable(id) => {
                text.push_str(&format!("; whether it is a virtual machine is unknown ({})", self.reason(*id)));
            }
        }
        text
    }

    fn firmware(&self) -> String {
        let system = &self.0.node.system;
        joined(vec![
            ("vendor", "", self.text(&system.bios_vendor)),
            ("version", "version ", self.text(&system.bios_version)),
            ("date", "of ", self.text(&system.bios_date)),
            ("interface", "started by ", self.told(&system.firmware_interface, |word| word.word().to_owned())),
        ])
    }

    fn os(&self) -> String {
        let os = &self.0.node.os;
        let mut text = joined(vec![
            ("distribution", "", self.text(&os.pretty_name)),
            ("kernel", "Linux ", self.text(&os.kernel_release)),
            ("architecture", "", self.text(&os.architecture)),
        ]);
        if os.live_image.known() == Some(&true) {
            text.push_str("; a live image");
        }
        text
    }

    fn cpu(&self) -> String {
        let cpu = &self.0.node.cpu;
        let models = tallied(cpu.packages.items().iter().map(|package| match self.text(&package.model) {
            Told::Known(model) => model,
            Told::Absent => "(no model name)".to_owned(),
            Told::Unknown(reason) => format!("model unknown ({reason})"),
        }));
        let packages: Vec<String> = models.into_iter().map(|(model, n)| format!("{n} x {model}")).collect();
        let packages = match (packages.is_empty(), cpu.packages.reasons().first()) {
            (true, Some(reason)) => format!("packages unknown ({})", self.reason(*reason)),
            (true, None) => String::new(),
            (false, _) => packages.join(" and "),
        };
        let mut parts = vec![
            ("cores", self.told(&cpu.cores, u64::to_string)),
            ("threads", self.told(&cpu.threads, u64::to_string)),
        ];
        if cpu.threads_offline.known().is_some_and(|offline| *offline > 0) {
            parts.push(("threads offline", self.told(&cpu.threads_offline, u64::to_string)));
        }
        let numbers: Vec<String> = parts
            .into_iter()
            .map(|(what, told)| match told {
                Told::Known(n) => format!("{n} {what}"),
                other => format!("{what} {}", other.into_text()),
            })
            .collect();
        if packages.is_empty() {
            return numbers.join(", ");
        }
        let more = if cpu.packages.items().is_empty() { String::new() } else { self.may_be_more(&cpu.packages) };
        format!("{packages}: {}{more}", numbers.join(", "))
    }

    fn memory(&self) -> String {
        let memory = &self.0.node.memory;
        let total = self.told(&memory.total, |bytes| gib(*bytes));
        let mut text = match (&memory.online, total) {
            (Reading::Known(online), Told::Known(total)) => format!("{total} usable of {} online", gib(*online)),
            (_, total) => total.into_text(),
        };
        for (reading, what) in [
            (&memory.offline, "offline"),
            (&memory.hugepages, "reserved for huge pages"),
            (&memory.hardware_corrupted, "found broken"),
        ] {
            if let Some(bytes) = reading.known().filter(|bytes| bytes.0 > 0) {
                text.push_str(&format!(", {} {what}", gib(*bytes)));
            }
        }
        text
    }

    fn numa(&self) -> String {
        let nodes = &self.0.node.numa_nodes;
        let items = nodes.items();
        if let Collection::Unreadable(id) = nodes {
            return format!("unknown ({})", self.reason(*id));
        }
        let described: Vec<(String, String)> = items.iter().map(|node| self.numa_node(node)).collect();
        let kinds = together(described.iter(), |(_, holds)| holds);
        let each: Vec<String> = kinds
            .iter()
            .take(NUMA_KINDS)
            .filter_map(|alike| {
                let ids = listed(alike.iter().map(|(id, _)| id.clone()), NAMES);
                Some(format!("{ids} with {}", alike.first()?.1))
            })
            .collect();
        let text = match (described.as_slice(), kinds.len()) {
            ([], _) => "none".to_owned(),
            ([(_, holds)], _) => format!("1 node with {holds}"),
            ([(_, holds), ..], 1) => format!("{} nodes, each with {holds}", items.len()),
            (_, kinds) if kinds > NUMA_KINDS => {
                format!("{} nodes: {}; and {} that differ", items.len(), each.join("; "), kinds - NUMA_KINDS)
            }
            _ => format!("{} nodes: {}", items.len(), each.join("; ")),
        };
        text + &self.may_be_more(nodes)
    }

    /// Its number, and what it holds.
    fn numa_node(&self, node: &NumaNode) -> (String, String) {
        let id = self.told(&node.id, u64::to_string).into_text();
        let cpus = match self.told(&node.cpus, |cpus| count(usize::try_from(*cpus).unwrap_or(usize::MAX), "CPU")) {
            Told::Known(cpus) => cpus,
            other => format!("CPUs {}", other.into_text()),
        };
        let memory = match self.told(&node.memory, |bytes| gib(*bytes)) {
            Told::Known(memory) => memory,
            other => format!("memory {}", other.into_text()),
        };
        (id, format!("{cpus} and {memory}"))
    }

    fn may_be_more<T>(&self, collection: &Collection<T>) -> String {
        match collection.reasons() {
            [] => String::new(),
            [one] => format!("; there may be more ({})", self.reason(*one)),
            [one, rest @ ..] => {
                format!("; there may be more ({}, and {})", self.reason(*one), count(rest.len(), "other reason"))
            }
        }
    }

    /// Equal drives on one line, in the order in which the first of each kind stands in the inventory.
    fn drives(&self) -> Vec<String> {
        let drives = &self.0.node.drives;
        if let Collection::Unreadable(id) = drives {
            return vec![format!("unknown ({})", self.reason(*id))];
        }
        let kinds: Vec<(String, &Drive)> = drives.items().iter().map(|drive| (self.drive_kind(drive), drive)).collect();
        let kinds = together(kinds.iter(), |(kind, _)| kind);
        let mut lines: Vec<String> = kinds
            .into_iter()
            .filter_map(|alike| {
                let (kind, _) = alike.first()?;
                let alike: Vec<&Drive> = alike.iter().map(|(_, drive)| *drive).collect();
                let usage =
                    tallied(alike.iter().map(|drive| match self.told(&drive.usage, |usage| usage.word().to_owned()) {
                        Told::Known(usage) => usage,
                        Told::Absent => "of no use".to_owned(),
                        Told::Unknown(reason) => format!("of unknown use: {reason}"),
                    }));
                let usage: Vec<String> = usage.into_iter().map(|(usage, n)| format!("{n} {usage}")).collect();
                Some(format!("{} x {kind}: {} ({})", alike.len(), self.drive_names(&alike), usage.join(", ")))
            })
            .collect();
        let more = self.may_be_more(drives);
        match (lines.last_mut(), more.strip_prefix("; ")) {
            (Some(_), Some(more)) => lines.push(more.to_owned()),
            (None, Some(more)) => lines.push(format!("none seen; {more}")),
            (None, None) => lines.push("none".to_owned()),
            (Some(_), None) => {}
        }
        lines
    }

    fn drive_kind(&self, drive: &Drive) -> String {
        let model = match self.text(&drive.model) {
            Told::Known(model) => model,
            Told::Absent => "(no model)".to_owned(),
            Told::Unknown(reason) => format!("model unknown ({reason})"),
        };
        let bytes = match self.told(&drive.bytes, Bytes::to_string) {
            Told::Known(bytes) => bytes,
            other => format!("size {}", other.into_text()),
        };
        let transport = self.told(&drive.transport, |transport| transport.word().to_owned());
        let media = self.told(&drive.media, |media| media.word().to_owned());
        let attached = match (transport, media) {
            (Told::Known(transport), Told::Known(media)) => format!("{transport} {media}"),
            (transport, media) => format!("transport {}, media {}", transport.into_text(), media.into_text()),
        };
        format!("{model}, {bytes}, {attached}")
    }

    fn drive_names(&self, drives: &[&Drive]) -> String {
        listed(drives.iter().map(|drive| self.text(&drive.name).into_text()), NAMES)
    }

    fn excluded(&self) -> Option<String> {
        let excluded = &self.0.node.excluded;
        if let Collection::Unreadable(id) = excluded {
            return (*id != ErrorId::NOT_COLLECTED).then(|| format!("unknown ({})", self.reason(*id)));
        }
        let kinds = tallied(
            excluded.items().iter().map(|one| self.told(&one.reason, |reason| reason.word().to_owned()).into_text()),
        );
        let kinds: Vec<String> = kinds.into_iter().map(|(kind, n)| format!("{n} {kind}")).collect();
        (!kinds.is_empty()).then(|| kinds.join(", "))
    }
}

/// Parts, each with its noun and with the prefix that it has where it is known: first those that are known, then by
/// reason the nouns of those that are not.
fn joined(parts: Vec<(&str, &str, Told)>) -> String {
    let number = parts.len();
    let mut words = Vec::new();
    let mut unknown: Vec<(&str, String)> = Vec::new();
    for (noun, prefix, told) in parts {
        match told {
            Told::Known(text) => words.push(format!("{prefix}{text}")),
            Told::Unknown(reason) => unknown.push((noun, reason)),
            Told::Absent => {}
        }
    }
    for alike in together(unknown.iter(), |(_, reason)| reason) {
        let nouns: Vec<&str> = alike.iter().map(|(noun, _)| *noun).collect();
        let Some((_, reason)) = alike.first() else { continue };
        if nouns.len() == number {
            return format!("unknown ({reason})");
        }
        let nouns = match nouns.as_slice() {
            [one] => (*one).to_owned(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
            [] => continue,
        };
        words.push(format!("{nouns} unknown ({reason})"));
    }
    if words.is_empty() { "not told".to_owned() } else { words.join(", ") }
}

/// "a, b, and 3 more".
fn listed(words: impl Iterator<Item = String>, most: usize) -> String {
    let mut words: Vec<String> = words.collect();
    if words.len() > most {
        let more = words.len() - most;
        words.truncate(most);
        words.push(format!("and {more} more"));
    }
    words.join(", ")
}

/// Equal words counted, in the order of their first occurrence.
fn tallied(words: impl Iterator<Item = String>) -> Vec<(String, usize)> {
    let words: Vec<String> = words.collect();
    let alike = together(words.iter(), |word| word);
    alike.into_iter().filter_map(|alike| Some(((*alike.first()?).clone(), alike.len()))).collect()
}

/// Memory as people buy it: in binary units, at most one decimal.
fn gib(bytes: Bytes) -> String {
    const UNITS: [(u64, &str); 4] = [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    for (unit, name) in UNITS {
        if bytes.0 >= unit {
            let text = format!("{:.1}", bytes.0 as f64 / unit as f64);
            return format!("{} {name}", text.strip_suffix(".0").unwrap_or(&text));
        }
    }
    format!("{} B", bytes.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn inventory(node: Value) -> Inventory {
        serde_json::from_value(json!({
            "schema": crate::inventory::SCHEMA, "version": "1.2.3", "collected_at": null, "node": node, "sources": [],
            "errors": [{"operation": "read /a", "kind": "permission-denied", "cause": "permission denied"}]
        }))
        .unwrap()
    }

    pub(super) fn shown(node: Value) -> Vec<String> {
        rows(&inventory(node)).into_iter().map(|row| format!("{}|{}", row.label, row.text)).collect()
    }

    #[test]
    fn a_server_fits_a_few_lines() {
        let drive = |name: &str, usage: &str| json!({"name": name, "model": "SAMSUNG MZ7KM480", "bytes": 480_103_981_056_u64, "transport": "sata", "media": "ssd", "usage": usage});
        assert_eq!(
            shown(json!({
                "system": {"vendor": "HPE", "product": "ProLiant DL380 Gen9", "serial": "CZ1", "bios_vendor": "HPE", "bios_version": "P89",
                    "bios_date": "10/25/2020", "firmware_interface": "uefi", "virtual_machine": false},
                "os": {"pretty_name": "Debian GNU/Linux 12 (bookworm)", "kernel_release": "6.1.0-13-amd64", "architecture": "x86_64"},
                "cpu": {"cores": 24, "threads": 48, "threads_offline": 2, "packages": [{"model": "E5-2690 v3"}, {"model": "E5-2690 v3"}]},
                "memory": {"total": 67_430_400_000_u64, "online": 68_719_476_736_u64, "hugepages": 0},
                "numa_nodes": [{"id": 0, "cpus": 24, "memory": 34_359_738_368_u64}, {"id": 1, "cpus": 24, "memory": 34_359_738_368_u64},
                    {"id": 2, "cpus": 0, "memory": 1_073_741_824}],
                "drives": [drive("sda", "boot"), drive("sdb", "free"), drive("sdc", "free"),
                    {"name": "nvme0n1", "model": null, "bytes": {"unreadable": 0}, "transport": "nvme", "media": "ssd", "usage": "free"}],
                "excluded": [{"reason": "loop"}, {"reason": "optical"}, {"reason": "loop"}]
            })),
            [
                "System|HPE ProLiant DL380 Gen9",
                "Serial|CZ1",
                "Firmware|HPE, version P89, of 10/25/2020, started by uefi",
                "OS|Debian GNU/Linux 12 (bookworm), Linux 6.1.0-13-amd64, x86_64",
                "CPU|2 x E5-2690 v3: 24 cores, 48 threads, 2 threads offline",
                // 67 430 400 000 / 2^30 = 62.799...
                "Memory|62.8 GiB usable of 64 GiB online",
                "NUMA|3 nodes: 0, 1 with 24 CPUs and 32 GiB; 2 with 0 CPUs and 1 GiB",
                "Drives|3 x SAMSUNG MZ7KM480, 480.104 GB, sata ssd: sda, sdb, sdc (1 boot, 2 free)",
                "|1 x (no model), size unknown (permission denied), nvme ssd: nvme0n1 (1 free)",
                "Left out|2 loop, 1 optical",
            ]
        );
    }

    #[test]
    fn what_is_unknown_says_why() {
        let unread = json!({"unreadable": 0});
        assert_eq!(
            shown(json!({
                "system": {"vendor": unread, "product": unread, "serial": unread, "virtual_machine": unread,
                    "bios_vendor": unread, "bios_version": unread, "bios_date": unread, "firmware_interface": unread},
                "drives": {"items": [], "partial": [0]},
                "numa_nodes": unread
            })),
            [
                "System|unknown (permission denied)",
                "Firmware|unknown (permission denied)",
                "OS|unknown (not collected)",
                "CPU|packages unknown (not collected): cores unknown (not collected), threads unknown (not collected)",
                "Memory|unknown (not collected)",
                "NUMA|unknown (permission denied)",
                "Drives|none seen; there may be more (permission denied)",
            ]
        );
    }

    #[test]
    fn parts_unknown_for_one_reason_are_named_together() {
        let unread = json!({"unreadable": 0});
        let rows = shown(json!({"system": {"vendor": "HPE", "product": unread, "virtual_machine": false,
            "bios_vendor": unread, "bios_version": unread, "bios_date": null, "firmware_interface": "bios"}}));
        assert_eq!(rows[0], "System|vendor HPE, model unknown (permission denied)");
        assert_eq!(rows[2], "Firmware|started by bios, vendor and version unknown (permission denied)");
        let rows = shown(json!({"system": {"serial": unread, "bios_vendor": unread, "bios_version": unread,
            "bios_date": unread, "firmware_interface": "bios"}}));
        assert_eq!(rows[2], "Firmware|started by bios, vendor, version and date unknown (permission denied)");
    }

    #[test]
    fn equal_numa_nodes_are_told_once() {
        let numa = |nodes: Value| shown(json!({"numa_nodes": nodes}))[5].clone();
        let node = |id: u64, memory: u64| json!({"id": id, "cpus": 4, "memory": memory << 30});
        assert_eq!(numa(json!([node(0, 2)])), "NUMA|1 node with 4 CPUs and 2 GiB");
        let many: Vec<Value> = (0..64).map(|id| node(id, 2)).collect();
        assert_eq!(numa(json!(many)), "NUMA|64 nodes, each with 4 CPUs and 2 GiB");
        let many: Vec<Value> = (0..64).map(|id| node(id, id + 1)).collect();
        let text = numa(json!(many));
        assert!(text.starts_with("NUMA|64 nodes: 0 with 4 CPUs and 1 GiB; 1 with"), "{text}");
        assert!(text.ends_with("; 7 with 4 CPUs and 8 GiB; and 56 that differ"), "{text}");
        assert_eq!(numa(json!({"items": [], "partial": [0]})), "NUMA|none; there may be more (permission denied)");
    }

    #[test]
    fn hostile_text_is_escaped_and_cut() {
        let rows = shown(json!({
            "system": {"vendor": "\x1b[31mv", "product": "\u{202e}p", "virtual_machine": true, "hypervisor": "k\n"},
            "drives": [{"name": "sda", "model": "M".repeat(10_000), "bytes": 5, "transport": "usb", "media": "ssd", "usage": "free"}]
        }));
        assert_eq!(rows[0], r"System|\x1b[31mv \u{202e}p; a virtual machine (k\x0a)");
        assert!(rows.iter().any(|row| row.contains(&format!("1 x {}..., 5 B", "M".repeat(64)))), "{rows:?}");
    }
}
