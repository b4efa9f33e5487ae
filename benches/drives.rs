//! Drives asked side by side: a made-up machine with 26 of them, each of whose answers takes a set time.
//!
//!     cargo bench --bench drives [-- MILLISECONDS]
//!
//! 24 SAS disks that smartctl is asked for, and two NVMe drives that are asked by admin commands. Every answer of a drive (a tool, an admin command, a read of
//! the device) takes so long; files of the kernel take nothing. Prints, for several times an answer, how many questions of each kind there were, how long the
//! drives took together (the sum of their answers), how long the slowest alone, the most that were asked at once, and the wall and CPU time of the whole
//! collection.
#![allow(missing_docs)]
#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]
#![expect(clippy::disallowed_types, reason = "a bench reads the clock and sleeps")]

use passmuster::host::{
    Answer, ClockState, Entry, Host, HostError, Listing, NetlinkFamily, NvmeAdmin, NvmeAnswer, Question, Replay,
    ToolCall, ToolOutput,
};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const DISKS: usize = 24;
const NVME: usize = 2;

/// A host whose drives take their time.
struct Slow {
    host: Replay,
    answer: Duration,
    files: AtomicUsize,
    /// Answers of drives, by drive.
    asked: Mutex<BTreeMap<String, usize>>,
    kinds: Mutex<BTreeMap<&'static str, usize>>,
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Slow {
    fn new(host: Replay, answer: Duration) -> Self {
        let (files, now, most) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        Self { host, answer, files, asked: Mutex::default(), kinds: Mutex::default(), now, most }
    }

    fn file<T>(&self, ask: impl FnOnce(&Replay) -> T) -> T {
        self.files.fetch_add(1, Ordering::Relaxed);
        ask(&self.host)
    }

    fn drive<T>(&self, kind: &'static str, drive: &str, ask: impl FnOnce(&Replay) -> T) -> T {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner).entry(drive.to_owned()).or_default() += 1;
        *self.kinds.lock().unwrap_or_else(PoisonError::into_inner).entry(kind).or_default() += 1;
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        std::thread::sleep(self.answer);
        self.now.fetch_sub(1, Ordering::SeqCst);
        ask(&self.host)
    }
}

impl Host for Slow {
    fn read(&self, path: &str) -> Result<Vec<u8>, HostError> {
        self.file(|host| host.read(path))
    }
    fn list(&self, path: &str) -> Result<Listing, HostError> {
        self.file(|host| host.list(path))
    }
    fn read_link(&self, path: &str) -> Result<String, HostError> {
        self.file(|host| host.read_link(path))
    }
    fn run(&self, call: &ToolCall) -> Result<ToolOutput, HostError> {
        match call.argv.last().filter(|last| last.starts_with("/dev/")) {
            Some(device) => self.drive("tool", device, |host| host.run(call)),
            None => self.file(|host| host.run(call)),
        }
    }
    fn nvme_admin(&self, device: &str, command: &NvmeAdmin) -> Result<NvmeAnswer, HostError> {
        self.drive("admin command", device, |host| host.nvme_admin(device, command))
    }
    fn ethtool(&self, interface: &str, request: &[u8]) -> Result<Vec<u8>, HostError> {
        self.file(|host| host.ethtool(interface, request))
    }
    fn netlink(&self, family: NetlinkFamily, request: &[u8]) -> Result<Vec<Vec<u8>>, HostError> {
        self.file(|host| host.netlink(family, request))
    }
    fn read_device(&self, device: &str, _: u64, length: u32) -> Result<Vec<u8>, HostError> {
        self.drive("device read", device, |_| Ok(vec![0; length as usize]))
    }
    fn now(&self) -> Result<jiff::Timestamp, HostError> {
        self.host.now()
    }
    fn clock_state(&self) -> Result<ClockState, HostError> {
        self.host.clock_state()
    }
}

fn machine() -> Replay {
    let mut entries: Vec<(String, Entry)> = Vec::new();
    let mut file = |path: String, text: &str| entries.push((path, Entry::file(format!("{text}\n"))));
    file("/proc/swaps".into(), "Filename\tType\tSize\tUsed\tPriority");
    for path in ["/proc/1/mountinfo", "/proc/self/mountinfo"] {
        file(path.into(), "1 0 0:2 / / rw - rootfs rootfs rw");
    }
    let mut links: Vec<(String, String)> = vec![("/proc/self/ns/pid".into(), "pid:[4026531836]".into())];
    let mut disk = |place: &str, name: &str, dev: &str, rotational: &str| {
        let at = |file: &str| format!("/sys/devices/{place}/{file}");
        for (name, text) in [
            ("dev", dev),
            ("size", "7814037168"),
            ("ro", "0"),
            ("removable", "0"),
            ("queue/logical_block_size", "512"),
            ("queue/physical_block_size", "4096"),
            ("queue/rotational", rotational),
            ("queue/zoned", "none"),
            ("queue/write_cache", "write back"),
            ("power/runtime_status", "active"),
        ] {
            file(at(name), text);
        }
        links.push((format!("/sys/block/{name}"), format!("../devices/{place}")));
        links.push((format!("/sys/class/block/{name}"), format!("../../devices/{place}")));
    };
    let mut folders = Vec::new();
    for index in 0..DISKS {
        let name = format!("sd{}", char::from(b'a' + index as u8));
        let unit = format!(
            "pci0000:16/0000:18:00.0/host0/port-0:{index}/end_device-0:{index}/target0:0:{index}/0:0:{index}:0"
        );
        let place = format!("{unit}/block/{name}");
        disk(&place, &name, &format!("8:{}", index * 16), "1");
        folders.push(place);
    }
    for index in 0..NVME {
        let place = format!("pci0000:3a/0000:3b:0{index}.0/nvme/nvme{index}/nvme{index}n1");
        disk(&place, &format!("nvme{index}n1"), &format!("259:{index}"), "0");
        folders.push(place);
    }
    for index in 0..DISKS {
        let unit = format!(
            "/sys/devices/pci0000:16/0000:18:00.0/host0/port-0:{index}/end_device-0:{index}/target0:0:{index}/0:0:{index}:0"
        );
        for (name, text) in [
            ("vendor", "ACME    "),
            ("model", "SASDISK         "),
            ("rev", "0001"),
            ("state", "running"),
            ("power/runtime_status", "active"),
        ] {
            entries.push((format!("{unit}/{name}"), Entry::file(format!("{text}\n"))));
        }
        let name = char::from(b'a' + index as u8);
        links.push((format!("{unit}/block/sd{name}/device"), format!("../../../0:0:{index}:0")));
    }
    entries.push((
        "/sys/devices/pci0000:16/0000:18:00.0/host0/scsi_host/host0/proc_name".into(),
        Entry::file("mpt3sas\n"),
    ));
    links.push((
        "/sys/class/scsi_host/host0".into(),
        "../../devices/pci0000:16/0000:18:00.0/host0/scsi_host/host0".into(),
    ));
    for index in 0..NVME {
        let at = format!("/sys/devices/pci0000:3a/0000:3b:0{index}.0/nvme/nvme{index}");
        for (name, text) in [
            ("model", "ACME NVME"),
            ("serial", if index == 0 { "N0" } else { "N1" }),
            ("firmware_rev", "F1"),
            ("state", "live"),
            ("transport", "pcie"),
            ("cntrltype", "io"),
            ("numa_node", "0"),
        ] {
            entries.push((format!("{at}/{name}"), Entry::file(format!("{text}\n"))));
        }
        entries.push((format!("{at}/nvme{index}n1/nsid"), Entry::file("1\n")));
        links.push((
            format!("/sys/class/nvme/nvme{index}"),
            format!("../../devices/pci0000:3a/0000:3b:0{index}.0/nvme/nvme{index}"),
        ));
    }
    for place in folders {
        for folder in ["holders", "slaves"] {
            entries.push((format!("/sys/devices/{place}/{folder}"), Entry::Dir));
        }
    }
    entries.extend(links.into_iter().map(|(path, target)| (path, Entry::link(target))));
    let answer = r#"{"smartctl":{"exit_status":0},"device":{"type":"scsi","protocol":"SCSI"},"smart_status":{"passed":true},"temperature":{"current":30}}"#;
    (0..DISKS).fold(Replay::complete(entries), |host, index| {
        let device = format!("/dev/sd{}", char::from(b'a' + index as u8));
        let argv = ["smartctl", "--json=c", "--nocheck=standby,3", "-x", &device].map(str::to_owned).to_vec();
        let output = ToolOutput { status: Some(0), stdout: answer.as_bytes().to_vec(), stderr: Vec::new() };
        host.with(Question::Run(argv), Ok(Answer::Tool(output)))
    })
}

/// User and system time of this process so far.
fn cpu() -> Duration {
    let usage = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(usage.tv_sec.unsigned_abs(), u32::try_from(usage.tv_nsec).unwrap_or_default())
}

fn main() {
    let given: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let times = if given.is_empty() { vec![0, 20, 100] } else { given };
    println!("answer   drives  questions of drives             files  together  slowest  at once     wall      CPU");
    for milliseconds in times {
        let answer = Duration::from_millis(milliseconds);
        let slow = Slow::new(machine(), answer);
        let (begun, spent) = (Instant::now(), cpu());
        let inventory = passmuster::collect::collect(&slow);
        let (wall, cpu) = (begun.elapsed(), cpu().saturating_sub(spent));
        let asked = slow.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let kinds = slow.kinds.lock().unwrap_or_else(PoisonError::into_inner);
        let shown: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}s")).collect();
        let sum = answer * asked.values().sum::<usize>() as u32;
        // A drive's namespaces are asked by other names than its controller.
        let slowest = answer * asked.values().max().copied().unwrap_or_default() as u32;
        println!(
            "{:>4} ms  {:>6}  {:<30} {:>6}  {:>6.2} s {:>6.2} s  {:>7} {:>6.2} s {:>6.2} s",
            milliseconds,
            inventory.node.drives.items().len(),
            shown.join(", "),
            slow.files.load(Ordering::Relaxed),
            sum.as_secs_f64(),
            slowest.as_secs_f64(),
            slow.most.load(Ordering::SeqCst),
            wall.as_secs_f64(),
            cpu.as_secs_f64(),
        );
    }
}
