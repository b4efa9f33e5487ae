//! Link settings: port type, negotiation, and the modes that each end knows (`ETHTOOL_GLINKSETTINGS`).
//!
//! How many words a mask of modes has is asked first: the kernel answers a wrong number by the right one, negative
//! (`net/ethtool/ioctl.c`, `ethtool_get_link_ksettings`). Asked by hand, never on hardware.

use super::ask::{Command, Port, Told, header, request};
use super::layout;
use crate::collect::ledger::Read;
use crate::inventory::ethtool::{LinkSettings, PortType};
use crate::reading::Reading;
use crate::units::BitsPerSec;

/// `ETHTOOL_GLINKSETTINGS`.
pub(super) const GLINKSETTINGS: Command = Command(0x4c, "GLINKSETTINGS");

/// `enum ethtool_link_mode_bit_indices` of Linux 6.17, in the kernel's words (`link_mode_names` of `net/ethtool/common.c`).
#[rustfmt::skip]
const MODES: [&str; 121] = [
    /*   0 */ "10baseT/Half", "10baseT/Full", "100baseT/Half", "100baseT/Full", "1000baseT/Half", "1000baseT/Full",
    /*   6 */ "Autoneg", "TP", "AUI", "MII", "FIBRE", "BNC", "10000baseT/Full", "Pause", "Asym_Pause", "2500baseX/Full",
    /*  16 */ "Backplane", "1000baseKX/Full", "10000baseKX4/Full", "10000baseKR/Full", "10000baseR_FEC", "20000baseMLD2/Full",
    /*  22 */ "20000baseKR2/Full", "40000baseKR4/Full", "40000baseCR4/Full", "40000baseSR4/Full", "40000baseLR4/Full",
    /*  27 */ "56000baseKR4/Full", "56000baseCR4/Full", "56000baseSR4/Full", "56000baseLR4/Full", "25000baseCR/Full",
    /*  32 */ "25000baseKR/Full", "25000baseSR/Full", "50000baseCR2/Full", "50000baseKR2/Full", "100000baseKR4/Full",
    /*  37 */ "100000baseSR4/Full", "100000baseCR4/Full", "100000baseLR4_ER4/Full", "50000baseSR2/Full", "1000baseX/Full",
    /*  42 */ "10000baseCR/Full", "10000baseSR/Full", "10000baseLR/Full", "10000baseLRM/Full", "10000baseER/Full",
    /*  47 */ "2500baseT/Full", "5000baseT/Full", "None", "RS", "BASER", "50000baseKR/Full", "50000baseSR/Full",
    /*  54 */ "50000baseCR/Full", "50000baseLR_ER_FR/Full", "50000baseDR/Full", "100000baseKR2/Full", "100000baseSR2/Full",
    /*  59 */ "100000baseCR2/Full", "100000baseLR2_ER2_FR2/Full", "100000baseDR2/Full", "200000baseKR4/Full",
    /*  63 */ "200000baseSR4/Full", "200000baseLR4_ER4_FR4/Full", "200000baseDR4/Full", "200000baseCR4/Full", "100baseT1/Full",
    /*  68 */ "1000baseT1/Full", "400000baseKR8/Full", "400000baseSR8/Full", "400000baseLR8_ER8_FR8/Full", "400000baseDR8/Full",
    /*  73 */ "400000baseCR8/Full", "LLRS", "100000baseKR/Full", "100000baseSR/Full", "100000baseLR_ER_FR/Full",
    /*  78 */ "100000baseCR/Full", "100000baseDR/Full", "200000baseKR2/Full", "200000baseSR2/Full", "200000baseLR2_ER2_FR2/Full",
    /*  83 */ "200000baseDR2/Full", "200000baseCR2/Full", "400000baseKR4/Full", "400000baseSR4/Full",
    /*  87 */ "400000baseLR4_ER4_FR4/Full", "400000baseDR4/Full", "400000baseCR4/Full", "100baseFX/Half", "100baseFX/Full",
    /*  92 */ "10baseT1L/Full", "800000baseCR8/Full", "800000baseKR8/Full", "800000baseDR8/Full", "800000baseDR8_2/Full",
    /*  97 */ "800000baseSR8/Full", "800000baseVR8/Full", "10baseT1S/Full", "10baseT1S/Half", "10baseT1S_P2MP/Half",
    /* 102 */ "10baseT1BRR/Full", "200000baseCR/Full", "200000baseKR/Full", "200000baseDR/Full", "200000baseDR_2/Full",
    /* 107 */ "200000baseSR/Full", "200000baseVR/Full", "400000baseCR2/Full", "400000baseKR2/Full", "400000baseDR2/Full",
    /* 112 */ "400000baseDR2_2/Full", "400000baseSR2/Full", "400000baseVR2/Full", "800000baseCR4/Full", "800000baseKR4/Full",
    /* 117 */ "800000baseDR4/Full", "800000baseDR4_2/Full", "800000baseSR4/Full", "800000baseVR4/Full",
];

/// What the second answer holds.
struct Settings {
    fixed: layout::LinkSettings,
    supported: Vec<String>,
    advertised: Vec<String>,
    partner: Vec<String>,
}

/// Reads the link settings.
pub(super) fn read(port: &Port<'_, '_>) -> LinkSettings {
    let ledger = port.ledger;
    let words = port.words(GLINKSETTINGS);
    let first = port.ask(GLINKSETTINGS, &request::<layout::LinkSettings>(GLINKSETTINGS.0));
    let source = first.source;
    let count = Told::of(ledger, first, words.clone(), |answer| parse_words(answer));
    let answer = match count.reading {
        Reading::Known(count) => port.ask(GLINKSETTINGS, &masks_request(count)),
        Reading::Absent => Read { reading: Reading::Absent, source },
        Reading::Unreadable(error) => Read { reading: Reading::Unreadable(error), source },
    };
    let told = Told::of(ledger, answer, words, |answer| parse_settings(answer));

    let mut link = LinkSettings::default();
    set!(link.port, told.field(ledger, |told| port_type(told.fixed.port).map(Some)));
    set!(
        link.autoneg,
        told.field(ledger, |told| match told.fixed.autoneg {
            0 => Ok(Some(false)),
            1 => Ok(Some(true)),
            // AUTONEG_UNKNOWN of some drivers.
            0xff => Ok(None),
            other => Err(format!("autoneg {other}")),
        })
    );
    set!(
        link.transceiver,
        told.field(ledger, |told| match told.fixed.transceiver {
            0 => Ok(Some("internal".to_owned())),
            1 => Ok(Some("external".to_owned())),
            // XCVR_DUMMY1 to 3: numbers of old drivers without a meaning.
            2..=4 => Ok(None),
            other => Err(format!("transceiver {other}")),
        })
    );
    let some = |modes: &[String]| Ok(Some(modes.to_vec()).filter(|modes| !modes.is_empty()));
    set!(link.supported, told.field(ledger, |told| some(&told.supported)));
    set!(link.advertised, told.field(ledger, |told| some(&told.advertised)));
    set!(link.partner, told.field(ledger, |told| some(&told.partner)));
    set!(link.max_supported_speed, told.field(ledger, |told| Ok(fastest(told.supported.iter()))));
    set!(link.max_advertised_speed, told.field(ledger, |told| Ok(fastest(told.advertised.iter()))));
    set!(
        link.max_common_speed,
        told.field(ledger, |told| Ok(fastest(told.advertised.iter().filter(|mode| told.partner.contains(mode)))))
    );
    link
}

/// How many words a mask has, by the first answer.
fn parse_words(answer: &[u8]) -> Result<u8, String> {
    let (told, _) = header::<layout::LinkSettings>(answer)?;
    let words = told.link_mode_masks_nwords;
    if words < 0 {
        Ok(words.unsigned_abs())
    } else {
        Err(format!("{words} words of modes, a negative number expected"))
    }
}

/// The question with room for three masks.
pub(super) fn masks_request(words: u8) -> Vec<u8> {
    let mut asked = request::<layout::LinkSettings>(GLINKSETTINGS.0);
    if let Some(count) = asked.get_mut(15) {
        *count = words;
    }
    asked.resize(asked.len() + 3 * 4 * usize::from(words), 0);
    asked
}

fn parse_settings(answer: &[u8]) -> Result<Settings, String> {
    let (fixed, masks) = header::<layout::LinkSettings>(answer)?;
    let words = usize::try_from(fixed.link_mode_masks_nwords)
        .map_err(|_| format!("{} words of modes", fixed.link_mode_masks_nwords))?;
    let mask = |index: usize| {
        let (start, length) = (index * words * 4, words * 4);
        let mask = masks.get(start..start + length);
        mask.map(modes).ok_or_else(|| format!("3 masks of {words} words in {} bytes", masks.len()))
    };
    Ok(Settings { supported: mask(0)?, advertised: mask(1)?, partner: mask(2)?, fixed })
}

/// The modes of a mask: words of the machine's byte order, the lowest bit of the first word first.
fn modes(mask: &[u8]) -> Vec<String> {
    let words = mask.chunks_exact(4).map(|word| word.first_chunk().map_or(0, |word| u32::from_ne_bytes(*word)));
    let bits = words.enumerate().flat_map(|(index, word)| {
        (0..32).filter(move |bit| word >> bit & 1 != 0).map(move |bit| index * 32 + bit as usize)
    });
    bits.map(|bit| MODES.get(bit).map_or_else(|| format!("bit {bit}"), |name| (*name).to_owned())).collect()
}

/// Speed of a mode: "25000baseCR/Full" is of 25 000 Mbit/s. Others than modes have none.
fn speed(mode: &str) -> Option<BitsPerSec> {
    let (megabits, rest) = mode.split_once("base")?;
    if !rest.contains('/') {
        return None;
    }
    megabits.parse::<u64>().ok()?.checked_mul(1_000_000).map(BitsPerSec)
}

fn fastest<'a>(modes: impl Iterator<Item = &'a String>) -> Option<BitsPerSec> {
    modes.filter_map(|mode| speed(mode)).max_by_key(|speed| speed.0)
}

fn port_type(port: u8) -> Result<PortType, String> {
    Ok(match port {
        0x00 => PortType::TwistedPair,
        0x01 => PortType::Aui,
        0x02 => PortType::Mii,
        0x03 => PortType::Fibre,
        0x04 => PortType::Bnc,
        0x05 => PortType::DirectAttach,
        0xef => PortType::None,
        0xff => PortType::Other,
        other => return Err(format!("port type {other:02X}h")),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// What the kernel answers to no room for masks.
    pub(crate) fn words_answer(words: i8) -> Vec<u8> {
        let mut answer = request::<layout::LinkSettings>(0x4c);
        answer[15] = words as u8;
        answer
    }

    /// An answer with masks of four words, of these bits.
    pub(crate) fn settings_answer(port: u8, autoneg: u8, masks: [&[usize]; 3]) -> Vec<u8> {
        let mut answer = masks_request(4);
        answer[9] = port;
        answer[11] = autoneg;
        for (mask, bits) in masks.iter().enumerate() {
            for bit in *bits {
                let at = 48 + mask * 16 + bit / 32 * 4;
                let word = u32::from_ne_bytes(*answer[at..].first_chunk().unwrap()) | 1 << (bit % 32);
                answer[at..at + 4].copy_from_slice(&word.to_ne_bytes());
            }
        }
        answer
    }

    #[test]
    fn modes_stand_at_the_bits_of_the_header() {
        // ETHTOOL_LINK_MODE_*_BIT of the header, one of each stretch.
        let known = [
            (0, "10baseT/Half"),
            (6, "Autoneg"),
            (13, "Pause"),
            (20, "10000baseR_FEC"),
            (31, "25000baseCR/Full"),
            (32, "25000baseKR/Full"),
            (38, "100000baseCR4/Full"),
            (46, "10000baseER/Full"),
            (49, "None"),
            (50, "RS"),
            (51, "BASER"),
            (52, "50000baseKR/Full"),
            (61, "100000baseDR2/Full"),
            (66, "200000baseCR4/Full"),
            (73, "400000baseCR8/Full"),
            (74, "LLRS"),
            (78, "100000baseCR/Full"),
            (84, "200000baseCR2/Full"),
            (89, "400000baseCR4/Full"),
            (92, "10baseT1L/Full"),
            (98, "800000baseVR8/Full"),
            (101, "10baseT1S_P2MP/Half"),
            (102, "10baseT1BRR/Full"),
            (108, "200000baseVR/Full"),
            (114, "400000baseVR2/Full"),
            (120, "800000baseVR4/Full"),
        ];
        for (bit, name) in known {
            assert_eq!(MODES[bit], name, "{bit}");
        }
    }

    #[test]
    fn a_mask_is_read_from_the_lowest_bit() {
        let mask: Vec<u8> = [1_u32 << 31 | 1, 1, 0, 1 << 31].iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(modes(&mask), ["10baseT/Half", "25000baseCR/Full", "25000baseKR/Full", "bit 127"]);
        assert_eq!(modes(&[]), Vec::<String>::new());
    }

    #[test]
    fn only_modes_have_a_speed() {
        assert_eq!(speed("25000baseCR/Full"), Some(BitsPerSec(25_000_000_000)));
        assert_eq!(speed("10000baseR_FEC"), None);
        assert_eq!(speed("Autoneg"), None);
        assert_eq!(speed("bit 127"), None);
        assert_eq!(speed("xbaseT/Full"), None);
    }

    #[test]
    fn the_number_of_words_comes_negative() {
        assert_eq!(parse_words(&words_answer(-4)), Ok(4));
        assert_eq!(parse_words(&words_answer(-128)), Ok(128));
        assert!(parse_words(&words_answer(0)).is_err());
        assert!(parse_words(&words_answer(4)).is_err());
        assert_eq!(parse_words(&[0; 47]), Err("47 bytes, 48 expected".to_owned()));
    }

    #[test]
    fn settings_are_cut_by_their_number_of_words() {
        let answer = settings_answer(5, 1, [&[31, 50, 10], &[31], &[31, 42]]);
        assert_eq!(answer.len(), 96);
        let told = parse_settings(&answer).unwrap();
        assert_eq!(told.supported, ["FIBRE", "25000baseCR/Full", "RS"]);
        assert_eq!(told.advertised, ["25000baseCR/Full"]);
        assert_eq!(told.partner, ["25000baseCR/Full", "10000baseCR/Full"]);
        assert_eq!((told.fixed.port, told.fixed.autoneg), (5, 1));
        assert!(parse_settings(&answer[..95]).is_err());
        let mut more = answer.clone();
        more[15] = 127;
        assert_eq!(parse_settings(&more).err().unwrap(), "3 masks of 127 words in 48 bytes");
        more[15] = 0x80;
        assert!(parse_settings(&more).is_err());
    }

    #[test]
    fn ports_have_the_numbers_of_the_header() {
        assert_eq!(port_type(0), Ok(PortType::TwistedPair));
        assert_eq!(port_type(3), Ok(PortType::Fibre));
        assert_eq!(port_type(5), Ok(PortType::DirectAttach));
        assert_eq!(port_type(0xef), Ok(PortType::None));
        assert_eq!(port_type(0xff), Ok(PortType::Other));
        assert_eq!(port_type(6), Err("port type 06h".to_owned()));
    }
}
