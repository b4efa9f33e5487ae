//! Words for people that several parts need: the nearest name to one that does not exist, and a number of things.
//!
//! Knows no rule and no hardware.

/// The candidate that is nearest to a name, if one is near enough to be meant; of equally near ones the first in the
/// alphabet.
pub(crate) fn nearest<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    /// The distance costs time by the product of the lengths.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return None;
    }
    let lower = name.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| (strsim::osa_distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| {
            let longest = name.chars().count().max(candidate.chars().count());
            *distance <= 1.max((longest + 1) / 3) && 2 * *distance < longest
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// "did you mean ...?" for a name that does not exist.
pub(crate) fn did_you_mean<'n>(name: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<String> {
    nearest(name, candidates).map(|nearest| format!("did you mean `{nearest}`?"))
}

/// So many things, as in "1 node" and "2 nodes".
///
/// The plural is made by an s: of what is counted in reports and messages nothing has another.
pub(crate) fn counted<N: PartialEq + From<u8> + std::fmt::Display>(count: N, one: &str) -> String {
    if count == N::from(1) { format!("1 {one}") } else { format!("{count} {one}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_names_are_suggested() {
        let names = ["bytes", "serial", "media", "model", "rotational"];
        for (name, expected) in [
            ("byte", Some("bytes")),
            ("btyes", Some("bytes")),
            ("Serial", Some("serial")),
            ("rotation", Some("rotational")),
            ("mode", Some("model")),
            ("capacity", None),
            ("x", None),
            (&"a".repeat(1000), None),
        ] {
            assert_eq!(nearest(name, names), expected, "{name}");
        }
        assert_eq!(nearest("titel", ["title", "level"]), Some("title"));
        assert_eq!(nearest("zzz", ["title", "level"]), None);
    }

    #[test]
    fn one_thing_is_no_plural() {
        assert_eq!([0_i64, 1, 2].map(|count| counted(count, "node")), ["0 nodes", "1 node", "2 nodes"]);
    }
}
