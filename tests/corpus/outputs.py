#!/usr/bin/env python3
"""Lets `muster` read recorded outputs of ipmitool, lldptool and lldpcli, each as the answer of a machine that has nothing else.

    outputs.py CORPUS MUSTER

Files of CORPUS/bmc and the LLDP and DCB files of CORPUS/net. Which question a file answers is told by its content: a form that muster does not ask
for (FRU data, verbose sensors, lldpcli's "keyvalue", dcb(8)) is put in the place of the nearest one, and has to be refused with a reason.
Prints a line a file and, per kind, how many were parsed, partly parsed, refused and ended by a panic. Exit status 1 on a panic.
Needs Python 3.9 and nothing else.
"""

import collections
import json
import os
import re
import subprocess
import sys
import tempfile

INFO = ["ipmitool", "sel", "info"]
LOG = ["ipmitool", "-c", "sel", "elist"]
SENSORS = ["ipmitool", "-c", "sdr", "elist", "all"]
LLDPCLI = ["lldpcli", "-f", "json0", "show", "neighbors", "details"]
LLDPTOOL = ["lldptool", "-t", "-n", "-i", "eth0"]


def question(text):
    """Which question a text answers, or comes nearest to."""
    if "SEL Information" in text:
        return INFO
    if re.search(r"^\s*[0-9a-f]+,\d\d/\d\d/\d{4},", text, re.MULTILINE):
        return LOG
    if "TLV" in text:
        return LLDPTOOL
    if "lldp." in text or text.lstrip().startswith("{"):
        return LLDPCLI
    return SENSORS


def capture(folder, argv, text):
    questions = []

    def read(path, content):
        questions.append({"ask": {"read": path}, "answer": {"bytes": {"text": content}}})

    if argv[0] == "ipmitool":
        questions.append({"ask": {"list": "/sys/class/ipmi"}, "answer": {"listing": {"names": ["ipmi0"], "complete": True}}})
        if argv != INFO:
            entries = "Entries : 1\nPercent Used : 1%\nOverflow : false\n"
            questions.append({"ask": {"run": INFO}, "answer": {"tool": {"status": 0, "stdout": {"text": entries}, "stderr": {"text": ""}}}})
    else:
        agent = "lldpd" if argv == LLDPCLI else "lldpad"
        other = "lldpad" if agent == "lldpd" else "lldpd"
        read(f"/run/{agent}.pid", "7\n")
        read("/proc/7/comm", f"{agent}\n")
        missing = {"kind": "not-found", "cause": "no such file or directory"}
        questions.append({"ask": {"read": f"/run/{other}.pid"}, "error": missing})
        place = "../../devices/pci0000:00/0000:00:01.0/net/eth0"
        questions.append({"ask": {"list": "/sys/class/net"}, "answer": {"listing": {"names": ["eth0"], "complete": True}}})
        questions.append({"ask": {"read-link": "/sys/class/net/eth0"}, "answer": {"target": place}})
        questions.append({"ask": {"read-link": "/sys/class/net/eth0/device"}, "answer": {"target": "../../../0000:00:01.0"}})
        questions.append({"ask": {"read-link": "/sys/class/net/eth0/device/subsystem"}, "answer": {"target": "../../../bus/pci"}})
        questions.append({"ask": {"read-link": "/sys/class/net/eth0/device/driver"}, "answer": {"target": "../../../bus/pci/drivers/ice"}})
        read("/sys/class/net/eth0/type", "1\n")
        read("/sys/class/net/eth0/carrier", "1\n")
        read("/sys/class/net/eth0/flags", "0x1003\n")
        read("/sys/class/net/eth0/uevent", "INTERFACE=eth0\nIFINDEX=2\n")
        for folder_name in ("device/physfn", "bridge", "bonding", "wireless", "phy80211", "tun_flags"):
            questions.append({"ask": {"list": f"/sys/class/net/eth0/{folder_name}"}, "error": missing})
            questions.append({"ask": {"read-link": f"/sys/class/net/eth0/{folder_name}"}, "error": missing})
            questions.append({"ask": {"read": f"/sys/class/net/eth0/{folder_name}"}, "error": missing})
    answer = {"tool": {"status": 0, "stdout": {"text": text}, "stderr": {"text": ""}}}
    questions.append({"ask": {"run": argv}, "answer": answer})
    with open(os.path.join(folder, "muster-capture.json"), "w", encoding="utf-8") as file:
        json.dump({"schema": "muster.capture/v1", "written_by": "outputs.py", "questions": questions}, file)


def outcome(node, errors, argv):
    """What became of the answer: "parsed", "partly", "refused" and why."""

    def reason(value):
        return errors[value["unreadable"]]["cause"][:110]

    if argv == INFO:
        value = node["bmc"]["event_log_entries"]
        return ("refused", reason(value)) if isinstance(value, dict) else ("parsed", f"{value} entries")
    collection = {"sel": lambda: node["bmc"]["events"], "sdr": lambda: node["bmc"]["sensors"]}.get(
        argv[2] if argv[0] == "ipmitool" else "", lambda: node["lldp_neighbours"])()
    if isinstance(collection, dict) and "unreadable" in collection:
        return "refused", reason(collection)
    items = collection if isinstance(collection, list) else collection["items"]
    broken = [f for item in items for f, v in item.items() if isinstance(v, dict) and "unreadable" in v]
    shown = f"{len(items)} " + ("neighbours" if argv[0] != "ipmitool" else "events of trouble" if argv == LOG else "sensors")
    return ("partly", f"{shown}, unreadable: {sorted(set(broken))}") if broken else ("parsed", shown)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    corpus, muster = sys.argv[1:]
    files = [("bmc", name) for name in sorted(os.listdir(os.path.join(corpus, "bmc")))]
    files += [("net", name) for name in sorted(os.listdir(os.path.join(corpus, "net"))) if re.search("lldp|dcb", name)]
    tally = collections.defaultdict(collections.Counter)
    for kind, name in files:
        with open(os.path.join(corpus, kind, name), encoding="utf-8", errors="replace") as file:
            # Notes that people put between the lines begin with "#".
            text = "".join(line for line in file if not line.startswith("#"))
        argv = question(text)
        with tempfile.TemporaryDirectory() as work:
            capture(work, argv, text)
            done = subprocess.run([muster, "collect", "--from", work], capture_output=True, check=False)
        if b"panicked" in done.stderr or done.returncode not in (0, 1, 2, 3):
            word, why = "panicked", done.stderr.decode(errors="replace")[:200]
        else:
            inventory = json.loads(done.stdout)
            word, why = outcome(inventory["node"], inventory["errors"], argv)
        tally[kind][word] += 1
        print(f"{kind}  {name:<42} {' '.join(argv[:3]):<20} {word}: {why}")
    print()
    for kind, counts in tally.items():
        print(f"{kind:<5}" + "".join(f" {word} {counts[word]:>3}" for word in ("parsed", "partly", "refused", "panicked")))
    return 1 if any(counts["panicked"] for counts in tally.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
