//! What the kernel's name of a block device says of it, and in which order names are listed.
//!
//! Knows the names that drivers register (Documentation/admin-guide/devices.txt and the drivers themselves). A name says
//! which driver made the device; it never says what the medium is: `sda` may be a disk, a stick or a RAID volume.

use crate::inventory::ExclusionReason;
use std::cmp::Ordering;

/// Which driver a device's name belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameKind {
    /// A whole disk of SCSI, ATA, virtio, Xen, DASD and the like.
    Disk,
    /// A volume of a RAID card whose driver makes block devices without SCSI (`cciss`, `cpqarray`, `DAC960`, `i2o`).
    RaidVolume,
    /// Namespace of an NVMe controller, or the shared device of a multipath subsystem.
    NvmeNamespace,
    /// Hidden path to a namespace: `nvme<subsystem>c<controller>n<namespace>`.
    NvmePath,
    /// User area of an SD card or eMMC.
    Mmc,
    /// Boot, RPMB or general purpose area of an eMMC.
    MmcBoot,
    /// Persistent memory.
    Pmem,
    /// Device mapper.
    DeviceMapper,
    /// Software RAID.
    Md,
    /// bcache.
    Bcache,
    /// A block device that another machine serves.
    Network,
    /// Left out.
    Excluded(ExclusionReason),
    /// None of the names known here.
    Other,
}

/// Tells the driver by the name. Sysfs writes `!` where `/dev` has `/`.
pub(crate) fn classify(name: &str) -> NameKind {
    use NameKind::{Bcache, DeviceMapper, Disk, Excluded, Md, Mmc, MmcBoot, Network, Other, Pmem, RaidVolume};
    let numbered = |prefix: &str| name.strip_prefix(prefix).is_some_and(all_digits);
    let lettered = |prefix: &str| name.strip_prefix(prefix).is_some_and(letters_then_digits);
    if let Some(kind) = nvme(name) {
        return kind;
    }
    if numbered("loop") {
        Excluded(ExclusionReason::Loop)
    } else if numbered("zram") {
        Excluded(ExclusionReason::Zram)
    } else if numbered("ram") {
        Excluded(ExclusionReason::Ram)
    } else if numbered("sr") || numbered("scd") || numbered("pcd") {
        Excluded(ExclusionReason::Optical)
    } else if numbered("fd") || numbered("pf") {
        Excluded(ExclusionReason::Floppy)
    } else if numbered("mtdblock") || numbered("ubiblock") || name.starts_with("ubiblock") {
        Excluded(ExclusionReason::Mtd)
    } else if numbered("dm-") {
        DeviceMapper
    } else if numbered("md") || numbered("md_d") || name.starts_with("md_") {
        Md
    } else if numbered("bcache") {
        Bcache
    } else if numbered("nbd") || numbered("rbd") || numbered("drbd") || numbered("rnbd") || name.starts_with("etherd!")
    {
        Network
    } else if let Some(rest) = name.strip_prefix("mmcblk") {
        match rest.trim_start_matches(|c: char| c.is_ascii_digit()) {
            "" if !rest.is_empty() => Mmc,
            "rpmb" => MmcBoot,
            area if area.strip_prefix("boot").is_some_and(all_digits) => MmcBoot,
            area if area.strip_prefix("gp").is_some_and(all_digits) => MmcBoot,
            _ => Other,
        }
    } else if name.strip_prefix("pmem").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        Pmem
    } else if ["cciss!", "ida!", "rd!", "i2o!"].iter().any(|prefix| name.starts_with(prefix)) {
        RaidVolume
    } else if ["sd", "vd", "xvd", "hd", "dasd"].iter().any(|prefix| lettered(prefix)) {
        Disk
    } else {
        Other
    }
}

/// `nvme0n1`, `nvme0c1n1`. Partitions and controllers are neither.
fn nvme(name: &str) -> Option<NameKind> {
    let (_, rest) = number(name.strip_prefix("nvme")?)?;
    let (path, rest) = match rest.strip_prefix('c') {
        Some(rest) => (true, number(rest)?.1),
        None => (false, rest),
    };
    let (_, rest) = number(rest.strip_prefix('n')?)?;
    match (path, rest) {
        (true, "") => Some(NameKind::NvmePath),
        (false, "") => Some(NameKind::NvmeNamespace),
        _ => None,
    }
}

/// Whether a name is that of an NVMe controller, as in "nvme0".
pub(crate) fn is_nvme_controller(name: &str) -> bool {
    name.strip_prefix("nvme").is_some_and(all_digits)
}

/// The shared device that a hidden path belongs to: `nvme1c2n1` is a path to `nvme1n1`
/// (`nvme_set_disk_name`, drivers/nvme/host/multipath.c).
pub(crate) fn shared_namespace(path: &str) -> Option<String> {
    let (subsystem, rest) = number(path.strip_prefix("nvme")?)?;
    let (_, rest) = number(rest.strip_prefix('c')?)?;
    let (namespace, rest) = number(rest.strip_prefix('n')?)?;
    rest.is_empty().then(|| format!("nvme{subsystem}n{namespace}"))
}

/// Whether `name` is a partition of `disk` by the kernel's rule: the number follows the name, after a `p` if the
/// name ends in a digit (`disk_name`, block/partitions/core.c).
pub(crate) fn is_partition_of(name: &str, disk: &str) -> bool {
    let Some(rest) = name.strip_prefix(disk) else { return false };
    let rest = if disk.ends_with(|c: char| c.is_ascii_digit()) {
        let Some(rest) = rest.strip_prefix('p') else { return false };
        rest
    } else {
        rest
    };
    all_digits(rest)
}

/// The order of lists: letters as letters, numbers as numbers, so that `nvme2n1` is before `nvme10n1` and `sdz` before
/// `sdaa`.
pub(crate) fn order(a: &str, b: &str) -> Ordering {
    let (mut a_rest, mut b_rest) = (a, b);
    loop {
        let (Some(a_first), Some(b_first)) = (a_rest.chars().next(), b_rest.chars().next()) else {
            return a_rest.len().cmp(&b_rest.len()).then_with(|| a.cmp(b));
        };
        let digits = (a_first.is_ascii_digit(), b_first.is_ascii_digit());
        if digits.0 != digits.1 {
            // A digit sorts before a letter, as in ASCII.
            return digits.1.cmp(&digits.0);
        }
        let (a_run, a_next) = run(a_rest, digits.0);
        let (b_run, b_next) = run(b_rest, digits.0);
        let (a_key, b_key) =
            if digits.0 { (a_run.trim_start_matches('0'), b_run.trim_start_matches('0')) } else { (a_run, b_run) };
        // Of digits the longer is the larger; of `sdz` and `sdaa` the longer comes later.
        let by_length =
            if digits.0 || disk_letters(a_run, b_run) { a_key.len().cmp(&b_key.len()) } else { Ordering::Equal };
        match by_length.then_with(|| a_key.cmp(b_key)) {
            Ordering::Equal => {}
            decided => return decided,
        }
        (a_rest, b_rest) = (a_next, b_next);
    }
}

/// Both are names of one driver that counts in letters.
fn disk_letters(a: &str, b: &str) -> bool {
    ["xvd", "dasd", "sd", "vd", "hd"].iter().any(|prefix| a.starts_with(prefix) && b.starts_with(prefix))
}

/// The leading run of digits (or of others), and the rest.
fn run(text: &str, digits: bool) -> (&str, &str) {
    let end = text.find(|c: char| c.is_ascii_digit() != digits).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Sorts names in that order and drops repetitions.
pub(crate) fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_by(|a, b| order(a, b));
    names.dedup();
    names
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn letters_then_digits(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_lowercase());
    rest.len() < text.len() && rest.bytes().all(|b| b.is_ascii_digit())
}

/// A leading number as written, and what follows.
fn number(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    (!digits.is_empty()).then_some((digits, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_driver() {
        use NameKind::*;
        for (name, kind) in [
            ("sda", Disk),
            ("sdaa", Disk),
            ("sda1", Disk), // a whole disk of Xen may be called so
            ("vda", Disk),
            ("xvda1", Disk),
            ("dasda", Disk),
            ("hda", Disk),
            ("nvme0n1", NvmeNamespace),
            ("nvme12n34", NvmeNamespace),
            ("nvme1c2n1", NvmePath),
            ("nvme0n1p1", Other),
            ("nvme0", Other),
            ("mmcblk0", Mmc),
            ("mmcblk0boot0", MmcBoot),
            ("mmcblk10boot1", MmcBoot),
            ("mmcblk0rpmb", MmcBoot),
            ("mmcblk0gp3", MmcBoot),
            ("mmcblk", Other),
            ("pmem0", Pmem),
            ("pmem0.1", Pmem),
            ("pmem1s", Pmem),
            ("dm-0", DeviceMapper),
            ("md127", Md),
            ("md_d0", Md),
            ("md_home", Md),
            ("bcache0", Bcache),
            ("nbd0", Network),
            ("rbd12", Network),
            ("drbd1", Network),
            ("cciss!c0d0", RaidVolume),
            ("loop0", Excluded(ExclusionReason::Loop)),
            ("zram0", Excluded(ExclusionReason::Zram)),
            ("ram15", Excluded(ExclusionReason::Ram)),
            ("sr0", Excluded(ExclusionReason::Optical)),
            ("fd0", Excluded(ExclusionReason::Floppy)),
            ("mtdblock3", Excluded(ExclusionReason::Mtd)),
            ("zd0", Other),
            ("nullb0", Other),
            ("", Other),
            ("s", Other),
        ] {
            assert_eq!(classify(name), kind, "{name}");
        }
    }

    #[test]
    fn partitions_follow_the_kernels_rule() {
        assert!(is_partition_of("sda1", "sda"));
        assert!(is_partition_of("nvme0n1p2", "nvme0n1"));
        assert!(is_partition_of("md127p1", "md127"));
        assert!(is_partition_of("cciss!c0d0p1", "cciss!c0d0"));
        for (name, disk) in
            [("sda", "sda"), ("sdaa", "sda"), ("sdaa1", "sda"), ("nvme0n12", "nvme0n1"), ("sda1p", "sda")]
        {
            assert!(!is_partition_of(name, disk), "{name} of {disk}");
        }
    }

    #[test]
    fn a_hidden_path_names_its_shared_device() {
        assert_eq!(shared_namespace("nvme1c2n13").as_deref(), Some("nvme1n13"));
        assert_eq!(shared_namespace("nvme1n1"), None);
        assert_eq!(shared_namespace("nvme1c2n1p1"), None);
    }

    #[test]
    fn lists_are_in_the_order_a_person_counts() {
        let names = ["sdaa", "sdb", "nvme10n1", "nvme2n1", "sda", "sda10", "sda2", "dm-1", "sdz", "nvme2n1p1"];
        let sorted = sorted(names.iter().map(|&n| n.to_owned()).collect());
        assert_eq!(sorted, ["dm-1", "nvme2n1", "nvme2n1p1", "nvme10n1", "sda", "sda2", "sda10", "sdb", "sdz", "sdaa"]);
    }
}
