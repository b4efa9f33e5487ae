//! Lines of `ipmitool -c sel elist`: number, date, time, sensor, event, direction. Pure.
//!
//! IPMI 2.0 table 42-3, Sensor Type Codes and Data, in ipmitool's words (lib/ipmi_sel.c, `ipmi_sel_print_std_entry`).

use crate::inventory::bmc::BmcEventKind as Kind;

/// One entry that tells of trouble.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) time: String,
    pub(super) kind: Kind,
    pub(super) sensor: String,
    pub(super) event: String,
}

/// Entries of trouble, oldest first. A line of another form is malformed; entries that were deasserted are over.
pub(super) fn parse(text: &str) -> Result<Vec<Event>, String> {
    let mut events = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let [number, date, time, sensor, event, rest @ ..] = fields.as_slice() else {
            return Err(format!("no event: {line:?}"));
        };
        if u32::from_str_radix(number, 16).is_err() {
            return Err(format!("no number of an event: {line:?}"));
        }
        if rest.first() == Some(&"Deasserted") {
            continue;
        }
        if let Some(kind) = kind(sensor, event) {
            let (time, sensor, event) = (format!("{date} {time}"), (*sensor).to_owned(), (*event).to_owned());
            events.push(Event { time, kind, sensor, event });
        }
    }
    Ok(events)
}

/// What an event is about, if it tells of trouble.
fn kind(sensor: &str, event: &str) -> Option<Kind> {
    let has = |words: &[&str]| words.iter().any(|word| event.contains(word));
    let threshold = || has(&["Critical going", "Non-recoverable going"]) && !event.contains("Non-critical");
    let discrete = || has(&["Transition to Critical", "Transition to Non-recoverable", "Redundancy Lost", "Failure"]);
    if sensor.starts_with("Memory") {
        let uncorrected = has(&["Uncorrectable", "Parity", "Memory Scrub Failed", "Critical Over"]);
        let corrected = event.contains("Correctable ECC") && !uncorrected;
        return if uncorrected {
            Some(Kind::MemoryUncorrected)
        } else if corrected {
            Some(Kind::MemoryCorrected)
        } else {
            None
        };
    }
    let (kind, trouble): (Kind, bool) = if sensor.starts_with("Power Supply") || sensor.starts_with("Power Unit") {
        (Kind::Power, has(&["ailure", "AC lost", "AC Lost", "Out of range", "Config Error", "Redundancy Lost"]))
    } else if sensor.starts_with("Fan") || sensor.starts_with("Cooling") {
        (Kind::Fan, threshold() || discrete())
    } else if sensor.starts_with("Temperature") {
        (Kind::Temperature, threshold() || discrete())
    } else if sensor.starts_with("Drive Slot") {
        (
            Kind::Drive,
            has(&["Drive Fault", "Predictive Failure", "In Critical Array", "In Failed Array", "Rebuild Aborted"]),
        )
    } else if sensor.starts_with("Processor") {
        (
            Kind::Processor,
            has(&["IERR", "Thermal Trip", "FRB", "Configuration Error", "machine check", "Machine Check"]),
        )
    } else if sensor.starts_with("Critical Interrupt") {
        (Kind::CriticalInterrupt, has(&["PERR", "SERR", "Fatal", "Uncorrectable", "Bus", "NMI", "Timeout"]))
    } else {
        return None;
    };
    trouble.then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_trouble_by_what_they_are_about() {
        let text = "1,10/26/2025,20:17:30,Event Logging Disabled SEL,Log area reset/cleared,Asserted\n\
            2,10/27/2025,01:02:03,Memory ECC,Correctable ECC,Asserted\n\
            3,10/27/2025,01:02:04,Memory ECC,Uncorrectable ECC,Asserted\n\
            4,10/27/2025,01:02:05,Power Supply PS1 Status,Power Supply AC lost,Asserted\n\
            5,10/27/2025,01:02:06,Power Supply PS1 Status,Power Supply AC lost,Deasserted\n\
            6,10/27/2025,01:02:07,Power Supply PS2 Status,Presence detected,Asserted\n\
            7,10/27/2025,01:02:08,Fan Fan3,Lower Critical going low ,Asserted\n\
            8,10/27/2025,01:02:09,Temperature Inlet,Upper Non-critical going high,Asserted\n\
            9,10/27/2025,01:02:10,Temperature Inlet,Upper Critical going high,Asserted\n\
            a,10/27/2025,01:02:11,Drive Slot / Bay HDD1,Drive Fault,Asserted\n\
            b,10/27/2025,01:02:12,Critical Interrupt PCIe,PCI SERR,Asserted\n\
            c,Pre-Init,0000000012,Processor CPU1,IERR,Asserted\n\
            d,10/27/2025,01:02:13,Processor CPU1,Presence detected,Asserted\n";
        let events = parse(text).unwrap();
        let kinds: Vec<Kind> = events.iter().map(|event| event.kind).collect();
        let expected = [
            Kind::MemoryCorrected,
            Kind::MemoryUncorrected,
            Kind::Power,
            Kind::Fan,
            Kind::Temperature,
            Kind::Drive,
            Kind::CriticalInterrupt,
            Kind::Processor,
        ];
        assert_eq!(kinds, expected);
        assert_eq!((events[1].time.as_str(), events[1].event.as_str()), ("10/27/2025 01:02:04", "Uncorrectable ECC"));
        assert_eq!((events[7].time.as_str(), events[7].sensor.as_str()), ("Pre-Init 0000000012", "Processor CPU1"));
        assert_eq!(parse(""), Ok(vec![]));
        assert!(parse("SEL has no entries\n").is_err() && parse("x,1,2,3,4,5\n").is_err());
    }
}
