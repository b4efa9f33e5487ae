//! The manifest of a capture: every question that was put to a machine, and what became of it.
//!
//! A capture is a folder (or an archive of one) with
//!
//! | path | what |
//! |---|---|
//! | `muster-capture.json` | this manifest, schema `muster.capture/v1`, one question a line, sorted |
//! | `dev` `etc` `proc` `run` `sys` `usr` | the content of each file that was read, under the path by which it was asked for; links stand in the manifest alone, so that what was read through a link needs no second place |
//! | `tools/` | standard output of each tool, under its program and arguments joined by single spaces, `%` and `/` percent-encoded |
//! | `answers/` | bytes of devices and NVMe structures under the words of their question, and whatever cannot stand under its own path |
//!
//! An entry is `{"ask": .., "answer": ..}` or `{"ask": .., "error": {"kind": .., "cause": ..}}`. Bytes are a file of the
//! capture with its length, or text, or hexadecimal. An answer of which the file is missing or has another length
//! makes the capture a damaged one. Does not know what the answers mean.

use super::{
    Answer, ClockState, HostError, HostErrorKind, Listing, NetlinkFamily, NvmeAdmin, NvmeAnswer, OpenCause, Outcome,
    Question, ToolOutput,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The manifest's file.
pub(crate) const FILE: &str = "muster-capture.json";
/// Its longest size, in bytes: some 100 bytes a question, and netlink messages in hexadecimal.
pub(crate) const BYTES: usize = 256 << 20;
/// Outputs of tools.
pub(crate) const TOOLS: &str = "tools";
/// Answers that are no files of the machine.
pub(crate) const ANSWERS: &str = "answers";

const SCHEMA: &str = "muster.capture/v1";
/// Folders of the machine that a capture has; answers from elsewhere stand in `answers/`.
const FOLDERS: &[&str] = &["dev", "etc", "proc", "run", "sys", "usr"];
/// `NAME_MAX`, and as deep and long as archives may be.
const NAME_BYTES: usize = 255;
const PATH_BYTES: usize = 1024;
const DEPTH: usize = 60;

#[derive(Deserialize)]
struct Head {
    schema: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    #[serde(rename = "schema")]
    _schema: String,
    #[serde(rename = "written_by")]
    _written_by: String,
    questions: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    ask: Ask,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Given>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Failed>,
}

/// A frozen copy of [`Question`].
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Ask {
    Now,
    ClockState,
    Read(String),
    List(String),
    ReadLink(String),
    Run(Vec<String>),
    NvmeAdmin { device: String, command: NvmeAdmin },
    Ethtool { interface: String, request: Hex },
    Netlink { family: NetlinkFamily, request: Hex },
    ReadDevice { device: String, offset: u64, length: u32 },
}

/// A frozen copy of [`Answer`].
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Given {
    Time(String),
    Clock(ClockState),
    Bytes(Content),
    Listing { names: Vec<String>, complete: bool },
    Target(String),
    Tool { status: Option<i32>, stdout: Content, stderr: Content },
    Nvme { status: u16, result: u32, data: Content },
    Messages(Vec<Hex>),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Content {
    File { path: String, bytes: u64 },
    Text(String),
    Hex(Hex),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Failed {
    /// Only where a host named it otherwise than [`Question::operation`] does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    operation: Option<String>,
    kind: HostErrorKind,
    cause: String,
}

/// Bytes as lower-case hexadecimal digits.
#[derive(Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
struct Hex(Vec<u8>);

impl From<Hex> for String {
    fn from(hex: Hex) -> Self {
        hex.0.iter().fold(Self::with_capacity(hex.0.len() * 2), |mut text, byte| {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

impl Clone for Hex {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl TryFrom<String> for Hex {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if !rest.is_empty() {
            return Err("an odd number of hexadecimal digits");
        }
        let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect::<Option<_>>();
        bytes.map(Self).ok_or("not hexadecimal digits")
    }
}

// ---- reading ---------------------------------------------------------------------------------------------

/// The questions of a manifest with their outcomes; files are fetched by `read`.
pub(crate) fn parse(
    text: &[u8],
    read: impl Fn(&str) -> Result<Vec<u8>, OpenCause>,
) -> Result<BTreeMap<Question, Outcome>, OpenCause> {
    let damaged = |error: serde_json::Error| OpenCause::Damaged(format!("{FILE}: {error}"));
    let head: Head = serde_json::from_slice(text).map_err(damaged)?;
    if head.schema != SCHEMA {
        return Err(OpenCause::Schema(head.schema));
    }
    let manifest: Manifest = serde_json::from_slice(text).map_err(damaged)?;
    let mut outcomes = BTreeMap::new();
    for entry in manifest.questions {
        let question = entry.ask.into_question();
        let operation = question.operation();
        let outcome = match (entry.answer, entry.error) {
            (Some(answer), None) => Ok(answer.into_answer(&operation, &read)?),
            (None, Some(failed)) => Err(HostError {
                operation: failed.operation.unwrap_or_else(|| operation.clone()),
                kind: failed.kind,
                cause: failed.cause,
            }),
            _ => {
                return Err(OpenCause::Damaged(format!(
                    "{FILE}: {operation}: neither an answer nor an error, or both"
                )));
            }
        };
        if outcome.as_ref().is_ok_and(|answer| !question.fits(answer)) {
            return Err(OpenCause::Damaged(format!("{FILE}: {operation}: an answer of another type")));
        }
        if outcomes.insert(question, outcome).is_some() {
            return Err(OpenCause::Damaged(format!("{FILE}: {operation}: asked twice")));
        }
    }
    Ok(outcomes)
}

impl Ask {
    fn into_question(self) -> Question {
        match self {
            Self::Now => Question::Now,
            Self::ClockState => Question::ClockState,
            Self::Read(path) => Question::Read(path),
            Self::List(path) => Question::List(path),
            Self::ReadLink(path) => Question::ReadLink(path),
            Self::Run(argv) => Question::Run(argv),
            Self::NvmeAdmin { device, command } => Question::NvmeAdmin(device, command),
            Self::Ethtool { interface, request } => Question::Ethtool(interface, request.0),
            Self::Netlink { family, request } => Question::Netlink(family, request.0),
            Self::ReadDevice { device, offset, length } => Question::ReadDevice(device, offset, length),
        }
    }

    fn from_question(question: &Question) -> Self {
        match question.clone() {
            Question::Now => Self::Now,
            Question::ClockState => Self::ClockState,
            Question::Read(path) => Self::Read(path),
            Question::List(path) => Self::List(path),
            Question::ReadLink(path) => Self::ReadLink(path),
            Question::Run(argv) => Self::Run(argv),
            Question::NvmeAdmin(device, command) => Self::NvmeAdmin { device, command },
            Question::Ethtool(interface, request) => Self::Ethtool { interface, request: Hex(request) },
            Question::Netlink(family, request) => Self::Netlink { family, request: Hex(request) },
            Question::ReadDevice(device, offset, length) => Self::ReadDevice { device, offset, length },
        }
    }
}

impl Given {
    fn into_answer(
        self,
        operation: &str,
        read: impl Fn(&str) -> Result<Vec<u8>, OpenCause>,
    ) -> Result<Answer, OpenCause> {
        Ok(match self {
            Self::Time(time) => Answer::Time(
                time.parse().map_err(|_| OpenCause::Damaged(format!("{FILE}: {operation}: {time:?} is no time")))?,
            ),
            Self::Clock(state) => Answer::Clock(state),
            Self::Bytes(content) => Answer::Bytes(content.fetch(read)?),
            Self::Listing { names, complete } => Answer::Listing(Listing { names, complete }),
            Self::Target(target) => Answer::Target(target),
            Self::Tool { status, stdout, stderr } => {
                Answer::Tool(ToolOutput { status, stdout: stdout.fetch(&read)?, stderr: stderr.fetch(&read)? })
            }
            Self::Nvme { status, result, data } => Answer::Nvme(NvmeAnswer { status, result, data: data.fetch(read)? }),
            Self::Messages(messages) => Answer::Messages(messages.into_iter().map(|message| message.0).collect()),
        })
    }
}

impl Content {
    fn fetch(self, read: impl Fn(&str) -> Result<Vec<u8>, OpenCause>) -> Result<Vec<u8>, OpenCause> {
        match self {
            Self::Text(text) => Ok(text.into_bytes()),
            Self::Hex(hex) => Ok(hex.0),
            Self::File { path, bytes } => {
                let content = read(&path)?;
                if content.len() as u64 == bytes {
                    return Ok(content);
                }
                let found = content.len();
                Err(OpenCause::Damaged(format!("{path} has {found} bytes, the manifest says {bytes}")))
            }
        }
    }

    fn inline(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Hex(Hex(bytes.to_vec())),
        }
    }
}

// ---- writing ---------------------------------------------------------------------------------------------

/// A capture of these questions: relative paths with their content, sorted, the manifest among them.
pub(crate) fn write(outcomes: &BTreeMap<Question, Outcome>) -> Vec<(String, Vec<u8>)> {
    let mut files = Files::default();
    let mut lines = Vec::new();
    for (question, outcome) in outcomes {
        let (answer, error) = match outcome {
            Ok(answer) => (Some(files.given(question, answer)), None),
            Err(error) => {
                let operation = (error.operation != question.operation()).then(|| error.operation.clone());
                (None, Some(Failed { operation, kind: error.kind, cause: error.cause.clone() }))
            }
        };
        // Serialising plain structs to a string cannot fail; an entry that did would be "not in the capture".
        lines.extend(serde_json::to_string(&Entry { ask: Ask::from_question(question), answer, error }));
    }
    let written_by = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));
    let lines = if lines.is_empty() { String::new() } else { format!("\n    {}\n  ", lines.join(",\n    ")) };
    let manifest = format!(
        "{{\n  \"schema\": \"{SCHEMA}\",\n  \"written_by\": \"{written_by}\",\n  \"questions\": [{lines}]\n}}\n"
    );
    files.files.insert(FILE.to_owned(), manifest.into_bytes());
    files.files.into_iter().collect()
}

/// The files of a capture while it is put together.
#[derive(Default)]
struct Files {
    files: BTreeMap<String, Vec<u8>>,
    /// Every folder above a file: no file may take its place.
    folders: BTreeSet<String>,
}

impl Files {
    fn given(&mut self, question: &Question, answer: &Answer) -> Given {
        match answer {
            Answer::Time(time) => Given::Time(time.to_string()),
            Answer::Clock(state) => Given::Clock(*state),
            Answer::Bytes(bytes) => Given::Bytes(match question {
                Question::Read(path) => self.store(path.strip_prefix('/').filter(|path| has_own_place(path)), bytes),
                Question::ReadDevice(..) => self.store(Some(&answer_file(question)), bytes),
                _ => Content::Hex(Hex(bytes.clone())),
            }),
            Answer::Listing(listing) => Given::Listing { names: listing.names.clone(), complete: listing.complete },
            Answer::Target(target) => Given::Target(target.clone()),
            Answer::Tool(output) => Given::Tool {
                status: output.status,
                stdout: match question {
                    Question::Run(argv) => self.store(Some(&tool_file(argv)), &output.stdout),
                    _ => Content::inline(&output.stdout),
                },
                stderr: Content::inline(&output.stderr),
            },
            Answer::Nvme(answer) => Given::Nvme {
                status: answer.status,
                result: answer.result,
                data: if answer.data.is_empty() {
                    Content::Hex(Hex(Vec::new()))
                } else {
                    self.store(Some(&answer_file(question)), &answer.data)
                },
            },
            Answer::Messages(messages) => {
                Given::Messages(messages.iter().map(|message| Hex(message.clone())).collect())
            }
        }
    }

    /// Stores content under a path if that is free and can be a file's, else under the next number in `answers/`.
    fn store(&mut self, path: Option<&str>, content: &[u8]) -> Content {
        let mut path = path.map(str::to_owned);
        let mut number = self.files.len();
        let path = loop {
            match path {
                Some(path) if self.is_free(&path) => break path,
                _ => {
                    path = Some(format!("{ANSWERS}/{number:05}"));
                    number += 1;
                }
            }
        };
        self.folders.extend(above(&path).map(str::to_owned));
        self.files.insert(path.clone(), content.to_vec());
        Content::File { path, bytes: content.len() as u64 }
    }

    fn is_free(&self, path: &str) -> bool {
        let plain = path.split('/').all(|name| {
            !matches!(name, "" | "." | "..") && name.len() <= NAME_BYTES && !name.contains(char::is_control)
        });
        plain
            && path.len() <= PATH_BYTES
            && path.split('/').count() <= DEPTH
            && !self.files.contains_key(path)
            && !self.folders.contains(path)
            && !above(path).any(|folder| self.files.contains_key(folder))
    }
}

/// The folders above a path, the outermost last.
fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once('/').map(|(above, _)| above)).skip(1)
}

/// Whether a file of the machine stands under its own path in a capture.
fn has_own_place(path: &str) -> bool {
    path.split_once('/').is_some_and(|(top, _)| FOLDERS.contains(&top))
}

/// The path under which a tool's output stands.
pub(crate) fn tool_file(argv: &[String]) -> String {
    format!("{TOOLS}/{}", encoded(&argv.join(" ")))
}

/// The path under which bytes of a device stand.
fn answer_file(question: &Question) -> String {
    format!("{ANSWERS}/{}", encoded(&question.operation()))
}

fn encoded(words: &str) -> String {
    words.replace('%', "%25").replace('/', "%2F")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(path: &str) -> Result<Vec<u8>, OpenCause> {
        Err(OpenCause::Damaged(format!("no {path}")))
    }

    fn manifest(questions: &str) -> String {
        format!(r#"{{"schema":"muster.capture/v1","written_by":"passmuster 0.1.0","questions":[{questions}]}}"#)
    }

    fn words(argv: &[&str]) -> Vec<String> {
        argv.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn the_name_of_a_tools_output_has_no_slash() {
        assert_eq!(tool_file(&words(&["smartctl", "-x", "-j", "/dev/sda"])), "tools/smartctl -x -j %2Fdev%2Fsda");
        assert_eq!(tool_file(&words(&["date", "+%s"])), "tools/date +%25s");
    }

    #[test]
    fn another_version_is_named_before_anything_else_is_looked_at() {
        let text = br#"{"schema":"muster.capture/v2","whatever":[1]}"#;
        assert_eq!(parse(text, nothing), Err(OpenCause::Schema("muster.capture/v2".into())));
    }

    #[test]
    fn what_is_no_manifest_is_damaged() {
        for questions in [
            r#"{"ask":{"read":"/a"}}"#,
            r#"{"ask":{"read":"/a"},"answer":{"target":"b"}}"#,
            r#"{"ask":{"read":"/a"},"answer":{"bytes":{"hex":"0g"}}}"#,
            r#"{"ask":{"read":"/a"},"answer":{"bytes":{"hex":"012"}}}"#,
            r#"{"ask":{"read":"/a"},"answer":{"bytes":{"text":""}},"error":{"kind":"io","cause":""}}"#,
            r#"{"ask":{"read":"/a"},"answer":{"bytes":{"text":""}},"more":1}"#,
            r#"{"ask":{"read":"/a"},"answer":{"bytes":{"file":{"path":"a","bytes":0}}}}"#,
            r#"{"ask":{"read":"/a"},"error":{"kind":"odd","cause":""}}"#,
            r#"{"ask":{"write":"/a"},"error":{"kind":"io","cause":""}}"#,
            r#"{"ask":"now","answer":{"time":"yesterday"}}"#,
            r#"{"ask":{"list":"/a"},"error":{"kind":"io","cause":""}},{"ask":{"list":"/a"},"error":{"kind":"io","cause":""}}"#,
        ] {
            let outcome = parse(manifest(questions).as_bytes(), nothing);
            assert!(matches!(outcome, Err(OpenCause::Damaged(_))), "{questions}: {outcome:?}");
        }
        for text in ["", "[]", "{}", r#"{"schema":"muster.capture/v1"}"#] {
            assert!(matches!(parse(text.as_bytes(), nothing), Err(OpenCause::Damaged(_))), "{text}");
        }
        assert_eq!(parse(manifest("").as_bytes(), nothing), Ok(BTreeMap::new()));
    }

    #[test]
    fn a_file_of_another_length_is_damaged() {
        let text = manifest(r#"{"ask":{"read":"/a"},"answer":{"bytes":{"file":{"path":"x","bytes":3}}}}"#);
        let read = |content: &'static [u8]| parse(text.as_bytes(), move |_| Ok(content.to_vec()));
        assert_eq!(read(b"abc").unwrap()[&Question::Read("/a".into())], Ok(Answer::Bytes(b"abc".to_vec())));
        assert_eq!(read(b"ab"), Err(OpenCause::Damaged("x has 2 bytes, the manifest says 3".into())));
    }

    #[test]
    fn a_manifest_reads_as_documented() {
        let outcomes = BTreeMap::from([
            (Question::Read("/sys/a".into()), Ok(Answer::Bytes(b"1\n".to_vec()))),
            (
                Question::Read("/sys/b".into()),
                Err(Question::Read("/sys/b".into()).error(HostErrorKind::NotFound, "no such file or directory")),
            ),
            (
                Question::Run(words(&["lldpctl", "/x"])),
                Ok(Answer::Tool(ToolOutput { status: Some(0), stdout: b"{}".to_vec(), stderr: vec![0xff] })),
            ),
        ]);
        let files = write(&outcomes);
        let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["muster-capture.json", "sys/a", "tools/lldpctl %2Fx"]);
        let version = env!("CARGO_PKG_VERSION");
        let expected = format!(
            r#"{{
  "schema": "muster.capture/v1",
  "written_by": "passmuster {version}",
  "questions": [
    {{"ask":{{"read":"/sys/a"}},"answer":{{"bytes":{{"file":{{"path":"sys/a","bytes":2}}}}}}}},
    {{"ask":{{"read":"/sys/b"}},"error":{{"kind":"not-found","cause":"no such file or directory"}}}},
    {{"ask":{{"run":["lldpctl","/x"]}},"answer":{{"tool":{{"status":0,"stdout":{{"file":{{"path":"tools/lldpctl %2Fx","bytes":2}}}},"stderr":{{"hex":"ff"}}}}}}}}
  ]
}}
"#
        );
        assert_eq!(String::from_utf8(files[0].1.clone()).unwrap(), expected);
    }

    #[test]
    fn answers_that_cannot_stand_under_their_path_stand_under_a_number() {
        let read = |path: &str| (Question::Read(path.to_owned()), Ok(Answer::Bytes(path.as_bytes().to_vec())));
        let long = format!("/sys/{}", "x".repeat(256));
        let outcomes = BTreeMap::from([
            read("/sys/a"),
            // the machine changed while it was read: a file became a folder
            read("/sys/a/b"),
            read("/sys/c/../a"),
            read("/muster-capture.json"),
            read("/tools/date"),
            read("/home/x"),
            read("/sys"),
            read(&long),
            (
                Question::Run(words(&["a b"])),
                Ok(Answer::Tool(ToolOutput { status: None, stdout: vec![1], stderr: vec![] })),
            ),
            (
                Question::Run(words(&["a", "b"])),
                Ok(Answer::Tool(ToolOutput { status: None, stdout: vec![2], stderr: vec![] })),
            ),
            (
                Question::Run(words(&["a\n"])),
                Ok(Answer::Tool(ToolOutput { status: None, stdout: vec![3], stderr: vec![] })),
            ),
            (Question::Run(vec![]), Ok(Answer::Tool(ToolOutput { status: None, stdout: vec![4], stderr: vec![] }))),
        ]);
        let files: BTreeMap<String, Vec<u8>> = write(&outcomes).into_iter().collect();
        assert_eq!(files["sys/a"], b"/sys/a");
        assert!(
            files.keys().all(|path| ["answers/", "muster-capture.json", "sys/a", "tools/a b"]
                .iter()
                .any(|start| path.starts_with(start))),
            "{:?}",
            files.keys()
        );
        let read = |path: &str| files.get(path).cloned().ok_or_else(|| OpenCause::Damaged(path.to_owned()));
        assert_eq!(parse(&files["muster-capture.json"], read), Ok(outcomes));
    }
}
