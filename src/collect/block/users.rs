//! Who uses which block device: mounts, swap, pools, and what carries the running system.
//!
//! The mount table of one process is not that of the machine. A container sees the machine's `/sys/block` and none of
//! its mounts, so "not mounted" is only believed where the process is in the first PID namespace and process 1's table
//! could be read; else whatever is not seen to be used is unknown. Mounts in other namespaces show in `/sys/fs`, which
//! has no namespaces, for ext4, XFS, F2FS, btrfs and bcachefs. ZFS holds its members without telling the kernel: their
//! labels are taken from udev's database. What opens a device directly (Ceph BlueStore without LVM, a virtual machine, an
//! exported target) is not seen at all.

use super::device::Devices;
use super::mounts::{self, Mount, Swap};
use super::names::NameKind;
use super::scsi::{aside, udev_of};
use crate::collect::ledger::{Ledger, Missing};
use crate::inventory::ExclusionReason;
use crate::reading::{ErrorId, ErrorKind, Reading, SourceId};
use std::collections::{BTreeMap, BTreeSet};

/// What is known of users, by the kernel's name of the device.
pub(crate) struct Users {
    /// Where it is mounted.
    pub(crate) mounted: BTreeMap<String, BTreeSet<String>>,
    /// Mounted in whatever namespace, with what says so.
    pub(crate) file_systems: BTreeMap<String, String>,
    /// Devices that the running system stands on.
    pub(crate) system: BTreeSet<String>,
    /// In use as swap.
    pub(crate) swap: BTreeSet<String>,
    /// Held by an imported pool or by a loop device.
    pub(crate) held: BTreeSet<String>,
    /// Why another mount may exist.
    pub(crate) mounts_unknown: Option<ErrorId>,
    /// Why the running system may stand on another device.
    pub(crate) system_unknown: Option<ErrorId>,
    /// Why another device may be held.
    pub(crate) held_unknown: Option<ErrorId>,
    /// Why another device may be swap.
    pub(crate) swap_unknown: Option<ErrorId>,
    pub(crate) mount_source: SourceId,
    pub(crate) swap_source: SourceId,
}

/// The first PID namespace's inode, the same in every kernel (`PROC_PID_INIT_INO`, include/linux/proc_ns.h).
const FIRST_PID_NAMESPACE: &str = "pid:[4026531836]";

/// Mount points of the running system.
const SYSTEM_POINTS: &[&str] = &["/", "/boot", "/boot/efi", "/efi", "/usr", "/etc"];

/// Where the medium stays mounted whose image is `/`: ostree and bootc, and the live systems of live-boot, dracut, casper
/// and archiso.
const IMAGE_POINTS: &[&str] = &[
    "/sysroot",
    "/run/live/medium",
    "/lib/live/mount/medium",
    "/run/initramfs/live",
    "/run/initramfs/isoscan",
    "/cdrom",
    "/run/archiso/bootmnt",
];

/// File systems that stand on no block device of this machine.
const WITHOUT_DEVICE: &[&str] =
    &["rootfs", "tmpfs", "ramfs", "devtmpfs", "nfs", "nfs4", "cifs", "smb3", "9p", "virtiofs", "ceph", "autofs"];

/// Reads the tables and resolves them to devices.
pub(crate) fn read(ledger: &Ledger<'_>, devices: &Devices) -> Users {
    let (own, first) = ("/proc/self/mountinfo", "/proc/1/mountinfo");
    let told = Missing::Untold("procfs is not mounted");
    let own_table = ledger.parsed(own, told, mounts::parse_mountinfo);
    let first_table = ledger.parsed(first, told, mounts::parse_mountinfo);
    let swaps = ledger.parsed("/proc/swaps", Missing::Absent, mounts::parse_swaps);
    let mut users = Users {
        mounted: BTreeMap::new(),
        file_systems: BTreeMap::new(),
        system: BTreeSet::new(),
        swap: BTreeSet::new(),
        held: BTreeSet::new(),
        mounts_unknown: namespace_doubt(ledger),
        system_unknown: None,
        held_unknown: None,
        swap_unknown: None,
        mount_source: ledger.source(format!("{first} and {own}")),
        swap_source: swaps.source,
    };
    if let Reading::Unreadable(error) = first_table.reading {
        users.mounts_unknown.get_or_insert(error);
    }
    let resolver = Resolver::new(ledger, devices, &mut users.mounts_unknown);
    let tables = [first_table.reading.known(), own_table.reading.known()];
    for mount in tables.iter().flatten().flat_map(|table| table.iter()) {
        users.note(ledger, &resolver, mount);
    }
    users.note_file_systems(ledger, devices, &resolver);
    users.note_pools(&resolver);
    match tables.into_iter().flatten().next() {
        Some(table) => users.find_system(ledger, &resolver, table),
        None => users.system_unknown = users.mounts_unknown,
    }
    match swaps.reading {
        Reading::Known(swaps) => users.note_swaps(ledger, &resolver, &swaps),
        // A kernel without swap has no such file.
        Reading::Absent => {}
        Reading::Unreadable(error) => users.swap_unknown = Some(error),
    }
    users.held.extend(resolver.loops.values().filter_map(|file| resolver.node(file)));
    users
}

/// Why this process may not see the machine's mounts.
fn namespace_doubt(ledger: &Ledger<'_>) -> Option<ErrorId> {
    // A kernel without PID namespaces has no such link and no containers either.
    match ledger.link("/proc/self/ns/pid", Missing::Absent).reading {
        Reading::Known(namespace) if namespace == FIRST_PID_NAMESPACE => None,
        Reading::Known(_) => Some(ledger.error(
            "read the machine's mount table",
            ErrorKind::NotSupported,
            "this runs in a PID namespace of its own (a container), which shows another table",
        )),
        Reading::Absent => None,
        Reading::Unreadable(error) => Some(error),
    }
}

/// From what tables say to names of devices.
struct Resolver<'d> {
    devices: &'d Devices,
    by_number: BTreeMap<&'d str, &'d str>,
    /// Device mapper names to `dm-N`.
    dm_names: BTreeMap<String, String>,
    /// Links below /dev that udev made.
    links: Vec<(super::udev::Udev, String)>,
    /// Members of multi-device file systems by the file system's identifier.
    families: Vec<Vec<String>>,
    /// Loop devices and their files.
    loops: BTreeMap<String, String>,
    /// Members of ZFS pools by name of the pool, from udev.
    zfs_members: BTreeMap<String, Vec<String>>,
    /// Imported pools.
    pools: Vec<String>,
}

impl<'d> Resolver<'d> {
    fn new(ledger: &Ledger<'_>, devices: &'d Devices, doubt: &mut Option<ErrorId>) -> Self {
        let mut resolver = Self {
            devices,
            by_number: BTreeMap::new(),
            dm_names: BTreeMap::new(),
            links: Vec::new(),
            families: Vec::new(),
            loops: BTreeMap::new(),
            zfs_members: BTreeMap::new(),
            pools: Vec::new(),
        };
        for device in devices.by_name.values() {
            if let Some(number) = device.dev.reading.known() {
                resolver.by_number.insert(number, &device.name);
            }
            if device.kind == NameKind::DeviceMapper
                && device.disk.is_none()
                && let Some(name) = aside(ledger, &format!("{}/dm/name", device.base))
            {
                resolver.dm_names.insert(name, device.name.clone());
            }
            if device.kind == NameKind::Excluded(ExclusionReason::Loop)
                && let Some(file) = aside(ledger, &format!("{}/loop/backing_file", device.base))
            {
                let file = file.strip_suffix(" (deleted)").unwrap_or(&file).to_owned();
                resolver.loops.insert(device.name.clone(), file);
            }
            if let Some((udev, _)) = udev_of(ledger, device) {
                if udev.signature() == Some("zfs_member")
                    && let Some(pool) = udev.property("ID_FS_LABEL")
                {
                    resolver.zfs_members.entry(pool.to_owned()).or_default().push(device.name.clone());
                }
                resolver.links.push((udev, device.name.clone()));
            }
        }
        for (folder, devices) in [("/sys/fs/btrfs", "devices"), ("/sys/fs/bcachefs", "")] {
            for family in names_in(ledger, folder, doubt) {
                let members = family_members(ledger, &format!("{folder}/{family}"), devices);
                if !members.is_empty() {
                    resolver.families.push(members);
                }
            }
        }
        // Pools are the folders; the rest are counters (module/os/linux/spl/spl-kstat.c).
        let kstat = "/proc/spl/kstat/zfs";
        resolver.pools = names_in(ledger, kstat, doubt)
            .into_iter()
            .filter(|name| ledger.host().list(&format!("{kstat}/{name}")).is_ok())
            .collect();
        resolver
    }

    fn node(&self, path: &str) -> Option<String> {
        if let Some(name) = self.devices.by_node(path, &self.dm_names) {
            return Some(name.to_owned());
        }
        let link = path.strip_prefix("/dev/")?;
        self.links.iter().find(|(udev, _)| udev.has_link(link)).map(|(_, name)| name.clone())
    }

    /// Devices that a mount stands on. `Err` names what could not be resolved.
    fn devices_of(&self, mount: &Mount) -> Result<Vec<String>, String> {
        let mut found = Vec::new();
        let number = format!("{}:{}", mount.major, mount.minor);
        if mount.major != 0 {
            match self.by_number.get(number.as_str()) {
                Some(name) => found.push((*name).to_owned()),
                // Only a device whose number could not be read can be the one, so its name is asked.
                None => found.push(self.node(&mount.source).ok_or(number)?),
            }
        }
        if mount.fstype == "zfs" {
            let pool = mount.source.split('/').next().unwrap_or_default();
            let members = self.zfs_members.get(pool).filter(|members| !members.is_empty());
            found.extend(members.ok_or_else(|| format!("ZFS pool {pool}"))?.iter().cloned());
        }
        for path in mount.device_paths() {
            match self.node(path) {
                Some(name) => found.push(name),
                None if mount.major != 0 && path == mount.source => {}
                // The only btrfs there is must be the one whose device has no name that is known here ("/dev/root").
                None if matches!(mount.fstype.as_str(), "btrfs" | "bcachefs") && self.families.len() == 1 => {
                    found.extend(self.families.iter().flatten().cloned());
                }
                None => return Err(path.to_owned()),
            }
        }
        if matches!(mount.fstype.as_str(), "btrfs" | "bcachefs") {
            let others = self.families.iter().filter(|family| family.iter().any(|name| found.contains(name)));
            found.extend(others.flatten().cloned().collect::<Vec<_>>());
        }
        found.sort();
        found.dedup();
        Ok(found)
    }
}

/// Names in a folder that need not be there. A folder that may be there and could not be listed is a doubt.
fn names_in(ledger: &Ledger<'_>, folder: &str, doubt: &mut Option<ErrorId>) -> Vec<String> {
    match ledger.list(folder, Missing::Absent).reading {
        Reading::Known(listing) => {
            if !listing.complete {
                doubt.get_or_insert_with(|| ledger.incomplete(folder));
            }
            listing.names
        }
        Reading::Absent => Vec::new(),
        Reading::Unreadable(error) => {
            doubt.get_or_insert(error);
            Vec::new()
        }
    }
}

/// btrfs lists its devices in one folder (fs/btrfs/sysfs.c); bcachefs has `dev-N/block` links (fs/bcachefs/sysfs.c).
fn family_members(ledger: &Ledger<'_>, base: &str, devices: &str) -> Vec<String> {
    let list = |folder: &str| ledger.host().list(folder).map(|listing| listing.names).unwrap_or_default();
    if !devices.is_empty() {
        let mut names = list(&format!("{base}/{devices}"));
        // Numbered folders tell of each device; links have the devices' names.
        names.retain(|name| !name.bytes().all(|b| b.is_ascii_digit()));
        return names;
    }
    list(base)
        .into_iter()
        .filter(|name| name.starts_with("dev-"))
        .filter_map(|name| ledger.host().read_link(&format!("{base}/{name}/block")).ok())
        .filter_map(|target| target.rsplit('/').next().map(str::to_owned))
        .collect()
}

impl Users {
    fn note(&mut self, ledger: &Ledger<'_>, resolver: &Resolver<'_>, mount: &Mount) {
        match resolver.devices_of(mount) {
            Ok(names) => {
                for name in names {
                    self.mounted.entry(name).or_default().insert(mount.point.clone());
                }
            }
            Err(what) => {
                self.mounts_unknown.get_or_insert_with(|| unresolved(ledger, mount, &what));
            }
        }
    }

    /// File systems that are mounted anywhere.
    fn note_file_systems(&mut self, ledger: &Ledger<'_>, devices: &Devices, resolver: &Resolver<'_>) {
        for fstype in ["ext4", "xfs", "f2fs"] {
            for name in names_in(ledger, &format!("/sys/fs/{fstype}"), &mut self.mounts_unknown) {
                if devices.by_name.contains_key(&name) {
                    self.file_systems.insert(name, format!("/sys/fs/{fstype} says that it is"));
                }
            }
        }
        for name in resolver.families.iter().flatten() {
            self.file_systems.insert(name.clone(), "a mounted file system has it as a member".to_owned());
        }
        // Without udev's database a member of a pool looks like any other disk.
        if let Some(pool) = resolver.pools.iter().find(|pool| !resolver.zfs_members.contains_key(*pool)) {
            let cause = format!("ZFS pool {pool} is imported and udev's database does not tell its members");
            self.held_unknown = Some(ledger.error("tell who holds the disks", ErrorKind::NotSupported, cause));
        }
    }

    fn note_pools(&mut self, resolver: &Resolver<'_>) {
        for pool in &resolver.pools {
            self.held.extend(resolver.zfs_members.get(pool).into_iter().flatten().cloned());
        }
    }

    /// Finds the devices below `/`, `/boot` and the like in the machine's own table.
    fn find_system(&mut self, ledger: &Ledger<'_>, resolver: &Resolver<'_>, table: &[Mount]) {
        let at = |points: &'static [&'static str]| table.iter().filter(|mount| points.contains(&mount.point.as_str()));
        for mount in at(IMAGE_POINTS) {
            if let Err(what) = self.carry(resolver, table, mount, 0) {
                self.system_unknown.get_or_insert_with(|| unresolved(ledger, mount, &what));
            }
        }
        let image_found = !self.system.is_empty() && self.system_unknown.is_none();
        for mount in at(SYSTEM_POINTS) {
            match self.carry(resolver, table, mount, 0) {
                // The layers of an image often name folders from before the root was switched; its medium was found.
                Err(_) if mount.fstype == "overlay" && image_found => {}
                Err(what) => {
                    self.system_unknown.get_or_insert_with(|| unresolved(ledger, mount, &what));
                }
                Ok(()) => {}
            }
        }
        if !table.iter().any(|mount| mount.point == "/") {
            let error = || ledger.error("find the root file system", ErrorKind::NotFound, "the mount table shows none");
            self.system_unknown.get_or_insert_with(error);
        }
    }

    /// Adds what a mount of the running system stands on, through images and overlays.
    fn carry(&mut self, resolver: &Resolver<'_>, table: &[Mount], mount: &Mount, depth: u32) -> Result<(), String> {
        const DEEPEST: u32 = 8;
        if depth > DEEPEST {
            return Err("too many layers".to_owned());
        }
        let mut below = resolver.devices_of(mount)?;
        let mut seen = BTreeSet::new();
        while let Some(name) = below.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            if let Some(device) = resolver.devices.by_name.get(&name) {
                let slaves = device.slaves.reading.known().map(|slaves| slaves.names.clone()).unwrap_or_default();
                below.extend(slaves.into_iter().chain(device.disk.clone()));
            }
            if let Some(file) = resolver.loops.get(&name) {
                self.carry_path(resolver, table, mount, file, depth)?;
            }
        }
        let on_device = !seen.is_empty();
        self.system.extend(seen);
        if mount.fstype == "overlay" {
            let layers = mount.layers();
            if layers.is_empty() {
                return Err("an overlay without layers".to_owned());
            }
            layers.into_iter().try_for_each(|layer| self.carry_path(resolver, table, mount, layer, depth))
        } else if on_device || WITHOUT_DEVICE.contains(&mount.fstype.as_str()) {
            Ok(())
        } else {
            Err(format!("{} on {}", mount.fstype, mount.source))
        }
    }

    /// Adds what the mount stands on that a file or folder lies in.
    fn carry_path(
        &mut self,
        resolver: &Resolver<'_>,
        table: &[Mount],
        above: &Mount,
        path: &str,
        depth: u32,
    ) -> Result<(), String> {
        let covers = |mount: &&Mount| {
            path.strip_prefix(mount.point.as_str())
                .is_some_and(|rest| mount.point == "/" || rest.is_empty() || rest.starts_with('/'))
        };
        // Of equally long mount points the later mount covers the earlier one.
        let inside = table.iter().filter(covers).max_by_key(|mount| mount.point.len());
        match inside {
            // A path from before the root was switched: it lies on a mount that is no longer seen.
            Some(mount) if mount.point == above.point => {
                Err(format!("{path}, whose file system is not in the mount table"))
            }
            Some(mount) => self.carry(resolver, table, mount, depth + 1),
            None => Err(path.to_owned()),
        }
    }

    fn note_swaps(&mut self, ledger: &Ledger<'_>, resolver: &Resolver<'_>, swaps: &[Swap]) {
        for swap in swaps.iter().filter(|swap| swap.device) {
            match resolver.node(&swap.path) {
                Some(name) => {
                    self.swap.insert(name);
                }
                None => {
                    let operation = format!("find the swap device {}", swap.path);
                    let cause = "no block device of this name was found";
                    self.swap_unknown.get_or_insert_with(|| ledger.error(operation, ErrorKind::NotFound, cause));
                }
            }
        }
    }
}

fn unresolved(ledger: &Ledger<'_>, mount: &Mount, what: &str) -> ErrorId {
    let operation = format!("find the block device below {}", mount.point);
    ledger.error(operation, ErrorKind::NotFound, format!("{what} is not among those that were found"))
}
