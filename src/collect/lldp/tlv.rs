//! Organizationally specific TLVs that an agent passes on undecoded: DCBX by IEEE and by CEE, link aggregation.
//!
//! IEEE 802.1Qaz annex D.2 (now IEEE 802.1Q annex D), OUI 00-80-C2; the CEE DCBX base specification, OUI 00-1B-21; IEEE 802.1AX for subtype 7.

use crate::collect::dcb::words;

const IEEE_802_1: [u8; 3] = [0x00, 0x80, 0xc2];
const CEE: [u8; 3] = [0x00, 0x1b, 0x21];

/// Enhanced Transmission Selection.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ets {
    pub(super) willing: bool,
    /// Traffic class of each priority.
    pub(super) classes: Vec<u64>,
    /// Percent of each class.
    pub(super) bandwidth: Vec<u64>,
    /// Algorithm of each class.
    pub(super) selection: Vec<String>,
}

/// What one TLV says.
#[derive(Debug, PartialEq)]
pub(super) enum Told {
    /// ETS Configuration.
    Ets(Ets),
    /// ETS Recommendation.
    Recommended { bandwidth: Vec<u64> },
    /// PFC Configuration, by IEEE or by CEE.
    Pfc { willing: bool, capability: u64, priorities: Vec<u64>, cee: bool },
    /// Application Priority.
    Applications(Vec<String>),
    /// Link Aggregation.
    Aggregated(bool),
    /// One that nothing is known of.
    Other,
}

/// Reads a TLV behind its OUI and subtype.
pub(super) fn parse(oui: [u8; 3], subtype: u8, body: &[u8]) -> Result<Vec<Told>, String> {
    let one = |told: Result<Told, String>| told.map(|told| vec![told]);
    match (oui, subtype) {
        (IEEE_802_1, 7) => one(aggregation(body)),
        (IEEE_802_1, 9) => one(ets(body)),
        (IEEE_802_1, 10) => one(recommended(body)),
        (IEEE_802_1, 11) => one(pfc(body)),
        (IEEE_802_1, 12) => one(applications(body)),
        (CEE, 2) => cee(body),
        _ => Ok(vec![Told::Other]),
    }
}

fn short(name: &str, body: &[u8]) -> String {
    format!("{name} TLV of {} bytes", body.len())
}

fn aggregation(body: &[u8]) -> Result<Told, String> {
    match body {
        // Status, bit 1: in an aggregate; identifier of the port.
        [status, _, _, _, _] => Ok(Told::Aggregated(status & 2 != 0)),
        _ => Err(short("Link Aggregation", body)),
    }
}

/// The priority assignment table: four bits a priority, priority 0 first.
fn classes(table: &[u8]) -> Result<Vec<u64>, String> {
    words::classes(table.iter().flat_map(|pair| [pair >> 4, pair & 0xf]))
}

fn tables(name: &str, body: &[u8]) -> Result<Ets, String> {
    let (head, rest) = body.split_first().ok_or_else(|| short(name, body))?;
    let (priorities, rest) = rest.split_first_chunk::<4>().ok_or_else(|| short(name, body))?;
    let (bandwidth, rest) = rest.split_first_chunk::<8>().ok_or_else(|| short(name, body))?;
    let (selection, rest) = rest.split_first_chunk::<8>().ok_or_else(|| short(name, body))?;
    if !rest.is_empty() {
        return Err(short(name, body));
    }
    Ok(Ets {
        willing: head & 0x80 != 0,
        classes: classes(priorities)?,
        bandwidth: words::bandwidth(bandwidth)?,
        selection: words::selections(selection)?,
    })
}

fn ets(body: &[u8]) -> Result<Told, String> {
    tables("ETS Configuration", body).map(Told::Ets)
}

fn recommended(body: &[u8]) -> Result<Told, String> {
    let bandwidth = tables("ETS Recommendation", body)?.bandwidth;
    Ok(Told::Recommended { bandwidth })
}

fn pfc(body: &[u8]) -> Result<Told, String> {
    let [head, enabled] = body else { return Err(short("PFC Configuration", body)) };
    Ok(Told::Pfc {
        willing: head & 0x80 != 0,
        capability: u64::from(head & 0xf),
        priorities: words::priorities(*enabled),
        cee: false,
    })
}

fn applications(body: &[u8]) -> Result<Told, String> {
    let (_, mut rest) = body.split_first().ok_or_else(|| short("Application Priority", body))?;
    let mut applications = Vec::new();
    while let Some((entry, more)) = rest.split_first_chunk::<3>() {
        let [head, high, low] = entry;
        applications.push(words::application(head & 7, u16::from_be_bytes([*high, *low]), head >> 5)?);
        rest = more;
    }
    if !rest.is_empty() {
        return Err(short("Application Priority", body));
    }
    applications.sort();
    Ok(Told::Applications(applications))
}

/// Sub-TLVs: type of 7 bits, length of 9; a feature begins with operating version, greatest version, flags (enabled 80h, willing 40h) and subtype.
fn cee(mut body: &[u8]) -> Result<Vec<Told>, String> {
    const PFC: u16 = 3;
    let mut told = Vec::new();
    while !body.is_empty() {
        let broken = || short("CEE DCBX", body);
        let (head, rest) = body.split_first_chunk::<2>().ok_or_else(broken)?;
        let head = u16::from_be_bytes(*head);
        let (kind, length) = (head >> 9, usize::from(head & 0x1ff));
        let (content, rest) = rest.split_at_checked(length).ok_or_else(broken)?;
        if kind == PFC {
            let [_, _, flags, _, enabled, classes] = content else { return Err(short("CEE PFC", content)) };
            let priorities = if flags & 0x80 != 0 { words::priorities(*enabled) } else { Vec::new() };
            let capability = u64::from(*classes);
            told.push(Told::Pfc { willing: flags & 0x40 != 0, capability, priorities, cee: true });
        }
        body = rest;
    }
    if told.is_empty() {
        told.push(Told::Other);
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: [&str; 8]) -> Vec<String> {
        words.map(str::to_owned).to_vec()
    }

    #[test]
    fn dcbx_as_ieee_lays_it_out() {
        // Not willing, three classes; priorities 0..7 in classes 0 0 0 1 0 0 0 2; 48, 50 and 2 %.
        let mut body = vec![0x03, 0x00, 0x01, 0x00, 0x02, 48, 50, 2, 0, 0, 0, 0, 0];
        body.extend([2, 2, 2, 0, 0, 0, 0, 255]);
        let ets = parse([0, 0x80, 0xc2], 9, &body).unwrap();
        assert_eq!(
            ets,
            [Told::Ets(Ets {
                willing: false,
                classes: vec![0, 0, 0, 1, 0, 0, 0, 2],
                bandwidth: vec![48, 50, 2, 0, 0, 0, 0, 0],
                selection: words(["ets", "ets", "ets", "strict", "strict", "strict", "strict", "vendor"])
            })]
        );
        let recommended = parse([0, 0x80, 0xc2], 10, &body).unwrap();
        assert_eq!(recommended, [Told::Recommended { bandwidth: vec![48, 50, 2, 0, 0, 0, 0, 0] }]);
        let pfc = parse([0, 0x80, 0xc2], 11, &[0xc8, 0b1000]).unwrap();
        assert_eq!(pfc, [Told::Pfc { willing: true, capability: 8, priorities: vec![3], cee: false }]);
        // UDP 4791 at priority 3, Ethertype 8906h at 4.
        let applications = parse([0, 0x80, 0xc2], 12, &[0, 0x63, 0x12, 0xb7, 0x81, 0x89, 0x06]).unwrap();
        let expected = ["dgram 4791: 3", "ethertype 0x8906: 4"].map(str::to_owned).to_vec();
        assert_eq!(applications, [Told::Applications(expected)]);
        assert_eq!(parse([0, 0x80, 0xc2], 7, &[3, 0, 0, 0, 5]), Ok(vec![Told::Aggregated(true)]));
        assert_eq!(parse([0, 0x80, 0xc2], 7, &[1, 0, 0, 0, 0]), Ok(vec![Told::Aggregated(false)]));
        assert_eq!(parse([1, 2, 3], 9, &[]), Ok(vec![Told::Other]));
    }

    #[test]
    fn dcbx_as_cee_lays_it_out() {
        // Control (type 1, 10 bytes), then PFC (type 3, 6 bytes): enabled and willing, priorities 3 and 4, 8 classes.
        let mut body = vec![0x02, 10, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1];
        body.extend([0x06, 6, 0, 0, 0xc0, 0, 0b0001_1000, 8]);
        let pfc = Told::Pfc { willing: true, capability: 8, priorities: vec![3, 4], cee: true };
        assert_eq!(parse([0, 0x1b, 0x21], 2, &body), Ok(vec![pfc]));
        body[16] = 0x40; // not enabled
        let off = Told::Pfc { willing: true, capability: 8, priorities: vec![], cee: true };
        assert_eq!(parse([0, 0x1b, 0x21], 2, &body), Ok(vec![off]));
    }

    #[test]
    fn cut_and_reserved_tlvs_are_refused() {
        for (subtype, body) in [
            (7, &[1_u8][..]),
            (9, &[]),
            (9, &[0; 20]),
            (9, &[0; 22]),
            (10, &[0; 3]),
            (11, &[0]),
            (11, &[0; 3]),
            (12, &[]),
            (12, &[0, 1, 2]),
            (12, &[0, 0x60, 0, 1]), // selector 0
        ] {
            assert!(parse([0, 0x80, 0xc2], subtype, body).is_err(), "{subtype} {body:?}");
        }
        let mut body = [0; 21];
        body[1] = 0x90; // class 9
        assert!(parse([0, 0x80, 0xc2], 9, &body).is_err());
        body[1] = 0;
        body[5] = 101; // percent
        assert!(parse([0, 0x80, 0xc2], 9, &body).is_err());
        body[5] = 0;
        body[20] = 7; // selection
        assert!(parse([0, 0x80, 0xc2], 9, &body).is_err());
        for body in [&[0x06_u8][..], &[0x06, 6, 0], &[0x06, 2, 0, 0]] {
            assert!(parse([0, 0x1b, 0x21], 2, body).is_err(), "{body:?}");
        }
    }
}
