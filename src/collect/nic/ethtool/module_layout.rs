//! The pages of a module's EEPROM that are read, as SFF-8472 12.4, SFF-8636 2.11 and CMIS 5.2 lay them out; numbers are big endian.
//!
//! An offset in a page is that of the specification, less the start of the page. Knows nothing of what the values mean.

use super::layout::structure;
use std::mem::{offset_of, size_of};
use zerocopy::byteorder::big_endian::{I16, U16};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

structure! {
    /// SFF-8472, address A0h, bytes 95:0.
    Sfp: 96 {
        identifier: u8 = 0, ext_identifier: u8 = 1, connector: u8 = 2, compliance: [u8; 5] = 3, cable_technology: u8 = 8, speeds: [u8; 9] = 9,
        length_copper: u8 = 18, length_om3: u8 = 19, vendor: [u8; 16] = 20, ext_compliance: u8 = 36, oui: [u8; 3] = 37, part_number: [u8; 16] = 40,
        revision: [u8; 4] = 56, wavelength: U16 = 60, rest: [u8; 6] = 62, serial: [u8; 16] = 68, date: [u8; 8] = 84, diagnostics: u8 = 92,
        options: [u8; 3] = 93,
    }
}

structure! {
    /// SFF-8472, address A2h, bytes 111:0. The alarm flags behind them are not read.
    SfpDiagnostics: 112 {
        temperature_alarm_high: I16 = 0, temperature_alarm_low: I16 = 2, temperature_warning_high: I16 = 4, thresholds: [u8; 90] = 6,
        temperature: I16 = 96, voltage: U16 = 98, bias: U16 = 100, tx_power: U16 = 102, rx_power: U16 = 104, rest: [u8; 6] = 106,
    }
}

structure! {
    /// SFF-8636, page 00h, bytes 255:128.
    Qsfp: 128 {
        identifier: u8 = 0, ext_identifier: u8 = 1, connector: u8 = 2, speeds: [u8; 15] = 3, length_copper: u8 = 18, technology: u8 = 19,
        vendor: [u8; 16] = 20, extended: [u8; 4] = 36, part_number: [u8; 16] = 40, revision: [u8; 2] = 56, wavelength: [u8; 10] = 58,
        serial: [u8; 16] = 68, date: [u8; 8] = 84, rest: [u8; 36] = 92,
    }
}

structure! {
    /// SFF-8636, lower page, bytes 63:16.
    QsfpMonitors: 48 {
        flags: [u8; 6] = 0, temperature: I16 = 6, rest: [u8; 2] = 8, voltage: U16 = 10, reserved: [u8; 6] = 12, rx_power: [U16; 4] = 18,
        bias: [U16; 4] = 26, tx_power: [U16; 4] = 34, end: [u8; 6] = 42,
    }
}

structure! {
    /// SFF-8636, page 03h, bytes 135:128.
    QsfpThresholds: 8 { alarm_high: I16 = 0, alarm_low: I16 = 2, warning_high: I16 = 4, warning_low: I16 = 6 }
}

structure! {
    /// CMIS, page 00h, bytes 255:128.
    Cmis: 128 {
        identifier: u8 = 0, vendor: [u8; 16] = 1, oui: [u8; 3] = 17, part_number: [u8; 16] = 20, revision: [u8; 2] = 36, serial: [u8; 16] = 38,
        date: [u8; 8] = 54, clei: [u8; 10] = 62, power: [u8; 2] = 72, cable_length: u8 = 74, connector: u8 = 75, attenuation: [u8; 8] = 76,
        technology: u8 = 84, rest: [u8; 43] = 85,
    }
}

structure! {
    /// CMIS, lower page, bytes 21:14.
    CmisMonitors: 8 { temperature: I16 = 0, voltage: U16 = 2, rest: [u8; 4] = 4 }
}
