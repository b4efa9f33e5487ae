//! Memory errors by EDAC. Knows no limits.
//!
//! `drivers/edac/edac_mc_sysfs.c`. Without a driver for the memory controller there is no such folder, and nobody counts.

use crate::collect::ledger::{Ledger, Missing, Read, some_text};
use crate::inventory::edac::{EdacDimm, MemoryController};
use crate::reading::{Collection, ErrorId, Reading};
use crate::units::{Bytes, Seconds};

const MC: &str = "/sys/devices/system/edac/mc";
const ALWAYS: Missing = Missing::Untold("every memory controller of EDAC has it");

/// Reads every memory controller.
pub(crate) fn collect(ledger: &Ledger<'_>) -> Collection<MemoryController> {
    let listing = match ledger.list(MC, Missing::Absent).reading {
        Reading::Known(listing) => listing,
        Reading::Absent => return Collection::Complete(Vec::new()),
        Reading::Unreadable(error) => return Collection::Unreadable(error),
    };
    let names = listing.names.iter().filter(|name| numbered(name, "mc"));
    let controllers = names.map(|name| controller(ledger, name)).collect();
    let reason = (!listing.complete).then(|| ledger.incomplete(MC));
    Collection::new(controllers, reason.into_iter().collect())
}

fn numbered(name: &str, prefix: &str) -> bool {
    let digits = name.strip_prefix(prefix).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("no count: {text:?}"))
}

/// `size_mb` and `size` are in MiB (`PAGES_TO_MiB`).
fn mebibytes(text: &str) -> Result<Bytes, String> {
    count(text)?.checked_mul(1 << 20).map(Bytes).ok_or_else(|| format!("{text} MiB"))
}

/// A label, which may be empty.
fn label(ledger: &Ledger<'_>, path: &str, missing: Missing) -> Read<String> {
    let read = ledger.parsed(path, missing, |text| Ok(text.trim().to_owned()));
    let reading = match read.reading {
        Reading::Known(text) if text.is_empty() => Reading::Absent,
        other => other,
    };
    Read { reading, source: read.source }
}

fn controller(ledger: &Ledger<'_>, name: &str) -> MemoryController {
    let at = |file: &str| format!("{MC}/{name}/{file}");
    let mut controller = MemoryController::default();
    let list = ledger.source(format!("list {MC}"));
    set!(controller.name, Read { reading: Reading::Known(name.to_owned()), source: list });
    set!(controller.model, ledger.parsed(&at("mc_name"), ALWAYS, some_text));
    set!(controller.bytes, ledger.parsed(&at("size_mb"), ALWAYS, mebibytes));
    set!(controller.corrected_errors, ledger.parsed(&at("ce_count"), ALWAYS, count));
    set!(controller.uncorrected_errors, ledger.parsed(&at("ue_count"), ALWAYS, count));
    set!(controller.corrected_unplaced, ledger.parsed(&at("ce_noinfo_count"), ALWAYS, count));
    set!(controller.uncorrected_unplaced, ledger.parsed(&at("ue_noinfo_count"), ALWAYS, count));
    set!(
        controller.counted_for,
        ledger.parsed(&at("seconds_since_reset"), ALWAYS, |text| count(text).map(|seconds| Seconds(seconds as f64)))
    );
    let base = format!("{MC}/{name}");
    controller.sources.set("dimms", ledger.source(format!("list {base}")));
    controller.dimms = match ledger.names(&base, ALWAYS) {
        Reading::Known(listing) => {
            let mut reasons: Vec<ErrorId> = Vec::new();
            if !listing.complete {
                reasons.push(ledger.incomplete(&base));
            }
            let is_dimm = |name: &&String| numbered(name, "dimm") || numbered(name, "rank");
            let mut dimms: Vec<EdacDimm> =
                sorted(listing.names.iter().filter(is_dimm)).map(|dimm| module(ledger, &base, dimm)).collect();
            // Kernels before 3.6, and those built with CONFIG_EDAC_LEGACY_SYSFS beside the others.
            if dimms.is_empty() {
                for row in sorted(listing.names.iter().filter(|name| numbered(name, "csrow"))) {
                    dimms.extend(channels(ledger, &base, row, &mut reasons));
                }
            }
            Collection::new(dimms, reasons)
        }
        Reading::Absent => Collection::Complete(Vec::new()),
        Reading::Unreadable(error) => Collection::Unreadable(error),
    };
    controller
}

/// By number, so that dimm2 comes before dimm10.
fn sorted<'n>(names: impl Iterator<Item = &'n String>) -> impl Iterator<Item = &'n String> {
    let mut names: Vec<&String> = names.collect();
    names.sort_by_key(|name| (name.len(), (*name).clone()));
    names.into_iter()
}

fn module(ledger: &Ledger<'_>, base: &str, name: &str) -> EdacDimm {
    const TOLD: Missing = Missing::Untold("every module of EDAC has it");
    const COUNTED: Missing = Missing::Untold("the kernel is older than 4.10");
    let at = |file: &str| format!("{base}/{name}/{file}");
    let mut dimm = EdacDimm::default();
    let list = ledger.source(format!("list {base}"));
    set!(dimm.name, Read { reading: Reading::Known(name.to_owned()), source: list });
    set!(dimm.label, label(ledger, &at("dimm_label"), TOLD));
    set!(dimm.location, ledger.parsed(&at("dimm_location"), TOLD, some_text));
    set!(dimm.memory_type, ledger.parsed(&at("dimm_mem_type"), TOLD, some_text));
    set!(dimm.error_correction, ledger.parsed(&at("dimm_edac_mode"), TOLD, some_text));
    set!(dimm.bytes, ledger.parsed(&at("size"), TOLD, mebibytes));
    set!(dimm.corrected_errors, ledger.parsed(&at("dimm_ce_count"), COUNTED, count));
    set!(dimm.uncorrected_errors, ledger.parsed(&at("dimm_ue_count"), COUNTED, count));
    dimm
}

/// The channels of a chip-select row: `ch0_ce_count`, `ch0_dimm_label`.
fn channels(ledger: &Ledger<'_>, base: &str, row: &str, reasons: &mut Vec<ErrorId>) -> Vec<EdacDimm> {
    let at = format!("{base}/{row}");
    let names = match ledger.names(&at, ALWAYS) {
        Reading::Known(listing) => {
            if !listing.complete {
                reasons.push(ledger.incomplete(&at));
            }
            listing.names
        }
        Reading::Absent => Vec::new(),
        Reading::Unreadable(error) => {
            reasons.push(error);
            Vec::new()
        }
    };
    let channels: Vec<String> = names
        .iter()
        .filter_map(|name| name.strip_suffix("_ce_count"))
        .filter(|name| numbered(name, "ch"))
        .map(str::to_owned)
        .collect();
    let channel = |channel: &String| {
        let mut dimm = EdacDimm::default();
        let source = ledger.source(format!("list {at}"));
        let old =
            || Read { reading: Reading::Absent, source: ledger.source("derived: the kernel tells rows and channels") };
        set!(dimm.name, Read { reading: Reading::Known(format!("{row}/{channel}")), source });
        set!(dimm.label, label(ledger, &format!("{at}/{channel}_dimm_label"), Missing::Absent));
        set!(dimm.corrected_errors, ledger.parsed(&format!("{at}/{channel}_ce_count"), ALWAYS, count));
        set!(dimm.uncorrected_errors, Read { reading: Reading::Absent, source });
        set!(dimm.location, old());
        set!(dimm.memory_type, old());
        set!(dimm.error_correction, old());
        set!(dimm.bytes, Read { reading: Reading::Absent, source });
        dimm
    };
    sorted(channels.iter()).map(channel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Entry, HostErrorKind, Question, Replay};

    /// One controller with two modules, of which one has had errors.
    fn machine() -> Vec<(String, Entry)> {
        let mut entries = Vec::new();
        let mut file =
            |path: &str, text: &str| entries.push((format!("{MC}/mc0/{path}"), Entry::file(format!("{text}\n"))));
        for (name, text) in [
            ("mc_name", "Skylake Socket#0 IMC#0"),
            ("size_mb", "65536"),
            ("ce_count", "13"),
            ("ue_count", "1"),
            ("ce_noinfo_count", "0"),
            ("ue_noinfo_count", "1"),
            ("seconds_since_reset", "86400"),
        ] {
            file(name, text);
        }
        for (dimm, label, corrected) in
            [("dimm0", "CPU_SrcID#0_MC#0_Chan#0_DIMM#0", "13"), ("dimm10", "", "0"), ("dimm2", "B1", "0")]
        {
            file(&format!("{dimm}/dimm_label"), label);
            file(&format!("{dimm}/dimm_location"), "channel 0 slot 0 ");
            file(&format!("{dimm}/dimm_mem_type"), "Registered-DDR4");
            file(&format!("{dimm}/dimm_edac_mode"), "SECDED");
            file(&format!("{dimm}/size"), "32768");
            file(&format!("{dimm}/dimm_ce_count"), corrected);
            file(&format!("{dimm}/dimm_ue_count"), "0");
        }
        entries
    }

    #[test]
    fn controllers_and_modules() {
        let host = Replay::complete(machine());
        let found = collect(&Ledger::new(&host));
        let [mc] = found.items() else { panic!("{found:?}") };
        assert_eq!(mc.model, Reading::Known("Skylake Socket#0 IMC#0".into()));
        assert_eq!(mc.bytes, Reading::Known(Bytes(64 << 30)));
        assert_eq!((&mc.corrected_errors, &mc.uncorrected_errors), (&Reading::Known(13), &Reading::Known(1)));
        assert_eq!(
            (&mc.uncorrected_unplaced, &mc.counted_for),
            (&Reading::Known(1), &Reading::Known(Seconds(86400.0)))
        );
        let names: Vec<_> = mc.dimms.items().iter().map(|dimm| dimm.name.known().unwrap().as_str()).collect();
        assert_eq!(names, ["dimm0", "dimm2", "dimm10"]);
        let dimm = &mc.dimms.items()[0];
        assert_eq!(dimm.label, Reading::Known("CPU_SrcID#0_MC#0_Chan#0_DIMM#0".into()));
        assert_eq!(
            (&dimm.location, &dimm.bytes),
            (&Reading::Known("channel 0 slot 0".into()), &Reading::Known(Bytes(32 << 30)))
        );
        assert_eq!((&dimm.corrected_errors, &dimm.uncorrected_errors), (&Reading::Known(13), &Reading::Known(0)));
        assert_eq!(mc.dimms.items()[2].label, Reading::Absent);
    }

    #[test]
    fn rows_and_channels_of_old_kernels() {
        let mut entries: Vec<_> = machine().into_iter().filter(|(path, _)| !path.contains("/dimm")).collect();
        for (file, text) in
            [("ch0_ce_count", "2"), ("ch0_dimm_label", "DIMM_A1"), ("ch1_ce_count", "0"), ("ce_count", "2")]
        {
            entries.push((format!("{MC}/mc0/csrow0/{file}"), Entry::file(format!("{text}\n"))));
        }
        let host = Replay::complete(entries);
        let found = collect(&Ledger::new(&host));
        let dimms = found.items()[0].dimms.items();
        assert_eq!(dimms.len(), 2);
        assert_eq!(
            (&dimms[0].name, &dimms[0].label),
            (&Reading::Known("csrow0/ch0".into()), &Reading::Known("DIMM_A1".into()))
        );
        assert_eq!((&dimms[0].corrected_errors, &dimms[0].uncorrected_errors), (&Reading::Known(2), &Reading::Absent));
        assert_eq!(dimms[1].label, Reading::Absent);
    }

    #[test]
    fn without_a_driver_nobody_counts_and_garbage_is_malformed() {
        let none = Replay::complete([("/sys/devices/system/cpu/online", Entry::file("0"))]);
        assert_eq!(collect(&Ledger::new(&none)), Collection::Complete(Vec::new()));
        let denied = Replay::complete(machine()).with(Question::List(MC.into()), Err(HostErrorKind::PermissionDenied));
        assert!(matches!(collect(&Ledger::new(&denied)), Collection::Unreadable(_)));
        let copy = Replay::from_entries(machine());
        assert_eq!(collect(&Ledger::new(&copy)).reasons().len(), 1);
        for text in ["-1", "", "many", "99999999999999999999"] {
            let mut entries = machine();
            entries.retain(|(path, _)| !path.ends_with("mc0/ce_count") && !path.ends_with("mc0/size_mb"));
            entries.push((format!("{MC}/mc0/ce_count"), Entry::file(format!("{text}\n"))));
            let host = Replay::complete(entries);
            let found = collect(&Ledger::new(&host));
            let mc = &found.items()[0];
            assert!(
                matches!(mc.corrected_errors, Reading::Unreadable(_)) && matches!(mc.bytes, Reading::Unreadable(_))
            );
        }
    }
}
