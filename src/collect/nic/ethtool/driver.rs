//! The two ethtool questions about an adapter: what drives it, and what address it brings.
//!
//! Structures and numbers from `include/uapi/linux/ethtool.h`; both commands only read and need no privilege. Link modes are not asked here.

/// `ETHTOOL_GDRVINFO`.
const GDRVINFO: u32 = 0x0000_0003;
/// `ETHTOOL_GPERMADDR`.
const GPERMADDR: u32 = 0x0000_0020;

/// `struct ethtool_drvinfo` is 196 bytes: `cmd` at 0, `driver[32]` at 4, `version[32]` at 36, `fw_version[32]` at 68, `bus_info[32]`
/// at 100, `erom_version[32]` at 132, `reserved2[12]` at 164, then five 32-bit counts.
const DRVINFO_BYTES: usize = 196;
const DRIVER: usize = 4;
const VERSION: usize = 36;
const FW_VERSION: usize = 68;
/// Length of each of the texts.
const TEXT_BYTES: usize = 32;

/// `struct ethtool_perm_addr`: `cmd` at 0, `size` at 4, `data` at 8.
const ADDRESS_SIZE: usize = 4;
const ADDRESS_DATA: usize = 8;
/// Longest link-layer address, `MAX_ADDR_LEN` of `include/linux/netdevice.h`.
const MAX_ADDR_LEN: u32 = 32;

/// What a driver says of itself; `None` where it says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::collect::nic) struct DriverInfo {
    pub(in crate::collect::nic) driver: Option<String>,
    pub(in crate::collect::nic) version: Option<String>,
    pub(in crate::collect::nic) firmware: Option<String>,
}

/// The question to the driver.
pub(in crate::collect::nic) fn driver_request() -> Vec<u8> {
    let mut request = GDRVINFO.to_ne_bytes().to_vec();
    request.resize(DRVINFO_BYTES, 0);
    request
}

/// The question for the address that the hardware brings.
pub(in crate::collect::nic) fn address_request() -> Vec<u8> {
    let mut request = GPERMADDR.to_ne_bytes().to_vec();
    request.extend(MAX_ADDR_LEN.to_ne_bytes());
    request.resize(ADDRESS_DATA + MAX_ADDR_LEN as usize, 0);
    request
}

/// Reads the answer of the driver.
pub(in crate::collect::nic) fn parse_driver(answer: &[u8]) -> Result<DriverInfo, String> {
    Ok(DriverInfo {
        driver: text(answer, DRIVER)?,
        version: text(answer, VERSION)?,
        firmware: text(answer, FW_VERSION)?,
    })
}

/// Reads the answer with the address; `None` if there is none, or it is all zero.
pub(in crate::collect::nic) fn parse_address(answer: &[u8]) -> Result<Option<String>, String> {
    let size = answer
        .get(ADDRESS_SIZE..)
        .and_then(<[u8]>::first_chunk)
        .map(|size| u32::from_ne_bytes(*size))
        .ok_or_else(|| format!("{} bytes are too few for an address", answer.len()))?;
    let data = answer.get(ADDRESS_DATA..).and_then(|data| data.get(..size as usize));
    let data = data.ok_or_else(|| format!("an address of {size} bytes in an answer of {}", answer.len()))?;
    if data.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    Ok(Some(data.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(":")))
}

/// One text, up to its NUL. Empty and "N/A" say nothing.
fn text(answer: &[u8], offset: usize) -> Result<Option<String>, String> {
    let field = answer
        .get(offset..offset + TEXT_BYTES)
        .ok_or_else(|| format!("{} bytes, {DRVINFO_BYTES} expected", answer.len()))?;
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    let text = field.get(..end).unwrap_or(field);
    let text = std::str::from_utf8(text).map_err(|error| error.to_string())?.trim();
    Ok((!text.is_empty() && !text.eq_ignore_ascii_case("n/a")).then(|| text.to_owned()))
}

#[cfg(test)]
pub(in crate::collect::nic) mod tests {
    use super::*;

    /// An answer as the kernel fills it.
    pub(crate) fn driver_answer(driver: &str, version: &str, firmware: &str) -> Vec<u8> {
        let mut answer = driver_request();
        for (offset, text) in [(4, driver), (36, version), (68, firmware)] {
            answer[offset..offset + text.len()].copy_from_slice(text.as_bytes());
        }
        answer
    }

    pub(crate) fn address_answer(address: &[u8]) -> Vec<u8> {
        let mut answer = address_request();
        answer[4..8].copy_from_slice(&(address.len() as u32).to_ne_bytes());
        answer[8..8 + address.len()].copy_from_slice(address);
        answer
    }

    #[test]
    fn requests_are_as_long_as_the_structures() {
        assert_eq!(driver_request().len(), 196);
        assert_eq!(driver_request()[..4], 3_u32.to_ne_bytes());
        assert_eq!(address_request().len(), 40);
        assert_eq!(address_request()[..8], [0x20_u32.to_ne_bytes(), 32_u32.to_ne_bytes()].concat());
    }

    #[test]
    fn texts_stand_at_their_offsets() {
        let info = parse_driver(&driver_answer("mlx5_core", "5.0-0", "14.23.1020 (MT_2420110034)")).unwrap();
        assert_eq!(info.driver.as_deref(), Some("mlx5_core"));
        assert_eq!(info.version.as_deref(), Some("5.0-0"));
        assert_eq!(info.firmware.as_deref(), Some("14.23.1020 (MT_2420110034)"));
    }

    #[test]
    fn a_text_without_nul_is_whole() {
        let long = "a".repeat(32);
        assert_eq!(parse_driver(&driver_answer(&long, "", "")).unwrap().driver.as_deref(), Some(long.as_str()));
    }

    #[test]
    fn empty_and_not_applicable_say_nothing() {
        let info = parse_driver(&driver_answer("bridge", "", "N/A")).unwrap();
        assert_eq!((info.version, info.firmware), (None, None));
    }

    #[test]
    fn short_and_damaged_answers_are_errors() {
        assert!(parse_driver(&[]).is_err());
        assert!(parse_driver(&driver_request()[..99]).is_err());
        let mut damaged = driver_answer("x", "", "");
        damaged[4] = 0xff;
        assert!(parse_driver(&damaged).is_err());
        assert!(parse_address(&[0; 7]).is_err());
        let mut long = address_request();
        long[4..8].copy_from_slice(&33_u32.to_ne_bytes());
        assert!(parse_address(&long).is_err());
        long[4..8].copy_from_slice(&u32::MAX.to_ne_bytes());
        assert!(parse_address(&long).is_err());
    }

    #[test]
    fn an_address_is_as_long_as_it_says() {
        let answer = address_answer(&[0xb8, 0x59, 0x9f, 0xde, 0x86, 0xfd]);
        assert_eq!(parse_address(&answer).unwrap().as_deref(), Some("b8:59:9f:de:86:fd"));
        assert_eq!(parse_address(&address_answer(&[0; 6])).unwrap(), None);
        assert_eq!(parse_address(&address_answer(&[])).unwrap(), None);
    }
}
