//! Fuzzes what reads the answers of hardware and its tools: a made-up machine whose answers are mutations of sound ones.
//!
//! One SATA disk (smartctl), one NVMe drive (admin commands), one network adapter (ethtool, DCB by rtnetlink), two LLDP agents, a management controller, EDAC,
//! AER. Everything that stands in the inventory comes from an answer, so one collection is one execution.

use super::{Random, mutate};
use passmuster::host::{
    ClockState, Entry, Host, HostError, HostErrorKind, Listing, NetlinkFamily, NvmeAdmin, NvmeAnswer, Replay, ToolCall,
    ToolOutput,
};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const SMART: &str = r#"{"smartctl":{"exit_status":0},"device":{"type":"sat","protocol":"ATA"},"model_name":"A","serial_number":"S","rotation_rate":0,"logical_block_size":512,
"interface_speed":{"max":{"units_per_second":60,"bits_per_unit":100000000},"current":{"units_per_second":30,"bits_per_unit":100000000}},"write_cache":{"enabled":true},
"smart_support":{"enabled":true},"smart_status":{"passed":true},"temperature":{"current":40,"op_limit_max":60,"limit_max":70,"drive_trip":65},"power_on_time":{"hours":1,"minutes":2},
"ata_smart_attributes":{"table":[{"id":5,"name":"Reallocated_Sector_Ct","value":8,"when_failed":"now","raw":{"value":8,"string":"8"}},{"id":197,"name":"Current_Pending_Sector","raw":{"value":1,"string":"0 (0 7)"}}]},
"ata_smart_error_log":{"extended":{"count":2}},"ata_smart_self_test_log":{"extended":{"error_count_total":1,"table":[{"status":{"value":112,"passed":false}}]}},
"ata_device_statistics":{"pages":[{"number":1,"table":[{"offset":24,"value":9,"flags":{"valid":true}}]},{"number":7,"table":[{"offset":8,"value":3,"flags":{"valid":true}}]}]},
"scsi_grown_defect_list":4,"scsi_error_counter_log":{"read":{"gigabytes_processed":"12.345","total_uncorrected_errors":2}},"scsi_self_test_0":{"result":{"value":15}},"scsi_transport_protocol":{"name":"SAS (SPL-4)"},
"scsi_sas_port_0":{"phy_0":{"negotiated_logical_link_rate":"phy enabled; 12 Gbps"}},"nvme_smart_health_information_log":{"critical_warning":1,"available_spare":9,"data_units_read":7},
"nvme_self_test_log":{"current_self_test_operation":{"value":0},"table":[{"self_test_result":{"value":7}}]}}"#;
const LLDPCLI: &str = r#"{"lldp":[{"interface":[{"name":"eth0","via":"LLDP","chassis":[{"id":[{"type":"mac","value":"02:00:00:00:00:25"}],"name":[{"value":"s"}],"mgmt-ip":[{"value":"192.0.2.1"}]}],
"port":[{"id":[{"type":"ifname","value":"E1"}],"mfs":[{"value":"9220"}],"aggregation":[{"value":"3"}]}],"vlan":[{"vlan-id":"711","pvid":true,"value":"SMB"}],"unknown-tlvs":[{"unknown-tlv":[
{"oui":"00,80,C2","subtype":"11","value":"08,08"},{"oui":"00,80,C2","subtype":"9","value":"03,00,01,00,02,30,32,02,00,00,00,00,00,02,02,02,00,00,00,00,00"},
{"oui":"00,80,C2","subtype":"12","value":"00,63,12,B7"},{"oui":"00,1B,21","subtype":"2","value":"02,0A,00,00,00,00,00,01,00,00,00,01,06,06,00,00,C0,00,18,08"}]}]}]}]}"#;
const LLDPTOOL: &str = "Chassis ID TLV\n\tMAC: 02:00:00:00:00:26\nPort VLAN ID TLV\n\tPVID: 0x2c6\nVLAN Name TLV\n\tVID 711: Name SMB\nMaximum Frame Size TLV\n\t9216\n\
IEEE 8021QAZ ETS Configuration TLV\n\t Willing: no\n\t PRIO_MAP: 0:0 1:1\n\t TC Bandwidth: 48% 52%\n\t TSA_MAP: 0:ets 1:strict\nIEEE 8021QAZ PFC TLV\n\t Willing: yes\n\
\t PFC capable traffic classes: 8\n\t PFC enabled: 3 5\nIEEE 8021QAZ APP TLV\n\tApp#0:\n\t Priority: 3\n\t Sel: 3\n\t {D}UDP Port: 4791\nEnd of LLDPDU TLV\n";
const SEL: &str = "1,10/26/2025,20:17:30,Memory ECC,Uncorrectable ECC,Asserted\n2,Pre-Init,0000000012,Drive Slot / Bay HDD1,Drive Fault,Asserted\n";
const SDR: &str = "PS1 Status,C8h,ok,10.1,Presence detected\nFan2,31h,cr,29.2,0 RPM\nHDD9,4Eh,ns,26.9,\n";
const INFO: &str = "SEL Information\nEntries          : 545\nPercent Used     : 57%\nOverflow         : false\n";

/// Sound answers by which mutations begin, and all that were found worth keeping.
struct Seeds {
    texts: Vec<Vec<u8>>,
    binaries: Vec<Vec<u8>>,
}

/// Answers by mutation. Behind a lock, for drives are asked from several threads.
struct Fuzzed {
    host: Replay,
    random: Mutex<RefCell<Random>>,
    seeds: Seeds,
}

impl Fuzzed {
    fn bytes(&self, sound: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
        let random = self.random.lock().expect("nothing panics with it");
        let random = &mut *random.borrow_mut();
        match random.below(8) {
            0 => sound.to_vec(),
            1 => vec![[0, 0xff][random.below(2)]; random.below(5000)],
            _ => {
                let other = others[random.below(others.len())].clone();
                mutate(random, sound, &other)
            }
        }
    }

    /// A few words of a sound structure changed: length stays, so that the fields are read.
    fn scattered(&self, length: usize) -> Vec<u8> {
        let random = self.random.lock().expect("nothing panics with it");
        let random = &mut *random.borrow_mut();
        let mut bytes = vec![0; length];
        for _ in 0..random.below(60) {
            if length > 0 {
                let at = random.below(length);
                bytes[at] = random.next() as u8;
            }
        }
        match random.below(12) {
            0 => bytes.truncate(random.below(length.max(1))),
            1 => bytes.iter_mut().for_each(|byte| *byte = random.next() as u8),
            _ => {}
        }
        bytes
    }

    fn chance(&self, of: usize) -> bool {
        self.random.lock().expect("nothing panics with it").borrow_mut().below(of) == 0
    }
}

impl Host for Fuzzed {
    fn read(&self, path: &str) -> Result<Vec<u8>, HostError> {
        let told = self.host.read(path)?;
        let plain = ["/sys/devices/system/edac", "/aer_dev_"].iter().any(|part| path.contains(part));
        Ok(if plain { self.bytes(&told, &self.seeds.texts) } else { told })
    }
    fn list(&self, path: &str) -> Result<Listing, HostError> {
        self.host.list(path)
    }
    fn read_link(&self, path: &str) -> Result<String, HostError> {
        self.host.read_link(path)
    }
    fn run(&self, call: &ToolCall) -> Result<ToolOutput, HostError> {
        let words: Vec<&str> = call.argv.iter().map(String::as_str).collect();
        let sound = match words.as_slice() {
            ["smartctl", ..] => SMART,
            ["lldpcli", ..] => LLDPCLI,
            ["lldptool", ..] => LLDPTOOL,
            ["ipmitool", "sel", "info"] => INFO,
            ["ipmitool", "-c", "sel", ..] => SEL,
            ["ipmitool", "-c", "sdr", ..] => SDR,
            _ => return self.host.run(call),
        };
        let status = if self.chance(6) { 1 << (sound.len() % 8) } else { 0 };
        let stdout = self.bytes(sound.as_bytes(), &self.seeds.texts);
        Ok(ToolOutput { status: Some(status), stdout, stderr: Vec::new() })
    }
    fn nvme_admin(&self, _: &str, command: &NvmeAdmin) -> Result<NvmeAnswer, HostError> {
        let length = match command {
            NvmeAdmin::Identify { .. } => 4096,
            NvmeAdmin::GetLogPage { length, .. } | NvmeAdmin::GetFeatures { length, .. } => *length as usize,
        };
        let mut data = self.scattered(length);
        // Fields without which the rest is not asked for.
        if let (NvmeAdmin::Identify { cns: 1, .. }, true) = (command, data.len() == 4096) {
            data[96] |= 1 << 4;
            data[256] |= 1 << 4;
        }
        let status = if self.chance(10) { 0x109 } else { 0 };
        Ok(NvmeAnswer { status, result: 0x0102_0304, data })
    }
    fn ethtool(&self, _: &str, request: &[u8]) -> Result<Vec<u8>, HostError> {
        let mut answer = self.scattered(request.len());
        // The kernel answers in the structure of the request, whose first word is the command.
        let kept = answer.len().min(4);
        answer[..kept].copy_from_slice(&request[..kept]);
        Ok(answer)
    }
    fn netlink(&self, _: NetlinkFamily, request: &[u8]) -> Result<Vec<Vec<u8>>, HostError> {
        let mut message = request.to_vec();
        for (kind, length) in [(13_u16, 420_usize), (14, 1), (16, 60)] {
            let content = if kind == 13 { attributes(self) } else { self.scattered(length) };
            attribute(&mut message, kind, &content);
        }
        if self.chance(5) {
            message = self.bytes(&message, &self.seeds.binaries);
        }
        Ok(vec![message])
    }
    fn read_device(&self, device: &str, offset: u64, length: u32) -> Result<Vec<u8>, HostError> {
        let operation = format!("read {length} bytes of {device} at {offset}");
        Err(HostError { operation, kind: HostErrorKind::PermissionDenied, cause: "permission denied".to_owned() })
    }
    fn now(&self) -> Result<jiff::Timestamp, HostError> {
        self.host.now()
    }
    fn clock_state(&self) -> Result<ClockState, HostError> {
        self.host.clock_state()
    }
}

fn attribute(message: &mut Vec<u8>, kind: u16, content: &[u8]) {
    message.extend(((content.len() + 4) as u16).to_ne_bytes());
    message.extend(kind.to_ne_bytes());
    message.extend(content);
    message.resize(message.len().next_multiple_of(4), 0);
}

/// ETS, PFC and applications, now and then of another length than the kernel's.
fn attributes(fuzzed: &Fuzzed) -> Vec<u8> {
    let mut content = Vec::new();
    for (kind, length) in [(1_u16, 59_usize), (2, 136), (4, 59), (5, 136)] {
        let length = if fuzzed.chance(8) { length - 1 } else { length };
        attribute(&mut content, kind, &fuzzed.scattered(length));
    }
    let mut applications = Vec::new();
    attribute(&mut applications, 1, &fuzzed.scattered(4));
    attribute(&mut content, 3, &applications);
    content
}

fn machine() -> Replay {
    let unit = "/sys/devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0";
    let disk = format!("{unit}/block/sda");
    let nvme = "/sys/devices/pci0000:3a/0000:3b:00.0/nvme/nvme0";
    let net = "/sys/devices/pci0000:16/0000:17:00.0/net/eth0";
    let bus = "/sys/devices/pci0000:16/0000:17:00.0";
    let mc = "/sys/devices/system/edac/mc/mc0";
    let files: Vec<(String, &str)> = [
        (format!("{disk}/dev"), "8:0"),
        (format!("{disk}/size"), "7814037168"),
        (format!("{disk}/queue/write_cache"), "write back"),
        (format!("{unit}/vendor"), "ATA     "),
        (format!("{unit}/model"), "ACME DISK       "),
        (format!("{nvme}/model"), "ACME"),
        (format!("{nvme}/serial"), "N"),
        (format!("{nvme}/firmware_rev"), "F"),
        (format!("{nvme}/transport"), "pcie"),
        (format!("{nvme}/nvme0n1/dev"), "259:0"),
        (format!("{nvme}/nvme0n1/size"), "1000"),
        (format!("{nvme}/nvme0n1/nsid"), "1"),
        (format!("{net}/type"), "1"),
        (format!("{net}/carrier"), "1"),
        (format!("{net}/flags"), "0x1003"),
        (format!("{net}/uevent"), "INTERFACE=eth0"),
        (format!("{bus}/class"), "0x020000"),
        (format!("{bus}/vendor"), "0x15b3"),
        (format!("{bus}/device"), "0x1017"),
        (format!("{bus}/aer_dev_correctable"), "RxErr 0\nBadTLP 7\nTOTAL_ERR_COR 7"),
        (format!("{bus}/aer_dev_fatal"), "DLP 0\nTOTAL_ERR_FATAL 0"),
        (format!("{mc}/ce_count"), "3"),
        (format!("{mc}/size_mb"), "65536"),
        (format!("{mc}/dimm0/dimm_ce_count"), "3"),
        (format!("{mc}/dimm0/size"), "32768"),
        ("/sys/class/ipmi/ipmi0/device/bmc/firmware_revision".into(), "2.82"),
        ("/run/lldpd.pid".into(), "7"),
        ("/run/lldpad.pid".into(), "8"),
        ("/proc/7/comm".into(), "lldpd"),
        ("/proc/8/comm".into(), "lldpad"),
        ("/sys/class/scsi_host/host0/proc_name".into(), "ahci"),
    ]
    .to_vec();
    let links = [
        ("/sys/block/sda", "../devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda"),
        ("/sys/class/block/sda", "../../devices/pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda"),
        ("/sys/block/nvme0n1", "../devices/pci0000:3a/0000:3b:00.0/nvme/nvme0/nvme0n1"),
        ("/sys/class/block/nvme0n1", "../../devices/pci0000:3a/0000:3b:00.0/nvme/nvme0/nvme0n1"),
        ("/sys/class/nvme/nvme0", "../../devices/pci0000:3a/0000:3b:00.0/nvme/nvme0"),
        ("/sys/class/net/eth0", "../../devices/pci0000:16/0000:17:00.0/net/eth0"),
        ("/sys/devices/pci0000:16/0000:17:00.0/net/eth0/device", "../../../0000:17:00.0"),
        ("/sys/devices/pci0000:16/0000:17:00.0/subsystem", "../../../bus/pci"),
        ("/sys/devices/pci0000:16/0000:17:00.0/driver", "../../../bus/pci/drivers/mlx5_core"),
        ("/sys/bus/pci/devices/0000:17:00.0", "../../../devices/pci0000:16/0000:17:00.0"),
    ];
    let mut entries: Vec<(String, Entry)> =
        files.into_iter().map(|(path, text)| (path, Entry::file(format!("{text}\n")))).collect();
    entries.extend(links.map(|(path, target)| (path.to_owned(), Entry::link(target))));
    entries.push((format!("{disk}/device"), Entry::link("../../../0:0:0:0")));
    Replay::complete(entries)
}

/// Collects for some seconds; how many finds there are.
pub(super) fn run(seconds: u64, seed: u64) -> u64 {
    let texts: Vec<Vec<u8>> =
        [SMART, LLDPCLI, LLDPTOOL, SEL, SDR, INFO].iter().map(|text| text.as_bytes().to_vec()).collect();
    let mut kept: Vec<Vec<u8>> = Vec::new();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/fuzz");
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        kept.extend(std::fs::read(entry.path()));
    }
    let binaries = vec![vec![0; 64], vec![0xff; 64], (0..=255).collect()];
    let random = Mutex::new(RefCell::new(Random(0x51_7CC1_B727_220A ^ (seed << 7))));
    let seeds = Seeds { texts: texts.into_iter().chain(kept).collect(), binaries };
    let fuzzed = Fuzzed { host: machine(), random, seeds };
    let sound = passmuster::collect::collect(&fuzzed.host);
    let counts = (sound.node.drives.items().len(), sound.node.nics.items().len());
    let (mut executions, mut finds, mut known) = (0_u64, 0_u64, std::collections::BTreeSet::new());
    let mut slowest = Duration::ZERO;
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(seconds) {
        let before = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| passmuster::collect::collect(&fuzzed)));
        let took = before.elapsed();
        slowest = slowest.max(took);
        executions += 1;
        match outcome {
            Err(_) => {
                finds += 1;
                println!("panic in execution {executions} with seed {seed}");
            }
            Ok(_) if took > Duration::from_secs(1) => {
                finds += 1;
                println!("slow: {took:?} in execution {executions} with seed {seed}");
            }
            Ok(inventory) => {
                let causes = inventory.errors.into_iter().map(|error| error.cause);
                known.extend(
                    causes.map(|cause| cause.chars().filter(|c| !c.is_ascii_digit()).take(40).collect::<String>()),
                );
            }
        }
    }
    println!(
        "{executions} machines of {} drives and {} interfaces in {seconds} s with seed {seed}, {finds} finds, {} kinds of causes told, slowest {slowest:?}",
        counts.0,
        counts.1,
        known.len()
    );
    finds
}
