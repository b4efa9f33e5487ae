//! Subjects and nodes compared with each other, and checks about the cluster.

use super::{PLAIN, ask, check, cores, lines, of, rules, said, unread};
use passmuster::evaluate::finding::Cause;
use passmuster::reading::ErrorKind;
use serde_json::{Value, json};

#[test]
fn the_few_are_blamed_and_a_tie_blames_nobody() {
    let of = |cores: &[Value]| {
        let nodes: Vec<Value> = cores.iter().map(|cores| json!({"cpu": {"cores": cores}})).collect();
        ask(&rules(&check("should", "node", "uniform: 'node.cpu.cores'"), "null", &[]), &nodes, &PLAIN)
    };
    assert_eq!(lines(&of(&[json!(8)])), ["n0/node: skipped"]);
    assert_eq!(lines(&of(&[json!(8), json!(8)])), ["all/2 of node: pass"]);
    let odd = of(&[json!(8), json!(4), json!(8)]);
    assert_eq!(lines(&odd), ["n1/node: warn"]);
    assert_eq!(said(&odd, 0), "m; 2 of 3 have 8");
    let split = of(&[json!(8), json!(4)]);
    assert_eq!(lines(&split), ["all/2 of node: warn"]);
    assert_eq!(said(&split, 0), "split, without a majority: 1 has 4 (n1); 1 has 8 (n0)");
    // The others are judged; that all are alike cannot be told.
    assert_eq!(lines(&of(&[json!(8), unread(), json!(8)])), ["n1/node: unknown", "all/2 of node: unknown"]);
    assert_eq!(lines(&of(&[json!(8), unread(), json!(8), json!(4)])), ["n1/node: unknown", "n3/node: warn"]);
    assert_eq!(lines(&of(&[json!(8), unread()])), ["n0/node: unknown", "n1/node: unknown"]);
}

#[test]
fn within_a_node_and_by_a_key() {
    let packages = |cores: &[u64]| json!({"cpu": {"packages": cores.iter().enumerate().map(|(id, n)| json!({"id": id, "cores": n})).collect::<Vec<_>>()}});
    let nodes = [packages(&[8, 8]), packages(&[4, 4]), packages(&[4, 8, 8])];
    let across = of("must", "cpu", "uniform: 'cpu.cores'\nacross: node", &nodes);
    assert_eq!(across, ["n0/2 of cpu: pass", "n1/2 of cpu: pass", "n2/cpu 0: fail"]);
    let drive =
        |model: Value, firmware: &str| json!({"drives": [{"name": "sda", "model": model, "firmware": firmware}]});
    let by = "uniform: 'drive.firmware'\nby: 'drive.model'";
    let nodes = [drive(json!("M"), "1"), drive(json!("M"), "1"), drive(json!("N"), "2")];
    assert_eq!(of("must", "drive", by, &nodes), ["n2/one drive: skipped", "all/2 of drive: pass"]);
    // With whom it is to be compared is not known: it may belong to any of them.
    let nodes = [drive(json!("M"), "1"), drive(json!("M"), "1"), drive(unread(), "2")];
    assert_eq!(of("must", "drive", by, &nodes), ["n2/drive sda: unknown", "all/2 of drive: unknown"]);
}

#[test]
fn who_stands_apart_from_peers_that_are_all_alike() {
    let of = |values: &[u64]| {
        let nodes: Vec<Value> = values.iter().map(|cores| json!({"cpu": {"cores": cores}})).collect();
        ask(&rules(&check("should", "node", "outlier: 'node.cpu.cores'"), "null", &[]), &nodes, &PLAIN)
    };
    // The deviation of most is 0: without a floor every difference would count. It is 5 % of the median.
    assert_eq!(lines(&of(&[100, 100, 100, 100, 105])), ["all/5 of node: pass"]);
    let apart = of(&[100, 100, 100, 100, 106]);
    assert_eq!(lines(&apart), ["n4/node: warn"]);
    assert_eq!(said(&apart, 0), "m; the median of 5 peers is 100");
    assert_eq!(lines(&of(&[100, 100, 94, 100, 100])), ["n2/node: warn"]);
    // Fewer than five are too few to say who stands apart.
    let few = of(&[100, 100, 100, 400]);
    assert_eq!(lines(&few), ["all/4 of node: skipped"]);
    assert_eq!(said(&few, 0), "too few to judge: 4 of 5 needed");
}

#[test]
fn one_side_alone_may_be_bad_and_spread_peers_allow_more() {
    let one = |side: &str, values: [u64; 5]| {
        let rest = format!("outlier: 'node.cpu.cores'\nside: {side}");
        of("should", "node", &rest, &cores(&values.map(|value| json!(value))))
    };
    assert_eq!(one("low", [100, 100, 100, 100, 200]), ["all/5 of node: pass"]);
    assert_eq!(one("high", [100, 100, 100, 100, 200]), ["n4/node: warn"]);
    // Median 100, deviations 20, 10, 0, 10, 60: their median 10, scaled 14.8; five of it are 74.1.
    assert_eq!(one("both", [80, 90, 100, 110, 160]), ["all/5 of node: pass"]);
    assert_eq!(one("both", [80, 90, 100, 110, 175]), ["n4/node: warn"]);
}

#[test]
fn what_is_shared_is_found_once_with_all_who_share_it() {
    let serial = |serial: Value| json!({"system": {"serial": serial}});
    let of = |nodes: &[Value]| of("must", "node", "unique: 'node.system.serial'", nodes);
    assert_eq!(of(&[serial(json!("A")), serial(json!("B"))]), ["all/2 of node: pass"]);
    let shared = of(&[serial(json!("A")), serial(json!("B")), serial(json!("A"))]);
    assert_eq!(shared, ["all/n0, n2: fail"]);
    assert_eq!(
        of(&[serial(json!("A")), serial(json!("B")), serial(unread())]),
        ["n2/node: unknown", "all/2 of node: unknown"]
    );
    assert_eq!(of(&[serial(json!("A")), serial(Value::Null)]), ["n0/node: skipped", "n1/node: unknown"]);
}

#[test]
fn a_check_about_the_cluster_sees_what_its_keys_keep() {
    let rest =
        "keys: { cores: 'node.cpu.cores' }\nassert: 'max(nodes.map(n, n.cores)) - min(nodes.map(n, n.cores)) <= 2'";
    let of = |all: &[Value]| of("must", "cluster", rest, &cores(all));
    assert_eq!(of(&[json!(8), json!(10)]), ["all/cluster: pass"]);
    assert_eq!(of(&[json!(8), json!(11)]), ["all/cluster: fail"]);
    assert_eq!(of(&[json!(8), unread()]), ["all/cluster: unknown"]);
    assert_eq!(of(&[json!(8), Value::Null]), ["all/cluster: unknown"]);
    assert_eq!(of(&[json!(8)]), ["n0/cluster: pass"]);
}

#[test]
fn what_is_alone_is_not_compared() {
    let rest = "where: 'size(nodes) > 1'\nkeys: { cores: 'node.cpu.cores' }\nassert: 'max(nodes.map(n, n.cores)) < 9'";
    let of = |all: &[Value]| {
        let run = ask(&rules(&check("must", "cluster", rest), "null", &[]), &cores(all), &PLAIN);
        (lines(&run), said(&run, 0).to_owned())
    };
    let alone = ("n0/cluster: skipped".to_owned(), "it does not apply to a cluster of 1 node".to_owned());
    assert_eq!(of(&[json!(8)]), (vec![alone.0], alone.1));
    assert_eq!(of(&[json!(8), json!(8)]).0, ["all/cluster: pass"]);
    for kind in ["uniform", "unique"] {
        let alone = of_one(&format!("{kind}: 'node.cpu.cores'"));
        assert_eq!(alone, ["n0/node: skipped"]);
    }
    assert_eq!(of_one("outlier: 'node.cpu.cores'"), ["n0/node: skipped"]);
}

fn of_one(rest: &str) -> Vec<String> {
    of("must", "node", rest, &cores(&[json!(8)]))
}

#[test]
fn what_has_no_key_has_no_peers() {
    let drive = |name: &str, model: Value, firmware: &str| json!({"name": name, "model": model, "firmware": firmware});
    let nodes = |models: [Value; 4]| {
        let [a, b, c, d] = models;
        let drives = [drive("a", a, "1"), drive("b", b, "1"), drive("c", c, "2"), drive("d", d, "3")];
        [json!({"drives": drives})]
    };
    let by = "uniform: 'drive.firmware'\nby: 'drive.model'";
    // Two without a model are not two of one model: neither equal nor different, and no gap in the others.
    let two = nodes([json!("M"), json!("M"), Value::Null, Value::Null]);
    assert_eq!(of("must", "drive", by, &two), ["n0/2 of drive: pass", "n0/drive c: unknown", "n0/drive d: unknown"]);
    let skipped = format!("{by}\nwhen_absent: skipped");
    let lines = of("must", "drive", &skipped, &two);
    assert_eq!(lines, ["n0/2 of drive: pass", "n0/drive c: skipped", "n0/drive d: skipped"]);
    let run = ask(&rules(&check("must", "drive", by), "null", &[]), &two, &PLAIN);
    let cause = run.findings.iter().find(|finding| finding.subject == "drive c").unwrap().cause;
    assert_eq!(cause, Some(Cause::Absent));
    // Who wants them compared with each other says so.
    let grouped = "uniform: 'drive.firmware'\nby: 'has(drive.model) ? drive.model : \"none\"'";
    assert_eq!(of("must", "drive", grouped, &two), ["n0/2 of drive: pass", "n0/2 of drive: fail"]);
}

#[test]
fn the_kind_of_reason_is_that_of_the_reading() {
    let cause = |rest: &str, nodes: &[Value]| {
        let run = ask(&rules(&check("must", "node", rest), "null", &[]), nodes, &PLAIN);
        run.findings.iter().map(|finding| finding.cause).collect::<Vec<_>>()
    };
    let io = Some(Cause::Read(ErrorKind::Io));
    let not_collected = Some(Cause::Read(ErrorKind::NotCollected));
    let all = |of: &[Value]| cores(of);
    assert_eq!(cause("assert: 'node.cpu.cores > 1'", &all(&[unread()])), [io]);
    assert_eq!(cause("assert: 'node.cpu.threads > 1'", &all(&[json!(2)])), [not_collected]);
    assert_eq!(cause("assert: 'node.cpu.cores > 1'", &all(&[Value::Null])), [Some(Cause::Absent)]);
    assert_eq!(cause("assert: '1 / node.cpu.cores > 1'", &all(&[json!(0)])), [Some(Cause::Calculation)]);
    assert_eq!(cause("where: 'node.cpu.cores > 1'\nassert: 'true'", &all(&[unread()])), [io]);
    assert_eq!(cause("where: 'node.cpu.cores > 1'\nassert: 'true'", &all(&[Value::Null])), [Some(Cause::Absent)]);
    // Kept of a node and compared: the reason of the node that could not be read, and that others are not known.
    let three = all(&[json!(8), unread(), json!(8)]);
    assert_eq!(cause("uniform: 'node.cpu.cores'", &three), [io, Some(Cause::Others)]);
    let keys = "keys: { cores: 'node.cpu.cores' }\nassert: 'max(nodes.map(n, n.cores)) < 9'";
    let run = ask(&rules(&check("must", "cluster", keys), "null", &[]), &three, &PLAIN);
    assert_eq!(run.findings[0].cause, io);
    assert_eq!(cause("assert: 'node.drives.all(d, d.bytes > 1B)'", &[json!({"drives": unread()})]), [io]);
}

#[test]
fn a_cluster_meets_every_demand_that_counts_on_one_of_its_nodes() {
    let check = check(
        "must",
        "cluster",
        "params: { min: { type: int, default: 1, stricter: higher, doc: d } }\nkeys: { cores: 'node.cpu.cores' }\nassert: 'size(nodes) >= params.min'",
    );
    let demand = "[{ when: 'node.cpu.cores >= 16', params: { min: 3 } }, { params: { min: 2 } }]";
    let of = |all: &[Value]| {
        let run = ask(&rules(&check, demand, &[]), &cores(all), &PLAIN);
        let limits: Vec<String> = run.findings.iter().flat_map(|f| f.limits.iter().map(|l| l.shown.clone())).collect();
        (lines(&run), limits)
    };
    let told = |lines: &[&str], limits: &[&str]| {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        (owned(lines), owned(limits))
    };
    assert_eq!(of(&[json!(8), json!(8)]), told(&["all/cluster: pass"], &["2"]));
    assert_eq!(of(&[json!(16), json!(16)]), told(&["all/cluster: fail"], &["3"]));
    let both = told(&["all/cluster: pass", "all/cluster: fail"], &["2", "3"]);
    assert_eq!(of(&[json!(8), json!(16)]), both);
    assert_eq!(of(&[json!(16), json!(8)]), both);
    assert_eq!(of(&[json!(16), json!(8), json!(8)]).0, ["all/cluster: pass", "all/cluster: pass"]);
}

#[test]
fn what_is_told_is_what_was_judged() {
    let platform = "pack: p\ntitle: P\nversion: 1.0.0\nmatch: 'node.system.product == \"X\"'\nchecks: {}\n\
        roles: { drive: [{ role: boot, when: 'true', because: b }] }\n";
    let check =
        check("must", "drive", "uniform: 'drive.bytes'").replace("message: 'm'", "message: 'role {drive.role}'");
    let of = |product: Value| {
        let node = |bytes: u64| json!({"system": {"product": product}, "drives": [{"name": "sda", "bytes": bytes}]});
        let rules = rules(&check, "null", &[("rules/platforms/p.yaml", platform)]);
        let run = ask(&rules, &[node(1), node(1), node(2)], &PLAIN);
        said(&run, 0).to_owned()
    };
    assert_eq!(of(json!("X")), "role boot; 2 of 3 have 1 B");
    assert_eq!(of(json!("Y")), "role unassigned; 2 of 3 have 1 B");
    assert_eq!(of(unread()), "role unknown (cannot read it: input/output error); 2 of 3 have 1 B");
}
