#!/usr/bin/env python3
"""Judges the node snapshots of a fleet's health checks by a site file that is made from the good one, and holds the verdicts
against what the names of the files say.

    nodehealth_verdicts.py CORPUS MUSTER

The site file lists what the good snapshot has (a bill of materials: each port with its link, speed and MTU) or what the manifest
expects of each slot (link speed and width), and gives the ports of bonds the role storage. Nothing here knows which file is
which: every snapshot of a family is judged by the same site file and the same built-in checks, and the name is looked at last.
The snapshots are turned into captures by nodehealth.py, and their lists of interfaces and PCI functions taken as whole.
Prints a line a snapshot and each finding that is neither a pass nor skipped; exit status 1 if a name and its verdict differ.
"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FAMILIES = {
    "interfaces": ("eth_learn_good", None),
    "links": ("compute_samsung980pro", "DGX_A100"),
}
# What a name says; a file whose name has none of these words is a good one.
FAULTS = ("degraded", "down", "missing", "mtu_bad", "nic_swap")
# Judged are the parts that the snapshots show.
PARTS = ("bill-of-materials", "site.", "nic.", "bond.", "pci.")


def items(collection):
    return collection if isinstance(collection, list) else collection.get("items", [])


def run(*command):
    return subprocess.run(command, capture_output=True, check=False)


def convert(snapshot, folder):
    done = run(sys.executable, os.path.join(HERE, "nodehealth.py"), snapshot, folder)
    if done.returncode:
        sys.exit(done.stderr.decode())
    questions = {}
    walk(folder, "", "", questions)
    for kind in ("net", "infiniband", "nvme"):
        place = f"/sys/class/{kind}"
        for name in sorted(os.listdir(folder + place)) if os.path.isdir(folder + place) else []:
            target = os.path.realpath(f"{folder}{place}/{name}")
            if os.path.isdir(target):
                walk(folder, f"{place}/{name}", "/" + os.path.relpath(target, folder), questions)
    questions = [{"ask": ask, "answer": answer} for _, (ask, answer) in sorted(questions.items())]
    with open(os.path.join(folder, "muster-capture.json"), "w", encoding="utf-8") as file:
        json.dump({"schema": "muster.capture/v1", "written_by": os.path.basename(__file__), "questions": questions}, file)


def walk(folder, shown, real, questions):
    """Every file, link and folder below `real`, as if it stood at `shown`; lists are whole."""
    names = sorted(os.listdir(folder + real))
    questions[shown or "/", "list"] = ({"list": shown or "/"}, {"listing": {"names": names, "complete": True}})
    for name in names:
        path, place = f"{shown}/{name}", f"{real}/{name}"
        if os.path.islink(folder + place):
            questions[path, "link"] = ({"read-link": path}, {"target": os.readlink(folder + place)})
        elif os.path.isdir(folder + place):
            walk(folder, path, place, questions)
        else:
            file = {"path": place[1:], "bytes": os.path.getsize(folder + place)}
            questions[path, "read"] = ({"read": path}, {"bytes": {"file": file}})


def of_interfaces(node):
    """Every port with a link as it is, and the bond's ports in their role."""
    lines = ["networks:"]
    slaves = sorted(slave["name"] for bond in items(node["bonds"]) for slave in items(bond["slaves"]))
    for name in slaves:
        lines.append(f"  - {{ name: {name}, role: storage, when: 'nic.name == \"{name}\"' }}")
    lines.append("bill_of_materials:")
    for nic in items(node["nics"]):
        if nic.get("kind") == "physical" and nic.get("carrier") is True:
            where = f'nic.name == "{nic["name"]}" && nic.carrier && nic.speed == {nic["speed"] // 10**9}Gbit/s && nic.mtu == {nic["mtu"]}'
            lines.append(f"  - {{ what: {nic['name']}, for: nic, where: '{where}', count: 1 }}")
    return lines


def of_links(manifest):
    """Every slot of the manifest with the links that it allows."""
    shown = run(sys.executable, os.path.join(HERE, "nodehealth.py"), "--expect", manifest).stdout.decode()
    lines = ["bill_of_materials:"]
    for line in shown.splitlines():
        address, kind, slot, speeds, width, _ = line.split("\t")
        if kind not in ("nvme", "net", "ib"):
            continue
        speed = " || ".join(f"pci.current_link_speed == {speed.replace(' ', '')}" for speed in speeds.split("|"))
        where = f'pci.address == "{address}" && ({speed}) && pci.current_link_width == {width.lstrip("x")}'
        lines.append(f"  - {{ what: \"{kind} in {slot}, {address}\", for: pci, where: '{where}', count: 1 }}")
    return lines


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    corpus, muster = sys.argv[1:]
    sysfs = os.path.join(corpus, "sysfs")
    differ = 0
    print("family      snapshot                                says      judged    by")
    with tempfile.TemporaryDirectory() as work:
        for family, (good, manifest) in FAMILIES.items():
            prefix = "eth_learn" if family == "interfaces" else ("compute_", "learn_")
            names = sorted(
                name[len("gcm__"):-len(".json")] for name in os.listdir(sysfs)
                if name.startswith("gcm__") and name[len("gcm__"):].startswith(prefix) and name.endswith(".json")
            )
            for name in names:
                convert(os.path.join(sysfs, f"gcm__{name}.json"), os.path.join(work, name))
            node = json.loads(run(muster, "collect", "--from", os.path.join(work, good)).stdout)["node"]
            lines = of_interfaces(node) if manifest is None else of_links(os.path.join(sysfs, f"gcm__{manifest}.json"))
            site = os.path.join(work, f"{family}.yaml")
            with open(site, "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
            for name in names:
                done = run(muster, "judge", os.path.join(work, name), "--site", site, "--format", "json", "--as-of", "2026-12-01")
                if not done.stdout:
                    sys.exit(done.stderr.decode())
                findings = [f for f in json.loads(done.stdout)["findings"] if f["check"].startswith(PARTS)]
                # A check whose facts no snapshot has is no verdict about it.
                bad = [f for f in findings if f["verdict"] in ("fail", "warn")]
                open_ = [f for f in findings if f["verdict"] == "unknown" and f["check"].startswith(("bill-of-materials", "site."))]
                says = next((fault for fault in FAULTS if fault in name.replace("-downgraded", "-degraded")), "good")
                judged = "good" if not bad and not open_ else "bad"
                differ += (says == "good") != (judged == "good")
                checks = sorted({f["check"] for f in bad + open_})
                print(f"{family:11} {name:39} {says:9} {judged:9} {', '.join(checks)}")
                for finding in bad + open_:
                    print(f"    {finding['verdict']}: {finding['check']}: {finding['subject']}: {finding['message']}")
    print(f"{differ} differ")
    sys.exit(differ > 0)


main()
