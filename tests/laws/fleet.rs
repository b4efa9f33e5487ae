//! Made-up machines: a sound cluster for Storage Spaces Direct or Ceph, and what can be wrong with one of its nodes.
//!
//! Says nothing of how they are judged.

use passmuster::inventory::Inventory;
use serde_json::{Value, json};

const GIB: u64 = 1 << 30;

fn drive(node: usize, name: &str, kind: (&str, &str), bytes: u64, usage: &str) -> Value {
    let (transport, media) = kind;
    let nvme = transport == "nvme";
    let id = format!("{node}{name}");
    json!({
        "name": name, "id": format!("wwn:{id}"), "model": format!("MODEL {transport} {media}"), "serial": format!("S{id}"), "firmware": "F1",
        "wwn": if nvme { Value::Null } else { json!(id) }, "nguid": if nvme { json!(format!("nguid{id}")) } else { Value::Null },
        "bytes": bytes, "media": media, "transport": transport, "rotational": media == "hdd", "logical_block_size": 512,
        "physical_block_size": 4096, "zoned": "none", "write_back": false, "removable": false, "read_only": false, "usage": usage,
        "mountpoints": if usage == "boot" { json!(["/"]) } else { json!([]) }, "block_devices": [name], "paths": ["one"],
        "numa_node": 0, "pci_address": "0000:3b:00.0", "state": if nvme { "live" } else { "running" },
        "signatures": if usage == "boot" { json!([signature("gpt", "partition-table", &id)]) } else { json!([]) },
        "blank": usage == "free", "unrecognised_data": false
    })
}

/// What every drive tells of itself.
fn health(specific: &[(&str, Value)]) -> Value {
    let mut health = json!({"passed": true, "self_test": "passed", "media_errors": 0, "temperature": 35.0, "power_on_time": 3600.0,
        "standby": false, "write_cache": false, "critical_temperature_time": null, "critical_warnings": null, "temperature_warning": null,
        "available_spare": null, "attributes_failing": null, "attributes_failed_before": null, "smartctl_signs": null,
        "reallocated_sectors": null, "pending_sectors": null, "offline_uncorrectable": null, "grown_defects": null,
        "interface_crc_errors": null, "percentage_used": null});
    for (field, value) in specific {
        health[*field] = value.clone();
    }
    health
}

/// Of the seven drives the first three types: what a SATA, an NVMe and a SAS drive tell.
fn with_health(mut node: Value) -> Value {
    let sata = [
        ("attributes_failing", json!([])),
        ("attributes_failed_before", json!([])),
        ("smartctl_signs", json!([])),
        ("reallocated_sectors", json!(0)),
        ("pending_sectors", json!(0)),
        ("offline_uncorrectable", json!(0)),
        ("interface_crc_errors", json!(0)),
        ("link_speed", json!(6_000_000_000_u64)),
        ("max_link_speed", json!(6_000_000_000_u64)),
        ("percentage_used", json!(0.01)),
    ];
    let nvme = [
        ("critical_warnings", json!([])),
        ("temperature_warning", json!(70.0)),
        ("critical_temperature_time", json!(0)),
        ("available_spare", json!(1.0)),
        ("available_spare_threshold", json!(0.1)),
        ("percentage_used", json!(0.01)),
    ];
    let drives = &mut node["node"]["drives"];
    drives[0]["health"] = health(&sata);
    drives[1]["health"] = health(&nvme);
    drives[3]["health"] =
        health(&[("grown_defects", json!(0)), ("pending_sectors", json!(0)), ("smartctl_signs", json!([]))]);
    for drive in drives.as_array_mut().into_iter().flatten() {
        drive["namespaces"] = json!([]);
    }
    drives[1]["namespaces"] = json!([{"name": "nvme0n1", "logical_block_size": 4096, "best_logical_block_size": 4096,
        "metadata_bytes": 0, "write_protected": false}]);
    node
}

fn signature(kind: &str, family: &str, uuid: &str) -> Value {
    json!({"kind": kind, "family": family, "uuid": uuid, "member_of": null, "intact": true, "damage": null})
}

fn package(id: u64) -> Value {
    json!({"id": id, "vendor": "GenuineIntel", "model": "Xeon", "microcode": "0x1", "cores": 8, "threads": 16,
        "flags": ["ept", "vmx"]})
}

fn port(node: usize, name: &str, function: &str, speed: u64) -> Value {
    json!({"name": name, "kind": "physical", "bus": "pci", "mac": "02:00:00:00:00:01", "permanent_mac": format!("{node}-{name}"),
        "mtu": 9000, "admin_up": true, "carrier": true, "speed": speed, "duplex": "full", "driver": "mlx5_core",
        "driver_version": "5.8", "firmware": "16.35", "pci_address": function, "master": "bond0", "counters": {"rx_crc_errors": 0},
        "carrier_changes": 2, "vfs": 0, "pause": {"rx": false, "tx": false}, "fec": {"active": ["rs"]}, "ring": {"rx": 1024, "rx_max": 8192},
        "link_settings": {"autoneg": true, "supported": ["25000baseCR/Full", "RS"], "max_supported_speed": speed,
            "max_advertised_speed": speed, "max_common_speed": speed},
        "module": {"part_number": "DAC", "temperature": 40, "temperature_warning_high": 70},
        "port_counters": {"symbol_errors": 0, "discards": 0, "out_of_buffer": 0, "pause_storms": 0, "rx_priority_pause": 3, "tx_priority_pause": 0},
        "rdma_device": if name == "ens1f0" { "mlx5_0" } else { "mlx5_1" }, "firmware_lldp": false,
        "dcb": {"pfc_priorities": [3], "ets_classes": [0, 0, 0, 1], "ets_bandwidth": [50, 50]}})
}

/// What the switch of a port announces.
fn neighbour(interface: &str, switch: &str) -> Value {
    json!({"interface": interface, "chassis_id": switch, "pfc_priorities": [3], "ets_bandwidth": [50, 50], "max_frame": 9216,
        "vlans": [711], "aggregated": true})
}

fn function(address: &str, class: &str, driver: &str) -> Value {
    json!({"address": address, "vendor_id": "15b3", "device_id": "1017", "subsystem_device_id": "0001", "class": class, "driver": driver,
        "vendor": "V", "device": "D", "virtual_function": false, "correctable_errors": 0, "nonfatal_errors": 0, "fatal_errors": 0, "error_names": [], "path_max_bandwidth": 126_000_000_000_u64})
}

fn link(lower: &str) -> Value {
    json!({"lower": lower, "down_trained": false, "training": "full", "current_width": 8, "max_width": 8,
        "current_speed": 16_000_000_000_u64, "max_speed": 16_000_000_000_u64, "max_bandwidth": 126_000_000_000_u64})
}

fn dimm(node: usize, name: &str) -> Value {
    json!({"name": name, "manufacturer": "S", "serial": format!("{node}{name}"), "populated": true, "purpose": "system memory", "bytes": 32 * GIB, "memory_type": "DDR4", "part_number": "P1",
        "rated_speed": 3_200_000_000_u64, "configured_speed": 3_200_000_000_u64, "ranks": 2, "total_width": 72, "data_width": 64})
}

fn rdma(node: usize, name: &str) -> Value {
    json!({"name": name, "firmware": "16.35", "board_id": "MT1", "node_guid": format!("guid{node}{name}"),
        "ports": [{"number": 1, "state": "active", "protocol": "roce-v2", "counters": {"link_downed": 0, "symbol_error": 0},
            "hw_counters": {"out_of_sequence": 0, "packet_seq_err": 0, "local_ack_timeout_err": 0, "rx_icrc_encapsulated": 0},
            "roce": {"traffic_class": "106", "default_tos": 106}}]})
}

fn phy(name: &str) -> Value {
    json!({"name": name, "kind": "sas", "state": "up", "maximum": 12_000_000_000_u64, "hardware_maximum": 12_000_000_000_u64,
        "invalid_dword_count": 0, "running_disparity_error_count": 0, "loss_of_dword_sync_count": 0, "phy_reset_problem_count": 0})
}

/// What no tool tells of a plain controller.
fn blank() -> Value {
    json!({"battery": null, "temperature": null, "memory_correctable_errors": null, "memory_uncorrectable_errors": null})
}

fn slot(name: &str) -> Value {
    json!({"name": name, "status": "OK", "fault": false})
}

/// A drive behind a RAID controller.
fn hidden(state: &str, errors: u64, passed: bool) -> Value {
    json!({"name": "/c0/e252/s0", "state": state, "media_error_count": errors, "predictive_failure_count": 0, "health": {"passed": passed}})
}

/// Everything that hangs on PCI Express, and the memory modules.
fn attached(node: usize) -> Value {
    json!({
        "pci_functions": [function("0000:3b:00.0", "010700", "mpt3sas"), function("0000:5e:00.0", "020000", "mlx5_core"),
            function("0000:5e:00.1", "020000", "mlx5_core")],
        "pci_links": [link("0000:3b:00.0"), link("0000:5e:00.0")],
        "storage_controllers": [{"name": "0000:3b:00.0", "kind": "sas-hba", "model": "HBA", "firmware": "1", "mode": "hba",
            "pci_address": "0000:3b:00.0", "raid": blank(), "ports": [phy("phy-0:0")]},
            {"name": "0000:d8:00.0", "kind": "raid", "model": "RAID", "firmware": "1", "mode": null, "pci_address": "0000:d8:00.0", "ports": [],
                "raid": {"battery": "Optimal", "temperature": 60, "memory_correctable_errors": 0, "memory_uncorrectable_errors": 0}}],
        "raid_volumes": [{"name": "/c0/v0", "controller": "0000:d8:00.0", "level": "RAID1", "state": "Optl", "drives": ["a", "b"],
            "write_policy": "write-back"}],
        "hidden_drives": [],
        "enclosures": [{"name": "0:0:8:0", "model": "SHELF", "components": 24, "slots": [slot("Slot 01"), slot("Slot 02")]}],
        "nics": [port(node, "ens1f0", "0000:5e:00.0", 25_000_000_000), port(node, "ens1f1", "0000:5e:00.1", 25_000_000_000),
            {"name": "bond0", "kind": "bond", "bus": null, "mtu": 9000, "master": null, "carrier": true, "admin_up": true,
                "pci_address": null}],
        "bonds": [{"name": "bond0", "mode": "802.3ad", "miimon": 0.1, "partner_mac": "02:00:00:00:00:02", "active_ports": 2,
            "slaves": [{"name": "ens1f0", "mii_up": true}, {"name": "ens1f1", "mii_up": true}]}],
        "rdma_devices": [rdma(node, "mlx5_0"), rdma(node, "mlx5_1")],
        "lldp_agents": ["lldpd"],
        "lldp_neighbours": [neighbour("ens1f0", "switch-a"), neighbour("ens1f1", "switch-b")],
        "dimms": [dimm(node, "A1"), dimm(node, "A2"), dimm(node, "B1"), dimm(node, "B2")],
        "memory_arrays": [{"purpose": "system memory", "error_correction": "multi-bit ECC"}],
        "time": {"synchronized": true, "max_error": 0.01, "services": ["chronyd"], "source": "192.0.2.1", "offset": 0.001},
        "memory_controllers": [{"name": "mc0", "corrected_errors": 0, "uncorrected_errors": 0, "counted_for": 86400.0}],
        "tuning": {"tuned_profile": "throughput-performance", "turbo": true, "hugepages": []},
        "bmc": {"present": true, "firmware": "2.82", "product_id": "0x0100", "event_log_used": 0.1, "event_log_overflow": false,
            "events": [{"kind": "fan", "time": "T", "sensor": "S", "event": "E"}],
            "sensors": [{"name": "PS1", "kind": "power-supply", "status": "ok", "reading": "Presence detected"},
                {"name": "PS", "kind": "power-unit", "status": "ok", "reading": "Fully Redundant"}]},
        "security": {"secure_boot": true, "setup_mode": false, "tpm_version": 2},
    })
}

/// One node of a sound cluster, as the JSON of its inventory.
pub fn sound(node: usize) -> Value {
    let nvme = |name: &str| {
        json!({"name": name, "model": "MODEL nvme ssd", "state": "live", "transport": "pcie", "namespaces": [format!("{name}n1")],
            "firmware_slots": {"active_slot": 1, "next_slot": null}, "identify": {"host_memory_preferred": null, "unallocated_capacity": 0},
            "endurance_groups": [{"id": 1, "critical_warnings": []}], "error_log": [{"status": "0/02", "lba": null}]})
    };
    let mut whole = json!({
        "schema": "muster.inventory/v1", "version": "0.1.0", "collected_at": "2026-07-01T08:00:00Z", "sources": [],
        "errors": [{"operation": "read it", "kind": "permission-denied", "cause": "permission denied"}],
        "node": {
            "hostname": format!("n{node}"), "root": true,
            "system": {"vendor": "V", "product": "P", "serial": format!("SYS{node}"), "uuid": format!("UUID{node}"),
                "bios_vendor": "V", "bios_version": "1.0", "bios_date": "01/02/2026", "firmware_interface": "uefi",
                "hypervisor": null, "virtual_machine": false},
            "os": {"id": "debian", "version_id": "12", "pretty_name": "Debian 12", "kernel_release": "6.1.0", "architecture": "x86_64",
                "tainted": 0, "live_image": false, "swap": 0},
            "cpu": {"sockets": 2, "cores": 16, "threads": 32, "threads_present": 32, "threads_offline": 0, "smt_active": true,
                "models": ["Xeon"], "governors": ["performance"], "vulnerable": [], "microcode_revisions": ["0x1"], "core_throttles": 0, "package_throttles": 0,
                "packages": [package(0), package(1)]},
            "memory": {"total": 125 * GIB, "online": 128 * GIB, "offline": 0, "hardware_corrupted": 0, "hugepages": 0},
            "numa_nodes": [{"id": 0, "cpus": 16, "memory": 62 * GIB}, {"id": 1, "cpus": 16, "memory": 63 * GIB}],
            "drives": [
                drive(node, "sda", ("sata", "ssd"), 240_000_000_000, "boot"),
                drive(node, "nvme0n1", ("nvme", "ssd"), 1_600_000_000_000, "free"),
                drive(node, "nvme1n1", ("nvme", "ssd"), 1_600_000_000_000, "free"),
                drive(node, "sdb", ("sas", "hdd"), 4_000_000_000_000, "free"),
                drive(node, "sdc", ("sas", "hdd"), 4_000_000_000_000, "free"),
                drive(node, "sdd", ("sas", "hdd"), 4_000_000_000_000, "free"),
                drive(node, "sde", ("sas", "hdd"), 4_000_000_000_000, "free"),
            ],
            "nvme_controllers": [nvme("nvme0"), nvme("nvme1")],
            "block_devices": [{"name": "sda", "kind": "disk", "bytes": 240_000_000_000_u64, "read_only": false}],
            "excluded": []
        }
    });
    if let (Some(facts), Value::Object(more)) = (whole["node"].as_object_mut(), attached(node)) {
        facts.extend(more);
    }
    with_health(whole)
}

/// A change of one node: a pointer below `node`, and what stands there instead.
pub type Change = (&'static str, Value);

/// A cluster by name, with changes by node.
pub struct Cluster {
    pub name: &'static str,
    /// The nodes whose facts are made unreadable: the first, and each that is unlike it.
    pub blurred: Vec<usize>,
    pub nodes: Vec<Value>,
}

fn cluster(name: &'static str, count: usize, changes: &[(usize, Change)]) -> Cluster {
    let mut nodes: Vec<Value> = (0..count).map(sound).collect();
    for (node, (pointer, value)) in changes {
        *nodes[*node].pointer_mut(&format!("/node{pointer}")).unwrap_or_else(|| panic!("{pointer}")) = value.clone();
    }
    let odd = (1..count).filter(|node| changes.iter().any(|(changed, _)| changed == node) && changes[0].0 != 0);
    let blurred = std::iter::once(0).chain(odd).collect();
    Cluster { name, blurred, nodes }
}

/// What is wrong with the processors and the system of a machine.
fn bad_system() -> Vec<Change> {
    vec![
        ("/system/serial", json!("SYS0")),
        ("/system/uuid", json!("UUID0")),
        ("/system/product", json!("Q")),
        ("/system/firmware_interface", json!("bios")),
        ("/os/pretty_name", json!("Debian 11")),
        ("/os/kernel_release", json!("5.10.0")),
        ("/os/architecture", json!("aarch64")),
        ("/os/tainted", json!(16)),
        ("/cpu/cores", json!(7)),
        ("/cpu/threads", json!(1024)),
        ("/cpu/threads_offline", json!(2)),
        ("/cpu/models", json!(["Atom", "Xeon"])),
        ("/cpu/governors", json!(["powersave"])),
        ("/cpu/vulnerable", json!(["mds"])),
        ("/cpu/packages/1/cores", json!(4)),
        ("/memory/total", json!(8 * GIB)),
        ("/memory/offline", json!(GIB)),
        ("/memory/hardware_corrupted", json!(4096)),
        ("/numa_nodes/1/memory", json!(0)),
        ("/nvme_controllers/0/state", json!("dead")),
        ("/nvme_controllers/1/namespaces", json!([])),
    ]
}

/// What is wrong with the drives of a machine.
fn bad_drives() -> Vec<Change> {
    let mut broken = signature("gpt", "partition-table", "G");
    broken["intact"] = json!(false);
    broken["damage"] = json!("it differs from the backup");
    vec![
        ("/drives/0/bytes", json!(32_000_000_000_u64)),
        ("/drives/0/read_only", json!(true)),
        ("/drives/1/bytes", json!(16_000_000_000_u64)),
        ("/drives/1/nguid", json!("nguid0nvme0n1")),
        ("/drives/1/firmware", json!("F0")),
        ("/drives/2/usage", json!("partitioned")),
        ("/drives/2/state", json!("dead")),
        ("/drives/3/id", json!("wwn:0sdb")),
        ("/drives/3/zoned", json!("host-managed")),
        ("/drives/3/write_back", json!(true)),
        ("/drives/3/paths", json!(["one", "two"])),
        ("/drives/4/transport", json!("iscsi")),
        ("/drives/4/id", Value::Null),
        ("/drives/4/bytes", json!(500_000_000_000_u64)),
        ("/drives/5/media", json!("virtual")),
        ("/drives/5/transport", json!("raid")),
        ("/drives/6/logical_block_size", json!(4096)),
        ("/drives/6/model", json!("OTHER")),
        ("/drives/6/removable", Value::Null),
        ("/drives/0/signatures", json!([signature("mbr", "partition-table", "M")])),
        ("/drives/1/blank", json!(false)),
        (
            "/drives/1/signatures",
            json!([signature("luks", "encryption", "L"), signature("mbr", "partition-table", "M"), broken]),
        ),
        (
            "/drives/3/signatures",
            json!([signature("ddf", "vendor-raid", "D"), signature("zfs", "storage-system", "Z")]),
        ),
    ]
}

/// What drives say of themselves that is wrong.
fn bad_health() -> Vec<Change> {
    vec![
        ("/drives/0/health/passed", json!(false)),
        ("/drives/0/health/attributes_failing", json!(["5 Reallocated_Sector_Ct"])),
        ("/drives/0/health/attributes_failed_before", json!(["190 Airflow_Temperature_Cel"])),
        ("/drives/0/health/smartctl_signs", json!(["disk-failing"])),
        ("/drives/0/health/reallocated_sectors", json!(9)),
        ("/drives/0/health/pending_sectors", json!(9)),
        ("/drives/0/health/offline_uncorrectable", json!(9)),
        ("/drives/0/health/interface_crc_errors", json!(900)),
        ("/drives/0/health/link_speed", json!(3_000_000_000_u64)),
        ("/drives/0/health/percentage_used", json!(1.1)),
        ("/drives/1/health/critical_warnings", json!(["read-only"])),
        ("/drives/1/health/temperature", json!(80.0)),
        ("/drives/1/health/critical_temperature_time", json!(600)),
        ("/drives/1/health/available_spare", json!(0.05)),
        ("/drives/1/health/media_errors", json!(4)),
        ("/drives/1/health/write_cache", json!(true)),
        ("/drives/1/namespaces/0/logical_block_size", json!(512)),
        ("/drives/1/namespaces/0/metadata_bytes", json!(8)),
        ("/drives/1/namespaces/0/write_protected", json!(true)),
        ("/drives/3/health/grown_defects", json!(900)),
        ("/drives/3/health/self_test", json!("failed")),
        ("/drives/3/health/power_on_time", json!(1e9)),
        ("/drives/3/health/standby", json!(true)),
        ("/nvme_controllers/0/firmware_slots/next_slot", json!(2)),
        ("/nvme_controllers/0/identify/host_memory_preferred", json!(67_108_864)),
        ("/nvme_controllers/0/identify/unallocated_capacity", json!(1_000_000)),
        ("/nvme_controllers/0/endurance_groups/0/critical_warnings", json!(["read-only"])),
        ("/nvme_controllers/0/error_log/0/status", json!("2/81")),
    ]
}

/// What is wrong with the network, the bus and the memory modules of a machine.
fn bad_attached() -> Vec<Change> {
    vec![
        ("/pci_functions/0/driver", Value::Null),
        ("/pci_functions/1/path_max_bandwidth", json!(16_000_000_000_u64)),
        ("/pci_functions/2/device_id", json!("1019")),
        ("/pci_functions/2/path_max_bandwidth", json!(500_000_000)),
        ("/pci_links/0/down_trained", json!(true)),
        ("/storage_controllers/0/mode", json!("raid")),
        ("/storage_controllers/0/ports/0/state", json!("failed")),
        ("/storage_controllers/0/ports/0/invalid_dword_count", json!(70_000)),
        ("/storage_controllers/0/ports/0/maximum", json!(6_000_000_000_u64)),
        ("/storage_controllers/1/raid/battery", json!("Failed")),
        ("/storage_controllers/1/raid/temperature", json!(112)),
        ("/storage_controllers/1/raid/memory_uncorrectable_errors", json!(1)),
        ("/raid_volumes/0/state", json!("Dgrd")),
        ("/raid_volumes/0/drives", json!(["a"])),
        ("/hidden_drives", json!([hidden("UBad", 3, false)])),
        ("/enclosures/0/slots/0/fault", json!(true)),
        ("/enclosures/0/slots/1/status", json!("critical")),
        ("/enclosures/0/components", json!(12)),
        ("/nics/0/permanent_mac", json!("0-ens1f0")),
        ("/nics/0/carrier", json!(false)),
        ("/nics/1/mtu", json!(1500)),
        ("/nics/1/speed", json!(1_000_000_000_u64)),
        ("/nics/1/duplex", json!("half")),
        ("/nics/1/driver_version", json!("5.4")),
        ("/nics/1/counters/rx_crc_errors", json!(7)),
        ("/nics/1/carrier_changes", json!(99)),
        ("/nics/1/vfs", json!(8)),
        ("/nics/1/pause/rx", json!(true)),
        ("/nics/0/fec/active", json!(["off"])),
        ("/nics/1/link_settings/autoneg", json!(false)),
        ("/nics/1/module/part_number", json!("OTHER")),
        ("/nics/1/module/temperature", json!(75)),
        ("/nics/1/port_counters/symbol_errors", json!(4)),
        ("/nics/1/port_counters/discards", json!(4)),
        ("/nics/1/port_counters/out_of_buffer", json!(4)),
        ("/nics/1/port_counters/pause_storms", json!(4)),
        ("/bonds/0/active_ports", json!(1)),
        ("/bonds/0/slaves/1/mii_up", json!(false)),
        ("/rdma_devices/0/node_guid", json!("guid0mlx5_0")),
        ("/rdma_devices/0/firmware", json!("16.30")),
        ("/rdma_devices/0/ports/0/protocol", json!("iwarp")),
        ("/rdma_devices/1/ports/0/counters/symbol_error", json!(9)),
        ("/rdma_devices/1/ports/0/hw_counters/packet_seq_err", json!(5000)),
        ("/rdma_devices/1/ports/0/hw_counters/rx_icrc_encapsulated", json!(1)),
        ("/rdma_devices/1/ports/0/roce/traffic_class", json!("0")),
        ("/dimms/0/total_width", json!(64)),
        ("/dimms/0/serial", json!("0A1")),
        ("/memory_arrays/0/error_correction", json!("none")),
        ("/dimms/0/bytes", json!(16 * GIB)),
        ("/dimms/1/part_number", json!("P2")),
        ("/dimms/1/ranks", json!(1)),
        ("/dimms/2/configured_speed", json!(2_400_000_000_u64)),
        ("/dimms/2/rated_speed", json!(2_900_000_000_u64)),
        ("/dimms/3/memory_type", json!("DDR3")),
        ("/time/synchronized", json!(false)),
        ("/security/secure_boot", json!(false)),
        ("/security/setup_mode", json!(true)),
        ("/security/tpm_version", Value::Null),
        ("/system/bios_date", json!("01/02/2020")),
    ]
}

/// What the machine has counted and its management controller has seen.
fn bad_platform() -> Vec<Change> {
    vec![
        ("/memory_controllers/0/corrected_errors", json!(900)),
        ("/memory_controllers/0/uncorrected_errors", json!(1)),
        ("/cpu/core_throttles", json!(4)),
        ("/pci_functions/0/correctable_errors", json!(9000)),
        ("/pci_functions/0/fatal_errors", json!(1)),
        ("/time/services", json!(["chronyd", "ntpd"])),
        ("/time/offset", json!(3)),
        ("/tuning/tuned_profile", json!("balanced")),
        ("/tuning/turbo", json!(false)),
        ("/tuning/hugepages", json!(["2048 kB: 512"])),
        ("/bmc/firmware", json!("1.0")),
        ("/bmc/event_log_used", json!(0.99)),
        ("/bmc/events/0/kind", json!("memory-uncorrected")),
        ("/bmc/sensors/0/reading", json!("Failure detected")),
        ("/bmc/sensors/1/reading", json!("Redundancy Lost")),
        ("/bmc/sensors/1/status", json!("cr")),
    ]
}

/// What it has seen besides, and what is not there.
fn bad_board() -> Vec<Change> {
    vec![("/bmc/events/0/kind", json!("drive")), ("/memory_controllers", json!([]))]
}

/// What is wrong with flow control and what the switches announce.
fn bad_switch() -> Vec<Change> {
    vec![
        ("/lldp_agents", json!(["lldpd", "lldpad"])),
        ("/lldp_neighbours/0/chassis_id", json!("switch-b")),
        ("/lldp_neighbours/0/pfc_priorities", json!([4])),
        ("/lldp_neighbours/0/ets_bandwidth", json!([60, 40])),
        ("/lldp_neighbours/0/max_frame", json!(1522)),
        ("/lldp_neighbours/0/vlans", json!([712])),
        ("/lldp_neighbours/0/aggregated", json!(false)),
        ("/lldp_neighbours/1/pfc_priorities", Value::Null),
        ("/nics/1/dcb/pfc_priorities", json!([])),
        ("/nics/0/firmware_lldp", json!(true)),
        ("/nics/0/dcb/ets_bandwidth", json!([70, 30])),
    ]
}

/// What is wrong with it besides, in ways that would hide the others.
fn bad_bond() -> Vec<Change> {
    vec![
        ("/storage_controllers/0/model", json!("OTHER HBA")),
        ("/hidden_drives", json!([hidden("Onln", 0, true)])),
        ("/nics/1/driver", json!("ixgbe")),
        ("/nics/0/firmware", json!("16.30")),
        ("/nics/1/speed", json!(1_000_000_000_u64)),
        ("/nics/0/speed", json!(1_000_000_000_u64)),
        ("/bonds/0/mode", json!("active-backup")),
        ("/bonds/0/miimon", json!(0)),
        ("/bonds/0/slaves", json!([{"name": "ens1f0", "mii_up": true}])),
        ("/rdma_devices/0/ports/0/state", json!("down")),
        ("/rdma_devices/1/ports/0/protocol", json!("roce-v1")),
        ("/rdma_devices/1/ports/0/state", json!("down")),
        ("/dimms/3/populated", json!(false)),
        ("/dimms/2/part_number", json!("P9")),
        ("/time/max_error", json!(1)),
    ]
}

/// Every cluster that the laws are held against.
pub fn clusters() -> Vec<Cluster> {
    let on = |node: usize, changes: Vec<Change>| changes.into_iter().map(move |change| (node, change));
    let flash = |node: usize| (3..7).map(move |at| (node, at)).collect::<Vec<_>>();
    let mut no_cache: Vec<(usize, Change)> = Vec::new();
    let mut all_flash: Vec<(usize, Change)> = Vec::new();
    for node in 0..3 {
        for (node, at) in flash(node) {
            let pointer: &'static str =
                ["/drives/3/media", "/drives/4/media", "/drives/5/media", "/drives/6/media"][at - 3];
            all_flash.push((node, (pointer, json!("ssd"))));
        }
        no_cache.push((node, ("/drives/1/usage", json!("boot"))));
        no_cache.push((node, ("/drives/2/usage", json!("boot"))));
        no_cache.push((node, ("/drives/2/state", Value::Null)));
        no_cache.push((node, ("/system/serial", Value::Null)));
        no_cache.push((node, ("/cpu/governors", Value::Null)));
    }
    // The ratio of cache to capacity is too low, the number of capacity drives odd, the capacity too large.
    let large = vec![
        ("/drives/3/bytes", json!(200_000_000_000_000_u64)),
        ("/drives/4/bytes", json!(200_000_000_000_000_u64)),
        ("/drives/6/usage", json!("boot")),
        ("/memory/total", json!(32 * (GIB << 10))),
        ("/cpu/microcode_revisions", json!(["0x1", "0x2"])),
        ("/cpu/packages/0/flags", json!(["sse"])),
        ("/system/bios_version", json!("0.9")),
        ("/hostname", json!("n0")),
        ("/drives/1/bytes", json!(1_000_000_000_000_u64)),
    ];
    let one_cache = vec![
        ("/drives/2/usage", json!("boot")),
        ("/drives/1/bytes", json!(40_000_000_000_000_u64)),
        ("/cpu/microcode_revisions", json!(["0x0"])),
        ("/numa_nodes/1/memory", json!(8 * GIB)),
        ("/os/live_image", json!(true)),
        ("/drives/3/removable", json!(true)),
    ];
    let virtual_one =
        vec![("/system/virtual_machine", json!(true)), ("/system/hypervisor", json!("kvm")), ("/os/tainted", json!(1))];
    let mixed = on(1, bad_system()).chain(on(2, bad_drives())).collect::<Vec<_>>();
    vec![
        cluster("sound", 3, &[]),
        cluster("one", 1, &[]),
        cluster("two that differ", 2, &on(1, bad_system()).chain(on(1, bad_drives())).collect::<Vec<_>>()),
        cluster("two odd ones of three", 3, &mixed),
        cluster(
            "two against two",
            4,
            &on(1, large.clone()).chain(on(2, large.clone())).chain(on(3, one_cache.clone())).collect::<Vec<_>>(),
        ),
        cluster("one odd of four", 4, &on(2, one_cache).chain(on(3, virtual_one)).collect::<Vec<_>>()),
        cluster("network and memory", 3, &on(1, bad_attached()).chain(on(2, bad_bond())).collect::<Vec<_>>()),
        cluster(
            "two with another controller",
            2,
            &on(1, vec![("/storage_controllers/0/firmware", json!("0")), ("/bonds/0/mode", json!("active-backup"))])
                .collect::<Vec<_>>(),
        ),
        cluster("ill drives", 2, &on(1, bad_health()).collect::<Vec<_>>()),
        cluster(
            "ill platforms",
            4,
            &on(1, bad_platform())
                .chain(on(2, bad_board()))
                .chain(on(3, vec![("/bmc/present", json!(false))]))
                .collect::<Vec<_>>(),
        ),
        cluster("ill switches", 2, &on(1, bad_switch()).collect::<Vec<_>>()),
        cluster(
            "unheard",
            2,
            &on(
                1,
                vec![("/lldp_neighbours/0/interface", json!("eno1")), ("/lldp_neighbours/1/interface", json!("eno2"))],
            )
            .collect::<Vec<_>>(),
        ),
        cluster("all flash", 3, &all_flash),
        cluster("no cache", 3, &no_cache),
    ]
}

pub fn inventory(value: &Value) -> Inventory {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
}

pub fn inventories(nodes: &[Value]) -> Vec<Inventory> {
    nodes.iter().map(inventory).collect()
}

/// The pointers of everything below `node` that can be unreadable: leaves, and collections of records.
pub fn facts(node: &Value) -> (Vec<String>, Vec<String>) {
    let (mut leaves, mut collections) = (Vec::new(), Vec::new());
    walk(&node["node"], "/node", &mut leaves, &mut collections);
    (leaves, collections)
}

fn walk(value: &Value, at: &str, leaves: &mut Vec<String>, collections: &mut Vec<String>) {
    const COLLECTIONS: [&str; 19] = [
        "/node/memory_controllers",
        "/node/lldp_neighbours",
        "/node/raid_volumes",
        "/node/hidden_drives",
        "/node/enclosures",
        "/node/memory_arrays",
        "/node/pci_functions",
        "/node/pci_links",
        "/node/storage_controllers",
        "/node/nics",
        "/node/bonds",
        "/node/rdma_devices",
        "/node/dimms",
        "/node/drives",
        "/node/cpu/packages",
        "/node/numa_nodes",
        "/node/nvme_controllers",
        "/node/block_devices",
        "/node/excluded",
    ];
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| walk(value, &format!("{at}/{name}"), leaves, collections))
        }
        Value::Array(items) if COLLECTIONS.contains(&at) => {
            collections.push(at.to_owned());
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| walk(item, &format!("{at}/{index}"), leaves, collections));
        }
        _ => leaves.push(at.to_owned()),
    }
}

/// The inventory with something else at a pointer.
pub fn with(value: &Value, pointer: &str, new: impl FnOnce(&Value) -> Value) -> Value {
    let mut changed = value.clone();
    let place = changed.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}"));
    *place = new(place);
    changed
}
