//! The binary runs on any node: it asks for no program interpreter and no shared library.

/// Program header types of an ELF64 file (System V ABI, chapter 5: p_type is the first word of each entry).
fn program_header_types(elf: &[u8]) -> Vec<u32> {
    assert_eq!(&elf[..4], b"\x7fELF", "not an ELF file");
    assert_eq!(elf[4], 2, "not 64 bits");
    assert_eq!(elf[5], 1, "not little-endian");
    let word = |at: usize| u32::from_le_bytes(elf[at..at + 4].try_into().unwrap());
    let half = |at: usize| usize::from(u16::from_le_bytes(elf[at..at + 2].try_into().unwrap()));
    let table = usize::try_from(u64::from_le_bytes(elf[32..40].try_into().unwrap())).unwrap();
    let (size, count) = (half(54), half(56));
    (0..count).map(|index| word(table + index * size)).collect()
}

#[test]
fn no_program_interpreter() {
    const PT_LOAD: u32 = 1;
    const PT_INTERP: u32 = 3;
    // `.cargo/config.toml` makes every profile static, so the binary under test stands for the released one;
    // RUSTFLAGS in the environment replaces that setting silently, which is what this catches.
    let elf = std::fs::read(env!("CARGO_BIN_EXE_muster")).unwrap();
    let types = program_header_types(&elf);
    assert!(types.contains(&PT_LOAD), "no segment to load: {types:?}");
    assert!(!types.contains(&PT_INTERP), "the binary wants a program interpreter; is RUSTFLAGS set?");
}
