//! NVMe drives asked by admin commands: what the controller is, how it fares, and how its namespaces are laid out.
//!
//! Identify, log pages and current features only, through the one door; nothing is set, nothing acknowledged. Which controllers there are is known
//! from sysfs ([`super::block`]); they are asked side by side. Knows no limits.

mod identify;
mod layout;
mod log;
mod structure;
#[cfg(test)]
mod tests;

use super::block::BlockSection;
use super::caution;
use super::ledger::{Ledger, Missing, Read};
use super::side_by_side;
use crate::host::{NvmeAdmin, NvmeAnswer};
use crate::inventory::NvmeController;
use crate::inventory::health::Health;
use crate::inventory::nvme::{EnduranceGroup, ErrorEntry, Features, Firmware, Identify, Namespace};
use crate::reading::{Collection, ErrorId, ErrorKind, Reading, SourceId};
use layout::{
    EnduranceGroupLog, ErrorLogEntry, FirmwareSlots, IdentifyController, IdentifyNamespace, SelfTestLog, SmartLog,
};
pub(crate) use log::critical_warnings;
use std::collections::{BTreeMap, BTreeSet};
use structure::{Structure, Support, ask};

/// Every namespace, or the controller itself.
const ALL_NAMESPACES: u32 = 0xffff_ffff;
/// Most entries of the error log that are read: the newest.
const ERROR_ENTRIES: u32 = 64;

record! {
    /// What one controller told.
    pub struct Asked {
        /// Identify Controller.
        pub identify: Identify,
        /// Firmware Slot Information.
        pub firmware_slots: Firmware,
        /// Get Features.
        pub features: Features,
        /// Error Information.
        pub error_log: Collection<ErrorEntry>,
        /// Endurance Group Information.
        pub endurance_groups: Collection<EnduranceGroup>,
        /// Identify Namespace.
        pub namespaces: Collection<Namespace>,
        /// SMART / Health, self-tests, write cache.
        pub health: Health,
    }
}

/// Asks every NVMe controller, and completes controllers and drives by what they told.
pub(crate) fn collect(ledger: &Ledger<'_>, block: &mut BlockSection) {
    let asked =
        side_by_side::each(ledger, block.nvme_controllers.items(), side_by_side::BOUND, |ledger, controller| {
            Controller::new(ledger, controller).ask()
        });
    let mut by_name = BTreeMap::new();
    for (controller, mut asked) in block.nvme_controllers.items_mut().iter_mut().zip(asked) {
        controller.identify = std::mem::take(&mut asked.identify);
        controller.firmware_slots = std::mem::take(&mut asked.firmware_slots);
        controller.features = std::mem::take(&mut asked.features);
        controller.error_log = std::mem::take(&mut asked.error_log);
        controller.endurance_groups = std::mem::take(&mut asked.endurance_groups);
        for field in ["error_log", "endurance_groups"] {
            if let Some(source) = asked.sources.get(field) {
                controller.sources.set(field, source);
            }
        }
        if let Some(name) = controller.name.known() {
            by_name.insert(name.clone(), asked);
        }
    }
    for drive in block.drives.items_mut() {
        let paths = match &drive.paths {
            Reading::Known(paths) => paths,
            Reading::Unreadable(error) => {
                drive.namespaces = Collection::Unreadable(*error);
                continue;
            }
            Reading::Absent => &Vec::new(),
        };
        let controllers: Vec<&Asked> = paths.iter().filter_map(|path| by_name.get(path)).collect();
        // Two controllers of one subsystem tell of the same media; one that does not answer must not hide the other.
        let answered = controllers.iter().find(|asked| asked.health.passed.known().is_some());
        let Some(told) = answered.or(controllers.first()) else {
            // A namespace whose controller is not listed has one all the same.
            let unlisted = paths.iter().find(|path| path.strip_prefix("nvme").is_some());
            drive.namespaces = match unlisted {
                Some(path) => {
                    let operation = format!("ask {path} for its namespaces");
                    let cause = "the controller is not listed";
                    Collection::Unreadable(ledger.error(operation, ErrorKind::NotFound, cause))
                }
                None => Collection::Complete(Vec::new()),
            };
            let source = drive.sources.get("paths").unwrap_or_else(|| ledger.source("derived: paths"));
            drive.sources.set("namespaces", source);
            continue;
        };
        drive.health = told.health.clone();
        let own = drive.block_devices.known().cloned().unwrap_or_default();
        let mut namespaces = BTreeMap::new();
        let mut reasons = Vec::new();
        for asked in &controllers {
            reasons.extend_from_slice(asked.namespaces.reasons());
            for namespace in asked.namespaces.items() {
                let Some(name) = namespace.name.known().filter(|name| own.contains(name)) else { continue };
                let better = namespaces.get(name).is_none_or(|other: &Namespace| other.bytes.known().is_none());
                if better {
                    namespaces.insert(name.clone(), namespace.clone());
                }
            }
        }
        drive.namespaces = Collection::new(namespaces.into_values().collect(), reasons);
        if let Some(source) = told.sources.get("namespaces") {
            drive.sources.set("namespaces", source);
        }
    }
}

/// One controller that is being asked.
struct Controller<'a, 'h> {
    ledger: &'a Ledger<'h>,
    controller: &'a NvmeController,
    device: String,
}

impl<'a, 'h> Controller<'a, 'h> {
    fn new(ledger: &'a Ledger<'h>, controller: &'a NvmeController) -> Self {
        let device = format!("/dev/{}", controller.name.known().map_or("", String::as_str));
        Self { ledger, controller, device }
    }

    /// Puts a command, unless an earlier answer says that there is no use.
    fn put(&self, unread: Option<(ErrorId, SourceId)>, command: NvmeAdmin, support: Support) -> Read<NvmeAnswer> {
        match unread {
            Some((error, source)) => Read { reading: Reading::Unreadable(error), source },
            None => ask(self.ledger, &self.device, command, support),
        }
    }

    fn log(&self, lid: u8, length: u32) -> NvmeAdmin {
        NvmeAdmin::GetLogPage { lid, lsp: 0, lsi: 0, nsid: ALL_NAMESPACES, length, offset: 0 }
    }

    fn named(&self, what: &str) -> String {
        format!("{} {what}", self.device)
    }

    fn ask(&self) -> Asked {
        let mut asked = Asked::default();
        let answer = ask(self.ledger, &self.device, NvmeAdmin::Identify { cns: 1, nsid: 0 }, Support::Mandatory);
        let identify = Structure::<IdentifyController>::of(self.ledger, &answer, self.named("Identify Controller"));
        // A controller that may not be asked, or does not answer this, is asked no more.
        let unread = match &answer.reading {
            Reading::Unreadable(error) => Some((*error, answer.source)),
            Reading::Known(_) | Reading::Absent => None,
        };
        asked.identify = identify::controller(self.ledger, &identify);

        let slots = self.put(unread, self.log(0x03, 512), Support::Mandatory);
        let slots = Structure::<FirmwareSlots>::of(self.ledger, &slots, self.named("Firmware Slot Information"));
        asked.firmware_slots = log::firmware(self.ledger, &slots);
        asked.features = self.features(unread, &identify);
        self.error_log(unread, &identify, &mut asked);
        self.namespaces(unread, &mut asked);
        self.endurance_groups(unread, &identify, &mut asked);
        asked.health = self.health(unread, &identify, &asked.features);
        asked
    }

    fn features(&self, unread: Option<(ErrorId, SourceId)>, identify: &Structure<'_, IdentifyController>) -> Features {
        let mut features = Features::default();
        let get = |fid: u8, length: u32| {
            let command = NvmeAdmin::GetFeatures { fid, sel: 0, cdw11: 0, nsid: 0, length };
            self.put(unread, command, Support::Optional)
        };
        // What Identify says that the controller has not is not asked for.
        let has = |bit: fn(&IdentifyController) -> bool| match &identify.reading {
            Reading::Known(identify) => bit(identify),
            Reading::Absent | Reading::Unreadable(_) => true,
        };
        let none = || Read { reading: Reading::Absent, source: identify.source };
        set!(
            features.volatile_write_cache,
            if has(|c| c.vwc & 1 != 0) { get(0x06, 0).map(|answer| answer.result & 1 != 0) } else { none() }
        );
        set!(
            features.autonomous_power_states,
            if has(|c| c.apsta & 1 != 0) { get(0x0c, 256).map(|answer| answer.result & 1 != 0) } else { none() }
        );
        set!(features.power_state, get(0x02, 0).map(|answer| u64::from(answer.result & 0x1f)));
        let queues = get(0x07, 0);
        set!(features.submission_queues, queues.clone().map(|answer| u64::from(answer.result & 0xffff) + 1));
        set!(features.completion_queues, queues.map(|answer| u64::from(answer.result >> 16) + 1));
        let threshold = get(0x04, 0);
        let reading = match &threshold.reading {
            Reading::Known(answer) => match log::kelvin((answer.result & 0xffff) as u16) {
                Ok(Some(temperature)) => Reading::Known(temperature),
                // FFFFh, or another that no drive reaches, switches the event off.
                Ok(None) | Err(_) => Reading::Absent,
            },
            Reading::Absent => Reading::Absent,
            Reading::Unreadable(error) => Reading::Unreadable(*error),
        };
        set!(features.temperature_threshold, Read { reading, source: threshold.source });
        features
    }

    fn error_log(
        &self,
        unread: Option<(ErrorId, SourceId)>,
        identify: &Structure<'_, IdentifyController>,
        asked: &mut Asked,
    ) {
        let entries = match &identify.reading {
            Reading::Known(identify) => (u32::from(identify.elpe) + 1).min(ERROR_ENTRIES),
            Reading::Absent | Reading::Unreadable(_) => 1,
        };
        let answer = self.put(unread, self.log(0x01, entries * 64), Support::Mandatory);
        asked.sources.set("error_log", answer.source);
        let first = Structure::<ErrorLogEntry>::of(self.ledger, &answer, self.named("Error Information"));
        asked.error_log = match (&first.reading, &answer.reading) {
            (Reading::Known(_), Reading::Known(answer)) => {
                Collection::Complete(log::errors(self.ledger, &first, &answer.data))
            }
            (Reading::Unreadable(error), _) => Collection::Unreadable(*error),
            _ => Collection::Complete(Vec::new()),
        };
    }

    fn namespaces(&self, unread: Option<(ErrorId, SourceId)>, asked: &mut Asked) {
        asked.sources.set("namespaces", self.ledger.source(format!("NVMe Identify of {}", self.device)));
        let names = match &self.controller.namespaces {
            Reading::Known(names) => names.as_slice(),
            Reading::Absent => &[],
            // Why is noted in the section's ledger, whose numbers mean nothing in this one.
            Reading::Unreadable(_) => {
                let operation = format!("ask {} for its namespaces", self.device);
                let cause = "which namespaces it has could not be read";
                asked.namespaces = Collection::Unreadable(self.ledger.error(operation, ErrorKind::NotFound, cause));
                return;
            }
        };
        let source = self.ledger.source("derived: namespaces of the controller");
        let namespaces = names.iter().map(|name| {
            let mut namespace = Namespace::default();
            set!(namespace.name, Read { reading: Reading::Known(name.clone()), source });
            let path = format!("/sys/class/block/{name}/nsid");
            set!(
                namespace.nsid,
                self.ledger.parsed(&path, Missing::Untold("the kernel does not tell the identifier"), |text| text
                    .parse::<u64>()
                    .map_err(|error| format!("{text:?}: {error}")))
            );
            self.namespace(unread, &mut namespace);
            namespace
        });
        asked.namespaces = Collection::Complete(namespaces.collect());
    }

    fn namespace(&self, unread: Option<(ErrorId, SourceId)>, namespace: &mut Namespace) {
        let name = format!("{} Identify Namespace", namespace.name.known().map_or("", String::as_str));
        let source = namespace.sources.get("nsid").unwrap_or(SourceId(0));
        let (nsid, unread) = match &namespace.nsid {
            Reading::Known(nsid) => match u32::try_from(*nsid) {
                Ok(nsid) => (nsid, unread),
                Err(_) => {
                    let cause = format!("the namespace identifier {nsid} has more than 32 bits");
                    (0, Some((self.ledger.error(format!("ask for {name}"), ErrorKind::Malformed, cause), source)))
                }
            },
            Reading::Unreadable(error) => (0, unread.or(Some((*error, source)))),
            Reading::Absent => {
                let error = self.ledger.error(format!("ask for {name}"), ErrorKind::NotFound, "it has no identifier");
                (0, Some((error, source)))
            }
        };
        let answer = self.put(unread, NvmeAdmin::Identify { cns: 0, nsid }, Support::Mandatory);
        let mut told = Structure::<IdentifyNamespace>::of(self.ledger, &answer, name.clone());
        if matches!(&told.reading, Reading::Known(told) if told.nsze.get() == 0) {
            let reading = self.ledger.malformed::<()>(&name, "the namespace is not active: its size is 0");
            if let Reading::Unreadable(error) = reading {
                told = Structure::unread(error, answer.source, name.clone());
            }
        }
        identify::namespace(self.ledger, &told, namespace);

        let answer = self.put(unread, NvmeAdmin::Identify { cns: 3, nsid }, Support::Optional);
        let descriptors = match &answer.reading {
            Reading::Known(answer) => match identify::descriptors(&answer.data) {
                Ok(descriptors) => Reading::Known(descriptors),
                Err(cause) => self.ledger.malformed(&format!("{name} descriptors"), cause),
            },
            Reading::Absent => Reading::Absent,
            Reading::Unreadable(error) => Reading::Unreadable(*error),
        };
        let known = descriptors.known();
        for (field, kind, slot) in [("eui64", 1, &mut namespace.eui64), ("nguid", 2, &mut namespace.nguid)] {
            if let Some(identifier) = known.and_then(|known| identify::described(known, kind)) {
                *slot = Reading::Known(identifier);
                namespace.sources.set(field, answer.source);
            }
        }
        let uuid = match descriptors {
            Reading::Known(known) => identify::described(&known, 3).map_or(Reading::Absent, Reading::Known),
            Reading::Absent => Reading::Absent,
            Reading::Unreadable(error) => Reading::Unreadable(error),
        };
        set!(namespace.uuid, Read { reading: uuid, source: answer.source });
    }

    fn endurance_groups(
        &self,
        unread: Option<(ErrorId, SourceId)>,
        identify: &Structure<'_, IdentifyController>,
        asked: &mut Asked,
    ) {
        asked.sources.set("endurance_groups", identify.source);
        asked.endurance_groups = match &identify.reading {
            Reading::Unreadable(error) => Collection::Unreadable(*error),
            Reading::Absent => Collection::Complete(Vec::new()),
            Reading::Known(told) if told.ctratt.get() & identify::ENDURANCE_GROUPS == 0 => {
                Collection::Complete(Vec::new())
            }
            Reading::Known(_) => {
                let mut reasons: Vec<ErrorId> = asked.namespaces.reasons().to_vec();
                let mut groups = BTreeSet::new();
                for namespace in asked.namespaces.items() {
                    match &namespace.endurance_group {
                        Reading::Known(id) => groups.extend(u16::try_from(*id)),
                        Reading::Unreadable(error) => reasons.push(*error),
                        Reading::Absent => {}
                    }
                }
                let groups = groups.into_iter().map(|id| {
                    let command = NvmeAdmin::GetLogPage {
                        lid: 0x09,
                        lsp: 0,
                        lsi: id,
                        nsid: ALL_NAMESPACES,
                        length: 512,
                        offset: 0,
                    };
                    let answer = self.put(unread, command, Support::Optional);
                    let name = self.named("Endurance Group Information");
                    let told = Structure::<EnduranceGroupLog>::of(self.ledger, &answer, name);
                    log::endurance_group(self.ledger, &told, id)
                });
                Collection::new(groups.collect(), reasons)
            }
        };
    }

    fn health(
        &self,
        unread: Option<(ErrorId, SourceId)>,
        identify: &Structure<'_, IdentifyController>,
        features: &Features,
    ) -> Health {
        let mut health = Health::default();
        let derived = |what: &str| self.ledger.source(format!("derived: {what}"));
        let known = derived("how the drive was asked");
        set!(health.interface, Read { reading: Reading::Known("nvme admin commands".to_owned()), source: known });
        let answer = self.put(unread, self.log(0x02, 512), Support::Mandatory);
        let smart = Structure::<SmartLog>::of(self.ledger, &answer, self.named("SMART / Health"));
        log::health(self.ledger, &smart, identify, &mut health);
        health.write_cache = features.volatile_write_cache.clone();
        if let Some(source) = features.sources.get("volatile_write_cache") {
            health.sources.set("write_cache", source);
        }

        let mut not_asked = Vec::new();
        let tests = |reading| Structure::<SelfTestLog> {
            reading,
            source: identify.source,
            name: self.named("Device Self-test"),
        };
        let without = match &identify.reading {
            Reading::Known(told) if told.oacs.get() & identify::DEVICE_SELF_TEST == 0 => Some(Reading::Absent),
            Reading::Absent => Some(Reading::Absent),
            Reading::Unreadable(error) => Some(Reading::Unreadable(*error)),
            Reading::Known(_) => {
                let word = |reading: &Reading<String>| reading.known().cloned().unwrap_or_default();
                let (model, firmware) = (word(&self.controller.model), word(&self.controller.firmware));
                caution::self_test_log(&model, &firmware).map(|reason| {
                    not_asked.push(format!("self-test log: {reason}"));
                    let operation = format!("ask {} for its self-test log", self.device);
                    Reading::Unreadable(self.ledger.error(operation, ErrorKind::NotSupported, reason))
                })
            }
        };
        let answer;
        let log = match without {
            Some(reading) => tests(reading),
            None => {
                answer = self.put(unread, self.log(0x06, 564), Support::Optional);
                Structure::of(self.ledger, &answer, self.named("Device Self-test"))
            }
        };
        set!(health.self_test, log.field(self.ledger, log::newest_self_test));
        set!(health.self_test_failures, log.field(self.ledger, |log| Ok(Some(log::failed_self_tests(log)))));
        set!(health.not_asked, Read { reading: Reading::Known(not_asked), source: known });

        let source = derived("NVMe has none");
        macro_rules! absent {
            ($($field:ident),*) => {
                $( set!(health.$field, Read { reading: Reading::Absent, source }); )*
            };
        }
        absent!(
            reallocated_sectors,
            pending_sectors,
            offline_uncorrectable,
            grown_defects,
            interface_crc_errors,
            non_medium_errors,
            attributes_failing,
            attributes_failed_before,
            link_speed,
            max_link_speed,
            smartctl_signs,
            standby
        );
        health
    }
}
