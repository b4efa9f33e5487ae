//! Drives in the JSON of storcli. Pure.

use super::super::figures::{binary, celsius, rate, raw_size, yes};
use super::super::report::{Drive, Told};
use super::{MOST, count_of, find, get, plain, rows, text_of};
use crate::inventory::{Media, Transport};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Enclosure and slot; a drive that is attached directly has no enclosure.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    enclosure: Option<u64>,
    slot: u64,
}

impl Place {
    /// "252:4", " :4".
    pub(super) fn of(row: &Map<String, Value>) -> Option<Self> {
        let text = plain(get(row, "EID:Slt"));
        let (enclosure, slot) = text.split_once(':')?;
        let enclosure = match enclosure.trim() {
            "" | "-" => None,
            number => Some(number.parse().ok()?),
        };
        Some(Self { enclosure, slot: slot.trim().parse().ok()? })
    }

    pub(super) fn name(&self, controller: &str) -> String {
        match self.enclosure {
            Some(enclosure) => format!("{controller}/e{enclosure}/s{}", self.slot),
            None => format!("{controller}/s{}", self.slot),
        }
    }
}

/// One drive as the outputs have it.
pub(super) struct Found<'v> {
    place: Place,
    row: &'v Map<String, Value>,
    details: Option<&'v Map<String, Value>>,
}

/// The drives that any output lists, each once.
pub(super) fn all_drives<'v>(all: &'v Map<String, Value>, details: &'v [Map<String, Value>]) -> Vec<Found<'v>> {
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
    pub(super) fn told(&self, controller: &str, groups: &BTreeMap<u64, Vec<String>>, fusion: bool) -> Drive {
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
