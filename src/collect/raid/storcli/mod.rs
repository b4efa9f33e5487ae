//! The JSON of storcli and perccli, and of storcli2 and perccli2, which call many things otherwise.
//!
//! Written after outputs of versions 007.0529 to 007.3503 and 008.0004 to 008.0011. Pure.

mod drives;
mod volumes;

use super::figures::{binary, celsius, count, leading, pci_address, word};
use super::report::{Controller, Report, Told};
use drives::all_drives;
use serde_json::{Map, Value};
use volumes::{groups, volumes};

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
