//! Identity of a SCSI disk: INQUIRY, the VPD pages that the kernel keeps, and udev's record as a second source.
//!
//! Precedence by fact: serial number: VPD page 80h, then 89h, then udev, then the USB device's. Model and firmware of an
//! ATA drive: page 89h, then udev, then INQUIRY, which holds only 16 of 40 characters of the model and 4 of 8 of the
//! firmware: where it may be cut it is not given as the whole. World Wide Name: `device/wwid`, then page 83h, then udev.
//! Two places that contradict each other, and not only by padding or a cut end, are a conflict.

use super::device::{Device, text};
use super::path::{Bus, DevicePath};
use super::raid::{Behind, Clues, behind};
use super::udev::Udev;
use super::vpd::{self, AtaIdentity, Authority, Identification, Rotation, Wwn};
use crate::collect::ledger::{Ledger, Missing, Read, some_text};
use crate::reading::{ErrorKind, Reading, SourceId};

/// What a SCSI disk says of itself.
pub(crate) struct Scsi {
    pub(crate) vendor: Read<String>,
    pub(crate) model: Read<String>,
    pub(crate) serial: Read<String>,
    pub(crate) firmware: Read<String>,
    pub(crate) wwn: Read<String>,
    pub(crate) state: Read<String>,
    /// Vendor and model of INQUIRY as they are, for telling what kind of device this is.
    pub(crate) inquiry_model: Option<String>,
    pub(crate) driver: Option<String>,
    pub(crate) behind: Behind,
    pub(crate) sas_protocols: Option<String>,
    pub(crate) port_protocol: Option<u8>,
    pub(crate) ata_page: bool,
    pub(crate) rotation: Option<Rotation>,
}

/// Text of a file that is only a second source: its absence is no error of its own.
pub(crate) fn aside(ledger: &Ledger<'_>, path: &str) -> Option<String> {
    let bytes = ledger.host().read(path).ok()?;
    Some(String::from_utf8(bytes).ok()?.trim_end_matches(|c: char| c.is_whitespace() || c == '\0').to_owned())
}

/// udev's record of a device, and its path.
pub(crate) fn udev_of(ledger: &Ledger<'_>, device: &Device) -> Option<(Udev, String)> {
    let path = format!("/run/udev/data/b{}", device.dev.reading.known()?);
    Some((Udev::parse(&aside(ledger, &path)?), path))
}

/// The driver of a SCSI host: what it calls itself, else what its PCI function is bound to. Lower case.
pub(crate) fn driver_of(ledger: &Ledger<'_>, host: u32, pci: Option<&str>) -> Option<String> {
    let own = aside(ledger, &format!("/sys/class/scsi_host/host{host}/proc_name"));
    // Drivers that set no name show what the kernel prints for a null pointer.
    if let Some(name) = own.filter(|name| !name.is_empty() && !name.contains("null") && !name.contains("NULL")) {
        return Some(name.to_ascii_lowercase());
    }
    let target = ledger.host().read_link(&format!("/sys/bus/pci/devices/{}/driver", pci?)).ok()?;
    target.rsplit('/').next().map(str::to_ascii_lowercase)
}

/// Reads all there is of one SCSI disk.
pub(crate) fn read(ledger: &Ledger<'_>, device: &Device) -> Scsi {
    let at = |file: &str| format!("{}/device/{file}", device.base);
    let told = Missing::Untold("every SCSI device has it");
    // Kernels before 3.15 keep no VPD pages; where they are kept, a page that is not there is one the drive lacks.
    let keeps_pages = ledger
        .host()
        .list(&format!("{}/device", device.base))
        .is_ok_and(|listing| listing.names.iter().any(|name| name == "wwid"));
    let page = if keeps_pages { Missing::Absent } else { Missing::Untold("the kernel keeps no VPD pages") };

    let path = device.path.reading.known();
    let bus = path.map(DevicePath::bus);
    let usb = bus == Some(Bus::Usb);
    let udev = udev_of(ledger, device);
    let vendor = text(ledger, &at("vendor"), told);
    let vendor_is_ata = vendor.reading.known().is_some_and(|vendor| vendor == "ATA");

    let inquiry_model = ledger.host().read(&at("model")).ok();
    let short_model =
        inquiry_model.as_deref().map(|bytes| String::from_utf8_lossy(bytes).trim_matches([' ', '\n', '\0']).to_owned());
    let ata = pages(ledger, &at("vpd_pg89"), page, vpd::ata_information);
    // The page of a device that calls itself otherwise than its ATA drive is made up (scsi_debug) or of another drive.
    let identity: Option<AtaIdentity> = ata.reading.known().cloned().flatten().filter(|identity| {
        vendor_is_ata || short_model.as_deref().is_some_and(|model| part_of(model, &identity.model))
    });
    let ata_page = identity.is_some();
    let identification = pages(ledger, &at("vpd_pg83"), page, vpd::identification);
    let rotation = identity.as_ref().map(|identity| identity.rotation).or_else(|| {
        let read = pages(ledger, &at("vpd_pgb1"), Missing::Absent, vpd::rotation);
        read.reading.known().copied()
    });

    let model = {
        let whole = identity.as_ref().map(|identity| (identity.model.clone(), ata.source));
        let cut = vendor_is_ata && inquiry_model.as_deref().is_some_and(may_be_cut);
        named(ledger, &at("model"), told, cut, whole, udev.as_ref(), Udev::model, "16 of up to 40")
    };
    let firmware = {
        let whole = identity.as_ref().map(|identity| (identity.firmware.clone(), ata.source));
        let revision = |udev: &Udev| udev.property("ID_REVISION").map(str::to_owned);
        named(ledger, &at("rev"), told, vendor_is_ata, whole, udev.as_ref(), revision, "4 of up to 8")
    };

    let (wwn, names) = wwn(ledger, &at("wwid"), page, &identification, udev.as_ref().filter(|_| !usb));
    let extended_name = names.first().is_some_and(|name| name.extended);
    let serial = serial(ledger, &at("vpd_pg80"), page, identity.as_ref().map(|i| (&i.serial, ata.source)), &udev, path);

    let address = path.and_then(DevicePath::scsi_address);
    let driver = address.and_then(|a| driver_of(ledger, a.host, path.and_then(DevicePath::pci_function)));
    let raid_level = matches!(driver.as_deref(), Some("hpsa" | "smartpqi"))
        .then(|| ledger.parsed(&at("raid_level"), Missing::Untold("the driver does not say"), some_text))
        .and_then(|read| read.reading.known().cloned());
    let behind = behind(&Clues {
        driver: driver.as_deref(),
        vendor: vendor.reading.known().map(String::as_str),
        model: model.reading.known().or(short_model.as_ref()).map(String::as_str),
        address,
        raid_level: raid_level.as_deref(),
        end_device: matches!(bus, Some(Bus::Sas(_))),
        direct: matches!(bus, Some(Bus::Ata | Bus::Usb | Bus::Virtio)),
        extended_name,
    });
    let sas_protocols = match &bus {
        Some(Bus::Sas(end)) => aside(ledger, &format!("/sys/class/sas_device/{end}/target_port_protocols")),
        _ => None,
    };
    Scsi {
        vendor,
        model,
        serial,
        firmware,
        wwn,
        state: text(ledger, &at("state"), told),
        inquiry_model: short_model,
        driver,
        behind,
        sas_protocols,
        port_protocol: identification.reading.known().and_then(|page| page.port_protocol),
        ata_page,
        rotation,
    }
}

fn pages<T>(
    ledger: &Ledger<'_>,
    path: &str,
    missing: Missing,
    parse: impl FnOnce(&[u8]) -> Result<T, String>,
) -> Read<T> {
    let source = ledger.source(path);
    let reading = match ledger.bytes(path, missing) {
        Reading::Known(bytes) => match parse(&bytes) {
            Ok(page) => Reading::Known(page),
            Err(cause) => ledger.malformed(path, cause),
        },
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source }
}

/// Whether a model of INQUIRY (16 characters, padded with blanks) may go on beyond its field: the last but one is
/// looked at too, for the cut may fall on a blank.
fn may_be_cut(field: &[u8]) -> bool {
    let field = field.strip_suffix(b"\n").unwrap_or(field);
    !(field.len() == 16 && field.ends_with(b"  ")) && field.trim_ascii_end().len() >= 15
}

/// Model or firmware: the whole name of page 89h, or that of udev for an ATA drive, or what INQUIRY says.
#[expect(clippy::too_many_arguments, reason = "the places that tell one fact, in order")]
fn named(
    ledger: &Ledger<'_>,
    path: &str,
    missing: Missing,
    cut: bool,
    whole: Option<(String, SourceId)>,
    udev: Option<&(Udev, String)>,
    of_udev: impl FnOnce(&Udev) -> Option<String>,
    how_much: &str,
) -> Read<String> {
    let udev = udev
        .filter(|(udev, _)| udev.property("ID_BUS") == Some("ata"))
        .and_then(|(udev, path)| Some((of_udev(udev)?, ledger.source(path.as_str()))));
    if let Some((value, source)) = &whole
        && !value.is_empty()
    {
        return match &udev {
            Some((other, _)) if !same(value, other) => conflict(ledger, path, *source, value, "udev's database", other),
            _ => Read { reading: Reading::Known(value.clone()), source: *source },
        };
    }
    let inquiry = text(ledger, path, missing);
    match (&inquiry.reading, udev) {
        // INQUIRY's part must be a part of the whole (SAT-4 section 8.1.3: firmware gives its first or last half).
        (Reading::Known(part), Some((value, _))) if !(same(part, &value) || cut && part_of(part, &value)) => {
            conflict(ledger, path, inquiry.source, part, "udev's database", &value)
        }
        (Reading::Known(_), Some((value, source))) if cut => Read { reading: Reading::Known(value), source },
        (Reading::Known(part), None) if cut => {
            let cause = format!("INQUIRY holds {how_much} characters of an ATA drive's: {part:?}");
            let error = ledger.error(format!("tell the whole name from {path}"), ErrorKind::NotSupported, cause);
            Read { reading: Reading::Unreadable(error), source: inquiry.source }
        }
        (Reading::Unreadable(_) | Reading::Absent, Some((value, source))) => {
            Read { reading: Reading::Known(value), source }
        }
        _ => inquiry,
    }
}

/// Two places tell different things.
fn conflict<T>(
    ledger: &Ledger<'_>,
    path: &str,
    source: SourceId,
    value: &str,
    elsewhere: &str,
    other: &str,
) -> Read<T> {
    let cause = format!("it says {value:?}, {elsewhere} says {other:?}");
    let error = ledger.error(format!("believe {path}"), ErrorKind::Conflict, cause);
    Read { reading: Reading::Unreadable(error), source }
}

/// Without blanks and underscores, which udev puts in their place.
fn bare(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, ' ' | '_' | '\0')).collect()
}

fn same(a: &str, b: &str) -> bool {
    bare(a) == bare(b)
}

/// Equal, or the beginning or end of the other.
fn part_of(part: &str, whole: &str) -> bool {
    let (part, whole) = (bare(part), bare(whole));
    !part.is_empty() && (whole.starts_with(&part) || whole.ends_with(&part))
}

fn serial(
    ledger: &Ledger<'_>,
    page80: &str,
    missing: Missing,
    page89: Option<(&String, SourceId)>,
    udev: &Option<(Udev, String)>,
    path: Option<&DevicePath>,
) -> Read<String> {
    let unit = pages(ledger, page80, missing, vpd::unit_serial);
    let mut told: Vec<(String, SourceId, String)> = Vec::new();
    if let Reading::Known(Some(serial)) = &unit.reading {
        told.push((serial.clone(), unit.source, page80.to_owned()));
    }
    if let Some((serial, source)) = page89.filter(|(serial, _)| !serial.is_empty()) {
        told.push((serial.clone(), source, "VPD page 89h".to_owned()));
    }
    if let Some((udev, path)) = udev
        && udev.property("ID_BUS") != Some("usb")
        && let Some(serial) = udev.serial()
    {
        told.push((serial.to_owned(), ledger.source(path.as_str()), path.clone()));
    }
    if let Some((first, source, place)) = told.first() {
        let alike = |other: &str| part_of(first, other) || part_of(other, first);
        return match told.iter().find(|(other, ..)| !alike(other)) {
            Some((other, _, elsewhere)) => conflict(ledger, place, *source, first, elsewhere, other),
            None => Read { reading: Reading::Known(first.clone()), source: *source },
        };
    }
    // A bridge that answers no VPD page still has a serial number of its own.
    if let Some(usb) = path.and_then(DevicePath::usb_device) {
        let file = format!("{usb}/serial");
        if let Some(serial) = aside(ledger, &file).filter(|serial| !serial.trim().is_empty()) {
            return Read { reading: Reading::Known(serial.trim().to_owned()), source: ledger.source(file) };
        }
    }
    let reading = match unit.reading {
        Reading::Known(_) | Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source: unit.source }
}

/// The World Wide Name, and all names of the logical unit that were found.
fn wwn(
    ledger: &Ledger<'_>,
    wwid: &str,
    missing: Missing,
    page83: &Read<Identification>,
    udev: Option<&(Udev, String)>,
) -> (Read<String>, Vec<Wwn>) {
    let kernel = ledger.parsed(wwid, missing, |text| Ok(vpd::wwid(text)));
    let mut names: Vec<Wwn> = kernel.reading.known().cloned().flatten().into_iter().collect();
    let listed = page83.reading.known().map(|page| page.names.as_slice()).unwrap_or_default();
    let own = names.first().cloned();
    for name in listed {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let (chosen, source, place) = match (own, listed.first()) {
        (Some(own), Some(other)) if !listed.contains(&own) => {
            let read = conflict(ledger, wwid, kernel.source, &own.hex, "VPD page 83h", &other.hex);
            return (read, names);
        }
        (Some(own), _) => (Some(own), kernel.source, wwid),
        (None, Some(listed)) => (Some(listed.clone()), page83.source, "VPD page 83h"),
        (None, None) => (None, kernel.source, wwid),
    };
    // A name that the target made up is not world-wide.
    let chosen = chosen.filter(|name| name.authority == Authority::Registered);
    let of_udev = udev.and_then(|(udev, path)| Some((udev.wwn()?, path)));
    let reading = match (chosen, of_udev) {
        (Some(name), Some((other, path))) if !names.iter().any(|n| n.hex == other) => {
            return (conflict(ledger, place, source, &name.hex, path, &other), names);
        }
        (Some(name), _) => Reading::Known(name.hex),
        (None, Some((other, path)))
            if names.is_empty() && matches!(other.len(), 16 | 32) && !other.starts_with('3') =>
        {
            let read = Read { reading: Reading::Known(other.clone()), source: ledger.source(path.as_str()) };
            return (read, vec![Wwn { extended: other.len() == 32, hex: other, authority: Authority::Registered }]);
        }
        (None, _) => match (&kernel.reading, &page83.reading) {
            // The kernel makes its choice from the page, so each of the two says that there is none.
            (Reading::Known(_) | Reading::Absent, _) | (_, Reading::Known(_)) => Reading::Absent,
            (Reading::Unreadable(error), Reading::Absent | Reading::Unreadable(_)) => Reading::Unreadable(*error),
        },
    };
    (Read { reading, source }, names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_fills_its_field_may_go_on() {
        assert!(may_be_cut(b"KINGSTON SH103S3\n"));
        assert!(may_be_cut(b"Samsung SSD 850 \n"), "the cut fell on a blank");
        assert!(!may_be_cut(b"ST4000NM0033    \n"));
        assert!(!may_be_cut(b"WDC WD40EFRX  \n"));
    }

    #[test]
    fn padding_and_a_cut_end_are_no_conflict() {
        assert!(same("MAKER M-100", "MAKER_M-100  "));
        assert!(part_of("BBF0", "580ABBF0"));
        assert!(part_of("KINGSTON SH103S3", "KINGSTON_SH103S3240G"));
        assert!(!part_of("", "X"));
        assert!(!part_of("ABC", "XABCX"));
    }
}
