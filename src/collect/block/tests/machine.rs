//! A machine put together for a test: its part of sysfs, procfs and udev's database, written by hand.

use crate::collect::block::{BlockSection, collect};
use crate::collect::ledger::Ledger;
use crate::host::{Entry, Host, HostErrorKind, Question, Record, Replay};
use crate::inventory::{BlockDevice, Drive};
use crate::reading::{Collection, ReadError, Reading};
use std::collections::BTreeMap;

/// The first PID namespace (`PROC_PID_INIT_INO`).
const FIRST_NAMESPACE: &str = "pid:[4026531836]";

/// What the machine is made of so far.
pub(crate) struct Machine {
    entries: BTreeMap<String, Entry>,
    mounts: Vec<String>,
    denied: Vec<String>,
    places: BTreeMap<String, String>,
}

/// What was read of it.
pub(crate) struct Seen {
    pub(crate) section: BlockSection,
    pub(crate) errors: Vec<ReadError>,
    pub(crate) sources: Vec<String>,
}

impl Machine {
    /// A machine that booted from the network: no disks, `/` in memory.
    pub(crate) fn new() -> Self {
        let mut machine = Self {
            entries: BTreeMap::new(),
            mounts: vec!["1 0 0:2 / / rw - rootfs rootfs rw".to_owned()],
            denied: Vec::new(),
            places: BTreeMap::new(),
        };
        machine.entries.insert("/proc/self/ns/pid".into(), Entry::link(FIRST_NAMESPACE));
        machine.entries.insert("/sys/block".into(), Entry::Dir);
        machine.entries.insert("/sys/class/block".into(), Entry::Dir);
        machine.file("/proc/swaps", "Filename\tType\tSize\tUsed\tPriority")
    }

    pub(crate) fn file(mut self, path: &str, text: &str) -> Self {
        self.entries.insert(path.to_owned(), Entry::file(format!("{text}\n")));
        self
    }

    pub(crate) fn bytes(mut self, path: &str, bytes: &[u8]) -> Self {
        self.entries.insert(path.to_owned(), Entry::file(bytes));
        self
    }

    pub(crate) fn link(mut self, path: &str, target: &str) -> Self {
        self.entries.insert(path.to_owned(), Entry::link(target));
        self
    }

    pub(crate) fn dir(mut self, path: &str) -> Self {
        self.entries.insert(path.to_owned(), Entry::Dir);
        self
    }

    /// The user may not read it.
    pub(crate) fn denied(mut self, path: &str) -> Self {
        self.denied.push(path.to_owned());
        self
    }

    pub(crate) fn without(mut self, path: &str) -> Self {
        self.entries.retain(|entry, _| entry != path && !entry.starts_with(&format!("{path}/")));
        self
    }

    /// The folder of a device below `/sys/devices`.
    pub(crate) fn place(&self, name: &str) -> String {
        format!("/sys/devices/{}", self.places[name])
    }

    /// A whole disk at a place below `/sys/devices`: 512 byte sectors, not rotating, writable.
    pub(crate) fn disk(self, place: &str, dev: &str, sectors: u64) -> Self {
        let name = place.rsplit('/').next().unwrap().to_owned();
        let at = |file: &str| format!("/sys/devices/{place}/{file}");
        let mut machine = self
            .file(&at("dev"), dev)
            .file(&at("size"), &sectors.to_string())
            .file(&at("ro"), "0")
            .file(&at("removable"), "0")
            .file(&at("queue/logical_block_size"), "512")
            .file(&at("queue/physical_block_size"), "512")
            .file(&at("queue/rotational"), "0")
            .file(&at("queue/zoned"), "none")
            .file(&at("queue/write_cache"), "write back")
            .dir(&at("holders"))
            .dir(&at("slaves"))
            .link(&format!("/sys/block/{name}"), &format!("../devices/{place}"))
            .link(&format!("/sys/class/block/{name}"), &format!("../../devices/{place}"));
        machine.places.insert(name, place.to_owned());
        machine
    }

    /// A partition of a disk that is there.
    pub(crate) fn partition(self, disk: &str, name: &str, dev: &str, sectors: u64) -> Self {
        let place = format!("{}/{name}", self.places[disk]);
        let at = |file: &str| format!("/sys/devices/{place}/{file}");
        let mut machine = self
            .file(&at("dev"), dev)
            .file(&at("size"), &sectors.to_string())
            .file(&at("ro"), "0")
            .file(&at("partition"), "1")
            .dir(&at("holders"))
            .link(&format!("/sys/class/block/{name}"), &format!("../../devices/{place}"));
        machine.places.insert(name.to_owned(), place);
        machine
    }

    /// Another value of a disk's own file, as in `set("sda", "queue/rotational", "1")`.
    pub(crate) fn set(self, disk: &str, file: &str, text: &str) -> Self {
        let path = format!("{}/{file}", self.place(disk));
        self.file(&path, text)
    }

    /// `upper` stands on `lower`.
    pub(crate) fn holds(self, upper: &str, lower: &str) -> Self {
        let (above, below) = (self.place(upper), self.place(lower));
        self.link(&format!("{below}/holders/{upper}"), &above).link(&format!("{above}/slaves/{lower}"), &below)
    }

    /// A device of device mapper.
    pub(crate) fn dm(self, number: u32, name: &str, uuid: &str, sectors: u64, below: &[&str]) -> Self {
        let dm = format!("dm-{number}");
        let machine = self
            .disk(&format!("virtual/block/{dm}"), &format!("253:{number}"), sectors)
            .file(&format!("/sys/devices/virtual/block/{dm}/dm/name"), name)
            .file(&format!("/sys/devices/virtual/block/{dm}/dm/uuid"), uuid);
        below.iter().fold(machine, |machine, lower| machine.holds(&dm, lower))
    }

    /// A SCSI disk; `above` is the place of its target's parent. Vendor, model and revision are padded as the kernel does.
    pub(crate) fn scsi(self, disk: &ScsiDisk<'_>) -> Self {
        let (host, rest) = disk.address.split_once(':').unwrap();
        let target = rest.rsplit_once(':').unwrap().0;
        let unit = format!("{}/target{host}:{target}/{}", disk.above, disk.address);
        let at = |file: &str| format!("/sys/devices/{unit}/{file}");
        let [vendor, model, revision] = disk.inquiry;
        let mut machine = self
            .disk(&format!("{unit}/block/{}", disk.name), disk.dev, disk.sectors)
            .link(&format!("/sys/devices/{unit}/block/{}/device", disk.name), &format!("../../../{}", disk.address))
            .file(&at("vendor"), &format!("{vendor:<8}"))
            .file(&at("model"), &format!("{model:<16.16}"))
            .file(&at("rev"), &format!("{revision:<4.4}"))
            .file(&at("state"), "running")
            .file(&at("wwid"), disk.wwid)
            .file(&format!("/sys/devices/{}/scsi_host/host{host}/proc_name", host_place(disk.above)), disk.driver)
            .link(
                &format!("/sys/class/scsi_host/host{host}"),
                &format!("../../devices/{}/scsi_host/host{host}", host_place(disk.above)),
            );
        if !disk.serial.is_empty() {
            machine =
                machine.bytes(&at("vpd_pg80"), &crate::collect::block::vpd::tests::vpd(0x80, disk.serial.as_bytes()));
        }
        machine
    }

    /// An NVMe controller at a place below `/sys/devices`, with its subsystem.
    pub(crate) fn controller(self, place: &str, subsystem: &str, serial: &str) -> Self {
        let name = place.rsplit('/').next().unwrap();
        let at = |file: &str| format!("/sys/devices/{place}/{file}");
        let function = place.rsplit('/').nth(2).unwrap();
        self.file(&at("model"), &format!("{:<40}", "MAKER NVME 3840"))
            .file(&at("serial"), &format!("{serial:<20}"))
            .file(&at("firmware_rev"), "FW12    ")
            .file(&at("state"), "live")
            .file(&at("transport"), "pcie")
            .file(&at("address"), function)
            .file(&at("subsysnqn"), &format!("nqn.2019-10.example:{serial}"))
            .file(&at("cntrltype"), "io")
            .file(&at("numa_node"), "1")
            .file(&format!("/sys/bus/pci/devices/{function}/numa_node"), "1")
            .link(&format!("/sys/class/nvme/{name}"), &format!("../../devices/{place}"))
            .link(
                &format!("/sys/class/nvme-subsystem/{subsystem}"),
                &format!("../../devices/virtual/nvme-subsystem/{subsystem}"),
            )
            .link(&format!("/sys/devices/virtual/nvme-subsystem/{subsystem}/{name}"), &format!("../../../{place}"))
    }

    /// A line of the machine's mount table, from the device number on, as in "8:1 / /data rw - ext4 /dev/sda1 rw".
    pub(crate) fn mount(mut self, line: &str) -> Self {
        let number = self.mounts.len() + 20;
        self.mounts.push(format!("{number} 1 {line}"));
        self
    }

    fn entries(mut self) -> (Vec<(String, Entry)>, Vec<String>) {
        let table = Entry::file(self.mounts.join("\n") + "\n");
        self.entries.entry("/proc/1/mountinfo".into()).or_insert_with(|| table.clone());
        self.entries.entry("/proc/self/mountinfo".into()).or_insert(table);
        (self.entries.into_iter().collect(), self.denied)
    }

    /// Reads it as a whole machine.
    pub(crate) fn read(self) -> Seen {
        let (entries, denied) = self.entries();
        let host = denied.into_iter().fold(Replay::complete(entries), |host, path| {
            host.with(Question::Read(path), Err(HostErrorKind::PermissionDenied))
        });
        read(&host)
    }

    /// Reads it through a recorder, then the recording.
    pub(crate) fn read_twice(self) -> (Seen, Seen) {
        let host = Replay::complete(self.entries().0);
        let recorder = Record::new(&host);
        let seen = read(&recorder);
        let recording = Replay::from_files(recorder.capture()).unwrap();
        (seen, read(&recording))
    }

    /// Reads it once for every file, folder and link that is asked for, with that one refused: the question, and what was
    /// read without its answer. First of all with none refused.
    pub(crate) fn read_without_each(self, kind: HostErrorKind) -> (Seen, Vec<(Question, Seen)>) {
        let entries = self.entries().0;
        let host = Replay::complete(entries.clone());
        let recorder = Record::new(&host);
        let seen = read(&recorder);
        let without = questions(&recorder.capture()).into_iter().map(|question| {
            let host = Replay::complete(entries.clone()).with(question.clone(), Err(kind));
            (question, read(&host))
        });
        (seen, without.collect())
    }

    /// Reads it as a tree that somebody copied, which may lack anything.
    pub(crate) fn read_as_copy(self) -> Seen {
        read(&Replay::from_entries(self.entries().0))
    }
}

fn read(host: &dyn Host) -> Seen {
    let ledger = Ledger::new(host);
    let section = collect(&ledger);
    let (sources, errors) = ledger.close();
    Seen { section, errors, sources }
}

/// The files, folders and links that a recording's manifest says were asked for.
fn questions(capture: &[(String, Vec<u8>)]) -> Vec<Question> {
    let (_, manifest) = capture.iter().find(|(path, _)| path == "muster-capture.json").unwrap();
    let manifest: serde_json::Value = serde_json::from_slice(manifest).unwrap();
    let asked = manifest["questions"].as_array().unwrap().iter().map(|question| &question["ask"]);
    let question = |ask: &serde_json::Value| {
        let path = |word: &str| ask[word].as_str().map(str::to_owned);
        None.or_else(|| path("read").map(Question::Read))
            .or_else(|| path("list").map(Question::List))
            .or_else(|| path("read-link").map(Question::ReadLink))
    };
    asked.map(|ask| question(ask).unwrap_or_else(|| panic!("{ask}"))).collect()
}

/// The host's folder: what stands above ports, end devices and targets.
fn host_place(above: &str) -> String {
    let parts: Vec<&str> = above.split('/').collect();
    let host = parts.iter().position(|part| part.starts_with("host")).unwrap();
    parts[..=host].join("/")
}

/// A SCSI disk of a test.
pub(crate) struct ScsiDisk<'a> {
    pub(crate) name: &'a str,
    pub(crate) dev: &'a str,
    pub(crate) above: &'a str,
    pub(crate) address: &'a str,
    pub(crate) driver: &'a str,
    pub(crate) inquiry: [&'a str; 3],
    pub(crate) wwid: &'a str,
    pub(crate) serial: &'a str,
    pub(crate) sectors: u64,
}

/// A SAS disk behind an HBA.
pub(crate) const SAS: ScsiDisk<'_> = ScsiDisk {
    name: "sda",
    dev: "8:0",
    above: "pci0000:16/0000:18:00.0/host0/port-0:0/end_device-0:0",
    address: "0:0:0:0",
    driver: "mpt3sas",
    inquiry: ["MAKER", "SASDISK12", "B002"],
    wwid: "naa.5000c500a1b2c3d4",
    serial: "ZC1ABCDE",
    sectors: 23_437_770_752,
};

impl Seen {
    /// The drive of this name.
    pub(crate) fn drive(&self, name: &str) -> &Drive {
        self.section.drives.items().iter().find(|drive| drive.name == Reading::Known(name.into())).unwrap()
    }

    /// The names of all drives.
    pub(crate) fn drives(&self) -> Vec<&str> {
        self.section.drives.items().iter().map(|drive| drive.name.known().unwrap().as_str()).collect()
    }

    pub(crate) fn device(&self, name: &str) -> &BlockDevice {
        self.section.block_devices.items().iter().find(|device| device.name == Reading::Known(name.into())).unwrap()
    }

    /// Names and reasons of what is left out.
    pub(crate) fn excluded(&self) -> Vec<(&str, &str)> {
        let items = self.section.excluded.items().iter();
        items.map(|item| (item.name.known().unwrap().as_str(), item.reason.known().unwrap().word())).collect()
    }

    /// Why a reading is not known.
    pub(crate) fn why<T>(&self, reading: &Reading<T>) -> String {
        match reading {
            Reading::Unreadable(id) => self.errors[id.0 as usize].to_string(),
            _ => panic!("the reading is not unreadable"),
        }
    }

    /// Why a collection may lack something.
    pub(crate) fn partial<T>(&self, collection: &Collection<T>) -> Vec<String> {
        collection.reasons().iter().map(|id| self.errors[id.0 as usize].to_string()).collect()
    }

    /// Where a fact of a drive was read.
    pub(crate) fn source(&self, drive: &str, field: &str) -> &str {
        let id = self.drive(drive).sources.get(field).unwrap();
        &self.sources[id.0 as usize]
    }
}

/// A known text.
pub(crate) fn text(value: &str) -> Reading<String> {
    Reading::Known(value.to_owned())
}

/// A known list.
pub(crate) fn list(values: &[&str]) -> Reading<Vec<String>> {
    Reading::Known(values.iter().map(|&value| value.to_owned()).collect())
}
