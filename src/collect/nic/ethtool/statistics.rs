//! Counters of the driver's own: of the thousands that there may be, those of the port that tell of a bad line or of congestion.
//!
//! Every driver has its own names for the same things. [`MEANINGS`] says which are which, from the drivers' sources:
//! mlx5 (`en_stats.c`), i40e (`i40e_ethtool.c`), ice (`ice_ethtool.c`), ixgbe (`ixgbe_ethtool.c`), igb (`igb_ethtool.c`), bnxt
//! (`bnxt_ethtool.c`), qede (`qede_ethtool.c`), cxgb4 (`cxgb4_ethtool.c`). Never tried on hardware.

use super::ask::{Command, Port, StringSet, Told, elements, header, request};
use super::layout;
use crate::collect::ledger::Read;
use crate::inventory::ethtool::{PortCounters, Statistic};
use crate::reading::{Collection, ErrorId, Reading, SourceId};
use std::mem::size_of;

/// `ETHTOOL_GSTATS`.
pub(super) const GSTATS: Command = Command(0x1d, "GSTATS");

/// Names of one meaning. Of several lines the first counts of which the driver has a name, and all of that line: i40e has both `port.rx_crc_errors`
/// and `rx_crc_errors`, which are the same packets. `*` stands for a number.
type Meaning = &'static [&'static [&'static str]];

const CRC_ERRORS: Meaning = &[
    &["rx_crc_errors_phy"],
    &["port.rx_crc_errors"],
    &["rx_crc_errors.nic"],
    &["rx_fcs_err_frames"],
    &["rx_fcs_errors"],
    &["rx_crc_errors"],
];
const SYMBOL_ERRORS: Meaning = &[
    &["rx_symbol_err_phy"],
    &["rx_pcs_symbol_err"],
    &["rx_code_err_frames"],
    &["rx_symbol_errors"],
    &["port.illegal_bytes"],
    &["illegal_bytes.nic"],
];
const DISCARDS: Meaning = &[
    &["rx_discards_phy"],
    &["port.rx_discards"],
    &["port.rx_dropped"],
    &["rx_dropped.nic"],
    &["rx_discard_packets_cos*"],
    &["rx_bg*_frames_dropped"],
    &["brb_discards"],
    &["rx_missed_errors"],
];
const OUT_OF_BUFFER: Meaning =
    &[&["rx_out_of_buffer"], &["no_buff_discards"], &["rx_no_dma_resources"], &["rx_no_buffer_count"]];
const RX_PAUSE: Meaning = &[
    &["rx_pause_ctrl_phy"],
    &["port.link_xoff_rx"],
    &["link_xoff_rx.nic"],
    &["rx_flow_control_xoff"],
    &["rx_pause_frames"],
];
const TX_PAUSE: Meaning = &[
    &["tx_pause_ctrl_phy"],
    &["port.link_xoff_tx"],
    &["link_xoff_tx.nic"],
    &["tx_flow_control_xoff"],
    &["tx_pause_frames"],
];
const RX_PRIORITY_PAUSE: Meaning = &[
    &["rx_prio*_pause"],
    &["port.rx_priority_*_xoff", "port.rx_priority_*_xoff_rx"],
    &["rx_priority_*_xoff.nic"],
    &["rx_pb_*_pxoff"],
    &["rx_pfc_ena_frames_pri*"],
    &["rx_ppp*_frames"],
    &["rx_pfc_frames"],
];
const TX_PRIORITY_PAUSE: Meaning = &[
    &["tx_prio*_pause"],
    &["port.tx_priority_*_xoff", "port.tx_priority_*_xoff_tx"],
    &["tx_priority_*_xoff.nic"],
    &["tx_pb_*_pxoff"],
    &["tx_pfc_ena_frames_pri*"],
    &["tx_ppp*_frames"],
    &["tx_pfc_frames"],
];
const PAUSE_STORMS: Meaning =
    &[&["tx_pause_storm_warning_events", "tx_pause_storm_error_events"], &["continuous_pause_events"]];
const LINK_DOWNS: Meaning = &[&["link_down_events_phy"], &["link_down_events"]];

/// Told by name too, though they are of none of these meanings.
const OTHERS: &[&str] = &[
    "rx_prio*_discards",
    "tx_discards_phy",
    "tx_errors_phy",
    "rx_in_range_len_errors_phy",
    "rx_oversize_pkts_phy",
    "rx_corrected_bits_phy",
    "rx_corrected_bits",
    "rx_fec_uncorrectable_blocks",
    "port.mac_local_faults",
    "port.mac_remote_faults",
    "mac_local_faults.nic",
    "mac_remote_faults.nic",
    "port.tx_dropped_link_down",
    "tx_dropped_link_down.nic",
    "rx_align_err_frames",
    "rx_align_errors",
    "link_change_count",
];

const MEANINGS: [Meaning; 10] = [
    CRC_ERRORS,
    SYMBOL_ERRORS,
    DISCARDS,
    OUT_OF_BUFFER,
    RX_PAUSE,
    TX_PAUSE,
    RX_PRIORITY_PAUSE,
    TX_PRIORITY_PAUSE,
    PAUSE_STORMS,
    LINK_DOWNS,
];

/// Reads the counters: by meaning, and by name.
pub(super) fn read(port: &Port<'_, '_>) -> (PortCounters, Collection<Statistic>, SourceId) {
    let names = port.strings(StringSet::Stats);
    let source = names.source;
    let counted = match names.reading {
        Reading::Known(names) if !names.is_empty() => {
            let count = names.len() as u32;
            let answer = port.ask(GSTATS, &stats_request(count));
            let source = answer.source;
            let told = Told::of(port.ledger, answer, port.words(GSTATS), |answer| parse_stats(answer, count));
            Read { reading: told.reading.map(|values| selected(names, values)), source }
        }
        Reading::Known(_) => Read { reading: Reading::Known(Vec::new()), source },
        Reading::Absent => Read { reading: Reading::Absent, source },
        Reading::Unreadable(error) => Read { reading: Reading::Unreadable(error), source },
    };
    let statistics = match &counted.reading {
        Reading::Known(counted) => {
            Collection::Complete(counted.iter().map(|(name, value)| statistic(name, *value, source)).collect())
        }
        Reading::Absent => Collection::Complete(Vec::new()),
        Reading::Unreadable(error) => Collection::Unreadable(*error),
    };
    (counters(port, &counted), statistics, counted.source)
}

fn statistic(name: &str, value: u64, source: SourceId) -> Statistic {
    let mut statistic = Statistic::default();
    set!(statistic.name, Read { reading: Reading::Known(name.to_owned()), source });
    set!(statistic.value, Read { reading: Reading::Known(value), source });
    statistic
}

fn counters(port: &Port<'_, '_>, counted: &Read<Vec<(String, u64)>>) -> PortCounters {
    let mut counters = PortCounters::default();
    macro_rules! sum {
        ($($field:ident: $meaning:ident),* $(,)?) => {
            $(set!(counters.$field, total(port, counted, $meaning));)*
        };
    }
    sum!(
        crc_errors: CRC_ERRORS,
        symbol_errors: SYMBOL_ERRORS,
        discards: DISCARDS,
        out_of_buffer: OUT_OF_BUFFER,
        rx_pause: RX_PAUSE,
        tx_pause: TX_PAUSE,
        rx_priority_pause: RX_PRIORITY_PAUSE,
        tx_priority_pause: TX_PRIORITY_PAUSE,
        pause_storms: PAUSE_STORMS,
        link_downs: LINK_DOWNS,
    );
    counters
}

/// All counters of a meaning together, with their names in the source.
fn total(port: &Port<'_, '_>, counted: &Read<Vec<(String, u64)>>, meaning: Meaning) -> Read<u64> {
    let known = match &counted.reading {
        Reading::Known(known) => known,
        Reading::Absent => return Read { reading: Reading::Absent, source: counted.source },
        Reading::Unreadable(error) => return unread(*error, counted.source),
    };
    for line in meaning {
        let of_line: Vec<&(String, u64)> =
            known.iter().filter(|(name, _)| line.iter().any(|pattern| matches(pattern, name))).collect();
        if of_line.is_empty() {
            continue;
        }
        let names = match of_line.as_slice() {
            [(name, _)] => name.clone(),
            // Of numbered ones the pattern says it in one.
            _ => line.join(", "),
        };
        let sum = of_line.iter().fold(0_u64, |sum, (_, value)| sum.saturating_add(*value));
        let source = port.ledger.source(format!("{} {names}", port.words(GSTATS)));
        return Read { reading: Reading::Known(sum), source };
    }
    Read { reading: Reading::Absent, source: counted.source }
}

fn unread(error: ErrorId, source: SourceId) -> Read<u64> {
    Read { reading: Reading::Unreadable(error), source }
}

/// Those that are told, in the driver's order. Of two of one name the first counts.
fn selected(names: Vec<String>, values: Vec<u64>) -> Vec<(String, u64)> {
    let wanted = |name: &str| {
        let patterns = MEANINGS.iter().copied().flatten().copied().flatten().chain(OTHERS);
        patterns.copied().any(|pattern| matches(pattern, name))
    };
    let mut seen = std::collections::BTreeSet::new();
    names.into_iter().zip(values).filter(|(name, _)| wanted(name) && seen.insert(name.clone())).collect()
}

/// Whether a name is of a pattern, in which `*` stands for one or two digits.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, end)) = pattern.split_once('*') else { return pattern == name };
    let number = name.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    number.is_some_and(|number| (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The question for as many counters as there are names.
pub(super) fn stats_request(count: u32) -> Vec<u8> {
    let mut asked = request::<layout::Stats>(GSTATS.0);
    asked.truncate(4);
    asked.extend(count.to_ne_bytes());
    asked.resize(asked.len() + count as usize * size_of::<u64>(), 0);
    asked
}

fn parse_stats(answer: &[u8], asked: u32) -> Result<Vec<u64>, String> {
    let (told, values) = header::<layout::Stats>(answer)?;
    if told.n_stats.get() != asked {
        return Err(format!("{} counters for {asked} names", told.n_stats.get()));
    }
    let values = elements(values, asked, size_of::<u64>())?;
    Ok(values.chunks_exact(8).map(|value| value.first_chunk().map_or(0, |value| u64::from_ne_bytes(*value))).collect())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn stats_answer(values: &[u64]) -> Vec<u8> {
        let mut answer = stats_request(values.len() as u32);
        for (index, value) in values.iter().enumerate() {
            answer[8 + index * 8..][..8].copy_from_slice(&value.to_ne_bytes());
        }
        answer
    }

    #[test]
    fn counters_are_as_many_as_names() {
        let answer = stats_answer(&[1, u64::MAX]);
        assert_eq!(parse_stats(&answer, 2), Ok(vec![1, u64::MAX]));
        assert_eq!(parse_stats(&answer, 3), Err("2 counters for 3 names".to_owned()));
        assert_eq!(parse_stats(&answer[..23], 2), Err("2 elements of 8 bytes in 15 bytes".to_owned()));
        assert!(parse_stats(&answer[..7], 2).is_err());
    }

    #[test]
    fn a_star_stands_for_a_number_and_nothing_else() {
        assert!(matches("rx_prio*_pause", "rx_prio3_pause"));
        assert!(matches("rx_discard_packets_cos*", "rx_discard_packets_cos7"));
        for other in
            ["rx_prio_pause", "rx_prio3_pause_duration", "rx_prio3x_pause", "tx_prio3_pause", "rx_prio333_pause"]
        {
            assert!(!matches("rx_prio*_pause", other), "{other}");
        }
        assert!(matches("rx_crc_errors", "rx_crc_errors"));
        assert!(!matches("rx_crc_errors", "rx_crc_errors_phy"));
        // The two ends of a pattern do not share a character.
        assert!(!matches("ab*ba", "aba"));
    }

    #[test]
    fn of_thousands_the_known_ones_are_told_in_order() {
        let names =
            ["rx0_packets", "rx_prio1_pause", "rx_crc_errors_phy", "rx_prio0_pause", "rx_crc_errors_phy", "ch7_poll"];
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let told = selected(names, vec![1, 2, 3, 4, 5, 6]);
        let expected = [("rx_prio1_pause", 2), ("rx_crc_errors_phy", 3), ("rx_prio0_pause", 4)];
        assert_eq!(told, expected.map(|(name, value)| (name.to_owned(), value)));
    }
}
