//! The words of SMBIOS's numbered lists (SMBIOS 3.7.0, sections 7.17 and 7.18).

/// What a numbered field says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// A word.
    Is(&'static str),
    /// "Other", "Unknown", or a number that this version does not know.
    Untold,
}

fn pick(table: &[(u8, &'static str)], number: u8) -> Word {
    table.iter().find(|(key, _)| *key == number).map_or(Word::Untold, |(_, word)| Word::Is(word))
}

/// Memory Array: Use (7.17.2).
pub(super) fn purpose(number: u8) -> Word {
    pick(
        &[(3, "system memory"), (4, "video memory"), (5, "flash memory"), (6, "non-volatile RAM"), (7, "cache memory")],
        number,
    )
}

/// Memory Array: Error Correction Types (7.17.3).
pub(super) fn error_correction(number: u8) -> Word {
    pick(&[(3, "none"), (4, "parity"), (5, "single-bit ECC"), (6, "multi-bit ECC"), (7, "CRC")], number)
}

/// Memory Device: Form Factor (7.18.1).
pub(super) fn form_factor(number: u8) -> Word {
    pick(
        &[
            (0x03, "SIMM"),
            (0x04, "SIP"),
            (0x05, "chip"),
            (0x06, "DIP"),
            (0x07, "ZIP"),
            (0x08, "proprietary card"),
            (0x09, "DIMM"),
            (0x0A, "TSOP"),
            (0x0B, "row of chips"),
            (0x0C, "RIMM"),
            (0x0D, "SODIMM"),
            (0x0E, "SRIMM"),
            (0x0F, "FB-DIMM"),
            (0x10, "die"),
            (0x11, "CAMM"),
            (0x12, "CUDIMM"),
            (0x13, "CSODIMM"),
        ],
        number,
    )
}

/// Memory Device: Type (7.18.2).
pub(super) fn memory_type(number: u8) -> Word {
    pick(
        &[
            (0x03, "DRAM"),
            (0x04, "EDRAM"),
            (0x05, "VRAM"),
            (0x06, "SRAM"),
            (0x07, "RAM"),
            (0x08, "ROM"),
            (0x09, "flash"),
            (0x0A, "EEPROM"),
            (0x0B, "FEPROM"),
            (0x0C, "EPROM"),
            (0x0D, "CDRAM"),
            (0x0E, "3DRAM"),
            (0x0F, "SDRAM"),
            (0x10, "SGRAM"),
            (0x11, "RDRAM"),
            (0x12, "DDR"),
            (0x13, "DDR2"),
            (0x14, "DDR2 FB-DIMM"),
            (0x18, "DDR3"),
            (0x19, "FBD2"),
            (0x1A, "DDR4"),
            (0x1B, "LPDDR"),
            (0x1C, "LPDDR2"),
            (0x1D, "LPDDR3"),
            (0x1E, "LPDDR4"),
            (0x1F, "logical non-volatile device"),
            (0x20, "HBM"),
            (0x21, "HBM2"),
            (0x22, "DDR5"),
            (0x23, "LPDDR5"),
            (0x24, "HBM3"),
        ],
        number,
    )
}

/// Memory Device: Memory Technology (7.18.6).
pub(super) fn technology(number: u8) -> Word {
    pick(
        &[
            (3, "DRAM"),
            (4, "NVDIMM-N"),
            (5, "NVDIMM-F"),
            (6, "NVDIMM-P"),
            (7, "Intel Optane persistent memory"),
            (8, "MRDIMM"),
        ],
        number,
    )
}

/// Memory Device: Type Detail (7.18.3), sorted. Bits 0 to 2 are reserved, other and unknown.
pub(super) fn type_detail(bits: u16) -> Vec<String> {
    let words = [
        (3, "fast-paged"),
        (4, "static column"),
        (5, "pseudo-static"),
        (6, "RAMBUS"),
        (7, "synchronous"),
        (8, "CMOS"),
        (9, "EDO"),
        (10, "window DRAM"),
        (11, "cache DRAM"),
        (12, "non-volatile"),
        (13, "registered"),
        (14, "unbuffered"),
        (15, "LRDIMM"),
    ];
    let mut set: Vec<String> =
        words.iter().filter(|(bit, _)| bits & (1 << bit) != 0).map(|(_, word)| (*word).to_owned()).collect();
    set.sort_unstable();
    set
}
