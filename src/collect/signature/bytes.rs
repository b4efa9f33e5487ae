//! Numbers, texts, identities and checksums in bytes that nobody vouches for. Knows no format.

/// Longest text that is taken over, in characters.
const LONGEST: usize = 256;

/// A field of a fixed size.
fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

macro_rules! numbers {
    ($($le:ident, $be:ident: $type:ty;)*) => {
        $(
            /// Little endian, at an offset.
            pub(super) fn $le(bytes: &[u8], at: usize) -> Option<$type> {
                field(bytes, at).map(<$type>::from_le_bytes)
            }
            /// Big endian, at an offset.
            pub(super) fn $be(bytes: &[u8], at: usize) -> Option<$type> {
                field(bytes, at).map(<$type>::from_be_bytes)
            }
        )*
    };
}

numbers! {
    le16, be16: u16;
    le32, be32: u32;
    le64, be64: u64;
}

/// One byte.
pub(super) fn byte(bytes: &[u8], at: usize) -> Option<u8> {
    bytes.get(at).copied()
}

/// Whether certain bytes stand at an offset.
pub(super) fn is_at(bytes: &[u8], at: usize, magic: &[u8]) -> bool {
    at.checked_add(magic.len()).and_then(|end| bytes.get(at..end)) == Some(magic)
}

/// A part of the bytes.
pub(super) fn part(bytes: &[u8], at: usize, length: usize) -> Option<&[u8]> {
    bytes.get(at..at.checked_add(length)?)
}

/// A text in a field that zeros or spaces fill up; `None` for an empty one.
pub(super) fn text(bytes: &[u8], at: usize, length: usize) -> Option<String> {
    let field = part(bytes, at, length)?;
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    tidy(&String::from_utf8_lossy(field.get(..end)?))
}

/// A UTF-16 text, little endian, in a field that zeros fill up; `None` for an empty one.
pub(super) fn text16(bytes: &[u8], at: usize, length: usize) -> Option<String> {
    let units = part(bytes, at, length)?.chunks_exact(2).map(|pair| le16(pair, 0).unwrap_or(0));
    let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
    tidy(&String::from_utf16_lossy(&units))
}

fn tidy(text: &str) -> Option<String> {
    let text: String = text.trim().chars().take(LONGEST).collect();
    if text.is_empty() { None } else { Some(text) }
}

/// A UUID whose bytes stand in the order in which they are written; `None` for one of zeros.
pub(super) fn uuid(bytes: &[u8], at: usize) -> Option<String> {
    hyphenated(part(bytes, at, 16)?)
}

/// A GUID as in GPT: its first three fields are little endian; `None` for one of zeros.
pub(super) fn guid(bytes: &[u8], at: usize) -> Option<String> {
    let (a, b, c) = (le32(bytes, at)?, le16(bytes, at.checked_add(4)?)?, le16(bytes, at.checked_add(6)?)?);
    let mut ordered = Vec::with_capacity(16);
    ordered.extend(a.to_be_bytes());
    ordered.extend(b.to_be_bytes());
    ordered.extend(c.to_be_bytes());
    ordered.extend(part(bytes, at.checked_add(8)?, 8)?);
    hyphenated(&ordered)
}

fn hyphenated(bytes: &[u8]) -> Option<String> {
    if bytes.iter().all(|byte| *byte == 0) {
        return None;
    }
    let mut out = String::with_capacity(36);
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        out.push_str(&format!("{byte:02x}"));
    }
    Some(out)
}

/// The table of a reflected polynomial of 32 bits.
const fn table(polynomial: u32) -> [u32; 256] {
    let mut table = [0; 256];
    let mut rest = 256;
    // From the highest byte down, for a slice pattern writes without an index.
    while rest > 0 {
        rest -= 1;
        let mut value = rest as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { (value >> 1) ^ polynomial } else { value >> 1 };
            bit += 1;
        }
        let mut slot: &mut [u32] = &mut table;
        let mut skip = rest;
        while let [first, tail @ ..] = slot {
            if skip == 0 {
                *first = value;
                break;
            }
            skip -= 1;
            slot = tail;
        }
    }
    table
}

/// CRC-32 of IEEE 802.3, reflected.
static IEEE: [u32; 256] = table(0xedb8_8320);
/// CRC-32C of Castagnoli (RFC 3720), reflected.
static CASTAGNOLI: [u32; 256] = table(0x82f6_3b78);

fn crc(table: &[u32; 256], seed: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(seed, |crc, byte| {
        let index = ((crc ^ u32::from(*byte)) & 0xff) as usize;
        (crc >> 8) ^ table.get(index).copied().unwrap_or(0)
    })
}

/// CRC-32 with a start value, not inverted at the end.
pub(super) fn crc32_raw(seed: u32, bytes: &[u8]) -> u32 {
    crc(&IEEE, seed, bytes)
}

/// CRC-32 as zlib and UEFI have it.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    !crc32_raw(u32::MAX, bytes)
}

/// CRC-32C with a start value, not inverted at the end.
pub(super) fn crc32c_raw(seed: u32, bytes: &[u8]) -> u32 {
    crc(&CASTAGNOLI, seed, bytes)
}

/// CRC-32C as iSCSI has it.
pub(super) fn crc32c(bytes: &[u8]) -> u32 {
    !crc32c_raw(u32::MAX, bytes)
}

/// CRC-64/WE: ECMA-182's polynomial, inverted before and after; bcache has it.
pub(super) fn crc64(bytes: &[u8]) -> u64 {
    let crc = bytes.iter().fold(u64::MAX, |crc, byte| {
        let mut value = crc ^ (u64::from(*byte) << 56);
        for _ in 0..8 {
            value = if value >> 63 == 1 { (value << 1) ^ 0x42f0_e1eb_a9ea_3693 } else { value << 1 };
        }
        value
    });
    !crc
}

/// A copy with zeros, or another byte, in a field.
pub(super) fn with(bytes: &[u8], at: usize, length: usize, value: u8) -> Vec<u8> {
    let mut copy = bytes.to_vec();
    for byte in copy.iter_mut().skip(at).take(length) {
        *byte = value;
    }
    copy
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check values of the catalogue of parametrised CRC algorithms: of the nine digits.
    #[test]
    fn checksums_are_those_of_the_catalogue() {
        let digits = b"123456789";
        assert_eq!(crc32(digits), 0xcbf4_3926);
        assert_eq!(crc32c(digits), 0xe306_9283);
        assert_eq!(crc64(digits), 0x62ec_59e3_f1a4_f00a);
    }

    #[test]
    fn identities_and_texts() {
        let bytes = [0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11, 0xba, 0x4b, 0, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b];
        assert_eq!(guid(&bytes, 0).unwrap(), "c12a7328-f81f-11d2-ba4b-00a0c93ec93b");
        assert_eq!(uuid(&bytes, 0).unwrap(), "28732ac1-1ff8-d211-ba4b-00a0c93ec93b");
        assert_eq!((uuid(&[0; 16], 0), uuid(&bytes, 1), uuid(&bytes, usize::MAX)), (None, None, None));
        assert_eq!(text(b"name  \0rest", 0, 11).unwrap(), "name");
        assert_eq!((text(b"   \0", 0, 4), text(b"ab", 1, 2)), (None, None));
        assert_eq!(text(b"a\xffb", 0, 3).unwrap(), "a\u{fffd}b");
        assert_eq!(text16(b"E\0F\0\0\0x\0", 0, 8).unwrap(), "EF");
        assert_eq!(text(&[b'x'; 1000], 0, 1000).unwrap().len(), 256);
        assert_eq!((le16(&[1, 2], 0), be16(&[1, 2], 0), le16(&[1, 2], 1)), (Some(0x201), Some(0x102), None));
    }
}
