//! Whether the node was booted from a live image instead of an installation.
//!
//! Judged by the root file system and the kernel's command line. A container's root looks like a live image's (an overlay),
//! so without a word on the command line it is not told apart.

use crate::collect::ledger::{Ledger, Missing, Read};
use crate::reading::{ErrorKind, Reading};

const MOUNTINFO: &str = "/proc/self/mountinfo";

/// What the root file system alone tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// It is on a disk or a file server.
    Installed,
    /// It is an image or a RAM disk.
    Live,
    /// It may be either, for the reason named.
    Either(&'static str),
}

/// Reads whether the root file system is a live image.
pub(crate) fn collect(ledger: &Ledger<'_>, command_line: &Reading<String>) -> Read<bool> {
    let root = ledger.parsed(MOUNTINFO, Missing::Untold("every kernel has it"), |text| {
        root_mount(text).map(|mount| judge(&mount)).ok_or_else(|| "nothing is mounted on /".to_owned())
    });
    let asked = command_line.known().map(|line| asks_for_live_image(line));
    let untold =
        |kind, cause: &str| Reading::Unreadable(ledger.error("tell a live image from an installation", kind, cause));
    let reading = match (root.reading, asked) {
        (Reading::Known(Root::Installed), Some(true)) => {
            untold(ErrorKind::Conflict, "the command line asks for a live image, but the root file system is on a disk")
        }
        (_, Some(true)) | (Reading::Known(Root::Live), _) => Reading::Known(true),
        (Reading::Known(Root::Installed), _) => Reading::Known(false),
        (Reading::Known(Root::Either(why)), _) => untold(ErrorKind::NotSupported, why),
        (Reading::Absent, _) => Reading::Absent,
        (Reading::Unreadable(error), _) => Reading::Unreadable(error),
    };
    Read { reading, source: root.source }
}

/// What is mounted on `/`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mount<'a> {
    kind: &'a str,
    source: &'a str,
    options: &'a str,
}

/// `27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw`: the last line for `/` is what is seen
/// (Documentation/filesystems/proc.rst, 3.5).
fn root_mount(text: &str) -> Option<Mount<'_>> {
    let parse = |line| {
        let (before, after): (&str, &str) = str::split_once(line, " - ")?;
        let mut after = after.split(' ');
        let mount = Mount { kind: after.next()?, source: after.next()?, options: after.next().unwrap_or("") };
        (before.split(' ').nth(4)? == "/").then_some(mount)
    };
    text.lines().filter_map(parse).next_back()
}

fn judge(mount: &Mount<'_>) -> Root {
    match mount.kind {
        "ext2" | "ext3" | "ext4" | "xfs" | "btrfs" | "f2fs" | "jfs" | "reiserfs" | "zfs" | "bcachefs" | "nilfs2"
        | "ocfs2" | "gfs2" => {
            let from = |prefix| mount.source.starts_with(prefix);
            if from("/dev/ram") || from("/dev/zram") || from("/dev/mapper/live-") {
                Root::Live
            } else if from("/dev/loop") {
                Root::Either("the root file system is in a file")
            } else {
                Root::Installed
            }
        }
        "nfs" | "nfs4" | "ceph" => Root::Installed,
        // The initial RAM disk itself, and the medium itself.
        "rootfs" | "ramfs" | "iso9660" | "udf" => Root::Live,
        "overlay" if mount.source == "composefs" => Root::Installed,
        "overlay" | "aufs" | "unionfs" if mount.options.contains("/run/rootfsbase") => Root::Live,
        "overlay" | "aufs" | "unionfs" => Root::Either("an overlay is the root of live images and of containers"),
        "tmpfs" => Root::Either("a tmpfs is the root of live images, of sandboxes and of diskless nodes"),
        "squashfs" | "erofs" | "cramfs" => {
            Root::Either("a compressed image is the root of live images and of appliances")
        }
        _ => Root::Either("the root file system is of a kind that this version does not know"),
    }
}

/// Words of the boot loaders' configurations of live media: dracut (dracut.cmdline(7)), live-boot (live-boot(7)), casper
/// (casper(7)), mkinitcpio-archiso, Anaconda, CoreOS, Alpine.
fn asks_for_live_image(command_line: &str) -> bool {
    // What follows is for init, not for the kernel and its initial RAM disk.
    command_line.split_whitespace().take_while(|word| *word != "--").any(|word| {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        match key {
            "boot" => matches!(value, "live" | "casper"),
            "root" => value.starts_with("live:"),
            "rd.live.image"
            | "rd.live.ram"
            | "archisobasedir"
            | "live-media"
            | "coreos.liveiso"
            | "coreos.live.rootfs_url"
            | "inst.stage2"
            | "modloop"
            | "casper"
            | "toram"
            | "copytoram" => true,
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Entry, Replay};

    fn told(root: &str, command_line: Option<&str>) -> Reading<bool> {
        let host = Replay::complete([("proc/self/mountinfo", Entry::file(root))]);
        let command_line = command_line.map_or(Reading::Absent, |line| Reading::Known(line.to_owned()));
        collect(&Ledger::new(&host), &command_line).reading
    }

    const DISK: &str = "22 27 0:21 / /proc rw - proc proc rw\n27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n";
    const OVERLAY: &str = "27 1 0:30 / / rw - overlay overlay rw,lowerdir=/a,upperdir=/b,workdir=/c\n";

    #[test]
    fn an_installation_is_none() {
        assert_eq!(told(DISK, Some("root=/dev/vda ro quiet -- boot=live")), Reading::Known(false));
        assert_eq!(told(DISK, None), Reading::Known(false));
        let ostree = "27 1 0:30 / / ro - overlay composefs ro,lowerdir+=/run/ostree/.private/cfsroot-lower\n";
        assert_eq!(told(ostree, Some("root=UUID=1 ostree=/ostree/boot.1")), Reading::Known(false));
        let zfs = "27 1 0:30 / / rw - zfs rpool/ROOT/pve-1 rw\n";
        assert_eq!(told(zfs, Some("root=ZFS=rpool/ROOT/pve-1")), Reading::Known(false));
    }

    #[test]
    fn live_media_are_told_by_the_command_line_or_the_root() {
        for line in [
            "BOOT_IMAGE=/casper/vmlinuz boot=casper quiet",
            "boot=live components",
            "root=live:CDLABEL=Fedora rd.live.image",
            "archisobasedir=arch archisolabel=ARCH",
            "coreos.liveiso=fedora-coreos-40 ignition.firstboot",
        ] {
            assert_eq!(told(OVERLAY, Some(line)), Reading::Known(true), "{line}");
        }
        assert_eq!(told("1 1 0:2 / / rw - rootfs rootfs rw\n", Some("quiet")), Reading::Known(true));
        assert_eq!(told("1 1 253:0 / / rw - ext4 /dev/mapper/live-rw rw\n", None), Reading::Known(true));
    }

    #[test]
    fn what_may_be_either_is_not_guessed() {
        for root in [
            OVERLAY,
            "1 1 0:2 / / rw - tmpfs tmpfs rw\n",
            "1 1 7:0 / / ro - squashfs /dev/loop0 ro\n",
            "1 1 7:0 / / rw - ext4 /dev/loop0 rw\n",
            "1 1 0:2 / / rw - 9p host rw\n",
            "1 1 0:2 / /proc rw - proc proc rw\n",
            "nonsense",
            "",
        ] {
            assert!(matches!(told(root, Some("quiet")), Reading::Unreadable(_)), "{root}");
        }
        assert!(matches!(told(DISK, Some("boot=live")), Reading::Unreadable(_)));
    }

    #[test]
    fn the_last_mount_on_the_root_is_the_one_that_is_seen() {
        let text = format!("1 1 0:2 / / rw - rootfs rootfs rw\n{DISK}");
        assert_eq!(told(&text, None), Reading::Known(false));
    }
}
