//! The report as Markdown, for a ticket: all that is not in order, with the reasons and sources of the demands.
//!
//! Text of the machine is escaped for the terminal and then for Markdown, so that a drive's model cannot become a
//! link, an image, a table cell or HTML.

use super::Report;
use super::group::{Detail, Group, Section, groups};
use super::terminal::Verbosity;
use super::text::shown;
use crate::evaluate::finding::Citation;
use crate::words::counted;
use std::fmt::Write as _;

/// The report as Markdown that ends with a line feed; the summary line alone if quiet.
#[must_use]
pub fn render(report: &Report, verbosity: Verbosity) -> String {
    let mut out = String::new();
    if verbosity == Verbosity::Quiet {
        let _ = writeln!(out, "{}", escaped(&report.summary()));
        return out;
    }
    let _ = writeln!(out, "# {}\n", escaped(&report.headline()));
    let _ = writeln!(out, "**{}**\n", escaped(&report.summary()));
    let _ = writeln!(out, "Judged by muster {} as of {}.", escaped(&report.version), report.as_of);
    if !report.run.packs.is_empty() {
        out.push('\n');
    }
    for pack in &report.run.packs {
        let [name, version, digest] = [&pack.name, &pack.version, &pack.digest].map(|text| escaped(text));
        let _ = writeln!(out, "- pack {name} {version} ({digest})");
    }
    nodes(&mut out, report);
    for section in Section::ALL {
        if verbosity == Verbosity::Verbose || !section.is_quiet() {
            findings(&mut out, report, section, verbosity);
        }
    }
    closing(&mut out, report);
    out
}

fn nodes(out: &mut String, report: &Report) {
    for (summary, machine) in report.nodes() {
        let _ = writeln!(out, "\n## {}: {}\n", escaped(&summary.name), summary.overall.word());
        let _ = writeln!(out, "| | |\n|---|---|");
        for row in &machine.hardware {
            let _ = writeln!(out, "| {} | {} |", row.label, escaped(&row.text));
        }
        if let Some(unread) = machine.unread.words(machine.root) {
            let _ = writeln!(out, "| Not read | {} |", escaped(&unread));
        }
    }
}

fn findings(out: &mut String, report: &Report, section: Section, verbosity: Verbosity) {
    let groups = groups(report, section);
    if groups.is_empty() {
        return;
    }
    let number: usize = groups.iter().map(|group| group.findings().len()).sum();
    let _ = writeln!(out, "\n## {} ({number})", section.heading());
    for group in groups {
        finding(out, &group, verbosity);
    }
}

fn finding(out: &mut String, group: &Group<'_>, verbosity: Verbosity) {
    let first = group.first;
    let detail = if verbosity == Verbosity::Verbose { Detail::Full } else { Detail::Bounded };
    let [check, title] = [&first.check, &first.title].map(|text| escaped(text));
    let _ = writeln!(out, "\n### {}: {check}\n\n{title}.\n", first.verdict.word());
    let mut item = |label: &str, text: &[String]| match text {
        [] => {}
        [one] => {
            let _ = writeln!(out, "- **{label}:** {one}");
        }
        many => {
            let _ = writeln!(out, "- **{label}:**");
            for one in many {
                let _ = writeln!(out, "  - {one}");
            }
        }
    };
    let all = |texts: Vec<String>| -> Vec<String> { texts.iter().map(|text| escaped(text)).collect() };
    item("Subject", &all(vec![group.subjects(detail)]));
    item("Found", &all(group.found(detail)));
    item("Limit", &all(group.limits()));
    match verbosity {
        Verbosity::Verbose => item("Facts", &all(group.evidence())),
        Verbosity::Normal | Verbosity::Quiet => item("Read at", &all(group.places(detail))),
    }
    item("Do", &all(group.advice().into_iter().collect()));
    item("Waived", &all(group.waiver().into_iter().collect()));
    if !first.why.is_empty() {
        item("Why", &[escaped(&first.why)]);
    }
    item("Source", &first.sources.iter().map(citation).collect::<Vec<_>>());
}

fn closing(out: &mut String, report: &Report) {
    if !report.run.remains.is_empty() {
        let _ = writeln!(out, "\n## Remains to be shown elsewhere ({})\n", report.run.remains.len());
        for remain in &report.run.remains {
            let [what, why, source] = [&remain.what, &remain.why, &remain.source].map(|text| escaped(text));
            let _ = writeln!(out, "- **{what}:** {why} ({source})");
        }
    }
    if report.run.certifying.certifying {
        let _ = writeln!(out, "\nThis run certifies the hardware.");
    } else {
        let _ = writeln!(out, "\n## Not a certificate\n");
        for missing in &report.run.certifying.missing {
            let _ = writeln!(out, "- {}", escaped(missing));
        }
    }
    let counts = report.counts();
    let _ = writeln!(
        out,
        "\n{} passed, {} skipped for not applying.",
        counted(counts.pass, "verdict"),
        counted(counts.skipped, "verdict")
    );
}

/// A link if the address is one of the web, else words.
fn citation(source: &Citation) -> String {
    let title = escaped(&source.title);
    let clause = if source.clause.is_empty() { String::new() } else { format!(", {}", escaped(&source.clause)) };
    let web = source.url.starts_with("https://") || source.url.starts_with("http://");
    let harmless = source.url.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '<' | '>' | '\\' | '|'));
    match (source.url.is_empty(), web && harmless) {
        (true, _) => format!("{title}{clause}"),
        (false, true) => format!("[{title}](<{}>){clause}", source.url),
        (false, false) => format!("{title}, {}{clause}", escaped(&source.url)),
    }
}

/// Text on one line that Markdown (CommonMark with GitHub's tables and automatic links) shows as it is.
fn escaped(text: &str) -> String {
    let text = shown(text);
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let acts = match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '&' | '~' => true,
            '@' => chars.peek().is_some_and(|next| next.is_alphanumeric()),
            // An image; the scheme of an automatic link.
            '!' => chars.peek() == Some(&'['),
            ':' => chars.peek() == Some(&'/'),
            '.' if before.eq_ignore_ascii_case(&'w') => true,
            // The start of a heading, a list or a numbered list matters only at the start of a line.
            '#' | '+' | '-' | '=' => out.is_empty(),
            '.' | ')' => {
                out.chars().all(|c| c.is_ascii_digit()) && chars.peek().is_none_or(|next| next.is_whitespace())
            }
            _ => false,
        };
        if acts {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_machine_stays_text() {
        for (text, expected) in [
            ("SAMSUNG MZ7KM480, 480.104 GB", "SAMSUNG MZ7KM480, 480.104 GB"),
            ("a|b", r"a\|b"),
            ("<script>x</script>", r"\<script\>x\</script\>"),
            ("![x](http://h)", r"\!\[x\](http\://h)"),
            ("www.example.org", r"www\.example.org"),
            ("_a_ *b* `c` ~d~", r"\_a\_ \*b\* \`c\` \~d\~"),
            ("# h", r"\# h"),
            ("1. x", r"1\. x"),
            ("1.2.3 CPU @ 1.80GHz", "1.2.3 CPU @ 1.80GHz"),
            ("- x", r"\- x"),
            ("a\n# h\x1b[0m", r"a\\x0a# h\\x1b\[0m"),
            ("&lt; @someone", r"\&lt; \@someone"),
        ] {
            assert_eq!(escaped(text), expected);
        }
    }

    #[test]
    fn only_a_web_address_becomes_a_link() {
        let citation =
            |url: &str| citation(&Citation { title: "T".to_owned(), url: url.to_owned(), clause: "4.2".to_owned() });
        assert_eq!(citation("https://docs.kernel.org/a_b.html"), "[T](<https://docs.kernel.org/a_b.html>), 4.2");
        assert_eq!(citation("javascript:alert(1)"), "T, javascript:alert(1), 4.2");
        assert_eq!(citation("https://x/> <b>"), r"T, https\://x/\> \<b\>, 4.2");
        assert_eq!(citation(""), "T, 4.2");
    }
}
