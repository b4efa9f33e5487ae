//! The data structures of NVMe admin commands as the specification lays them out, byte for byte, little endian.
//!
//! NVM Express Base Specification 2.0 (Identify Controller, logs) and NVM Command Set Specification 1.0 (Identify Namespace). Every field that is
//! read has its offset held at compile time; what is not read is padding. Knows nothing of what the values mean.

use std::mem::{offset_of, size_of};
use zerocopy::byteorder::little_endian::{U16, U32, U64, U128};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// Holds the size of a structure and the offsets of its fields.
macro_rules! laid_out {
    ($type:ident: $size:literal { $($field:ident @ $offset:literal),* $(,)? }) => {
        const _: () = {
            assert!(size_of::<$type>() == $size);
            $( assert!(offset_of!($type, $field) == $offset); )*
        };
    };
}

/// Identify Controller.
#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct IdentifyController {
    pub(super) vid: U16,
    pub(super) ssvid: U16,
    pub(super) sn: [u8; 20],
    pub(super) mn: [u8; 40],
    pub(super) fr: [u8; 8],
    _rab_ieee: [u8; 4],
    pub(super) cmic: u8,
    pub(super) mdts: u8,
    pub(super) cntlid: U16,
    pub(super) ver: U32,
    _rtd3r_oaes: [u8; 12],
    pub(super) ctratt: U32,
    _rrls: [u8; 11],
    pub(super) cntrltype: u8,
    _fguid: [u8; 144],
    pub(super) oacs: U16,
    _acl_aerl: [u8; 2],
    pub(super) frmw: u8,
    _lpa: u8,
    pub(super) elpe: u8,
    pub(super) npss: u8,
    _avscc: u8,
    pub(super) apsta: u8,
    pub(super) wctemp: U16,
    pub(super) cctemp: U16,
    _mtfa: [u8; 2],
    pub(super) hmpre: U32,
    _hmmin: [u8; 4],
    pub(super) tnvmcap: U128,
    pub(super) unvmcap: U128,
    _rpmbs: [u8; 16],
    pub(super) sanicap: U32,
    _hmminds: [u8; 8],
    pub(super) endgidmax: U16,
    _anatt: [u8; 174],
    pub(super) nn: U32,
    pub(super) oncs: U16,
    _fuses: [u8; 2],
    _fna: u8,
    pub(super) vwc: u8,
    pub(super) awun: U16,
    pub(super) awupf: U16,
    _nvscc: [u8; 1518],
    pub(super) psd0: PowerState,
    _psd1: [u8; 2016],
}

laid_out!(IdentifyController: 4096 {
    vid @ 0, ssvid @ 2, sn @ 4, mn @ 24, fr @ 64, cmic @ 76, mdts @ 77, cntlid @ 78, ver @ 80, ctratt @ 96, cntrltype @ 111,
    oacs @ 256, frmw @ 260, elpe @ 262, npss @ 263, apsta @ 265, wctemp @ 266, cctemp @ 268, hmpre @ 272, tnvmcap @ 280,
    unvmcap @ 296, sanicap @ 328, endgidmax @ 340, nn @ 516, oncs @ 520, vwc @ 525, awun @ 526, awupf @ 528, psd0 @ 2048,
});

/// Power State Descriptor.
#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct PowerState {
    pub(super) mp: U16,
    _reserved: u8,
    /// Bit 0, MXPS: maximum power in steps of 0.0001 W rather than of 0.01 W.
    pub(super) flags: u8,
    _latencies: [u8; 28],
}

laid_out!(PowerState: 32 { mp @ 0, flags @ 3 });

/// Identify Namespace of the NVM command set.
#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct IdentifyNamespace {
    pub(super) nsze: U64,
    pub(super) ncap: U64,
    pub(super) nuse: U64,
    pub(super) nsfeat: u8,
    pub(super) nlbaf: u8,
    pub(super) flbas: u8,
    _mc_dpc: [u8; 2],
    pub(super) dps: u8,
    pub(super) nmic: u8,
    _rescap: [u8; 15],
    pub(super) noiob: U16,
    _nvmcap: [u8; 51],
    pub(super) nsattr: u8,
    _nvmsetid: [u8; 2],
    pub(super) endgid: U16,
    pub(super) nguid: [u8; 16],
    pub(super) eui64: [u8; 8],
    pub(super) lbaf: [U32; 64],
    _vendor: [u8; 3712],
}

laid_out!(IdentifyNamespace: 4096 {
    nsze @ 0, ncap @ 8, nuse @ 16, nsfeat @ 24, nlbaf @ 25, flbas @ 26, dps @ 29, nmic @ 30, noiob @ 46, nsattr @ 99,
    endgid @ 102, nguid @ 104, eui64 @ 120, lbaf @ 128,
});

/// SMART / Health Information (log page 02h).
#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct SmartLog {
    pub(super) critical_warning: u8,
    pub(super) composite_temperature: U16,
    pub(super) available_spare: u8,
    pub(super) available_spare_threshold: u8,
    pub(super) percentage_used: u8,
    _endurance_group: [u8; 26],
    pub(super) data_units_read: U128,
    pub(super) data_units_written: U128,
    _host_commands: [u8; 48],
    pub(super) power_cycles: U128,
    pub(super) power_on_hours: U128,
    pub(super) unsafe_shutdowns: U128,
    pub(super) media_errors: U128,
    pub(super) error_log_entries: U128,
    pub(super) warning_temperature_minutes: U32,
    pub(super) critical_temperature_minutes: U32,
    _sensors: [u8; 312],
}

laid_out!(SmartLog: 512 {
    critical_warning @ 0, composite_temperature @ 1, available_spare @ 3, available_spare_threshold @ 4, percentage_used @ 5,
    data_units_read @ 32, data_units_written @ 48, power_cycles @ 112, power_on_hours @ 128, unsafe_shutdowns @ 144,
    media_errors @ 160, error_log_entries @ 176, warning_temperature_minutes @ 192, critical_temperature_minutes @ 196,
});

/// One entry of Error Information (log page 01h).
#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct ErrorLogEntry {
    pub(super) error_count: U64,
    pub(super) sqid: U16,
    _cid: U16,
    /// Bit 0 is the phase tag.
    pub(super) status: U16,
    _location: U16,
    pub(super) lba: U64,
    pub(super) nsid: U32,
    _rest: [u8; 36],
}

laid_out!(ErrorLogEntry: 64 { error_count @ 0, sqid @ 8, status @ 12, lba @ 16, nsid @ 24 });

/// Firmware Slot Information (log page 03h).
#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct FirmwareSlots {
    pub(super) afi: u8,
    _reserved: [u8; 7],
    pub(super) frs: [[u8; 8]; 7],
    _rest: [u8; 448],
}

laid_out!(FirmwareSlots: 512 { afi @ 0, frs @ 8 });

/// Device Self-test (log page 06h).
#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct SelfTestLog {
    pub(super) current: u8,
    _completion: [u8; 3],
    pub(super) results: [SelfTestResult; 20],
}

laid_out!(SelfTestLog: 564 { current @ 0, results @ 4 });

/// Self-test Result.
#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct SelfTestResult {
    pub(super) status: u8,
    _segment: [u8; 3],
    _power_on_hours: U64,
    _rest: [u8; 16],
}

laid_out!(SelfTestResult: 28 { status @ 0 });

/// Endurance Group Information (log page 09h).
#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct EnduranceGroupLog {
    pub(super) critical_warning: u8,
    _features: [u8; 2],
    pub(super) available_spare: u8,
    pub(super) available_spare_threshold: u8,
    pub(super) percentage_used: u8,
    _domain: [u8; 26],
    _estimate_and_units: [u8; 48],
    pub(super) media_units_written: U128,
    _commands: [u8; 32],
    pub(super) media_errors: U128,
    _error_log_entries: [u8; 16],
    pub(super) tegcap: U128,
    _rest: [u8; 336],
}

laid_out!(EnduranceGroupLog: 512 {
    critical_warning @ 0, available_spare @ 3, available_spare_threshold @ 4, percentage_used @ 5, media_units_written @ 80,
    media_errors @ 128, tegcap @ 160,
});

/// A structure at the start of an answer. An answer that is too short, and one of which every byte is FFh, as a bus gives for a device that is gone, is none.
pub(super) fn of<'a, T: FromBytes + KnownLayout + Immutable + Unaligned>(answer: &'a [u8]) -> Result<&'a T, String> {
    let (laid_out, _) =
        T::ref_from_prefix(answer).map_err(|_| format!("{} bytes, {} expected", answer.len(), size_of::<T>()))?;
    let own: &'a [u8] = answer.get(..size_of::<T>()).unwrap_or(answer);
    if own.iter().all(|byte| *byte == 0xff) {
        return Err("every byte is FFh, as if the controller were gone".to_owned());
    }
    Ok(laid_out)
}
