//! The kernel's two ways to write a set of CPUs or nodes: a list (`0-3,8`) and a mask (`00000000,0000010f`).
//!
//! Formats: `bitmap_print_to_pagebuf` in `lib/bitmap.c`, shown in Documentation/admin-guide/cputopology.rst. Knows sets
//! of numbers; knows neither what is numbered nor which file it came from.

use std::fmt;

/// A set of the kernel's numbers, of CPUs or of NUMA nodes.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CpuSet {
    /// 64 numbers a word, without zero words at the end, so that equal sets are equal.
    words: Vec<u64>,
}

impl CpuSet {
    /// Largest number that is taken for one. The kernel's own limits are 8192 CPUs (x86) and 1024 nodes; a number above is
    /// damage, and would make a set of gigabytes.
    const MAX: u32 = 65_535;

    /// Adds a number.
    ///
    /// # Errors
    /// If it is larger than any kernel has.
    pub fn insert(&mut self, number: u32) -> Result<(), String> {
        if number > Self::MAX {
            return Err(format!("number {number} is above {}", Self::MAX));
        }
        let word = (number / 64) as usize;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        if let Some(bits) = self.words.get_mut(word) {
            *bits |= 1 << (number % 64);
        }
        Ok(())
    }

    /// Whether the number is in the set.
    #[must_use]
    pub fn contains(&self, number: u32) -> bool {
        self.words.get((number / 64) as usize).is_some_and(|bits| bits & (1 << (number % 64)) != 0)
    }

    /// How many numbers are in it.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.words.iter().map(|bits| u64::from(bits.count_ones())).sum()
    }

    /// Whether none is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words
            .iter()
            .zip(0u32..)
            .flat_map(|(bits, word)| (0..64).filter(move |bit| bits & (1 << bit) != 0).map(move |bit| word * 64 + bit))
    }

    /// What is in both sets.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.combine(other, |left, right| left & right)
    }

    /// What is in either set.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        self.combine(other, |left, right| left | right)
    }

    /// What is in this set and not in the other.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.combine(other, |left, right| left & !right)
    }

    fn combine(&self, other: &Self, word: impl Fn(u64, u64) -> u64) -> Self {
        let at = |words: &[u64], index: usize| words.get(index).copied().unwrap_or(0);
        let length = self.words.len().max(other.words.len());
        let mut words: Vec<u64> = (0..length).map(|i| word(at(&self.words, i), at(&other.words, i))).collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        Self { words }
    }
}

impl FromIterator<u32> for CpuSet {
    /// Numbers that no kernel has are left out; they cannot come from [`parse_list`] or [`parse_mask`].
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut set = Self::default();
        for number in numbers {
            // An error leaves the set as it was.
            let _ = set.insert(number);
        }
        set
    }
}

impl fmt::Display for CpuSet {
    /// As the kernel writes a list: `0-3,8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut numbers = self.iter().peekable();
        let mut separator = "";
        while let Some(first) = numbers.next() {
            let mut last = first;
            while numbers.peek() == Some(&(last + 1)) {
                last += 1;
                numbers.next();
            }
            if first == last {
                write!(f, "{separator}{first}")?;
            } else {
                write!(f, "{separator}{first}-{last}")?;
            }
            separator = ",";
        }
        Ok(())
    }
}

/// Kernels 5.16 to 6.x end these files with a NUL after the line feed (`cpumap_print_bitmask_to_buf`).
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c == '\0' || c.is_whitespace())
}

/// A list such as `0-3,8`; an empty text is the empty set.
///
/// # Errors
/// On anything else.
pub fn parse_list(text: &str) -> Result<CpuSet, String> {
    let text = trimmed(text);
    let mut set = CpuSet::default();
    if text.is_empty() {
        return Ok(set);
    }
    for range in text.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(format!("range {range:?} runs backwards"));
        }
        // The upper end first: it is refused if it is too large, before the loop grows the set.
        set.insert(last)?;
        for each in first..last {
            set.insert(each)?;
        }
    }
    Ok(set)
}

fn number(text: &str) -> Result<u32, String> {
    // `parse` alone would take "+1".
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("{text:?} is not a number"));
    }
    text.parse().map_err(|_| format!("number {text} is too large"))
}

/// A mask: groups of up to 8 hexadecimal digits, the most significant group first, such as `00000001,0000ffff`.
///
/// # Errors
/// On anything else, and on the empty text: the kernel always writes a digit.
pub fn parse_mask(text: &str) -> Result<CpuSet, String> {
    let text = trimmed(text);
    let mut set = CpuSet::default();
    for (group, base) in text.rsplit(',').zip((0u32..).step_by(32)) {
        if group.is_empty() || group.len() > 8 || !group.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(format!("{group:?} is not a group of up to 8 hexadecimal digits"));
        }
        let bits = u32::from_str_radix(group, 16).map_err(|error| error.to_string())?;
        for bit in (0..32).filter(|bit| bits & (1 << bit) != 0) {
            set.insert(base + bit)?;
        }
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(numbers: &[u32]) -> CpuSet {
        numbers.iter().copied().collect()
    }

    #[test]
    fn lists_and_masks_tell_the_same_set() {
        for (list, mask, numbers) in [
            ("0-3,8", "10f", vec![0, 1, 2, 3, 8]),
            ("0", "1", vec![0]),
            ("", "00000000,00000000", vec![]),
            ("31-32,63-64", "00000001,80000001,80000000", vec![31, 32, 63, 64]),
            // NR_CPUS 48: the first group is written with four digits.
            ("47", "8000,00000000", vec![47]),
        ] {
            assert_eq!(parse_list(list).unwrap(), set(&numbers), "{list}");
            assert_eq!(parse_mask(mask).unwrap(), set(&numbers), "{mask}");
            assert_eq!(set(&numbers).to_string(), list);
            assert_eq!(set(&numbers).len(), numbers.len() as u64);
            assert_eq!(set(&numbers).iter().collect::<Vec<_>>(), numbers);
        }
    }

    #[test]
    fn the_nul_that_some_kernels_append_is_not_damage() {
        assert_eq!(parse_list("0-3\n\0").unwrap(), set(&[0, 1, 2, 3]));
        assert_eq!(parse_list("\n\0").unwrap(), set(&[]));
        assert_eq!(parse_mask("00000000,00000002\n\0").unwrap(), set(&[1]));
    }

    #[test]
    fn what_no_kernel_writes_is_refused() {
        for bad in ["3-0", "a", "0-", "-3", ",", "0,", "0,,1", "+1", "0-4294967295", "4294967296", "0 1", "0-3:2"] {
            assert!(parse_list(bad).is_err(), "{bad}");
        }
        for bad in ["", ",", "0x1", "1,", "fffffffff", "g", "0-3"] {
            assert!(parse_mask(bad).is_err(), "{bad}");
        }
        assert!(parse_mask(&vec!["ffffffff"; 4000].join(",")).is_err());
    }

    #[test]
    fn sets_combine() {
        let (left, right) = (set(&[0, 1, 100]), set(&[1, 2]));
        assert_eq!(left.and(&right), set(&[1]));
        assert_eq!(left.or(&right), set(&[0, 1, 2, 100]));
        assert_eq!(left.minus(&right), set(&[0, 100]));
        assert!(left.minus(&left).is_empty());
        assert!(left.contains(100) && !left.contains(2) && !left.contains(100_000));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in ".*") {
            let _ = parse_list(&text);
            let _ = parse_mask(&text);
        }

        #[test]
        fn a_set_survives_its_list(numbers in proptest::collection::btree_set(0u32..9000, 0..50)) {
            let set: CpuSet = numbers.iter().copied().collect();
            proptest::prop_assert_eq!(parse_list(&set.to_string()).unwrap(), set);
        }
    }
}
