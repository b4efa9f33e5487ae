//! The text of arcconf, "GETCONFIG", of Adaptec and Microchip controllers. Pure.

use super::figures::{binary, celsius, count, pci_address, rate, word, yes};
use super::lines::{Section, is_rule, numbered, pair};
use super::report::{Controller, Drive, Told, Volume};
use crate::inventory::raid::WritePolicy;
use crate::inventory::{Media, Transport};

/// How many controllers there are, which every output says.
#[must_use]
pub fn controllers(text: &str) -> Option<u32> {
    text.lines().find_map(|line| line.trim().strip_prefix("Controllers found:")?.trim().parse().ok())
}

/// What is told of one controller.
///
/// # Errors
/// Says that it is not of this form.
pub fn config(number: u32, text: &str) -> Result<Controller, String> {
    let mut main = Section::new("");
    let mut volumes: Vec<Section> = Vec::new();
    let mut drives: Vec<Section> = Vec::new();
    let mut part = String::new();
    let mut heading = String::new();
    let mut ruled = false;
    for line in text.lines() {
        let words = line.trim();
        if is_rule(line) {
            ruled = true;
            continue;
        }
        if words.is_empty() {
            continue;
        }
        // A heading stands between two rules.
        if std::mem::take(&mut ruled) && pair(words).is_none() {
            let lower = words.to_ascii_lowercase();
            if lower.ends_with("information") && !line.starts_with(char::is_whitespace) {
                part = lower;
                heading.clear();
                continue;
            }
            if numbered(words, VOLUMES).is_none() && numbered(words, DRIVES).is_none() {
                heading = lower;
                continue;
            }
        }
        match part.as_str() {
            "controller information" => {
                if let Some((name, value)) = pair(words) {
                    main.push((&format!("{heading}/{name}"), value));
                }
            }
            "logical device information" | "logical drive information" => {
                if let Some(volume) = numbered(words, VOLUMES) {
                    volumes.push(Section::new(volume));
                    heading.clear();
                } else if let (Some(pair), Some(volume)) = (pair(words), volumes.last_mut()) {
                    volume.push(pair);
                }
            }
            "physical device information" => {
                if let Some(drive) = numbered(words, DRIVES).filter(|_| pair(words).is_none()) {
                    drives.push(Section::new(drive));
                    heading.clear();
                } else if let Some(drive) = drives.last_mut() {
                    match pair(words) {
                        // Phys and statistics repeat names.
                        Some(pair) if heading.is_empty() => drive.push(pair),
                        Some(_) => {}
                        None if words.starts_with("Device is a") => drive.push(("kind", words)),
                        None => {}
                    }
                }
            }
            _ => {}
        }
    }
    if main.find("/Controller Status").is_none() {
        return Err("there is no controller information".to_owned());
    }
    let name = number.to_string();
    let first = |names: &[&str]| names.iter().find_map(|name| main.find(name)).unwrap_or_default().to_owned();
    let address = first(&["/PCI Address (Domain:Bus:Device:Function)"]);
    let told: Vec<Volume> = volumes.iter().map(|section| volume(&name, section)).collect();
    let disks = drives.iter().filter(|section| {
        section.get("kind").to_ascii_lowercase().contains("hard drive")
            || section.get("kind").to_ascii_lowercase().contains("ssd")
    });
    let drives: Vec<Drive> = disks.map(|section| drive(&name, section)).collect();
    let (volumes, drives) = joined(told, drives, &volumes);
    Ok(Controller {
        pci_address: match address.split(':').collect::<Vec<_>>()[..] {
            [domain, bus, device, function] => pci_address(domain, bus, device, function),
            _ => None,
        },
        model: word(&first(&["/Controller Model"])),
        serial: word(&first(&["/Controller Serial Number"])),
        firmware: word(&first(&["controller version information/Firmware"])),
        personality: word(&first(&["/Controller Mode"])),
        status: word(&first(&["/Controller Status"])),
        firmware_package: Told::Nothing,
        battery: backup(&first(&[
            "controller cache backup unit information/Overall Backup Unit Status",
            "green backup information/Backup Power Status",
            "controller battery information/Status",
            "controller zmm information/Status",
        ])),
        battery_model: word(&first(&[
            "controller cache backup unit information/Backup Unit Type",
            "green backup information/Power Type",
        ]))
        .or(|| Told::Nothing),
        memory: binary(&first(&["/Installed memory", "cache properties/Cache memory"]), "MB"),
        rebuild_rate: Told::Nothing,
        patrol_read_rate: Told::Nothing,
        memory_correctable_errors: Told::Nothing,
        memory_uncorrectable_errors: Told::Nothing,
        temperature: celsius(&first(&["/Temperature"])),
        name,
        volumes,
        drives,
        gaps: Vec::new(),
    })
}

const VOLUMES: &[&str] = &["Logical device number ", "Logical drive number "];
const DRIVES: &[&str] = &["Device #"];

/// "Ready", "Optimal", "Not Installed", "ZMM not installed", "Not Present".
fn backup(text: &str) -> Told<String> {
    let lower = text.to_ascii_lowercase();
    if text.is_empty() || lower.contains("not installed") || lower.contains("not present") {
        Told::Nothing
    } else {
        Told::Value(text.to_owned())
    }
}

fn volume(controller: &str, section: &Section) -> Volume {
    let status = word(section.get("Status of logical device")).or(|| word(section.get("Status of logical drive")));
    let write = word(section.get("Write-cache status")).or(|| word(section.get("Write-cache mode")));
    Volume {
        name: format!("{controller} logical device {}", section.title),
        label: word(section.get("Logical device name"))
            .or(|| word(section.get("Logical drive name")))
            .or(|| Told::Nothing),
        level: word(section.get("RAID level")).and_then(|level| {
            let bare = level.starts_with(|c: char| c.is_ascii_digit());
            Told::Value(if bare { format!("RAID {level}") } else { level })
        }),
        bytes: binary(section.get("Size"), "B"),
        state: status,
        block_device: match section.get("Disk Name").split(' ').next().and_then(|path| path.strip_prefix("/dev/")) {
            Some(name) if !name.is_empty() => Told::Value(name.to_owned()),
            _ => Told::Nothing,
        },
        drives: Told::Untold,
        write_policy: write.and_then(|word| match word.to_ascii_lowercase().as_str() {
            "on" => Told::Value(WritePolicy::WriteBack),
            other if other.contains("write-back") => Told::Value(WritePolicy::WriteBack),
            "off" => Told::Value(WritePolicy::WriteThrough),
            other if other.contains("write-through") || other.starts_with("off") => {
                Told::Value(WritePolicy::WriteThrough)
            }
            _ => Told::Untold,
        }),
        read_ahead: match section.get("Read-cache status") {
            "On" => Told::Value(true),
            "Off" => Told::Value(false),
            _ => Told::Nothing,
        },
        drive_cache: Told::Nothing,
    }
}

/// The drives of each volume, by the serial numbers at the end of its segments.
fn joined(mut volumes: Vec<Volume>, mut drives: Vec<Drive>, sections: &[Section]) -> (Vec<Volume>, Vec<Drive>) {
    for (volume, section) in volumes.iter_mut().zip(sections) {
        // "Segment 0", "Group 0, Segment 1", "Device 4"
        let segments: Vec<&str> = section
            .beginning("Segment ")
            .chain(section.beginning("Group "))
            .chain(section.beginning("Device "))
            .map(|(_, value)| value)
            .filter(|value| value.contains('('))
            .collect();
        let serials: Vec<&str> =
            segments.iter().filter_map(|value| value.rsplit_once(')')).map(|(_, s)| s.trim()).collect();
        let mut names = Vec::new();
        for drive in &mut drives {
            if drive.serial.value().is_some_and(|serial| serials.contains(&serial.as_str())) {
                names.push(drive.name.clone());
                drive.volume = match drive.volume.value() {
                    Some(other) => Told::Value(format!("{other}, {}", volume.name)),
                    None => Told::Value(volume.name.clone()),
                };
            }
        }
        // A segment whose drive is gone, or that names none, leaves the list short.
        volume.drives =
            if !segments.is_empty() && names.len() == segments.len() { Told::Value(names) } else { Told::Untold };
    }
    (volumes, drives)
}

fn drive(controller: &str, section: &Section) -> Drive {
    // "Enclosure 0, Slot 3", "Connector 0, Device 1", "Enclosure 0, Slot 1(Connector 0)"
    let location = section.get("Reported Location");
    let number = |name: &str| {
        let rest = location.split_once(name).map_or("", |(_, rest)| rest.trim());
        word(rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default())
    };
    // "SATA 6.0 Gb/s", "SAS 12.0 Gb/s"
    let speed = section.get("Transfer Speed");
    let state = word(section.get("State"));
    Drive {
        name: format!("{controller} device {}", section.title),
        enclosure: number("Enclosure ").or(|| number("Connector ")).or(|| Told::Nothing),
        slot: number("Slot ").or(|| number("Device ")),
        model: word(section.get("Model")),
        serial: word(section.get("Serial number")),
        firmware: word(section.get("Firmware")),
        bytes: binary(section.get("Total Size"), "B").or(|| binary(section.get("Size"), "B")),
        media: match yes(section.get("SSD")) {
            Told::Value(true) => Told::Value(Media::Ssd),
            Told::Value(false) => Told::Value(Media::Hdd),
            _ => Told::Untold,
        },
        transport: match speed.split(' ').next() {
            Some("SATA") => Told::Value(Transport::Sata),
            Some("SAS") => Told::Value(Transport::Sas),
            Some("PCIe" | "NVMe") => Told::Value(Transport::Nvme),
            _ => Told::Untold,
        },
        // Filled by the volumes.
        volume: Told::Nothing,
        media_error_count: Told::Nothing,
        other_error_count: Told::Nothing,
        predictive_failure_count: count(section.get("S.M.A.R.T. warnings")),
        alert: yes(section.get("S.M.A.R.T.")),
        temperature: celsius(section.get("Temperature")),
        link_speed: match speed.split_once(' ') {
            Some(("SATA" | "SAS", figure)) => rate(figure),
            _ => Told::Untold,
        },
        max_link_speed: Told::Untold,
        wwn: word(section.get("World-wide name")).value().map(|wwn| wwn.to_ascii_lowercase()),
        exposed: state.value().is_some_and(|state| {
            state.starts_with("Raw") || state.starts_with("JBOD") || state.contains("(Pass Through)")
        }),
        state,
    }
}
