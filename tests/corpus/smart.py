#!/usr/bin/env python3
"""Lets `muster` read recorded answers of smartctl, and holds what it says of each drive against the answer's own signs.

    smart.py CORPUS MUSTER [--rows]

Every file of CORPUS/smart-json is the answer of a machine with one drive: a disk of AHCI for ATA, of a SAS HBA for SCSI, behind a USB bridge
for NVMe (drives that the kernel's NVMe driver has are asked by admin commands). CORPUS/smart-text holds what smartctl prints without
`--json`, and CORPUS/nvme what nvme-cli prints; neither is what muster asks for, so a refusal is what is right.

First it prints how many of each kind were parsed, partly parsed (some fact malformed), refused (with the reason) and ended by a panic; then, with
`--rows` for every drive and without for those that differ, a row a drive: its signs by the answer itself, the health checks that do not
pass, and why they differ. Signs are: the verdict failed, bits 3 and 4 of the exit status, critical warnings, spare below its threshold,
100 % used, uncorrected SCSI errors, media errors, reallocated and pending sectors. Exit status 1 on a panic or a difference without explanation.
Needs Python 3.9 and nothing else.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

PLACES = {
    "ATA": ("pci0000:00/0000:00:17.0/ata1/host0", "ahci", "ATA"),
    "SCSI": ("pci0000:16/0000:18:00.0/host0/port-0:0/end_device-0:0", "mpt3sas", "ACME"),
    "NVMe": ("pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host0", "uas", "ACME"),
}
# Which check speaks of which sign.
CHECKS = {
    "status": {"media.self-assessment"}, "exit bit 3": {"media.failure-signs"}, "exit bit 4": {"media.failure-signs", "media.attributes-in-range"},
    "critical warning": {"media.critical-warning"}, "spare": {"media.spare"}, "used": {"media.wear"}, "uncorrected": {"media.uncorrected-errors"},
    "media errors": {"media.uncorrected-errors"}, "reallocated": {"media.reallocated-sectors"}, "pending": {"media.pending-sectors"},
}
OF_SIGNS = set().union(*CHECKS.values())
HEALTH = OF_SIGNS | {
    "media.attributes-history", "media.scan-errors", "media.grown-defects", "media.link-errors", "media.self-test", "media.temperature",
    "media.overheated", "media.age", "media.sata-link", "media.awake",
}


def capture(folder, protocol, status, stdout):
    """A machine with one disk that answers so."""
    place, driver, vendor = PLACES.get(protocol, PLACES["ATA"])
    unit = f"/sys/devices/{place}/target0:0:0/0:0:0:0"
    disk = f"{unit}/block/sda"
    files = {
        f"{disk}/dev": "8:0", f"{disk}/size": "7814037168", f"{disk}/ro": "0", f"{disk}/removable": "0",
        f"{disk}/queue/logical_block_size": "512", f"{disk}/queue/physical_block_size": "4096", f"{disk}/queue/rotational": "1",
        f"{disk}/queue/zoned": "none", f"{disk}/queue/write_cache": "write back",
        f"{unit}/vendor": f"{vendor:<8}", f"{unit}/model": f"{'ACME DISK':<16}", f"{unit}/rev": "0001", f"{unit}/state": "running",
        "/sys/class/scsi_host/host0/proc_name": driver,
    }
    links = {
        "/sys/block/sda": f"../devices/{place}/target0:0:0/0:0:0:0/block/sda",
        "/sys/class/block/sda": f"../../devices/{place}/target0:0:0/0:0:0:0/block/sda",
        f"{disk}/device": "../../../0:0:0:0",
        "/sys/class/scsi_host/host0": f"../../devices/{place.split('/host0')[0]}/host0/scsi_host/host0",
    }
    questions = [{"ask": {"list": path}, "answer": {"listing": {"names": ["sda"], "complete": True}}} for path in ("/sys/block", "/sys/class/block")]
    for short, full in (("", ""), ("/sys/block/sda", disk), ("/sys/class/block/sda", disk)):
        for path, text in files.items():
            if path.startswith(full):
                path = short + path[len(full):] if full else path
                questions.append({"ask": {"read": path}, "answer": {"bytes": {"text": text + "\n"}}})
    for path, text in files.items():
        if path.startswith(unit + "/") and not path.startswith(disk):
            for base in ("/sys/block/sda/device", "/sys/class/block/sda/device"):
                questions.append({"ask": {"read": base + path[len(unit):]}, "answer": {"bytes": {"text": text + "\n"}}})
    questions += [{"ask": {"read-link": path}, "answer": {"target": target}} for path, target in links.items()]
    argv = ["smartctl", "--json=c", "--nocheck=standby,3", "-x", "/dev/sda"]
    name = "tools/answer"
    os.makedirs(os.path.join(folder, "tools"))
    with open(os.path.join(folder, name), "wb") as file:
        file.write(stdout)
    out = {"file": {"path": name, "bytes": len(stdout)}}
    questions.append({"ask": {"run": argv}, "answer": {"tool": {"status": status, "stdout": out, "stderr": {"text": ""}}}})
    unique = {json.dumps(question["ask"]): question for question in questions}
    with open(os.path.join(folder, "muster-capture.json"), "w", encoding="utf-8") as file:
        json.dump({"schema": "muster.capture/v1", "written_by": "smart.py", "questions": list(unique.values())}, file)


def run(*command):
    return subprocess.run(command, capture_output=True, check=False)


def known(record, field):
    value = record.get(field)
    return None if isinstance(value, dict) else value


def number(value):
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def attribute(answer, wanted):
    table = (answer.get("ata_smart_attributes") or {}).get("table") or []
    return next((entry for entry in table if isinstance(entry, dict) and entry.get("id") == wanted), None)


def signs(answer):
    """What the answer itself shows."""
    found = {}
    log = answer.get("nvme_smart_health_information_log") or {}
    if (answer.get("smart_status") or {}).get("passed") is False:
        found["status"] = "failed"
    status = number((answer.get("smartctl") or {}).get("exit_status"))
    for bit in (3, 4):
        if status >> bit & 1:
            found[f"exit bit {bit}"] = status
    if number(log.get("critical_warning")):
        found["critical warning"] = log["critical_warning"]
    if "available_spare" in log and number(log["available_spare"]) < number(log.get("available_spare_threshold")):
        found["spare"] = f'{log.get("available_spare")} of {log["available_spare_threshold"]}'
    if number(log.get("percentage_used")) >= 100:
        found["used"] = log["percentage_used"]
    if number(log.get("media_errors")):
        found["media errors"] = log["media_errors"]
    counters = answer.get("scsi_error_counter_log") or {}
    uncorrected = sum(number((page or {}).get("total_uncorrected_errors")) for page in counters.values() if isinstance(page, dict))
    if uncorrected:
        found["uncorrected"] = uncorrected
    for sign, wanted in (("reallocated", 5), ("pending", 197)):
        entry = attribute(answer, wanted)
        if entry and number((entry.get("raw") or {}).get("value")):
            found[sign] = entry["raw"]["value"]
    return found


def explained(answer, seen, ours, status):
    """Reasons for signs without a finding and findings without a sign; what is left has none."""
    reasons, left = [], []
    health = ours["health"]
    for sign, value in seen.items():
        if CHECKS[sign] & set(ours["findings"]):
            continue
        entry = attribute(answer, {"reallocated": 5, "pending": 197}.get(sign)) or {}
        text = str((entry.get("raw") or {}).get("string", ""))
        if status & 3:
            reasons.append(f"{sign}: smartctl ended with status {status}, so nothing it printed is believed; unknown")
        elif sign in ("reallocated", "pending") and re.match(r"0(\s|$)", text):
            reasons.append(f"{sign}: the raw value {value} holds several numbers, smartctl reads {text!r}")
        elif sign in ("reallocated", "pending") and entry and not re.search("alloc|retired|bad_block|reassign|pending|unstable", entry["name"].lower()):
            reasons.append(f"{sign}: attribute {entry['id']} is {entry['name']}, which counts something else")
        elif not (answer.get("device") or {}).get("protocol"):
            reasons.append(f"{sign}: the answer names no protocol; unknown")
        else:
            left.append(f"{sign} = {value}")
    for check in ours["findings"]:
        if check not in OF_SIGNS or any(check in CHECKS[sign] for sign in seen):
            continue
        if check == "media.uncorrected-errors" and (attribute(answer, 187) or {}).get("raw", {}).get("value"):
            reasons.append(f"{check}: attribute 187 {attribute(answer, 187)['name']} = {attribute(answer, 187)['raw']['string']}; no sign of the list")
        elif check == "media.uncorrected-errors" and known(health, "media_errors"):
            reasons.append(f"{check}: Device Statistics page 04h = {health['media_errors']}; no sign of the list")
        elif check == "media.attributes-in-range":
            reasons.append(f"{check}: WHEN_FAILED now in the table, exit status {status}; no sign of the list")
        elif check == "media.wear" and known(health, "percentage_used"):
            reasons.append(f"{check}: ATA endurance {health['percentage_used']:.0%}; the list has NVMe's alone")
        elif check == "media.pending-sectors" and known(health, "pending_sectors"):
            reasons.append(f"{check}: {health['pending_sectors']} by a log, not by attribute 197; no sign of the list")
        elif check == "media.reallocated-sectors" and known(health, "reallocated_sectors"):
            reasons.append(f"{check}: {health['reallocated_sectors']} by Device Statistics, not by attribute 5; no sign of the list")
        else:
            left.append(check)
    return reasons, left


def judge(muster, work, protocol, status, stdout):
    folder = os.path.join(work, "capture")
    capture(folder, protocol, status, stdout)
    collected = run(muster, "collect", "--from", folder)
    result = {"panic": collected.returncode not in (0, 1, 2, 3) or b"panicked" in collected.stderr, "health": {}, "findings": {}, "errors": []}
    if result["panic"]:
        return result
    inventory = json.loads(collected.stdout)
    drives = inventory["node"]["drives"]
    drives = drives if isinstance(drives, list) else drives.get("items", [])
    if not drives:
        result["panic"] = "no drive"
        return result
    result["health"] = drives[0]["health"]
    used = set()
    for value in result["health"].values():
        if isinstance(value, dict) and "unreadable" in value:
            used.add(value["unreadable"])
    result["errors"] = [inventory["errors"][index] for index in sorted(used)]
    checked = run(muster, "judge", folder, "--format", "json", "--as-of", "2026-12-01")
    if b"panicked" in checked.stderr:
        result["panic"] = True
        return result
    for finding in json.loads(checked.stdout)["findings"]:
        if finding["check"] in HEALTH and finding["verdict"] in ("fail", "warn", "note"):
            result["findings"][finding["check"]] = finding["verdict"]
    run("rm", "-r", folder)
    return result


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    corpus, muster, rows = sys.argv[1], sys.argv[2], "--rows" in sys.argv[3:]
    tally = collections.defaultdict(collections.Counter)
    refusals, lines, bad = collections.Counter(), [], 0
    agreed = with_signs = 0
    for kind in ("smart-json", "smart-text"):
        for name in sorted(os.listdir(os.path.join(corpus, kind))):
            with open(os.path.join(corpus, kind, name), "rb") as file:
                stdout = file.read()
            answer = {}
            if kind == "smart-json":
                try:
                    answer = json.loads(stdout)
                except ValueError:
                    pass
                answer = answer if isinstance(answer, dict) else {}
            device = answer.get("device") if isinstance(answer.get("device"), dict) else {}
            status = (answer.get("smartctl") or {}).get("exit_status")
            status = status if isinstance(status, int) else 0
            with tempfile.TemporaryDirectory() as work:
                ours = judge(muster, work, device.get("protocol"), status, stdout)
            interface = ours["health"].get("interface")
            if ours["panic"]:
                tally[kind]["panicked"] += 1
                bad += 1
                lines.append(f"{name}: panicked")
                continue
            if isinstance(interface, dict):
                tally[kind]["refused"] += 1
                refusals[kind, ours["errors"][0]["cause"][:100] if ours["errors"] else "?"] += 1
            elif any(error["kind"] == "malformed" for error in ours["errors"]):
                tally[kind]["partly"] += 1
                lines.append(f"{name}: partly: {[error['cause'] for error in ours['errors'] if error['kind'] == 'malformed']}")
            else:
                tally[kind]["parsed"] += 1
            if kind == "smart-text":
                continue
            seen = signs(answer)
            reasons, left = explained(answer, seen, ours, status)
            with_signs += bool(seen)
            agreed += not reasons and not left
            if rows or reasons or left:
                shown = ", ".join(f"{sign} {value}" for sign, value in seen.items()) or "none"
                found = ", ".join(f"{check.removeprefix('media.')} {verdict}" for check, verdict in sorted(ours["findings"].items())) or "nothing"
                lines.append(f"{name}\n    signs:  {shown}\n    muster: {found}")
                lines += [f"    explained: {reason}" for reason in reasons] + [f"    NOT EXPLAINED: {one}" for one in left]
            bad += len(left)
    print("\n".join(lines))
    print()
    for kind, counts in tally.items():
        print(f"{kind:<11}" + "".join(f" {word} {counts[word]:>4}" for word in ("parsed", "partly", "refused", "panicked")))
    for (kind, cause), count in sorted(refusals.items()):
        print(f"  {kind}: refused {count}: {cause}")
    others = sorted(os.listdir(os.path.join(corpus, "nvme")))
    print(f"{'nvme':<11} no reader for {len(others)} files: output of nvme-cli and NBFT tables; muster puts admin commands and reads their answers")
    print(f"drives {sum(tally['smart-json'].values())}, with a sign {with_signs}, agreeing in full {agreed}, not explained {bad}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
