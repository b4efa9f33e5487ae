//! The JSON of storcli and perccli, and of storcli2 and perccli2, which call many things otherwise.
//!
//! Written after outputs of versions 007.0529 to 007.3503 and 008.0004 to 008.0011. Pure.

use super::figures::{binary, blocks, celsius, count, leading, pci_address, rate, raw_size, word, yes};
use super::report::{Controller, Drive, Report, Told, Volume};
use crate::inventory::raid::WritePolicy;
use crate::inventory::{Media, Transport};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The answer of one controller to one question.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Its number; none where there is no controller.
    controller: Option<u64>,
    /// What went wrong, in the tool's words.
    refused: Option<String>,
    data: Map<String, Value>,
}

/// Takes an output apart by controller.
///
/// # Errors
/// Says what is wrong with the JSON.
pub fn parse(text: &str) -> Result<Vec<Answer>, String> {
    // "Generating detailed summary of the adapter, it may take a while to complete." comes before it.
    let start = text.find('{').ok_or("it is no JSON")?;
    let json = text.get(start..).unwrap_or_default();
    // Some versions print a line after it too.
    let mut values = serde_json::Deserializer::from_str(json).into_iter::<Value>();
    let value = values.next().ok_or("it is empty")?.map_err(|error| error.to_string())?;
    let controllers = get(value.as_object().ok_or("it is no object")?, "Controllers")
        .and_then(Value::as_array)
        .ok_or("there is no list of controllers")?;
    let mut answers = Vec::new();
    for controller in controllers {
        let controller = controller.as_object().ok_or("a controller is no object")?;
        let status = get(controller, "Command Status").and_then(Value::as_object).ok_or("there is no status")?;
        let refused = match text_of(get(status, "Status")).value().map(String::as_str) {
            Some("Success") => None,
            Some(other) => {
                let description = text_of(get(status, "Description"));
                Some(description.value().cloned().unwrap_or_else(|| other.to_owned()))
            }
            None => return Err("there is no status".to_owned()),
        };
        answers.push(Answer {
            controller: count_of(get(status, "Controller")).value().copied(),
            refused,
            data: get(controller, "Response Data").and_then(Value::as_object).cloned().unwrap_or_default(),
        });
    }
    Ok(answers)
}

/// Puts the answers together: about the controllers ("show all"), their drives, and their volumes. The first lists all; the others tell more of
/// what it lists.
#[must_use]
pub fn report(all: &[Answer], drives: &[Answer], volumes: &[Answer]) -> Report {
    let mut report = Report::default();
    for answer in all {
        let (number, refused) = (answer.controller, answer.refused.clone());
        let (Some(number), None) = (number, &refused) else {
            report.refused.push(refused.unwrap_or_else(|| "a controller without a number".to_owned()));
            continue;
        };
        let of = |answers: &[Answer]| -> Vec<Map<String, Value>> {
            answers.iter().filter(|other| other.controller == Some(number)).map(|other| other.data.clone()).collect()
        };
        report.controllers.push(controller(number, &answer.data, &of(drives), &of(volumes)));
    }
    report
}

/// Most members of an object, and rows of a list, that are looked at: some sixteen times what a controller can have.
const MOST: usize = 4096;

/// A member by its name, whatever the case and the blanks around it.
fn get<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if let Some(value) = object.get(name) {
        return Some(value);
    }
    object.iter().take(MOST).find(|(key, _)| key.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// A member by its name, or one of the objects in it.
fn find<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    get(object, name).or_else(|| {
        object.values().take(MOST).filter_map(Value::as_object).find_map(|inner| {
            get(inner, name)
                .or_else(|| inner.values().take(MOST).filter_map(Value::as_object).find_map(|inmost| get(inmost, name)))
        })
    })
}

fn plain(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

fn text_of(value: Option<&Value>) -> Told<String> {
    word(&plain(value))
}

fn count_of(value: Option<&Value>) -> Told<u64> {
    count(&plain(value))
}

fn rows(value: Option<&Value>) -> Vec<&Map<String, Value>> {
    value
        .and_then(Value::as_array)
        .map(|rows| rows.iter().take(MOST).filter_map(Value::as_object).collect())
        .unwrap_or_default()
}

fn controller(
    number: u64,
    all: &Map<String, Value>,
    of_drives: &[Map<String, Value>],
    of_volumes: &[Map<String, Value>],
) -> Controller {
    let name = format!("/c{number}");
    let text = |keys: &[&str]| text_of(keys.iter().find_map(|key| find(all, key)));
    let model = text(&["Model", "Product Name"]);
    // Fusion-MPT firmware shows every drive that is in no volume to the system.
    let fusion = text(&["Driver Name"]).value().is_some_and(|driver| driver.starts_with("mpt"));
    let mut controller = Controller {
        pci_address: text(&["PCI Address"]).value().and_then(|address| {
            let mut parts = address.split(':');
            pci_address(parts.next()?, parts.next()?, parts.next()?, parts.next()?)
        }),
        serial: text(&["Serial Number"]),
        firmware: text(&["Firmware Version", "FW Version"]),
        personality: text(&["Current Personality", "Controller Personality"]).or(|| suffix(&model)),
        status: text(&["Controller Status"]),
        firmware_package: text(&["Firmware Package Build", "FW Package Build", "Package Version"]),
        memory: binary(&plain(find(all, "On Board Memory Size")), "MB")
            .or(|| binary(&plain(find(all, "DDR Memory Size(MiB)")), "MB")),
        rebuild_rate: policy(all, "Rebuild Rate").or(|| leading(&plain(find(all, "Rebuild Rate(%)")))),
        patrol_read_rate: policy(all, "PR Rate").or(|| leading(&plain(find(all, "Patrol Read Rate(%)")))),
        memory_correctable_errors: count_of(find(all, "Memory Correctable Errors")),
        memory_uncorrectable_errors: count_of(find(all, "Memory Uncorrectable Errors")),
        // Old versions write Celcius.
        temperature: ["ROC temperature(Degree Celsius)", "ROC temperature(Degree Celcius)", "Chip temperature(C)"]
            .iter()
            .find_map(|key| find(all, key))
            .map_or(Told::Untold, |value| celsius(&plain(Some(value)))),
        model,
        name,
        ..Controller::default()
    };
    (controller.battery, controller.battery_model) = battery(all, fusion);
    controller.volumes = volumes(&controller.name, all, of_volumes);
    let by_group = groups(&controller.name, all, of_volumes);
    let listed = all_drives(all, of_drives);
    let counted = count_of(get(all, "Physical Drives")).value().copied();
    if counted.is_some_and(|counted| counted > listed.len() as u64) {
        let found = listed.len();
        controller.gaps.push(format!("it counts {} drives and lists {found}", counted.unwrap_or_default()));
    } else if counted.is_none() && listed.is_empty() {
        controller.gaps.push("it lists no drives and does not count them".to_owned());
    }
    let volumes = count_of(get(all, "Virtual Drives")).value().copied().unwrap_or_default();
    if volumes > controller.volumes.len() as u64 {
        controller.gaps.push(format!("it counts {volumes} volumes and lists {}", controller.volumes.len()));
    }
    controller.drives = listed.iter().map(|drive| drive.told(&controller.name, &by_group, fusion)).collect();
    controller
}

/// "LSI3008-IT": initiator and target firmware, or with integrated RAID.
fn suffix(model: &Told<String>) -> Told<String> {
    match model.value().and_then(|model| model.rsplit_once('-')) {
        Some((_, suffix @ ("IT" | "IR"))) => Told::Value(suffix.to_owned()),
        _ => Told::Untold,
    }
}

fn policy(all: &Map<String, Value>, name: &str) -> Told<u64> {
    let table = rows(find(all, "Policies Table"));
    let row = table.iter().find(|row| text_of(get(row, "Policy")).value().is_some_and(|policy| policy == name));
    row.map_or(Told::Untold, |row| leading(&plain(get(row, "Current"))))
}

/// State and model of what keeps the cache.
fn battery(all: &Map<String, Value>, fusion: bool) -> (Told<String>, Told<String>) {
    for key in ["Cachevault_Info", "BBU_Info", "Energy Pack Info"] {
        if let Some(row) = rows(get(all, key)).first() {
            let state = text_of(get(row, "State")).or(|| text_of(get(row, "Status")));
            let model = text_of(get(row, "Model")).or(|| text_of(get(row, "SubType"))).or(|| text_of(get(row, "Type")));
            return (state, model);
        }
    }
    let present = get(all, "HwCfg").and_then(Value::as_object).and_then(|hardware| {
        text_of(get(hardware, "BBU")).or(|| text_of(get(hardware, "Energy Pack"))).value().cloned()
    });
    if fusion || present.as_deref() == Some("Absent") {
        (Told::Nothing, Told::Nothing)
    } else {
        (Told::Untold, Told::Untold)
    }
}

// ---- volumes ---------------------------------------------------------------------------------------------

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
fn groups(name: &str, all: &Map<String, Value>, details: &[Map<String, Value>]) -> BTreeMap<u64, Vec<String>> {
    let mut groups: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (volume, rows) in volume_rows(all, details) {
        if let Some((group, _)) = identity(rows.row) {
            groups.entry(group).or_default().push(format!("{name}/v{volume}"));
        }
    }
    groups
}

fn volumes(name: &str, all: &Map<String, Value>, details: &[Map<String, Value>]) -> Vec<Volume> {
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

// ---- drives ----------------------------------------------------------------------------------------------

/// Enclosure and slot; a drive that is attached directly has no enclosure.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    enclosure: Option<u64>,
    slot: u64,
}

impl Place {
    /// "252:4", " :4".
    fn of(row: &Map<String, Value>) -> Option<Self> {
        let text = plain(get(row, "EID:Slt"));
        let (enclosure, slot) = text.split_once(':')?;
        let enclosure = match enclosure.trim() {
            "" | "-" => None,
            number => Some(number.parse().ok()?),
        };
        Some(Self { enclosure, slot: slot.trim().parse().ok()? })
    }

    fn name(&self, controller: &str) -> String {
        match self.enclosure {
            Some(enclosure) => format!("{controller}/e{enclosure}/s{}", self.slot),
            None => format!("{controller}/s{}", self.slot),
        }
    }
}

/// One drive as the outputs have it.
struct Found<'v> {
    place: Place,
    row: &'v Map<String, Value>,
    details: Option<&'v Map<String, Value>>,
}

/// The drives that any output lists, each once.
fn all_drives<'v>(all: &'v Map<String, Value>, details: &'v [Map<String, Value>]) -> Vec<Found<'v>> {
    let mut found: BTreeMap<Place, Found<'v>> = BTreeMap::new();
    for row in rows(get(all, "PD LIST")) {
        if let Some(place) = Place::of(row) {
            found.insert(place.clone(), Found { place, row, details: None });
        }
    }
    let inner = get(all, "Physical Device Information").and_then(Value::as_object);
    for data in inner.into_iter().chain(details) {
        // storcli2
        for entry in rows(get(data, "Drives List")) {
            let Some(row) = get(entry, "Drive Information").and_then(Value::as_object) else { continue };
            let details = get(entry, "Drive Detailed Information").and_then(Value::as_object);
            if let Some(place) = Place::of(row) {
                found.insert(place.clone(), Found { place, row, details });
            }
        }
        for (key, value) in data.iter().take(MOST) {
            // "Drive /c0/e252/s4", and the same with " - Detailed Information".
            let Some(row) = rows(Some(value)).first().copied() else { continue };
            if let Some(place) = Place::of(row).filter(|_| key.trim().starts_with("Drive /c")) {
                let details = get(data, &format!("{} - Detailed Information", key.trim())).and_then(Value::as_object);
                found.insert(place.clone(), Found { place, row, details });
            }
        }
    }
    found.into_values().collect()
}

impl Found<'_> {
    fn told(&self, controller: &str, groups: &BTreeMap<u64, Vec<String>>, fusion: bool) -> Drive {
        let row = |key: &str| get(self.row, key);
        let detail = |key: &str| self.details.and_then(|details| find(details, key));
        let state = match (text_of(row("State")), text_of(row("Status"))) {
            (Told::Value(state), Told::Value(status)) => Told::Value(format!("{state}, {status}")),
            (state, _) => state,
        };
        let word = state.value().map(|state| state.split(',').next().unwrap_or_default().to_owned());
        let transport = text_of(row("Intf")).and_then(|word| match word.to_ascii_uppercase().as_str() {
            "SAS" => Told::Value(Transport::Sas),
            "SATA" => Told::Value(Transport::Sata),
            "NVME" => Told::Value(Transport::Nvme),
            _ => Told::Wrong(format!("no interface: {word:?}")),
        });
        let about = binary(&plain(row("Size")), "B");
        Drive {
            name: self.place.name(controller),
            enclosure: self.place.enclosure.map_or(Told::Nothing, |number| Told::Value(number.to_string())),
            slot: Told::Value(self.place.slot.to_string()),
            model: text_of(detail("Model Number")).or(|| text_of(detail("Model"))).or(|| text_of(row("Model"))),
            serial: text_of(detail("SN")).or(|| text_of(detail("Serial Number"))),
            firmware: text_of(detail("Firmware Revision")).or(|| text_of(detail("Firmware Revision Level"))),
            bytes: match detail("Raw size") {
                Some(raw) => raw_size(&plain(Some(raw))),
                None => about,
            },
            media: text_of(row("Med")).and_then(|word| match word.to_ascii_uppercase().as_str() {
                "HDD" => Told::Value(Media::Hdd),
                "SSD" => Told::Value(Media::Ssd),
                _ => Told::Wrong(format!("no medium: {word:?}")),
            }),
            transport,
            volume: match plain(row("DG")).trim().parse::<u64>().ok().and_then(|group| groups.get(&group)) {
                Some(volumes) => Told::Value(volumes.join(", ")),
                None => Told::Nothing,
            },
            media_error_count: count_of(detail("Media Error Count")),
            other_error_count: count_of(detail("Other Error Count")),
            predictive_failure_count: count_of(detail("Predictive Failure Count")),
            alert: yes(&plain(detail("S.M.A.R.T alert flagged by drive"))),
            temperature: celsius(&plain(detail("Drive Temperature").or_else(|| detail("Temperature(C)")))),
            link_speed: rate(&plain(detail("Link Speed"))),
            max_link_speed: rate(&plain(detail("Device Speed").or_else(|| detail("Capable Speed")))),
            wwn: text_of(detail("WWN")).value().map(|wwn| wwn.to_ascii_lowercase()),
            exposed: match word.as_deref() {
                Some("JBOD") => true,
                Some("UGood") => fusion,
                _ => false,
            },
            state,
        }
    }
}
