//! Stand-ins for the live host, replay and collection until those land. Everything is unknown.

use crate::host::*;
use crate::inventory::Inventory;
use std::io::Read;
use std::path::Path;

pub(crate) struct Replay;
pub(crate) struct Live;
pub(crate) struct Record<'h>(&'h dyn Host);

#[derive(Debug)]
pub(crate) struct OpenError {
    pub(crate) cause: String,
}

impl Replay {
    pub(crate) fn open(_: &Path) -> Result<Self, OpenError> {
        Err(OpenError { cause: "nothing of a machine in it".to_owned() })
    }
    pub(crate) fn from_archive(_: impl Read) -> Result<Self, String> {
        Err("damaged".to_owned())
    }
}

impl Live {
    pub(crate) fn new() -> Self {
        Self
    }
}

impl<'h> Record<'h> {
    pub(crate) fn new(host: &'h dyn Host) -> Self {
        Self(host)
    }
    pub(crate) fn capture(&self) -> Vec<(String, Vec<u8>)> {
        let _ = self.0.now();
        vec![("proc/version".to_owned(), b"x".to_vec()), ("muster.json".to_owned(), b"y".to_vec())]
    }
}

pub(crate) fn collect_with(host: &dyn Host, progress: &dyn Fn(&str)) -> Inventory {
    progress("cpu");
    Inventory {
        schema: crate::inventory::SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        collected_at: host
            .now()
            .map_or(crate::reading::Reading::Absent, |now| crate::reading::Reading::Known(now.to_string())),
        node: crate::inventory::Node::default(),
        sources: Vec::new(),
        errors: Vec::new(),
    }
}

fn none<T>() -> Result<T, HostError> {
    Err(HostError { operation: "ask".to_owned(), kind: HostErrorKind::NotInCapture, cause: "stand-in".to_owned() })
}

macro_rules! dumb {
    ($($type:ty),*) => {$(
        impl Host for $type {
            fn read(&self, _: &str) -> Result<Vec<u8>, HostError> { none() }
            fn list(&self, _: &str) -> Result<Listing, HostError> { none() }
            fn read_link(&self, _: &str) -> Result<String, HostError> { none() }
            fn run(&self, _: &ToolCall) -> Result<ToolOutput, HostError> { none() }
            fn nvme_admin(&self, _: &str, _: &NvmeAdmin) -> Result<NvmeAnswer, HostError> { none() }
            fn ethtool(&self, _: &str, _: &[u8]) -> Result<Vec<u8>, HostError> { none() }
            fn netlink(&self, _: NetlinkFamily, _: &[u8]) -> Result<Vec<Vec<u8>>, HostError> { none() }
            fn read_device(&self, _: &str, _: u64, _: u32) -> Result<Vec<u8>, HostError> { none() }
            fn now(&self) -> Result<jiff::Timestamp, HostError> { Ok(jiff::Timestamp::UNIX_EPOCH) }
        }
    )*};
}
dumb!(Replay, Live, Record<'_>);
