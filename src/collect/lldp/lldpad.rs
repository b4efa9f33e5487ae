//! Neighbours by lldpad: `lldptool -t -n -i INTERFACE`.
//!
//! lldptool(8) of Open-LLDP: a line with the name of each TLV, then its content in lines that are indented. Pure.

use super::draft::Draft;
use super::tlv::Ets;

/// The neighbour in an answer; `None` if there is none.
pub(super) fn neighbour(interface: &str, text: &str) -> Option<Draft> {
    let mut draft = Draft::new(interface, "lldpad");
    let mut section = String::new();
    let mut lines: Vec<&str> = Vec::new();
    let mut any = false;
    for line in text.lines().chain(["End of LLDPDU TLV"]) {
        if !line.starts_with(char::is_whitespace) && !line.trim().is_empty() {
            any |= !lines.is_empty();
            take(&mut draft, &section, &lines);
            line.trim().clone_into(&mut section);
            lines.clear();
        } else if !line.trim().is_empty() {
            lines.push(line.trim());
        }
    }
    any.then_some(draft)
}

/// The value behind "Name:", if a line begins so.
fn after<'t>(lines: &[&'t str], name: &str) -> Option<&'t str> {
    lines.iter().find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
}

fn yes(lines: &[&str], name: &str) -> bool {
    after(lines, name) == Some("yes")
}

fn numbers(text: &str) -> Result<Vec<u64>, String> {
    let words = text.split_whitespace().map(|word| word.trim_end_matches('%'));
    words.map(|word| word.parse().map_err(|_| format!("no number: {word:?}"))).collect()
}

/// The right sides of "0:0 1:1", in order.
fn map(text: &str) -> Result<Vec<String>, String> {
    let pairs = text.split_whitespace().enumerate().map(|(index, pair)| match pair.split_once(':') {
        Some((left, right)) if left.parse() == Ok(index) => Ok(right.to_owned()),
        _ => Err(format!("{pair:?} in the place of {index}")),
    });
    pairs.collect()
}

fn take(draft: &mut Draft, section: &str, lines: &[&str]) {
    let first = || lines.first().map(|line| (*line).to_owned());
    // "MAC: 02:..", "Ifname: Ethernet1/7": as lldpd writes them.
    let identifier = || {
        let (kind, value) = lines.first()?.split_once(": ")?;
        Some(format!("{} {}", kind.trim().to_ascii_lowercase(), value.trim()))
    };
    match section {
        "Chassis ID TLV" => draft.chassis_id = Ok(identifier().or_else(first)),
        "Port ID TLV" => draft.port_id = Ok(identifier().or_else(first)),
        "Port Description TLV" => draft.port_description = Ok(first()),
        "System Name TLV" => draft.system_name = Ok(first()),
        "System Description TLV" => draft.system_description = Ok((!lines.is_empty()).then(|| lines.join(" "))),
        "Management Address TLV" => {
            let addresses = lines.iter().filter_map(|line| line.strip_prefix("IPv4: ").or(line.strip_prefix("IPv6: ")));
            draft.management_addresses.extend(addresses.map(str::to_owned));
        }
        "Port VLAN ID TLV" => draft.pvid = after(lines, "PVID").map(vlan).transpose(),
        "VLAN Name TLV" => {
            if let Some(Ok(id)) = after(lines, "VID").map(vlan) {
                draft.vlans.push(id);
                if let Some(name) =
                    lines.iter().find_map(|line| line.strip_prefix("Name: ").or(line.strip_prefix("Name ")))
                {
                    draft.vlan_names.push(format!("{id} {}", name.trim()));
                }
            }
        }
        "Maximum Frame Size TLV" => {
            draft.max_frame =
                first().map(|size| size.parse().map_err(|_| format!("a largest frame of {size:?}"))).transpose();
        }
        "Link Aggregation TLV" => {
            let told = lines.iter().any(|line| line.contains("aggregat"));
            draft.aggregated = Ok(told.then(|| lines.iter().any(|line| line.contains("Currently aggregated"))));
        }
        "IEEE 8021QAZ ETS Configuration TLV" => draft.ets = ets(lines).map(Some),
        "IEEE 8021QAZ ETS Recommendation TLV" => {
            draft.recommended = after(lines, "TC Bandwidth").map(numbers).transpose();
        }
        "IEEE 8021QAZ PFC TLV" => draft.pfc = pfc(lines).map(Some),
        "IEEE 8021QAZ APP TLV" => draft.applications = applications(lines).map(Some),
        _ => {}
    }
}

fn vlan(text: &str) -> Result<u64, String> {
    let word = text.split_whitespace().next().unwrap_or_default();
    let parsed = match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    };
    parsed.filter(|id| *id < 4095).ok_or_else(|| format!("a VLAN {text:?}"))
}

fn ets(lines: &[&str]) -> Result<Ets, String> {
    let missing = |what: &str| format!("ETS without {what}");
    let classes = map(after(lines, "PRIO_MAP").ok_or_else(|| missing("PRIO_MAP"))?)?;
    let classes = classes.iter().map(|class| class.parse().map_err(|_| format!("traffic class {class:?}")));
    let bandwidth = numbers(after(lines, "TC Bandwidth").ok_or_else(|| missing("TC Bandwidth"))?)?;
    let selection = map(after(lines, "TSA_MAP").ok_or_else(|| missing("TSA_MAP"))?)?;
    let classes = classes.collect::<Result<_, _>>()?;
    Ok(Ets { willing: yes(lines, "Willing"), classes, bandwidth, selection })
}

fn pfc(lines: &[&str]) -> Result<(bool, u64, Vec<u64>), String> {
    let capability = after(lines, "PFC capable traffic classes").ok_or("PFC without its capability")?;
    let capability = capability.parse().map_err(|_| format!("PFC of {capability:?} classes"))?;
    let enabled = after(lines, "PFC enabled").ok_or("PFC without its priorities")?;
    let priorities = if enabled == "none" { Vec::new() } else { numbers(enabled)? };
    Ok((yes(lines, "Willing"), capability, priorities))
}

/// Blocks of "App#0:", "Priority: 2", "Sel: 2", and a line with the protocol as its last word.
fn applications(lines: &[&str]) -> Result<Vec<String>, String> {
    let mut applications = Vec::new();
    for block in lines.split(|line| line.starts_with("App#")).filter(|block| !block.is_empty()) {
        let small = |name: &str| {
            let text = after(block, name).ok_or_else(|| format!("an application without {name}"))?;
            text.parse::<u8>().map_err(|_| format!("{name} is {text:?}"))
        };
        let last = block.last().and_then(|line| line.rsplit(' ').next()).unwrap_or_default();
        let protocol = match last.strip_prefix("0x") {
            Some(digits) => u16::from_str_radix(digits, 16).ok(),
            None => last.parse().ok(),
        };
        let protocol = protocol.ok_or_else(|| format!("an application of protocol {last:?}"))?;
        applications.push(crate::collect::dcb::words::application(small("Sel")?, protocol, small("Priority")?)?);
    }
    applications.sort();
    Ok(applications)
}
