//! Drives that the kernel does not show as block devices of their own, for a RAID controller or a bridge stands before them.

use super::health::Health;
use super::{Media, Transport};
use crate::reading::Reading;
use crate::units::Bytes;

record! {
    /// One physical drive behind a RAID controller, as `smartctl --scan-open` or the maker's own tool shows it.
    pub struct HiddenDrive {
        /// What shows it, as in "/dev/bus/0 megaraid,5" (smartctl) or "/c0/e252/s4" (storcli).
        pub name: Reading<String>,
        /// Controller that it hangs on: PCI function or the tool's own word for it; absent where it does not tell.
        pub controller: Reading<String>,
        /// Enclosure by the tool's number; absent without.
        pub enclosure: Reading<String>,
        /// Slot or bay by the tool's number; absent without.
        pub slot: Reading<String>,
        /// Model.
        pub model: Reading<String>,
        /// Serial number.
        pub serial: Reading<String>,
        /// Firmware revision.
        pub firmware: Reading<String>,
        /// Capacity.
        pub bytes: Reading<Bytes>,
        /// What it is made of.
        pub media: Reading<Media>,
        /// How the drive itself is attached to the controller.
        pub transport: Reading<Transport>,
        /// State by the tool's own word, as in "Onln", "JBOD", "UGood", "OK"; absent where smartctl alone shows it.
        pub state: Reading<String>,
        /// Volume that it is a part of, by the tool's word; absent if of none, or where smartctl alone shows it.
        pub volume: Reading<String>,
        /// Health.
        pub health: Health,
    }
}
