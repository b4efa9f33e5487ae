#!/usr/bin/env python3
"""Judges machines of which only what `lshw` and the tool hardware-detect said is kept, and holds the comparisons against a count of
our own.

    lshw.py CORPUS MUSTER

Such a text is no recording of a machine: what it tells becomes an inventory (system, firmware, processors, memory modules, network
ports), and all else stays not collected, so unknown. A group of nodes of one maker's list (hardware-detect, "cardiff") is judged
together; for each fact that is compared the nodes are also counted here, and the two have to agree: all alike is a pass, one
side larger than any other names the rest, and no such side is a split. Machines of `lshw -json` are judged one by one.
Needs Python 3.9 and nothing else. Prints a line a check; exit status 1 on a disagreement or a crash.
"""

import ast
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile


def inventory(node):
    return {
        "schema": "muster.inventory/v1", "version": "0.1.0", "collected_at": "2026-07-01T00:00:00Z", "node": node, "sources": [],
        "errors": [],
    }


def of_facts(rows):
    """hardware-detect: a list of (kind, name, key, value)."""
    told = {(kind, name, key): value for kind, name, key, value in rows}
    names = lambda kind: sorted({name for this, name, _, _ in rows if this == kind})
    get = lambda *path: told.get(path)
    models = sorted({get("cpu", name, "product") for name in names("cpu") if name.startswith("physical")} - {None})
    dimms = []
    for name in names("memory"):
        if name.startswith("bank"):
            size = get("memory", name, "size")
            dimms.append({
                "name": get("memory", name, "slot"), "purpose": "system memory", "populated": size is not None,
                "bytes": int(size) if size else None, "part_number": get("memory", name, "product") if size else None,
            })
    return inventory({
        "hostname": get("system", "product", "serial"),
        "system": {
            "vendor": get("system", "product", "vendor"), "product": get("system", "product", "name"),
            "serial": get("system", "product", "serial"), "bios_vendor": get("firmware", "bios", "vendor"),
            "bios_version": get("firmware", "bios", "version"), "bios_date": get("firmware", "bios", "date"),
            "virtual_machine": False,
        },
        "cpu": {"models": models},
        "dimms": dimms,
    })


def of_lshw(tree):
    """`lshw -json`: nested records with `class` and `children`."""
    flat, open_ = [], [tree[0] if isinstance(tree, list) else tree]
    while open_:
        item = open_.pop()
        flat.append(item)
        open_ += item.get("children", [])
    of = lambda kind: [item for item in flat if item.get("class") == kind]
    system, firmware = of("system")[0], next((i for i in of("memory") if i["id"].startswith("firmware")), {})
    dimms = [
        {
            "name": bank.get("slot"), "purpose": "system memory", "populated": "size" in bank, "bytes": bank.get("size"),
            "part_number": bank.get("product") if "size" in bank else None,
        }
        for bank in of("memory") if bank["id"].startswith("bank")
    ]
    return inventory({
        "hostname": system.get("id"),
        "system": {
            "vendor": system.get("vendor"), "product": system.get("product"), "serial": system.get("serial"),
            "bios_vendor": firmware.get("vendor"), "bios_version": firmware.get("version"), "bios_date": firmware.get("date"),
        },
        "cpu": {"models": sorted({cpu["product"] for cpu in of("processor") if cpu["id"].startswith("cpu") and cpu.get("product")})},
        "dimms": dimms,
    })


# By check: what of a node it compares.
COMPARED = {
    "system.model-equal": lambda node: (node["system"]["vendor"], node["system"]["product"]),
    "system.firmware-equal": lambda node: (node["system"]["bios_vendor"], node["system"]["bios_version"]),
    "system.firmware-date-equal": lambda node: node["system"]["bios_date"],
    "cpu.model-equal": lambda node: tuple(node["cpu"]["models"]),
    "memory.modules-equal": lambda node: sum(dimm["populated"] for dimm in node["dimms"]),
}


def expected(values):
    sides = sorted(collections.Counter(values).values(), reverse=True)
    if len(sides) == 1:
        return "alike", 0
    return ("odd", sum(sides[1:])) if sides[0] > sides[1] else ("split", 0)


def found(findings):
    bad = [f for f in findings if f["verdict"] in ("fail", "warn", "note")]
    if not bad:
        return ("alike", 0) if all(f["verdict"] == "pass" for f in findings) else ("unknown", 0)
    return ("split", 0) if any(f["message"].startswith("split") for f in bad) else ("odd", len(bad))


def judge(muster, folder, inventories):
    paths = []
    for place, item in enumerate(inventories):
        paths.append(os.path.join(folder, f"{place}.json"))
        with open(paths[-1], "w", encoding="utf-8") as file:
            json.dump(item, file)
    done = subprocess.run([muster, "judge", *paths, "--format", "json", "--as-of", "2026-12-01"], capture_output=True, check=False)
    if done.returncode not in (0, 1, 2, 3):
        sys.exit(done.stderr.decode())
    return json.loads(done.stdout)["findings"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    corpus, muster = sys.argv[1:]
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        files = sorted(glob.glob(os.path.join(corpus, "lshw", "cardiff__*.txt")))
        group = [of_facts(ast.literal_eval(open(file, encoding="utf-8").read())) for file in files]
        findings = judge(muster, folder, group)
        print(f"{len(group)} nodes of one list, judged together")
        for check, value in COMPARED.items():
            ours = found([f for f in findings if f["check"] == check])
            theirs = expected([value(item["node"]) for item in group])
            differ += ours != theirs
            print(f"  {check:28} counted {theirs[0]} {theirs[1] or ''}; judged {ours[0]} {ours[1] or ''}")
        for file in sorted(glob.glob(os.path.join(corpus, "lshw", "*.json"))):
            findings = judge(muster, folder, [of_lshw(json.load(open(file, encoding="utf-8")))])
            counts = collections.Counter(f["verdict"] for f in findings)
            print(f"{os.path.basename(file)}: {dict(sorted(counts.items()))}")
            for f in findings:
                if f["verdict"] in ("fail", "warn"):
                    print(f"  {f['verdict']}: {f['check']}: {f['message']}")
    print(f"{differ} differ")
    sys.exit(differ > 0)


main()
