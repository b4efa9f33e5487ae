//! NVMe drives: namespaces, subsystems, paths.

use super::machine::{Machine, list, text};
use crate::inventory::{BlockKind, Media, Transport, Usage};
use crate::reading::Reading;
use crate::units::Bytes;

const A: &str = "pci0000:3a/0000:3b:00.0/nvme/nvme0";
const B: &str = "pci0000:ae/0000:af:00.0/nvme/nvme1";

/// 3.84 TB: 7 501 476 528 sectors of 512 bytes are 3 840 755 982 336 bytes.
const SECTORS: u64 = 7_501_476_528;
const BYTES: u64 = 3_840_755_982_336;

#[test]
fn one_controller_with_one_namespace_is_one_drive() {
    let seen = Machine::new()
        .controller(A, "nvme-subsys0", "SN0001")
        .disk(&format!("{A}/nvme0n1"), "259:0", SECTORS)
        .set("nvme0n1", "eui", "00 25 38 5b 91 b0 a1 b2")
        .set("nvme0n1", "nguid", "36344630-5280-0123-0025-384600000001")
        .read();
    assert_eq!(seen.drives(), ["nvme0n1"]);
    assert_eq!(seen.partial(&seen.section.drives), [] as [&str; 0]);
    let drive = seen.drive("nvme0n1");
    assert_eq!(drive.id, text("nguid:36344630528001230025384600000001"));
    assert_eq!(drive.eui64, text("0025385b91b0a1b2"));
    assert_eq!(drive.vendor, Reading::Absent);
    assert_eq!(drive.model, text("MAKER NVME 3840"));
    assert_eq!(drive.serial, text("SN0001"));
    assert_eq!(drive.firmware, text("FW12"));
    assert_eq!(drive.bytes, Reading::Known(Bytes(BYTES)));
    assert_eq!(drive.transport, Reading::Known(Transport::Nvme));
    assert_eq!(drive.media, Reading::Known(Media::Ssd));
    assert_eq!(drive.usage, Reading::Known(Usage::Free));
    assert_eq!(drive.mountpoints, list(&[]));
    assert_eq!(drive.paths, list(&["nvme0"]));
    assert_eq!(drive.state, text("live"));
    assert_eq!(drive.pci_address, text("0000:3b:00.0"));
    assert_eq!(drive.numa_node, Reading::Known(1));
    assert_eq!(seen.source("nvme0n1", "bytes"), "/sys/block/nvme0n1/size");
    assert_eq!(seen.source("nvme0n1", "serial"), "/sys/class/nvme/nvme0/serial");
    let controller = &seen.section.nvme_controllers.items()[0];
    assert_eq!(controller.namespaces, list(&["nvme0n1"]));
    assert_eq!(controller.address, text("0000:3b:00.0"));
    assert_eq!(controller.numa_node, Reading::Known(1));
}

#[test]
fn namespaces_of_one_controller_add_up() {
    let seen = Machine::new()
        .controller(A, "nvme-subsys0", "SN0001")
        .disk(&format!("{A}/nvme0n1"), "259:0", 1000)
        .disk(&format!("{A}/nvme0n2"), "259:1", 24)
        .partition("nvme0n2", "nvme0n2p1", "259:2", 8)
        .mount("259:2 / /data rw - xfs /dev/nvme0n2p1 rw")
        .read();
    assert_eq!(seen.drives(), ["nvme0n1"]);
    let drive = seen.drive("nvme0n1");
    assert_eq!(drive.bytes, Reading::Known(Bytes(1024 * 512)));
    assert_eq!(drive.block_devices, list(&["nvme0n1", "nvme0n2"]));
    assert_eq!(drive.usage, Reading::Known(Usage::Mounted));
    assert_eq!(drive.mountpoints, list(&["/data"]));
    assert_eq!(seen.source("nvme0n1", "bytes"), "derived: sum of the sizes of nvme0n1, nvme0n2");
}

#[test]
fn namespaces_that_differ_in_block_size_have_no_common_one() {
    let seen = Machine::new()
        .controller(A, "nvme-subsys0", "SN0001")
        .disk(&format!("{A}/nvme0n1"), "259:0", 1000)
        .disk(&format!("{A}/nvme0n2"), "259:1", 24)
        .set("nvme0n2", "queue/logical_block_size", "4096")
        .read();
    let why = seen.why(&seen.drive("nvme0n1").logical_block_size);
    assert_eq!(why, "cannot tell the one logical_block_size of a drive: nvme0n1 has 512, nvme0n2 has 4096");
    assert_eq!(seen.drive("nvme0n1").physical_block_size, Reading::Known(Bytes(512)));
}

/// A dual-port drive with native multipath: one shared device, a hidden path under each controller.
fn dual_port() -> Machine {
    Machine::new()
        .controller(A, "nvme-subsys0", "SN0001")
        .controller(B, "nvme-subsys0", "SN0001")
        .disk("virtual/nvme-subsystem/nvme-subsys0/nvme0n1", "259:0", SECTORS)
        .disk(&format!("{A}/nvme0c0n1"), "0:0", SECTORS)
        .disk(&format!("{B}/nvme0c1n1"), "0:0", SECTORS)
}

#[test]
fn two_ports_of_one_subsystem_are_one_drive_counted_once() {
    let seen = dual_port().read();
    assert_eq!(seen.drives(), ["nvme0n1"]);
    let drive = seen.drive("nvme0n1");
    assert_eq!(drive.bytes, Reading::Known(Bytes(BYTES)));
    assert_eq!(drive.paths, list(&["nvme0", "nvme1"]));
    assert_eq!(drive.block_devices, list(&["nvme0n1"]));
    assert!(seen.why(&drive.pci_address).contains("0000:3b:00.0 and 0000:af:00.0"));
    let path = seen.device("nvme0c1n1");
    assert_eq!(path.kind, Reading::Known(BlockKind::NvmePath));
    assert_eq!(path.dev, Reading::Absent);
    for controller in seen.section.nvme_controllers.items() {
        assert_eq!(controller.namespaces, list(&["nvme0n1"]));
    }
}

#[test]
fn two_ports_without_native_multipath_are_one_drive_too() {
    // nvme_core.multipath=N: a block device for each controller. They show the same namespace, so bytes count once.
    let seen = Machine::new()
        .controller(A, "nvme-subsys0", "SN0001")
        .controller(B, "nvme-subsys0", "SN0001")
        .disk(&format!("{A}/nvme0n1"), "259:0", SECTORS)
        .set("nvme0n1", "nguid", "36344630-5280-0123-0025-384600000001")
        .set("nvme0n1", "nsid", "1")
        .disk(&format!("{B}/nvme1n1"), "259:1", SECTORS)
        .set("nvme1n1", "nguid", "36344630-5280-0123-0025-384600000001")
        .set("nvme1n1", "nsid", "1")
        .read();
    assert_eq!(seen.drives(), ["nvme0n1"]);
    let drive = seen.drive("nvme0n1");
    assert_eq!(drive.bytes, Reading::Known(Bytes(BYTES)));
    assert_eq!(drive.block_devices, list(&["nvme0n1", "nvme1n1"]));
    assert_eq!(drive.id, text("nguid:36344630528001230025384600000001"));
}

#[test]
fn a_namespace_seen_twice_that_cannot_be_told_makes_the_size_unknown() {
    let seen = Machine::new()
        .controller(A, "nvme-subsys0", "SN0001")
        .controller(B, "nvme-subsys0", "SN0001")
        .disk(&format!("{A}/nvme0n1"), "259:0", SECTORS)
        .disk(&format!("{B}/nvme1n1"), "259:1", SECTORS)
        .read();
    assert!(seen.why(&seen.drive("nvme0n1").bytes).contains("nvme0n1"), "{:?}", seen.drive("nvme0n1").bytes);
}

#[test]
fn a_subsystem_name_that_two_drives_share_does_not_make_them_one() {
    let seen = Machine::new()
        .controller(A, "nvme-subsys0", "SN0001")
        .controller(B, "nvme-subsys0", "SN0002")
        .disk(&format!("{A}/nvme0n1"), "259:0", SECTORS)
        .disk(&format!("{B}/nvme1n1"), "259:1", SECTORS)
        .read();
    assert_eq!(seen.drives(), ["nvme0n1", "nvme1n1"]);
    assert!(seen.partial(&seen.section.drives)[0].contains("serial numbers or models differ"));
}

#[test]
fn an_identifier_that_two_drives_repeat_is_not_believed() {
    let seen = Machine::new()
        .controller(A, "nvme-subsys0", "SN0001")
        .controller(B, "nvme-subsys1", "SN0002")
        .disk(&format!("{A}/nvme0n1"), "259:0", SECTORS)
        .set("nvme0n1", "eui", "00 25 38 5b 91 b0 a1 b2")
        .disk(&format!("{B}/nvme1n1"), "259:1", SECTORS)
        .set("nvme1n1", "eui", "00 25 38 5b 91 b0 a1 b2")
        .read();
    assert_eq!(seen.drives(), ["nvme0n1", "nvme1n1"]);
    assert_eq!(
        seen.why(&seen.drive("nvme1n1").eui64),
        "cannot tell drives apart by eui64: nvme0n1 and nvme1n1 have the same"
    );
    assert_eq!(seen.drive("nvme0n1").id, text("serial:MAKER NVME 3840:SN0001"));
    assert_eq!(seen.drive("nvme1n1").id, text("serial:MAKER NVME 3840:SN0002"));
}

#[test]
fn a_controller_without_namespaces_is_a_drive_of_unknown_size() {
    let seen = Machine::new().controller(A, "nvme-subsys0", "SN0001").read();
    assert_eq!(seen.drives(), ["nvme0"]);
    let drive = seen.drive("nvme0");
    assert_eq!(drive.serial, text("SN0001"));
    assert_eq!(drive.transport, Reading::Known(Transport::Nvme));
    assert!(seen.why(&drive.bytes).contains("no namespace that is a block device"));
    assert!(matches!(drive.usage, Reading::Unreadable(_)));
    assert!(matches!(drive.media, Reading::Unreadable(_)));
    assert_eq!(drive.block_devices, list(&[]));
}

#[test]
fn namespaces_of_a_fabric_are_drives_by_themselves() {
    let place = "virtual/nvme-fabrics/ctl/nvme2";
    let seen = Machine::new()
        .controller(place, "nvme-subsys2", "TARGET")
        .file(&format!("/sys/devices/{place}/transport"), "tcp")
        .file(&format!("/sys/devices/{place}/address"), "traddr=192.0.2.1,trsvcid=4420")
        .disk(&format!("{place}/nvme2n1"), "259:0", 1000)
        .disk(&format!("{place}/nvme2n2"), "259:1", 1000)
        .controller("virtual/nvme-fabrics/ctl/nvme3", "nvme-subsys3", "DISCOVERY")
        .file("/sys/devices/virtual/nvme-fabrics/ctl/nvme3/cntrltype", "discovery")
        .file("/sys/devices/virtual/nvme-fabrics/ctl/nvme3/transport", "tcp")
        .read();
    assert_eq!(seen.drives(), ["nvme2n1", "nvme2n2"]);
    assert_eq!(seen.drive("nvme2n1").transport, Reading::Known(Transport::NvmeFabric));
    assert!(matches!(seen.drive("nvme2n1").media, Reading::Unreadable(_)));
    assert_eq!(seen.section.nvme_controllers.items().len(), 2);
}

#[test]
fn a_mirror_of_boot_drives_is_a_volume() {
    let seen = Machine::new()
        .controller(A, "nvme-subsys0", "SN0001")
        .file(&format!("/sys/devices/{A}/model"), "Dell BOSS-N1")
        .disk(&format!("{A}/nvme0n1"), "259:0", SECTORS)
        .read();
    assert_eq!(seen.drive("nvme0n1").transport, Reading::Known(Transport::Raid));
    assert_eq!(seen.drive("nvme0n1").media, Reading::Known(Media::Virtual));
    assert!(seen.partial(&seen.section.drives)[0].contains("see the drives behind nvme0n1"));
}

#[test]
fn a_capture_with_the_controllers_alone_still_shows_their_namespaces() {
    let mut machine = dual_port();
    for folder in ["/sys/block", "/sys/class/block"] {
        machine = machine.without(folder);
    }
    let seen = machine.read_as_copy();
    assert_eq!(seen.drives(), ["nvme0n1"]);
    assert_eq!(seen.drive("nvme0n1").bytes, Reading::Known(Bytes(BYTES)));
    assert_eq!(seen.drive("nvme0n1").paths, list(&["nvme0", "nvme1"]));
    assert!(!seen.partial(&seen.section.drives).is_empty());
    assert!(matches!(seen.drive("nvme0n1").usage, Reading::Unreadable(_)));
}

/// Linux, drivers/nvme/host/pci.c: 8086:0a54 (P4500, P4600) has `NVME_QUIRK_BOGUS_NID`, 8086:0a55 has not.
#[test]
fn bogus_identifiers_of_namespaces_are_no_identity() {
    let machine = |device: &str| {
        Machine::new()
            .controller(A, "nvme-subsys0", "SN0001")
            .file("/sys/bus/pci/devices/0000:3b:00.0/vendor", "0x8086")
            .file("/sys/bus/pci/devices/0000:3b:00.0/device", device)
            .disk(&format!("{A}/nvme0n1"), "259:0", SECTORS)
            .set("nvme0n1", "eui", "00 25 38 5b 91 b0 a1 b2")
            .set("nvme0n1", "nguid", "36344630-5280-0123-0025-384600000001")
            .read()
    };
    let bogus = machine("0x0a54");
    let drive = bogus.drive("nvme0n1");
    assert_eq!((&drive.nguid, &drive.eui64), (&Reading::Absent, &Reading::Absent));
    assert_eq!(drive.id, text("serial:MAKER NVME 3840:SN0001"));
    assert!(bogus.source("nvme0n1", "nguid").contains("bogus"));
    let sound = machine("0x0a55");
    assert_eq!(sound.drive("nvme0n1").id, text("nguid:36344630528001230025384600000001"));
}
