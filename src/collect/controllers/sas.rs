//! Where a SAS end device hangs: behind which expander, on which phy, in which bay.
//!
//! By its path in sysfs (`drivers/scsi/scsi_transport_sas.c`: "port-0:0/expander-0:0/port-0:0:3/end_device-0:0:3/target0:0:3/0:0:3:0") and its
//! attributes in the class `sas_device`.

use super::driver;
use super::ports::parse_address;
use crate::collect::ledger::{Ledger, Missing, Read};
use crate::inventory::controller::{Attached, ControllerKind};
use crate::reading::{Reading, SourceId};

const DEVICES: &str = "/sys/class/sas_device";
/// The transport class gives it to every end device; a driver that cannot tell refuses to read.
const ALWAYS: Missing = Missing::Untold("the transport class has it for every one");

/// Kinds of controllers that may have SAS end devices.
pub(super) fn possible(kind: ControllerKind) -> bool {
    matches!(kind, ControllerKind::SasHba | ControllerKind::Raid | ControllerKind::Scsi | ControllerKind::Other)
}

/// It is no SAS end device.
pub(super) fn absent(record: &mut Attached, source: SourceId) {
    set!(record.expander, Read { reading: Reading::Absent, source });
    set!(record.phy, Read { reading: Reading::Absent, source });
    set!(record.sas_address, Read { reading: Reading::Absent, source });
    set!(record.enclosure, Read { reading: Reading::Absent, source });
    set!(record.bay, Read { reading: Reading::Absent, source });
}

/// The end device in a path, and the expander right above it.
fn in_path(path: &str) -> Option<(&str, Option<&str>)> {
    let parts: Vec<&str> = path.split('/').collect();
    let at = parts.iter().rposition(|part| part.starts_with("end_device-"))?;
    let (above, rest) = parts.split_at(at);
    let expander = above.iter().rev().find(|part| part.starts_with("expander-"));
    Some((*rest.first()?, expander.copied()))
}

/// What sysfs tells of the end device that a SCSI device at `path` belongs to.
pub(super) fn end_device(ledger: &Ledger<'_>, path: &Read<String>, record: &mut Attached) {
    let source = path.source;
    let path = match &path.reading {
        Reading::Known(path) => path,
        Reading::Absent => return absent(record, source),
        Reading::Unreadable(error) => {
            set!(record.expander, Read { reading: Reading::Unreadable(*error), source });
            set!(record.phy, Read { reading: Reading::Unreadable(*error), source });
            set!(record.sas_address, Read { reading: Reading::Unreadable(*error), source });
            set!(record.enclosure, Read { reading: Reading::Unreadable(*error), source });
            set!(record.bay, Read { reading: Reading::Unreadable(*error), source });
            return;
        }
    };
    let Some((device, expander)) = in_path(path) else { return absent(record, source) };
    let reading = expander.map_or(Reading::Absent, |expander| Reading::Known(expander.to_owned()));
    set!(record.expander, Read { reading, source });
    let at = |file: &str| format!("{DEVICES}/{device}/{file}");
    set!(record.phy, ledger.parsed(&at("phy_identifier"), ALWAYS, driver::number));
    set!(record.sas_address, ledger.parsed(&at("sas_address"), ALWAYS, parse_address));
    let enclosure = ledger.parsed(&at("enclosure_identifier"), ALWAYS, parse_address);
    let reading = match enclosure.reading {
        Reading::Known(id) if id.bytes().all(|digit| digit == b'0') => Reading::Absent,
        other => other,
    };
    set!(record.enclosure, Read { reading, source: enclosure.source });
    set!(record.bay, ledger.parsed(&at("bay_identifier"), ALWAYS, driver::number));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expander_is_the_nearest_above() {
        let behind_two = "../../devices/pci0000:00/0000:00:03.0/host0/port-0:0/expander-0:0/port-0:0:1/expander-0:1/port-0:1:3/\
            end_device-0:1:3/target0:0:3/0:0:3:0/block/sda";
        assert_eq!(in_path(behind_two), Some(("end_device-0:1:3", Some("expander-0:1"))));
        let direct = "../../devices/pci0000:00/0000:00:03.0/host0/port-0:2/end_device-0:2/target0:0:2/0:0:2:0";
        assert_eq!(in_path(direct), Some(("end_device-0:2", None)));
        assert_eq!(in_path("../../devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0"), None);
        assert_eq!(in_path(""), None);
    }
}
