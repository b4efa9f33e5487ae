//! SCSI Vital Product Data pages as the kernel keeps them (`device/vpd_pg*`), and its `device/wwid`.
//!
//! Pure parsers of untrusted bytes. SPC-5 section 7.7 (pages 80h, 83h), SBC-4 section 6.6.2 (B1h), SAT-4 section
//! 12.4.2 (89h), ACS-4 section 7.13.6 (the words of IDENTIFY DEVICE).

/// Who says that an identifier is unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Authority {
    /// IEEE: NAA 2, 5 or 6, or EUI-64.
    Registered,
    /// Whoever made it up: NAA 3.
    Local,
}

/// A World Wide Name of a logical unit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wwn {
    /// Lower-case hexadecimal, without prefix.
    pub(crate) hex: String,
    pub(crate) authority: Authority,
    /// NAA 6: a name with a vendor-specific extension, which volumes and LUNs have; disks have NAA 5.
    pub(crate) extended: bool,
}

/// What page 83h says of the logical unit and of the port.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Identification {
    /// NAA and EUI-64 designators of the logical unit, in the page's order.
    pub(crate) names: Vec<Wwn>,
    /// Protocol of the target port (SPC-5 table 442: 0 Fibre Channel, 5 iSCSI, 6 SAS).
    pub(crate) port_protocol: Option<u8>,
}

/// Medium rotation rate (SBC-4 table 257; ACS-4 word 217).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rotation {
    /// 0: not reported.
    NotReported,
    /// 1: no rotating medium.
    None,
    /// Revolutions per minute.
    Rpm(u16),
    /// A value that the standard reserves.
    Reserved(u16),
}

/// Identity of an ATA device as its translation layer passes it on (page 89h).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AtaIdentity {
    pub(crate) serial: String,
    pub(crate) firmware: String,
    pub(crate) model: String,
    pub(crate) rotation: Rotation,
}

/// The payload of a page, after its code and length are found right.
fn page(bytes: &[u8], code: u8) -> Result<&[u8], String> {
    let [_, found, high, low, rest @ ..] = bytes else {
        return Err(format!("{} bytes are no VPD page", bytes.len()));
    };
    if *found != code {
        return Err(format!("page code {found:02X}h, expected {code:02X}h"));
    }
    let length = usize::from(u16::from_be_bytes([*high, *low]));
    // The kernel keeps what the device sent, which may be cut short of its own length.
    rest.get(..length).ok_or_else(|| format!("{length} bytes announced, {} there", rest.len()))
}

/// Unit Serial Number, page 80h; `None` if it is blank.
pub(crate) fn unit_serial(bytes: &[u8]) -> Result<Option<String>, String> {
    ascii(page(bytes, 0x80)?)
}

/// Device Identification, page 83h.
pub(crate) fn identification(bytes: &[u8]) -> Result<Identification, String> {
    let mut rest = page(bytes, 0x83)?;
    let mut found = Identification::default();
    while let [head, kind, _, length, tail @ ..] = rest {
        let Some((designator, next)) = tail.split_at_checked(usize::from(*length)) else {
            return Err("a designator is longer than the page".to_owned());
        };
        rest = next;
        let (code_set, association, kind) = (head & 0x0f, (kind >> 4) & 3, (kind & 0x0f, kind & 0x80 != 0));
        match (association, kind) {
            (0, (2 | 3, _)) if code_set == 1 => found.names.extend(wwn(kind.0 == 3, designator)),
            (1, (_, true)) if found.port_protocol.is_none() => found.port_protocol = Some(head >> 4),
            _ => {}
        }
    }
    Ok(found)
}

/// A binary NAA or EUI-64 designator. All zero or all ones is none.
fn wwn(naa: bool, designator: &[u8]) -> Option<Wwn> {
    let first = designator.first()?;
    if designator.iter().all(|&b| b == 0) || designator.iter().all(|&b| b == 0xff) {
        return None;
    }
    let (authority, extended) = match (naa, first >> 4, designator.len()) {
        (true, 2 | 5, 8) => (Authority::Registered, false),
        (true, 6, 16) => (Authority::Registered, true),
        (true, 3, 8) => (Authority::Local, false),
        (false, _, 8 | 12 | 16) => (Authority::Registered, false),
        _ => return None,
    };
    Some(Wwn { hex: designator.iter().map(|b| format!("{b:02x}")).collect(), authority, extended })
}

/// The kernel's choice of designator, `device/wwid` (`scsi_vpd_lun_id`, drivers/scsi/scsi_lib.c): "naa.5000...",
/// "eui.0025...", or "t10.ATA ..." for a device that has only text, which is no World Wide Name.
pub(crate) fn wwid(text: &str) -> Option<Wwn> {
    let (kind, hex) = text.split_once('.')?;
    if !matches!(kind, "naa" | "eui") || !hex.is_ascii() {
        return None;
    }
    let bytes: Option<Vec<u8>> = hex
        .as_bytes()
        .chunks(2)
        .map(|pair| {
            std::str::from_utf8(pair).ok().filter(|p| p.len() == 2).and_then(|p| u8::from_str_radix(p, 16).ok())
        })
        .collect();
    wwn(kind == "naa", &bytes?)
}

/// Block Device Characteristics, page B1h.
pub(crate) fn rotation(bytes: &[u8]) -> Result<Rotation, String> {
    match page(bytes, 0xb1)? {
        [high, low, ..] => Ok(rotation_of(u16::from_be_bytes([*high, *low]))),
        _ => Err("the page ends before the rotation rate".to_owned()),
    }
}

fn rotation_of(rate: u16) -> Rotation {
    match rate {
        0 => Rotation::NotReported,
        1 => Rotation::None,
        0x0401..=0xfffe => Rotation::Rpm(rate),
        rate => Rotation::Reserved(rate),
    }
}

/// ATA Information, page 89h; `None` if it holds no IDENTIFY DEVICE data.
pub(crate) fn ata_information(bytes: &[u8]) -> Result<Option<AtaIdentity>, String> {
    let page = page(bytes, 0x89)?;
    // Byte 56 of the page is the command that gave the data; the data start at byte 60. The payload lacks the first 4.
    const COMMAND: usize = 56 - 4;
    const DATA: usize = 60 - 4;
    const IDENTIFY_DEVICE: u8 = 0xec;
    if page.get(COMMAND) != Some(&IDENTIFY_DEVICE) {
        return Ok(None);
    }
    let data = page.get(DATA..DATA + 512).ok_or("the page ends before the IDENTIFY data")?;
    let text = |first: usize, last: usize| -> Result<String, String> {
        let words = data.get(first * 2..(last + 1) * 2).unwrap_or_default();
        // Each word holds two characters, the first in the upper byte; the data are little-endian.
        let swapped: Vec<u8> = words.chunks_exact(2).flat_map(|w| w.iter().rev().copied()).collect();
        Ok(ascii(&swapped)?.unwrap_or_default())
    };
    let rate = match data.get(217 * 2..217 * 2 + 2) {
        Some([low, high]) => u16::from_le_bytes([*low, *high]),
        _ => 0,
    };
    let identity = AtaIdentity {
        serial: text(10, 19)?,
        firmware: text(23, 26)?,
        model: text(27, 46)?,
        rotation: rotation_of(rate),
    };
    // Some translation layers give the page with nothing in it.
    Ok((!identity.model.is_empty()).then_some(identity))
}

/// Text in a fixed field, padded with blanks or zeros on either side; `None` if there is nothing else.
pub(crate) fn ascii(bytes: &[u8]) -> Result<Option<String>, String> {
    if let Some(odd) = bytes.iter().find(|b| !(**b == 0 || (0x20..0x7f).contains(*b))) {
        return Err(format!("byte {odd:02X}h is not printable"));
    }
    let text: String = bytes.iter().map(|&b| char::from(b)).collect();
    let text = text.trim_matches([' ', '\0']).to_owned();
    Ok((!text.is_empty()).then_some(text))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A VPD page as a device sends it.
    pub(crate) fn vpd(code: u8, payload: &[u8]) -> Vec<u8> {
        let length = u16::try_from(payload.len()).unwrap().to_be_bytes();
        [&[0, code], length.as_slice(), payload].concat()
    }

    /// A designator of page 83h.
    pub(crate) fn designator(head: u8, kind: u8, bytes: &[u8]) -> Vec<u8> {
        [&[head, kind, 0, u8::try_from(bytes.len()).unwrap()], bytes].concat()
    }

    /// Page 89h around IDENTIFY data with these texts.
    pub(crate) fn ata_page(serial: &str, firmware: &str, model: &str, rate: u16) -> Vec<u8> {
        let mut payload = vec![0u8; 568];
        payload[52] = 0xec;
        let mut put = |first: usize, last: usize, text: &str| {
            let width = (last + 1 - first) * 2;
            for (i, pair) in format!("{text:<width$}").as_bytes().chunks(2).enumerate() {
                payload[56 + (first + i) * 2] = pair[1];
                payload[56 + (first + i) * 2 + 1] = pair[0];
            }
        };
        put(10, 19, serial);
        put(23, 26, firmware);
        put(27, 46, model);
        payload[56 + 434..56 + 436].copy_from_slice(&rate.to_le_bytes());
        vpd(0x89, &payload)
    }

    #[test]
    fn the_serial_number_is_padded_on_either_side() {
        assert_eq!(unit_serial(&vpd(0x80, b"    ZC1ABCDE")), Ok(Some("ZC1ABCDE".into())));
        assert_eq!(unit_serial(&vpd(0x80, b"ZC1ABCDE\0\0\0\0")), Ok(Some("ZC1ABCDE".into())));
        assert_eq!(unit_serial(&vpd(0x80, b"        ")), Ok(None));
        assert!(unit_serial(&vpd(0x83, b"X")).is_err());
        assert!(unit_serial(&vpd(0x80, b"\xff\xfe")).is_err());
        assert!(unit_serial(&[0, 0x80, 0, 9, b'X']).is_err());
        assert!(unit_serial(&[]).is_err());
    }

    #[test]
    fn the_names_are_those_of_the_logical_unit() {
        let unit = [0x50, 0x00, 0xc5, 0x00, 0xa1, 0xb2, 0xc3, 0xd4];
        let port = [0x50, 0x00, 0xc5, 0x00, 0xa1, 0xb2, 0xc3, 0xd5];
        let page = vpd(
            0x83,
            &[
                designator(0x02, 0x01, b"MAKER   M-100   SN1"),
                designator(0x01, 0x03, &unit),
                designator(0x61, 0x93, &port), // SAS, protocol valid, target port, NAA
                designator(0x61, 0x94, &[0, 0, 0, 1]),
            ]
            .concat(),
        );
        let found = identification(&page).unwrap();
        assert_eq!(
            found.names,
            [Wwn { hex: "5000c500a1b2c3d4".into(), authority: Authority::Registered, extended: false }]
        );
        assert_eq!(found.port_protocol, Some(6));
        assert!(identification(&vpd(0x83, &[1, 3, 0, 9, 0x50])).is_err());
        assert_eq!(identification(&vpd(0x83, &[])), Ok(Identification::default()));
    }

    #[test]
    fn what_nobody_registered_is_not_trusted() {
        assert_eq!(wwid("naa.33333330000036b0").unwrap().authority, Authority::Local);
        assert_eq!(wwid("naa.5000c500a1b2c3d4").unwrap().authority, Authority::Registered);
        assert!(wwid("naa.600508b1001c6b7f6d5e4c3b2a190817").unwrap().extended);
        assert_eq!(wwid("eui.0025385391b0a1b2").unwrap().hex, "0025385391b0a1b2");
        for none in [
            "naa.0000000000000000",
            "naa.ffffffffffffffff",
            "naa.5000c5",
            "naa.5000c500a1b2c3d",
            "t10.ATA     MAKER M-100",
            "",
            "naa.zz",
            "naa.é",
        ] {
            assert_eq!(wwid(none), None, "{none}");
        }
    }

    #[test]
    fn the_rotation_rate_has_four_meanings() {
        let page = |rate: u16| vpd(0xb1, &[rate.to_be_bytes().as_slice(), &[0; 58]].concat());
        assert_eq!(rotation(&page(0)), Ok(Rotation::NotReported));
        assert_eq!(rotation(&page(1)), Ok(Rotation::None));
        assert_eq!(rotation(&page(7200)), Ok(Rotation::Rpm(7200)));
        assert_eq!(rotation(&page(0x400)), Ok(Rotation::Reserved(0x400)));
        assert_eq!(rotation(&page(0xffff)), Ok(Rotation::Reserved(0xffff)));
        assert!(rotation(&vpd(0xb1, &[0])).is_err());
    }

    #[test]
    fn ata_texts_are_swapped_back() {
        let page = ata_page("SN0123456789", "580ABBF0", "MAKER SOLID STATE DRIVE 960GB", 1);
        let identity = ata_information(&page).unwrap().unwrap();
        assert_eq!(identity.serial, "SN0123456789");
        assert_eq!(identity.firmware, "580ABBF0");
        assert_eq!(identity.model, "MAKER SOLID STATE DRIVE 960GB");
        assert_eq!(identity.rotation, Rotation::None);
        let mut packet = page.clone();
        packet[56] = 0xa1;
        assert_eq!(ata_information(&packet), Ok(None));
        assert_eq!(ata_information(&vpd(0x89, &[0; 568])), Ok(None));
        assert!(ata_information(&page[..200]).is_err());
    }
}
