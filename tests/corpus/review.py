#!/usr/bin/env python3
"""Draws findings from judged captures, for a person to hold against the captures themselves.

    review.py CORPUS MUSTER [--seed N] [--captures N] [--findings N] [--verdicts V,...] [--for SOLUTION,...]

Judges captures by the base checks and by each solution ("base" stands for none), and draws findings: of as many different
checks as there are, the verdicts as even as they come. Prints for each the capture, the check, the verdict, the subject,
the message, and the facts with where they were read. The draw is a function of the seed and of what was judged.
"""

import argparse
import csv
import json
import os
import random
import subprocess


def captures(corpus):
    with open(os.path.join(corpus, "INDEX.tsv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    is_archive = lambda path: any(mark in os.path.basename(path) for mark in (".tar", ".tgz", ".tbz"))
    return sorted(row["path"] for row in rows if row["kind"] == "sysfs" and is_archive(row["path"]))


def judge(muster, path, solution):
    command = [muster, "judge", path, "--format", "json", "--as-of", "2026-12-01"]
    if solution != "base":
        command += ["--for", solution]
    run = subprocess.run(command, capture_output=True, check=False, timeout=300)
    if run.returncode not in (0, 1, 2, 3):
        return None, (run.stderr.decode(errors="replace").strip().splitlines() or [f"exit {run.returncode}"])[-1]
    return json.loads(run.stdout)["findings"], None


def draw(findings, count, rng):
    """One of each check first, in an order drawn, the verdict that was drawn least so far before others."""
    by_check = {}
    for finding in findings:
        by_check.setdefault(finding["check"], {}).setdefault(finding["verdict"], []).append(finding)
    drawn, had = [], {}
    while by_check and len(drawn) < count:
        for check in rng.sample(sorted(by_check), len(by_check)):
            if len(drawn) == count:
                break
            verdicts = by_check[check]
            verdict = min(sorted(verdicts), key=lambda verdict: had.get(verdict, 0))
            had[verdict] = had.get(verdict, 0) + 1
            chosen = verdicts[verdict].pop(rng.randrange(len(verdicts[verdict])))
            drawn.append(chosen)
            if not verdicts[verdict]:
                del verdicts[verdict]
            if not verdicts:
                del by_check[check]
    return drawn, had


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("muster")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--captures", type=int, default=40)
    parser.add_argument("--findings", type=int, default=40)
    parser.add_argument("--verdicts", default="fail,warn,note,pass,unknown,skipped", help="which are drawn from")
    parser.add_argument("--for", dest="solutions", default="base,ceph")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    all_captures = captures(args.corpus)
    order = rng.sample(all_captures, len(all_captures))
    findings, judged, refused = [], 0, []
    for path in order:
        if judged == args.captures:
            break
        results = [(solution, *judge(args.muster, os.path.join(args.corpus, path), solution)) for solution in args.solutions.split(",")]
        if any(error for _, _, error in results):
            refused.append((path, next(error for _, _, error in results if error)))
            continue
        judged += 1
        for solution, found, _ in results:
            findings += [dict(finding, capture=path, solution=solution) for finding in found]
    eligible = [finding for finding in findings if finding["verdict"] in args.verdicts.split(",")]
    drawn, had = draw(eligible, args.findings, rng)
    print(f"seed {args.seed}: {judged} captures of {len(all_captures)}, {len(refused)} refused, {len(findings)} findings of")
    print(f"{len({finding['check'] for finding in findings})} checks; drawn {len(drawn)}: {dict(sorted(had.items()))}")
    for path, error in refused:
        print(f"refused: {path}: {error}")
    for number, finding in enumerate(drawn, 1):
        print(f"\n{number}. {finding['capture']} [{finding['solution']}]")
        print(f"   {finding['check']}: {finding['verdict']} ({finding['level']}) on {finding['subject']}")
        print(f"   {finding['message']}")
        for evidence in finding["evidence"][:6]:
            print(f"   {evidence['fact']} = {evidence['shown'][:160]}  <- {evidence['source']}")
        for limit in finding["limits"]:
            print(f"   limit {limit['name']} = {limit['value']} ({limit['layer']})")


main()
