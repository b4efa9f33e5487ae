//! Operating system and kernel, and the process that asks.

use crate::collect::ledger::{Ledger, Missing, Read, some_text};
use crate::collect::{live_image, memory};
use crate::host::ToolCall;
use crate::inventory::Os;
use crate::reading::{ErrorKind, Reading};
use crate::units::Seconds;
use std::collections::BTreeMap;
use std::time::Duration;

const ALWAYS: Missing = Missing::Untold("every kernel has it");

/// Reads the operating system.
pub fn collect(ledger: &Ledger<'_>) -> Os {
    let mut os = Os::default();
    let release = os_release(ledger);
    set!(os.id, entry(&release, "ID"));
    set!(os.version_id, entry(&release, "VERSION_ID"));
    set!(os.pretty_name, entry(&release, "PRETTY_NAME"));
    set!(os.kernel_release, ledger.parsed("/proc/sys/kernel/osrelease", ALWAYS, some_text));
    set!(os.kernel_version, ledger.parsed("/proc/version", ALWAYS, some_text));
    set!(os.architecture, architecture(ledger, &os.kernel_release));
    set!(os.command_line, ledger.text("/proc/cmdline", ALWAYS));
    set!(os.tainted, ledger.parsed("/proc/sys/kernel/tainted", ALWAYS, number));
    set!(os.uptime, ledger.parsed("/proc/uptime", ALWAYS, parse_uptime));
    set!(os.live_image, live_image::collect(ledger, &os.command_line));
    let hugepage = "/sys/kernel/mm/transparent_hugepage/enabled";
    set!(os.transparent_hugepage, ledger.parsed(hugepage, Missing::Absent, selected));
    set!(os.swappiness, ledger.parsed("/proc/sys/vm/swappiness", ALWAYS, number));
    let meminfo = memory::meminfo(ledger);
    set!(os.swap, memory::meminfo_bytes(ledger, &meminfo, "SwapTotal", "the kernel is built without swap"));
    os
}

/// Host name.
pub fn hostname(ledger: &Ledger<'_>) -> Read<String> {
    ledger.parsed("/proc/sys/kernel/hostname", ALWAYS, some_text)
}

/// Whether the process that asks is root: its effective user.
pub fn root(ledger: &Ledger<'_>) -> Read<bool> {
    ledger.parsed("/proc/self/status", ALWAYS, parse_root)
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text:?} is not a number"))
}

/// Line `Uid`: real, effective, saved and file system user (proc_pid_status(5)).
fn parse_root(text: &str) -> Result<bool, String> {
    let line = text.lines().find_map(|line| line.strip_prefix("Uid:")).ok_or("it has no line Uid")?;
    let effective = line.split_whitespace().nth(1).ok_or_else(|| format!("{line:?} has no effective user"))?;
    Ok(number(effective)? == 0)
}

/// `350735.47 234388.90`: since the start, and idle, in seconds (proc_uptime(5)).
fn parse_uptime(text: &str) -> Result<Seconds, String> {
    let first = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    match first {
        Some(seconds) if seconds.is_finite() && seconds >= 0.0 => Ok(Seconds(seconds)),
        _ => Err(format!("{text:?} does not start with a number of seconds")),
    }
}

/// `always [madvise] never`: the word in brackets (Documentation/admin-guide/mm/transhuge.rst).
fn selected(text: &str) -> Result<String, String> {
    text.split_whitespace()
        .find_map(|word| word.strip_prefix('[')?.strip_suffix(']'))
        .map(str::to_owned)
        .ok_or_else(|| format!("no word of {text:?} is selected"))
}

/// os-release(5): `/etc/os-release` takes precedence over `/usr/lib/os-release`.
fn os_release(ledger: &Ledger<'_>) -> Read<BTreeMap<String, String>> {
    const UNTOLD: Missing = Missing::Untold("the system has no os-release");
    let parse = |text: &str| Ok(parse_os_release(text));
    let (first, second) = ("/etc/os-release", "/usr/lib/os-release");
    let (index, reading) = ledger.first_value(&[(first.to_owned(), parse), (second.to_owned(), parse)], UNTOLD);
    Read { reading, source: ledger.source(if index == 0 { first } else { second }) }
}

/// A field that the file does not have, or has empty, the system does not have.
fn entry(release: &Read<BTreeMap<String, String>>, key: &str) -> Read<String> {
    let reading = match &release.reading {
        Reading::Known(entries) => match entries.get(key) {
            Some(value) if !value.is_empty() => Reading::Known(value.clone()),
            _ => Reading::Absent,
        },
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(*error),
    };
    Read { reading, source: release.source }
}

/// Assignments as a shell reads them, without expansion (os-release(5)); lines of another form are left out, as its
/// readers do. The last assignment counts.
fn parse_os_release(text: &str) -> BTreeMap<String, String> {
    let assignment = |line: &str| {
        let line = line.trim();
        let (key, value) = line.split_once('=')?;
        let name = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        name.then(|| Some((key.to_owned(), unquoted(value)?)))?
    };
    text.lines().filter_map(assignment).collect()
}

/// A value without its quotes; `None` if they do not match.
fn unquoted(value: &str) -> Option<String> {
    let mut out = String::new();
    let mut quote = None;
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\'' | '"', None) => quote = Some(character),
            (_, Some(open)) if character == open => quote = None,
            // In double quotes a backslash escapes only what would have a meaning there.
            ('\\', Some('"')) => match characters.next()? {
                escaped @ ('"' | '\\' | '$' | '`') => out.push(escaped),
                other => out.extend(['\\', other]),
            },
            ('\\', None) => out.push(characters.next()?),
            (' ' | '\t', None) => break,
            _ => out.push(character),
        }
    }
    quote.is_none().then_some(out)
}

/// `/proc/sys/kernel/arch` exists since Linux 6.1; `uname -m` prints the same; the release often ends with it.
fn architecture(ledger: &Ledger<'_>, release: &Reading<String>) -> Read<String> {
    let file = ledger.parsed("/proc/sys/kernel/arch", Missing::Untold("the kernel is older than 6.1"), some_text);
    if matches!(file.reading, Reading::Known(_)) {
        return file;
    }
    let call = ToolCall { argv: vec!["uname".to_owned(), "-m".to_owned()], time: Duration::from_secs(5) };
    let tool = ledger.run(&call);
    if let Reading::Known(output) = &tool.reading
        && output.status.unwrap_or(0) == 0
        && let Ok(text) = std::str::from_utf8(&output.stdout)
        && let [machine] = *text.split_whitespace().collect::<Vec<_>>()
    {
        return Read { reading: Reading::Known(machine.to_owned()), source: tool.source };
    }
    if let Some(machine) = release.known().and_then(|release| architecture_of_release(release)) {
        let source = ledger.source("/proc/sys/kernel/osrelease");
        return Read { reading: Reading::Known(machine.to_owned()), source };
    }
    match file.reading {
        Reading::Unreadable(error) => Read { reading: Reading::Unreadable(error), source: file.source },
        _ => {
            let error = ledger.error("read the architecture", ErrorKind::NotFound, "nothing tells it");
            Read { reading: Reading::Unreadable(error), source: file.source }
        }
    }
}

/// Red Hat, SUSE and Fedora end the release with the architecture, as in "5.14.0-427.el9.x86_64"; Debian with its own word
/// for it, as in "6.1.0-18-amd64".
fn architecture_of_release(release: &str) -> Option<&'static str> {
    const ENDS: &[(&str, &str)] = &[
        (".x86_64", "x86_64"),
        (".aarch64", "aarch64"),
        (".ppc64le", "ppc64le"),
        (".s390x", "s390x"),
        (".riscv64", "riscv64"),
        (".loongarch64", "loongarch64"),
        ("-amd64", "x86_64"),
        ("-arm64", "aarch64"),
        ("-powerpc64le", "ppc64le"),
        ("-s390x", "s390x"),
        ("-riscv64", "riscv64"),
    ];
    ENDS.iter().find(|(end, _)| release.ends_with(end)).map(|(_, machine)| *machine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Entry, Replay};

    #[test]
    fn os_release_is_unquoted_as_a_shell_would() {
        let text = "# comment\nID=debian\nVERSION_ID='12'\nPRETTY_NAME=\"Debian \\\"GNU\\\"/Linux \\$12 \\n\"\nBROKEN=\"x\nA B=c\n=d\n\
                    EMPTY=\nTWICE=1\nTWICE=2\n  SPACED=x y\nHOME_URL=a\\ b\n";
        let entries = parse_os_release(text);
        let get = |key: &str| entries.get(key).map(String::as_str);
        assert_eq!(get("ID"), Some("debian"));
        assert_eq!(get("VERSION_ID"), Some("12"));
        assert_eq!(get("PRETTY_NAME"), Some("Debian \"GNU\"/Linux $12 \\n"));
        assert_eq!(get("EMPTY"), Some(""));
        assert_eq!(get("TWICE"), Some("2"));
        assert_eq!(get("SPACED"), Some("x"));
        assert_eq!(get("HOME_URL"), Some("a b"));
        for missing in ["BROKEN", "A B", "", "# comment"] {
            assert_eq!(get(missing), None, "{missing}");
        }
    }

    #[test]
    fn the_effective_user_decides() {
        assert!(parse_root("Name:\tx\nUid:\t1000\t0\t0\t0\n").unwrap());
        assert!(!parse_root("Uid:\t0\t1000\t0\t0\n").unwrap());
        for bad in ["", "Uid:", "Uid:\t0", "Uid:\t0\tx"] {
            assert!(parse_root(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn uptime_and_the_selected_word() {
        assert_eq!(parse_uptime("350735.47 234388.90").unwrap(), Seconds(350_735.47));
        for bad in ["", "x", "-1", "nan", "inf"] {
            assert!(parse_uptime(bad).is_err(), "{bad}");
        }
        assert_eq!(selected("always [madvise] never").unwrap(), "madvise");
        assert!(selected("always madvise never").is_err());
    }

    #[test]
    fn architecture_by_the_first_that_tells() {
        let read = |host: Replay, release: &str| {
            let ledger = Ledger::new(&host);
            architecture(&ledger, &Reading::Known(release.to_owned())).reading
        };
        let known = |machine: &str| Reading::Known(machine.to_owned());
        let old = || Replay::complete([("etc/x", Entry::file(""))]);
        assert_eq!(read(Replay::complete([("proc/sys/kernel/arch", Entry::file("ppc64le\n"))]), "x"), known("ppc64le"));
        assert_eq!(read(old().with_tool(&["uname", "-m"], "aarch64\n"), "x"), known("aarch64"));
        assert_eq!(read(old(), "5.14.0-427.el9.x86_64"), known("x86_64"));
        assert_eq!(read(old(), "6.1.0-18-amd64"), known("x86_64"));
        assert!(matches!(read(old(), "6.1.0"), Reading::Unreadable(_)));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[A-Z=\"'\\\\ a\n]*") {
            let _ = parse_os_release(&text);
            let _ = selected(&text);
        }
    }
}
