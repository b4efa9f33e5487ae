//! What the path of a device below `/sys/devices` says: the PCI function, the bus and the address it hangs under.
//!
//! Pure. Knows how drivers lay out their part of the device tree; knows nothing of what stands in its files.

/// Components of a path below `/sys/devices`, from the root to the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DevicePath {
    parts: Vec<String>,
}

/// The bus that a block device hangs under, by the nearest component that names one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Bus {
    /// libata (`ata3`), or the old IDE driver (`ide0`).
    Ata,
    /// USB, by usb-storage or uas.
    Usb,
    /// virtio-blk or virtio-scsi.
    Virtio,
    /// SD card or eMMC.
    Mmc,
    /// SAS, with the name of the end device ("end_device-0:0:3").
    Sas(String),
    /// Fibre Channel (`rport-5:0-1`).
    FibreChannel,
    /// iSCSI (`session1`).
    Iscsi,
    /// Xen paravirtual disk (`vbd-51712`).
    Xen,
    /// IBM channel subsystem, without anything else in between.
    Ccw,
    /// NVMe controller, by name.
    Nvme(String),
    /// NVMe subsystem (multipath), by name.
    NvmeSubsystem(String),
    /// NVDIMM region, by name.
    NvdimmRegion(String),
    /// A SCSI host whose transport the path does not name.
    ScsiHost,
    /// No hardware: `/sys/devices/virtual`.
    Virtual,
    /// None of these.
    Unknown,
}

/// Address of a SCSI logical unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ScsiAddress {
    pub(crate) host: u32,
    pub(crate) channel: u32,
    pub(crate) target: u32,
    pub(crate) lun: u64,
}

impl DevicePath {
    /// The place that a link leads to: `at` is the path of the link itself, `target` its text. Links of sysfs are
    /// relative; nothing is resolved but `..`, for the folders of class and block are no links themselves.
    pub(crate) fn of_link(at: &str, target: &str) -> Option<Self> {
        let mut parts: Vec<&str> = if target.starts_with('/') {
            Vec::new()
        } else {
            at.rsplit_once('/').map_or("", |(folder, _)| folder).split('/').filter(|part| !part.is_empty()).collect()
        };
        for part in target.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                part => parts.push(part),
            }
        }
        let mut parts = parts.into_iter();
        if parts.next() != Some("sys") || parts.next() != Some("devices") {
            return None;
        }
        Some(Self { parts: parts.map(str::to_owned).collect() })
    }

    /// What stands under a name in this folder.
    pub(crate) fn child(&self, name: &str) -> Self {
        Self { parts: self.parts.iter().cloned().chain([name.to_owned()]).collect() }
    }

    /// The last PCI function on the way ("0000:3b:00.0"; the domain has more digits behind a VMD).
    pub(crate) fn pci_function(&self) -> Option<&str> {
        self.parts.iter().rev().map(String::as_str).find(|part| is_pci_function(part))
    }

    /// The device that a block device belongs to: what stands above `block`, as in "virtio1" or "mmc0:0001".
    pub(crate) fn owner(&self) -> Option<&str> {
        let mut above = self.parts.iter().rev().skip(1).map(String::as_str);
        match above.next() {
            Some("block") => above.next(),
            other => other,
        }
    }

    /// The SCSI address, if it is a SCSI device.
    pub(crate) fn scsi_address(&self) -> Option<ScsiAddress> {
        self.parts.iter().rev().find_map(|part| scsi_address(part))
    }

    /// The USB device (not its interface) that it hangs under, as a path, as in "/sys/devices/.../usb1/1-1.2".
    pub(crate) fn usb_device(&self) -> Option<String> {
        let is_device = |part: &String| {
            part.split_once('-').is_some_and(|(bus, ports)| digits(bus) && ports.split('.').all(digits))
        };
        let place = self.parts.iter().rposition(is_device)?;
        let parts: Vec<&str> = self.parts.iter().take(place + 1).map(String::as_str).collect();
        Some(format!("/sys/devices/{}", parts.join("/")))
    }

    /// The bus it hangs under.
    pub(crate) fn bus(&self) -> Bus {
        let above = || self.parts.iter().rev().skip(1).map(String::as_str);
        for part in above() {
            if numbered(part, "ata") || numbered(part, "ide") {
                return Bus::Ata;
            } else if numbered(part, "usb") {
                return Bus::Usb;
            } else if numbered(part, "virtio") {
                return Bus::Virtio;
            } else if part == "mmc_host" {
                return Bus::Mmc;
            } else if part.starts_with("end_device-") {
                return Bus::Sas(part.to_owned());
            } else if part.starts_with("rport-") {
                return Bus::FibreChannel;
            } else if numbered(part, "session") {
                return Bus::Iscsi;
            } else if part.starts_with("vbd-") {
                return Bus::Xen;
            } else if super::names::is_nvme_controller(part) {
                return Bus::Nvme(part.to_owned());
            } else if numbered(part, "nvme-subsys") {
                return Bus::NvmeSubsystem(part.to_owned());
            } else if numbered(part, "region") && above().any(|part| numbered(part, "ndbus")) {
                return Bus::NvdimmRegion(part.to_owned());
            }
        }
        if above().any(|part| numbered(part, "host")) && self.scsi_address().is_some() {
            Bus::ScsiHost
        } else if above().any(|part| numbered(part, "css")) {
            Bus::Ccw
        } else if self.parts.first().is_some_and(|part| part == "virtual") {
            Bus::Virtual
        } else {
            Bus::Unknown
        }
    }
}

impl ScsiAddress {
    /// As the kernel writes it: host:channel:target:lun.
    pub(crate) fn text(self) -> String {
        format!("{}:{}:{}:{}", self.host, self.channel, self.target, self.lun)
    }
}

/// `host:channel:target:lun`, all decimal.
fn scsi_address(part: &str) -> Option<ScsiAddress> {
    let mut numbers = part.split(':');
    let address = ScsiAddress {
        host: numbers.next()?.parse().ok()?,
        channel: numbers.next()?.parse().ok()?,
        target: numbers.next()?.parse().ok()?,
        lun: numbers.next()?.parse().ok()?,
    };
    numbers.next().is_none().then_some(address)
}

/// `domain:bus:device.function`, all hexadecimal.
pub(crate) fn is_pci_function(part: &str) -> bool {
    let hex = |text: &str, length: std::ops::RangeInclusive<usize>| {
        length.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let mut fields = part.split(':');
    let (Some(domain), Some(bus), Some(slot), None) = (fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return false;
    };
    let Some((device, function)) = slot.split_once('.') else { return false };
    hex(domain, 4..=8) && hex(bus, 2..=2) && hex(device, 2..=2) && hex(function, 1..=1)
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn numbered(part: &str, prefix: &str) -> bool {
    part.strip_prefix(prefix).is_some_and(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(target: &str) -> DevicePath {
        DevicePath::of_link("/sys/block/x", &format!("../devices/{target}")).unwrap()
    }

    #[test]
    fn a_link_is_resolved_where_it_stands() {
        let from_block = DevicePath::of_link("/sys/block/vda", "../devices/pci0000:00/0000:00:02.0/virtio1/block/vda");
        let from_class =
            DevicePath::of_link("/sys/class/block/vda", "../../devices/pci0000:00/0000:00:02.0/virtio1/block/vda");
        assert_eq!(from_block, from_class);
        assert_eq!(from_block.unwrap().owner(), Some("virtio1"));
        assert_eq!(DevicePath::of_link("/sys/block/vda", "../../../etc"), None);
        assert_eq!(DevicePath::of_link("/sys/block/vda", "/etc/passwd"), None);
        assert!(DevicePath::of_link("/sys/block/vda", "/sys/devices/virtual/block/vda").is_some());
    }

    #[test]
    fn the_path_names_the_bus() {
        for (target, bus, pci) in [
            ("pci0000:00/0000:00:1f.2/ata1/host0/target0:0:0/0:0:0:0/block/sda", Bus::Ata, Some("0000:00:1f.2")),
            (
                "pci0000:00/0000:00:14.0/usb2/2-1/2-1.4/2-1.4:1.0/host6/target6:0:0/6:0:0:0/block/sdb",
                Bus::Usb,
                Some("0000:00:14.0"),
            ),
            ("pci0000:00/0000:00:05.0/virtio2/host2/target2:0:1/2:0:1:0/block/sda", Bus::Virtio, Some("0000:00:05.0")),
            (
                "pci0000:16/0000:16:02.0/0000:18:00.0/host0/port-0:0/expander-0:0/port-0:0:3/end_device-0:0:3/target0:0:3/0:0:3:0/block/sdd",
                Bus::Sas("end_device-0:0:3".into()),
                Some("0000:18:00.0"),
            ),
            (
                "pci0000:00/0000:00:02.0/0000:03:00.0/host0/target0:2:0/0:2:0:0/block/sda",
                Bus::ScsiHost,
                Some("0000:03:00.0"),
            ),
            (
                "pci0000:80/0000:80:02.0/0000:81:00.1/host7/rport-7:0-3/target7:0:1/7:0:1:5/block/sdq",
                Bus::FibreChannel,
                Some("0000:81:00.1"),
            ),
            ("platform/host8/session2/target8:0:0/8:0:0:1/block/sdr", Bus::Iscsi, None),
            (
                "pci10000:00/10000:00:02.0/10000:01:00.0/nvme/nvme0/nvme0n1",
                Bus::Nvme("nvme0".into()),
                Some("10000:01:00.0"),
            ),
            ("virtual/nvme-subsystem/nvme-subsys1/nvme1n1", Bus::NvmeSubsystem("nvme-subsys1".into()), None),
            ("virtual/nvme-fabrics/ctl/nvme3/nvme3c3n1", Bus::Nvme("nvme3".into()), None),
            ("pci0000:00/0000:00:1c.0/mmc_host/mmc0/mmc0:0001/block/mmcblk0", Bus::Mmc, Some("0000:00:1c.0")),
            ("vbd-51712/block/xvda", Bus::Xen, None),
            ("css0/0.0.0001/0.0.0200/block/dasda", Bus::Ccw, None),
            ("css0/0.0.0000/0.0.0000/virtio0/block/vda", Bus::Virtio, None),
            (
                "LNXSYSTM:00/LNXSYBUS:00/ACPI0012:00/ndbus0/region1/pfn1.0/block/pmem1.2",
                Bus::NvdimmRegion("region1".into()),
                None,
            ),
            ("virtual/block/dm-0", Bus::Virtual, None),
            ("pseudo_0/adapter0/host6/target6:0:0/6:0:0:0/block/sdc", Bus::ScsiHost, None),
            ("platform/floppy.0/block/fd0", Bus::Unknown, None),
        ] {
            let path = path(target);
            assert_eq!((path.bus(), path.pci_function()), (bus, pci), "{target}");
        }
    }

    #[test]
    fn addresses_are_read_from_the_path() {
        let disk = path("pci0000:00/0000:00:02.0/0000:03:00.0/host0/target0:2:1/0:2:1:0/block/sdb");
        let address = disk.scsi_address().unwrap();
        assert_eq!(address, ScsiAddress { host: 0, channel: 2, target: 1, lun: 0 });
        assert_eq!(address.text(), "0:2:1:0");
        let stick = path("pci0000:00/0000:00:14.0/usb2/2-1/2-1.4/2-1.4:1.0/host6/target6:0:0/6:0:0:0/block/sdb");
        assert_eq!(stick.usb_device().as_deref(), Some("/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1.4"));
        assert_eq!(disk.usb_device(), None);
        assert_eq!(path("virtual/block/loop0").scsi_address(), None);
    }

    #[test]
    fn a_root_bridge_is_no_function() {
        for part in ["pci0000:00", "0000:00", "0:0:0:0", "0000:00:1f", "0000:00:1f.x", "00000:00:1f.2.3"] {
            assert!(!is_pci_function(part), "{part}");
        }
    }
}
