//! Volumes in the JSON of storcli. Pure.

use super::super::figures::{binary, blocks, word};
use super::super::report::{Told, Volume};
use super::drives::Place;
use super::{MOST, count_of, get, plain, rows, text_of};
use crate::inventory::raid::WritePolicy;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// One volume as the outputs have it: its row, its drives, its properties.
struct Rows<'v> {
    row: &'v Map<String, Value>,
    drives: Option<Vec<&'v Map<String, Value>>>,
    properties: Option<&'v Map<String, Value>>,
}

/// "0/1": drive group and volume.
fn identity(row: &Map<String, Value>) -> Option<(u64, u64)> {
    let text = plain(get(row, "DG/VD"));
    let (group, volume) = text.split_once('/')?;
    // A volume of a cache may have no group.
    Some((group.trim().parse().unwrap_or(u64::MAX), volume.trim().parse().ok()?))
}

fn volume_rows<'v>(all: &'v Map<String, Value>, details: &'v [Map<String, Value>]) -> BTreeMap<u64, Rows<'v>> {
    let mut found: BTreeMap<u64, Rows<'v>> = BTreeMap::new();
    for row in rows(get(all, "VD LIST")) {
        if let Some((_, volume)) = identity(row) {
            found.insert(volume, Rows { row, drives: None, properties: None });
        }
    }
    for data in details {
        // storcli2
        for entry in rows(get(data, "Virtual Drives")) {
            let Some(row) = get(entry, "VD Info").and_then(Value::as_object) else { continue };
            if let Some((_, volume)) = identity(row) {
                let properties = get(entry, "VD Properties").and_then(Value::as_object);
                found.insert(volume, Rows { row, drives: get(entry, "PDs").map(|pds| rows(Some(pds))), properties });
            }
        }
        for (key, value) in data.iter().take(MOST) {
            // "/c0/v1"
            let Some(row) = key.trim().rsplit_once("/v").and_then(|_| rows(Some(value)).first().copied()) else {
                continue;
            };
            if let Some((_, volume)) = identity(row) {
                let drives = get(data, &format!("PDs for VD {volume}")).map(|pds| rows(Some(pds)));
                let properties = get(data, &format!("VD{volume} Properties")).and_then(Value::as_object);
                found.insert(volume, Rows { row, drives, properties });
            }
        }
    }
    found
}

/// The volumes of each drive group, by the names that they get.
pub(super) fn groups(
    name: &str,
    all: &Map<String, Value>,
    details: &[Map<String, Value>],
) -> BTreeMap<u64, Vec<String>> {
    let mut groups: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (volume, rows) in volume_rows(all, details) {
        if let Some((group, _)) = identity(rows.row) {
            groups.entry(group).or_default().push(format!("{name}/v{volume}"));
        }
    }
    groups
}

pub(super) fn volumes(name: &str, all: &Map<String, Value>, details: &[Map<String, Value>]) -> Vec<Volume> {
    volume_rows(all, details)
        .into_iter()
        .map(|(volume, rows)| {
            let property =
                |keys: &[&str]| rows.properties.and_then(|properties| keys.iter().find_map(|key| get(properties, key)));
            let cache = text_of(get(rows.row, "CurrentCache")).or(|| text_of(get(rows.row, "Cache"))).and_then(cache);
            let about = binary(&plain(get(rows.row, "Size")), "B");
            let exact = match (&about, count_of(property(&["Number of Blocks"]))) {
                (Told::Value(about), Told::Value(count)) => blocks(count, *about),
                _ => None,
            };
            Volume {
                name: format!("{name}/v{volume}"),
                label: match plain(get(rows.row, "Name")).trim() {
                    "" if get(rows.row, "Name").is_some() => Told::Nothing,
                    label => word(label),
                },
                level: text_of(get(rows.row, "TYPE")),
                bytes: exact.map_or(about, Told::Value),
                state: text_of(get(rows.row, "State")),
                block_device: match rows.properties {
                    None => Told::Untold,
                    Some(_) => match text_of(property(&["OS Drive Name"])) {
                        Told::Value(path) => Told::Value(path.trim_start_matches("/dev/").to_owned()),
                        _ => Told::Nothing,
                    },
                },
                drives: match rows.drives {
                    None => Told::Untold,
                    Some(drives) => Told::Value(
                        drives.iter().filter_map(|row| Place::of(row)).map(|place| place.name(name)).collect(),
                    ),
                },
                read_ahead: cache.clone().and_then(|(read_ahead, _)| Told::Value(read_ahead)),
                write_policy: cache.and_then(|(_, policy)| Told::Value(policy)),
                drive_cache: text_of(property(&["Disk Cache Policy", "Drive Write Cache Policy"])),
            }
        })
        .collect()
}

/// "NRWTD", "RWBD", "RAWBD", "NR,WB": read ahead or not, then write back, always write back, or write through, then direct or cached.
fn cache(text: String) -> Told<(bool, WritePolicy)> {
    let wrong = || Told::Wrong(format!("no cache policy: {text:?}"));
    let (read_ahead, rest) = match (text.strip_prefix("NR"), text.strip_prefix('R')) {
        (Some(rest), _) => (false, rest),
        (None, Some(rest)) => (true, rest),
        (None, None) => return wrong(),
    };
    let rest = rest.trim_start_matches([',', ' ']);
    if rest.starts_with("WT") {
        Told::Value((read_ahead, WritePolicy::WriteThrough))
    } else if ["WB", "AWB", "FWB"].iter().any(|back| rest.starts_with(back)) {
        Told::Value((read_ahead, WritePolicy::WriteBack))
    } else {
        wrong()
    }
}
