//! Identify Controller, Identify Namespace and its descriptors: from laid-out bytes to facts.

use super::layout::{IdentifyController, IdentifyNamespace};
use super::structure::Structure;
use crate::collect::ledger::Ledger;
use crate::inventory::nvme::{Identify, Namespace};
use crate::units::{Bytes, Watts};
use zerocopy::byteorder::little_endian::U32;

/// OACS, Optional Admin Command Support, by bit.
const ADMIN_COMMANDS: [&str; 11] = [
    "security",
    "format-nvm",
    "firmware",
    "namespace-management",
    "device-self-test",
    "directives",
    "nvme-mi",
    "virtualization-management",
    "doorbell-buffer-config",
    "get-lba-status",
    "lockdown",
];
/// Of OACS: Device Self-test.
pub(super) const DEVICE_SELF_TEST: u16 = 1 << 4;
/// ONCS, Optional NVM Command Support, by bit.
const IO_COMMANDS: [&str; 9] = [
    "compare",
    "write-uncorrectable",
    "dataset-management",
    "write-zeroes",
    "save-select",
    "reservations",
    "timestamp",
    "verify",
    "copy",
];
/// SANICAP, by bit.
const SANITIZE: [&str; 3] = ["crypto-erase", "block-erase", "overwrite"];
/// CTRATT: endurance groups.
pub(super) const ENDURANCE_GROUPS: u32 = 1 << 4;

/// The words of the bits that are set; bits without a word are left to later versions.
fn set_bits(value: u32, words: &[&str]) -> Vec<String> {
    words.iter().enumerate().filter(|(bit, _)| value >> bit & 1 == 1).map(|(_, word)| (*word).to_owned()).collect()
}

/// A count of bytes of 128 bits.
pub(super) fn bytes(count: u128) -> Result<Bytes, String> {
    u64::try_from(count).map(Bytes).map_err(|_| format!("{count} bytes are more than any drive has"))
}

/// 0 is "not reported".
fn nonzero<T: Copy + PartialEq + From<u8>>(value: T) -> Option<T> {
    (value != T::from(0)).then_some(value)
}

/// VER as it is written: the tertiary number only where there is one.
fn version(ver: u32) -> Option<String> {
    let (major, minor, tertiary) = (ver >> 16, ver >> 8 & 0xff, ver & 0xff);
    match (ver, tertiary) {
        (0, _) => None,
        (_, 0) => Some(format!("{major}.{minor}")),
        _ => Some(format!("{major}.{minor}.{tertiary}")),
    }
}

/// Fills what Identify Controller tells.
pub(super) fn controller(ledger: &Ledger<'_>, told: &Structure<'_, IdentifyController>) -> Identify {
    let mut identify = Identify::default();
    macro_rules! field {
        ($field:ident, $parse:expr) => {
            set!(identify.$field, told.field(ledger, $parse))
        };
    }
    field!(vendor_id, |c| Ok(nonzero(c.vid.get()).map(|id| format!("{id:#06x}"))));
    field!(subsystem_vendor_id, |c| Ok(nonzero(c.ssvid.get()).map(|id| format!("{id:#06x}"))));
    field!(version, |c| Ok(version(c.ver.get())));
    field!(controller_type, |c| match c.cntrltype {
        0 => Ok(None),
        1 => Ok(Some("io".to_owned())),
        2 => Ok(Some("discovery".to_owned())),
        3 => Ok(Some("administrative".to_owned())),
        other => Err(format!("the reserved controller type {other}")),
    });
    field!(controller_id, |c| Ok(Some(c.cntlid.get().into())));
    field!(multi_port, |c| Ok(Some(c.cmic & 1 != 0)));
    field!(multi_controller, |c| Ok(Some(c.cmic & 2 != 0)));
    field!(optional_admin_commands, |c| Ok(Some(set_bits(c.oacs.get().into(), &ADMIN_COMMANDS))));
    field!(optional_io_commands, |c| Ok(Some(set_bits(c.oncs.get().into(), &IO_COMMANDS))));
    field!(sanitize, |c| Ok(Some(set_bits(c.sanicap.get(), &SANITIZE))));
    field!(volatile_write_cache, |c| Ok(Some(c.vwc & 1 != 0)));
    field!(atomic_write, |c| Ok(Some(u64::from(c.awun.get()) + 1)));
    field!(atomic_write_power_fail, |c| Ok(Some(u64::from(c.awupf.get()) + 1)));
    field!(max_transfer_exponent, |c| Ok(nonzero(c.mdts).map(u64::from)));
    field!(namespaces_max, |c| Ok(Some(c.nn.get().into())));
    field!(capacity, |c| nonzero(c.tnvmcap.get()).map(bytes).transpose());
    field!(unallocated_capacity, |c| nonzero(c.tnvmcap.get()).map(|_| bytes(c.unvmcap.get())).transpose());
    field!(host_memory_preferred, |c| Ok(nonzero(c.hmpre.get()).map(|pages| Bytes(u64::from(pages) << 12))));
    field!(power_states, |c| Ok(Some(u64::from(c.npss) + 1)));
    field!(max_power, |c| {
        let steps = if c.psd0.flags & 1 == 0 { 100.0 } else { 10_000.0 };
        Ok(nonzero(c.psd0.mp.get()).map(|power| Watts(f64::from(power) / steps)))
    });
    field!(firmware_slots, |c| match c.frmw >> 1 & 7 {
        0 => Err("no firmware slot, and one at the least is demanded".to_owned()),
        slots => Ok(Some(slots.into())),
    });
    field!(firmware_slot1_read_only, |c| Ok(Some(c.frmw & 1 != 0)));
    field!(firmware_activation_without_reset, |c| Ok(Some(c.frmw & 1 << 4 != 0)));
    field!(error_log_size, |c| Ok(Some(u64::from(c.elpe) + 1)));
    field!(endurance_groups, |c| Ok(Some(c.ctratt.get() & ENDURANCE_GROUPS != 0)));
    identify
}

/// Data bytes, metadata bytes and relative performance of an LBA format; `None` of one that is not available (LBADS 0).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Format {
    data: u64,
    metadata: u64,
    performance: u64,
}

fn format(lbaf: &U32) -> Result<Option<Format>, String> {
    let lbaf = lbaf.get();
    match lbaf >> 16 & 0xff {
        0 => Ok(None),
        // 512 bytes to what no drive has yet.
        power @ 9..=31 => Ok(Some(Format {
            data: 1 << power,
            metadata: u64::from(lbaf & 0xffff),
            performance: u64::from(lbaf >> 24 & 3),
        })),
        power => Err(format!("an LBA format of 2^{power} bytes")),
    }
}

/// The formats that there are, each with its number: NLBAF is the highest number, and the table holds 64.
fn formats(namespace: &IdentifyNamespace) -> Result<Vec<(usize, Format)>, String> {
    let count = usize::from(namespace.nlbaf) + 1;
    if count > namespace.lbaf.len() {
        return Err(format!("{count} LBA formats, of 64 at the most"));
    }
    let formats = namespace.lbaf.iter().take(count).enumerate();
    formats.filter_map(|(index, lbaf)| Some(format(lbaf).transpose()?.map(|format| (index, format)))).collect()
}

/// FLBAS: bits 6:5 are the upper bits of the number, which controllers before 2.0 keep at 0.
fn format_index(namespace: &IdentifyNamespace) -> usize {
    let upper = if namespace.nlbaf > 15 { usize::from(namespace.flbas >> 5 & 3) << 4 } else { 0 };
    usize::from(namespace.flbas & 0xf) | upper
}

fn format_in_use(namespace: &IdentifyNamespace) -> Result<Format, String> {
    let index = format_index(namespace);
    let formats = formats(namespace)?;
    let found = formats.iter().find(|(number, _)| *number == index);
    found.map(|(_, format)| *format).ok_or_else(|| format!("LBA format {index} is in use and not in the table"))
}

/// The best of the formats without metadata.
fn best_format(namespace: &IdentifyNamespace) -> Result<Option<Format>, String> {
    let plain = formats(namespace)?.into_iter().map(|(_, format)| format).filter(|format| format.metadata == 0);
    Ok(plain.min_by_key(|format| (format.performance, std::cmp::Reverse(format.data))))
}

fn blocks(namespace: &IdentifyNamespace, count: u64) -> Result<Option<Bytes>, String> {
    let size = format_in_use(namespace)?.data;
    count.checked_mul(size).map(|bytes| Some(Bytes(bytes))).ok_or_else(|| format!("{count} blocks of {size} bytes"))
}

/// An identifier in hexadecimal; all zero is none. All ones is none either (as the kernel's own table of bogus identifiers has it).
fn identifier(bytes: &[u8]) -> Option<String> {
    let empty = |value: u8| bytes.iter().all(|byte| *byte == value);
    (!empty(0) && !empty(0xff)).then(|| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Fills what Identify Namespace tells.
pub(super) fn namespace(ledger: &Ledger<'_>, told: &Structure<'_, IdentifyNamespace>, record: &mut Namespace) {
    macro_rules! field {
        ($field:ident, $parse:expr) => {
            set!(record.$field, told.field(ledger, $parse))
        };
    }
    field!(bytes, |n| blocks(n, n.nsze.get()));
    field!(capacity, |n| blocks(n, n.ncap.get()));
    field!(utilization, |n| if n.nuse.get() > n.nsze.get() {
        Err(format!("{} blocks allocated of {}", n.nuse, n.nsze))
    } else {
        blocks(n, n.nuse.get())
    });
    field!(thin_provisioned, |n| Ok(Some(n.nsfeat & 1 != 0)));
    field!(lba_format, |n| format_in_use(n).map(|_| Some(format_index(n) as u64)));
    field!(logical_block_size, |n| Ok(Some(Bytes(format_in_use(n)?.data))));
    field!(metadata_bytes, |n| Ok(Some(Bytes(format_in_use(n)?.metadata))));
    field!(metadata_extended, |n| Ok((format_in_use(n)?.metadata != 0).then_some(n.flbas & 1 << 4 != 0)));
    field!(protection_type, |n| match n.dps & 7 {
        0 => Ok(None),
        known @ 1..=3 => Ok(Some(known.into())),
        other => Err(format!("the reserved protection type {other}")),
    });
    field!(relative_performance, |n| Ok(Some(format_in_use(n)?.performance)));
    field!(lba_formats, |n| {
        let words = formats(n)?.into_iter().map(|(_, f)| format!("{}+{} rp{}", f.data, f.metadata, f.performance));
        Ok(Some(words.collect()))
    });
    field!(best_logical_block_size, |n| Ok(best_format(n)?.map(|format| Bytes(format.data))));
    field!(shared, |n| Ok(Some(n.nmic & 1 != 0)));
    field!(write_protected, |n| Ok(Some(n.nsattr & 1 != 0)));
    field!(endurance_group, |n| Ok(nonzero(n.endgid.get()).map(u64::from)));
    field!(optimal_io_boundary, |n| Ok(nonzero(n.noiob.get()).map(u64::from)));
    field!(eui64, |n| Ok(identifier(&n.eui64)));
    field!(nguid, |n| Ok(identifier(&n.nguid)));
}

/// A Namespace Identification Descriptor: its type and identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Descriptor<'a> {
    pub(super) kind: u8,
    pub(super) identifier: &'a [u8],
}

/// The list of descriptors (CNS 03h): type, length, two reserved bytes, identifier; a length of 0 ends it.
pub(super) fn descriptors(mut list: &[u8]) -> Result<Vec<Descriptor<'_>>, String> {
    let mut found = Vec::new();
    while let [kind, length @ (1..=u8::MAX), _, _, rest @ ..] = list {
        let (identifier, after) = rest
            .split_at_checked(usize::from(*length))
            .ok_or_else(|| format!("a descriptor of {length} bytes with {} left", rest.len()))?;
        let expected = match kind {
            1 => Some(8),
            2 | 3 => Some(16),
            4 => Some(1),
            _ => None,
        };
        if expected.is_some_and(|expected| identifier.len() != expected) {
            return Err(format!("a descriptor of type {kind} with {length} bytes"));
        }
        found.push(Descriptor { kind: *kind, identifier });
        list = after;
    }
    Ok(found)
}

/// An identifier of one type from the descriptors; a UUID with its hyphens.
pub(super) fn described(descriptors: &[Descriptor<'_>], kind: u8) -> Option<String> {
    let bytes = descriptors.iter().find(|descriptor| descriptor.kind == kind)?.identifier;
    let digits = identifier(bytes)?;
    if kind != 3 {
        return Some(digits);
    }
    let mut uuid = String::with_capacity(36);
    for (index, digit) in digits.chars().enumerate() {
        if matches!(index, 8 | 12 | 16 | 20) {
            uuid.push('-');
        }
        uuid.push(digit);
    }
    Some(uuid)
}
