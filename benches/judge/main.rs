//! Judging many large nodes: 300 checks, and the built-in ones, over generated inventories, JSON reading included.
//!
//! `cargo bench --bench judge` runs each size three times in a process of its own, on two threads, and prints wall
//! time and peak memory of each run; then where the time of one node goes. `cargo bench --bench judge -- 100 1000`
//! takes other sizes. The comparison with other engines is `benches/peers`.
#![recursion_limit = "512"]
#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]
#![expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "a bench reads the clock and starts itself")]

mod checks;
mod node;

use bumpalo::Bump;
use jiff::civil::date;
use node::Templates;
use passmuster::evaluate::{Detail, Fleet, Run, Settings, judge};
use passmuster::inventory::Inventory;
use passmuster::rules::builtin;
use passmuster::rules::files::Overlay;
use passmuster::rules::load::RuleSet;
use passmuster::view;
use std::borrow::Cow;
use std::cell::RefCell;
use std::error::Error;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Runs of each size.
const RUNS: usize = 3;
const SIZES: [usize; 3] = [100, 1_000, 10_000];

/// What is judged by.
#[derive(Clone, Copy)]
enum Rules {
    /// The 300.
    Bench,
    /// Those of the program, for Ceph.
    Builtin,
}

impl Rules {
    const ALL: [(Self, &'static str); 2] = [(Self::Bench, "300-checks"), (Self::Builtin, "built-in-ceph")];

    fn load(self) -> Outcome<RuleSet> {
        let loaded = match self {
            Self::Builtin => RuleSet::load(builtin::RULES, &[]),
            Self::Bench => {
                let checks = checks::all();
                let mut pack = "pack: bench\ntitle: Bench\nversion: 1.0.0\nchecks:\n".to_owned();
                let mut files = Vec::new();
                for check in &checks {
                    pack.push_str(&format!("  bench.{}: null\n", check.name));
                    files.push((format!("checks/bench/{}.yaml", check.name), check.yaml().into_bytes()));
                }
                files.push(("rules/solutions/bench.yaml".to_owned(), pack.into_bytes()));
                RuleSet::load(&[], &[Overlay { root: String::new(), files }])
            }
        };
        loaded.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n").into())
    }

    fn settings(self) -> Settings<'static> {
        let solution = match self {
            Self::Bench => "bench",
            Self::Builtin => "ceph",
        };
        Settings {
            solution: Some(solution.to_owned()),
            site: None,
            profile: None,
            as_of: date(2026, 3, 1),
            detail: Detail::Compact,
        }
    }
}

/// Nodes whose JSON is made when they are asked for.
struct Generated {
    nodes: usize,
    extra: bool,
}

thread_local! {
    static TEMPLATES: RefCell<Option<Templates>> = const { RefCell::new(None) };
}

impl Generated {
    fn json<T>(&self, place: usize, read: impl FnOnce(&[u8]) -> T) -> T {
        TEMPLATES
            .with_borrow_mut(|templates| read(templates.get_or_insert_with(|| Templates::new(self.extra)).node(place)))
    }
}

impl Fleet for Generated {
    fn len(&self) -> usize {
        self.nodes
    }
    fn load(&self, place: usize) -> Result<Cow<'_, Inventory>, String> {
        self.json(place, |bytes| serde_json::from_slice(bytes)).map(Cow::Owned).map_err(|error| error.to_string())
    }
}

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["child", rules, extra, nodes] => child(rules, *extra == "extra", nodes.parse()?),
        ["parts"] => parts(),
        // One node, to be looked at or judged by itself.
        ["node", number] => {
            Ok(std::io::Write::write_all(&mut std::io::stdout(), Templates::new(true).node(number.parse()?))?)
        }
        // What is compared: each check in our language, CEL and Rego.
        ["checks"] => {
            checks::all().iter().for_each(|check| println!("{}\n{}\n{}\n", check.yaml(), check.cel(), check.rego()));
            Ok(())
        }
        [] => all(&SIZES),
        sizes => all(&sizes.iter().map(|size| size.parse()).collect::<Result<Vec<usize>, _>>()?),
    }
}

fn all(sizes: &[usize]) -> Outcome<()> {
    same_schema()?;
    let bytes = |extra| Templates::new(extra).node(0).len();
    println!("a node: {} bytes of JSON; with facts that the schema does not know {}", bytes(false), bytes(true));
    println!(
        "{:14} {:6} {:>6} {:>9} {:>9} {:>10}  verdicts",
        "rules", "JSON", "nodes", "wall [s]", "us/node", "peak [MB]"
    );
    for (_, rules) in Rules::ALL {
        for extra in ["extra", "bare"] {
            for size in sizes {
                for _ in 0..RUNS {
                    let run = Command::new(std::env::current_exe()?)
                        .args(["child", rules, extra, &size.to_string()])
                        .env("RAYON_NUM_THREADS", "2")
                        .output()?;
                    let (told, failed) = (String::from_utf8(run.stdout)?, String::from_utf8(run.stderr)?);
                    if !run.status.success() {
                        return Err(failed.into());
                    }
                    print!("{told}");
                }
            }
        }
    }
    parts()
}

/// Every fact of the template is one of the schema, and every one that the schema has is there.
fn same_schema() -> Outcome<()> {
    let mut templates = Templates::new(false);
    let json: serde_json::Value = serde_json::from_slice(templates.node(0))?;
    let typed: Inventory = serde_json::from_value(json.clone())?;
    if serde_json::to_value(&typed)? == json {
        Ok(())
    } else {
        Err("the template has facts unknown to the schema".into())
    }
}

/// One run in a process of its own.
fn child(rules: &str, extra: bool, nodes: usize) -> Outcome<()> {
    let Some((which, name)) = Rules::ALL.into_iter().find(|(_, name)| *name == rules) else {
        return Err(format!("no rules {rules}").into());
    };
    let (set, settings) = (which.load()?, which.settings());
    let start = Instant::now();
    let run: Run = judge(&Generated { nodes, extra }, &set, &settings)?;
    let wall = start.elapsed().as_secs_f64();
    let counts = run.counts;
    println!(
        "{name:14} {:6} {nodes:6} {wall:9.3} {:9.0} {:10.1}  {} pass, {} fail, {} unknown, {} warn; {} findings",
        if extra { "extra" } else { "bare" },
        wall * 1e6 / nodes as f64,
        peak()?,
        counts.pass,
        counts.fail,
        counts.unknown,
        counts.warn,
        run.findings.len(),
    );
    Ok(())
}

/// The most memory that this process has held, in MB (proc_pid_status(5), `VmHWM`).
fn peak() -> Outcome<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    let kib: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kib * 1024.0 / 1e6)
}

/// Where the time of one node goes, on one thread: each step alone, and all of it.
fn parts() -> Outcome<()> {
    const NODES: usize = 400;
    println!("\nwhere the time of a node goes, one thread, {NODES} nodes");
    for extra in [true, false] {
        let fleet = Generated { nodes: NODES, extra };
        let each = |mut step: Box<dyn FnMut(usize) -> Outcome<()> + '_>| -> Outcome<f64> {
            step(0)?;
            let start = Instant::now();
            (0..NODES).try_for_each(&mut step)?;
            Ok(micros(start.elapsed()) / NODES as f64)
        };
        let generated = each(Box::new(|n| {
            fleet.json(n, |bytes| black_box(bytes.len()));
            Ok(())
        }))?;
        let read = each(Box::new(|n| {
            black_box(fleet.load(n)?);
            Ok(())
        }))?;
        let inventory = fleet.load(0)?;
        let mut arena = Bump::new();
        let viewed = each(Box::new(|_| {
            arena.reset();
            black_box(view::write(&inventory.node, &arena, view::reasons(&inventory.errors, &arena))?);
            Ok(())
        }))?;
        println!("JSON {}: made {generated:.0} us, read {:.0} us, view {viewed:.0} us", name(extra), read - generated);
        println!("  arena of the facts {} kB", arena.allocated_bytes() / 1000);
        let loaded: Vec<Inventory> =
            (0..NODES).map(|n| fleet.load(n).map(Cow::into_owned)).collect::<Result<_, _>>()?;
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        for (rules, name) in Rules::ALL {
            let (set, settings) = (rules.load()?, rules.settings());
            let start = Instant::now();
            black_box(one.install(|| judge(loaded.as_slice(), &set, &settings))?);
            let judged = micros(start.elapsed()) / NODES as f64;
            println!(
                "  {name}: view and judging {judged:.0} us, so roles, checks and findings {:.0} us",
                judged - viewed
            );
        }
    }
    Ok(())
}

fn name(extra: bool) -> &'static str {
    if extra { "extra" } else { "bare" }
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
