//! The text of ssacli and hpssacli, "ctrl all show config detail".
//!
//! A controller begins in the first column; below it follow its ports and cages, then each array with its logical drives and its physical drives, then
//! those that are in no array. Pure.

use super::figures::{binary, celsius, decimal, leading, rate, word, yes};
use super::lines::{Section, pair};
use super::report::{Controller, Drive, Report, Told, Volume};
use crate::inventory::raid::WritePolicy;
use crate::inventory::{Media, Transport};

/// What a section is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Controller,
    Array,
    Volume,
    Drive,
    /// A port, cage, expander or list, of which nothing is told.
    Other,
}

/// One section and the array that it stands in.
struct Part {
    kind: Kind,
    array: Option<usize>,
    section: Section,
}

/// Takes an output apart.
///
/// # Errors
/// Says that it is not of this form.
pub fn parse(text: &str) -> Result<Report, String> {
    let mut controllers: Vec<(String, Vec<Part>)> = Vec::new();
    let mut report = Report::default();
    let mut arrays = 0_usize;
    let mut array = None;
    for line in text.lines() {
        let words = line.trim();
        if words.is_empty() {
            continue;
        }
        if words.starts_with("Error:") {
            report.refused.push(words.trim_start_matches("Error:").trim().to_owned());
            continue;
        }
        if let Some((model, slot)) = head(line) {
            let mut section = Section::new(model);
            section.push(("slot", slot));
            if words.contains("(HBA Mode)") {
                section.push(("head mode", "HBA"));
            }
            controllers.push((slot.to_owned(), vec![Part { kind: Kind::Controller, array: None, section }]));
            array = None;
            continue;
        }
        let Some((_, parts)) = controllers.last_mut() else { continue };
        let lower = words.to_ascii_lowercase();
        let begun = if let Some(name) = begins(words, &["Array: ", "array ", "Array "]) {
            arrays += 1;
            array = Some(arrays);
            Some((Kind::Array, name))
        } else if let Some(name) = begins(words, &["Logical Drive: ", "logicaldrive "]) {
            Some((Kind::Volume, name))
        } else if lower == "unassigned" || lower == "hba drives" {
            array = None;
            Some((Kind::Other, words))
        } else if let Some(name) = words.strip_prefix("physicaldrive ") {
            // A line of a list repeats what a section tells.
            (!name.contains('(')).then_some((Kind::Drive, name))
        } else if is_other(words) {
            Some((Kind::Other, words))
        } else {
            None
        };
        match (begun, parts.last_mut()) {
            (Some((kind, name)), _) => parts.push(Part { kind, array, section: Section::new(name.trim()) }),
            (None, Some(part)) => {
                if let Some(pair) = pair(words) {
                    part.section.push(pair);
                }
            }
            (None, None) => {}
        }
    }
    if controllers.is_empty() && report.refused.is_empty() {
        return Err("it names no controller".to_owned());
    }
    report.controllers = controllers.iter().filter_map(|(slot, parts)| controller(slot, parts)).collect();
    Ok(report)
}

/// "Smart Array P400i in Slot 0 (Embedded)", in the first column.
fn head(line: &str) -> Option<(&str, &str)> {
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    let (model, rest) = line.split_once(" in Slot ")?;
    let slot = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().filter(|slot| !slot.is_empty())?;
    Some((model.trim(), slot))
}

fn begins<'l>(line: &'l str, prefixes: &[&str]) -> Option<&'l str> {
    let rest = prefixes.iter().find_map(|prefix| line.strip_prefix(prefix))?;
    // "Array Type: Data" is a line of an array.
    if rest.contains(": ") { None } else { rest.split([' ', '(']).next().filter(|name| !name.is_empty()) }
}

fn is_other(line: &str) -> bool {
    ["Port Name:", "Expander ", "Enclosure SEP", "SEP ", "Physical Drives"].iter().any(|head| line.starts_with(head))
        || (line.contains(" at Port ") && !line.contains(": "))
}

fn controller(slot: &str, parts: &[Part]) -> Option<Controller> {
    let main = &parts.iter().find(|part| part.kind == Kind::Controller)?.section;
    let name = format!("slot={slot}");
    let volumes: Vec<&Part> = parts.iter().filter(|part| part.kind == Kind::Volume).collect();
    let drives: Vec<&Part> = parts.iter().filter(|part| part.kind == Kind::Drive).collect();
    let volume_name = |part: &Part| format!("{name} ld {}", part.section.title);
    let drive_name = |part: &Part| format!("{name} pd {}", part.section.title);
    // Only the detailed form has lines of the controller; that of "show status" has some.
    let detailed = main.find("Firmware Version").is_some();
    let backup = main.get("Battery/Capacitor Status");
    let mut controller = Controller {
        pci_address: word(main.get("PCI Address (Domain:Bus:Device.Function)")).value().cloned(),
        model: word(&main.title),
        serial: word(main.get("Serial Number")),
        firmware: word(main.get("Firmware Version")),
        personality: word(main.get("Controller Mode")).or(|| word(main.get("head mode"))).or(|| {
            match main.get("HBA Mode Enabled") {
                "True" => Told::Value("HBA".to_owned()),
                _ => Told::Untold,
            }
        }),
        status: word(main.get("Controller Status")),
        firmware_package: Told::Nothing,
        battery: match word(backup) {
            Told::Untold if detailed => Told::Nothing,
            told => told,
        },
        battery_model: match word(main.get("Cache Backup Power Source")) {
            Told::Untold if detailed => Told::Nothing,
            told => told,
        },
        memory: match binary(main.get("Total Cache Size"), "GB") {
            Told::Untold if detailed => Told::Nothing,
            told => told,
        },
        // Words ("Medium") in the place of a share.
        rebuild_rate: Told::Nothing,
        patrol_read_rate: Told::Nothing,
        memory_correctable_errors: Told::Nothing,
        memory_uncorrectable_errors: Told::Nothing,
        temperature: celsius(main.get("Controller Temperature (C)")),
        name: name.clone(),
        ..Controller::default()
    };
    controller.volumes = volumes
        .iter()
        .map(|part| {
            let own = drives.iter().filter(|drive| drive.array.is_some() && drive.array == part.array);
            volume(main, &part.section, volume_name(part), own.map(|drive| drive_name(drive)).collect())
        })
        .collect();
    controller.drives = drives
        .iter()
        .map(|part| {
            let own = volumes.iter().filter(|volume| part.array.is_some() && volume.array == part.array);
            let names: Vec<String> = own.map(|volume| volume_name(volume)).collect();
            let volume = if names.is_empty() { Told::Nothing } else { Told::Value(names.join(", ")) };
            drive(&part.section, drive_name(part), volume)
        })
        .collect();
    if !detailed {
        controller.gaps.push("the output is not the detailed one".to_owned());
    }
    Some(controller)
}

fn volume(controller: &Section, section: &Section, name: String, drives: Vec<String>) -> Volume {
    Volume {
        name,
        label: word(section.get("Logical Drive Label")).or(|| Told::Nothing),
        level: word(section.get("Fault Tolerance")).and_then(|level| {
            let bare = level.starts_with(|c: char| c.is_ascii_digit());
            Told::Value(if bare { format!("RAID {level}") } else { level })
        }),
        bytes: binary(section.get("Size"), "B"),
        state: word(section.get("Status")),
        // "/dev/sdc", "/dev/cciss/c0d0", which is "cciss!c0d0" in sysfs.
        block_device: match section.get("Disk Name").split(' ').next().and_then(|path| path.strip_prefix("/dev/")) {
            Some(name) if !name.is_empty() => Told::Value(name.replace('/', "!")),
            _ => Told::Nothing,
        },
        drives: Told::Value(drives),
        write_policy: write_policy(controller, section),
        read_ahead: Told::Nothing,
        drive_cache: word(controller.get("Drive Write Cache")),
    }
}

/// Written back if the volume is cached, the cache has a share for writes, and the controller has not switched it off.
fn write_policy(controller: &Section, volume: &Section) -> Told<WritePolicy> {
    let cached = match volume.get("Caching").to_ascii_lowercase().as_str() {
        "enabled" => true,
        "disabled" => return Told::Value(WritePolicy::WriteThrough),
        _ => return Told::Untold,
    };
    // "25% Read / 75% Write"
    let share = controller.get("Cache Ratio").split('/').nth(1).map_or(Told::Untold, leading);
    match (cached, share, controller.get("Cache Status")) {
        (true, Told::Value(0), _) => Told::Value(WritePolicy::WriteThrough),
        (true, Told::Value(_), "OK") => Told::Value(WritePolicy::WriteBack),
        // "Temporarily Disabled", "Permanently Disabled", "Not Configured", "Failed"
        (true, Told::Value(_), status) if !status.is_empty() => Told::Value(WritePolicy::WriteThrough),
        _ => Told::Untold,
    }
}

fn drive(section: &Section, name: String, volume: Told<String>) -> Drive {
    let interface = section.get("Interface Type");
    let transport = word(interface.rsplit(' ').next().unwrap_or_default()).and_then(|word| {
        match word.to_ascii_uppercase().as_str() {
            "SAS" => Told::Value(Transport::Sas),
            "SATA" => Told::Value(Transport::Sata),
            "NVME" | "PCIE" => Told::Value(Transport::Nvme),
            _ => Told::Wrong(format!("no interface: {word:?}")),
        }
    });
    let media = if interface.starts_with("Solid State") || interface.to_ascii_uppercase().ends_with("NVME") {
        Told::Value(Media::Ssd)
    } else if section.find("Rotational Speed").is_some() {
        Told::Value(Media::Hdd)
    } else {
        Told::Untold
    };
    let state = word(section.get("Status"));
    let alert = match state.value().map(String::as_str) {
        Some(state) if state.contains("Predictive Failure") => Told::Value(true),
        Some("OK") => Told::Value(section.get("SSD Smart Trip Wearout") == "True"),
        _ => Told::Untold,
    };
    let place = |name: &str| word(section.get(name));
    let enclosure = match (place("Port").value(), place("Box").value()) {
        (Some(port), Some(box_)) => Told::Value(format!("{port}:{box_}")),
        _ => Told::Untold,
    };
    Drive {
        name,
        enclosure,
        slot: place("Bay"),
        // "ATA     MB1000EBZQB", "HP      EG0600FBVFP": vendor and product.
        model: word(section.get("Model")).and_then(|model| {
            let product = model.split_once(' ').map_or(model.as_str(), |(_, product)| product.trim());
            Told::Value(product.to_owned())
        }),
        serial: place("Serial Number"),
        firmware: place("Firmware Revision"),
        bytes: decimal(section.get("Size")),
        media,
        transport,
        volume,
        media_error_count: Told::Nothing,
        other_error_count: Told::Nothing,
        predictive_failure_count: Told::Nothing,
        alert,
        temperature: celsius(section.get("Current Temperature (C)")),
        link_speed: rate(section.get("PHY Transfer Rate")),
        max_link_speed: rate(section.get("PHY Physical Link Rate")).or(|| Told::Untold),
        wwn: place("WWID").value().map(|wwn| wwn.to_ascii_lowercase()),
        exposed: yes(section.get("Drive exposed to OS")).value() == Some(&true),
        state,
    }
}
