#!/usr/bin/env python3
"""Lets muster read captured outputs of RAID tools as answers of a machine that has such a controller.

    raid.py CORPUS MUSTER

Each output of storcli, perccli, ssacli (hpssacli, hpacucli), sas2ircu, sas3ircu and arcconf becomes a recording with a manifest: a PCI
function of the driver at each address that the output names, no SCSI host, and the output as the answer to the question that muster puts. What
muster makes of it is one of

    parsed    it tells of the controller; drives and volumes are as many as a count of our own
    partly    it tells of it, and something is malformed or a list is short, with the reason
    refused   it is not what is asked for (another question, the form without details, text in the place of JSON), with the reason
    differs   drives or volumes are not as many
    panicked  exit status other than 0

Outputs of other tools are counted by kind: they are not asked. Needs Python 3.9 and nothing else. Exit status 1 if one differs or panicked.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

STORCLI = ["storcli64", "/call", "show", "all", "J", "nolog"]


def kind(name, text):
    """The driver, the calls by which muster gets this output, and how many drives and volumes are in it; None if it is another tool's."""
    count = lambda pattern: len(set(re.findall(pattern, text, re.M | re.I)))
    if re.search(r'"Controllers"\s*:', text):
        driver = re.search(r'"Driver Name"\s*:\s*"(\w+)"', text)
        driver = driver.group(1) if driver and driver.group(1) in ("mpt3sas", "mpi3mr") else "megaraid_sas"
        call = ["storcli2"] + STORCLI[1:] if driver == "mpi3mr" else STORCLI
        # An initiator and target shows its drives to the kernel: none is hidden.
        drives = 0 if driver == "mpt3sas" else count(r'"EID:Slt"\s*:\s*"([^"]*)"')
        return "storcli JSON", driver, [call], drives, count(r'"DG/VD"\s*:\s*"([^"]*)"')
    if re.search(r"^(CLI Version|Controller) = ", text, re.M):
        return "storcli text", "megaraid_sas", [STORCLI], None, None
    if re.search(r"SAS[23] IR Configuration Utility", text):
        program = "sas3ircu" if "SAS3" in text else "sas2ircu"
        display = "Physical device information" in text
        drives, volumes = text.count("Device is a Hard disk"), count(r"^IR volume (\d+)")
        calls = [[program, "LIST"], [program, "0", "DISPLAY"]]
        return f"{program} {'DISPLAY' if display else 'another'}", "mpt3sas", calls, drives, volumes
    if re.search(r"^(Smart Array|Smart HBA|HPE?|Dynamic|MSA|Error:).*(in Slot|No controllers)", text, re.M):
        return "ssacli", "hpsa", [["ssacli", "ctrl", "all", "show", "config", "detail"]], len(re.findall(
            r"^\s+physicaldrive \S+\s*$", text, re.M)), len(re.findall(r"^\s+Logical Drive: \d+", text, re.M))
    if "Controllers found:" in text:
        return "arcconf", "aacraid", [["arcconf", "GETCONFIG", "1"]], len(re.findall(r"Device is an? (?:Hard drive|SSD)", text)), count(
            r"^Logical (?:device|drive) number (\d+)")
    return None


def addresses(text):
    """The PCI functions that the output names."""
    for pattern, base in (
        (r'"PCI Address"\s*:\s*"\w\w:(\w\w):(\w\w):(\w+)"', 16),
        (r"PCI Address \(Domain:Bus:Device.Function\): \w{4}:(\w\w):(\w\w)\.(\w)", 16),
        (r"PCI Address \(Domain:Bus:Device:Function\)\s*: \w+:(\w+):(\w+):(\w+)", 16),
        (r"Bus\s+: (\d+)\s+Device\s+: (\d+)\s+Function\s+: (\d+)", 10),
    ):
        found = [[int(part, base) for part in parts] for parts in re.findall(pattern, text)]
        if found:
            return [f"0000:{bus:02x}:{device:02x}.{function}" for bus, device, function in found]
    return ["0000:03:00.0"]


def recording(folder, driver, functions, answers):
    root = "/sys/bus/pci/devices"
    questions = [
        ({"list": root}, {"listing": {"names": functions, "complete": True}}),
        ({"list": "/sys/class/scsi_host"}, {"listing": {"names": [], "complete": True}}),
        ({"list": "/sys/class/scsi_device"}, {"listing": {"names": [], "complete": True}}),
        ({"list": "/sys/block"}, {"listing": {"names": [], "complete": True}}),
    ]
    for function in functions:
        questions += [
            ({"read": f"{root}/{function}/class"}, {"bytes": {"text": "0x010400\n"}}),
            ({"read-link": f"{root}/{function}/driver"}, {"target": f"../../../../bus/pci/drivers/{driver}"}),
            ({"read-link": f"{root}/{function}"}, {"target": f"../../../devices/pci0000:00/{function}"}),
        ]
    for argv, text in answers:
        questions.append(({"run": argv}, {"tool": {"status": 0, "stdout": {"text": text}, "stderr": {"text": ""}}}))
    manifest = {
        "schema": "muster.capture/v1", "written_by": "raid.py",
        "questions": [{"ask": ask, "answer": answer} for ask, answer in questions],
    }
    with open(os.path.join(folder, "muster-capture.json"), "w", encoding="utf-8") as file:
        json.dump(manifest, file)


def items(collection):
    return collection if isinstance(collection, list) else collection.get("items", [])


def judge(inventory, drives, volumes):
    node, errors = inventory["node"], inventory["errors"]
    said = lambda index: f"{errors[index]['operation']}: {errors[index]['cause']}"
    raid = items(node["storage_controllers"])[0]["raid"]
    if isinstance(raid["tool"], dict):
        return "refused", said(raid["tool"]["unreadable"])
    hidden, told = items(node["hidden_drives"]), items(node["raid_volumes"])
    reasons = [said(i) for i in (node["hidden_drives"] if isinstance(node["hidden_drives"], dict) else {}).get("partial", [])]
    # Exposed ones without a serial number are told of in a reason each.
    seen = len(hidden) + sum("tell which of the kernel's drives" in reason for reason in reasons)
    gaps = [reason for reason in reasons if "list the volumes and drives" in reason]
    wrong = sorted({f"{e['operation']}: {e['cause']}" for e in errors if e["kind"] == "malformed" and "in the output of" in e["operation"]})
    counts = f"{seen} drives, {len(told)} volumes"
    if gaps or wrong:
        return "partly", f"{counts}; " + "; ".join(gaps + wrong)
    if (seen, len(told)) != (drives, volumes):
        return "differs", f"{counts}; counted {drives} and {volumes}"
    unread = collections.Counter(
        field for record in [raid] + told + hidden for field, value in record.items()
        if isinstance(value, dict) and "unreadable" in value)
    return "parsed", counts + (f"; not told: {', '.join(sorted(unread))}" if unread else "")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    corpus, muster = sys.argv[1], os.path.abspath(sys.argv[2])
    folder = os.path.join(corpus, "raid")
    counts, others = collections.defaultdict(collections.Counter), collections.Counter()
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            text = file.read()
        what = kind(name, text)
        if what is None:
            others[re.sub(r"^(check_raid|glpi|insights|phpsysinfo|netdata|ironlib|pystorcli2)__", "", name).split("_")[0].rstrip("0123456789.txt")] += 1
            continue
        what, driver, calls, drives, volumes = what
        answers = [(call, text) for call in calls]
        if "DISPLAY" in what:
            answers[0] = (calls[0], " Index\n -----  ------\n   0     SAS\n")
        with tempfile.TemporaryDirectory() as capture:
            recording(capture, driver, addresses(text), answers)
            done = subprocess.run([muster, "collect", "--from", capture], capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            outcome, reason = "panicked", f"exit status {done.returncode}: {done.stderr.strip()[-300:]}"
        else:
            outcome, reason = judge(json.loads(done.stdout), drives, volumes)
        counts[what][outcome] += 1
        print(f"{outcome:8} {what:18} {name}: {reason}")
    print()
    for what, outcomes in sorted(counts.items()):
        print(f"{what:18} " + ", ".join(f"{outcomes[word]} {word}" for word in ("parsed", "partly", "refused", "differs", "panicked")))
    print("not asked: " + ", ".join(f"{count} {name or 'other'}" for name, count in sorted(others.items())))
    sys.exit(any(outcomes["differs"] or outcomes["panicked"] for outcomes in counts.values()))


main()
