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
        /// Errors of the medium that the controller has seen, by the tool ("Media Error Count"); absent where smartctl alone shows it, and where the
        /// tool has no such count (ssacli, sas3ircu, arcconf).
        pub media_error_count: Reading<u64>,
        /// Other errors that the controller has seen with it, by the tool ("Other Error Count"); absent as `media_error_count`.
        pub other_error_count: Reading<u64>,
        /// Predictions of failure that the controller has counted, by the tool ("Predictive Failure Count", "S.M.A.R.T. warnings"); absent where
        /// smartctl alone shows it, and where the tool has no such count (ssacli tells it by the state, sas3ircu not at all).
        pub predictive_failure_count: Reading<u64>,
        /// Health, by smartctl; else what the maker's tool tells of it, which is little.
        pub health: Health,
    }
}
