//! Drives that no block device shows, and devices that are none.

use super::machine::{Machine, SAS};
use crate::inventory::BlockKind;
use crate::reading::{Collection, Reading};

fn function(machine: Machine, class: &str, driver: &str) -> Machine {
    let base = "/sys/bus/pci/devices/0000:3b:00.0";
    let machine = machine.file(&format!("{base}/class"), class);
    if driver.is_empty() {
        machine
    } else {
        machine.link(&format!("{base}/driver"), &format!("../../drivers/{driver}"))
    }
}

#[test]
fn a_storage_function_without_its_driver_hides_drives() {
    for (class, driver, why) in [
        ("0x010802", "", Some("an NVMe controller has no driver")),
        ("0x010802", "vfio-pci", Some("an NVMe controller is given away to vfio-pci")),
        ("0x010802", "nvme", None),
        ("0x010700", "", Some("a SAS controller has no driver")),
        ("0x020000", "", None),
        ("0x010601", "ahci", None),
    ] {
        let seen = function(Machine::new().scsi(&SAS), class, driver).read();
        let partial = seen.partial(&seen.section.drives);
        match why {
            Some(why) => {
                assert_eq!(partial, [format!("cannot see the drives of PCI function 0000:3b:00.0: {why}")]);
            }
            None => assert_eq!(partial, [] as [&str; 0], "{class} {driver}"),
        }
    }
}

#[test]
fn drives_that_are_remapped_behind_ahci_are_hidden() {
    let machine =
        function(Machine::new(), "0x010601", "ahci").file("/sys/bus/pci/devices/0000:3b:00.0/remapped_nvme", "2");
    let seen = machine.read();
    assert!(seen.partial(&seen.section.drives)[0].contains("2 NVMe drives are remapped"));
}

#[test]
fn a_raid_controller_that_shows_nothing_may_hide_drives() {
    let host = |driver: &str| {
        let place = "pci0000:3a/0000:3b:00.0/host2/scsi_host/host2";
        Machine::new()
            .file(&format!("/sys/devices/{place}/proc_name"), driver)
            .link("/sys/class/scsi_host/host2", &format!("../../devices/{place}"))
            .read()
    };
    let seen = host("megaraid_sas");
    assert!(seen.partial(&seen.section.drives)[0].contains("the RAID controller of megaraid_sas shows none"));
    let seen = host("mpt3sas");
    assert_eq!(seen.section.drives, Collection::Complete(vec![]));
}

#[test]
fn an_unknown_device_under_hardware_makes_the_drives_partial() {
    let seen = Machine::new()
        .disk("pci0000:00/0000:01:00.0/block/sfdv0n1", "252:0", 1000)
        .disk("virtual/block/zd0", "230:0", 1000)
        .disk("virtual/block/rbd0", "251:0", 1000)
        .disk("virtual/block/nbd0", "43:0", 0)
        .read();
    assert_eq!(seen.drives(), [] as [&str; 0]);
    assert_eq!(
        seen.partial(&seen.section.drives),
        ["cannot tell what sfdv0n1 is: no driver of such a name is known here"]
    );
    assert_eq!(seen.device("zd0").kind, Reading::Known(BlockKind::Other));
    assert_eq!(seen.device("rbd0").kind, Reading::Known(BlockKind::Network));
    assert_eq!(seen.excluded(), [("nbd0", "no-medium")]);
}

#[test]
fn without_sysfs_nothing_is_known() {
    let seen = Machine::new().without("/sys").read();
    assert!(matches!(seen.section.drives, Collection::Unreadable(_)));
    assert!(matches!(seen.section.block_devices, Collection::Unreadable(_)));
    assert!(matches!(seen.section.excluded, Collection::Unreadable(_)));
}

#[test]
fn the_same_machine_gives_the_same_bytes() {
    let bytes = || {
        let seen = Machine::new().scsi(&SAS).read();
        (serde_json::to_string(&seen.section.drives).unwrap(), seen.sources, seen.errors)
    };
    assert_eq!(bytes(), bytes());
}

#[test]
fn a_recording_tells_the_same_as_the_machine() {
    let (seen, again) = Machine::new()
        .controller("pci0000:3a/0000:3b:00.0/nvme/nvme0", "nvme-subsys0", "SN0001")
        .disk("pci0000:3a/0000:3b:00.0/nvme/nvme0/nvme0n1", "259:0", 1000)
        .scsi(&SAS)
        .partition("sda", "sda1", "8:1", 2048)
        .dm(0, "vg-root", "LVM-def", 2048, &["sda1"])
        .mount("253:0 / / rw - xfs /dev/mapper/vg-root rw")
        .read_twice();
    assert_eq!(seen.section.drives, again.section.drives);
    assert_eq!(seen.section.nvme_controllers, again.section.nvme_controllers);
    assert_eq!(seen.section.block_devices, again.section.block_devices);
    assert_eq!((seen.sources, seen.errors), (again.sources, again.errors));
    assert!(matches!(again.section.drives, Collection::Complete(ref drives) if drives.len() == 2));
}
