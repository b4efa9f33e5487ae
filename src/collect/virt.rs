//! Whether the system is a virtual machine, and whose.
//!
//! Judged as systemd-detect-virt does, from files alone: CPUID leaf 4000_0000h, where a hypervisor names itself, is not
//! asked. "Not a virtual machine" needs evidence: on x86 that the CPU's hypervisor flag is not set, on arm64 that the firmware
//! names a machine and that KVM could run on it. A partition of the firmware's own (PR/SM of s390) is not taken for a virtual machine, one of
//! PowerVM is, as systemd has it. Containers are not looked for.

use crate::collect::cpu::cpuinfo::{self, CpuInfo};
use crate::collect::ledger::{Ledger, Read};
use crate::collect::system::sysinfo;
use crate::reading::{ErrorKind, Reading};

/// What the files tell; `None` where they tell nothing, whatever the reason.
#[derive(Debug, Clone, Default)]
struct Evidence {
    /// The CPU's `hypervisor` flag (CPUID 1, ECX bit 31), where flags of x86 were read.
    flag: Option<bool>,
    /// `/sys/hypervisor/type`.
    kind: Option<String>,
    /// The kernel is the privileged domain of Xen.
    xen_dom0: Option<bool>,
    /// The kernel is a partition of Hyper-V that may manage others, and that may see the hardware itself.
    mshv: bool,
    /// Names of SMBIOS by file.
    dmi: Vec<(&'static str, String)>,
    /// SMBIOS says that it describes a virtual machine (SMBIOS 3.7.0, 7.1.2.2, bit 4), which root alone may read.
    smbios_virtual: Option<bool>,
    /// `/proc/device-tree/hypervisor/compatible`.
    device_tree: Option<String>,
    /// `platform` and `machine` of ppc64's `/proc/cpuinfo`.
    ppc: Option<(String, String)>,
    /// Of s390's `/proc/sysinfo`: the control program of a virtual machine, if it is one.
    s390: Option<Option<String>>,
    /// KVM runs on an arm64 kernel, which needs exception level 2 ("hyp mode"), which a guest is not given but by nested
    /// virtualization.
    arm_kvm: bool,
    /// Clocks that the kernel could use: some are a hypervisor's.
    clocks: String,
}

/// What is concluded, and from which file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    /// No hypervisor below.
    Bare,
    /// A virtual machine; the hypervisor's name, if it is known.
    Guest(Option<String>),
    /// A hypervisor is below, but this is no virtual machine.
    Host(&'static str),
    /// A hypervisor of this name is below; whether this is its privileged domain is not known.
    Either(&'static str, &'static str),
    /// Nothing tells.
    Unknown(&'static str),
}

/// Reads whether there is a hypervisor, and whether the system is a virtual machine. `dmi` is the folder of SMBIOS names.
pub(crate) fn collect(ledger: &Ledger<'_>, dmi: &'static str) -> (Read<String>, Read<bool>) {
    let (verdict, source) = judge(&gather(ledger, dmi), dmi);
    let source = ledger.source(source);
    let error =
        |cause: &str| ledger.error("tell a virtual machine from a physical one", ErrorKind::NotSupported, cause);
    let (hypervisor, guest) = match verdict {
        Verdict::Bare => (Reading::Absent, Reading::Known(false)),
        Verdict::Guest(Some(name)) => (Reading::Known(name), Reading::Known(true)),
        Verdict::Guest(None) => (
            Reading::Unreadable(ledger.error(
                "read the hypervisor's name",
                ErrorKind::NotSupported,
                "nothing names it",
            )),
            Reading::Known(true),
        ),
        Verdict::Host(name) => (Reading::Known(name.to_owned()), Reading::Known(false)),
        Verdict::Either(name, why) => (Reading::Known(name.to_owned()), Reading::Unreadable(error(why))),
        Verdict::Unknown(why) => (Reading::Unreadable(error(why)), Reading::Unreadable(error(why))),
    };
    (Read { reading: hypervisor, source }, Read { reading: guest, source })
}

/// Without the ledger: most machines have few of these files, and a missing one is no error.
fn gather(ledger: &Ledger<'_>, dmi: &'static str) -> Evidence {
    let read = |path: &str| {
        let text = String::from_utf8(ledger.host().read(path).ok()?).ok()?;
        Some(text.trim_matches(|c: char| c == '\0' || c.is_whitespace()).to_owned())
    };
    let info = read("/proc/cpuinfo").and_then(|text| cpuinfo::parse(&text).ok());
    let flag = info
        .as_ref()
        .filter(|info| info.is_x86())
        .and_then(|info| info.any("flags").map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor")));
    let name = |file: &'static str| read(&format!("{dmi}/{file}")).map(|text| (file, text));
    let files = ["product_name", "sys_vendor", "board_vendor", "bios_vendor", "product_version"];
    Evidence {
        flag,
        kind: read("/sys/hypervisor/type"),
        xen_dom0: xen_dom0(read("/proc/xen/capabilities"), read("/sys/hypervisor/properties/features")),
        mshv: ledger.host().list("/sys/class/misc/mshv").is_ok(),
        dmi: files.into_iter().filter_map(name).collect(),
        smbios_virtual: ledger
            .host()
            .read("/sys/firmware/dmi/entries/0-0/raw")
            .ok()
            .and_then(|raw| smbios_virtual(&raw)),
        device_tree: read("/proc/device-tree/hypervisor/compatible"),
        ppc: info.as_ref().and_then(ppc),
        s390: read("/proc/sysinfo").map(|text| sysinfo(&text, "VM00 Control Program").map(str::to_owned)),
        arm_kvm: info.as_ref().is_some_and(CpuInfo::is_arm) && ledger.host().list("/sys/class/misc/kvm").is_ok(),
        clocks: read("/sys/devices/system/clocksource/clocksource0/available_clocksource").unwrap_or_default(),
    }
}

fn ppc(info: &CpuInfo) -> Option<(String, String)> {
    Some((info.any("platform")?.to_owned(), info.any("machine").unwrap_or("").to_owned()))
}

/// `capabilities` holds "control_d" in the privileged domain; else bit 11 of the features, `XENFEAT_dom0`.
fn xen_dom0(capabilities: Option<String>, features: Option<String>) -> Option<bool> {
    match capabilities {
        Some(capabilities) => Some(capabilities.contains("control_d")),
        None => u32::from_str_radix(&features?, 16).ok().map(|features| features & (1 << 11) != 0),
    }
}

/// BIOS Information (type 0), BIOS Characteristics Extension Byte 2, bit 4, at offset 13h (SMBIOS 3.7.0, 7.1).
fn smbios_virtual(raw: &[u8]) -> Option<bool> {
    let (kind, length) = (raw.first()?, raw.get(1)?);
    (*kind == 0 && *length > 0x13).then_some(raw.get(0x13)? & (1 << 4) != 0)
}

/// What hypervisors write into SMBIOS, by the start of a name (systemd's `src/basic/virt.c`, and clouds).
const NAMES: &[(&str, &str)] = &[
    ("KVM", "kvm"),
    ("OpenStack", "kvm"),
    ("KubeVirt", "kvm"),
    ("CloudStack KVM", "kvm"),
    ("RHEV Hypervisor", "kvm"),
    ("oVirt", "kvm"),
    ("OpenNebula", "kvm"),
    ("AHV", "kvm"),
    ("Alibaba Cloud ECS", "kvm"),
    ("Droplet", "kvm"),
    ("Amazon EC2", "amazon"),
    ("Google Compute Engine", "google"),
    ("QEMU", "qemu"),
    ("Standard PC (", "qemu"),
    ("VMware", "vmware"),
    ("VMW", "vmware"),
    ("innotek GmbH", "virtualbox"),
    ("VirtualBox", "virtualbox"),
    ("Xen", "xen"),
    ("HVM domU", "xen"),
    ("Bochs", "bochs"),
    ("Parallels", "parallels"),
    ("BHYVE", "bhyve"),
    ("Hyper-V", "hyper-v"),
    ("Apple Virtualization", "apple"),
];

/// The name by SMBIOS, and the file that has it.
fn named_by_dmi(evidence: &Evidence) -> Option<(&'static str, &'static str)> {
    let field = |file: &str| evidence.dmi.iter().find(|(name, _)| *name == file).map(|(_, text)| text.as_str());
    // Microsoft makes machines too.
    if field("sys_vendor") == Some("Microsoft Corporation") && field("product_name") == Some("Virtual Machine") {
        return Some(("hyper-v", "product_name"));
    }
    evidence.dmi.iter().find_map(|(file, text)| {
        NAMES.iter().find(|(start, _)| text.starts_with(start)).map(|(_, name)| (*name, *file))
    })
}

fn judge(evidence: &Evidence, dmi: &str) -> (Verdict, String) {
    const CPUINFO: &str = "/proc/cpuinfo";
    if let Some(control_program) = &evidence.s390 {
        let verdict = match control_program.as_deref() {
            Some(name) if name.starts_with("KVM") => Verdict::Guest(Some("kvm".to_owned())),
            Some(name) if name.starts_with("z/VM") => Verdict::Guest(Some("zvm".to_owned())),
            Some(name) => Verdict::Guest(Some(name.to_owned())),
            None => Verdict::Host("pr/sm"),
        };
        return (verdict, "/proc/sysinfo".to_owned());
    }
    let by_dmi = named_by_dmi(evidence);
    if evidence.kind.as_deref() == Some("xen") {
        let verdict = match (evidence.xen_dom0, by_dmi) {
            (Some(true), _) => Verdict::Host("xen"),
            (Some(false), _) | (None, Some(("xen", _))) => Verdict::Guest(Some("xen".to_owned())),
            (None, _) => Verdict::Either("xen", "it may be the privileged domain of Xen"),
        };
        return (verdict, "/sys/hypervisor/type".to_owned());
    }
    // QEMU writes its own name whether KVM runs it or not.
    let name = match by_dmi {
        Some(("qemu", _)) | None => named_by_clock(&evidence.clocks).or(by_dmi.map(|(name, _)| name)),
        Some((name, _)) => Some(name),
    };
    let name = name.map(str::to_owned);
    if evidence.flag == Some(true) {
        let verdict = match evidence.mshv {
            true => Verdict::Either("hyper-v", "it may be the root partition of Hyper-V"),
            false => Verdict::Guest(name),
        };
        return (verdict, CPUINFO.to_owned());
    }
    if let Some((by, file)) = by_dmi {
        let metal = evidence.dmi.iter().any(|(file, text)| *file == "product_name" && text.ends_with(".metal"));
        let source = format!("{dmi}/{file}");
        return match (by, evidence.flag) {
            // Clouds rent whole machines as well, with their own name on them.
            ("amazon" | "google", Some(false)) => (Verdict::Bare, CPUINFO.to_owned()),
            ("amazon", _) if metal => (Verdict::Bare, source),
            _ => (Verdict::Guest(name), source),
        };
    }
    if evidence.smbios_virtual == Some(true) {
        return (Verdict::Guest(name), "/sys/firmware/dmi/entries/0-0/raw".to_owned());
    }
    if let Some(compatible) = &evidence.device_tree {
        let name = [("kvm", "kvm"), ("xen", "xen"), ("vmware", "vmware")]
            .iter()
            .find(|(word, _)| compatible.contains(word))
            .map(|(_, name)| (*name).to_owned());
        let verdict = match name.as_deref() {
            Some("xen") => Verdict::Either("xen", "it may be the privileged domain of Xen"),
            _ => Verdict::Guest(name),
        };
        return (verdict, "/proc/device-tree/hypervisor/compatible".to_owned());
    }
    if let Some((platform, machine)) = &evidence.ppc {
        let verdict = match platform.as_str() {
            "PowerNV" => Verdict::Bare,
            "pSeries" if machine.contains("qemu") => Verdict::Guest(Some("qemu".to_owned())),
            "pSeries" => Verdict::Guest(Some("powervm".to_owned())),
            _ => Verdict::Unknown("nothing on this platform tells"),
        };
        return (verdict, CPUINFO.to_owned());
    }
    let has = |file: &str| evidence.dmi.iter().any(|(name, text)| *name == file && !text.is_empty());
    match evidence.flag {
        Some(_) => (Verdict::Bare, CPUINFO.to_owned()),
        None if evidence.arm_kvm && has("sys_vendor") && has("product_name") => {
            (Verdict::Bare, format!("{dmi}/product_name"))
        }
        None => (Verdict::Unknown("neither the CPU nor the firmware tells"), CPUINFO.to_owned()),
    }
}

/// Clock sources that a hypervisor provides (`drivers/clocksource`, `arch/x86/kernel/kvmclock.c`).
fn named_by_clock(clocks: &str) -> Option<&'static str> {
    clocks.split_whitespace().find_map(|clock| match clock {
        "kvm-clock" => Some("kvm"),
        "xen" => Some("xen"),
        clock if clock.starts_with("hyperv_clocksource") => Some("hyper-v"),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(evidence: &Evidence) -> Verdict {
        judge(evidence, "/sys/class/dmi/id").0
    }

    fn x86(flag: bool, vendor: &str, product: &str) -> Evidence {
        let dmi = vec![("product_name", product.to_owned()), ("sys_vendor", vendor.to_owned())];
        Evidence { flag: Some(flag), dmi, ..Evidence::default() }
    }

    fn guest(name: &str) -> Verdict {
        Verdict::Guest(Some(name.to_owned()))
    }

    #[test]
    fn x86_machines() {
        for (flag, vendor, product, expected) in [
            (false, "Dell Inc.", "PowerEdge R740xd", Verdict::Bare),
            (false, "Microsoft Corporation", "Surface Pro", Verdict::Bare),
            (false, "Oracle Corporation", "ORACLE SERVER X7-2", Verdict::Bare),
            (true, "Red Hat", "KVM", guest("kvm")),
            (true, "QEMU", "Standard PC (Q35 + ICH9, 2009)", guest("qemu")),
            (true, "VMware, Inc.", "VMware Virtual Platform", guest("vmware")),
            (true, "innotek GmbH", "VirtualBox", guest("virtualbox")),
            (true, "Microsoft Corporation", "Virtual Machine", guest("hyper-v")),
            (true, "Amazon EC2", "m5.large", guest("amazon")),
            (false, "Amazon EC2", "m5.metal", Verdict::Bare),
            (true, "Google", "Google Compute Engine", guest("google")),
            (false, "Google", "Google Compute Engine", Verdict::Bare),
            (true, "Apache Software Foundation", "CloudStack KVM Hypervisor", guest("kvm")),
            // VMware shows the names of the machine below if it is told to.
            (true, "Dell Inc.", "PowerEdge R740xd", Verdict::Guest(None)),
            // A hypervisor that hides the flag, but not its name.
            (false, "QEMU", "Standard PC (i440FX + PIIX, 1996)", guest("qemu")),
        ] {
            assert_eq!(verdict(&x86(flag, vendor, product)), expected, "{flag} {vendor} {product}");
        }
    }

    #[test]
    fn a_clock_names_the_hypervisor_where_the_firmware_does_not() {
        let clocks = |evidence: Evidence, clocks: &str| verdict(&Evidence { clocks: clocks.to_owned(), ..evidence });
        let unnamed = Evidence { flag: Some(true), ..Evidence::default() };
        assert_eq!(clocks(unnamed.clone(), "tsc kvm-clock acpi_pm"), guest("kvm"));
        assert_eq!(clocks(unnamed.clone(), "hyperv_clocksource_tsc_page"), guest("hyper-v"));
        assert_eq!(clocks(unnamed, "tsc hpet"), Verdict::Guest(None));
        assert_eq!(clocks(x86(true, "QEMU", "Standard PC"), "kvm-clock"), guest("kvm"));
        // A clock alone is no evidence.
        assert_eq!(clocks(x86(false, "Dell Inc.", "R740"), "kvm-clock"), Verdict::Bare);
    }

    #[test]
    fn the_privileged_domain_is_no_guest() {
        let xen = |dom0| Evidence { kind: Some("xen".to_owned()), xen_dom0: dom0, ..x86(true, "Dell Inc.", "R740") };
        assert_eq!(verdict(&xen(Some(true))), Verdict::Host("xen"));
        assert_eq!(verdict(&xen(Some(false))), guest("xen"));
        assert!(matches!(verdict(&xen(None)), Verdict::Either("xen", _)));
        assert_eq!(xen_dom0(Some("control_d\n".to_owned()), None), Some(true));
        assert_eq!(xen_dom0(None, Some("00002705".to_owned())), Some(false));
        assert_eq!(xen_dom0(None, Some("00002f05".to_owned())), Some(true));
        assert_eq!(xen_dom0(None, None), None);
        let root = Evidence { mshv: true, ..x86(true, "Dell Inc.", "R740") };
        assert!(matches!(verdict(&root), Verdict::Either("hyper-v", _)));
    }

    #[test]
    fn without_a_flag_bare_metal_needs_other_evidence() {
        let arm = |vendor, product| Evidence { flag: None, ..x86(false, vendor, product) };
        assert!(matches!(verdict(&arm("Huawei", "XA320 V2")), Verdict::Unknown(_)));
        assert_eq!(verdict(&Evidence { arm_kvm: true, ..arm("Huawei", "XA320 V2") }), Verdict::Bare);
        assert_eq!(verdict(&Evidence { arm_kvm: true, ..arm("QEMU", "KVM Virtual Machine") }), guest("kvm"));
        assert_eq!(verdict(&arm("Amazon EC2", "c6g.metal")), Verdict::Bare);
        assert_eq!(verdict(&arm("Amazon EC2", "c6g.large")), guest("amazon"));
        assert_eq!(verdict(&Evidence { smbios_virtual: Some(true), ..arm("x", "y") }), Verdict::Guest(None));
        assert!(matches!(verdict(&Evidence::default()), Verdict::Unknown(_)));
        let tree = Evidence { device_tree: Some("linux,kvm".to_owned()), ..Evidence::default() };
        assert_eq!(verdict(&tree), guest("kvm"));
    }

    #[test]
    fn ppc64_and_s390() {
        let ppc = |platform: &str, machine: &str| {
            verdict(&Evidence { ppc: Some((platform.to_owned(), machine.to_owned())), ..Evidence::default() })
        };
        assert_eq!(ppc("PowerNV", "PowerNV 8335-GTW"), Verdict::Bare);
        assert_eq!(ppc("pSeries", "CHRP IBM,9179-MHB"), guest("powervm"));
        assert_eq!(ppc("pSeries", "CHRP IBM pSeries (emulated by qemu)"), guest("qemu"));
        assert!(matches!(ppc("PowerMac", "Power Macintosh"), Verdict::Unknown(_)));
        let s390 =
            |name: Option<&str>| verdict(&Evidence { s390: Some(name.map(str::to_owned)), ..Evidence::default() });
        assert_eq!(s390(Some("z/VM    6.1.0")), guest("zvm"));
        assert_eq!(s390(Some("KVM/Linux")), guest("kvm"));
        assert_eq!(s390(None), Verdict::Host("pr/sm"));
    }

    #[test]
    fn the_bit_of_smbios_is_read_where_the_structure_reaches() {
        let mut raw = vec![0u8; 0x18];
        raw[1] = 0x18;
        assert_eq!(smbios_virtual(&raw), Some(false));
        raw[0x13] = 1 << 4;
        assert_eq!(smbios_virtual(&raw), Some(true));
        raw[1] = 0x12;
        assert_eq!(smbios_virtual(&raw), None);
        assert_eq!(smbios_virtual(&[]), None);
    }
}
