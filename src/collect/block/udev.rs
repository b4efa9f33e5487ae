//! One record of udev's database, `/run/udev/data/b<major>:<minor>`: what udev's rules once read from the device.
//!
//! A second source: it tells what was true when the device was last announced. Knows the format (systemd,
//! `device_read_db_internal` in sd-device.c) and the keys of `60-persistent-storage.rules`; reads nothing itself.

use std::collections::BTreeMap;

/// Properties and links of one device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Udev {
    properties: BTreeMap<String, String>,
    links: Vec<String>,
}

impl Udev {
    /// Parses the database's text. Lines of other kinds (`I:`, `G:`, `V:`) say nothing of the device.
    pub(crate) fn parse(text: &str) -> Self {
        let mut udev = Self::default();
        for line in text.lines() {
            if let Some((key, value)) = line.strip_prefix("E:").and_then(|rest| rest.split_once('=')) {
                udev.properties.insert(key.to_owned(), value.to_owned());
            } else if let Some(link) = line.strip_prefix("S:") {
                udev.links.push(link.to_owned());
            }
        }
        udev
    }

    /// A property; an empty one is none.
    pub(crate) fn property(&self, key: &str) -> Option<&str> {
        self.properties.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Whether udev links to the device under this path of `/dev`, as in "disk/by-uuid/...".
    pub(crate) fn has_link(&self, below_dev: &str) -> bool {
        self.links.iter().any(|link| link == below_dev)
    }

    /// The model in full. `ID_MODEL_ENC` keeps white space, `ID_MODEL` has underscores in its place.
    pub(crate) fn model(&self) -> Option<String> {
        self.property("ID_MODEL_ENC").map(decode).or_else(|| self.property("ID_MODEL").map(str::to_owned))
    }

    /// The drive's own serial number: what `ata_id` and the NVMe rules keep in `ID_SERIAL_SHORT`, and `scsi_id` in
    /// `ID_SCSI_SERIAL` (its `ID_SERIAL_SHORT` is the WWN). Of USB it is the bridge's.
    pub(crate) fn serial(&self) -> Option<&str> {
        match self.property("ID_BUS") {
            Some("scsi") => self.property("ID_SCSI_SERIAL"),
            Some("usb") => self.property("ID_USB_SERIAL_SHORT").or_else(|| self.property("ID_SERIAL_SHORT")),
            _ => self.property("ID_SERIAL_SHORT").or_else(|| self.property("ID_SCSI_SERIAL")),
        }
        .map(str::trim)
    }

    /// The World Wide Name as bare lower-case hexadecimal. NVMe identifiers ("eui.", "nvme.") are none.
    pub(crate) fn wwn(&self) -> Option<String> {
        let text = self.property("ID_WWN_WITH_EXTENSION").or_else(|| self.property("ID_WWN"))?;
        let hex = text.strip_prefix("0x")?;
        (!hex.is_empty() && hex.bytes().all(|b| b.is_ascii_hexdigit())).then(|| hex.to_ascii_lowercase())
    }

    /// The file system, RAID or volume manager whose signature udev found on it.
    pub(crate) fn signature(&self) -> Option<&str> {
        self.property("ID_FS_TYPE")
    }
}

/// `\x20` stands for a space (`encode_devnode_name`).
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = match rest {
            [b'\\', b'x', high, low, ..] => hex(*high).zip(hex(*low)).map(|(high, low)| high * 16 + low),
            _ => None,
        };
        match code {
            Some(byte) => {
                bytes.push(byte);
                rest = rest.get(4..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).trim().to_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ATA: &str = "S:disk/by-id/ata-MAKER_M-100_SN1\nS:disk/by-path/pci-0000:00:17.0-ata-1\nI:123\n\
        E:ID_BUS=ata\nE:ID_MODEL=MAKER_M-100\nE:ID_MODEL_ENC=MAKER\\x20M-100\\x20\\x20\\x20\n\
        E:ID_SERIAL_SHORT=SN1\nE:ID_REVISION=FW000123\nE:ID_WWN=0x5000C500A1B2C3D4\nE:ID_FS_TYPE=\nG:systemd\nV:1\n";

    #[test]
    fn properties_and_links_are_kept() {
        let udev = Udev::parse(ATA);
        assert_eq!(udev.model().as_deref(), Some("MAKER M-100"));
        assert_eq!(udev.serial(), Some("SN1"));
        assert_eq!(udev.property("ID_REVISION"), Some("FW000123"));
        assert_eq!(udev.wwn().as_deref(), Some("5000c500a1b2c3d4"));
        assert_eq!(udev.signature(), None);
        assert!(udev.has_link("disk/by-id/ata-MAKER_M-100_SN1"));
        assert!(!udev.has_link("disk/by-id/ata"));
    }

    #[test]
    fn a_scsi_serial_is_not_its_wwn() {
        let udev = Udev::parse("E:ID_BUS=scsi\nE:ID_SERIAL_SHORT=5000c50012345678\nE:ID_SCSI_SERIAL=ZC1ABCDE\n");
        assert_eq!(udev.serial(), Some("ZC1ABCDE"));
        assert_eq!(Udev::parse("E:ID_BUS=scsi\nE:ID_SERIAL_SHORT=5000c50012345678\n").serial(), None);
    }

    #[test]
    fn an_nvme_identifier_is_no_wwn() {
        assert_eq!(Udev::parse("E:ID_WWN=eui.0025385391b0a1b2\n").wwn(), None);
        assert_eq!(Udev::parse("E:ID_WWN=0x\n").wwn(), None);
    }

    #[test]
    fn a_damaged_record_is_no_panic() {
        for text in ["E:", "E:=", "S:", "E:ID_MODEL_ENC=\\x2", "E:ID_MODEL_ENC=\\xzz\\x", "\u{fffd}\0E"] {
            let udev = Udev::parse(text);
            let _ = (udev.model(), udev.serial(), udev.wwn());
        }
        assert_eq!(decode("A\\x2"), "A\\x2");
        assert_eq!(decode("\\xzz"), "\\xzz");
    }
}
