//! This machine, read by us and by the `sysinfo` crate, which reads it independently.
//!
//! Needs nothing but a running kernel with `/proc` and `/sys`: nothing is skipped.

use passmuster::collect::collect;
use passmuster::host::{Live, Replay};
use passmuster::inventory::Inventory;
use passmuster::reading::{Collection, Reading};
use passmuster::units::Bytes;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

fn this_machine() -> Inventory {
    collect(&Live::new())
}

/// The value, or the reason why there is none.
fn known<'a, T: std::fmt::Debug>(inventory: &Inventory, what: &str, reading: &'a Reading<T>) -> &'a T {
    match reading {
        Reading::Known(value) => value,
        Reading::Absent => panic!("{what} is absent"),
        Reading::Unreadable(error) => panic!("{what}: {}", inventory.errors[error.0 as usize]),
    }
}

#[test]
fn sysinfo_tells_the_same() {
    let inventory = this_machine();
    let kinds = RefreshKind::nothing()
        .with_cpu(CpuRefreshKind::nothing())
        .with_memory(MemoryRefreshKind::nothing().with_ram().with_swap());
    let system = System::new_with_specifics(kinds).unwrap();
    let node = &inventory.node;

    assert_eq!(*known(&inventory, "threads", &node.cpu.threads), system.cpus().len() as u64);
    assert_eq!(*known(&inventory, "memory", &node.memory.total), Bytes(system.total_memory()));
    assert_eq!(*known(&inventory, "swap", &node.os.swap), Bytes(system.total_swap()));
    assert_eq!(known(&inventory, "hostname", &node.hostname), &System::host_name().unwrap());
    assert_eq!(known(&inventory, "kernel", &node.os.kernel_release), &System::kernel_version().unwrap());
    assert_eq!(*known(&inventory, "architecture", &node.os.architecture), System::cpu_arch());
    // sysinfo takes the figure before the full stop.
    let uptime = known(&inventory, "uptime", &node.os.uptime).0;
    assert!((uptime - System::uptime().unwrap() as f64).abs() < 60.0, "{uptime}");
}

#[test]
fn the_figures_of_this_machine_agree_with_each_other() {
    let inventory = this_machine();
    let cpu = &inventory.node.cpu;
    let threads = *known(&inventory, "threads", &cpu.threads);
    let present = *known(&inventory, "threads present", &cpu.threads_present);
    assert_eq!(*known(&inventory, "threads offline", &cpu.threads_offline), present - threads);

    let sockets = *known(&inventory, "sockets", &cpu.sockets);
    let cores = *known(&inventory, "cores", &cpu.cores);
    assert!(
        1 <= sockets && sockets <= cores && cores <= threads,
        "{sockets} sockets, {cores} cores, {threads} threads"
    );
    let Collection::Complete(packages) = &cpu.packages else { panic!("{:?}", cpu.packages) };
    assert_eq!(packages.len() as u64, sockets);
    let sum = |of: fn(&passmuster::inventory::Package) -> &Reading<u64>| -> u64 {
        packages.iter().map(|package| known(&inventory, "a package", of(package))).sum()
    };
    assert_eq!(sum(|package| &package.cores), cores);
    assert_eq!(sum(|package| &package.threads), threads);
}

#[test]
fn the_inventory_survives_its_json() {
    let inventory = this_machine();
    let json = serde_json::to_string(&inventory).unwrap();
    let again: Inventory = serde_json::from_str(&json).unwrap();
    assert_eq!(again, inventory);
}

#[test]
fn a_machine_of_which_nothing_is_known_has_no_figures() {
    let nothing = Replay::from_entries(std::iter::empty::<(&str, passmuster::host::Entry)>());
    let inventory = collect(&nothing);
    let json = serde_json::to_value(&inventory.node).unwrap();
    for section in ["system", "os", "cpu", "memory"] {
        for (field, value) in json[section].as_object().unwrap() {
            assert!(field == "sources" || value.get("unreadable").is_some(), "{section}.{field} is {value}");
        }
    }
    for field in ["hostname", "root", "numa_nodes"] {
        assert!(json[field].get("unreadable").is_some(), "{field} is {}", json[field]);
    }
}

/// Texts that are empty, by their path.
fn empty_texts(value: &serde_json::Value, at: &str, found: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) if text.is_empty() => found.push(at.to_owned()),
        serde_json::Value::Array(items) => {
            items.iter().enumerate().for_each(|(place, item)| empty_texts(item, &format!("{at}[{place}]"), found));
        }
        serde_json::Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| empty_texts(value, &format!("{at}.{name}"), found));
        }
        _ => {}
    }
}

/// A file that lost its content in a recording, or of which the driver tells nothing, is no value that is empty.
#[test]
fn files_without_content_tell_nothing() {
    let folder = tempfile::TempDir::new().unwrap();
    let made = std::process::Command::new(env!("CARGO_BIN_EXE_muster"))
        .args(["collect", "--capture", "c", "-o", "whole.json"])
        .current_dir(folder.path())
        .status()
        .unwrap();
    assert!(made.success());
    let root = folder.path().join("c");
    std::fs::remove_file(root.join("muster-capture.json")).unwrap();
    let mut folders = vec![root.clone()];
    let mut blanked = 0;
    while let Some(inside) = folders.pop() {
        for entry in std::fs::read_dir(inside).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                std::fs::write(path, b"").unwrap();
                blanked += 1;
            }
        }
    }
    assert!(blanked > 100, "{blanked}");
    let inventory = serde_json::to_value(collect(&Replay::open(&root).unwrap())).unwrap();
    let mut found = Vec::new();
    empty_texts(&inventory["node"], "node", &mut found);
    assert_eq!(found, Vec::<String>::new());
}
