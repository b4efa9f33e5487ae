//! The text of sas2ircu and sas3ircu: "LIST" and "DISPLAY". Pure.

use super::figures::{binary, pci_address, word};
use super::lines::{Section, is_rule, numbered, pair};
use super::report::{Controller, Drive, Told, Volume};
use crate::inventory::{Media, Transport};

/// The numbers of the controllers that "LIST" names.
///
/// # Errors
/// Says that it is not of this form.
pub fn list(text: &str) -> Result<Vec<u32>, String> {
    let mut lines = text.lines();
    lines.find(|line| line.trim_start().starts_with("-----")).ok_or("there is no table")?;
    Ok(lines.map_while(|line| line.split_whitespace().next()?.parse().ok()).take(16).collect())
}

/// What "DISPLAY" tells of one controller.
///
/// # Errors
/// Says that it is not of this form.
pub fn display(number: u32, text: &str) -> Result<Controller, String> {
    let mut part = "";
    let mut sections: Vec<(&str, Section)> = Vec::new();
    for line in text.lines() {
        let words = line.trim();
        if words.is_empty() || is_rule(line) {
            continue;
        }
        match words {
            "Controller information"
            | "IR Volume information"
            | "Physical device information"
            | "Enclosure information" => {
                part = words;
                sections.push((part, Section::new("")));
                continue;
            }
            _ => {}
        }
        if part == "IR Volume information"
            && let Some(volume) = numbered(words, &["IR volume "])
        {
            sections.push((part, Section::new(volume)));
        } else if words.starts_with("Device is a") || words.starts_with("Initiator at ID") {
            sections.push((part, Section::new(words)));
        } else if let (Some(pair), Some((_, section))) = (pair(words), sections.last_mut()) {
            section.push(pair);
        }
    }
    let main = sections
        .iter()
        .find(|(part, _)| *part == "Controller information")
        .map(|(_, section)| section)
        .ok_or("there is no controller information")?;
    if !sections.iter().any(|(part, _)| *part == "Physical device information") {
        return Err("there is no physical device information".to_owned());
    }
    let name = number.to_string();
    let address = || {
        let hex = |field: &str| main.get(field).parse::<u32>().ok().map(|number| format!("{number:x}"));
        let domain = hex("Segment").unwrap_or_else(|| "0".to_owned());
        pci_address(&domain, &hex("Bus")?, &hex("Device")?, &hex("Function")?)
    };
    let volumes: Vec<Volume> = sections
        .iter()
        .filter(|(part, section)| *part == "IR Volume information" && !section.title.is_empty())
        .map(|(_, section)| volume(&name, section))
        .collect();
    let drives = sections
        .iter()
        .filter(|(_, section)| {
            section.title.starts_with("Device is a") && section.title.to_ascii_lowercase().contains("disk")
        })
        .map(|(_, section)| drive(&name, section, &volumes))
        .collect();
    Ok(Controller {
        pci_address: address(),
        model: word(main.get("Controller type")),
        firmware: word(main.get("Firmware version")),
        personality: match main.get("RAID Support") {
            "Yes" => Told::Value("IR".to_owned()),
            "No" => Told::Value("IT".to_owned()),
            _ => Told::Untold,
        },
        firmware_package: Told::Nothing,
        battery: Told::Nothing,
        battery_model: Told::Nothing,
        memory: Told::Nothing,
        rebuild_rate: Told::Nothing,
        patrol_read_rate: Told::Nothing,
        memory_correctable_errors: Told::Nothing,
        memory_uncorrectable_errors: Told::Nothing,
        name,
        drives,
        volumes,
        ..Controller::default()
    })
}

fn volume(controller: &str, section: &Section) -> Volume {
    let drives = section.beginning("PHY[").map(|(_, place)| format!("{controller} {place}")).collect();
    Volume {
        name: format!("{controller} volume {}", section.title),
        label: word(section.get("Volume Name")).or(|| Told::Nothing),
        level: word(section.get("RAID level")),
        bytes: binary(section.get("Size (in MB)"), "MB"),
        state: word(section.get("Status of volume")),
        block_device: Told::Nothing,
        drives: Told::Value(drives),
        // Integrated RAID has no cache of its own.
        write_policy: Told::Value(crate::inventory::raid::WritePolicy::WriteThrough),
        read_ahead: Told::Nothing,
        drive_cache: Told::Nothing,
    }
}

fn drive(controller: &str, section: &Section, volumes: &[Volume]) -> Drive {
    let name = format!("{controller} {}:{}", section.get("Enclosure #"), section.get("Slot #"));
    let own: Vec<&str> = volumes
        .iter()
        .filter(|volume| volume.drives.value().is_some_and(|drives| drives.contains(&name)))
        .map(|volume| volume.name.as_str())
        .collect();
    // "SATA_HDD", "SAS_SSD", "Undetermined"
    let kind = section.get("Drive Type");
    Drive {
        enclosure: word(section.get("Enclosure #")),
        slot: word(section.get("Slot #")),
        model: word(section.get("Model Number")),
        serial: word(section.get("Serial No")),
        firmware: word(section.get("Firmware Revision")),
        // "3815447/7814037167": whole mebibytes, and the last sector.
        bytes: binary(section.get("Size (in MB)/(in sectors)").split('/').next().unwrap_or_default(), "MB"),
        media: match kind.rsplit('_').next() {
            Some("HDD") => Told::Value(Media::Hdd),
            Some("SSD") => Told::Value(Media::Ssd),
            _ => Told::Untold,
        },
        transport: match section.get("Protocol") {
            "SATA" => Told::Value(Transport::Sata),
            "SAS" => Told::Value(Transport::Sas),
            _ => Told::Untold,
        },
        volume: if own.is_empty() { Told::Nothing } else { Told::Value(own.join(", ")) },
        media_error_count: Told::Nothing,
        other_error_count: Told::Nothing,
        predictive_failure_count: Told::Nothing,
        wwn: word(section.get("GUID")).value().map(|wwn| wwn.to_ascii_lowercase()),
        // What is in no volume and no spare comes through as it is.
        exposed: ["Ready (RDY)", "Available (AVL)"].contains(&section.get("State")),
        state: word(section.get("State")),
        name,
        ..Drive::default()
    }
}
