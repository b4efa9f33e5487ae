//! Tables made by hand after SMBIOS 3.7.0, and arbitrary bytes.

use super::*;
use crate::host::{Entry, Replay};
use crate::units::{Bytes, TransfersPerSec};
use proptest::prelude::*;

/// One structure: what stands from offset 4 on, then its strings.
fn structure(kind: u8, handle: u16, body: &[u8], strings: &[&str]) -> Vec<u8> {
    let mut bytes = vec![kind, 4 + body.len() as u8];
    bytes.extend(handle.to_le_bytes());
    bytes.extend(body);
    for string in strings {
        bytes.extend(string.as_bytes());
        bytes.push(0);
    }
    if strings.is_empty() {
        bytes.push(0);
    }
    bytes.push(0);
    bytes
}

fn end() -> Vec<u8> {
    structure(127, 0xFFFE, &[], &[])
}

/// Type 16: use 05h, error correction 06h, capacity in KiB 07h, error handle 0Bh, slots 0Dh.
fn array(handle: u16, purpose: u8) -> Vec<u8> {
    let mut body = vec![3, purpose, 6];
    body.extend(0x0600_0000_u32.to_le_bytes());
    body.extend([0xFE, 0xFF, 2, 0]);
    structure(16, handle, &body, &[])
}

/// Type 17 up to 27h, SMBIOS 2.8.
fn device(handle: u16, array: u16, size: u16, extended: u32, strings: &[&str]) -> Vec<u8> {
    let mut body = Vec::new();
    body.extend(array.to_le_bytes()); // 04h
    body.extend(0xFFFE_u16.to_le_bytes()); // 06h
    body.extend(72_u16.to_le_bytes()); // 08h
    body.extend(64_u16.to_le_bytes()); // 0Ah
    body.extend(size.to_le_bytes()); // 0Ch
    body.extend([9, 0, 1, 2, 0x1A]); // 0Eh form factor, set, locator, bank, type
    body.extend(0x2080_u16.to_le_bytes()); // 13h synchronous, registered
    body.extend(2666_u16.to_le_bytes()); // 15h
    body.extend([3, 4, 0, 5, 2]); // 17h maker, serial, asset, part, 1Bh ranks
    body.extend(extended.to_le_bytes()); // 1Ch
    body.extend(2400_u16.to_le_bytes()); // 20h
    for millivolts in [1200_u16, 1200, 1200] {
        body.extend(millivolts.to_le_bytes()); // 22h
    }
    structure(17, handle, &body, strings)
}

const STRINGS: &[&str] = &["DIMM_A1", "NODE 0", "Micron", "12AB34CD", "36ASF4G72PZ"];

fn entry(version: (u8, u8)) -> String {
    let bytes = [&b"_SM3_\0\x18"[..], &[version.0, version.1, 0, 1, 0], &[0; 12]].concat();
    String::from_utf8(bytes).unwrap()
}

fn read(table: &[u8], more: &[(&str, &str)]) -> (Smbios, System, Vec<crate::reading::ReadError>) {
    let host = Replay::complete(
        more.iter()
            .map(|(path, text)| ((*path).to_owned(), Entry::file(text)))
            .chain([("sys/firmware/dmi/tables/DMI".to_owned(), Entry::file(table))]),
    );
    let ledger = Ledger::new(&host);
    let mut system = crate::collect::system::collect(&ledger);
    let smbios = collect(&ledger, &mut system);
    (smbios, system, ledger.close().1)
}

const ENTRY: &str = "sys/firmware/dmi/tables/smbios_entry_point";

#[test]
fn a_module_is_read_field_by_field() {
    let table = [array(0x1000, 3), device(0x1100, 0x1000, 0x7FFF, 65536, STRINGS), end()].concat();
    let (smbios, ..) = read(&table, &[(ENTRY, &entry((3, 2)))]);
    let Collection::Complete(dimms) = &smbios.dimms else { panic!("{:?}", smbios.dimms) };
    let [dimm] = &dimms[..] else { panic!("{dimms:?}") };
    let text = |text: &str| Reading::Known(text.to_owned());
    assert_eq!(dimm.name, text("DIMM_A1"));
    assert_eq!(dimm.bank_locator, text("NODE 0"));
    assert_eq!(dimm.purpose, text("system memory"));
    assert_eq!(dimm.populated, Reading::Known(true));
    // 65536 MiB
    assert_eq!(dimm.bytes, Reading::Known(Bytes(64 << 30)));
    assert_eq!(dimm.form_factor, text("DIMM"));
    assert_eq!(dimm.memory_type, text("DDR4"));
    assert_eq!(dimm.type_detail, Reading::Known(vec!["registered".to_owned(), "synchronous".to_owned()]));
    assert_eq!(dimm.rated_speed, Reading::Known(TransfersPerSec(2_666_000_000)));
    assert_eq!(dimm.configured_speed, Reading::Known(TransfersPerSec(2_400_000_000)));
    assert_eq!(
        (&dimm.manufacturer, &dimm.serial, &dimm.part_number),
        (&text("Micron"), &text("12AB34CD"), &text("36ASF4G72PZ"))
    );
    assert_eq!(dimm.asset_tag, Reading::Absent);
    assert_eq!(
        (&dimm.ranks, &dimm.total_width, &dimm.data_width),
        (&Reading::Known(2), &Reading::Known(72), &Reading::Known(64))
    );
    assert_eq!(dimm.configured_millivolts, Reading::Known(1200));
    // SMBIOS 3.2 fields that this structure is too short for
    assert_eq!(dimm.technology, Reading::Absent);
    let [array] = smbios.arrays.items() else { panic!() };
    assert_eq!(array.error_correction, text("multi-bit ECC"));
    assert_eq!(array.max_capacity, Reading::Known(Bytes(0x0600_0000 << 10)));
    assert_eq!(array.slots, Reading::Known(2));
}

#[test]
fn an_empty_slot_has_no_module_and_an_unknown_size_is_not_empty() {
    let table = [
        array(0x1000, 3),
        device(0x1100, 0x1000, 0, 0, STRINGS),
        device(0x1101, 0x1000, 0xFFFF, 0, STRINGS),
        device(0x1102, 0x9999, 0x8010, 0, STRINGS),
        end(),
    ]
    .concat();
    let (smbios, _, _) = read(&table, &[]);
    let [empty, unknown, small] = smbios.dimms.items() else { panic!() };
    assert_eq!(empty.populated, Reading::Known(false));
    assert_eq!(
        (&empty.bytes, &empty.rated_speed, &empty.ranks),
        (&Reading::Absent, &Reading::Absent, &Reading::Absent)
    );
    assert!(matches!(unknown.populated, Reading::Unreadable(_)));
    assert!(matches!(unknown.bytes, Reading::Unreadable(_)));
    // 16 KiB, of an array that is not there
    assert_eq!(small.bytes, Reading::Known(Bytes(16384)));
    assert!(matches!(small.purpose, Reading::Unreadable(_)));
    // one locator for all: the bank tells them apart as far as it does
    assert_eq!(small.name, Reading::Known("NODE 0 DIMM_A1".to_owned()));
}

#[test]
fn sizes_by_the_specification() {
    use memory::{Size, size};
    for (word, extended, expected) in [
        (Some(0), None, Size::Empty),
        (Some(0xFFFF), None, Size::Unknown),
        (None, None, Size::Broken),
        (Some(0x7FFF), None, Size::Broken),
        (Some(0x7FFF), Some(0), Size::Broken),
        (Some(0x7FFF), Some(0x8001_0000), Size::Is(64 << 30)),
        (Some(0x4000), Some(7), Size::Is(16 << 30)),
        (Some(0x8400), None, Size::Is(1 << 20)),
    ] {
        assert_eq!(size(word, extended), expected, "{word:?} {extended:?}");
    }
}

#[test]
fn a_table_that_ends_early_says_so() {
    let whole = [array(0x1000, 3), device(0x1100, 0x1000, 0x4000, 0, STRINGS)].concat();
    let (smbios, ..) = read(&whole, &[(ENTRY, &entry((3, 2)))]);
    assert!(matches!(&smbios.dimms, Collection::Partial { items, .. } if items.len() == 1));
    let (smbios, ..) = read(&whole[..whole.len() - 3], &[]);
    assert!(matches!(&smbios.dimms, Collection::Partial { items, .. } if items.is_empty()));
    assert!(table::parse(&whole, Some(2)).broken.is_none());
    assert!(table::parse(&whole, Some(3)).broken.is_some());
    // a length below that of a header
    assert!(table::parse(&[17, 3, 0, 0, 0, 0], None).broken.is_some());
    let host = Replay::complete([("sys/x", Entry::file(""))]);
    let smbios = collect(&Ledger::new(&host), &mut System::default());
    assert!(matches!(smbios.dimms, Collection::Unreadable(_)));
}

#[test]
fn processors_are_told_from_empty_sockets() {
    let socket = |handle, status: u8, cores: u8| {
        let mut body = vec![1, 3, 0xB3, 2]; // 04h socket, type, family, maker
        body.extend([0; 8]); // 08h id
        body.extend([3, 0x8C]); // 10h version, voltage
        body.extend(100_u16.to_le_bytes());
        body.extend(4000_u16.to_le_bytes()); // 14h
        body.extend(2400_u16.to_le_bytes()); // 16h
        body.extend([status, 0x2B]); // 18h
        body.extend([0; 6]); // 1Ah caches
        body.extend([0, 0, 0, cores, cores, cores]); // 20h serial, asset, part, counts
        body.extend([4, 0, 0xB3, 0]); // 26h
        for count in [288_u16, 288, 576] {
            body.extend(count.to_le_bytes()); // 2Ah
        }
        structure(4, handle, &body, &["CPU1", "Intel(R) Corporation", "Xeon"])
    };
    let table = [socket(0x400, 0x41, 0xFF), socket(0x401, 0, 16), socket(0x402, 0x40, 0), end()].concat();
    let (smbios, ..) = read(&table, &[]);
    let [fitted, empty, untold] = smbios.sockets.items() else { panic!() };
    assert_eq!((&fitted.populated, &fitted.enabled), (&Reading::Known(true), &Reading::Known(true)));
    assert_eq!((&fitted.cores, &fitted.threads), (&Reading::Known(288), &Reading::Known(576)));
    assert_eq!(fitted.current_speed, Reading::Known(crate::units::Hertz(2_400_000_000)));
    assert_eq!(
        (&empty.populated, &empty.enabled, &empty.cores),
        (&Reading::Known(false), &Reading::Absent, &Reading::Absent)
    );
    assert!(matches!(untold.enabled, Reading::Unreadable(_)));
    assert!(matches!(untold.cores, Reading::Unreadable(_)));
}

/// Type 1 with the UUID of SMBIOS 3.7.0 section 7.2.1's example.
fn system(serial: &str) -> Vec<u8> {
    let mut body = vec![1, 2, 0, 3];
    body.extend([0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF]);
    body.extend([6, 0, 0]);
    structure(1, 0x100, &body, &["Maker", "Model", serial])
}

#[test]
fn the_byte_order_of_the_uuid_is_that_of_the_version() {
    let table = [system("S1"), end()].concat();
    let of = |version| read(&table, &[(ENTRY, &entry(version))]).1.uuid;
    assert_eq!(of((2, 6)), Reading::Known("00112233-4455-6677-8899-aabbccddeeff".to_owned()));
    assert_eq!(of((2, 5)), Reading::Known("33221100-5544-7766-8899-aabbccddeeff".to_owned()));
    assert!(matches!(read(&table, &[]).1.uuid, Reading::Unreadable(_)));
}

#[test]
fn what_files_and_table_tell_differently_is_a_conflict() {
    let table = [system("S1"), end()].concat();
    let (_, told, _) =
        read(&table, &[("sys/class/dmi/id/sys_vendor", "Maker\n"), ("sys/class/dmi/id/product_serial", "S1\n")]);
    assert_eq!((told.vendor, told.serial), (Reading::Known("Maker".to_owned()), Reading::Known("S1".to_owned())));
    assert_eq!(told.product, Reading::Known("Model".to_owned()));
    let (_, told, errors) = read(&table, &[("sys/class/dmi/id/product_serial", "S2\n")]);
    let Reading::Unreadable(error) = told.serial else { panic!("{:?}", told.serial) };
    let error = &errors[error.0 as usize];
    assert_eq!((error.kind, error.cause.as_str()), (ErrorKind::Conflict, "the kernel's file says S2, the table S1"));
    // a placeholder on both sides
    let table = [system("To Be Filled By O.E.M."), end()].concat();
    assert_eq!(read(&table, &[]).1.serial, Reading::Absent);
}

#[test]
fn versions_of_entry_points() {
    let old = [&b"_SM_"[..], &[0, 0x1F, 2, 51], &[0; 20], &[3, 0, 0x26]].concat();
    assert_eq!(table::entry_point(&old), Ok(EntryPoint { version: (2, 6), count: Some(3) }));
    assert!(table::entry_point(b"_SM_").is_err());
    assert!(table::entry_point(b"").is_err());
}

#[test]
fn placeholders_of_modules() {
    for placeholder in [
        "SerNum0",
        "Manufacturer01",
        "A1_AssetTagNum0",
        "DIMM_A1_AssetTag",
        "NO DIMM",
        "FFFFFFFF",
        "Not Specified",
        "PartNum3",
        "  ",
    ] {
        assert_eq!(memory::filled_of_module(placeholder), None, "{placeholder}");
    }
    for told in ["Samsung", "80CE", "M393A4K40BB2-CTD", "FFFF1234"] {
        assert_eq!(memory::filled_of_module(told).as_deref(), Some(told));
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..600), entry in proptest::collection::vec(any::<u8>(), 0..32)) {
        let _ = table::entry_point(&entry);
        let host = Replay::complete([("sys/firmware/dmi/tables/DMI", Entry::file(&bytes)), ("sys/firmware/dmi/tables/smbios_entry_point", Entry::file(&entry))]);
        let _ = collect(&Ledger::new(&host), &mut System::default());
    }

    /// Structures of the types that are looked at, cut and filled at will.
    #[test]
    fn broken_structures_do_no_harm(parts in proptest::collection::vec((prop_oneof![Just(0_u8), Just(1), Just(2), Just(3), Just(4), Just(16), Just(17), any::<u8>()], 0_u8..100, proptest::collection::vec(any::<u8>(), 0..100)), 0..8)) {
        let mut bytes = Vec::new();
        for (kind, length, body) in parts {
            bytes.extend([kind, length, 0, 1]);
            bytes.extend(body);
            bytes.extend([0, 0]);
        }
        let (smbios, ..) = read(&bytes, &[(ENTRY, &entry((3, 0)))]);
        // without an end it cannot be known to be all
        prop_assert!(!matches!(&smbios.dimms, Collection::Complete(_)) || bytes.windows(2).any(|pair| pair[0] == 127));
    }
}
