//! Lines of `ipmitool -c sdr elist all`: name, number, status, entity, reading. Pure.

/// One sensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sensor {
    pub(super) name: String,
    pub(super) kind: &'static str,
    pub(super) status: String,
    pub(super) reading: Option<String>,
}

const STATUS: [&str; 10] = ["ok", "nc", "cr", "nr", "ns", "lnc", "lcr", "unc", "ucr", "unr"];

/// The sensors of an answer.
pub(super) fn parse(text: &str) -> Result<Vec<Sensor>, String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| sensor(line).ok_or_else(|| format!("no sensor: {line:?}"))).collect()
}

fn sensor(line: &str) -> Option<Sensor> {
    let mut fields = line.splitn(5, ',').map(str::trim);
    let (name, _number, status, entity) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let reading = fields.next().unwrap_or_default();
    let status = STATUS.iter().find(|known| **known == status)?;
    let entity: u32 = entity.split('.').next()?.parse().ok()?;
    // Which threshold was passed is in the reading's relation to it; here it is how bad it is that counts.
    let status = match *status {
        "lnc" | "unc" => "nc",
        "lcr" | "ucr" => "cr",
        "unr" => "nr",
        other => other,
    };
    let reading = (!reading.is_empty()).then(|| reading.replace(',', ", ").replace(",  ", ", "));
    Some(Sensor { name: name.to_owned(), kind: kind(entity), status: status.to_owned(), reading })
}

/// Entity ID, IPMI 2.0 table 43-13.
fn kind(entity: u32) -> &'static str {
    match entity {
        3 => "processor",
        4 | 26 => "drive-bay",
        7 => "board",
        8 | 32 => "memory",
        10 => "power-supply",
        19 => "power-unit",
        29 | 30 => "fan",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sensors_of_all_kinds() {
        let text = "PS1 Status,C8h,ok,10.1,Presence detected\nPS2 Status,C9h,ok,10.2,Presence detected,Power Supply AC lost\n\
            PS Redundancy,77h,ok,7.1,Fully Redundant\nFan1,30h,ok,29.1,4080 RPM\nFan2,31h,cr,29.2,0 RPM\nInlet,04h,unc,7.1,44 degrees C\n\
            HDD1,46h,ok,26.1,Drive Fault\nHDD9,4Eh,ns,26.9,\n";
        let sensors = parse(text).unwrap();
        let shown: Vec<_> =
            sensors.iter().map(|s| (s.name.as_str(), s.kind, s.status.as_str(), s.reading.as_deref())).collect();
        assert_eq!(
            shown,
            [
                ("PS1 Status", "power-supply", "ok", Some("Presence detected")),
                ("PS2 Status", "power-supply", "ok", Some("Presence detected, Power Supply AC lost")),
                ("PS Redundancy", "board", "ok", Some("Fully Redundant")),
                ("Fan1", "fan", "ok", Some("4080 RPM")),
                ("Fan2", "fan", "cr", Some("0 RPM")),
                ("Inlet", "board", "nc", Some("44 degrees C")),
                ("HDD1", "drive-bay", "ok", Some("Drive Fault")),
                ("HDD9", "drive-bay", "ns", None),
            ]
        );
        for line in ["", "a,b", "PS1,C8h,fine,10.1,x", "PS1,C8h,ok,ten,x"] {
            assert_eq!(parse(line).is_err(), !line.is_empty(), "{line}");
        }
    }
}
