//! Inventories of a large node: two CPUs, 26 NVMe drives, four NICs of two ports, 180 PCI functions, every field with
//! its source. Node `n` differs from the others in names, serial numbers and counters; one in fifty is odd.
//!
//! Knows no check. A node is a template in which the digits of [`MARK`] are replaced by its number, so that making one
//! costs a copy of five bytes at each mark.

use serde_json::{Map, Value, json};

/// Digits that stand for the number of the node.
const MARK: &str = "77777";

/// One node in as many is odd.
pub const ODD: usize = 50;

/// The JSON of a node, and where its number goes.
pub struct Template {
    /// The JSON.
    bytes: Vec<u8>,
    marks: Vec<usize>,
}

impl Template {
    /// `odd`: a drive of other firmware, a link trained down, a fact that could not be read. `extra`: facts that the
    /// schema does not know: 48 attributes a drive, 162 counters a port.
    pub fn new(odd: bool, extra: bool) -> Self {
        let bytes = inventory(odd, extra).to_string().into_bytes();
        let marks = bytes
            .windows(MARK.len())
            .enumerate()
            .filter(|(_, window)| *window == MARK.as_bytes())
            .map(|(place, _)| place)
            .collect();
        Self { bytes, marks }
    }

    /// The JSON of this node.
    pub fn node(&mut self, number: usize) -> &[u8] {
        let digits = format!("{:05}", number % 100_000);
        for mark in &self.marks {
            if let Some(place) = self.bytes.get_mut(*mark..mark + MARK.len()) {
                place.copy_from_slice(digits.as_bytes());
            }
        }
        &self.bytes
    }
}

/// The two templates of one thread.
pub struct Templates {
    usual: Template,
    odd: Template,
}

impl Templates {
    pub fn new(extra: bool) -> Self {
        Self { usual: Template::new(false, extra), odd: Template::new(true, extra) }
    }

    pub fn node(&mut self, number: usize) -> &[u8] {
        if number % ODD == 7 { self.odd.node(number) } else { self.usual.node(number) }
    }
}

fn inventory(odd: bool, extra: bool) -> Value {
    let mut node = node(odd);
    let mut sources = vec!["derived: whole collection".to_owned()];
    note_sources(&mut node, "/sys/devices/system", &mut sources);
    if extra {
        add_extra(&mut node);
    }
    json!({
        "schema": "muster.inventory/v1",
        "version": "0.1.0",
        "collected_at": "2026-03-01T10:00:00Z",
        "node": node,
        "sources": sources,
        "errors": [{
            "operation": "read /sys/class/dmi/id/board_serial",
            "kind": "permission-denied",
            "cause": "permission denied (os error 13)"
        }],
    })
}

/// Gives every record its `sources`, one for each field, under the folder that it would be read from.
fn note_sources(record: &mut Value, folder: &str, sources: &mut Vec<String>) {
    let Value::Object(fields) = record else { return };
    let mut own = Map::new();
    for (name, value) in fields.iter_mut() {
        match value {
            Value::Object(inner) if !inner.contains_key("unreadable") => {
                note_sources(value, &format!("{folder}/{name}"), sources);
                continue;
            }
            Value::Array(items) if items.first().is_some_and(Value::is_object) => {
                own.insert(name.clone(), 0.into());
                for (place, item) in items.iter_mut().enumerate() {
                    let key = item.get("name").or_else(|| item.get("address")).and_then(Value::as_str);
                    let key = key.map_or_else(|| place.to_string(), str::to_owned);
                    let folder = match name.as_str() {
                        "pci_functions" => format!("/sys/bus/pci/devices/{key}"),
                        "drives" | "block_devices" => format!("/sys/class/block/{key}"),
                        "nics" => format!("/sys/class/net/{key}"),
                        _ => format!("{folder}/{name}/{key}"),
                    };
                    note_sources(item, &folder, sources);
                }
                continue;
            }
            _ => {}
        }
        own.insert(name.clone(), sources.len().into());
        sources.push(format!("{folder}/{name}"));
    }
    fields.insert("sources".to_owned(), Value::Object(own));
}

fn add_extra(node: &mut Value) {
    let counter = |n: usize| json!({ "raw": 1_000_003 * n, "value": 100, "worst": 99, "threshold": 10 });
    for (of, count, what) in [("drives", 48, "attribute"), ("nics", 162, "statistic")] {
        let Some(items) = node.get_mut(of).and_then(Value::as_array_mut) else { continue };
        for item in items {
            let all: Map<String, Value> = (0..count)
                .map(|n| (format!("{what}_{n}"), if of == "drives" { counter(n) } else { (n * 7_919).into() }))
                .collect();
            if let Some(fields) = item.as_object_mut() {
                fields.insert(format!("{what}s"), Value::Object(all));
            }
        }
    }
}

const FLAGS: &str = "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse sse2 \
    ht syscall nx mmxext fxsr_opt pdpe1gb rdtscp lm constant_tsc rep_good amd_lbr_v2 nopl nonstop_tsc cpuid extd_apicid \
    aperfmperf rapl pni pclmulqdq monitor ssse3 fma cx16 pcid sse4_1 sse4_2 x2apic movbe popcnt aes xsave avx f16c rdrand \
    lahf_lm cmp_legacy svm extapic cr8_legacy abm sse4a misalignsse 3dnowprefetch osvw ibs skinit wdt tce topoext \
    perfctr_core perfctr_nb bpext perfctr_llc mwaitx cpb cat_l3 cdp_l3 hw_pstate ssbd mba perfmon_v2 ibrs ibpb stibp \
    ibrs_enhanced vmmcall fsgsbase bmi1 avx2 smep bmi2 erms invpcid cqm rdt_a avx512f avx512dq rdseed adx smap \
    avx512ifma clflushopt clwb avx512cd sha_ni avx512bw avx512vl xsaveopt xsavec xgetbv1 xsaves cqm_llc cqm_occup_llc \
    cqm_mbm_total cqm_mbm_local avx512_bf16 clzero irperf xsaveerptr rdpru wbnoinvd amd_ppin cppc arat npt lbrv svm_lock \
    nrip_save tsc_scale vmcb_clean flushbyasid decodeassists pausefilter pfthreshold avic v_vmsave_vmload vgif x2avic \
    v_spec_ctrl vnmi avx512vbmi umip pku ospke avx512_vbmi2 gfni vaes vpclmulqdq avx512_vnni avx512_bitalg \
    avx512_vpopcntdq la57 rdpid overflow_recov succor smca fsrm flush_l1d debug_swap";

const DRIVES: usize = 26;
const NICS: usize = 8;
const FUNCTIONS: usize = 180;

fn node(odd: bool) -> Value {
    json!({
        "hostname": "node-77777",
        "root": true,
        "system": {
            "vendor": "Supermicro", "product": "AS -2125HS-TNR", "product_version": "0123456789", "family": "Family",
            "sku": null, "serial": "S41277777X", "uuid": "6ff0d2c8-1b0e-4a4e-9b6b-00000077777a",
            "board_vendor": "Supermicro", "board_product": "H13DSH",
            "board_serial": if odd { json!({ "unreadable": 0 }) } else { json!("WM23BS77777") },
            "chassis_type": 1, "bios_vendor": "American Megatrends International, LLC.", "bios_version": "1.9",
            "bios_date": "2024-05-22", "firmware_interface": "uefi", "hypervisor": null, "virtual_machine": false,
        },
        "os": {
            "id": "debian", "version_id": "13", "pretty_name": "Debian GNU/Linux 13 (trixie)",
            "kernel_release": "6.12.48+deb13-amd64", "kernel_version": "#1 SMP PREEMPT_DYNAMIC Debian 6.12.48-1",
            "architecture": "x86_64", "command_line": "BOOT_IMAGE=/vmlinuz-6.12 root=/dev/md0 ro iommu=pt quiet",
            "tainted": 0, "uptime": 177_777.25, "live_image": false, "transparent_hugepage": "madvise",
            "swappiness": 10, "swap": 0,
        },
        "cpu": {
            "sockets": 2, "cores": 128, "threads": 256, "threads_present": 256, "threads_offline": 0,
            "smt_active": true, "models": ["AMD EPYC 9554 64-Core Processor"], "governors": ["performance"],
            "vulnerable": [], "microcode_revisions": ["0xa101148"],
            "packages": (0..2).map(package).collect::<Value>(),
            "caches": (1..5).map(cache).collect::<Value>(),
        },
        "memory": {
            "total": 1_649_267_441_664_u64, "available": 1_577_777_000_000_u64, "online": 1_649_267_441_664_u64,
            "offline": 0, "hardware_corrupted": 0, "hugepages": 0,
        },
        "numa_nodes": (0..2).map(|id| json!({
            "id": id, "cpu_list": format!("{}-{},{}-{}", id * 64, id * 64 + 63, 128 + id * 64, 191 + id * 64),
            "cpus": 128, "memory": 824_633_720_832_u64, "distances": if id == 0 { [10, 32] } else { [32, 10] },
        })).collect::<Value>(),
        "drives": (0..DRIVES).map(|n| drive(n, odd)).collect::<Value>(),
        "nvme_controllers": (0..DRIVES).map(controller).collect::<Value>(),
        "block_devices": block_devices(),
        "excluded": [],
        "nics": (0..NICS).map(nic).chain((0..2).map(bond_port)).collect::<Value>(),
        "bonds": (0..2).map(bond).collect::<Value>(),
        "rdma_devices": (0..NICS).map(rdma).collect::<Value>(),
        "pci_functions": (0..FUNCTIONS).map(|n| function(n, odd)).collect::<Value>(),
        "pci_links": (0..60).map(|n| link(n, odd)).collect::<Value>(),
        "storage_controllers": (0..DRIVES + 2).map(storage).collect::<Value>(),
        "processor_sockets": (0..2).map(socket).collect::<Value>(),
        "memory_arrays": [{
            "handle": 4096, "purpose": "system memory", "error_correction": "multi-bit ECC",
            "max_capacity": 6_597_069_766_656_u64, "slots": 24,
        }],
        "dimms": (0..24).map(dimm).collect::<Value>(),
        "time": { "synchronized": true, "max_error": 0.004, "estimated_error": 0.0002, "services": ["chrony"] },
        "security": { "secure_boot": true, "setup_mode": false, "lockdown": "integrity", "tpm_version": 2,
            "tpm_description": "TPM 2.0 Device" },
    })
}

fn socket(n: usize) -> Value {
    json!({
        "handle": 64 + n, "locator": format!("CPU{}", n + 1), "populated": true, "enabled": true,
        "manufacturer": "Advanced Micro Devices, Inc.", "version": "AMD EPYC 9554 64-Core Processor",
        "max_speed": 3_750_000_000_u64, "current_speed": 3_100_000_000_u64, "serial": null, "asset_tag": null,
        "part_number": null, "cores": 64, "cores_enabled": 64, "threads": 128,
    })
}

fn dimm(n: usize) -> Value {
    let locator = format!("P{}-DIMM{}1", n / 12 + 1, char::from(b'A' + (n % 12) as u8));
    json!({
        "name": locator, "handle": 4352 + n, "locator": locator, "bank_locator": format!("P{}_Node0_Channel{}_Dimm0", n / 12, n % 12),
        "purpose": "system memory", "populated": true, "bytes": 68_719_476_736_u64, "form_factor": "DIMM",
        "memory_type": "DDR5", "type_detail": ["synchronous", "registered (buffered)"], "rated_speed": 4_800_000_000_u64,
        "configured_speed": 4_800_000_000_u64, "manufacturer": "Samsung", "part_number": "M321R8GA0BB0-CQKZJ",
        "serial": format!("8077777{n:02}"), "asset_tag": null, "ranks": 2, "total_width": 80, "data_width": 64,
        "minimum_millivolts": 1100, "maximum_millivolts": 1100, "configured_millivolts": 1100, "technology": "DRAM",
        "firmware": null, "nonvolatile": null, "volatile": 68_719_476_736_u64,
    })
}

fn package(id: usize) -> Value {
    json!({
        "id": id, "vendor": "AuthenticAMD", "model": "AMD EPYC 9554 64-Core Processor", "family": 25,
        "model_number": 17, "stepping": 1, "parts": ["0x0"], "microcode": "0xa101148", "cores": 64, "threads": 128,
        "flags": FLAGS.split_whitespace().collect::<Vec<_>>(),
        "max_clock": 3_762_988_000_u64, "min_clock": 1_500_000_000_u64, "base_clock": 3_100_000_000_u64,
    })
}

fn cache(n: usize) -> Value {
    let (level, kind, bytes, cpus, count) = match n {
        1 => (1, "data", 32_768, 2, 128),
        2 => (1, "instruction", 32_768, 2, 128),
        3 => (2, "unified", 1_048_576, 2, 128),
        _ => (3, "unified", 33_554_432, 16, 16),
    };
    json!({ "level": level, "kind": kind, "bytes": bytes, "cpus": cpus, "count": count })
}

/// The first two drives carry the system.
fn boot(n: usize) -> bool {
    n < 2
}

fn serial(n: usize) -> String {
    format!("S6CKNT0W7777700{n:02}")
}

fn model(n: usize) -> &'static str {
    if boot(n) { "SAMSUNG MZQL2960HCJR-00A07" } else { "SAMSUNG MZQL27T6HBLA-00A07" }
}

fn bytes(n: usize) -> u64 {
    if boot(n) { 960_197_124_096 } else { 7_681_501_126_656 }
}

/// Address of the PCI function of an NVMe drive.
fn address(n: usize) -> String {
    format!("0000:{:02x}:00.0", 0x20 + n)
}

fn drive(n: usize, odd: bool) -> Value {
    let firmware = if odd && n == 9 { "GDC5502Q" } else { "GDC5902Q" };
    json!({
        "name": format!("nvme{n}n1"), "id": format!("eui.36434b3057777770025384500000{n:02}"), "vendor": "0x144d",
        "model": model(n), "serial": serial(n), "firmware": firmware,
        "wwn": format!("eui.36434b3057777770025384500000{n:02}"), "eui64": format!("36434b30577777{n:02}"),
        "nguid": format!("36434b3057777770025384500000{n:02}"), "bytes": bytes(n), "media": "ssd",
        "transport": "nvme", "rotational": false, "logical_block_size": 512, "physical_block_size": 4096,
        "zoned": "none", "write_back": false, "removable": false, "read_only": false,
        "usage": if boot(n) { "boot" } else { "free" },
        "mountpoints": if boot(n) { vec!["/", "/boot/efi"] } else { vec![] },
        "block_devices": [format!("nvme{n}n1")], "paths": [format!("nvme{n}")], "numa_node": n / 13,
        "pci_address": address(n), "state": "live",
    })
}

fn controller(n: usize) -> Value {
    json!({
        "name": format!("nvme{n}"), "model": model(n), "serial": serial(n), "firmware": "GDC5902Q", "state": "live",
        "transport": "pcie", "address": address(n),
        "subsystem_nqn": format!("nqn.1994-11.com.samsung:nvme:PM9A3:2.5-inch:{}", serial(n)), "numa_node": n / 13,
        "namespaces": [format!("nvme{n}n1")],
    })
}

fn block_devices() -> Value {
    let device = |name: String, kind: &str, minor: usize, bytes: u64, parent: Option<String>, mounts: &[&str]| {
        json!({
            "name": name, "kind": kind, "dev": format!("259:{minor}"), "bytes": bytes, "logical_block_size": 512,
            "physical_block_size": 4096, "read_only": false, "parent": parent, "dm_name": null, "dm_uuid": null,
            "md_level": if kind == "md" { json!("raid1") } else { Value::Null }, "slaves": [], "holders": [],
            "mountpoints": mounts, "swap": false,
        })
    };
    let mut devices: Vec<Value> =
        (0..DRIVES).map(|n| device(format!("nvme{n}n1"), "nvme-namespace", n, bytes(n), None, &[])).collect();
    for n in 0..2 {
        for (part, bytes, mounts) in
            [(1, 536_870_912, ["/boot/efi"].as_slice()), (2, 958_000_000_000, &[]), (3, 1_000_000_000, &[])]
        {
            let parent = Some(format!("nvme{n}n1"));
            devices.push(device(format!("nvme{n}n1p{part}"), "partition", 40 + n * 3 + part, bytes, parent, mounts));
        }
    }
    devices.push(device("md0".to_owned(), "md", 60, 957_000_000_000, None, &["/"]));
    devices.into()
}

fn port(n: usize) -> String {
    format!("ens{}f{}np{}", n / 2 + 1, n % 2, n % 2)
}

fn port_address(n: usize) -> String {
    format!("0000:{:02x}:00.{}", 0x81 + n / 2, n % 2)
}

fn nic(n: usize) -> Value {
    let mac = format!("b8:ce:f6:07:77:{n:02x}");
    json!({
        "name": port(n), "kind": "physical", "bus": "pci", "mac": mac, "permanent_mac": mac,
        "mac_origin": "permanent", "mtu": 9000, "admin_up": true, "carrier": true, "operstate": "up",
        "speed": 100_000_000_000_u64, "duplex": "full", "carrier_changes": 2, "driver": "mlx5_core",
        "driver_version": "6.12.48", "firmware": "22.41.1000 (MT_0000000359)", "pci_address": port_address(n),
        "numa_node": n / 4, "port_number": n % 2, "phys_port_id": null, "phys_port_name": format!("p{}", n % 2),
        "phys_switch_id": null, "master": format!("bond{}", n / 4), "lower": [], "upper": [format!("bond{}", n / 4)],
        "vlan_id": null, "vlan_device": null, "bridge_ports": [], "physical_function": null, "vfs": 0, "vfs_max": 8,
        "rx_queues": 63, "tx_queues": 63, "rdma_device": format!("mlx5_{n}"),
        "counters": counters(),
    })
}

fn counters() -> Value {
    json!({
            "rx_packets": 8_177_777_123_u64, "tx_packets": 7_177_777_456_u64, "rx_errors": 0, "tx_errors": 0,
            "rx_dropped": 177_777, "tx_dropped": 0, "rx_crc_errors": 0, "rx_frame_errors": 0, "rx_length_errors": 0,
            "rx_missed_errors": 0, "rx_over_errors": 0, "rx_fifo_errors": 0, "tx_fifo_errors": 0,
            "tx_carrier_errors": 0, "collisions": 0,
    })
}

/// The interface that a bond is.
fn bond_port(n: usize) -> Value {
    json!({
        "name": format!("bond{n}"), "kind": "bond", "bus": null, "mac": format!("b8:ce:f6:07:77:{:02x}", n * 4),
        "permanent_mac": null, "mac_origin": "stolen", "mtu": 9000, "admin_up": true, "carrier": true, "operstate": "up",
        "speed": 400_000_000_000_u64, "duplex": "full", "carrier_changes": 2, "driver": "bonding",
        "driver_version": "6.12.48", "firmware": null, "pci_address": null, "numa_node": null, "port_number": null,
        "phys_port_id": null, "phys_port_name": null, "phys_switch_id": null, "master": null,
        "lower": (n * 4..n * 4 + 4).map(port).collect::<Vec<_>>(), "upper": [], "vlan_id": null, "vlan_device": null,
        "bridge_ports": null, "physical_function": null, "vfs": null, "vfs_max": null, "rx_queues": 63, "tx_queues": 63,
        "rdma_device": null, "counters": counters(),
    })
}

fn bond(n: usize) -> Value {
    json!({
        "name": format!("bond{n}"), "mode": "802.3ad", "mii_up": true, "miimon": 0.1, "hash_policy": "layer3+4",
        "active_slave": null, "primary": null, "lacp_rate": "fast", "active_aggregator": 1, "active_ports": 4,
        "partner_mac": "44:38:39:be:ef:aa", "min_links": 1,
        "slaves": (n * 4..n * 4 + 4).map(|n| json!({
            "name": port(n), "mii_up": true, "state": "active", "link_failures": 0,
            "permanent_mac": format!("b8:ce:f6:07:77:{n:02x}"), "aggregator": 1,
            "lacp_actor_state": ["activity", "timeout", "aggregation", "synchronization", "collecting", "distributing"],
            "lacp_partner_state": ["activity", "aggregation", "synchronization", "collecting", "distributing"],
        })).collect::<Value>(),
    })
}

fn rdma(n: usize) -> Value {
    json!({
        "name": format!("mlx5_{n}"), "node_type": "ca", "firmware": "22.41.1000", "hca_type": "MT4125",
        "board_id": "MT_0000000359", "node_guid": format!("b8ce:f603:0077:77{n:02x}"),
        "sys_image_guid": format!("b8ce:f603:0077:77{:02x}", n & !1),
        "description": format!("node-77777 mlx5_{n}"), "pci_address": port_address(n), "numa_node": n / 4,
        "ports": [{
            "number": 1, "state": "active", "phys_state": "link-up", "link_layer": "ethernet", "protocol": "roce-v2",
            "rate": 100_000_000_000_u64, "lanes": 4, "lid": 0, "sm_lid": 0, "netdev": port(n),
            "gids": (0..6).map(|index| json!({
                "index": index, "gid": format!("fe80:0000:0000:0000:bace:f6ff:fe07:77{index:02x}"),
                "kind": if index % 2 == 0 { "ib-roce-v1" } else { "roce-v2" }, "netdev": port(n),
            })).collect::<Value>(),
            "counters": {
                "symbol_error": 0, "link_error_recovery": 0, "link_downed": 0, "port_rcv_errors": 0,
                "port_xmit_discards": 177_777, "local_link_integrity_errors": 0,
            },
        }],
    })
}

/// Drives first, then ports, then bridges and what belongs to the processor.
fn function(n: usize, odd: bool) -> Value {
    let (address, class, class_name, driver, width) = match n {
        0..DRIVES => (address(n), "010802", "Non-Volatile memory controller", Some("nvme"), Some(4)),
        26..34 => (port_address(n - 26), "020000", "Ethernet controller", Some("mlx5_core"), Some(16)),
        34..94 => (format!("0000:{:02x}:01.{}", n, n % 8), "060400", "PCI bridge", Some("pcieport"), Some(16)),
        _ => (format!("0000:{:02x}:{:02x}.{}", n % 8, 0x10 + n % 16, n % 8), "088000", "System peripheral", None, None),
    };
    let speed = width.map(|_| if odd && n == 11 { 8_000_000_000_u64 } else { 16_000_000_000 });
    let bandwidth = width.map(|width| width * 15_753_846_153_u64);
    json!({
        "address": address, "vendor_id": "144d", "device_id": "a80a", "subsystem_vendor_id": "144d",
        "subsystem_device_id": "a813", "revision": "00", "class": class, "class_name": class_name,
        "vendor": "Samsung Electronics Co Ltd", "device": "NVMe SSD Controller PM9A1/PM9A3/980PRO",
        "subsystem": "General DC NVMe PM9A3", "driver": driver, "numa_node": n % 2, "iommu_group": n,
        "slot": width.map(|_| n.to_string()), "current_link_speed": speed, "current_link_width": width,
        "max_link_speed": width.map(|_| 16_000_000_000_u64), "max_link_width": width, "link_bandwidth": bandwidth,
        "power_state": "D0", "runtime_status": "active", "sriov_total_vfs": null, "sriov_num_vfs": null,
        "virtual_function": false, "physical_function": null,
        "path": width.map_or_else(Vec::new, |_| vec![format!("0000:{:02x}:01.1", 34 + n % 60)]), "bottleneck": null,
        "path_bandwidth": bandwidth, "path_max_bandwidth": bandwidth,
    })
}

fn link(n: usize, odd: bool) -> Value {
    let down = odd && n == 11;
    json!({
        "upper": format!("0000:{:02x}:01.{}", n + 34, (n + 34) % 8), "lower": address(n % DRIVES),
        "current_speed": if down { 8_000_000_000_u64 } else { 16_000_000_000 }, "current_width": 4,
        "bandwidth": if down { 31_507_692_307_u64 } else { 63_015_384_612 }, "max_speed": 16_000_000_000_u64,
        "max_width": 4, "max_bandwidth": 63_015_384_612_u64, "training": if down { "slow" } else { "full" },
        "down_trained": down,
    })
}

fn storage(n: usize) -> Value {
    let ahci = n >= DRIVES;
    let name = if ahci { format!("ahci{}", n - DRIVES) } else { format!("nvme{n}") };
    let host = json!([{ "name": format!("host{n}"), "proc_name": "ahci", "can_queue": 32, "cmd_per_lun": 1, "state": "running" }]);
    let attached = json!([{
        "block_device": format!("nvme{n}n1"), "scsi_address": null, "scsi_type": null, "volume": false, "raid_level": null,
    }]);
    json!({
        "name": name, "kind": if ahci { "ahci" } else { "nvme" }, "pci_address": address(n),
        "driver": if ahci { "ahci" } else { "nvme" }, "vendor": "Samsung Electronics Co Ltd", "model": model(n),
        "firmware": "GDC5902Q", "boot_firmware": null, "serial": serial(n), "mode": "hba", "transport_mode": null,
        "ssd_smart_path": null, "numa_node": n / 13 % 2, "hosts": if ahci { host } else { json!([]) },
        "attached": if ahci { json!([]) } else { attached }, "ports": [], "expanders": [],
    })
}
