//! Whole machines, read by the section.

mod doubt;
mod hidden;
mod hostile;
mod machine;
mod nvme;
mod scsi;
mod usage;
