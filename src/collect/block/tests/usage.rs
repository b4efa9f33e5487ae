//! What a drive is used for, through everything that stands on it.

use super::machine::{Machine, SAS, ScsiDisk, Seen, list, text};
use crate::inventory::{BlockKind, Usage};
use crate::reading::Reading;

const SECOND: ScsiDisk<'_> = ScsiDisk {
    name: "sdb",
    dev: "8:16",
    above: "pci0000:16/0000:18:00.0/host0/port-0:1/end_device-0:1",
    address: "0:0:1:0",
    wwid: "naa.5000c500a1b2c3d8",
    serial: "ZC1ABCDF",
    ..SAS
};

/// Two drives with two partitions each.
fn two_drives() -> Machine {
    Machine::new()
        .scsi(&SAS)
        .partition("sda", "sda1", "8:1", 2048)
        .partition("sda", "sda2", "8:2", 4096)
        .scsi(&SECOND)
        .partition("sdb", "sdb1", "8:17", 2048)
        .partition("sdb", "sdb2", "8:18", 4096)
}

fn usage(seen: &Seen, drive: &str) -> Usage {
    match &seen.drive(drive).usage {
        Reading::Known(usage) => *usage,
        other => panic!("{other:?}: {}", seen.why(other)),
    }
}

#[test]
fn an_empty_drive_is_free_and_a_partitioned_one_is_not() {
    let seen = Machine::new().scsi(&SAS).scsi(&SECOND).partition("sdb", "sdb1", "8:17", 2048).read();
    assert_eq!((usage(&seen, "sda"), usage(&seen, "sdb")), (Usage::Free, Usage::Partitioned));
    let part = seen.device("sdb1");
    assert_eq!(part.kind, Reading::Known(BlockKind::Partition));
    assert_eq!(part.parent, text("sdb"));
    assert_eq!(part.mountpoints, list(&[]));
    assert_eq!(part.swap, Reading::Known(false));
}

#[test]
fn the_root_file_system_on_md_makes_both_drives_boot_drives() {
    let seen = two_drives()
        .disk("virtual/block/md127", "9:127", 4096)
        .set("md127", "md/level", "raid1")
        .holds("md127", "sda2")
        .holds("md127", "sdb2")
        .mount("9:127 / / rw - ext4 /dev/md127 rw")
        .read();
    assert_eq!((usage(&seen, "sda"), usage(&seen, "sdb")), (Usage::Boot, Usage::Boot));
    assert_eq!(seen.drive("sdb").mountpoints, list(&["/"]));
    let md = seen.device("md127");
    assert_eq!(md.kind, Reading::Known(BlockKind::Md));
    assert_eq!(md.md_level, text("raid1"));
    assert_eq!(md.slaves, list(&["sda2", "sdb2"]));
    assert_eq!(seen.device("sda2").holders, list(&["md127"]));
    assert_eq!(seen.device("sda1").md_level, Reading::Absent);
}

#[test]
fn a_logical_volume_on_an_encrypted_partition_is_followed() {
    let seen = two_drives()
        .dm(0, "luks-1", "CRYPT-LUKS2-abc-luks-1", 4096, &["sda2"])
        .dm(1, "vg-root", "LVM-def", 2048, &["dm-0"])
        .dm(2, "vg-swap", "LVM-ghi", 1024, &["dm-0"])
        .dm(3, "plain", "", 1024, &["sdb2"])
        .mount("253:1 / /srv/a\\040b rw - xfs /dev/mapper/vg-root rw")
        .file("/proc/swaps", "Filename Type Size Used Priority\n/dev/dm-2 partition 512 0 -2")
        .read();
    assert_eq!((usage(&seen, "sda"), usage(&seen, "sdb")), (Usage::Mounted, Usage::Held));
    assert_eq!(seen.drive("sda").mountpoints, list(&["/srv/a b"]));
    assert_eq!(seen.device("dm-0").kind, Reading::Known(BlockKind::Crypt));
    assert_eq!(seen.device("dm-1").kind, Reading::Known(BlockKind::Lvm));
    assert_eq!(seen.device("dm-3").kind, Reading::Known(BlockKind::Dm));
    assert_eq!(seen.device("dm-3").dm_uuid, Reading::Absent);
    assert_eq!(seen.device("dm-2").swap, Reading::Known(true));
    assert_eq!(seen.device("dm-1").dm_name, text("vg-root"));
}

#[test]
fn swap_alone_is_swap() {
    let seen =
        two_drives().file("/proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 512 0 -2").read();
    assert_eq!((usage(&seen, "sda"), usage(&seen, "sdb")), (Usage::Swap, Usage::Partitioned));
}

#[test]
fn swap_on_a_device_that_is_not_found_may_be_any() {
    let seen = Machine::new()
        .scsi(&SAS)
        .file("/proc/swaps", "Filename Type Size Used Priority\n/dev/odd partition 5 0 -2")
        .read();
    assert!(seen.why(&seen.drive("sda").usage).contains("find the swap device /dev/odd"));
    assert!(matches!(seen.device("sda").swap, Reading::Unreadable(_)));
}

#[test]
fn bcache_holds_both_of_its_devices() {
    let seen = two_drives()
        .disk("virtual/block/bcache0", "252:0", 4096)
        .holds("bcache0", "sdb2")
        .set("sda1", "bcache/set", "")
        .read();
    // A cache set without a backing device has no holder, but its folder.
    assert_eq!((usage(&seen, "sda"), usage(&seen, "sdb")), (Usage::Held, Usage::Held));
    assert_eq!(seen.device("bcache0").kind, Reading::Known(BlockKind::Bcache));
}

#[test]
fn members_of_btrfs_have_no_device_number_in_the_table() {
    let seen = two_drives()
        .mount("0:40 /@data /data rw - btrfs /dev/sda1 rw,subvol=/@data")
        .link("/sys/fs/btrfs/0f8f/devices/sda1", "../../../../devices/x")
        .link("/sys/fs/btrfs/0f8f/devices/sdb1", "../../../../devices/y")
        .dir("/sys/fs/btrfs/features")
        .read();
    assert_eq!((usage(&seen, "sda"), usage(&seen, "sdb")), (Usage::Mounted, Usage::Mounted));
    assert_eq!(seen.device("sdb1").mountpoints, list(&["/data"]));
    assert_eq!(seen.device("sdb2").mountpoints, list(&[]));
}

#[test]
fn members_of_bcachefs_are_in_its_source() {
    let seen = two_drives().mount("0:41 / /data rw - bcachefs /dev/sda1:/dev/sdb2 rw").read();
    assert_eq!((usage(&seen, "sda"), usage(&seen, "sdb")), (Usage::Mounted, Usage::Mounted));
    assert_eq!(seen.device("sdb2").mountpoints, list(&["/data"]));
}

#[test]
fn an_external_log_is_in_use_too() {
    let seen = two_drives().mount("8:1 / /data rw - xfs /dev/sda1 rw,logdev=/dev/sdb1,noquota").read();
    assert_eq!((usage(&seen, "sda"), usage(&seen, "sdb")), (Usage::Mounted, Usage::Mounted));
}

#[test]
fn a_mount_whose_device_is_not_found_may_be_on_any_drive() {
    let seen = two_drives().mount("0:40 / /data rw - btrfs /dev/root rw").read();
    let why = "cannot find the block device below /data: /dev/root is not among those that were found";
    assert_eq!(seen.why(&seen.drive("sda").usage), why);
    assert_eq!(seen.why(&seen.drive("sda").mountpoints), why);
}

#[test]
fn a_container_does_not_see_what_is_mounted() {
    let seen =
        two_drives().link("/proc/self/ns/pid", "pid:[4026532201]").mount("8:17 / /data rw - ext4 /dev/sdb1 rw").read();
    assert!(seen.why(&seen.drive("sda").usage).contains("a PID namespace of its own"));
    // It is mounted for sure, but it may as well carry the system.
    assert!(matches!(seen.drive("sdb").usage, Reading::Unreadable(_)));
    assert_eq!(seen.drive("sdb").mountpoints, list(&["/data"]));
    assert!(matches!(seen.drive("sda").mountpoints, Reading::Unreadable(_)));
}

#[test]
fn a_container_in_the_first_pid_namespace_reads_the_table_of_process_1() {
    let own = "30 20 0:50 / / rw - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w";
    let seen = two_drives().file("/proc/self/mountinfo", own).mount("8:2 / / rw - ext4 /dev/sda2 rw").read();
    assert_eq!((usage(&seen, "sda"), usage(&seen, "sdb")), (Usage::Boot, Usage::Partitioned));
}

#[test]
fn without_the_table_of_process_1_nothing_is_free() {
    let seen = Machine::new().scsi(&SAS).denied("/proc/1/mountinfo").read();
    assert_eq!(seen.why(&seen.drive("sda").usage), "cannot read /proc/1/mountinfo: so the test says");
}

#[test]
fn a_mount_in_another_namespace_shows_in_sys_fs() {
    let seen = two_drives().dir("/sys/fs/ext4/features").dir("/sys/fs/ext4/sda1").read();
    assert_eq!((usage(&seen, "sda"), usage(&seen, "sdb")), (Usage::Mounted, Usage::Partitioned));
    assert!(seen.why(&seen.drive("sda").mountpoints).contains("the mount table does not show where"));
}

#[test]
fn holders_that_cannot_be_listed_are_not_none() {
    let place =
        "/sys/devices/pci0000:16/0000:18:00.0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0/block/sda/holders";
    let seen = Machine::new().scsi(&SAS).without(place).read();
    assert!(seen.why(&seen.drive("sda").usage).contains("list /sys/block/sda/holders"));
}

#[test]
fn a_copied_tree_tells_what_is_used_and_not_what_is_free() {
    let seen = two_drives().mount("8:2 / / rw - ext4 /dev/sda2 rw").read_as_copy();
    assert_eq!(usage(&seen, "sda"), Usage::Boot);
    assert!(matches!(seen.drive("sdb").usage, Reading::Unreadable(_)));
    assert!(matches!(seen.device("sdb1").holders, Reading::Unreadable(_)));
    assert!(seen.partial(&seen.section.drives).iter().any(|why| why.contains("list /sys/block")));
}

#[test]
fn a_pool_of_zfs_holds_its_members() {
    let member = "E:ID_FS_TYPE=zfs_member\nE:ID_FS_LABEL=tank\n";
    let pool =
        || two_drives().file("/proc/spl/kstat/zfs/tank/state", "ONLINE").file("/proc/spl/kstat/zfs/arcstats", "");
    let seen = pool().file("/run/udev/data/b8:1", member).read();
    assert_eq!((usage(&seen, "sda"), usage(&seen, "sdb")), (Usage::Held, Usage::Partitioned));
    let seen = pool().file("/run/udev/data/b8:1", member).mount("0:60 / / rw - zfs tank/ROOT/os rw").read();
    assert_eq!((usage(&seen, "sda"), usage(&seen, "sdb")), (Usage::Boot, Usage::Partitioned));
    let seen = pool().read();
    assert!(seen.why(&seen.drive("sdb").usage).contains("ZFS pool tank"));
}

#[test]
fn the_medium_of_a_live_system_is_its_boot_drive() {
    let live = two_drives()
        .disk("virtual/block/loop0", "7:0", 1000)
        .set("loop0", "loop/backing_file", "/run/live/medium/live/filesystem.squashfs")
        .mount("8:17 / /run/live/medium ro - vfat /dev/sdb1 ro")
        .mount("7:0 / /run/live/rootfs/filesystem.squashfs ro - squashfs /dev/loop0 ro")
        .mount("0:30 / / rw - overlay overlay rw,lowerdir=/run/live/rootfs/filesystem.squashfs/,upperdir=/run/live/overlay/rw");
    let seen = live.mount("0:31 / /run/live/overlay rw - tmpfs tmpfs rw").read();
    assert_eq!((usage(&seen, "sda"), usage(&seen, "sdb")), (Usage::Partitioned, Usage::Boot));
    assert_eq!(seen.excluded(), [("loop0", "loop")]);
}

#[test]
fn an_image_from_before_the_switch_of_root_may_lie_on_any_drive() {
    let seen = two_drives()
        .disk("virtual/block/loop0", "7:0", 1000)
        .set("loop0", "loop/backing_file", "/images/root.img")
        .mount("7:0 / / ro - squashfs /dev/loop0 ro")
        .read();
    assert!(seen.why(&seen.drive("sda").usage).contains("/images/root.img"));
}

#[test]
fn a_loop_device_on_a_drive_holds_it() {
    let seen =
        two_drives().disk("virtual/block/loop0", "7:0", 1000).set("loop0", "loop/backing_file", "/dev/sdb2").read();
    assert_eq!((usage(&seen, "sda"), usage(&seen, "sdb")), (Usage::Partitioned, Usage::Held));
}

#[test]
fn what_is_mounted_over_the_network_is_on_no_drive() {
    let seen = Machine::new()
        .scsi(&SAS)
        .mount("0:50 / /home rw - nfs4 server:/home rw")
        .mount("0:51 / /etc/pve rw - fuse /dev/fuse rw,user_id=0")
        .read();
    assert_eq!(usage(&seen, "sda"), Usage::Free);
}
