//! Whatever cannot be read may make a fact unknown, never another one: held on a machine with everything that is stacked.

use super::machine::{Machine, SAS, ScsiDisk, Seen};
use crate::host::HostErrorKind;
use crate::inventory::{Drive, Usage};
use crate::reading::{Collection, Reading};
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Root on md over two drives, data on LVM over LUKS on a drive with two paths, swap, a mounted namespace of a dual-port
/// NVMe drive, a member of btrfs, a stick, and a free drive of either kind.
fn machine() -> Machine {
    let disk =
        |name: &'static str,
         dev: &'static str,
         place: &'static str,
         address: &'static str,
         wwid: &'static str,
         serial: &'static str| { ScsiDisk { name, dev, above: place, address, wwid, serial, ..SAS } };
    let (a, b) = ("pci0000:3a/0000:3b:00.0/nvme/nvme0", "pci0000:ae/0000:af:00.0/nvme/nvme1");
    let machine = Machine::new()
        .scsi(&disk(
            "sda",
            "8:0",
            "pci0000:16/0000:18:00.0/host0/port-0:0/end_device-0:0",
            "0:0:0:0",
            "naa.5000c50000000001",
            "S1",
        ))
        .partition("sda", "sda1", "8:1", 100)
        .partition("sda", "sda2", "8:2", 100)
        .scsi(&disk(
            "sdb",
            "8:16",
            "pci0000:16/0000:18:00.0/host0/port-0:1/end_device-0:1",
            "0:0:1:0",
            "naa.5000c50000000002",
            "S2",
        ))
        .partition("sdb", "sdb1", "8:17", 100)
        .disk("virtual/block/md0", "9:0", 100)
        .set("md0", "md/level", "raid1")
        .holds("md0", "sda1")
        .holds("md0", "sdb1")
        .mount("9:0 / / rw - ext4 /dev/md0 rw")
        .scsi(&disk(
            "sdc",
            "8:32",
            "pci0000:16/0000:18:00.0/host0/port-0:2/end_device-0:2",
            "0:0:2:0",
            "naa.5000c50000000003",
            "S3",
        ))
        .scsi(&disk(
            "sdd",
            "8:48",
            "pci0000:5d/0000:5e:00.0/host1/port-1:0/end_device-1:0",
            "1:0:0:0",
            "naa.5000c50000000003",
            "S3",
        ))
        .dm(0, "mpatha", "mpath-35000c50000000003", SAS.sectors, &["sdc", "sdd"])
        .dm(1, "luks", "CRYPT-LUKS2-1", 100, &["dm-0"])
        .dm(2, "vg-data", "LVM-1", 50, &["dm-1"])
        .mount("253:2 / /data rw - xfs /dev/mapper/vg-data rw")
        .scsi(&disk(
            "sde",
            "8:64",
            "pci0000:16/0000:18:00.0/host0/port-0:3/end_device-0:3",
            "0:0:3:0",
            "naa.5000c50000000004",
            "S4",
        ))
        .partition("sde", "sde1", "8:65", 100)
        .file("/proc/swaps", "Filename Type Size Used Priority\n/dev/sde1 partition 50 0 -2")
        .scsi(&disk(
            "sdf",
            "8:80",
            "pci0000:16/0000:18:00.0/host0/port-0:4/end_device-0:4",
            "0:0:4:0",
            "naa.5000c50000000005",
            "S5",
        ))
        .scsi(&disk("sdg", "8:96", "pci0000:00/0000:00:14.0/usb1/1-7/1-7:1.0/host6", "6:0:0:0", "", ""))
        .set("sdg", "removable", "1")
        .partition("sdg", "sdg1", "8:97", 100)
        .controller(a, "nvme-subsys0", "N1")
        .controller(b, "nvme-subsys0", "N1")
        .disk("virtual/nvme-subsystem/nvme-subsys0/nvme0n1", "259:0", 1000)
        .set("nvme0n1", "nguid", "36344630-5280-0123-0025-384600000001")
        .disk(&format!("{a}/nvme0c0n1"), "0:0", 1000)
        .disk(&format!("{b}/nvme0c1n1"), "0:0", 1000)
        .controller("pci0000:3a/0000:3c:00.0/nvme/nvme2", "nvme-subsys2", "N2")
        .disk("pci0000:3a/0000:3c:00.0/nvme/nvme2/nvme2n1", "259:1", 1000)
        .controller("pci0000:3a/0000:3d:00.0/nvme/nvme3", "nvme-subsys3", "N3")
        .disk("pci0000:3a/0000:3d:00.0/nvme/nvme3/nvme3n1", "259:2", 1000)
        .mount("259:0 / /nvme rw - ext4 /dev/nvme0n1 rw")
        .mount("0:40 / /tree rw - btrfs /dev/nvme2n1 rw")
        .link("/sys/fs/btrfs/0f8f/devices/nvme2n1", "../../../../devices/x");
    ["0000:18:00.0", "0000:5e:00.0"].into_iter().fold(machine, |machine, function| {
        machine
            .file(&format!("/sys/bus/pci/devices/{function}/class"), "0x010700")
            .link(&format!("/sys/bus/pci/devices/{function}/driver"), "../../../bus/pci/drivers/mpt3sas")
    })
}

fn by_name(seen: &Seen) -> BTreeMap<String, &Drive> {
    seen.section.drives.items().iter().map(|drive| (drive.name.known().unwrap().clone(), drive)).collect()
}

#[test]
fn the_machine_is_read_as_it_was_built() {
    let seen = machine().read();
    assert_eq!(seen.partial(&seen.section.drives), [] as [&str; 0]);
    let usages: Vec<_> =
        by_name(&seen).iter().map(|(name, drive)| (name.clone(), *drive.usage.known().unwrap())).collect();
    let expected = [
        ("nvme0n1", Usage::Mounted),
        ("nvme2n1", Usage::Mounted),
        ("nvme3n1", Usage::Free),
        ("sda", Usage::Boot),
        ("sdb", Usage::Boot),
        ("sdc", Usage::Mounted),
        ("sde", Usage::Swap),
        ("sdf", Usage::Free),
        ("sdg", Usage::Partitioned),
    ];
    assert_eq!(usages, expected.map(|(name, usage)| (name.to_owned(), usage)));
}

fn same_or_unknown<T: PartialEq + Debug>(
    wrong: &mut Vec<String>,
    what: &str,
    told: &Reading<T>,
    expected: &Reading<T>,
) {
    if told != expected && !matches!(told, Reading::Unreadable(_)) {
        wrong.push(format!("{what}: {told:?}, expected {expected:?}"));
    }
}

#[test]
fn what_cannot_be_read_makes_facts_unknown_and_never_others() {
    let mut wrong = Vec::new();
    let (seen, without) = machine().read_without_each(HostErrorKind::PermissionDenied);
    assert!(without.len() > 300, "{}", without.len());
    let expected = by_name(&seen);
    for (question, seen) in &without {
        let told = by_name(seen);
        let what = |drive: &str, fact: &str| format!("without {question:?}: {fact} of {drive}");
        if matches!(seen.section.drives, Collection::Complete(_)) && told.len() != expected.len() {
            wrong.push(format!("without {question:?}: drives {:?}", told.keys()));
        }
        for (name, drive) in &told {
            // A path that stands alone is a drive too many, for which the collection is partial.
            let Some(expected) = expected.get(name) else { continue };
            same_or_unknown(&mut wrong, &what(name, "usage"), &drive.usage, &expected.usage);
            same_or_unknown(&mut wrong, &what(name, "bytes"), &drive.bytes, &expected.bytes);
            same_or_unknown(&mut wrong, &what(name, "media"), &drive.media, &expected.media);
            same_or_unknown(&mut wrong, &what(name, "transport"), &drive.transport, &expected.transport);
            same_or_unknown(&mut wrong, &what(name, "serial"), &drive.serial, &expected.serial);
            same_or_unknown(&mut wrong, &what(name, "wwn"), &drive.wwn, &expected.wwn);
            same_or_unknown(&mut wrong, &what(name, "mountpoints"), &drive.mountpoints, &expected.mountpoints);
            if let Collection::Complete(_) = seen.section.drives {
                same_or_unknown(
                    &mut wrong,
                    &what(name, "block devices"),
                    &drive.block_devices,
                    &expected.block_devices,
                );
                same_or_unknown(&mut wrong, &what(name, "paths"), &drive.paths, &expected.paths);
            }
        }
    }
    assert_eq!(wrong, [] as [&str; 0]);
}
