//! The module in a cage: what `ETHTOOL_GMODULEINFO` says that there is, and the parts of its EEPROM that say what it is.
//!
//! Flags that a module forgets when they are read (SFF-8636, bytes 14:3; CMIS, bytes 13:8) are left alone: whether a temperature is too high is told
//! by the thresholds. Offsets and lengths are multiples of 8 where drivers read in blocks of 8 (ice). Never tried on hardware.

use super::ask::{Command, Port, Told, elements, header, request};
use super::layout;
use super::module_layout::{Cmis, CmisMonitors, Qsfp, QsfpMonitors, QsfpThresholds, Sfp, SfpDiagnostics};
use crate::collect::ledger::Read;
use crate::inventory::ethtool::{LinkSettings, Module, ModuleMedium, PortType};
use crate::reading::{Reading, SourceId};
use crate::units::{Celsius, Watts};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// `ETHTOOL_GMODULEINFO`.
pub(super) const GMODULEINFO: Command = Command(0x42, "GMODULEINFO");
/// `ETHTOOL_GMODULEEEPROM`.
pub(super) const GMODULEEEPROM: Command = Command(0x43, "GMODULEEEPROM");

/// `ETH_MODULE_SFF_8079`: address A0h alone.
const SFF_8079: u32 = 1;
/// `ETH_MODULE_SFF_8472`: A0h, and A2h behind it.
const SFF_8472: u32 = 2;
/// `ETH_MODULE_SFF_8636`.
const SFF_8636: u32 = 3;
/// `ETH_MODULE_SFF_8436`.
const SFF_8436: u32 = 4;

/// A part of the EEPROM: offset and length.
type Part = (u32, u32);
const SFP: Part = (0, 96);
const SFP_DIAGNOSTICS: Part = (256, 112);
/// The upper half of page 00h, of QSFP and CMIS alike.
const UPPER: Part = (128, 128);
const QSFP_MONITORS: Part = (16, 48);
/// Page 03h stands behind pages 00h, 01h and 02h.
const QSFP_THRESHOLDS: Part = (512, 8);
const CMIS_MONITORS: Part = (14, 8);

/// SFF-8024, table 4-1.
#[rustfmt::skip]
const FORM_FACTORS: [(u8, &str); 15] = [
    (0x01, "GBIC"), (0x02, "soldered"), (0x03, "SFP"), (0x06, "XFP"), (0x0c, "QSFP"), (0x0d, "QSFP+"), (0x11, "QSFP28"), (0x12, "CXP2"),
    (0x18, "QSFP-DD"), (0x19, "OSFP"), (0x1a, "SFP-DD"), (0x1b, "DSFP"), (0x1e, "QSFP with CMIS"), (0x1f, "SFP-DD with CMIS"),
    (0x20, "SFP+ with CMIS"),
];
/// Identifiers whose EEPROM is laid out as CMIS has it.
const OF_CMIS: [u8; 7] = [0x18, 0x19, 0x1a, 0x1b, 0x1e, 0x1f, 0x20];

const NO_SEPARABLE: u8 = 0x23;
/// SFF-8024, table 4-3.
#[rustfmt::skip]
const CONNECTORS: [(u8, &str); 14] = [
    (0x01, "SC"), (0x07, "LC"), (0x08, "MT-RJ"), (0x0b, "optical pigtail"), (0x0c, "MPO 1x12"), (0x0d, "MPO 2x16"), (0x21, "copper pigtail"),
    (0x22, "RJ45"), (NO_SEPARABLE, "no separable connector"), (0x24, "MXC 2x16"), (0x25, "CS"), (0x26, "SN"), (0x27, "MPO 2x12"),
    (0x28, "MPO 1x16"),
];
/// Of these, those of fibres.
const OPTICAL: [u8; 11] = [0x01, 0x07, 0x08, 0x0b, 0x0c, 0x0d, 0x24, 0x25, 0x26, 0x27, 0x28];

/// Reads the module, unless the line is one that has none.
pub(super) fn read(port: &Port<'_, '_>, link: &LinkSettings) -> Module {
    if let (Reading::Known(PortType::TwistedPair), Some(source)) = (&link.port, link.sources.get("port")) {
        return none(Reading::Absent, source);
    }
    let info = port.structure::<layout::ModuleInfo>(GMODULEINFO);
    let (kind, length) = match &info.reading {
        Reading::Known(info) => (info.r#type.get(), info.eeprom_len.get()),
        Reading::Absent => return none(Reading::Absent, info.source),
        Reading::Unreadable(error) => return none(Reading::Unreadable(*error), info.source),
    };
    match kind {
        SFF_8079 | SFF_8472 => sfp(port, kind == SFF_8472 && length >= SFP_DIAGNOSTICS.0 + SFP_DIAGNOSTICS.1),
        SFF_8636 | SFF_8436 => qsfp(port, length >= QSFP_THRESHOLDS.0 + QSFP_THRESHOLDS.1),
        other => {
            let reading = port.ledger.malformed(&port.words(GMODULEINFO), format!("module type {other}"));
            none(reading, info.source)
        }
    }
}

/// A module of which all is alike.
fn none(reading: Reading<()>, source: SourceId) -> Module {
    let mut module = Module::default();
    macro_rules! alike {
        ($($field:ident),*) => {
            $(set!(module.$field, Read { reading: none_of(&reading), source });)*
        };
    }
    alike!(
        form_factor,
        connector,
        medium,
        vendor,
        part_number,
        revision,
        serial,
        cable_length,
        temperature,
        temperature_alarm_high,
        temperature_warning_high,
        rx_power,
        tx_power
    );
    module
}

fn none_of<T>(reading: &Reading<()>) -> Reading<T> {
    match reading {
        Reading::Known(()) | Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(*error),
    }
}

/// Asks for a part of the EEPROM.
fn part<S: FromBytes + KnownLayout + Immutable + Unaligned>(port: &Port<'_, '_>, part: Part) -> Told<S> {
    let answer = port.ask(GMODULEEEPROM, &part_request(part));
    let name = format!("{} at {}", port.words(GMODULEEEPROM), part.0);
    Told::of(port.ledger, answer, name, |answer| parse_part(answer, part).and_then(|bytes| Ok(header::<S>(bytes)?.0)))
}

/// A part that need not be there: absent if `there` says so.
fn part_if<S: FromBytes + KnownLayout + Immutable + Unaligned>(
    port: &Port<'_, '_>,
    there: Reading<bool>,
    source: SourceId,
    at: Part,
) -> Told<S> {
    match there {
        Reading::Known(true) => part(port, at),
        Reading::Known(false) | Reading::Absent => Told::missing(Reading::Absent, source),
        Reading::Unreadable(error) => Told::missing(Reading::Unreadable(error), source),
    }
}

/// The question for a part.
pub(super) fn part_request((offset, length): Part) -> Vec<u8> {
    let mut asked = request::<layout::Eeprom>(GMODULEEEPROM.0);
    asked.truncate(8);
    asked.extend(offset.to_ne_bytes());
    asked.extend(length.to_ne_bytes());
    asked.resize(asked.len() + length as usize, 0);
    asked
}

/// The bytes of a part, if they came whole.
fn parse_part(answer: &[u8], (_, asked): Part) -> Result<&[u8], String> {
    let (told, bytes) = header::<layout::Eeprom>(answer)?;
    if told.len.get() != asked {
        return Err(format!("{} bytes of {asked}", told.len.get()));
    }
    elements(bytes, asked, 1)
}

fn sfp(port: &Port<'_, '_>, diagnostics: bool) -> Module {
    let ledger = port.ledger;
    let told = part::<Sfp>(port, SFP);
    let mut module = Module::default();
    set!(module.form_factor, told.field(ledger, |sfp| form_factor(sfp.identifier)));
    set!(module.connector, told.plain(ledger, |sfp| connector(sfp.connector)));
    set!(module.medium, told.field(ledger, |sfp| Ok(sfp_medium(sfp))));
    set!(module.vendor, told.field(ledger, |sfp| text(&sfp.vendor)));
    set!(module.part_number, told.field(ledger, |sfp| text(&sfp.part_number)));
    set!(module.revision, told.field(ledger, |sfp| text(&sfp.revision)));
    set!(module.serial, told.field(ledger, |sfp| text(&sfp.serial)));
    set!(
        module.cable_length,
        told.field(ledger, |sfp| {
            // Of a fibre the byte is the reach over OM4.
            let cable = sfp.cable_technology & 0b1100 != 0 || sfp.connector == NO_SEPARABLE;
            Ok(Some(u64::from(sfp.length_copper)).filter(|length| cable && *length != 0))
        })
    );
    // Bit 6 of byte 92 says that it measures, bit 5 that the figures are calibrated; others would have to be calibrated here.
    let measures = told.plain(ledger, |sfp| diagnostics && sfp.diagnostics & 0b0110_0000 == 0b0110_0000);
    let monitors = part_if::<SfpDiagnostics>(port, measures.reading, measures.source, SFP_DIAGNOSTICS);
    set!(module.temperature, monitors.plain(ledger, |monitors| celsius(monitors.temperature.get())));
    set!(module.temperature_alarm_high, monitors.field(ledger, |told| limit(told.temperature_alarm_high.get())));
    set!(module.temperature_warning_high, monitors.field(ledger, |told| limit(told.temperature_warning_high.get())));
    set!(module.rx_power, monitors.field(ledger, |monitors| Ok(power(&[monitors.rx_power.get()]))));
    set!(module.tx_power, monitors.field(ledger, |monitors| Ok(power(&[monitors.tx_power.get()]))));
    module
}

fn sfp_medium(sfp: &Sfp) -> Option<ModuleMedium> {
    match (sfp.cable_technology, sfp.connector) {
        (technology, _) if technology & 0b0100 != 0 => Some(ModuleMedium::PassiveCopper),
        (technology, _) if technology & 0b1000 != 0 => Some(ModuleMedium::ActiveCable),
        (_, 0x22) => Some(ModuleMedium::TwistedPair),
        (_, connector) if OPTICAL.contains(&connector) => Some(ModuleMedium::Optical),
        // 100G AOC and 25GAUI C2M AOC, ACC (SFF-8024, table 4-4).
        (_, NO_SEPARABLE) if matches!(sfp.ext_compliance, 0x01 | 0x08 | 0x18 | 0x19) => Some(ModuleMedium::ActiveCable),
        (_, NO_SEPARABLE) if matches!(sfp.ext_compliance, 0x0b..=0x0d) => Some(ModuleMedium::PassiveCopper),
        _ => None,
    }
}

/// QSFP, or one of CMIS that the driver takes for one: its identifier says which.
fn qsfp(port: &Port<'_, '_>, thresholds: bool) -> Module {
    let ledger = port.ledger;
    let told = part::<Qsfp>(port, UPPER);
    if matches!(&told.reading, Reading::Known(told) if OF_CMIS.contains(&told.identifier)) {
        return cmis(port);
    }
    let mut module = Module::default();
    set!(module.form_factor, told.field(ledger, |qsfp| form_factor(qsfp.identifier)));
    set!(module.connector, told.plain(ledger, |qsfp| connector(qsfp.connector)));
    set!(module.medium, told.plain(ledger, |qsfp| technology(qsfp.technology >> 4, qsfp.connector)));
    set!(module.vendor, told.field(ledger, |qsfp| text(&qsfp.vendor)));
    set!(module.part_number, told.field(ledger, |qsfp| text(&qsfp.part_number)));
    set!(module.revision, told.field(ledger, |qsfp| text(&qsfp.revision)));
    set!(module.serial, told.field(ledger, |qsfp| text(&qsfp.serial)));
    set!(
        module.cable_length,
        told.field(ledger, |qsfp| {
            // Of fibres with a connector the byte is the reach over OM4.
            let cable = qsfp.technology >> 4 >= 0xa || qsfp.connector == NO_SEPARABLE;
            Ok(Some(u64::from(qsfp.length_copper)).filter(|length| cable && *length != 0))
        })
    );
    // Copper without electronics measures nothing.
    let measures = told.plain(ledger, |qsfp| !matches!(qsfp.technology >> 4, 0xa | 0xb));
    let monitors = part_if::<QsfpMonitors>(port, measures.reading.clone(), measures.source, QSFP_MONITORS);
    set!(module.temperature, monitors.field(ledger, |monitors| limit(monitors.temperature.get())));
    let powers = |words: &[zerocopy::byteorder::big_endian::U16; 4]| power(&words.map(|word| word.get()));
    set!(module.rx_power, monitors.field(ledger, |monitors| Ok(powers(&monitors.rx_power))));
    set!(module.tx_power, monitors.field(ledger, |monitors| Ok(powers(&monitors.tx_power))));
    let has_thresholds = measures.reading.map(|measures| measures && thresholds);
    let limits = part_if::<QsfpThresholds>(port, has_thresholds, measures.source, QSFP_THRESHOLDS);
    set!(module.temperature_alarm_high, limits.field(ledger, |limits| limit(limits.alarm_high.get())));
    set!(module.temperature_warning_high, limits.field(ledger, |limits| limit(limits.warning_high.get())));
    module
}

fn cmis(port: &Port<'_, '_>) -> Module {
    let ledger = port.ledger;
    let told = part::<Cmis>(port, UPPER);
    let mut module = none(Reading::Absent, told.source);
    set!(module.form_factor, told.field(ledger, |cmis| form_factor(cmis.identifier)));
    set!(module.connector, told.plain(ledger, |cmis| connector(cmis.connector)));
    set!(module.medium, told.plain(ledger, |cmis| technology(cmis.technology, cmis.connector)));
    set!(module.vendor, told.field(ledger, |cmis| text(&cmis.vendor)));
    set!(module.part_number, told.field(ledger, |cmis| text(&cmis.part_number)));
    set!(module.revision, told.field(ledger, |cmis| text(&cmis.revision)));
    set!(module.serial, told.field(ledger, |cmis| text(&cmis.serial)));
    set!(module.cable_length, told.field(ledger, |cmis| Ok(cmis_length(cmis.cable_length))));
    let measures = told.plain(ledger, |cmis| !matches!(cmis.technology, 0xa | 0xb));
    let monitors = part_if::<CmisMonitors>(port, measures.reading, measures.source, CMIS_MONITORS);
    set!(module.temperature, monitors.field(ledger, |monitors| limit(monitors.temperature.get())));
    module
}

/// Cable length: a number of 6 bits, times 0.1, 1, 10 or 100 m by the two bits above. 0 is none.
pub(super) fn cmis_length(byte: u8) -> Option<u64> {
    let decimetres = u64::from(byte & 0x3f) * [1, 10, 100, 1000].get(usize::from(byte >> 6)).copied().unwrap_or(1);
    Some(decimetres.div_ceil(10)).filter(|metres| *metres != 0)
}

/// The transmitter technology of SFF-8636 (upper half of byte 147) and the media interface technology of CMIS (byte 212), whose numbers are the same.
fn technology(technology: u8, connector: u8) -> ModuleMedium {
    match technology {
        0x0a | 0x0b => ModuleMedium::PassiveCopper,
        0x0c..=0x0f => ModuleMedium::ActiveCable,
        _ if connector == NO_SEPARABLE => ModuleMedium::ActiveCable,
        _ if connector == 0x22 => ModuleMedium::TwistedPair,
        _ => ModuleMedium::Optical,
    }
}

/// What a byte says by a table; a number where the table has no word.
fn named(table: &[(u8, &str)], byte: u8) -> String {
    table
        .iter()
        .find(|(known, _)| *known == byte)
        .map_or_else(|| format!("0x{byte:02x}"), |(_, word)| (*word).to_owned())
}

/// All bits of an EEPROM that does not answer are alike.
fn form_factor(identifier: u8) -> Result<Option<String>, String> {
    match identifier {
        0 | 0xff => Err(format!("no module has the identifier {identifier:02X}h")),
        known => Ok(Some(named(&FORM_FACTORS, known))),
    }
}

fn connector(byte: u8) -> String {
    named(&CONNECTORS, byte)
}

/// ASCII, filled with blanks, some with NULs.
fn text(bytes: &[u8]) -> Result<Option<String>, String> {
    let text =
        std::str::from_utf8(bytes).ok().filter(|text| text.bytes().all(|byte| byte == 0 || (32..127).contains(&byte)));
    let text = text.ok_or_else(|| format!("not text: {bytes:02x?}"))?.trim_matches(|c| c == ' ' || c == '\0');
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// Temperatures are in 1/256 of a degree.
fn celsius(raw: i16) -> Celsius {
    Celsius(f64::from(raw) / 256.0)
}

/// A temperature where 0 stands for none.
fn limit(raw: i16) -> Result<Option<Celsius>, String> {
    Ok((raw != 0).then(|| celsius(raw)))
}

/// The weakest of several lanes, in 0.1 uW; `None` if the module measures none.
fn power(lanes: &[u16]) -> Option<Watts> {
    let measured = lanes.iter().any(|lane| *lane != 0);
    lanes.iter().min().filter(|_| measured).map(|lane| Watts(f64::from(*lane) / 1e7))
}
