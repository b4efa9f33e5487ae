//! Rings, channels, coalescing and pause frames: four small structures of numbers.

use super::ask::{Command, Port};
use super::layout;
use crate::inventory::ethtool::{Channels, Coalesce, Pause, Ring};
use crate::units::Seconds;

/// `ETHTOOL_GCOALESCE`.
pub(super) const GCOALESCE: Command = Command(0x0e, "GCOALESCE");
/// `ETHTOOL_GRINGPARAM`.
pub(super) const GRINGPARAM: Command = Command(0x10, "GRINGPARAM");
/// `ETHTOOL_GPAUSEPARAM`.
pub(super) const GPAUSEPARAM: Command = Command(0x12, "GPAUSEPARAM");
/// `ETHTOOL_GCHANNELS`.
pub(super) const GCHANNELS: Command = Command(0x3c, "GCHANNELS");

/// Reads the rings.
pub(super) fn ring(port: &Port<'_, '_>) -> Ring {
    let (told, ledger) = (port.structure::<layout::RingParam>(GRINGPARAM), port.ledger);
    let some = |count: u32| Ok(Some(u64::from(count)).filter(|count| *count != 0));
    let mut ring = Ring::default();
    set!(ring.rx, told.plain(ledger, |told| u64::from(told.rx_pending.get())));
    set!(ring.rx_max, told.field(ledger, |told| some(told.rx_max_pending.get())));
    set!(ring.tx, told.plain(ledger, |told| u64::from(told.tx_pending.get())));
    set!(ring.tx_max, told.field(ledger, |told| some(told.tx_max_pending.get())));
    ring
}

/// Reads the channels.
pub(super) fn channels(port: &Port<'_, '_>) -> Channels {
    let (told, ledger) = (port.structure::<layout::Channels>(GCHANNELS), port.ledger);
    let mut channels = Channels::default();
    set!(channels.combined, told.plain(ledger, |told| u64::from(told.combined_count.get())));
    set!(channels.combined_max, told.plain(ledger, |told| u64::from(told.max_combined.get())));
    set!(channels.rx, told.plain(ledger, |told| u64::from(told.rx_count.get())));
    set!(channels.rx_max, told.plain(ledger, |told| u64::from(told.max_rx.get())));
    set!(channels.tx, told.plain(ledger, |told| u64::from(told.tx_count.get())));
    set!(channels.tx_max, told.plain(ledger, |told| u64::from(told.max_tx.get())));
    channels
}

/// Reads how interrupts are held back.
pub(super) fn coalesce(port: &Port<'_, '_>) -> Coalesce {
    let (told, ledger) = (port.structure::<layout::Coalesce>(GCOALESCE), port.ledger);
    let microseconds = |count: u32| Seconds(f64::from(count) / 1e6);
    let mut coalesce = Coalesce::default();
    set!(coalesce.adaptive_rx, told.plain(ledger, |told| told.use_adaptive_rx_coalesce.get() != 0));
    set!(coalesce.adaptive_tx, told.plain(ledger, |told| told.use_adaptive_tx_coalesce.get() != 0));
    set!(coalesce.rx_time, told.plain(ledger, |told| microseconds(told.rx_coalesce_usecs.get())));
    set!(coalesce.rx_frames, told.plain(ledger, |told| u64::from(told.rx_max_coalesced_frames.get())));
    set!(coalesce.tx_time, told.plain(ledger, |told| microseconds(told.tx_coalesce_usecs.get())));
    set!(coalesce.tx_frames, told.plain(ledger, |told| u64::from(told.tx_max_coalesced_frames.get())));
    coalesce
}

/// Reads the state of pause frames.
pub(super) fn pause(port: &Port<'_, '_>) -> Pause {
    let (told, ledger) = (port.structure::<layout::PauseParam>(GPAUSEPARAM), port.ledger);
    let mut pause = Pause::default();
    set!(pause.autoneg, told.plain(ledger, |told| told.autoneg.get() != 0));
    set!(pause.rx, told.plain(ledger, |told| told.rx_pause.get() != 0));
    set!(pause.tx, told.plain(ledger, |told| told.tx_pause.get() != 0));
    pause
}

#[cfg(test)]
pub(super) mod tests {
    /// An answer of numbers in the order of the header, the command first.
    pub(crate) fn numbers_answer(numbers: &[u32], length: usize) -> Vec<u8> {
        let mut answer: Vec<u8> = numbers.iter().flat_map(|word| word.to_ne_bytes()).collect();
        answer.resize(length, 0);
        answer
    }
}
