//! `/proc/cpuinfo`: the kernel's list of online CPUs and what each says of itself.
//!
//! Every architecture has a format of its own (`show_cpuinfo` in `arch/*/kernel`); what is common is "key : value". Knows
//! x86, arm64, arm32, ppc64, s390, ia64, sparc64 and loongarch; of others only what looks like one of these.

use std::collections::BTreeMap;

/// A `/proc/cpuinfo`, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CpuInfo {
    /// What is said once for all CPUs.
    common: Vec<(String, String)>,
    /// By the kernel's number of an online CPU: what is said of it.
    processors: BTreeMap<u32, Vec<(String, String)>>,
}

/// A cache that s390 tells of here alone: one that CPUs share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SharedCache {
    /// `level`.
    pub(crate) level: u64,
    /// `type`, as sysfs writes it.
    pub(crate) kind: String,
    /// `size`, as sysfs writes it.
    pub(crate) size: String,
}

impl CpuInfo {
    /// The CPUs it lists: those that are online.
    pub(crate) fn cpus(&self) -> impl Iterator<Item = u32> + '_ {
        self.processors.keys().copied()
    }

    /// Whether the CPU is listed.
    pub(crate) fn lists(&self, cpu: u32) -> bool {
        self.processors.contains_key(&cpu)
    }

    /// The first of the keys that is said of the CPU, or of all CPUs; empty values are no values.
    pub(crate) fn value(&self, cpu: u32, keys: &[&str]) -> Option<&str> {
        let own = self.processors.get(&cpu)?;
        keys.iter().find_map(|key| {
            own.iter()
                .chain(&self.common)
                .find(|(name, value)| name == key && !value.is_empty())
                .map(|(_, value)| value.as_str())
        })
    }

    /// The first of the keys that is said anywhere.
    pub(crate) fn any(&self, key: &str) -> Option<&str> {
        self.common
            .iter()
            .chain(self.processors.values().flatten())
            .find(|(name, value)| name == key && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// It is written by an x86 kernel (`arch/x86/kernel/cpu/proc.c`).
    pub(crate) fn is_x86(&self) -> bool {
        self.any("cpu family").is_some() && self.any("vendor_id").is_some()
    }

    /// It is written by an s390 kernel (`arch/s390/kernel/processor.c`).
    pub(crate) fn is_s390(&self) -> bool {
        self.any("vendor_id") == Some("IBM/S390")
    }

    /// It is written by an arm or arm64 kernel (`arch/arm64/kernel/cpuinfo.c`).
    pub(crate) fn is_arm(&self) -> bool {
        self.any("CPU implementer").is_some()
    }

    /// The shared caches of s390 (`show_cacheinfo` in `arch/s390/kernel/cache.c`), for which sysfs has no folders.
    pub(crate) fn shared_caches(&self) -> Vec<SharedCache> {
        let numbered = |name: &str| name.strip_prefix("cache").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
        self.common
            .iter()
            .filter(|(name, _)| self.is_s390() && numbered(name))
            .filter_map(|(_, value)| {
                let field = |key: &str| {
                    value
                        .split_whitespace()
                        .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
                        .map(str::to_owned)
                };
                (field("scope")? == "Shared").then_some(()).and_then(|()| {
                    Some(SharedCache {
                        level: field("level")?.parse().ok()?,
                        kind: field("type")?,
                        size: field("size")?,
                    })
                })
            })
            .collect()
    }
}

/// Takes a `/proc/cpuinfo` apart.
///
/// # Errors
/// If no CPU is listed, or one twice.
pub(crate) fn parse(text: &str) -> Result<CpuInfo, String> {
    let mut info = CpuInfo::default();
    let mut current: Option<u32> = None;
    for line in text.lines() {
        let Some((key, value)) = line.split_once(':') else {
            // A blank line ends what is said of one CPU: arm32 says after it what holds for all.
            if line.trim().is_empty() {
                current = None;
            }
            continue;
        };
        let (key, value) = (key.trim(), value.trim());
        let entry = (key.to_owned(), value.to_owned());
        if let Some(cpu) = first_line(key, value) {
            if info.processors.insert(cpu, assignments(value).collect()).is_some() {
                return Err(format!("CPU {cpu} is listed twice"));
            }
            current = Some(cpu);
        } else if let Some(own) = current.and_then(|cpu| info.processors.get_mut(&cpu)) {
            own.push(entry);
        } else {
            info.common.push(entry);
        }
    }
    if info.processors.is_empty() { Err("no CPU is listed".to_owned()) } else { Ok(info) }
}

/// The CPU's number, if the line is the first of what is said of one.
fn first_line(key: &str, value: &str) -> Option<u32> {
    // x86, arm, ppc, ia64, loongarch: "processor : 0". The "cpu number" of ia64 and s390 is inside a block and no start.
    if key == "processor" {
        return value.parse().ok();
    }
    // s390: "processor 0: version = 00,  identification = 279F25,  machine = 2817".
    if let Some(number) = key.strip_prefix("processor ") {
        return number.trim().parse().ok();
    }
    // sparc64: "CPU6:		online".
    if value == "online" {
        return key.strip_prefix("CPU")?.parse().ok();
    }
    None
}

/// `version = 00,  identification = 279F25,  machine = 2817`.
fn assignments(value: &str) -> impl Iterator<Item = (String, String)> + '_ {
    value.split(',').filter_map(|part| {
        let (key, value) = part.split_once('=')?;
        Some((key.trim().to_owned(), value.trim().to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpus(info: &CpuInfo) -> Vec<u32> {
        info.cpus().collect()
    }

    #[test]
    fn x86() {
        let text = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n\
                    model name\t: Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz\nflags\t\t: fpu vme\npower management:\n\n\
                    processor\t: 16\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 86\n\n";
        let info = parse(text).unwrap();
        assert_eq!(cpus(&info), [0, 16]);
        assert!(info.is_x86() && !info.is_s390() && !info.is_arm());
        assert_eq!(info.value(0, &["model"]), Some("85"));
        assert_eq!(info.value(16, &["model"]), Some("86"));
        assert_eq!(info.value(0, &["nothing", "model name"]), Some("Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz"));
        assert_eq!(info.value(0, &["power management"]), None);
        assert_eq!(info.value(1, &["model"]), None);
    }

    #[test]
    fn arm32_says_after_a_blank_line_what_holds_for_all() {
        let text = "Processor\t: ARMv7 Processor rev 1 (v7l)\nprocessor\t: 0\nBogoMIPS\t: 1.00\n\nprocessor\t: 1\n\
                    BogoMIPS\t: 2.00\n\nFeatures\t: swp half\nCPU implementer\t: 0x41\nCPU part\t: 0xc09\n";
        let info = parse(text).unwrap();
        assert_eq!(cpus(&info), [0, 1]);
        assert!(info.is_arm());
        assert_eq!(info.value(1, &["BogoMIPS"]), Some("2.00"));
        assert_eq!(info.value(0, &["CPU part"]), Some("0xc09"));
        assert_eq!(info.value(1, &["model name", "Processor"]), Some("ARMv7 Processor rev 1 (v7l)"));
    }

    #[test]
    fn s390_lists_a_cpu_a_line_and_shared_caches() {
        let text = "vendor_id       : IBM/S390\n# processors    : 2\nfeatures\t: esan3 zarch\n\
                    cache0          : level=1 type=Data scope=Private size=128K line_size=256 associativity=8\n\
                    cache4          : level=3 type=Unified scope=Shared size=65536K line_size=256 associativity=16\n\
                    processor 1: version = 00,  identification = 4729E7,  machine = 2964\n\
                    processor 4: version = 00,  identification = 4729E7,  machine = 2964\n\n\
                    cpu number      : 1\ncpu MHz static  : 5000\n\ncpu number      : 4\ncpu MHz static  : 5000\n";
        let info = parse(text).unwrap();
        assert_eq!(cpus(&info), [1, 4]);
        assert!(info.is_s390() && !info.is_x86());
        assert_eq!(info.value(4, &["machine"]), Some("2964"));
        assert_eq!(info.value(4, &["features"]), Some("esan3 zarch"));
        let cache = SharedCache { level: 3, kind: "Unified".to_owned(), size: "65536K".to_owned() };
        assert_eq!(info.shared_caches(), [cache]);
    }

    #[test]
    fn sparc64_lists_cpus_by_their_state() {
        let text = "cpu\t\t: TI UltraSparc II\nncpus active\t: 2\nCpu6ClkTck\t: 000000000ec82e00\nState:\n\
                    CPU6:\t\tonline\nCPU10:\t\tonline\n";
        let info = parse(text).unwrap();
        assert_eq!(cpus(&info), [6, 10]);
        assert_eq!(info.value(10, &["cpu"]), Some("TI UltraSparc II"));
    }

    #[test]
    fn what_lists_no_cpu_or_one_twice_is_refused() {
        for text in ["", "vendor_id : IBM/S390\n", "processor : x\n", "processor : -1\n"] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse("processor : 0\n\nprocessor : 0\n").is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "(processor|CPU|cache)?[ -~\t\n]*") {
            if let Ok(info) = parse(&text) {
                let _ = info.shared_caches();
            }
        }
    }
}
