//! Machines made up for the purpose: every expected figure is worked out by hand.

use super::*;
use crate::host::{Entry, Replay};
use crate::inventory::pci::LinkTraining;
use crate::reading::ReadError;
use crate::units::{BitsPerSec, TransfersPerSec};

const GT: u64 = 1_000_000_000;

/// A tree of functions.
struct Machine(Vec<(String, Entry)>);

/// What `link` of a function says: speed and width now, then at most.
type Rates<'t> = Option<[&'t str; 4]>;

impl Machine {
    /// A kernel that has all attributes.
    fn new() -> Self {
        Self::with_kernel("6.1.0-18-amd64")
    }

    fn with_kernel(release: &str) -> Self {
        Self(vec![
            ("/proc/sys/kernel/osrelease".into(), Entry::file(format!("{release}\n"))),
            ("/sys/bus/pci/slots".into(), Entry::Dir),
            ("/sys/bus/pci/devices".into(), Entry::Dir),
        ])
    }

    fn file(mut self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.0.retain(|(place, _)| place != path);
        self.0.push((path.into(), Entry::file(content)));
        self
    }

    fn link(mut self, path: &str, target: &str) -> Self {
        self.0.push((path.into(), Entry::link(target)));
        self
    }

    /// A function at a path below /sys/devices, with the attributes of a current kernel.
    fn function(self, path: &str, class: &str, rates: Rates<'_>) -> Self {
        let address = path.rsplit('/').next().unwrap();
        let at = format!("/sys/devices/{path}");
        let mut machine = self
            .link(&format!("/sys/bus/pci/devices/{address}"), &format!("../../../devices/{path}"))
            .file(&format!("{at}/vendor"), "0x8086\n")
            .file(&format!("{at}/device"), "0x0a54\n")
            .file(&format!("{at}/subsystem_vendor"), "0x1028\n")
            .file(&format!("{at}/subsystem_device"), "0x2003\n")
            .file(&format!("{at}/class"), format!("{class}\n"))
            .file(&format!("{at}/revision"), "0x01\n")
            .file(&format!("{at}/numa_node"), "0\n")
            .file(&format!("{at}/power_state"), "D0\n")
            .file(&format!("{at}/power/runtime_status"), "active\n");
        if let Some(rates) = rates {
            for (name, value) in
                ["current_link_speed", "current_link_width", "max_link_speed", "max_link_width"].iter().zip(rates)
            {
                machine = machine.file(&format!("{at}/{name}"), format!("{value}\n"));
            }
        }
        machine
    }

    fn collect(self) -> (Pci, Vec<ReadError>) {
        collected(&Replay::complete(self.0))
    }

    fn collect_without_manifest(self) -> (Pci, Vec<ReadError>) {
        collected(&Replay::from_entries(self.0))
    }
}

fn collected(host: &Replay) -> (Pci, Vec<ReadError>) {
    let ledger = Ledger::new(host);
    let pci = collect(&ledger, &mut Sources::default());
    (pci, ledger.close().1)
}

fn function<'p>(pci: &'p Pci, address: &str) -> &'p PciFunction {
    pci.functions.items().iter().find(|function| function.address == Reading::Known(address.into())).expect(address)
}

fn link<'p>(pci: &'p Pci, lower: &str) -> &'p PciLink {
    pci.links.items().iter().find(|link| link.lower == Reading::Known(lower.into())).expect(lower)
}

fn why<'e, T: std::fmt::Debug>(reading: &Reading<T>, errors: &'e [ReadError]) -> &'e ReadError {
    match reading {
        Reading::Unreadable(error) => &errors[error.0 as usize],
        other => panic!("{other:?}"),
    }
}

const BRIDGE: &str = "0x060400";
const NVME: &str = "0x010802";
const VGA: &str = "0x030000";
const G4X4: Rates<'static> = Some(["16.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4"]);
const G4X16: Rates<'static> = Some(["16.0 GT/s PCIe", "16", "16.0 GT/s PCIe", "16"]);

/// A root port, a switch, two drives below it.
fn switched(uplink: Rates<'_>) -> Machine {
    Machine::new()
        .function("pci0000:3a/0000:3a:00.0", BRIDGE, uplink)
        .function("pci0000:3a/0000:3a:00.0/0000:3b:00.0", BRIDGE, uplink)
        .function("pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0", BRIDGE, G4X4)
        .function("pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:08.0", BRIDGE, G4X4)
        .function("pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:04.0/0000:3d:00.0", NVME, G4X4)
        .function("pci0000:3a/0000:3a:00.0/0000:3b:00.0/0000:3c:08.0/0000:3e:00.0", NVME, G4X4)
}

#[test]
fn a_slow_hop_in_the_middle_is_seen() {
    let (pci, _) = switched(Some(["8.0 GT/s PCIe", "2", "16.0 GT/s PCIe", "16"])).collect();
    let drive = function(&pci, "0000:3d:00.0");
    assert_eq!(
        drive.path,
        Reading::Known(["0000:3a:00.0", "0000:3b:00.0", "0000:3c:04.0", "0000:3d:00.0"].map(String::from).to_vec())
    );
    // Its own link is at its best: 16 * 4 * 128 / 130.
    assert_eq!(drive.link_bandwidth, Reading::Known(BitsPerSec(63_015_384_615)));
    assert_eq!(link(&pci, "0000:3d:00.0").training, Reading::Known(LinkTraining::Full));
    // The uplink is not: 8 * 2 * 128 / 130.
    assert_eq!(drive.bottleneck, Reading::Known("0000:3b:00.0".into()));
    assert_eq!(drive.path_bandwidth, Reading::Known(BitsPerSec(15_753_846_153)));
    assert_eq!(drive.path_max_bandwidth, Reading::Known(BitsPerSec(63_015_384_615)));
    let uplink = link(&pci, "0000:3b:00.0");
    assert_eq!(uplink.upper, Reading::Known("0000:3a:00.0".into()));
    assert_eq!(uplink.training, Reading::Known(LinkTraining::SlowAndNarrow));
    assert_eq!(uplink.down_trained, Reading::Known(true));
    assert_eq!(uplink.max_bandwidth, Reading::Known(BitsPerSec(252_061_538_461)));
    // Three links: the inside of the switch is none.
    assert!(matches!(&pci.links, Collection::Complete(links) if links.len() == 3), "{:?}", pci.links);
}

#[test]
fn of_equal_links_the_one_next_to_the_root_is_named() {
    let (pci, _) = switched(G4X4).collect();
    assert_eq!(function(&pci, "0000:3e:00.0").bottleneck, Reading::Known("0000:3b:00.0".into()));
}

#[test]
fn a_link_is_as_good_as_the_lesser_of_its_ends() {
    // A Gen4 drive in a Gen3 slot of two lanes is not down-trained.
    let (pci, _) = Machine::new()
        .function("pci0000:00/0000:00:01.0", BRIDGE, Some(["8.0 GT/s PCIe", "2", "8.0 GT/s PCIe", "2"]))
        .function("pci0000:00/0000:00:01.0/0000:01:00.0", NVME, Some(["8.0 GT/s PCIe", "2", "16.0 GT/s PCIe", "4"]))
        .collect();
    let only = link(&pci, "0000:01:00.0");
    assert_eq!(only.max_speed, Reading::Known(TransfersPerSec(8 * GT)));
    assert_eq!(only.max_width, Reading::Known(2));
    assert_eq!(only.training, Reading::Known(LinkTraining::Full));
    assert_eq!(only.down_trained, Reading::Known(false));
}

#[test]
fn an_idle_display_controller_is_not_called_down_trained() {
    let slow = Some(["2.5 GT/s PCIe", "16", "16.0 GT/s PCIe", "16"]);
    let below = |class, state: &str, rates: Rates<'_>| {
        let (pci, errors) = Machine::new()
            .function("pci0000:00/0000:00:01.0", BRIDGE, rates)
            .function("pci0000:00/0000:00:01.0/0000:01:00.0", class, rates)
            .file("/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/power_state", state)
            .collect();
        let only = link(&pci, "0000:01:00.0").clone();
        (only, errors)
    };
    let (idle, errors) = below(VGA, "D0", slow);
    assert_eq!(idle.training, Reading::Known(LinkTraining::SlowMaybeIdle));
    assert_eq!(why(&idle.down_trained, &errors).kind, ErrorKind::NotSupported);
    assert_eq!(below(NVME, "D3hot", slow).0.training, Reading::Known(LinkTraining::SlowMaybeIdle));
    assert_eq!(below(NVME, "D0", slow).0.training, Reading::Known(LinkTraining::Slow));
    // Idleness is no excuse for lost lanes.
    let narrow = Some(["16.0 GT/s PCIe", "8", "16.0 GT/s PCIe", "16"]);
    assert_eq!(below(VGA, "D0", narrow).0.down_trained, Reading::Known(true));
}

#[test]
fn a_display_controller_with_its_own_switch_may_idle_its_uplink() {
    let slow = Some(["2.5 GT/s PCIe", "16", "16.0 GT/s PCIe", "16"]);
    let machine = Machine::new()
        .function("pci0000:00/0000:00:01.0", BRIDGE, slow)
        .function("pci0000:00/0000:00:01.0/0000:01:00.0", BRIDGE, slow)
        .function("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0", BRIDGE, G4X16)
        .function("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0", VGA, G4X16);
    let own = "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/vendor";
    let other = machine.0.clone();
    let (pci, _) = machine.collect();
    assert_eq!(link(&pci, "0000:01:00.0").training, Reading::Known(LinkTraining::SlowMaybeIdle));
    // A switch of the board does not idle because a display controller below it does.
    let (pci, _) = Machine(other).file(own, "0x10b5\n").collect();
    assert_eq!(link(&pci, "0000:01:00.0").training, Reading::Known(LinkTraining::Slow));
}

#[test]
fn parts_of_the_root_complex_and_conventional_pci_have_no_link() {
    let (pci, errors) = Machine::new()
        // An endpoint of the root complex; the second form is that of newer kernels.
        .function("pci0000:00/0000:00:0e.0", "0x010400", Some(["Unknown", "0", "Unknown", "0"]))
        .function("pci0000:00/0000:00:0f.0", "0x010601", Some(["Unknown", "0", "Unknown", "255"]))
        .function("pci0000:00/0000:00:1f.2", "0x010601", None)
        // A bridge to conventional PCI behind a root port, as of a management controller.
        .function("pci0000:00/0000:00:1c.0", BRIDGE, Some(["2.5 GT/s PCIe", "1", "8.0 GT/s PCIe", "1"]))
        .function("pci0000:00/0000:00:1c.0/0000:04:00.0", BRIDGE, Some(["2.5 GT/s PCIe", "1", "2.5 GT/s PCIe", "1"]))
        .function("pci0000:00/0000:00:1c.0/0000:04:00.0/0000:05:00.0", VGA, None)
        .collect();
    for address in ["0000:00:0e.0", "0000:00:0f.0", "0000:00:1f.2"] {
        let function = function(&pci, address);
        assert_eq!(function.current_link_speed, Reading::Absent, "{address}");
        assert_eq!(function.max_link_width, Reading::Absent, "{address}");
        assert_eq!(function.path_bandwidth, Reading::Absent, "{address}");
        assert_eq!(function.bottleneck, Reading::Absent, "{address}");
    }
    let display = function(&pci, "0000:05:00.0");
    assert_eq!(display.current_link_speed, Reading::Absent);
    assert!(why(&display.path_bandwidth, &errors).cause.contains("conventional PCI"));
    assert_eq!(link(&pci, "0000:04:00.0").training, Reading::Known(LinkTraining::Full));
    assert!(matches!(&pci.links, Collection::Complete(links) if links.len() == 1), "{:?}", pci.links);
}

#[test]
fn a_virtual_function_has_the_path_of_its_physical_one() {
    let port = "pci0000:17/0000:17:00.0";
    let g3x8 = Some(["8.0 GT/s PCIe", "8", "8.0 GT/s PCIe", "8"]);
    let (pci, _) = Machine::new()
        .function(port, BRIDGE, g3x8)
        .function(&format!("{port}/0000:18:00.0"), "0x020000", g3x8)
        .function(&format!("{port}/0000:18:02.0"), "0x020000", Some(["Unknown", "0", "8.0 GT/s PCIe", "8"]))
        .link(&format!("/sys/devices/{port}/0000:18:02.0/physfn"), "../0000:18:00.0")
        .file(&format!("/sys/devices/{port}/0000:18:00.0/sriov_totalvfs"), "64\n")
        .file(&format!("/sys/devices/{port}/0000:18:00.0/sriov_numvfs"), "1\n")
        .collect();
    let (physical, virtual_one) = (function(&pci, "0000:18:00.0"), function(&pci, "0000:18:02.0"));
    assert_eq!(physical.sriov_total_vfs, Reading::Known(64));
    assert_eq!(physical.virtual_function, Reading::Known(false));
    assert_eq!(virtual_one.sriov_total_vfs, Reading::Absent);
    assert_eq!(virtual_one.virtual_function, Reading::Known(true));
    assert_eq!(virtual_one.physical_function, Reading::Known("0000:18:00.0".into()));
    assert_eq!(virtual_one.current_link_speed, Reading::Absent);
    assert_eq!(virtual_one.path_bandwidth, physical.path_bandwidth);
    // 8 * 8 * 128 / 130.
    assert_eq!(physical.path_bandwidth, Reading::Known(BitsPerSec(63_015_384_615)));
    assert!(matches!(&pci.links, Collection::Complete(links) if links.len() == 1));
}

#[test]
fn behind_a_vmd_the_chain_begins_again() {
    let vmd = "pci0000:5d/0000:5d:05.5";
    let (pci, _) = Machine::new()
        .function(vmd, "0x010400", Some(["Unknown", "0", "Unknown", "0"]))
        .function(&format!("{vmd}/pci10000:00/10000:00:02.0"), BRIDGE, G4X4)
        .function(&format!("{vmd}/pci10000:00/10000:00:02.0/10000:01:00.0"), NVME, G4X4)
        .collect();
    let drive = function(&pci, "10000:01:00.0");
    assert_eq!(drive.bottleneck, Reading::Known("10000:01:00.0".into()));
    assert_eq!(
        drive.path,
        Reading::Known(["0000:5d:05.5", "10000:00:02.0", "10000:01:00.0"].map(String::from).to_vec())
    );
}

#[test]
fn a_device_whose_port_is_not_shown() {
    let (pci, errors) = Machine::new().function("pci0000:00/0000:00:05.0", NVME, G4X4).collect();
    let drive = function(&pci, "0000:00:05.0");
    assert_eq!(drive.link_bandwidth, Reading::Known(BitsPerSec(63_015_384_615)));
    assert!(why(&drive.path_bandwidth, &errors).cause.contains("port above"));
    assert!(matches!(&pci.links, Collection::Partial { items, .. } if items.is_empty()));
}

#[test]
fn ends_that_disagree_are_a_conflict() {
    let (pci, errors) = Machine::new()
        .function("pci0000:00/0000:00:01.0", BRIDGE, Some(["8.0 GT/s PCIe", "4", "16.0 GT/s PCIe", "4"]))
        .function("pci0000:00/0000:00:01.0/0000:01:00.0", NVME, G4X4)
        .collect();
    let only = link(&pci, "0000:01:00.0");
    assert_eq!(why(&only.current_speed, &errors).kind, ErrorKind::Conflict);
    assert_eq!(only.current_width, Reading::Known(4));
    for unknown in [why(&only.training, &errors), why(&only.down_trained, &errors), why(&only.bandwidth, &errors)] {
        assert_eq!(unknown.kind, ErrorKind::Conflict);
    }
}

/// A configuration space with a PCI Express capability of version 2 at 40h.
fn space(port_type: u8, can: u32, does: u16, vector: u32) -> Vec<u8> {
    let mut config = vec![0; 256];
    let mut put = |at: usize, bytes: &[u8]| config[at..at + bytes.len()].copy_from_slice(bytes);
    put(0x00, &[0x86, 0x80, 0x54, 0x0a]);
    put(0x06, &[0x10, 0x00]);
    put(0x08, &[0x07]);
    put(0x34, &[0x40]);
    put(0x40, &[0x10, 0x00, 0x02 | port_type << 4, 0x00]);
    put(0x4c, &can.to_le_bytes());
    put(0x52, &does.to_le_bytes());
    put(0x6c, &vector.to_le_bytes());
    config
}

#[test]
fn an_old_kernel_is_helped_out_by_the_configuration_space() {
    let port = "/sys/devices/pci0000:00/0000:00:01.0";
    let machine = || {
        Machine::with_kernel("3.10.0-1160.el7.x86_64").function("pci0000:00/0000:00:01.0", BRIDGE, None).function(
            "pci0000:00/0000:00:01.0/0000:01:00.0",
            NVME,
            None,
        )
    };
    // Port: up to 8 GT/s x8. Drive: up to 8 GT/s x4. Now 5 GT/s x4.
    let (pci, _) = machine()
        .file(&format!("{port}/config"), space(4, 0x83, 0x42, 0x0e))
        .file(&format!("{port}/0000:01:00.0/config"), space(0, 0x43, 0x42, 0x0e))
        .collect();
    let drive = function(&pci, "0000:01:00.0");
    assert_eq!(drive.current_link_speed, Reading::Known(TransfersPerSec(5 * GT)));
    assert_eq!(drive.max_link_speed, Reading::Known(TransfersPerSec(8 * GT)));
    assert_eq!(drive.max_link_width, Reading::Known(4));
    let only = link(&pci, "0000:01:00.0");
    assert_eq!(only.max_width, Reading::Known(4));
    assert_eq!(only.training, Reading::Known(LinkTraining::Slow));

    // Without root 64 bytes are shown: nothing is known, and nothing is absent.
    let (pci, errors) = machine()
        .file(&format!("{port}/config"), &space(4, 0x83, 0x42, 0x0e)[..64])
        .file(&format!("{port}/0000:01:00.0/config"), &space(0, 0x43, 0x42, 0x0e)[..64])
        .collect();
    let drive = function(&pci, "0000:01:00.0");
    assert!(why(&drive.current_link_speed, &errors).cause.contains("older than 4.13"));
    assert!(why(&drive.path_bandwidth, &errors).cause.contains("older than 4.13"));
    assert!(matches!(&pci.links, Collection::Partial { items, .. } if items.is_empty()));
}

#[test]
fn kernel_and_configuration_space_that_disagree_are_a_conflict() {
    let at = "/sys/devices/pci0000:00/0000:00:01.0";
    let machine = |config: &[u8]| {
        Machine::new()
            .function("pci0000:00/0000:00:01.0", BRIDGE, None)
            .file(&format!("{at}/current_link_speed"), "8 GT/s\n")
            .file(&format!("{at}/current_link_width"), "4\n")
            .file(&format!("{at}/config"), config)
            .collect_without_manifest()
    };
    let (pci, errors) = machine(&space(4, 0x43, 0x42, 0x0e));
    let port = function(&pci, "0000:00:01.0");
    assert_eq!(why(&port.current_link_speed, &errors).kind, ErrorKind::Conflict);
    assert_eq!(port.max_link_speed, Reading::Known(TransfersPerSec(8 * GT)));
    let mut conventional = space(4, 0, 0, 0);
    conventional[0x06] = 0;
    let (pci, errors) = machine(&conventional);
    assert_eq!(why(&function(&pci, "0000:00:01.0").current_link_speed, &errors).kind, ErrorKind::Conflict);
}

#[test]
fn what_does_not_answer_is_not_without_a_link() {
    let off = Some(["Unknown", "63", "16.0 GT/s PCIe", "4"]);
    let (pci, errors) = Machine::new()
        .function("pci0000:00/0000:00:01.0", BRIDGE, off)
        .function("pci0000:00/0000:00:01.0/0000:01:00.0", NVME, off)
        .collect();
    let drive = function(&pci, "0000:01:00.0");
    assert!(why(&drive.current_link_speed, &errors).cause.contains("does not answer"));
    assert!(why(&drive.path_bandwidth, &errors).cause.contains("does not answer"));
    assert_eq!(drive.path_max_bandwidth, Reading::Known(BitsPerSec(63_015_384_615)));
}

#[test]
fn names_identifiers_and_what_is_absent() {
    let at = "/sys/devices/pci0000:00/0000:00:01.0";
    let (pci, errors) = Machine::new()
        .function("pci0000:00/0000:00:01.0", NVME, None)
        .link(&format!("{at}/driver"), "../../../bus/pci/drivers/nvme")
        .link(&format!("{at}/iommu_group"), "../../../kernel/iommu_groups/17")
        .function("pci0000:00/0000:00:02.0", "0xfe0000", None)
        .file("/sys/devices/pci0000:00/0000:00:02.0/vendor", "0xfff0\n")
        .file("/sys/devices/pci0000:00/0000:00:02.0/subsystem_vendor", "0x0000\n")
        .file("/sys/devices/pci0000:00/0000:00:02.0/subsystem_device", "0x0000\n")
        .file("/sys/devices/pci0000:00/0000:00:02.0/numa_node", "-1\n")
        .file("/sys/devices/pci0000:00/0000:00:02.0/class", "nonsense\n")
        .collect();
    let known = |text: &str| Reading::Known(text.to_owned());
    let drive = function(&pci, "0000:00:01.0");
    assert_eq!((&drive.vendor_id, &drive.device_id), (&known("8086"), &known("0a54")));
    assert_eq!((&drive.subsystem_vendor_id, &drive.subsystem_device_id), (&known("1028"), &known("2003")));
    assert_eq!((&drive.class, &drive.revision), (&known("010802"), &known("01")));
    assert_eq!(drive.vendor, known("Intel Corporation"));
    // pci.ids, 8086 0a54: "NVMe Datacenter SSD [3DNAND, Beta Rock Controller]"; its subsystem 1028 2003.
    assert!(drive.device.known().unwrap().starts_with("NVMe Datacenter SSD"), "{:?}", drive.device);
    assert!(drive.subsystem.known().unwrap().contains("P4510"), "{:?}", drive.subsystem);
    assert_eq!(drive.class_name, known("Non-Volatile memory controller"));
    assert_eq!(drive.driver, known("nvme"));
    assert_eq!(drive.iommu_group, Reading::Known(17));
    assert_eq!(drive.numa_node, Reading::Known(0));
    let odd = function(&pci, "0000:00:02.0");
    assert_eq!(
        why(&odd.vendor, &errors).to_string(),
        format!("cannot name PCI vendor fff0: the PCI ID Repository of {} has no name for it", ids::table().version)
    );
    assert_eq!(odd.subsystem_vendor_id, Reading::Absent);
    assert_eq!(odd.subsystem, Reading::Absent);
    assert_eq!(odd.driver, Reading::Absent);
    assert_eq!(odd.iommu_group, Reading::Absent);
    assert_eq!(odd.numa_node, Reading::Absent);
    assert_eq!(why(&odd.class, &errors).kind, ErrorKind::Malformed);
}

#[test]
fn a_slot_holds_what_sits_in_it_and_below() {
    let (pci, _) = switched(G4X16)
        .file("/sys/bus/pci/slots/6/address", "0000:3b:00\n")
        .file("/sys/bus/pci/slots/6-1/address", "0000:3e:00\n")
        .collect();
    for (address, slot) in [
        ("0000:3b:00.0", Reading::Known("6".to_owned())),
        ("0000:3d:00.0", Reading::Known("6".to_owned())),
        ("0000:3e:00.0", Reading::Known("6-1".to_owned())),
        ("0000:3a:00.0", Reading::Absent),
    ] {
        assert_eq!(function(&pci, address).slot, slot, "{address}");
    }
    assert_eq!(parse_slot_address("0000:3b").as_deref(), Ok("0000:3b"));
    assert!(parse_slot_address("3b:00").is_err());
}

#[test]
fn a_tree_without_manifest_tells_what_it_has() {
    let (pci, errors) = Machine(vec![
        (
            "/sys/bus/pci/devices/0000:01:00.0".into(),
            Entry::link("../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0"),
        ),
        ("/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/vendor".into(), Entry::file("0x8086\n")),
        ("/sys/devices/pci0000:00/0000:00:01.0/vendor".into(), Entry::file("0x8086\n")),
    ])
    .collect_without_manifest();
    let drive = function(&pci, "0000:01:00.0");
    assert_eq!(drive.vendor, Reading::Known("Intel Corporation".into()));
    for reading in [&drive.device, &drive.driver, &drive.slot, &drive.subsystem, &drive.power_state, &drive.bottleneck]
    {
        assert_eq!(why(reading, &errors).kind, ErrorKind::NotInCapture);
    }
    assert_eq!(why(&drive.numa_node, &errors).kind, ErrorKind::NotInCapture);
    assert_eq!(why(&drive.virtual_function, &errors).kind, ErrorKind::NotInCapture);
    // The port above is not listed, and yet it is there.
    assert_eq!(function(&pci, "0000:00:01.0").vendor_id, Reading::Known("8086".into()));
    assert!(matches!(&pci.functions, Collection::Partial { items, .. } if items.len() == 2));
    assert!(matches!(&pci.links, Collection::Partial { items, .. } if items.is_empty()));
}

#[test]
fn a_machine_without_pci_has_no_functions() {
    let (pci, _) = Machine(vec![("/sys/bus".into(), Entry::Dir)]).collect();
    assert_eq!(pci.functions, Collection::Complete(Vec::new()));
    let (pci, _) = Machine(vec![("/sys/bus".into(), Entry::Dir)]).collect_without_manifest();
    assert!(matches!(pci.functions, Collection::Unreadable(_)));
}
