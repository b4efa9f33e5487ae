//! The 300 checks of the bench `judge` on 200 large nodes, one thread: through `muster`, the crate `cel` as it comes
//! and the crate `regorus`. The ratio counts.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml`. Every engine reads the JSON of each node itself.
//! What is no comparison: the others give true or false alone, no reasons and no evidence, and know no unknown.
#![recursion_limit = "512"]

#[path = "../../judge/checks.rs"]
mod checks;
#[path = "../../judge/node.rs"]
mod node;

use node::Templates;
use passmuster::evaluate::{Detail, Settings, judge};
use passmuster::inventory::Inventory;
use passmuster::rules::files::Overlay;
use passmuster::rules::load::RuleSet;
use std::error::Error;
use std::time::Instant;

type Outcome<T> = Result<T, Box<dyn Error>>;

const RUNS: usize = 3;

fn main() -> Outcome<()> {
    let nodes = std::env::args().nth(1).map_or(Ok(200), |nodes| nodes.parse())?;
    let mut templates = Templates::new(true);
    println!("{nodes} nodes of {} bytes, one thread", templates.node(0).len());
    println!("run  engine   wall [s]  ms/node  to muster  checks that hold");
    for run in 1..=RUNS {
        let mut first = 0.0;
        for (name, engine) in
            [("muster", muster as fn(usize, &mut Templates) -> Outcome<(f64, usize)>), ("regorus", rego), ("cel", cel)]
        {
            let (wall, held) = engine(nodes, &mut templates)?;
            if name == "muster" {
                first = wall;
            }
            println!("{run:3}  {name:7} {wall:9.3} {:8.2} {:9.1}x  {held}", wall * 1e3 / nodes as f64, wall / first);
        }
    }
    Ok(())
}

fn rules() -> Outcome<RuleSet> {
    let mut pack = "pack: bench\ntitle: Bench\nversion: 1.0.0\nchecks:\n".to_owned();
    let mut files = Vec::new();
    for check in checks::all() {
        pack.push_str(&format!("  bench.{}: null\n", check.name));
        files.push((format!("checks/bench/{}.yaml", check.name), check.yaml().into_bytes()));
    }
    files.push(("rules/solutions/bench.yaml".to_owned(), pack.into_bytes()));
    RuleSet::load(&[], &[Overlay { root: String::new(), files }]).map_err(|errors| format!("{errors:?}").into())
}

/// Seconds, and how many checks held over all nodes. Compiling is not counted, for none of the engines.
fn muster(nodes: usize, templates: &mut Templates) -> Outcome<(f64, usize)> {
    let rules = rules()?;
    let settings = Settings {
        solution: Some("bench".to_owned()),
        site: None,
        profile: None,
        as_of: "2026-03-01".parse()?,
        detail: Detail::Compact,
    };
    let mut held = 0;
    let start = Instant::now();
    for node in 0..nodes {
        let inventory: Inventory = serde_json::from_slice(templates.node(node))?;
        held += judge([inventory].as_slice(), &rules, &settings)?.counts.pass;
    }
    Ok((start.elapsed().as_secs_f64(), held))
}

fn rego(nodes: usize, templates: &mut Templates) -> Outcome<(f64, usize)> {
    let mut engine = regorus::Engine::new();
    let rules: Vec<String> = checks::all().iter().map(|check| check.rego()).collect();
    engine.add_policy("bench.rego".to_owned(), format!("package bench\nimport rego.v1\n{}\n", rules.join("\n")))?;
    let mut held = 0;
    let start = Instant::now();
    for node in 0..nodes {
        let json = std::str::from_utf8(templates.node(node))?;
        let input = regorus::Value::from_json_str(json)?;
        engine.set_input(input["node"].clone());
        let all = engine.eval_rule("data.bench".to_owned()).or_else(|_| {
            engine
                .eval_query("data.bench".to_owned(), false)
                .map(|results| results.result[0].expressions[0].value.clone())
        })?;
        held += all.as_object()?.values().filter(|value| **value == regorus::Value::Bool(true)).count();
    }
    Ok((start.elapsed().as_secs_f64(), held))
}

fn cel(nodes: usize, templates: &mut Templates) -> Outcome<(f64, usize)> {
    let programs =
        checks::all().iter().map(|check| cel::Program::compile(&check.cel())).collect::<Result<Vec<_>, _>>()?;
    let mut held = 0;
    let start = Instant::now();
    for node in 0..nodes {
        let json: serde_json::Value = serde_json::from_slice(templates.node(node))?;
        let mut context = cel::Context::default();
        context.add_variable("node", &json["node"]).map_err(|error| error.to_string())?;
        held += programs.iter().filter(|program| program.execute(&context) == Ok(cel::Value::Bool(true))).count();
    }
    Ok((start.elapsed().as_secs_f64(), held))
}
