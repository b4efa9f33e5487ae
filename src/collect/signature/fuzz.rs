//! Formats over bytes in memory, for the fuzzer. Knows no device.

use super::region::Source;
use crate::reading::ErrorId;

struct Memory<'b>(&'b [u8]);

impl Source for Memory<'_> {
    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, ErrorId> {
        let bytes = usize::try_from(offset).ok().and_then(|at| super::bytes::part(self.0, at, length as usize));
        bytes.map(<[u8]>::to_vec).ok_or(ErrorId(0))
    }
    fn refuse(&self, _: String) -> ErrorId {
        ErrorId(0)
    }
}

/// What is found on a device that holds these bytes, in words, one thing each.
#[must_use]
pub fn found(bytes: &[u8], block: u64) -> Vec<String> {
    let looked = super::look(&Memory(bytes), bytes.len() as u64, block);
    let signatures = looked.found.iter().map(|(found, base, number)| {
        format!("{} at {} of {number:?}: {found:?}", found.kind.word(), base.saturating_add(found.offset))
    });
    let parts = looked.parts.iter().map(|part| format!("{part:?}"));
    let data = looked.data.then(|| "data".to_owned());
    signatures.chain(parts).chain(looked.reasons.iter().map(|_| "unread".to_owned())).chain(data).collect()
}
