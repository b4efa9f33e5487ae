//! Features (offloads) and flags of the driver's own: bits, whose names are a set of strings.

use super::ask::{Command, Port, StringSet, Told, elements, header, request};
use super::layout;
use crate::collect::ledger::{Ledger, Read};
use crate::reading::{Reading, SourceId};
use std::mem::size_of;
use zerocopy::FromBytes;

/// `ETHTOOL_GFEATURES`.
pub(super) const GFEATURES: Command = Command(0x3a, "GFEATURES");
/// `ETHTOOL_GPFLAGS`.
pub(super) const GPFLAGS: Command = Command(0x27, "GPFLAGS");

/// Flags by which a driver lets its firmware speak LLDP, and whether that is so when they are on: i40e (`i40e_gstrings_priv_flags`) and ice
/// (`ice_gstrings_priv_flags`).
const FIRMWARE_LLDP: [(&str, bool); 2] = [("disable-fw-lldp", false), ("fw-lldp-agent", true)];

/// Names of the features that are active, sorted.
pub(super) fn active(port: &Port<'_, '_>) -> Read<Vec<String>> {
    let names = port.strings(StringSet::Features);
    let Reading::Known(names) = names.reading else { return names };
    let blocks = names.len().div_ceil(32) as u32;
    let answer = port.ask(GFEATURES, &features_request(blocks));
    let told = Told::of(port.ledger, answer, port.words(GFEATURES), |answer| parse_active(answer, blocks));
    told.field(port.ledger, |words| {
        let on = names.iter().enumerate().filter(|(bit, name)| {
            let word = words.get(bit / 32).copied().unwrap_or_default();
            word >> (bit % 32) & 1 != 0 && !name.is_empty()
        });
        let mut on: Vec<String> = on.map(|(_, name)| name.clone()).collect();
        on.sort();
        Ok(Some(on))
    })
}

/// The question with room for blocks of 32 features.
pub(super) fn features_request(blocks: u32) -> Vec<u8> {
    let mut asked = request::<layout::Features>(GFEATURES.0);
    asked.truncate(4);
    asked.extend(blocks.to_ne_bytes());
    asked.resize(asked.len() + blocks as usize * size_of::<layout::FeaturesBlock>(), 0);
    asked
}

/// The words of active features, one a block.
fn parse_active(answer: &[u8], asked: u32) -> Result<Vec<u32>, String> {
    let (told, blocks) = header::<layout::Features>(answer)?;
    if told.size.get() != asked {
        return Err(format!("{} blocks of features, {asked} expected", told.size.get()));
    }
    let size = size_of::<layout::FeaturesBlock>();
    let blocks = elements(blocks, asked, size)?.chunks_exact(size);
    let word = |block: &[u8]| layout::FeaturesBlock::read_from_bytes(block).map_or(0, |block| block.active.get());
    Ok(blocks.map(word).collect())
}

/// The flags of a driver's own by name.
pub(super) struct PrivateFlags {
    flags: Reading<Vec<(String, bool)>>,
    source: SourceId,
}

impl PrivateFlags {
    /// Reads them.
    pub(super) fn read(port: &Port<'_, '_>) -> Self {
        let names = port.strings(StringSet::PrivateFlags);
        let source = names.source;
        let names = match names.reading {
            // No driver with flags has a set without names.
            Reading::Known(names) if names.is_empty() => return Self { flags: Reading::Absent, source },
            Reading::Known(names) => names,
            Reading::Absent => return Self { flags: Reading::Absent, source },
            Reading::Unreadable(error) => return Self { flags: Reading::Unreadable(error), source },
        };
        let told = port.structure::<layout::Value>(GPFLAGS);
        // The mask has 32 bits: a name beyond it has none.
        let flags = told.plain(port.ledger, |told| {
            let word = told.data.get();
            let flags = names.iter().take(32).enumerate().filter(|(_, name)| !name.is_empty());
            flags.map(|(bit, name)| (name.clone(), word >> bit & 1 != 0)).collect()
        });
        Self { flags: flags.reading, source: flags.source }
    }

    /// Names of those that are on, or of those that are off, sorted.
    pub(super) fn that_are(&self, on: bool) -> Read<Vec<String>> {
        let reading = self.flags.clone().map(|flags| {
            let mut names: Vec<String> = flags.into_iter().filter(|(_, is)| *is == on).map(|(name, _)| name).collect();
            names.sort();
            names
        });
        Read { reading, source: self.source }
    }

    /// Whether the firmware speaks LLDP; absent where no flag tells.
    pub(super) fn firmware_lldp(&self, ledger: &Ledger<'_>, interface: &str) -> Read<bool> {
        let reading = match &self.flags {
            Reading::Known(flags) => {
                let told = FIRMWARE_LLDP
                    .iter()
                    .find_map(|(name, speaks)| flags.iter().find(|(flag, _)| flag == name).map(|(_, on)| on == speaks));
                told.map_or(Reading::Absent, Reading::Known)
            }
            Reading::Absent => Reading::Absent,
            Reading::Unreadable(error) => Reading::Unreadable(*error),
        };
        Read { reading, source: ledger.source(format!("derived: private flags of {interface}")) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An answer with words of active features.
    pub(crate) fn features_answer(active: &[u32]) -> Vec<u8> {
        let mut answer = features_request(active.len() as u32);
        for (index, word) in active.iter().enumerate() {
            answer[8 + index * 16 + 8..][..4].copy_from_slice(&word.to_ne_bytes());
        }
        answer
    }

    pub(crate) fn flags_answer(mask: u32) -> Vec<u8> {
        [0x27_u32.to_ne_bytes(), mask.to_ne_bytes()].concat()
    }

    #[test]
    fn active_features_are_the_third_word_of_each_block() {
        let answer = features_answer(&[0b101, 1 << 31]);
        assert_eq!(answer.len(), 40);
        assert_eq!(parse_active(&answer, 2), Ok(vec![5, 1 << 31]));
        assert_eq!(parse_active(&answer, 1), Err("2 blocks of features, 1 expected".to_owned()));
        assert!(parse_active(&answer[..39], 2).is_err());
        assert!(parse_active(&answer[..7], 2).is_err());
    }
}
