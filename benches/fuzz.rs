//! Fuzzes what reads rules: the parser and checker of expressions and messages, and the loader of YAML; what reads outputs of RAID tools; and
//! what reads disks.
//!
//!     cargo bench --bench fuzz -- SECONDS [SEED]
//!     cargo bench --bench fuzz -- SECONDS SEED disks
//!     cargo bench --bench fuzz -- SECONDS SEED answers
//!
//! The second form fuzzes the readers of partition tables, file systems and other signatures: small disks on which pieces of such structures lie where
//! they are looked for, checksums mostly wrong. They are told by what is found, not by messages, and none is kept.
//!
//! The third form collects from a machine whose answers (smartctl, NVMe, ethtool, rtnetlink, LLDP agents, ipmitool, EDAC) are mutations of sound ones.
//!
//! Inputs are mutations of the built-in rules, of `fixtures/raid/` and of `fixtures/fuzz/`; one that is told something that no input before
//! was told (by the messages, numbers left out) joins the inputs. Prints executions, the slowest input and every find:
//! a panic, or more than a second for one input. With MUSTER_KEEP=1 the inputs that told something new are written to
//! `fixtures/fuzz/`. Exit status 1 on a find.
#![allow(
    missing_docs,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

#[path = "fuzz/answers.rs"]
mod answers;

use passmuster::collect::raid;
use passmuster::expr::{Schema, Scope, Template, compile};
use passmuster::inventory::Node;
use passmuster::reading::{FactType, Record};
use passmuster::rules::builtin::RULES;
use passmuster::rules::files::Overlay;
use passmuster::rules::load::RuleSet;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest input, in bytes.
const LONGEST: usize = 6000;
/// Most inputs that are kept.
const MOST: usize = 4000;

/// xorshift64*: the run is a function of its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

const WORDS: &[&str] = &[
    "'",
    "\"",
    "|\n  ",
    ">-\n  ",
    "&a ",
    "*a",
    "!!str ",
    "<<: ",
    "---\n",
    "\t",
    ": ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "\\u202e",
    "\u{202e}",
    "\0",
    "&&",
    "||",
    "==",
    "!=",
    ">=",
    "!",
    "?",
    ":",
    ".",
    ",",
    "%",
    "10%",
    "25Gbit/s",
    "0B",
    "1e308",
    "9223372036854775807",
    "-",
    "*",
    "/",
    "has(",
    ".all(d, ",
    ".exists(d, ",
    ".map(x, ",
    ".filter(",
    "size(",
    "sum(",
    "median(",
    "matches(",
    "version_compare(",
    "node.",
    "node.drives",
    "drive.role",
    "params.",
    "node.cpu.threads",
    "true",
    "null",
    "let:\n  a: '1'\n",
    "assert: '",
    "where: '",
    "uniform: '",
    "by: '",
    "checks:\n",
    "extends: [base]\n",
    "params:\n",
    "é",
    "\u{10FFFF}",
    "'''",
    "\\",
    "{{",
    "}}",
    "\r\n",
    "\"Controllers\":[",
    "\"EID:Slt\":\"252:0\"",
    "Logical Drive: 1\n",
    "physicaldrive 1I:1:1\n",
    " : ",
    "-----\n",
    "Device #0\n",
    "IR volume 1\n",
    " in Slot 0\n",
    "[0x1 Sectors]",
];

fn mutate(random: &mut Random, input: &[u8], other: &[u8]) -> Vec<u8> {
    let mut out = input.to_vec();
    for _ in 0..=random.below(6) {
        let at = random.below(out.len() + 1);
        match random.below(7) {
            0 if !out.is_empty() => {
                let at = at.min(out.len() - 1);
                out[at] = random.next() as u8;
            }
            1 => out.splice(at..at, random.of(WORDS).bytes()).for_each(drop),
            2 => {
                let end = (at + random.below(40)).min(out.len());
                out.drain(at..end);
            }
            3 => {
                let from = random.below(other.len() + 1);
                let end = (from + random.below(200)).min(other.len());
                out.splice(at..at, other[from..end].iter().copied()).for_each(drop);
            }
            4 => {
                let end = (at + random.below(60)).min(out.len());
                let part = out[at..end].to_vec();
                for _ in 0..random.below(8) {
                    out.splice(at..at, part.iter().copied()).for_each(drop);
                }
            }
            5 => out.truncate(at),
            _ => out.insert(at, random.below(128) as u8),
        }
        out.truncate(LONGEST);
    }
    out
}

/// Families of RAID tools whose outputs are read.
const TOOLS: [&str; 4] = ["storcli", "ssacli", "ircu", "arcconf"];

/// What the readers say of the input, numbers left out.
fn told(input: &[u8], schema: &Schema, base: &[(&str, &str)]) -> BTreeSet<String> {
    let mut told = BTreeSet::new();
    let mut tell = |kind: &str, message: &str| {
        let shape: String =
            message.split('`').step_by(2).flat_map(str::chars).filter(|c| !c.is_ascii_digit()).collect();
        told.insert(format!("{kind}: {}", shape.chars().take(80).collect::<String>()));
    };
    if let Ok(text) = std::str::from_utf8(input) {
        let mut scope = Scope::new(schema);
        let mut whole = schema.clone();
        scope.bind("node", whole.fact(&FactType::Record(Node::record_type())));
        match compile(text, &scope) {
            Ok(compiled) => tell("type", &compiled.ty().to_string()),
            Err(errors) => errors.iter().for_each(|error| tell("expression", &error.message)),
        }
        match Template::compile(text, &scope) {
            Ok(_) => tell("message", "right"),
            Err(errors) => errors.iter().for_each(|error| tell("message", &error.message)),
        }
    }
    // What a tool prints is read as text, whatever its bytes.
    let output = String::from_utf8_lossy(input);
    for tool in TOOLS {
        match raid::parse(tool, &output) {
            Ok(report) => {
                let told = format!("{report:?}");
                for part in ["[Controller", "[Volume", "[Drive", "gaps: [\"", "refused: [\"", "Value(Write", "Nothing"]
                {
                    if told.contains(part) {
                        tell(tool, part);
                    }
                }
                told.split("Wrong(\"")
                    .skip(1)
                    .filter_map(|rest| rest.split(':').next())
                    .for_each(|cause| tell(tool, cause));
            }
            Err(cause) => tell(tool, &cause),
        }
    }
    for path in ["checks/cpu/all-online.yaml", "rules/solutions/ceph.yaml", "rules/knowledge/drives.yaml"] {
        let overlay = Overlay { root: "x".to_owned(), files: vec![(path.to_owned(), input.to_vec())] };
        match RuleSet::load(base, &[overlay]) {
            Ok(rules) => {
                tell(path, "right");
                if let Err(errors) = rules.site("muster.yaml", input) {
                    errors.iter().for_each(|error| tell("site", &error.message));
                }
            }
            Err(errors) => {
                errors.iter().for_each(|error| tell(path, &error.message));
                let _ = passmuster::rules::diagnostic::render(&errors, false);
            }
        }
    }
    told
}

/// Places where structures are looked for on a disk of [`DISK`] bytes, from its start and from its end.
const PLACES: &[i64] = &[
    0, 3, 24, 32, 54, 440, 446, 462, 510, 512, 1024, 1080, 1120, 1536, 3072, 4086, 4096, 4120, 4608, 5120, 6144, 8192,
    16_384, 16_396, 32_768, 32_769, 34_816, 65_526, 65_536, 65_600, 131_072, 135_168, 262_144, 278_528, 1_048_576,
    1_049_088, 2_097_152, -512, -1024, -4096, -4036, -5632, -8192, -17_408, -32_256, -65_536, -131_072, -262_144,
    -245_760, -524_288, -507_904,
];
const DISK: usize = 3 << 20;
const MAGIC: &[&[u8]] = &[
    b"EFI PART\0\0\x01\0\x5c\0\0\0",
    b"\x55\xaa",
    b"\0\0\0\0\x05\0\0\0\x01\0\0\0\x10\0\0\0",
    b"\0\0\0\0\x83\0\0\0\0\x08\0\0\0\x04\0\0",
    b"LABELONE\x01\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001",
    b" LVM2 x[5A%r0N*>",
    b"XFSB",
    b"XAGF\0\0\0\x01\0\0\0\0",
    b"\x53\xef",
    b"_BHRfS_M",
    b"\x10\x20\xf5\xf2",
    b"NTFS    ",
    b"EXFAT   ",
    b"FAT32   ",
    b"\xeb\x3c\x90",
    b"LUKS\xba\xbe\0\x02\0\0\0\0\0\0\x40\0",
    b"SKUL\xba\xbe\0\x02",
    b"SWAPSPACE2",
    b"\xfc\x4e\x2b\xa9\x01\0\0\0",
    b"\x01\x01\0\0\0\0\0\0\0\0\0\x01\0\0\0\x24\0\0\0\x20\0\0\0\x04name\0\0\0\x09\0\0\0\x01\0\0\0\x04tank",
    b"\x0c\xb1\xba\0\0\0\0\0",
    b"bluestore block device\n3f1c0000-0000-0000-0000-000000000001\n\x02\x01\x80\0\0\0",
    b"SPACEDB \0\x03\x02\0",
    b"\x0d\xd0\x01\xc0",
    b"\x83\x74\x02\x6d",
    b"\xde\x11\xde\x11",
    b"Intel Raid ISM Cfg Sig. 1.3.00\0\0\0\0\0\0\x80\x01\0\0",
    b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
    b"!Stra0tis\x86\xff\x02^\x41rh",
    b"\x34\x34\xff\xff",
    b"\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\0\0\0\0\0\0\0\0",
    b"\x01",
];

/// Fuzzes the readers of disks for some seconds; how many finds there are.
fn disks(seconds: u64, random: &mut Random) -> u64 {
    std::panic::set_hook(Box::new(|_| ()));
    let (start, mut slowest, mut executions, mut finds) = (Instant::now(), Duration::ZERO, 0_u64, 0_u64);
    let mut kinds = BTreeSet::new();
    while start.elapsed() < Duration::from_secs(seconds) {
        // Mostly a whole disk; sometimes one that ends anywhere.
        let length = if random.below(4) == 0 { random.below(DISK) + 1 } else { DISK };
        let mut disk = vec![*random.of(&[0_u8, 0, 0xff]); length];
        for _ in 0..=random.below(12) {
            let place = *random.of(PLACES) + *random.of(&[0, 0, 0, 4, 8, 16, 40, 64, 72, 80, 84, 88, 96]);
            let at = if place < 0 { length as i64 + place } else { place };
            let piece: Vec<u8> = if random.below(6) == 0 {
                (0..random.below(600)).map(|_| random.next() as u8).collect()
            } else {
                random.of(MAGIC).to_vec()
            };
            let Ok(at) = usize::try_from(at) else { continue };
            disk.iter_mut().skip(at).zip(&piece).for_each(|(byte, new)| *byte = *new);
        }
        let block = *random.of(&[512, 512, 4096]);
        let before = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| passmuster::collect::signature::fuzz::found(&disk, block)));
        slowest = slowest.max(before.elapsed());
        executions += 1;
        match outcome {
            Ok(found) => kinds.extend(found.iter().filter_map(|line| line.split(' ').next().map(str::to_owned))),
            Err(_) => {
                finds += 1;
                println!("panic: a disk of {length} bytes in blocks of {block}, execution {executions}");
            }
        }
        finds += u64::from(before.elapsed() > Duration::from_secs(1));
    }
    println!(
        "{executions} disks in {seconds} s, {finds} finds, slowest {slowest:?}, found: {}",
        Vec::from_iter(kinds).join(" ")
    );
    finds
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    // `cargo test --all-targets` runs this too: then it is only built and started.
    let Some(seconds) = arguments.next().and_then(|seconds| seconds.parse().ok()) else {
        println!("usage: cargo bench --bench fuzz -- SECONDS [SEED] [disks | answers]");
        return;
    };
    let seed = arguments.next().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ seed);
    let finds = match arguments.next().as_deref() {
        Some("disks") => Some(disks(seconds, &mut random)),
        Some("answers") => Some(answers::run(seconds, seed)),
        _ => None,
    };
    if let Some(finds) = finds {
        if finds > 0 {
            std::process::exit(1);
        }
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/fuzz");
    let base: Vec<(&str, &str)> = RULES
        .iter()
        .copied()
        .filter(|(path, _)| ["checks/cpu/all-online.yaml", "rules/base.yaml"].contains(path))
        .collect();
    let base: Vec<(&str, &str)> = base
        .into_iter()
        .map(|(path, text)| match path {
            "rules/base.yaml" => (path, "pack: base\ntitle: \"t\"\nversion: 0.1.0\nchecks:\n  cpu.all-online: null\n"),
            _ => (path, text),
        })
        .collect();
    let schema = Schema::new();
    let mut inputs: Vec<Vec<u8>> = RULES.iter().map(|(_, text)| text.as_bytes().to_vec()).collect();
    inputs
        .extend(RULES.iter().flat_map(|(_, text)| text.split('\'').skip(1).step_by(2)).map(|e| e.as_bytes().to_vec()));
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        inputs.extend(std::fs::read(entry.path()));
    }
    for entry in std::fs::read_dir(folder.with_file_name("raid")).into_iter().flatten().flatten() {
        let text = std::fs::read(entry.path()).unwrap_or_default();
        // Without its indentation a JSON is short enough not to be cut.
        let compact = serde_json::from_slice::<serde_json::Value>(&text).map(|value| value.to_string().into_bytes());
        inputs.push(compact.unwrap_or(text));
    }
    inputs.sort();
    inputs.dedup();
    let mut known = BTreeSet::new();
    for input in &inputs {
        known.extend(told(input, &schema, &base));
    }
    std::panic::set_hook(Box::new(|_| ()));
    let (mut executions, mut finds, mut fresh) = (0_u64, 0_u64, Vec::new());
    let mut slowest = Duration::ZERO;
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(seconds) {
        let (one, other) = (random.below(inputs.len()), random.below(inputs.len()));
        let input = mutate(&mut random, &inputs[one], &inputs[other]);
        let before = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| told(&input, &schema, &base)));
        let took = before.elapsed();
        slowest = slowest.max(took);
        executions += 1;
        let find = match &outcome {
            Err(_) => Some("panic"),
            Ok(_) if took > Duration::from_secs(1) => Some("slow"),
            Ok(_) => None,
        };
        if let Some(find) = find {
            finds += 1;
            println!("{find}: {:?}", String::from_utf8_lossy(&input));
        }
        let Ok(told) = outcome else { continue };
        let new = told.iter().filter(|what| !known.contains(*what)).count();
        if new > 0 && inputs.len() < MOST {
            known.extend(told);
            inputs.push(input.clone());
            fresh.push(input);
        }
    }
    if std::env::var_os("MUSTER_KEEP").is_some() {
        std::fs::create_dir_all(&folder).expect("fixtures/fuzz can be made");
        fresh.sort_by_key(Vec::len);
        for input in fresh.iter().filter(|input| input.len() < 400).take(200) {
            let name = input
                .iter()
                .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
            std::fs::write(folder.join(format!("{name:016x}")), input).expect("fixtures/fuzz can be written");
        }
    }
    println!(
        "{executions} executions of 12 readers in {seconds} s with seed {seed}, {finds} finds, {} inputs told something new, slowest {slowest:?}",
        fresh.len()
    );
    if finds > 0 {
        std::process::exit(1);
    }
}
