//! A digest of what rules say, whatever way they are written: the same for the same content, wherever it lies.
//!
//! SHA-256 over a canonical form of the values: keys sorted, no comments, no quotes, no line folding. Two packs of one
//! digest demand the same.

use crate::rules::scalar::Scalar;
use crate::rules::tree::{Kind, Node};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// A digest; shown as hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Its first half, where 128 bits tell things apart well enough.
    pub(crate) fn half(self) -> [u8; 16] {
        self.0.first_chunk().copied().unwrap_or_default()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256:")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Of one file.
pub(crate) fn of_tree(root: &Node) -> Digest {
    let mut hash = Sha256::new();
    feed(root, &mut hash);
    Digest(hash.finalize().into())
}

/// Of a pack and the checks that it lists, in the order of their ids.
pub(crate) fn of_pack<'a>(own: Digest, checks: impl Iterator<Item = (&'a str, Digest)>) -> Digest {
    let mut hash = Sha256::new();
    hash.update(b"muster.pack/v1\n");
    hash.update(own.0);
    for (id, digest) in checks {
        text(id, &mut hash);
        hash.update(digest.0);
    }
    Digest(hash.finalize().into())
}

/// Of a pack by itself and of the knowledge that its checks and roles ask: by other knowledge they judge otherwise. In
/// which files the rows lie does not count.
pub(crate) fn with_knowledge(pack: Digest, files: &[Digest]) -> Digest {
    let mut sorted = files.to_vec();
    sorted.sort_unstable();
    let mut hash = Sha256::new();
    hash.update(b"muster.pack-and-knowledge/v1\n");
    hash.update(pack.0);
    for file in sorted {
        hash.update(file.0);
    }
    Digest(hash.finalize().into())
}

/// Of one text.
pub(crate) fn of_text(content: &str) -> Digest {
    let mut hash = Sha256::new();
    text(content, &mut hash);
    Digest(hash.finalize().into())
}

/// Every value is fed with its kind and length first, so that no two trees are fed alike.
fn feed(node: &Node, hash: &mut Sha256) {
    match &node.kind {
        Kind::Scalar(scalar) if scalar.is_null() => hash.update(b"n"),
        Kind::Scalar(scalar) => value(scalar, hash),
        Kind::List(items) => {
            hash.update(b"l");
            hash.update((items.len() as u64).to_le_bytes());
            items.iter().for_each(|item| feed(item, hash));
        }
        Kind::Map(entries) => {
            let mut sorted: Vec<_> = entries.iter().collect();
            sorted.sort_by(|(a, _), (b, _)| a.text.cmp(&b.text));
            hash.update(b"m");
            hash.update((sorted.len() as u64).to_le_bytes());
            for (key, value) in sorted {
                text(&key.text, hash);
                feed(value, hash);
            }
        }
        Kind::Broken => hash.update(b"b"),
    }
}

/// Blanks and breaks at the end depend on the way of writing alone.
fn value(scalar: &Scalar, hash: &mut Sha256) {
    text(scalar.text.trim_end(), hash);
}

fn text(text: &str, hash: &mut Sha256) {
    hash.update(b"t");
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::diagnostic::Errors;
    use crate::rules::source::Source;
    use crate::rules::tree::parse;
    use std::sync::Arc;

    fn digest(text: &str) -> Digest {
        let mut errors = Errors::default();
        of_tree(&parse(&Arc::new(Source::new("x", text)), &mut errors).expect(text))
    }

    #[test]
    fn the_way_of_writing_does_not_count() {
        let one = digest("a: 'x y'\nb: [1, 2]\nc: null\n");
        assert_eq!(one, digest("# note\nc:\nb:\n  - 1\n  - '2'\na: >\n  x\n  y\n"));
        for other in ["a: x y\nb: [2, 1]\nc: null\n", "a: x y\nb: [1, 2]\nc: 'null'\n", "a: x y\nb: [1, 2]\n"] {
            assert_ne!(one, digest(other), "{other}");
        }
    }

    #[test]
    fn it_is_sha_256() {
        // python3 -c 'import hashlib,struct; t=lambda s: b"t"+struct.pack("<Q",len(s))+s;
        // print(hashlib.sha256(b"m"+struct.pack("<Q",1)+t(b"a")+t(b"b")).hexdigest())'
        let expected = "sha256:06a76c9fce7a03299d17d2d99cfe7b2465f4e6a4bca14e3519b9fd34c441053f";
        assert_eq!(digest("a: b\n").to_string(), expected);
    }
}
