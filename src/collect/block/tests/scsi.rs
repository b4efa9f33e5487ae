//! SCSI disks: identity, paths, RAID volumes, and the other kinds of disks.

use super::machine::{Machine, SAS, ScsiDisk, list, text};
use crate::collect::block::vpd::tests::{ata_page, designator, vpd};
use crate::inventory::{BlockKind, Media, Transport, Usage, Zoned};
use crate::reading::Reading;
use crate::units::Bytes;

const SATA: ScsiDisk<'_> = ScsiDisk {
    name: "sda",
    dev: "8:0",
    above: "pci0000:00/0000:00:17.0/ata1/host0",
    address: "0:0:0:0",
    driver: "ahci",
    inquiry: ["ATA", "MAKER SOLID STATE DRIVE 960GB", "BBF0"],
    wwid: "naa.5002538c405e883b",
    serial: "      S2TVNX0J501748",
    sectors: 1_875_385_008,
};

const UNIT: &str = "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0";

#[test]
fn a_sata_drive_tells_its_whole_name_in_page_89h() {
    let seen = Machine::new()
        .scsi(&SATA)
        .bytes(&format!("{UNIT}/vpd_pg89"), &ata_page("S2TVNX0J501748", "580ABBF0", "MAKER SOLID STATE DRIVE 960GB", 1))
        .file("/sys/bus/pci/devices/0000:00:17.0/numa_node", "-1")
        .read();
    let drive = seen.drive("sda");
    assert_eq!(drive.vendor, text("ATA"));
    assert_eq!(drive.model, text("MAKER SOLID STATE DRIVE 960GB"));
    assert_eq!(drive.firmware, text("580ABBF0"));
    assert_eq!(drive.serial, text("S2TVNX0J501748"));
    assert_eq!(drive.wwn, text("5002538c405e883b"));
    assert_eq!(drive.id, text("wwn:5002538c405e883b"));
    // 1 875 385 008 x 512
    assert_eq!(drive.bytes, Reading::Known(Bytes(960_197_124_096)));
    assert_eq!(drive.transport, Reading::Known(Transport::Sata));
    assert_eq!(drive.media, Reading::Known(Media::Ssd));
    assert_eq!(drive.paths, list(&["0:0:0:0"]));
    assert_eq!(drive.pci_address, text("0000:00:17.0"));
    assert_eq!(drive.numa_node, Reading::Absent);
    assert_eq!(drive.usage, Reading::Known(Usage::Free));
    assert_eq!(seen.partial(&seen.section.drives), [] as [&str; 0]);
}

#[test]
fn what_inquiry_cuts_is_not_given_as_the_whole() {
    let seen = Machine::new().scsi(&SATA).read();
    let drive = seen.drive("sda");
    assert!(seen.why(&drive.model).contains("16 of up to 40 characters of an ATA drive's: \"MAKER SOLID STAT\""));
    assert!(seen.why(&drive.firmware).contains("4 of up to 8 characters of an ATA drive's: \"BBF0\""));
    // The serial number is whole.
    assert_eq!(drive.serial, text("S2TVNX0J501748"));
}

#[test]
fn udev_knows_the_whole_name_as_well() {
    let record = "E:ID_BUS=ata\nE:ID_MODEL_ENC=MAKER\\x20SOLID\\x20STATE\\x20DRIVE\\x20960GB\\x20\\x20\n\
                  E:ID_REVISION=580ABBF0\nE:ID_SERIAL_SHORT=S2TVNX0J501748";
    let seen = Machine::new().scsi(&SATA).file("/run/udev/data/b8:0", record).read();
    let drive = seen.drive("sda");
    assert_eq!(drive.model, text("MAKER SOLID STATE DRIVE 960GB"));
    assert_eq!(drive.firmware, text("580ABBF0"));
    assert_eq!(seen.source("sda", "firmware"), "/run/udev/data/b8:0");
}

#[test]
fn places_that_contradict_each_other_are_a_conflict() {
    let record = "E:ID_BUS=ata\nE:ID_MODEL=OTHER_DRIVE\nE:ID_SERIAL_SHORT=OTHER\nE:ID_WWN=0x5000000000000001";
    let seen = Machine::new().scsi(&SATA).file("/run/udev/data/b8:0", record).read();
    let drive = seen.drive("sda");
    assert!(seen.why(&drive.serial).contains("it says \"S2TVNX0J501748\", /run/udev/data/b8:0 says \"OTHER\""));
    assert!(seen.why(&drive.model).contains("udev's database says \"OTHER_DRIVE\""));
    assert!(seen.why(&drive.wwn).contains("5000000000000001"));
    assert!(matches!(drive.id, Reading::Unreadable(_)));
}

#[test]
fn the_pages_may_be_readable_by_root_alone() {
    let seen =
        Machine::new().scsi(&SATA).denied("/sys/block/sda/device/vpd_pg80").denied("/sys/block/sda/device/wwid").read();
    let drive = seen.drive("sda");
    assert_eq!(seen.why(&drive.serial), "cannot read /sys/block/sda/device/vpd_pg80: so the test says");
    // Page 83h is not there, so the kernel has no other name of it.
    assert!(matches!(drive.wwn, Reading::Absent | Reading::Unreadable(_)));
    assert!(matches!(drive.id, Reading::Unreadable(_)));
}

#[test]
fn a_sata_drive_behind_a_sas_hba_is_sata() {
    let seen = Machine::new()
        .scsi(&ScsiDisk { inquiry: ["ATA", "MAKER M-100", "A1"], ..SAS })
        .set("sda", "queue/rotational", "1")
        .read();
    assert_eq!(seen.drive("sda").transport, Reading::Known(Transport::Sata));
    assert_eq!(seen.drive("sda").media, Reading::Known(Media::Hdd));
    assert_eq!(seen.drive("sda").model, text("MAKER M-100"));
}

#[test]
fn sectors_are_512_bytes_on_a_4kn_drive_too() {
    let seen = Machine::new()
        .scsi(&SAS)
        .set("sda", "queue/logical_block_size", "4096")
        .set("sda", "queue/physical_block_size", "4096")
        .set("sda", "queue/rotational", "1")
        .set("sda", "queue/zoned", "host-managed")
        .bytes(
            "/sys/devices/pci0000:16/0000:18:00.0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0/vpd_pgb1",
            &vpd(0xb1, &[0x1c, 0x20, 0, 0]),
        ) // 7200 a minute
        .read();
    let drive = seen.drive("sda");
    // 23 437 770 752 x 512 = 12.0 TB
    assert_eq!(drive.bytes, Reading::Known(Bytes(12_000_138_625_024)));
    assert_eq!(drive.logical_block_size, Reading::Known(Bytes(4096)));
    assert_eq!(drive.zoned, Reading::Known(Zoned::HostManaged));
    assert_eq!(drive.media, Reading::Known(Media::Hdd));
    assert_eq!(drive.transport, Reading::Known(Transport::Sas));
    assert_eq!(drive.firmware, text("B002"));
    assert_eq!(seen.device("sda").logical_block_size, Reading::Known(Bytes(4096)));
}

const OTHER_PATH: ScsiDisk<'_> = ScsiDisk {
    name: "sdb",
    dev: "8:16",
    above: "pci0000:5d/0000:5e:00.0/host1/port-1:0/end_device-1:0",
    address: "1:0:0:0",
    ..SAS
};

#[test]
fn two_paths_with_one_name_and_one_serial_number_are_one_drive() {
    let seen = Machine::new()
        .scsi(&SAS)
        .scsi(&OTHER_PATH)
        .dm(0, "mpatha", "mpath-35000c500a1b2c3d4", SAS.sectors, &["sda", "sdb"])
        .read();
    assert_eq!(seen.drives(), ["sda"]);
    let drive = seen.drive("sda");
    assert_eq!(drive.bytes, Reading::Known(Bytes(12_000_138_625_024)));
    assert_eq!(drive.block_devices, list(&["sda", "sdb"]));
    assert_eq!(drive.paths, list(&["0:0:0:0", "1:0:0:0"]));
    assert_eq!(drive.usage, Reading::Known(Usage::Free), "an idle map is how the drive is meant to be used");
    assert_eq!(seen.device("dm-0").kind, Reading::Known(BlockKind::Multipath));
    assert_eq!(seen.device("dm-0").slaves, list(&["sda", "sdb"]));
    assert_eq!(seen.partial(&seen.section.drives), [] as [&str; 0]);
}

#[test]
fn a_path_that_the_map_lacks_is_a_path_all_the_same() {
    let seen = Machine::new()
        .scsi(&SAS)
        .scsi(&OTHER_PATH)
        .dm(0, "mpatha", "mpath-35000c500a1b2c3d4", SAS.sectors, &["sda"])
        .read();
    assert_eq!(seen.drives(), ["sda"]);
    assert_eq!(seen.drive("sda").paths, list(&["0:0:0:0", "1:0:0:0"]));
}

#[test]
fn a_map_joins_paths_whose_serial_number_is_not_told() {
    let seen = Machine::new()
        .scsi(&ScsiDisk { serial: "", ..SAS })
        .scsi(&ScsiDisk { serial: "", ..OTHER_PATH })
        .dm(0, "mpatha", "mpath-35000c500a1b2c3d4", SAS.sectors, &["sda", "sdb"])
        .read();
    assert_eq!(seen.drives(), ["sda"]);
    assert_eq!(seen.drive("sda").bytes, Reading::Known(Bytes(12_000_138_625_024)));
}

#[test]
fn what_stands_on_a_multipath_map_stands_on_the_drive() {
    let seen = Machine::new()
        .scsi(&SAS)
        .scsi(&OTHER_PATH)
        .dm(0, "mpatha", "mpath-35000c500a1b2c3d4", SAS.sectors, &["sda", "sdb"])
        .dm(1, "mpatha1", "part1-mpath-35000c500a1b2c3d4", 2048, &["dm-0"])
        .dm(2, "vg-lv", "LVM-abc", 1024, &["dm-1"])
        .mount("253:2 / /data rw - ext4 /dev/mapper/vg-lv rw")
        .read();
    assert_eq!(seen.drive("sda").usage, Reading::Known(Usage::Mounted));
    assert_eq!(seen.drive("sda").mountpoints, list(&["/data"]));
}

#[test]
fn one_name_and_two_serial_numbers_are_two_drives_without_a_name() {
    let seen = Machine::new().scsi(&SAS).scsi(&ScsiDisk { serial: "ZC1ZZZZZ", ..OTHER_PATH }).read();
    assert_eq!(seen.drives(), ["sda", "sdb"]);
    assert_eq!(seen.why(&seen.drive("sda").wwn), "cannot tell drives apart by wwn: sda and sdb have the same");
    assert_eq!(seen.drive("sdb").id, text("serial:SASDISK12:ZC1ZZZZZ"));
}

#[test]
fn one_name_and_no_serial_number_is_not_guessed_at() {
    let seen = Machine::new().scsi(&ScsiDisk { serial: "", ..SAS }).scsi(&ScsiDisk { serial: "", ..OTHER_PATH }).read();
    assert_eq!(seen.drives(), ["sda", "sdb"]);
    assert!(
        seen.partial(&seen.section.drives)[0].starts_with("cannot tell which of sda, sdb are one drive: not all of")
    );
}

#[test]
fn one_serial_number_and_no_name_is_not_guessed_at() {
    let local = "naa.3000000000000001";
    let seen =
        Machine::new().scsi(&ScsiDisk { wwid: local, ..SAS }).scsi(&ScsiDisk { wwid: local, ..OTHER_PATH }).read();
    assert_eq!(seen.drives(), ["sda", "sdb"]);
    assert_eq!(seen.drive("sda").wwn, Reading::Absent);
    assert!(seen.partial(&seen.section.drives)[0].contains("tell which of sda, sdb are one drive"));
}

#[test]
fn two_sata_drives_are_never_paths_of_one() {
    let other =
        ScsiDisk { name: "sdb", dev: "8:16", above: "pci0000:00/0000:00:17.0/ata2/host1", address: "1:0:0:0", ..SATA };
    let seen = Machine::new().scsi(&SATA).scsi(&other).read();
    assert_eq!(seen.drives(), ["sda", "sdb"]);
    assert!(matches!(seen.drive("sda").wwn, Reading::Unreadable(_)));
}

#[test]
fn paths_of_different_size_are_not_one_drive() {
    let seen = Machine::new().scsi(&SAS).scsi(&ScsiDisk { sectors: 1000, ..OTHER_PATH }).read();
    assert_eq!(seen.drives(), ["sda", "sdb"]);
}

const RAID: ScsiDisk<'_> = ScsiDisk {
    above: "pci0000:3a/0000:3b:00.0/host2",
    address: "2:2:0:0",
    driver: "megaraid_sas",
    inquiry: ["DELL", "PERC H730P Adp", "4.30"],
    wwid: "naa.61866da04e5fe10021c6ffe10799b86b",
    serial: "006bb89907e1ffc62100e15f4ea06d86",
    ..SAS
};

#[test]
fn a_raid_volume_hides_its_drives() {
    let seen = Machine::new().scsi(&RAID).set("sda", "queue/rotational", "1").read();
    let drive = seen.drive("sda");
    assert_eq!(drive.transport, Reading::Known(Transport::Raid));
    assert_eq!(drive.media, Reading::Known(Media::Virtual));
    assert_eq!(
        seen.partial(&seen.section.drives),
        [
            "cannot see the drives behind sda: it is a volume of a RAID controller (DELL PERC H730P Adp), which hides them"
        ]
    );
    // What is told of block devices is whole.
    assert_eq!(seen.partial(&seen.section.block_devices), [] as [&str; 0]);
}

#[test]
fn the_same_card_shows_drives_without_raid_as_they_are() {
    let jbod = ScsiDisk {
        address: "2:0:5:0",
        inquiry: ["SEAGATE", "ST1200MM0099", "ST31"],
        wwid: SAS.wwid,
        serial: "WFK0ABCD",
        ..RAID
    };
    let seen = Machine::new().scsi(&jbod).set("sda", "queue/rotational", "1").read();
    assert_eq!(seen.drive("sda").transport, Reading::Known(Transport::Sas));
    assert_eq!(seen.drive("sda").media, Reading::Known(Media::Hdd));
    assert_eq!(seen.partial(&seen.section.drives), [] as [&str; 0]);
}

#[test]
fn smart_array_shows_volumes_and_drives_side_by_side() {
    let volume = ScsiDisk {
        above: "pci0000:00/0000:03:00.0/host0",
        address: "0:1:0:0",
        driver: "hpsa",
        inquiry: ["HP", "LOGICAL VOLUME", "6.60"],
        wwid: "naa.600508b1001c6b7f6d5e4c3b2a190817",
        serial: "PDNLH0BRH8N0X1",
        ..SAS
    };
    let disk = ScsiDisk {
        name: "sdb",
        dev: "8:16",
        above: "pci0000:00/0000:03:00.0/host0",
        address: "0:0:1:0",
        driver: "hpsa",
        inquiry: ["HP", "EG0600FBVFP", "HPDC"],
        ..SAS
    };
    let unit = |address: &str| {
        format!("/sys/devices/pci0000:00/0000:03:00.0/host0/target0:{}/{address}", address.get(2..5).unwrap())
    };
    let machine = || {
        Machine::new().scsi(&volume).file(&format!("{}/raid_level", unit("0:1:0:0")), "RAID 1(+0)").scsi(&disk).set(
            "sdb",
            "queue/rotational",
            "1",
        )
    };
    let seen = machine().file(&format!("{}/raid_level", unit("0:0:1:0")), "N/A").read();
    assert_eq!(seen.drive("sda").transport, Reading::Known(Transport::Raid));
    assert_eq!(seen.drive("sdb").transport, Reading::Known(Transport::Sas));
    assert_eq!(seen.drive("sdb").media, Reading::Known(Media::Hdd));
    assert_eq!(seen.partial(&seen.section.drives).len(), 1);
    // An old driver that does not tell leaves it open.
    let seen = machine().read();
    assert_eq!(seen.why(&seen.drive("sdb").media), "cannot tell the media of sdb: hpsa does not tell its raid_level");
}

#[test]
fn a_disk_that_did_not_answer_has_no_size_of_zero() {
    let seen = Machine::new().scsi(&ScsiDisk { sectors: 0, ..SAS }).read();
    assert!(seen.why(&seen.drive("sda").bytes).contains("the kernel gives 0"));
    assert_eq!(seen.excluded(), []);
}

const STICK: ScsiDisk<'_> = ScsiDisk {
    above: "pci0000:00/0000:00:14.0/usb1/1-7/1-7:1.0/host6",
    address: "6:0:0:0",
    driver: "usb-storage",
    inquiry: ["Kingston", "DT microDuo 3C", "PMAP"],
    wwid: "",
    serial: "",
    sectors: 60_555_264,
    ..SAS
};

#[test]
fn a_stick_is_a_usb_drive_of_untold_media() {
    let seen = Machine::new()
        .scsi(&STICK)
        .file("/sys/devices/pci0000:00/0000:00:14.0/usb1/1-7/serial", "001A92053B6ABF1171590B03")
        .set("sda", "removable", "1")
        .set("sda", "queue/rotational", "1")
        .read();
    let drive = seen.drive("sda");
    assert_eq!(drive.transport, Reading::Known(Transport::Usb));
    assert!(matches!(drive.media, Reading::Unreadable(_)));
    assert_eq!(drive.rotational, Reading::Known(true));
    assert_eq!(drive.removable, Reading::Known(true));
    assert_eq!(drive.serial, text("001A92053B6ABF1171590B03"));
    assert_eq!(drive.id, text("serial:DT microDuo 3C:001A92053B6ABF1171590B03"));
}

#[test]
fn what_a_management_controller_presents_is_left_out() {
    let floppy = ScsiDisk { inquiry: ["iDRAC", "Virtual Floppy", "0323"], sectors: 0, ..STICK };
    let cd =
        ScsiDisk { name: "sr0", dev: "11:0", address: "6:0:0:1", inquiry: ["iDRAC", "Virtual CD", "0323"], ..STICK };
    let reader = ScsiDisk {
        name: "sdc",
        dev: "8:32",
        above: "pci0000:00/0000:00:14.0/usb1/1-8/1-8:1.0/host7",
        address: "7:0:0:0",
        inquiry: ["Generic", "STORAGE DEVICE", "1404"],
        sectors: 0,
        ..STICK
    };
    let dvd = ScsiDisk { name: "sr1", dev: "11:1", address: "0:0:0:0", inquiry: ["ATA", "DVD", "1"], ..SATA };
    let seen = Machine::new().scsi(&floppy).scsi(&cd).scsi(&reader).set("sdc", "removable", "1").scsi(&dvd).read();
    assert_eq!(seen.drives(), [] as [&str; 0]);
    assert_eq!(
        seen.excluded(),
        [("sda", "virtual-media"), ("sdc", "no-medium"), ("sr0", "virtual-media"), ("sr1", "optical")]
    );
}

#[test]
fn disks_of_a_virtual_machine_have_no_media_to_judge() {
    let place = "pci0000:00/0000:00:02.0/virtio1/block/vda";
    let seen = Machine::new()
        .disk(place, "254:0", 2048)
        .set("vda", "queue/rotational", "1")
        .set("vda", "serial", "disk-1")
        .scsi(&ScsiDisk {
            above: "pci0000:00/0000:00:05.0/virtio2/host0",
            driver: "virtio_scsi",
            inquiry: ["QEMU", "QEMU HARDDISK", "2.5+"],
            ..SAS
        })
        .read();
    let drive = seen.drive("vda");
    assert_eq!(drive.transport, Reading::Known(Transport::Virtio));
    assert_eq!(drive.media, Reading::Known(Media::Virtual));
    assert_eq!(drive.serial, text("disk-1"));
    assert_eq!(drive.id, text("serial::disk-1"));
    assert_eq!(drive.vendor, Reading::Absent);
    assert_eq!(drive.paths, list(&["virtio1"]));
    assert_eq!(drive.pci_address, text("0000:00:02.0"));
    assert_eq!(seen.drive("sda").transport, Reading::Known(Transport::Virtio));
    assert_eq!(seen.drive("sda").media, Reading::Known(Media::Virtual));
}

#[test]
fn an_emmc_has_areas_that_are_no_drives() {
    let place = "pci0000:00/0000:00:1c.0/mmc_host/mmc0/mmc0:0001";
    let seen = Machine::new()
        .disk(&format!("{place}/block/mmcblk0"), "179:0", 122_142_720)
        .link(&format!("/sys/devices/{place}/block/mmcblk0/device"), "../../../mmc0:0001")
        .file(&format!("/sys/devices/{place}/name"), "DG4064")
        .file(&format!("/sys/devices/{place}/serial"), "0x1a2b3c4d")
        .file(&format!("/sys/devices/{place}/fwrev"), "0x1100000000000000")
        .disk(&format!("{place}/block/mmcblk0boot0"), "179:8", 8192)
        .disk(&format!("{place}/block/mmcblk0boot1"), "179:16", 8192)
        .read();
    assert_eq!(seen.drives(), ["mmcblk0"]);
    let drive = seen.drive("mmcblk0");
    assert_eq!(drive.model, text("DG4064"));
    assert_eq!(drive.serial, text("0x1a2b3c4d"));
    assert_eq!(drive.transport, Reading::Known(Transport::Mmc));
    assert_eq!(drive.media, Reading::Known(Media::Ssd));
    assert_eq!(drive.usage, Reading::Known(Usage::Free));
    assert_eq!(seen.device("mmcblk0boot1").kind, Reading::Known(BlockKind::MmcBoot));
}

#[test]
fn modules_of_one_nvdimm_region_are_one_drive() {
    let region = "LNXSYSTM:00/ACPI0012:00/ndbus0/region0";
    let seen = Machine::new()
        .disk(&format!("{region}/namespace0.0/block/pmem0"), "259:0", 2048)
        .disk(&format!("{region}/btt0.1/block/pmem0.1s"), "259:1", 1024)
        .read();
    assert_eq!(seen.drives(), ["pmem0"]);
    assert_eq!(seen.drive("pmem0").bytes, Reading::Known(Bytes(3072 * 512)));
    assert_eq!(seen.drive("pmem0").transport, Reading::Known(Transport::Pmem));
}

#[test]
fn the_name_of_the_unit_is_read_from_page_83h_too() {
    let unit = "/sys/devices/pci0000:16/0000:18:00.0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0";
    let name = [0x50, 0x00, 0xc5, 0x00, 0xa1, 0xb2, 0xc3, 0xd4];
    let page = |name: &[u8]| vpd(0x83, &designator(0x01, 0x03, name));
    let seen = Machine::new().scsi(&SAS).bytes(&format!("{unit}/vpd_pg83"), &page(&name)).read();
    assert_eq!(seen.drive("sda").wwn, text("5000c500a1b2c3d4"));
    let other = [0x50, 0x00, 0xc5, 0x00, 0, 0, 0, 1];
    let seen = Machine::new().scsi(&SAS).bytes(&format!("{unit}/vpd_pg83"), &page(&other)).read();
    assert!(seen.why(&seen.drive("sda").wwn).contains("VPD page 83h says \"5000c50000000001\""));
}
