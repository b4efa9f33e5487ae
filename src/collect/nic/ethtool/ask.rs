//! Puts ethtool requests for one interface, and cuts the answers.
//!
//! What was answered is untrusted: numbers of elements are held against what was asked for and against what came.

use super::layout;
use crate::collect::ledger::{Ledger, Read};
use crate::host::HostErrorKind;
use crate::reading::{ErrorKind, Reading, SourceId};
use std::mem::size_of;
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// A command that reads: number and name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Command(pub(super) u32, pub(super) &'static str);

/// `ETHTOOL_GSSET_INFO`.
pub(super) const GSSET_INFO: Command = Command(0x37, "GSSET_INFO");
/// `ETHTOOL_GSTRINGS`.
pub(super) const GSTRINGS: Command = Command(0x1b, "GSTRINGS");

/// `enum ethtool_stringset`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StringSet {
    /// `ETH_SS_STATS`.
    Stats = 1,
    /// `ETH_SS_PRIV_FLAGS`.
    PrivateFlags = 2,
    /// `ETH_SS_FEATURES`.
    Features = 4,
}

impl StringSet {
    fn name(self) -> &'static str {
        match self {
            Self::Stats => "ETH_SS_STATS",
            Self::PrivateFlags => "ETH_SS_PRIV_FLAGS",
            Self::Features => "ETH_SS_FEATURES",
        }
    }
}

/// `ETH_GSTRING_LEN`.
const STRING_BYTES: usize = 32;
/// Most names of a set that are asked for: an adapter of 128 queues has some 5000 counters.
const MOST_STRINGS: u32 = 16_384;

/// One interface that is being asked.
pub(super) struct Port<'a, 'h> {
    pub(super) ledger: &'a Ledger<'h>,
    pub(super) name: &'a str,
    /// Why it is not asked, and what its facts are then.
    pub(super) not_asked: Option<Read<()>>,
}

impl Port<'_, '_> {
    /// What is told of a command, as in "ethtool eth0 ETHTOOL_GRINGPARAM".
    pub(super) fn words(&self, command: Command) -> String {
        format!("ethtool {} ETHTOOL_{}", self.name, command.1)
    }

    /// Puts a request. Absent if the driver does not know the command.
    pub(super) fn ask(&self, command: Command, request: &[u8]) -> Read<Vec<u8>> {
        self.ask_of(&self.words(command), request)
    }

    fn ask_of(&self, source: &str, request: &[u8]) -> Read<Vec<u8>> {
        if let Some(Read { reading, source }) = &self.not_asked {
            let reading = match reading {
                Reading::Known(()) | Reading::Absent => Reading::Absent,
                Reading::Unreadable(error) => Reading::Unreadable(*error),
            };
            return Read { reading, source: *source };
        }
        let reading = match self.ledger.host().ethtool(self.name, request) {
            Ok(answer) => Reading::Known(answer),
            Err(error) if error.kind == HostErrorKind::NotSupported => Reading::Absent,
            Err(error) => Reading::Unreadable(self.ledger.host_error(error)),
        };
        Read { reading, source: self.ledger.source(source) }
    }

    /// Asks for a structure that is all there is to answer.
    pub(super) fn structure<S: FromBytes + KnownLayout + Immutable + Unaligned>(&self, command: Command) -> Told<S> {
        let answer = self.ask(command, &request::<S>(command.0));
        Told::of(self.ledger, answer, self.words(command), |answer| header(answer).map(|(told, _)| told))
    }

    /// The names of a set: empty if the driver has it and there are none, absent if it does not have it.
    pub(super) fn strings(&self, set: StringSet) -> Read<Vec<String>> {
        let words = format!("{} {}", self.words(GSTRINGS), set.name());
        let counted = self.ask_of(&format!("{} {}", self.words(GSSET_INFO), set.name()), &count_request(set));
        let count = match counted.reading {
            Reading::Known(answer) => match parse_count(&answer, set) {
                Ok(Some(count)) => count,
                Ok(None) => return Read { reading: Reading::Absent, source: counted.source },
                Err(cause) => {
                    return Read {
                        reading: self.ledger.malformed(&self.words(GSSET_INFO), cause),
                        source: counted.source,
                    };
                }
            },
            Reading::Absent => return Read { reading: Reading::Absent, source: counted.source },
            Reading::Unreadable(error) => {
                return Read { reading: Reading::Unreadable(error), source: counted.source };
            }
        };
        if count == 0 {
            return Read { reading: Reading::Known(Vec::new()), source: counted.source };
        }
        if count > MOST_STRINGS {
            let cause = format!("{count} names, at most {MOST_STRINGS} are asked for");
            let error = self.ledger.error(format!("ask for {words}"), ErrorKind::TooLarge, cause);
            return Read { reading: Reading::Unreadable(error), source: counted.source };
        }
        let answer = self.ask_of(&words, &strings_request(set, count));
        let source = answer.source;
        let told = Told::of(self.ledger, answer, words, |answer| parse_strings(answer, count));
        Read { reading: told.reading, source }
    }
}

/// What was answered and parsed, or what its facts are instead.
pub(super) struct Told<S> {
    pub(super) reading: Reading<S>,
    pub(super) source: SourceId,
    /// Interface and command.
    name: String,
}

impl<S> Told<S> {
    /// Parses an answer.
    pub(super) fn of<A>(
        ledger: &Ledger<'_>,
        answer: Read<A>,
        name: String,
        parse: impl FnOnce(&A) -> Result<S, String>,
    ) -> Self {
        let reading = match answer.reading {
            Reading::Known(answer) => match parse(&answer) {
                Ok(told) => Reading::Known(told),
                Err(cause) => ledger.malformed(&name, cause),
            },
            Reading::Absent => Reading::Absent,
            Reading::Unreadable(error) => Reading::Unreadable(error),
        };
        Self { reading, source: answer.source, name }
    }

    /// What was not asked for.
    pub(super) fn missing(reading: Reading<S>, source: SourceId) -> Self {
        Self { reading, source, name: String::new() }
    }

    /// One fact: what a pure function makes of it. `None` is what the interface has not.
    pub(super) fn field<T>(&self, ledger: &Ledger<'_>, parse: impl FnOnce(&S) -> Result<Option<T>, String>) -> Read<T> {
        let reading = match &self.reading {
            Reading::Known(told) => match parse(told) {
                Ok(Some(value)) => Reading::Known(value),
                Ok(None) => Reading::Absent,
                Err(cause) => ledger.malformed(&self.name, cause),
            },
            Reading::Absent => Reading::Absent,
            Reading::Unreadable(error) => Reading::Unreadable(*error),
        };
        Read { reading, source: self.source }
    }

    /// A fact that stands there as it is.
    pub(super) fn plain<T>(&self, ledger: &Ledger<'_>, pick: impl FnOnce(&S) -> T) -> Read<T> {
        self.field(ledger, |told| Ok(Some(pick(told))))
    }
}

/// A request of a structure's length, all zero but for the command.
pub(super) fn request<S>(command: u32) -> Vec<u8> {
    let mut request = command.to_ne_bytes().to_vec();
    request.resize(size_of::<S>(), 0);
    request
}

/// Splits an answer into the structure at its start and what follows.
pub(super) fn header<S: FromBytes + KnownLayout + Immutable>(answer: &[u8]) -> Result<(S, &[u8]), String> {
    S::read_from_prefix(answer).map_err(|_| format!("{} bytes, {} expected", answer.len(), size_of::<S>()))
}

/// The question for how many names a set has.
pub(super) fn count_request(set: StringSet) -> Vec<u8> {
    let mut request = GSSET_INFO.0.to_ne_bytes().to_vec();
    request.extend(0_u32.to_ne_bytes());
    request.extend((1_u64 << set as u32).to_ne_bytes());
    request.extend(0_u32.to_ne_bytes());
    request
}

/// How many names a set has; `None` if the driver does not have the set, and then the kernel takes its bit out of the mask.
pub(super) fn parse_count(answer: &[u8], set: StringSet) -> Result<Option<u32>, String> {
    let (info, _) = header::<layout::SsetInfo>(answer)?;
    Ok((info.sset_mask.get() == 1_u64 << set as u32).then(|| info.data.get()))
}

/// The question for the names of a set.
pub(super) fn strings_request(set: StringSet, count: u32) -> Vec<u8> {
    let mut request = GSTRINGS.0.to_ne_bytes().to_vec();
    request.extend((set as u32).to_ne_bytes());
    request.extend(count.to_ne_bytes());
    request.resize(size_of::<layout::Strings>() + count as usize * STRING_BYTES, 0);
    request
}

/// The names of a set; each ends at its NUL, or fills its 32 bytes. Some drivers fill them with blanks.
pub(super) fn parse_strings(answer: &[u8], asked: u32) -> Result<Vec<String>, String> {
    let (head, names) = header::<layout::Strings>(answer)?;
    let told = head.len.get();
    // Between the two questions the driver may have got more queues, and so more names.
    if told != asked {
        return Err(format!("{told} names, where {asked} were counted before"));
    }
    let names = elements(names, told, STRING_BYTES)?;
    let name = |bytes: &[u8]| {
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(bytes.get(..end).unwrap_or(bytes)).trim().to_owned()
    };
    Ok(names.chunks_exact(STRING_BYTES).map(name).collect())
}

/// As many elements of a size as an answer says that it has.
pub(super) fn elements(bytes: &[u8], count: u32, size: usize) -> Result<&[u8], String> {
    let whole = (count as usize).checked_mul(size).and_then(|length| bytes.get(..length));
    whole.ok_or_else(|| format!("{count} elements of {size} bytes in {} bytes", bytes.len()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// An answer with the count of a set.
    pub(crate) fn count_answer(set: StringSet, count: u32) -> Vec<u8> {
        let mut answer = count_request(set);
        answer[16..20].copy_from_slice(&count.to_ne_bytes());
        answer
    }

    /// An answer with names.
    pub(crate) fn strings_answer(set: StringSet, names: &[&str]) -> Vec<u8> {
        let mut answer = strings_request(set, names.len() as u32);
        for (index, name) in names.iter().enumerate() {
            answer[12 + index * 32..][..name.len()].copy_from_slice(name.as_bytes());
        }
        answer
    }

    #[test]
    fn requests_are_laid_out_as_in_the_header() {
        let words = |words: &[u32]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
        assert_eq!(request::<layout::RingParam>(0x10), [words(&[0x10]), vec![0; 32]].concat());
        let mask = (1_u64 << 2).to_ne_bytes();
        assert_eq!(count_request(StringSet::PrivateFlags), [&words(&[0x37, 0])[..], &mask, &[0; 4]].concat());
        assert_eq!(strings_request(StringSet::Stats, 2), [words(&[0x1b, 1, 2]), vec![0; 64]].concat());
    }

    #[test]
    fn a_set_that_the_driver_has_not_is_told_by_the_mask() {
        assert_eq!(parse_count(&count_answer(StringSet::Stats, 7), StringSet::Stats), Ok(Some(7)));
        let mut answer = count_answer(StringSet::Stats, 7);
        answer[8..16].fill(0);
        assert_eq!(parse_count(&answer, StringSet::Stats), Ok(None));
        assert_eq!(parse_count(&answer[..19], StringSet::Stats), Err("19 bytes, 20 expected".to_owned()));
        assert!(parse_count(&[], StringSet::Stats).is_err());
    }

    #[test]
    fn names_end_at_their_nul_or_fill_their_field() {
        let long = "x".repeat(32);
        let answer = strings_answer(StringSet::Stats, &["rx_packets", &long, "rx_fcs_errors         ", ""]);
        assert_eq!(parse_strings(&answer, 4).unwrap(), ["rx_packets", long.as_str(), "rx_fcs_errors", ""]);
    }

    #[test]
    fn numbers_of_names_are_held_against_what_came() {
        let answer = strings_answer(StringSet::Stats, &["a", "b"]);
        assert_eq!(parse_strings(&answer, 3), Err("2 names, where 3 were counted before".to_owned()));
        assert_eq!(parse_strings(&answer[..75], 2), Err("2 elements of 32 bytes in 63 bytes".to_owned()));
        assert_eq!(parse_strings(&answer[..11], 2), Err("11 bytes, 12 expected".to_owned()));
        let mut many = answer;
        many[8..12].copy_from_slice(&u32::MAX.to_ne_bytes());
        assert!(parse_strings(&many, u32::MAX).unwrap_err().starts_with("4294967295 elements"));
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let mut answer = strings_answer(StringSet::Stats, &["abc"]);
        answer[13] = 0xff;
        assert_eq!(parse_strings(&answer, 1).unwrap(), ["a\u{fffd}c"]);
    }
}
