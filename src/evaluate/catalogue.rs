//! The checks that are judged, as values. Every demand names its source.

use super::check::{Check, Predicate, Test, WhenAbsent, on_bare_metal};
use super::facts::Facts;
use super::finding::Level;
use super::truth::Truth;
use crate::inventory::{Inventory, Media, Node};

/// Every check, in the order of the report.
pub(crate) fn checks() -> Vec<Check> {
    let mut checks = cpu();
    checks.extend(memory());
    checks.extend(media());
    checks
}

fn always<T>(_: &Facts<'_>, _: &T, _: &Node) -> Truth {
    Truth::True
}

/// Facts of the node's processors.
fn with_cpu<R>(facts: &Facts<'_>, ask: impl FnOnce(&Facts<'_>) -> R) -> R {
    within(facts, "cpu", |inventory| &inventory.node.cpu.sources, ask)
}

fn within<R>(
    facts: &Facts<'_>,
    path: &str,
    sources: fn(&Inventory) -> &crate::reading::Sources,
    ask: impl FnOnce(&Facts<'_>) -> R,
) -> R {
    let inner = facts.node_record(path, sources);
    let answer = ask(&inner);
    facts.absorb(inner);
    answer
}

fn cpu() -> Vec<Check> {
    vec![
        Check {
            id: "cpu.all-online",
            title: "Every logical CPU that is present is online",
            level: Level::Should,
            test: Test::Node(Predicate {
                applies: always,
                otherwise: "",
                assert: |facts, node| {
                    with_cpu(facts, |cpu| cpu.test("threads_offline", &node.cpu.threads_offline, |n| *n == 0))
                },
                found: |facts, node| {
                    with_cpu(facts, |cpu| {
                        format!(
                            "{} of {} logical CPUs are offline",
                            cpu.shown("threads_offline", &node.cpu.threads_offline),
                            cpu.shown("threads_present", &node.cpu.threads_present)
                        )
                    })
                },
            }),
            when_absent: WhenAbsent::Unknown,
            why: "A CPU that is offline was switched off by firmware, by the kernel's command line or after errors; peers then differ.",
            fix: "Look in the kernel log for the reason, and bring it online: echo 1 > /sys/devices/system/cpu/cpuN/online.",
            source: (
                "Linux kernel: CPU hotplug",
                "https://docs.kernel.org/core-api/cpu_hotplug.html",
                "CPU maps: cpu_present_mask, cpu_online_mask",
            ),
        },
        Check {
            id: "cpu.one-microcode",
            title: "All CPUs run one microcode revision",
            level: Level::Must,
            test: Test::Node(Predicate {
                applies: always,
                otherwise: "",
                assert: |facts, node| {
                    with_cpu(facts, |cpu| {
                        cpu.test("microcode_revisions", &node.cpu.microcode_revisions, |revisions| revisions.len() == 1)
                    })
                },
                found: |facts, node| {
                    with_cpu(facts, |cpu| {
                        format!(
                            "microcode revisions: {}",
                            cpu.shown("microcode_revisions", &node.cpu.microcode_revisions)
                        )
                    })
                },
            }),
            when_absent: WhenAbsent::Skipped,
            why: "CPUs of one system that run different microcode can differ in features and in errata; the kernel does not support it.",
            fix: "Update the firmware, or the microcode package with early loading, and restart.",
            source: (
                "Linux kernel: The Linux Microcode Loader",
                "https://docs.kernel.org/arch/x86/microcode.html",
                "Late loading: mixed revisions",
            ),
        },
        Check {
            id: "cpu.vulnerabilities-mitigated",
            title: "The kernel reports no CPU vulnerability as open",
            level: Level::Info,
            test: Test::Node(Predicate {
                applies: always,
                otherwise: "",
                assert: |facts, node| {
                    with_cpu(facts, |cpu| cpu.test("vulnerable", &node.cpu.vulnerable, Vec::is_empty))
                },
                found: |facts, node| {
                    with_cpu(facts, |cpu| {
                        format!("vulnerabilities without mitigation: {}", cpu.shown("vulnerable", &node.cpu.vulnerable))
                    })
                },
            }),
            when_absent: WhenAbsent::Unknown,
            why: "Mitigations cost performance and their absence costs isolation: either way the nodes of a cluster should agree.",
            fix: "Update firmware, microcode and kernel, or accept it knowingly.",
            source: (
                "Linux kernel: Hardware vulnerabilities",
                "https://docs.kernel.org/admin-guide/hw-vuln/index.html",
                "/sys/devices/system/cpu/vulnerabilities",
            ),
        },
    ]
}

fn memory() -> Vec<Check> {
    vec![
        Check {
            id: "memory.no-hardware-corruption",
            title: "The kernel has taken no memory page out of use for errors",
            level: Level::Must,
            test: Test::Node(Predicate {
                applies: always,
                otherwise: "",
                assert: |facts, node| {
                    within(
                        facts,
                        "memory",
                        |i| &i.node.memory.sources,
                        |memory| {
                            memory.test("hardware_corrupted", &node.memory.hardware_corrupted, |bytes| bytes.0 == 0)
                        },
                    )
                },
                found: |facts, node| {
                    within(
                        facts,
                        "memory",
                        |i| &i.node.memory.sources,
                        |memory| {
                            format!(
                                "{} of memory is marked as corrupted",
                                memory.shown("hardware_corrupted", &node.memory.hardware_corrupted)
                            )
                        },
                    )
                },
            }),
            when_absent: WhenAbsent::Unknown,
            why: "A page is poisoned after an uncorrectable error: the module that held it is failing.",
            fix: "Find the module in the kernel log or the management controller's event log, and replace it.",
            source: (
                "Linux kernel: The /proc filesystem",
                "https://docs.kernel.org/filesystems/proc.html",
                "meminfo: HardwareCorrupted",
            ),
        },
        Check {
            id: "memory.numa-node-populated",
            title: "Every NUMA node that has CPUs has memory",
            level: Level::Should,
            test: Test::NumaNode(Predicate {
                applies: |facts, numa, _| facts.test("cpus", &numa.cpus, |n| *n > 0),
                otherwise: "it has no CPUs",
                assert: |facts, numa| facts.test("memory", &numa.memory, |bytes| bytes.0 > 0),
                found: |facts, numa| {
                    format!(
                        "{} CPUs and {} of memory",
                        facts.shown("cpus", &numa.cpus),
                        facts.shown("memory", &numa.memory)
                    )
                },
            }),
            when_absent: WhenAbsent::Unknown,
            why: "CPUs of a node without memory reach all of it over the interconnect: slower, and a sign of missing or dead modules.",
            fix: "Populate memory for every socket as the platform's population rules say.",
            source: ("Linux kernel: What is NUMA?", "https://docs.kernel.org/mm/numa.html", "memoryless nodes"),
        },
    ]
}

fn media() -> Vec<Check> {
    vec![
        Check {
            id: "media.physical",
            title: "A drive is a physical medium, not a volume of a RAID controller",
            level: Level::Must,
            test: Test::Drive(Predicate {
                applies: |facts, _, node| on_bare_metal(facts, node),
                otherwise: "the node is a virtual machine, whose media are not to be judged",
                assert: |facts, drive| facts.test("media", &drive.media, |media| *media != Media::Virtual),
                found: |facts, drive| {
                    format!("{} is {}", facts.shown("model", &drive.model), facts.shown("media", &drive.media))
                },
            }),
            when_absent: WhenAbsent::Unknown,
            why: "Software-defined storage handles errors, caching and placement of each medium itself; a RAID volume hides them and their health.",
            fix: "Switch the controller to HBA (pass-through) mode, or use one that has no RAID.",
            source: (
                "Ceph: Hardware recommendations",
                "https://docs.ceph.com/en/latest/start/hardware-recommendations/",
                "Controllers",
            ),
        },
        Check {
            id: "media.identity",
            title: "A drive has an identity that survives a restart",
            level: Level::Should,
            test: Test::Drive(Predicate {
                applies: |facts, drive, node| {
                    on_bare_metal(facts, node).and(facts.test("media", &drive.media, |media| *media != Media::Virtual))
                },
                otherwise: "the node is a virtual machine, or the drive a volume",
                assert: |facts, drive| facts.test("id", &drive.id, |id| !id.is_empty()),
                found: |facts, drive| format!("identity: {}", facts.shown("id", &drive.id)),
            }),
            when_absent: WhenAbsent::Unknown,
            why: "The kernel's names change between restarts: without serial number, WWN or NGUID the wrong drive gets replaced or written to.",
            fix: "Update the drive's firmware, or replace what hides its identity (a USB bridge, a RAID volume).",
            source: (
                "Linux kernel: Kernel stable ABI, sysfs-block",
                "https://docs.kernel.org/admin-guide/abi-stable.html",
                "/sys/block/<disk>/device/wwid",
            ),
        },
        Check {
            id: "media.writable",
            title: "The kernel does not hold a drive to be read-only",
            level: Level::Must,
            test: Test::Drive(Predicate {
                applies: always,
                otherwise: "",
                assert: |facts, drive| facts.test("read_only", &drive.read_only, |is| !is),
                found: |facts, drive| format!("read-only: {}", facts.shown("read_only", &drive.read_only)),
            }),
            when_absent: WhenAbsent::Unknown,
            why: "A drive turns read-only at the end of its life or after an internal failure, or its write protection is set.",
            fix: "Read its health log; replace it, or lift the write protection.",
            source: (
                "Linux kernel: Kernel stable ABI, sysfs-block",
                "https://docs.kernel.org/admin-guide/abi-stable.html",
                "/sys/block/<disk>/ro",
            ),
        },
        Check {
            id: "nvme.controller-live",
            title: "An NVMe controller is live",
            level: Level::Must,
            test: Test::NvmeController(Predicate {
                applies: always,
                otherwise: "",
                assert: |facts, controller| facts.test("state", &controller.state, |state| state == "live"),
                found: |facts, controller| format!("state: {}", facts.shown("state", &controller.state)),
            }),
            when_absent: WhenAbsent::Unknown,
            why: "A controller that is resetting, connecting, deleting or dead serves no IO.",
            fix: "Look in the kernel log; reseat or replace the drive, or restore the fabric.",
            source: (
                "Linux kernel: drivers/nvme/host/sysfs.c",
                "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree/drivers/nvme/host/sysfs.c",
                "nvme_sysfs_show_state",
            ),
        },
    ]
}
