//! What must not be asked of a drive, by model and firmware, and what it answers that must not be believed.
//!
//! Where the model is not known, the caller has to take the drive for one of these. Pure.

/// What smartctl may ask of an ATA or SCSI drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Smart {
    /// Everything that it knows.
    Everything,
    /// Identity, attributes and state, which need no log directory; the reason.
    NoLogDirectory(&'static str),
    /// Nothing; the reason.
    Nothing(&'static str),
}

/// How far a drive may be asked, by its model as far as INQUIRY tells it (16 characters), upper and lower case being one.
pub(crate) fn smart(model: &str) -> Smart {
    let model = model.trim().to_ascii_uppercase();
    if model.starts_with("SATADOM-ML 3ME") {
        // Linux, drivers/ata/libata-core.c: ATA_QUIRK_NO_LOG_DIR of "SATADOM-ML 3ME".
        Smart::NoLogDirectory(
            "this model goes off the bus when its log directory is read (libata, ATA_QUIRK_NO_LOG_DIR)",
        )
    } else if ["HD155UI", "HD204UI"].iter().any(|name| model == *name || model.starts_with(&format!("SAMSUNG {name}")))
    {
        // smartmontools, "SamsungF4EGBadBlocks"; the corrected firmware has the same version string.
        Smart::Nothing(
            "this model may lose data that it is writing when it is asked to identify itself, and its firmware's version does not tell \
             whether that is mended (smartmontools, SamsungF4EGBadBlocks)",
        )
    } else {
        Smart::Everything
    }
}

/// Why the self-test log of an NVMe drive is not asked for.
///
/// A short self-test of a Micron 9550 fails falsely if its log is read within the first two seconds (Dell 000391814); nobody here
/// knows whether one has just been started. Firmware F3MU100 mends it.
pub(crate) fn self_test_log(model: &str, firmware: &str) -> Option<&'static str> {
    const REASON: &str = "reading the self-test log makes a short self-test fail that was started within two seconds; firmware F3MU100 mends it (Dell 000391814)";
    let model = model.to_ascii_uppercase();
    let words: Vec<&str> = model.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    if !words.contains(&"9550") {
        return None;
    }
    let mended = firmware.trim().strip_prefix("F3MU").and_then(|number| number.parse::<u32>().ok());
    // Firmware of another scheme cannot be compared, so it counts as not mended.
    if mended.is_some_and(|number| number >= 100) { None } else { Some(REASON) }
}

/// PCI vendor and device of NVMe controllers whose namespace identifiers (EUI-64, NGUID, UUID) repeat or change.
///
/// `NVME_QUIRK_BOGUS_NID` in `nvme_id_table` of Linux, drivers/nvme/host/pci.c (next-20250211). Kernels hide the identifiers of those that they
/// know; older ones know fewer.
const BOGUS_IDENTIFIERS: &[(u16, u16)] = &[
    (0x8086, 0x0a54),
    (0x8086, 0x5845),
    (0x1b36, 0x0010),
    (0x126f, 0x2262),
    (0x126f, 0x2263),
    (0x1987, 0x5012),
    (0x1987, 0x5016),
    (0x1cc1, 0x33f8),
    (0x10ec, 0x5762),
    (0x10ec, 0x5763),
    (0x10ec, 0x5765),
    (0x1344, 0x6001),
    (0x1c5c, 0x174a),
    (0x144d, 0xa80b),
    (0x144d, 0xa802),
    (0x1f40, 0x1202),
    (0x1f40, 0x5236),
    (0x1e4b, 0x1001),
    (0x1e4b, 0x1002),
    (0x1e4b, 0x1202),
    (0x1e4b, 0x1602),
    (0x1cc1, 0x5350),
    (0x1dbe, 0x5216),
    (0x1dbe, 0x5236),
    (0xc0a9, 0x540a),
    (0x1d97, 0x2263),
    (0x1d97, 0x1d97),
    (0x1d97, 0x2269),
];

/// Whether the namespace identifiers of a controller are no identity.
pub(crate) fn bogus_identifiers(vendor: u16, device: u16) -> bool {
    BOGUS_IDENTIFIERS.contains(&(vendor, device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_that_must_be_spared() {
        assert!(matches!(smart("SATADOM-ML 3ME"), Smart::NoLogDirectory(_)));
        assert!(matches!(smart("SATADOM-ML 3ME V2  "), Smart::NoLogDirectory(_)));
        assert!(matches!(smart("SAMSUNG HD204UI"), Smart::Nothing(_)));
        assert!(matches!(smart("SAMSUNG HD155UI "), Smart::Nothing(_)));
        assert!(matches!(smart("HD204UI"), Smart::Nothing(_)));
        for sound in ["SATADOM-SL 3ME", "SATADOM-SH 3ME3 V2", "SAMSUNG HD103UJ", "ST4000NM0035", ""] {
            assert_eq!(smart(sound), Smart::Everything, "{sound}");
        }
    }

    #[test]
    fn the_self_test_log_of_a_micron_9550_waits_for_its_firmware() {
        for (model, firmware) in [
            ("Micron_9550_MTFDLAL7T6TGD-1BK1DABYY", "E3MU020"),
            ("9550 E1.S", "F3MU099"),
            ("Dell DC NVMe 9550 E1.S 7.68TB", ""),
            ("Micron_9550_MTFDLAL3T8TGD", "F3MUx"),
        ] {
            assert!(self_test_log(model, firmware).is_some(), "{model} {firmware}");
        }
        for (model, firmware) in [
            ("9550 E1.S", "F3MU100"),
            ("Micron_9550_MTFDLAL7T6TGD", "F3MU101"),
            ("Micron_9300_MTFDHAL3T8TDP", "11300DN0"),
            ("MTFD19550X", "1"),
        ] {
            assert_eq!(self_test_log(model, firmware), None, "{model} {firmware}");
        }
    }

    #[test]
    fn bogus_identifiers_are_told_by_vendor_and_device() {
        assert!(bogus_identifiers(0x8086, 0x0a54)); // Intel P4500, P4600
        assert!(bogus_identifiers(0x144d, 0xa80b)); // Samsung PM9B1
        assert!(!bogus_identifiers(0x144d, 0xa822)); // Samsung PM1725a: its subsystem name only
        assert!(!bogus_identifiers(0x1344, 0x0a54));
    }
}
