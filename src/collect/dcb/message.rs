//! Messages of `RTM_GETDCB`: the request, and the attributes of the answer.
//!
//! `include/uapi/linux/dcbnl.h`, `net/dcb/dcbnl.c`. The kernel answers with one message: `struct nlmsghdr`, `struct dcbmsg`, attributes.

use zerocopy::{FromBytes, Immutable, KnownLayout};

pub(super) const DCB_CMD_IEEE_GET: u8 = 21;
pub(super) const DCB_CMD_GDCBX: u8 = 22;
pub(super) const DCB_CMD_CEE_GET: u8 = 26;

const RTM_GETDCB: u16 = 78;
const NLM_F_REQUEST: u16 = 1;
const NLMSG_HEADER: usize = 16;
const DCBMSG: usize = 4;
const DCB_ATTR_IFNAME: u16 = 1;
pub(super) const DCB_ATTR_IEEE: u16 = 13;
pub(super) const DCB_ATTR_DCBX: u16 = 14;
pub(super) const DCB_ATTR_CEE: u16 = 16;

pub(super) const DCB_ATTR_IEEE_ETS: u16 = 1;
pub(super) const DCB_ATTR_IEEE_PFC: u16 = 2;
pub(super) const DCB_ATTR_IEEE_APP_TABLE: u16 = 3;
pub(super) const DCB_ATTR_IEEE_PEER_ETS: u16 = 4;
pub(super) const DCB_ATTR_IEEE_PEER_PFC: u16 = 5;
pub(super) const DCB_ATTR_CEE_PFC: u16 = 6;

/// Bits 15 (nested) and 14 (byte order) of an attribute's type are flags (`NLA_TYPE_MASK`).
const TYPE_MASK: u16 = 0x3fff;

/// `struct ieee_ets`.
#[derive(Debug, Clone, Copy, FromBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(super) struct IeeeEts {
    pub(super) willing: u8,
    pub(super) ets_cap: u8,
    pub(super) cbs: u8,
    pub(super) tc_tx_bw: [u8; 8],
    pub(super) tc_rx_bw: [u8; 8],
    pub(super) tc_tsa: [u8; 8],
    pub(super) prio_tc: [u8; 8],
    pub(super) tc_reco_bw: [u8; 8],
    pub(super) tc_reco_tsa: [u8; 8],
    pub(super) reco_prio_tc: [u8; 8],
}

/// `struct ieee_pfc`, with the padding of 64-bit kernels.
#[derive(Debug, Clone, Copy, FromBytes, Immutable, KnownLayout)]
#[repr(C)]
pub(super) struct IeeePfc {
    pub(super) pfc_cap: u8,
    pub(super) pfc_en: u8,
    pub(super) mbc: u8,
    pad: u8,
    pub(super) delay: u16,
    pad2: u16,
    pub(super) requests: [u64; 8],
    pub(super) indications: [u64; 8],
}

const _: () = {
    use std::mem::{offset_of, size_of};
    assert!(size_of::<IeeeEts>() == 59);
    assert!(offset_of!(IeeeEts, tc_tx_bw) == 3);
    assert!(offset_of!(IeeeEts, tc_tsa) == 19);
    assert!(offset_of!(IeeeEts, prio_tc) == 27);
    assert!(offset_of!(IeeeEts, reco_prio_tc) == 51);
    assert!(size_of::<IeeePfc>() == 136);
    assert!(offset_of!(IeeePfc, delay) == 4);
    assert!(offset_of!(IeeePfc, requests) == 8);
    assert!(offset_of!(IeeePfc, indications) == 72);
};

/// A request about one interface.
pub(super) fn request(command: u8, interface: &str) -> Vec<u8> {
    let name = interface.len() + 1;
    let attribute = 4 + name;
    let length = NLMSG_HEADER + DCBMSG + attribute.next_multiple_of(4);
    let mut message = Vec::with_capacity(length);
    message.extend((length as u32).to_ne_bytes());
    message.extend(RTM_GETDCB.to_ne_bytes());
    message.extend(NLM_F_REQUEST.to_ne_bytes());
    message.extend(1_u32.to_ne_bytes());
    message.extend(0_u32.to_ne_bytes());
    message.extend([0, command, 0, 0]);
    message.extend((attribute as u16).to_ne_bytes());
    message.extend(DCB_ATTR_IFNAME.to_ne_bytes());
    message.extend(interface.as_bytes());
    message.resize(length, 0);
    message
}

/// The attributes of an answer.
pub(super) fn attributes(messages: &[Vec<u8>]) -> Result<&[u8], String> {
    let [message] = messages else { return Err(format!("{} messages for one question", messages.len())) };
    message.get(NLMSG_HEADER + DCBMSG..).ok_or_else(|| format!("a message of {} bytes", message.len()))
}

/// Type and content of each attribute.
pub(super) fn each(mut bytes: &[u8]) -> Result<Vec<(u16, &[u8])>, String> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let short = || format!("{} bytes are no attribute", bytes.len());
        let (length, rest) = bytes.split_first_chunk::<2>().ok_or_else(short)?;
        let (kind, _) = rest.split_first_chunk::<2>().ok_or_else(short)?;
        let length = usize::from(u16::from_ne_bytes(*length));
        let content =
            bytes.get(4..length).ok_or_else(|| format!("an attribute of {length} bytes in {}", bytes.len()))?;
        found.push((u16::from_ne_bytes(*kind) & TYPE_MASK, content));
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(found)
}

/// The content of the first attribute of a type.
pub(super) fn find<'a>(attributes: &[(u16, &'a [u8])], kind: u16) -> Option<&'a [u8]> {
    attributes.iter().find(|(found, _)| *found == kind).map(|(_, content)| *content)
}

/// A structure that is an attribute's content. A longer one is of a kernel that knows more.
pub(super) fn structure<T: FromBytes + KnownLayout + Immutable>(content: &[u8], name: &str) -> Result<T, String> {
    T::read_from_prefix(content)
        .map(|(structure, _)| structure)
        .map_err(|_| format!("{name} of {} bytes, {} are wanted", content.len(), std::mem::size_of::<T>()))
}
