//! From who uses which device to what a drive is used for: everything that stands on it is looked at.
//!
//! Each question (system? mounted? swap? held? partitioned?) has three answers, and the first that holds is the usage; a
//! question that cannot be answered before one holds makes the usage unknown. A drive is never free because something
//! could not be read.

use super::device::{Device, Devices};
use super::names::NameKind;
use super::users::Users;
use crate::collect::ledger::{Ledger, Read};
use crate::host::Listing;
use crate::inventory::Usage;
use crate::reading::{ErrorId, ErrorKind, Reading, SourceId};
use std::collections::{BTreeMap, BTreeSet};

/// Which device stands on which.
pub(crate) struct Stack {
    above: BTreeMap<String, BTreeSet<String>>,
    /// Why more may stand on a device.
    above_unknown: BTreeMap<String, ErrorId>,
    /// Another name of the drive below (a map of device mapper multipath), or another area of its medium (eMMC).
    same_medium: BTreeSet<String>,
    /// Partitions: of sysfs, and of a multipath map (kpartx).
    partitions: BTreeSet<String>,
    /// With a `bcache` folder.
    bcache: BTreeSet<String>,
}

impl Stack {
    /// Joins `holders` and `slaves`, which are two sides of the same. `dm_uuids` by device.
    pub(crate) fn new(ledger: &Ledger<'_>, devices: &Devices, dm_uuids: &BTreeMap<String, Reading<String>>) -> Self {
        let mut stack = Self {
            above: BTreeMap::new(),
            above_unknown: devices.partitions_unknown.clone(),
            same_medium: BTreeSet::new(),
            partitions: BTreeSet::new(),
            bcache: BTreeSet::new(),
        };
        for device in devices.by_name.values() {
            let name = &device.name;
            match &device.holders.reading {
                Reading::Known(holders) => {
                    for holder in &holders.names {
                        stack.above.entry(name.clone()).or_default().insert(holder.clone());
                    }
                    if !holders.complete {
                        let error = || ledger.incomplete(&format!("{}/holders", device.base));
                        stack.above_unknown.entry(name.clone()).or_insert_with(error);
                    }
                }
                Reading::Absent => {}
                Reading::Unreadable(error) => {
                    stack.above_unknown.entry(name.clone()).or_insert(*error);
                }
            }
            for slave in device.slaves.reading.known().map(|slaves| slaves.names.as_slice()).unwrap_or_default() {
                stack.above.entry(slave.clone()).or_default().insert(name.clone());
            }
            if let Some(disk) = &device.disk {
                stack.above.entry(disk.clone()).or_default().insert(name.clone());
                stack.partitions.insert(name.clone());
            }
            if device.folder.reading.known().is_some_and(|folder| folder.names.iter().any(|n| n == "bcache")) {
                stack.bcache.insert(name.clone());
            }
            if let Some(Reading::Known(uuid)) = dm_uuids.get(name) {
                if uuid.starts_with("mpath-") {
                    stack.same_medium.insert(name.clone());
                } else if uuid.starts_with("part") && uuid.contains("-mpath-") {
                    stack.partitions.insert(name.clone());
                }
            }
        }
        // The areas of an eMMC are on the same medium as its user area.
        for device in
            devices.by_name.values().filter(|device| device.kind == NameKind::MmcBoot && device.disk.is_none())
        {
            let user_area = device.name.trim_end_matches(|c: char| c.is_ascii_digit());
            let user_area = ["boot", "gp", "rpmb"].iter().find_map(|area| user_area.strip_suffix(area));
            if let Some(user_area) = user_area {
                stack.above.entry(user_area.to_owned()).or_default().insert(device.name.clone());
                stack.same_medium.insert(device.name.clone());
            }
        }
        stack
    }

    /// The devices and all that stands on them, with the first reason why there may be more.
    fn all_on<'s>(&'s self, members: &'s [String]) -> (BTreeSet<&'s str>, Option<ErrorId>) {
        let mut todo: Vec<&str> = members.iter().map(String::as_str).collect();
        let mut seen = BTreeSet::new();
        let mut unknown = None;
        while let Some(name) = todo.pop() {
            if !seen.insert(name) {
                continue;
            }
            if let Some(error) = self.above_unknown.get(name) {
                unknown.get_or_insert(*error);
            }
            todo.extend(self.above.get(name).into_iter().flatten().map(String::as_str));
        }
        (seen, unknown)
    }
}

/// An answer that may not be known.
enum Answer {
    Yes,
    No,
    Unknown(ErrorId),
}

fn answer(yes: bool, doubts: &[Option<ErrorId>]) -> Answer {
    match doubts.iter().flatten().next() {
        _ if yes => Answer::Yes,
        Some(error) => Answer::Unknown(*error),
        None => Answer::No,
    }
}

/// What a drive that is these devices is used for.
pub(crate) fn usage(users: &Users, stack: &Stack, members: &[String]) -> Reading<Usage> {
    let (all, more) = stack.all_on(members);
    let any = |test: &dyn Fn(&str) -> bool| all.iter().any(|name| test(name));
    let mounts = [more, users.mounts_unknown, users.held_unknown];
    let system = any(&|name| users.system.contains(name));
    let mounted = any(&|name| users.mounted.contains_key(name) || users.file_systems.contains_key(name));
    let swap = any(&|name| users.swap.contains(name));
    // An idle map of multipath does not hold the drive: it is how the drive is meant to be used.
    let is_member = |name: &str| members.iter().any(|member| member == name);
    let held = any(&|name| {
        stack.bcache.contains(name)
            || users.held.contains(name)
            || !(is_member(name) || stack.same_medium.contains(name) || stack.partitions.contains(name))
    });
    let partitioned = any(&|name| stack.partitions.contains(name));
    let questions = [
        (Usage::Boot, answer(system, &[users.system_unknown, more, users.mounts_unknown, users.held_unknown])),
        (Usage::Mounted, answer(mounted, &mounts)),
        (Usage::Swap, answer(swap, &[more, users.swap_unknown])),
        (Usage::Held, answer(held, &[more, users.held_unknown])),
        (Usage::Partitioned, answer(partitioned, &[more])),
    ];
    for (usage, answer) in questions {
        match answer {
            Answer::Yes => return Reading::Known(usage),
            Answer::Unknown(error) => return Reading::Unreadable(error),
            Answer::No => {}
        }
    }
    Reading::Known(Usage::Free)
}

/// Where the devices, or what stands on them, are mounted.
pub(crate) fn mountpoints(ledger: &Ledger<'_>, users: &Users, stack: &Stack, members: &[String]) -> Read<Vec<String>> {
    let (all, more) = stack.all_on(members);
    points(ledger, users, all.into_iter(), more)
}

/// Where one device is mounted by itself.
pub(crate) fn own_mountpoints(ledger: &Ledger<'_>, users: &Users, name: &str) -> Read<Vec<String>> {
    points(ledger, users, std::iter::once(name), None)
}

/// A list that is not empty holds what was seen; an empty one is only known if nothing could have been missed.
fn points<'a>(
    ledger: &Ledger<'_>,
    users: &Users,
    names: impl Iterator<Item = &'a str>,
    more: Option<ErrorId>,
) -> Read<Vec<String>> {
    let mut found = BTreeSet::new();
    let mut elsewhere = None;
    for name in names {
        match (users.mounted.get(name), users.file_systems.get(name)) {
            (Some(points), _) => found.extend(points.iter().cloned()),
            (None, Some(why)) => elsewhere = elsewhere.or(Some((name, why))),
            (None, None) => {}
        }
    }
    let reading = if !found.is_empty() {
        Reading::Known(found.into_iter().collect())
    } else if let Some((name, why)) = elsewhere {
        let cause = format!("{why}, but the mount table does not show where");
        Reading::Unreadable(ledger.error(format!("find where {name} is mounted"), ErrorKind::NotFound, cause))
    } else if let Some(error) = more.or(users.mounts_unknown).or(users.held_unknown) {
        Reading::Unreadable(error)
    } else {
        Reading::Known(Vec::new())
    };
    Read { reading, source: users.mount_source }
}

/// Whether a device is in use as swap.
pub(crate) fn swap(users: &Users, name: &str) -> Reading<bool> {
    match answer(users.swap.contains(name), &[users.swap_unknown]) {
        Answer::Yes => Reading::Known(true),
        Answer::No => Reading::Known(false),
        Answer::Unknown(error) => Reading::Unreadable(error),
    }
}

/// Names in `holders` or `slaves`. A list that is not empty holds what was seen.
pub(crate) fn names_listed(
    ledger: &Ledger<'_>,
    device: &Device,
    folder: &str,
    listing: &Read<Listing>,
) -> Read<Vec<String>> {
    let reading = match &listing.reading {
        Reading::Known(listing) if listing.complete || !listing.names.is_empty() => {
            Reading::Known(super::names::sorted(listing.names.clone()))
        }
        Reading::Known(_) => Reading::Unreadable(ledger.incomplete(&format!("{}/{folder}", device.base))),
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(*error),
    };
    Read { reading, source: listing.source }
}

/// The source of what is made of several tables.
pub(crate) fn source(ledger: &Ledger<'_>) -> SourceId {
    ledger.source("derived: mount and swap tables, /sys/fs, partitions, holders, slaves")
}
