//! How priorities, classes and applications are written, by the kernel and in LLDP alike (IEEE 802.1Qaz annex D.2).

/// The priorities of a bitmap, bit 0 being priority 0.
pub(crate) fn priorities(bitmap: u8) -> Vec<u64> {
    (0..8).filter(|bit| bitmap >> bit & 1 == 1).collect()
}

/// Transmission selection algorithm (table D-8).
pub(crate) fn selection(algorithm: u8) -> Result<&'static str, String> {
    match algorithm {
        0 => Ok("strict"),
        1 => Ok("cbs"),
        2 => Ok("ets"),
        255 => Ok("vendor"),
        other => Err(format!("the reserved transmission selection {other}")),
    }
}

/// The algorithms of all classes.
pub(crate) fn selections(algorithms: &[u8]) -> Result<Vec<String>, String> {
    algorithms.iter().map(|algorithm| selection(*algorithm).map(str::to_owned)).collect()
}

/// Percent of each class. Those of classes that are scheduled otherwise mean nothing, so they need not be 100 together.
pub(crate) fn bandwidth(percent: &[u8]) -> Result<Vec<u64>, String> {
    match percent.iter().find(|percent| **percent > 100) {
        Some(percent) => Err(format!("{percent} % of the bandwidth")),
        None => Ok(percent.iter().map(|percent| u64::from(*percent)).collect()),
    }
}

/// Classes of priorities; there are eight classes.
pub(crate) fn classes(classes: impl IntoIterator<Item = u8>) -> Result<Vec<u64>, String> {
    let classes = classes.into_iter().map(|class| {
        if class < 8 { Ok(u64::from(class)) } else { Err(format!("a priority in traffic class {class}")) }
    });
    classes.collect()
}

/// The priority of one application (table D-9). Ethertypes are hexadecimal, as they are known.
pub(crate) fn application(selector: u8, protocol: u16, priority: u8) -> Result<String, String> {
    if priority > 7 {
        return Err(format!("an application of priority {priority}"));
    }
    match selector {
        1 => Ok(format!("ethertype 0x{protocol:04x}: {priority}")),
        2 => Ok(format!("stream {protocol}: {priority}")),
        3 => Ok(format!("dgram {protocol}: {priority}")),
        4 => Ok(format!("any {protocol}: {priority}")),
        5 => Ok(format!("dscp {protocol}: {priority}")),
        other => Err(format!("an application by the reserved selector {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_classes_and_applications() {
        assert_eq!(priorities(0b1000_1001), [0, 3, 7]);
        assert_eq!(selections(&[0, 1, 2, 255]), Ok(["strict", "cbs", "ets", "vendor"].map(str::to_owned).to_vec()));
        assert!(selection(3).is_err());
        assert_eq!(bandwidth(&[48, 50, 2, 0, 0, 0, 0, 0]), Ok(vec![48, 50, 2, 0, 0, 0, 0, 0]));
        assert_eq!(bandwidth(&[0; 8]), Ok(vec![0; 8]));
        assert!(bandwidth(&[101, 0]).is_err());
        assert!(classes([8]).is_err());
        assert_eq!(application(3, 4791, 3).as_deref(), Ok("dgram 4791: 3"));
        assert_eq!(application(1, 0x8915, 4).as_deref(), Ok("ethertype 0x8915: 4"));
        assert!(application(0, 1, 1).is_err() && application(5, 26, 8).is_err());
    }
}
