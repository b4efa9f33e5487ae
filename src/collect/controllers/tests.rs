//! Controllers made up for the purpose.

use super::*;
use crate::host::{Entry, Replay};
use crate::inventory::controller::{PortKind, PortState};
use crate::reading::ReadError;
use crate::units::BitsPerSec;

struct Machine(Vec<(String, Entry)>);

impl Machine {
    fn new() -> Self {
        Self(vec![
            ("/proc/sys/kernel/osrelease".into(), Entry::file("6.1.0\n")),
            ("/sys/bus/pci/devices".into(), Entry::Dir),
            ("/sys/bus/pci/slots".into(), Entry::Dir),
            ("/sys/block".into(), Entry::Dir),
        ])
    }

    fn file(mut self, path: &str, content: &str) -> Self {
        self.0.push((path.into(), Entry::file(format!("{content}\n"))));
        self
    }

    fn link(mut self, path: &str, target: &str) -> Self {
        self.0.push((path.into(), Entry::link(target)));
        self
    }

    /// A function below the root, with class and driver.
    fn function(self, address: &str, class: &str, driver: &str) -> Self {
        let at = format!("/sys/devices/pci0000:00/{address}");
        self.link(&format!("/sys/bus/pci/devices/{address}"), &format!("../../../devices/pci0000:00/{address}"))
            .file(&format!("{at}/vendor"), "0x1000")
            .file(&format!("{at}/device"), "0x0097")
            .file(&format!("{at}/subsystem_vendor"), "0x1000")
            .file(&format!("{at}/subsystem_device"), "0x3090")
            .file(&format!("{at}/class"), class)
            .file(&format!("{at}/numa_node"), "1")
            .link(&format!("{at}/driver"), &format!("../../../bus/pci/drivers/{driver}"))
    }

    /// A SCSI host at a path below /sys/devices.
    fn host(self, path: &str, attributes: &[(&str, &str)]) -> Self {
        let name = path.rsplit('/').next().unwrap();
        let mut machine =
            self.link(&format!("/sys/class/scsi_host/{name}"), &format!("../../devices/{path}/scsi_host/{name}"));
        let common = [("can_queue", "32"), ("cmd_per_lun", "1"), ("state", "running")];
        for (file, content) in attributes.iter().chain(&common) {
            machine = machine.file(&format!("/sys/devices/{path}/scsi_host/{name}/{file}"), content);
        }
        machine
    }

    /// A SCSI device of a host, with a block device if it is a disk.
    fn unit(self, host: &str, unit: &str, kind: &str, block: Option<&str>, attributes: &[(&str, &str)]) -> Self {
        let at = format!("{host}/target/{unit}");
        let mut machine = self
            .link(&format!("/sys/class/scsi_device/{unit}"), &format!("../../devices/{at}/scsi_device/{unit}"))
            .link(&format!("/sys/devices/{at}/scsi_device/{unit}/device"), &format!("../../../{unit}"))
            .file(&format!("/sys/devices/{at}/type"), kind);
        for (file, content) in attributes {
            machine = machine.file(&format!("/sys/devices/{at}/{file}"), content);
        }
        match block {
            Some(name) => machine.link(&format!("/sys/block/{name}"), &format!("../devices/{at}/block/{name}")),
            None => machine,
        }
    }

    fn collect(self) -> (Vec<StorageController>, Vec<ReadError>) {
        let (all, errors) = collected(&Replay::complete(self.0));
        match all {
            Collection::Complete(all) => (all, errors),
            other => panic!("{other:?} {errors:?}"),
        }
    }
}

fn collected(host: &Replay) -> (Collection<StorageController>, Vec<ReadError>) {
    let ledger = Ledger::new(host);
    let mut sources = Sources::default();
    let pci = crate::collect::pci::collect(&ledger, &mut sources);
    let controllers = collect(&ledger, &pci, &mut sources);
    (controllers, ledger.close().1)
}

fn known(text: &str) -> Reading<String> {
    Reading::Known(text.to_owned())
}

fn why<'e, T: std::fmt::Debug>(reading: &Reading<T>, errors: &'e [ReadError]) -> &'e ReadError {
    match reading {
        Reading::Unreadable(error) => &errors[error.0 as usize],
        other => panic!("{other:?}"),
    }
}

const AT: &str = "0000:00:03.0";
const HOST: &str = "pci0000:00/0000:00:03.0/host0";

#[test]
fn a_sas_controller_with_an_expander() {
    let mut machine = Machine::new()
        .function(AT, "0x010700", "mpt3sas")
        .host(
            HOST,
            &[
                ("proc_name", "mpt3sas"),
                ("board_name", "SAS9300-8i"),
                ("version_fw", "16.00.12.00"),
                ("version_bios", "08.37.00.00"),
                ("board_tracer", "SV00000000"),
            ],
        )
        .unit(HOST, "0:0:0:0", "0", Some("sda"), &[])
        .unit(HOST, "0:0:1:0", "13", None, &[])
        .file("/sys/class/raid_devices/.keep", "")
        .file("/sys/class/sas_expander/expander-0:0/vendor_id", "MAKER   ")
        .file("/sys/class/sas_expander/expander-0:0/product_id", "EXPANDER        ")
        .file("/sys/class/sas_expander/expander-0:0/product_rev", "0210")
        .file("/sys/class/sas_expander/expander-0:0/level", "1")
        .file("/sys/class/sas_device/expander-0:0/sas_address", "0x500062b2000000ff");
    for (name, rate) in
        [("phy-0:10", "Unknown"), ("phy-0:2", "6.0 Gbit"), ("phy-0:0:3", "12.0 Gbit"), ("phy-9:0", "12.0 Gbit")]
    {
        let at = format!("/sys/class/sas_phy/{name}");
        machine = machine
            .file(&format!("{at}/negotiated_linkrate"), rate)
            .file(&format!("{at}/maximum_linkrate"), "12.0 Gbit")
            .file(&format!("{at}/maximum_linkrate_hw"), "22.5 Gbit")
            .file(&format!("{at}/minimum_linkrate"), "3.0 Gbit")
            .file(&format!("{at}/enable"), "1")
            .file(&format!("{at}/invalid_dword_count"), "17")
            .file(&format!("{at}/running_disparity_error_count"), "16")
            .file(&format!("{at}/loss_of_dword_sync_count"), "4")
            .file(&format!("{at}/phy_reset_problem_count"), "0")
            .file(&format!("{at}/sas_address"), "0x500062b200000000");
    }
    let (all, _) = machine.collect();
    let [controller] = &all[..] else { panic!("{all:?}") };
    assert_eq!(controller.name, known(AT));
    assert_eq!(controller.pci_address, known(AT));
    assert_eq!(controller.kind, Reading::Known(ControllerKind::SasHba));
    assert_eq!(controller.driver, known("mpt3sas"));
    assert_eq!(controller.model, known("SAS9300-8i"));
    assert_eq!(controller.firmware, known("16.00.12.00"));
    assert_eq!(controller.boot_firmware, known("08.37.00.00"));
    assert_eq!(controller.serial, known("SV00000000"));
    assert_eq!(controller.numa_node, Reading::Known(1));
    assert_eq!(controller.mode, Reading::Known(ControllerMode::Hba));
    assert_eq!(controller.transport_mode, Reading::Absent);
    assert_eq!(controller.hosts.items()[0].can_queue, Reading::Known(32));
    let attached = controller.attached.items();
    assert_eq!((&attached[0].block_device, &attached[0].scsi_type), (&known("sda"), &Reading::Known(0)));
    assert_eq!((&attached[1].block_device, &attached[1].scsi_type), (&Reading::Absent, &Reading::Known(13)));
    let ports: Vec<_> = controller
        .ports
        .items()
        .iter()
        .map(|port| (port.name.known().unwrap().as_str(), port.state.clone(), port.negotiated.clone()))
        .collect();
    assert_eq!(
        ports,
        [
            ("phy-0:0:3", Reading::Known(PortState::Up), Reading::Known(BitsPerSec(12_000_000_000))),
            ("phy-0:2", Reading::Known(PortState::Up), Reading::Known(BitsPerSec(6_000_000_000))),
            ("phy-0:10", Reading::Known(PortState::Down), Reading::Absent),
        ]
    );
    assert_eq!(controller.ports.items()[0].expander, known("expander-0:0"));
    assert_eq!(controller.ports.items()[1].expander, Reading::Absent);
    let phy = &controller.ports.items()[1];
    assert_eq!(
        (&phy.hardware_maximum, &phy.minimum),
        (&Reading::Known(BitsPerSec(22_500_000_000)), &Reading::Known(BitsPerSec(3_000_000_000)))
    );
    assert_eq!(phy.enabled, Reading::Known(true));
    assert_eq!(
        (&phy.invalid_dword_count, &phy.running_disparity_error_count),
        (&Reading::Known(17), &Reading::Known(16))
    );
    assert_eq!((&phy.loss_of_dword_sync_count, &phy.phy_reset_problem_count), (&Reading::Known(4), &Reading::Known(0)));
    assert_eq!(controller.expanders.items()[0].vendor, known("MAKER"));
    assert_eq!(controller.expanders.items()[0].address, known("500062b2000000ff"));
}

#[test]
fn where_a_sas_drive_hangs() {
    let behind = format!("{HOST}/port-0:0/expander-0:0/port-0:0:3/end_device-0:0:3");
    let direct = format!("{HOST}/port-0:1/end_device-0:1");
    let (all, errors) = Machine::new()
        .function(AT, "0x010700", "mpt3sas")
        .host(HOST, &[("proc_name", "mpt3sas")])
        .unit(&behind, "0:0:0:0", "0", Some("sda"), &[])
        .unit(&direct, "0:0:1:0", "13", None, &[])
        .unit(HOST, "0:0:2:0", "0", Some("sdb"), &[])
        .file("/sys/class/raid_devices/.keep", "")
        .file("/sys/class/sas_device/end_device-0:0:3/phy_identifier", "11")
        .file("/sys/class/sas_device/end_device-0:0:3/sas_address", "0x5000c500a1b2c3d1")
        .file("/sys/class/sas_device/end_device-0:0:3/enclosure_identifier", "0x500304801f3a00bf")
        .file("/sys/class/sas_device/end_device-0:0:3/bay_identifier", "7")
        .file("/sys/class/sas_device/end_device-0:1/phy_identifier", "1")
        .file("/sys/class/sas_device/end_device-0:1/sas_address", "0x4433221101000000")
        .file("/sys/class/sas_device/end_device-0:1/enclosure_identifier", "0x0000000000000000")
        .collect();
    let [disk, services, plain] = all[0].attached.items() else { panic!("{all:?}") };
    assert_eq!(
        (&disk.expander, &disk.phy, &disk.bay),
        (&known("expander-0:0"), &Reading::Known(11), &Reading::Known(7))
    );
    assert_eq!((&disk.sas_address, &disk.enclosure), (&known("5000c500a1b2c3d1"), &known("500304801f3a00bf")));
    assert_eq!(
        (&services.expander, &services.phy, &services.enclosure),
        (&Reading::Absent, &Reading::Known(1), &Reading::Absent)
    );
    let Reading::Unreadable(error) = services.bay else { panic!("{:?}", services.bay) };
    assert_eq!(errors[error.0 as usize].kind, ErrorKind::NotFound);
    // What hangs under no end device has neither.
    assert_eq!((&plain.expander, &plain.phy, &plain.bay), (&Reading::Absent, &Reading::Absent, &Reading::Absent));
}

#[test]
fn volumes_are_told_by_each_driver_in_its_way() {
    let mode = |driver: &str, units: &[(&str, &[(&str, &str)])]| {
        let mut machine = Machine::new()
            .function(AT, "0x010400", driver)
            .host(HOST, &[("proc_name", driver)])
            .file("/sys/class/raid_devices/0:1:0:0/level", "raid1");
        for (number, (unit, attributes)) in units.iter().enumerate() {
            machine = machine.unit(HOST, unit, "0", Some(&format!("sd{number}")), attributes);
        }
        // What every such driver also shows: the controller itself.
        let (all, errors) = machine.unit(HOST, "0:3:0:0", "12", None, &[("raid_level", "N/A")]).collect();
        (all[0].clone(), errors)
    };
    const VOLUME: &[(&str, &str)] = &[("raid_level", "RAID 5")];
    const MEDIUM: &[(&str, &str)] = &[("raid_level", "N/A")];
    for (driver, units, expected) in [
        ("smartpqi", &[("0:1:0:0", VOLUME)][..], ControllerMode::Raid),
        ("smartpqi", &[("0:0:0:0", MEDIUM)][..], ControllerMode::Hba),
        ("hpsa", &[("0:1:0:0", VOLUME), ("0:0:0:0", MEDIUM)][..], ControllerMode::Mixed),
        ("megaraid_sas", &[("0:2:0:0", &[][..])][..], ControllerMode::Raid),
        ("megaraid_sas", &[("0:0:7:0", &[][..]), ("0:2:0:0", &[][..])][..], ControllerMode::Mixed),
        ("megaraid_sas", &[("0:0:7:0", &[][..])][..], ControllerMode::Hba),
        ("mpt3sas", &[("0:1:0:0", &[][..])][..], ControllerMode::Raid),
        ("mpt3sas", &[("0:0:0:0", &[][..])][..], ControllerMode::Hba),
    ] {
        let (controller, errors) = mode(driver, units);
        assert_eq!(controller.mode, Reading::Known(expected), "{driver} {units:?} {errors:?}");
    }
    for (driver, units) in
        [("mpi3mr", &[("0:0:0:0", &[][..])][..]), ("megaraid_sas", &[][..]), ("smartpqi", &[("0:0:0:0", &[][..])][..])]
    {
        let (controller, errors) = mode(driver, units);
        why(&controller.mode, &errors);
    }
    let (controller, errors) = mode("mpt3sas", &[("0:1:0:0", &[])]);
    assert_eq!(controller.attached.items()[0].raid_level, known("raid1"));
    assert!(matches!(controller.ports, Collection::Unreadable(_)), "{errors:?}");
}

#[test]
fn what_megaraid_keeps_to_itself_is_unknown_and_not_absent() {
    let (all, errors) =
        Machine::new().function(AT, "0x010400", "megaraid_sas").host(HOST, &[("proc_name", "megaraid_sas")]).collect();
    assert_eq!(
        why(&all[0].firmware, &errors).to_string(),
        "cannot read the firmware of 0000:00:03.0: the driver megaraid_sas does not tell it in sysfs"
    );
    // pci.ids, 1000 0097, subsystem 1000 3090.
    assert_eq!(all[0].model, known("SAS9311-8i"));
    assert!(matches!(all[0].ports, Collection::Unreadable(_)));
}

#[test]
fn hpsa_tells_how_it_takes_commands() {
    let (all, _) = Machine::new()
        .function(AT, "0x010400", "hpsa")
        .host(
            HOST,
            &[
                ("proc_name", "hpsa"),
                ("firmware_revision", "7.00"),
                ("transport_mode", "performant"),
                ("hp_ssd_smart_path_status", "HP SSD Smart Path disabled"),
            ],
        )
        .collect();
    assert_eq!(all[0].kind, Reading::Known(ControllerKind::Raid));
    assert_eq!(all[0].firmware, known("7.00"));
    assert_eq!(all[0].transport_mode, known("performant"));
    assert_eq!(all[0].ssd_smart_path, Reading::Known(false));
}

#[test]
fn ahci_ports_and_the_mode_of_the_setup() {
    let collect = |class: &str| {
        let mut machine = Machine::new().function("0000:00:17.0", class, "ahci");
        for (ata, host, speed) in [(1, 0, "6.0 Gbps"), (2, 1, "<unknown>")] {
            let path = format!("pci0000:00/0000:00:17.0/ata{ata}/host{host}");
            machine = machine
                .host(&path, &[("proc_name", "ahci")])
                .file(&format!("/sys/class/ata_link/link{ata}/sata_spd"), speed)
                .file(&format!("/sys/class/ata_link/link{ata}/hw_sata_spd_limit"), "6.0 Gbps");
        }
        let (mut all, _) =
            machine.unit("pci0000:00/0000:00:17.0/ata1/host0", "0:0:0:0", "0", Some("sda"), &[]).collect();
        all.remove(0)
    };
    let controller = collect("0x010601");
    assert_eq!(controller.kind, Reading::Known(ControllerKind::Ahci));
    assert_eq!(controller.mode, Reading::Known(ControllerMode::Hba));
    assert_eq!(controller.firmware, Reading::Absent);
    assert_eq!(controller.hosts.items().len(), 2);
    assert_eq!(controller.attached.items()[0].volume, Reading::Known(false));
    let ports = controller.ports.items();
    assert_eq!(ports.len(), 2);
    assert_eq!((&ports[0].kind, &ports[0].state), (&Reading::Known(PortKind::Sata), &Reading::Known(PortState::Up)));
    assert_eq!(ports[0].maximum, Reading::Known(BitsPerSec(6_000_000_000)));
    assert_eq!((&ports[1].state, &ports[1].negotiated), (&Reading::Known(PortState::Down), &Reading::Absent));
    assert_eq!(collect("0x010400").mode, Reading::Known(ControllerMode::Raid));
}

#[test]
fn an_nvme_drive_is_its_own_controller() {
    let machine = || {
        Machine::new()
            .function("0000:00:05.0", "0x010802", "nvme")
            .link("/sys/class/nvme/nvme0", "../../devices/pci0000:00/0000:00:05.0/nvme/nvme0")
            .file("/sys/devices/pci0000:00/0000:00:05.0/nvme/nvme0/model", "A MODEL                       ")
            .file("/sys/devices/pci0000:00/0000:00:05.0/nvme/nvme0/firmware_rev", "FW01    ")
            .file("/sys/devices/pci0000:00/0000:00:05.0/nvme/nvme0/serial", "S123                ")
            .link("/sys/block/nvme0c0n1", "../devices/pci0000:00/0000:00:05.0/nvme/nvme0/nvme0c0n1")
            .link("/sys/block/nvme0n1", "../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1")
    };
    let (all, _) = machine().collect();
    let [controller] = &all[..] else { panic!("{all:?}") };
    assert_eq!(controller.kind, Reading::Known(ControllerKind::Nvme));
    assert_eq!(
        (&controller.model, &controller.firmware, &controller.serial),
        (&known("A MODEL"), &known("FW01"), &known("S123"))
    );
    assert_eq!(controller.mode, Reading::Absent);
    assert_eq!(controller.hosts, Collection::Complete(Vec::new()));
    assert_eq!(controller.attached.items().len(), 1);
    assert_eq!(controller.attached.items()[0].block_device, known("nvme0n1"));
    assert_eq!(controller.attached.items()[0].scsi_address, Reading::Absent);
    // One that was handed to a virtual machine.
    let (all, errors) = Machine::new().function("0000:00:05.0", "0x010802", "vfio-pci").collect();
    assert_eq!(all[0].kind, Reading::Known(ControllerKind::Nvme));
    assert!(why(&all[0].firmware, &errors).cause.contains("no NVMe controller"));
}

#[test]
fn hosts_that_are_on_no_storage_function() {
    let usb = "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6";
    let (all, _) = Machine::new()
        .function("0000:00:14.0", "0x0c0330", "xhci_hcd")
        .host(usb, &[("proc_name", "uas")])
        .unit(usb, "6:0:0:0", "0", Some("sdb"), &[])
        .host("platform/host3", &[("proc_name", "iscsi_tcp")])
        .host("platform/soc/fe010000.sata/ata1/host1", &[("proc_name", "ahci_platform")])
        .host("platform/soc/fe010000.sata/ata2/host2", &[("proc_name", "ahci_platform")])
        .collect();
    let told: Vec<_> = all
        .iter()
        .map(|one| {
            (one.name.known().unwrap().as_str(), one.kind.clone(), one.pci_address.clone(), one.hosts.items().len())
        })
        .collect();
    assert_eq!(
        told,
        [
            ("host1", Reading::Known(ControllerKind::Ahci), Reading::Absent, 2),
            ("host3", Reading::Known(ControllerKind::Iscsi), Reading::Absent, 1),
            ("host6", Reading::Known(ControllerKind::Usb), known("0000:00:14.0"), 1),
        ]
    );
    assert_eq!(all[2].attached.items()[0].block_device, known("sdb"));
    assert_eq!(all[2].driver, known("uas"));
    assert_eq!(all[2].model, Reading::Absent);
}

#[test]
fn fibre_channel_ports() {
    let (all, _) = Machine::new()
        .function(AT, "0x0c0400", "lpfc")
        .host(
            HOST,
            &[
                ("proc_name", "lpfc"),
                ("modelname", "LPe31000"),
                ("fwrev", "12.4.270.3, sli-4:2:c"),
                ("serialnum", "FC1"),
                ("option_rom_version", "12.4.270.3"),
            ],
        )
        .file("/sys/class/fc_host/host0/port_state", "Online")
        .file("/sys/class/fc_host/host0/speed", "16 Gbit")
        .file("/sys/class/fc_host/host0/supported_speeds", "4 Gbit, 8 Gbit, 16 Gbit")
        .file("/sys/class/fc_host/host0/port_name", "0x1000e0071b000000")
        .collect();
    assert_eq!(all[0].kind, Reading::Known(ControllerKind::Fc));
    assert_eq!(all[0].firmware, known("12.4.270.3, sli-4:2:c"));
    let port = &all[0].ports.items()[0];
    assert_eq!((&port.kind, &port.state), (&Reading::Known(PortKind::Fc), &Reading::Known(PortState::Up)));
    assert_eq!(port.negotiated, Reading::Known(BitsPerSec(16_000_000_000)));
    assert_eq!(port.address, known("1000e0071b000000"));
}

#[test]
fn a_tree_without_manifest_is_partial() {
    let tree = vec![
        ("/sys/bus/pci/devices/0000:00:1f.2".to_owned(), Entry::link("../../../devices/pci0000:00/0000:00:1f.2")),
        ("/sys/devices/pci0000:00/0000:00:1f.2/class".to_owned(), Entry::file("0x010601\n")),
        ("/sys/devices/pci0000:00/0000:00:1f.2/host4/scsi_host/host4/proc_name".to_owned(), Entry::file("ahci\n")),
        (
            "/sys/block/sda".to_owned(),
            Entry::link("../devices/pci0000:00/0000:00:1f.2/ata9/host8/target8:0:0/8:0:0:0/block/sda"),
        ),
    ];
    let (all, errors) = collected(&Replay::from_entries(tree));
    let Collection::Partial { items, .. } = &all else { panic!("{all:?}") };
    assert_eq!(items.len(), 1);
    assert_eq!(items[0].kind, Reading::Known(ControllerKind::Ahci));
    assert_eq!(why(&items[0].driver, &errors).kind, ErrorKind::NotInCapture);
    assert!(matches!(&items[0].hosts, Collection::Partial { items, .. } if items[0].name == known("host4")));
    // By the path of its disk, for its host is not in the tree.
    assert!(matches!(&items[0].attached, Collection::Partial { items, .. } if items[0].block_device == known("sda")));
    assert!(matches!(&items[0].ports, Collection::Partial { .. }));
}
