//! Neighbours by lldpd: `lldpcli -f json0 show neighbors details`.
//!
//! lldpcli(8): in "json0" every member that may occur more than once is a list, whatever its length. TLVs that lldpd does not decode, DCBX among
//! them, stand under "unknown-tlvs" with OUI and value in hexadecimal and the subtype in decimal. Pure.

use super::draft::Draft;
use serde_json::Value;

/// The neighbours in an answer.
pub(super) fn neighbours(text: &[u8]) -> Result<Vec<Draft>, String> {
    let root: Value = serde_json::from_slice(text).map_err(|error| format!("no JSON: {error}"))?;
    let lldp = root.get("lldp").and_then(Value::as_array).ok_or("no list \"lldp\"")?;
    let mut drafts = Vec::new();
    for interface in lldp.iter().flat_map(|lldp| list(lldp, "interface")) {
        let name = interface.get("name").and_then(Value::as_str).ok_or("an interface without a name")?;
        // CDP, EDP and the like tell of neighbours too, in other words.
        if interface.get("via").and_then(Value::as_str) != Some("LLDP") {
            continue;
        }
        drafts.push(neighbour(name, interface));
    }
    Ok(drafts)
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// The text of the first element of a list.
fn text(value: &Value, key: &str) -> Option<String> {
    let text = list(value, key).first()?.get("value")?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// An identifier with its kind, as in "mac 02:00:00:00:00:01".
fn identifier(value: &Value) -> Option<String> {
    let id = list(value, "id").first()?;
    let word = |key: &str| id.get(key).and_then(Value::as_str).unwrap_or_default().trim();
    Some(format!("{} {}", word("type"), word("value")).trim().to_owned())
}

fn number(text: &str, what: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("{what} is {text:?}"))
}

fn neighbour(name: &str, told: &Value) -> Draft {
    let mut draft = Draft::new(name, "lldpd");
    if let Some(chassis) = list(told, "chassis").first() {
        draft.chassis_id = Ok(identifier(chassis));
        draft.system_name = Ok(text(chassis, "name"));
        draft.system_description = Ok(text(chassis, "descr"));
        let addresses = list(chassis, "mgmt-ip").iter().filter_map(|address| address.get("value")?.as_str());
        draft.management_addresses = addresses.map(str::to_owned).collect();
    }
    if let Some(port) = list(told, "port").first() {
        draft.port_id = Ok(identifier(port));
        draft.port_description = Ok(text(port, "descr"));
        draft.max_frame = text(port, "mfs").map(|size| number(&size, "the largest frame")).transpose();
        // lldpd decodes IEEE 802.3's TLV: the identifier of the aggregate, 0 for none.
        draft.aggregated =
            text(port, "aggregation").map(|id| number(&id, "the aggregate").map(|id| id != 0)).transpose();
    }
    for vlan in list(told, "vlan") {
        let word = |key: &str| vlan.get(key).and_then(Value::as_str).unwrap_or_default().trim();
        let Ok(id) = number(word("vlan-id"), "a VLAN") else { continue };
        if vlan.get("pvid").and_then(Value::as_bool) == Some(true) {
            draft.pvid = Ok(Some(id));
        }
        draft.vlans.push(id);
        if !word("value").is_empty() {
            draft.vlan_names.push(format!("{id} {}", word("value")));
        }
    }
    for tlv in list(told, "unknown-tlvs").iter().flat_map(|tlvs| list(tlvs, "unknown-tlv")) {
        let word = |key: &str| tlv.get(key).and_then(Value::as_str);
        let read = || {
            let oui: [u8; 3] = bytes(word("oui")?)?.try_into().ok()?;
            Some((oui, word("subtype")?.parse().ok()?, bytes(word("value").unwrap_or_default())?))
        };
        if let Some((oui, subtype, body)) = read() {
            draft.take(oui, subtype, &body);
        }
    }
    draft
}

/// "00,80,C2".
fn bytes(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    text.split(',').map(|byte| u8::from_str_radix(byte.trim(), 16).ok()).collect()
}
