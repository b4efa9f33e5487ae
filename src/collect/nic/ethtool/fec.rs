//! Forward error correction: `ETHTOOL_GFECPARAM`, since Linux 4.14.

use super::ask::{Command, Port};
use super::layout::FecParam;
use crate::inventory::ethtool::Fec;

/// `ETHTOOL_GFECPARAM`.
pub(super) const GFECPARAM: Command = Command(0x50, "GFECPARAM");

/// `enum ethtool_fec_config_bits`: NONE says that FEC is not a matter of the link, and stands for no word.
const WORDS: [(u32, &str); 5] =
    [(1 << 1, "auto"), (1 << 2, "off"), (1 << 3, "rs"), (1 << 4, "baser"), (1 << 5, "llrs")];
const NONE: u32 = 1;

/// Reads FEC.
pub(super) fn read(port: &Port<'_, '_>) -> Fec {
    let told = port.structure::<FecParam>(GFECPARAM);
    let mut fec = Fec::default();
    set!(fec.active, told.field(port.ledger, |told| words(told.active_fec.get())));
    set!(fec.configured, told.field(port.ledger, |told| words(told.fec.get())));
    fec
}

/// The words of a mask, in the order of its bits; `None` if it has none.
fn words(mask: u32) -> Result<Option<Vec<String>>, String> {
    let known = WORDS.iter().fold(NONE, |known, (bit, _)| known | bit);
    if mask & !known != 0 {
        return Err(format!("FEC {mask:X}h"));
    }
    let words: Vec<String> =
        WORDS.iter().filter(|(bit, _)| mask & bit != 0).map(|(_, word)| (*word).to_owned()).collect();
    Ok(Some(words).filter(|words| !words.is_empty()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn fec_answer(active: u32, configured: u32) -> Vec<u8> {
        [0x50, active, configured, 0].iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn bits_have_the_words_of_the_header() {
        let of = |mask| words(mask).unwrap().unwrap_or_default().join(" ");
        assert_eq!(of(0b00_1000), "rs");
        assert_eq!(of(0b00_0100), "off");
        assert_eq!(of(0b11_1010), "auto rs baser llrs");
        assert_eq!(of(0b00_0001), "");
        assert_eq!(of(0), "");
        assert_eq!(words(0x48), Err("FEC 48h".to_owned()));
    }
}
