#!/usr/bin/env python3
"""Runs `muster collect` on captured machines and compares what it finds with the output that comes with each capture.

    compare.py CORPUS MUSTER [--details]

CORPUS is a folder with an INDEX.tsv (path, kind, sub, ...); every archive of kind "sysfs", and every archive of kind "nvme" and
sub "sysfs", is read by `MUSTER collect --from ARCHIVE`. The expected outputs are those of lscpu, lsmem and lsblk (util-linux),
lstopo (hwloc), cadvisor's machineinfo.json and libnvme's tree: each an independent reading of the same files.

The table counts, for every capture and fact, exactly one of

    agree         both tell the same
    unknown       muster says that it cannot tell; the reason is its own
    disagree      they tell different things
    explained     they tell different things, and EXPLAINED below says why muster is right for its purpose, and what it must tell
    not compared  nothing independent tells the fact of this capture

so that the sum of a row is the number of captures, whatever the outcome. Much is unknown because nobody says that a copied
tree is whole. So the second table asks again under the assumption that the other tools make as well: CPUs, nodes and
memory that are not in the tree do not exist (`whole` writes that down as a capture of muster's own). The third counts every
single value of block devices and drives (blockdevices.py), of which the first table has one line a capture.

Exit status 1 on a disagreement that is not explained, an explanation that explains nothing, or a crash of muster; 0 else. Needs
Python 3.9 and nothing else.
"""

import csv
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict

import blockdevices
from told import Told, Unknown

FACTS = [
    "sockets", "cores", "threads", "NUMA nodes",
    "L1d", "L1i", "L2", "L3 and up",
    "memory", "memory online", "memory offline", "block devices",
]
CACHES = ["L1d", "L1i", "L2", "L3 and up"]
OUTCOMES = ["agree", "unknown", "disagree", "explained", "not compared"]

BLOCK = "block devices"
# What the second table asks again.
AGAIN = [fact for fact in FACTS if fact != BLOCK]

# Capture: why both are right, each for its purpose, and what muster must tell.
EXPLAINED = {
    "hwloc__16amd64-4n4c-cgroup-distance-merge": (
        "lstopo shows what the process's cpuset allows (4 CPUs, 2 nodes) and was told to merge levels; muster tells the machine, "
        "four Opteron 8347 (4 cores, 512 KiB of L2 each, 2 MiB of L3 together)",
        {
            "sockets": 4, "threads": 16, "NUMA nodes": 4, "memory": "32GiB", "L1d": {(1, "data", "64KiB"): 16},
            "L1i": {(1, "instruction", "64KiB"): 16}, "L2": {(2, "unified", "512KiB"): 16}, "L3 and up": {(3, "unified", "2048KiB"): 4},
        },
    ),
    "hwloc__16amd64-8n2c-cpusets": (
        "lstopo shows what the process's cpuset allows (10 CPUs, 4 nodes); muster tells the 15 of 16 CPUs that are online, of eight "
        "Opteron 865 (2 cores, 1 MiB of L2 each)",
        {
            "sockets": 8, "cores": 15, "threads": 15, "NUMA nodes": 8, "memory": "64GiB", "L1d": {(1, "data", "64KiB"): 15},
            "L1i": {(1, "instruction", "64KiB"): 15}, "L2": {(2, "unified", "1024KiB"): 15},
        },
    ),
    "hwloc__16em64t-4s2ca2c-cpusetreorder": (
        "lstopo shows what the process's cpuset allows (11 CPUs); muster tells the machine",
        {"cores": 16, "threads": 16, "L1d": {(1, "data", "16KiB"): 16}},
    ),
    "hwloc__40intel64-4n10c+pci-conflicts": (
        "made to test a PCI locality that cuts through packages: lstopo keeps that and leaves one package out of its tree; "
        "physical_package_id tells 4 packages of 10 CPUs each",
        {"sockets": 4, "L3 and up": {(3, "unified", "30MiB"): 4}},
    ),
    "hwloc__8em64t-2s2ca2c-buggynuma": (
        "the firmware puts all CPUs into each of 8 nodes: lstopo leaves out all but the first; muster tells what the kernel has, "
        "whose memory adds up to that of /proc/meminfo",
        {"NUMA nodes": 8, "memory": "16GiB"},
    ),
    "hwloc__fakememinitiators-1np2c+1npp+gi": (
        "lstopo shows the 6 nodes with memory; muster tells all that the kernel lists as online, 0-10",
        {"NUMA nodes": 11},
    ),
}

NO_ORACLE = "no expected output comes with the capture"


# ---- what muster tells ---------------------------------------------------------------------------------------


class Inventory(Told):
    """The JSON of `muster collect`, with its readings resolved."""

    def __init__(self, text):
        super().__init__(text)
        self.text = text

    def items(self, record, field):
        """The elements of a collection and why it may lack some; raises Unknown."""
        value = self.value(record, field)
        if isinstance(value, dict):
            return value["items"], self.reason(value["partial"][0])
        return value, None

    def count(self, record, field):
        items, partial = self.items(record, field)
        if partial:
            raise Unknown(partial)
        return len(items)

    def caches(self, fact):
        """{(level, kind, size in bytes): how many}."""
        items, partial = self.items(self.node["cpu"], "caches")
        sizes = Counter()
        for cache in items:
            level, kind = self.value(cache, "level"), self.value(cache, "kind")
            if cache_fact(level, kind) == fact:
                sizes[level, kind, self.value(cache, "bytes")] += self.value(cache, "count")
        if not sizes and partial:
            raise Unknown(partial)
        return dict(sizes)

    def memory(self):
        """Bytes of all NUMA nodes, else of the kernel."""
        try:
            nodes, partial = self.items(self.node, "numa_nodes")
            if nodes and not partial:
                return sum(self.value(node, "memory") for node in nodes)
        except Unknown:
            pass
        return self.value(self.node["memory"], "total")


# ---- what the others tell: {fact: a function from an inventory to (ours, theirs)} -------------------------------


def same(ours, theirs):
    return lambda inventory: (ours(inventory), theirs)


def cpu(field):
    return lambda inventory: inventory.value(inventory.node["cpu"], field)


def numa_nodes(inventory):
    return inventory.count(inventory.node, "numa_nodes")


def memory_field(field):
    return lambda inventory: inventory.value(inventory.node["memory"], field)


KINDS = {"d": "data", "i": "instruction", "": "unified"}


def cache_fact(level, kind):
    """The fact to which caches of a level and kind belong."""
    return f"L1{kind[0]}" if level == 1 else "L2" if level == 2 else "L3 and up"


def told_caches(theirs, shown=None):
    """The cache facts by {(level, kind, size): how many}; sizes are compared as `shown` would show them."""
    def both(fact):
        def ours_and_theirs(inventory):
            ours = Counter()
            for (level, kind, size), count in inventory.caches(fact).items():
                ours[level, kind, shown(size) if shown else size] += count
            return dict(ours), {key: count for key, count in theirs.items() if cache_fact(key[0], key[1]) == fact}
        return ours_and_theirs
    return {fact: both(fact) for fact in CACHES} if theirs else {}


def lscpu(text):
    """The summary's caches and nodes, and the table "# CPU,Core,Socket,Node" with a number for each distinct thing."""
    told = {}
    units = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    caches, uncounted = {}, set()
    for level, kind, number, unit, count in re.findall(
        r"^L(\d)([di]?) cache: +([\d.]+) (\w+)(?: \((\d+) instances?\))?$", text, flags=re.M
    ):
        level, kind = int(level), KINDS[kind]
        if count:
            # lscpu prints the sum with one decimal; all sums of these captures are exact.
            caches[level, kind, round(float(number) * units[unit]) // int(count)] = int(count)
        else:
            # s390 does not say how many of its shared caches there are.
            uncounted.add(cache_fact(level, kind))
    told = {fact: both for fact, both in told_caches(caches).items() if fact not in uncounted}
    table = re.split(r"^# CPU,Core,Socket,Node.*\n", text, flags=re.M)[1]
    rows = [line.split(",") for line in table.split("\n\n")[0].splitlines() if line[:1].isdigit()]
    told["threads"] = same(cpu("threads"), len(rows))
    told["cores"] = same(cpu("cores"), len({row[1] for row in rows}))
    told["sockets"] = same(cpu("sockets"), len({row[2] for row in rows}))
    nodes = re.search(r"^NUMA node\(s\): +(\d+)", text, flags=re.M)
    if nodes:
        told["NUMA nodes"] = same(numa_nodes, int(nodes[1]))
    return told


def lsmem(text):
    """The first table that has ranges with their state."""
    table = next(part for part in text.split("\n\n") if re.search(r"^0x", part, flags=re.M))
    sums = Counter()
    for first, last, state in re.findall(r"^0x([0-9a-f]+)-0x([0-9a-f]+) +\S+ +(\w+)", table, flags=re.M):
        sums[state] += int(last, 16) - int(first, 16) + 1
    return {
        "memory online": same(memory_field("online"), sums["online"]),
        "memory offline": same(memory_field("offline"), sums["offline"]),
    }


def hwloc_size(size):
    """As hwloc prints a size: rounded, in the largest unit that leaves at least 10."""
    for shift, unit in ((10, "KiB"), (20, "MiB"), (30, "GiB")):
        if size < 10 << (shift + 10):
            return f"{((size >> (shift - 1)) + 1) >> 1}{unit}"
    return f"{((size >> 39) + 1) >> 1}TiB"


def hwloc_console(text):
    """The summary's counts, and the sizes in the tree."""
    told = {}
    counts = {kind: int(count) for count, kind in re.findall(r"^ *(?:Special )?depth -?\d+: +(\d+) (\w+) \(", text, flags=re.M)}
    for fact, kind, ours in (
        ("sockets", "Package", cpu("sockets")), ("cores", "Core", cpu("cores")),
        ("threads", "PU", cpu("threads")), ("NUMA nodes", "NUMANode", numa_nodes),
    ):
        if kind in counts:
            told[fact] = same(ours, counts[kind])
    caches = Counter()
    for level, kind, size in re.findall(r"^ *L(\d)([di]?)Cache L#\d+ \(.*?\bsize=(\w+)", text, flags=re.M):
        caches[int(level), KINDS[kind], size] += 1
    told.update(told_caches(caches, hwloc_size))
    total = re.match(r"Machine \(.*?\btotal=(\w+)", text)
    if total:
        told["memory"] = lambda inventory: (hwloc_size(inventory.memory()), total[1])
    return told


def hwloc_xml(text):
    told = {}
    objects = [element.attrib for element in ET.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", text)).iter("object")]
    counts = Counter(attributes["type"] for attributes in objects)
    for fact, kind, ours in (
        ("sockets", "Package", cpu("sockets")), ("cores", "Core", cpu("cores")),
        ("threads", "PU", cpu("threads")), ("NUMA nodes", "NUMANode", numa_nodes),
    ):
        if counts[kind]:
            told[fact] = same(ours, counts[kind])
    caches = Counter()
    for attributes in objects:
        if "cache_size" in attributes and attributes["type"].startswith("L"):
            kind = ["unified", "data", "instruction"][int(attributes["cache_type"])]
            caches[int(attributes["depth"]), kind, int(attributes["cache_size"])] += 1
    told.update(told_caches(caches))
    local = [int(attributes["local_memory"]) for attributes in objects if "local_memory" in attributes]
    if local:
        told["memory"] = same(Inventory.memory, sum(local))
    return told


def machineinfo(text):
    """cadvisor's reading, taken when the capture was made."""
    info = json.loads(text)
    told = {
        "threads": same(cpu("threads"), info["num_cores"]),
        "cores": same(cpu("cores"), sum(len(node["cores"]) for node in info["topology"])),
        "sockets": same(cpu("sockets"), info["num_sockets"]),
        "NUMA nodes": same(numa_nodes, len(info["topology"])),
        "memory": same(memory_field("total"), info["memory_capacity"]),
    }
    return told


# ---- captures ------------------------------------------------------------------------------------------------


def oracles(corpus, path, sub):
    """What comes with a capture: {fact: function}, and why facts are missing from it."""
    folder = os.path.join(corpus, os.path.dirname(path))
    stem = re.sub(r"\.(tar\.\w+|tgz)$", "", os.path.basename(path))

    def read(name):
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None

    if sub == "lscpu":
        text = read("ul-lscpu-expected__lscpu-" + stem.removeprefix("ul-lscpu__") + ".txt")
        return (lscpu(text), "lscpu does not show it") if text else ({}, NO_ORACLE)
    if sub == "lsmem":
        text = read("ul-lsmem-expected__lsmem-" + stem.removeprefix("ul-lsmem__") + ".txt")
        return (lsmem(text), "lsmem does not show it") if text else ({}, NO_ORACLE)
    if sub in ("hwloc", "hwloc-fake"):
        stem = stem.removesuffix(".fsroot")
        text = read(stem + ".console")
        if text:
            return hwloc_console(text), "lstopo does not show it"
        text = read(stem + ".xml")
        return (hwloc_xml(text), "hwloc's XML does not have it") if text else ({}, NO_ORACLE)
    if sub == "server-sysinfo":
        with tarfile.open(os.path.join(corpus, path)) as archive:
            member = next((m for m in archive if os.path.basename(m.name) == "machineinfo.json"), None)
            if member:
                return machineinfo(archive.extractfile(member).read()), "cadvisor's machineinfo.json does not have it"
    return {}, NO_ORACLE


def collect(muster, source):
    """(inventory, None), (None, why it was refused); raises Crash."""
    run = subprocess.run([muster, "collect", "--from", source], capture_output=True, text=True, timeout=600)
    if run.returncode == 65:
        return None, "muster refused it: " + run.stderr.strip().splitlines()[-1].replace(source, "the archive")
    if run.returncode not in (0, 1, 3) or "panicked" in run.stderr:
        raise Crash(f"exit status {run.returncode}: {run.stderr.strip()[-2000:]}")
    return Inventory(run.stdout), None


class Crash(Exception):
    """Muster panicked or ended as it must not."""


def roots_of(members):
    """The folders of an archive that hold a machine's files."""
    found = (re.match(r"(?:\./)?(?:(.*?)/)?(?:sys|proc)(?:/|$)", member.name) for member in members)
    return sorted({match[1] or "." for match in found if match})


def extract(archive, folder, wanted=""):
    """What muster itself takes from an archive: no devices, and no links that lead out of it."""
    for member in archive.getmembers():
        inside = ".." not in member.name.split("/") and not member.name.startswith("/") and re.search(wanted, member.name)
        if inside and (member.isdir() or member.isfile() or (member.issym() and not member.linkname.startswith("/"))):
            archive.extract(member, folder, set_attrs=False)


def machines(muster, source, folder):
    """The machine in an archive, or those deep in it: (suffix of the name, folder with its files, inventory, refusal)."""
    inventory, refusal = collect(muster, source)
    with tarfile.open(source) as archive:
        roots = roots_of(archive.getmembers())
        # Of most archives only what `whole` needs.
        extract(archive, folder, WHOLE if inventory else "")
    if inventory or not roots:
        return [("", os.path.join(folder, roots[0]) if roots else folder, inventory, refusal)]
    found = []
    for root in roots:
        inventory, refusal = collect(muster, os.path.join(folder, root))
        found.append(("/" + root, os.path.join(folder, root), inventory, refusal))
    return found


WHOLE = r"(^|/)(sys/devices/system/(cpu|node|memory)|proc/(cpuinfo|meminfo)$)"


def whole(root):
    """Writes a manifest that says: of CPUs, nodes and memory this tree has all there is."""
    questions = []
    for top in ("sys/devices/system/cpu", "sys/devices/system/node", "sys/devices/system/memory"):
        for folder, folders, files in os.walk(os.path.join(root, top)):
            path = "/" + os.path.relpath(folder, root)
            questions.append({"ask": {"list": path}, "answer": {"listing": {"names": sorted(folders + files), "complete": True}}})
            questions += [file_read(root, f"{path}/{name}") for name in files]
    questions += [file_read(root, path) for path in ("/proc/cpuinfo", "/proc/meminfo")]
    questions = [question for question in questions if question]
    os.makedirs(root, exist_ok=True)
    with open(os.path.join(root, "muster-capture.json"), "w", encoding="utf-8") as file:
        json.dump({"schema": "muster.capture/v1", "written_by": "compare.py", "questions": questions}, file)


def file_read(root, path):
    place = root + path
    if not os.path.isfile(place) or os.path.islink(place):
        return None
    return {"ask": {"read": path}, "answer": {"bytes": {"file": {"path": path[1:], "bytes": os.path.getsize(place)}}}}


def compare(name, facts, inventory, refusal, told, untold):
    """{fact: (outcome, reason)} of one machine."""
    outcomes = {}
    for fact in facts:
        if fact not in told:
            outcomes[fact] = ("not compared", untold)
        elif inventory is None:
            outcomes[fact] = ("unknown", refusal)
        else:
            try:
                ours, theirs = told[fact](inventory)
                if ours == theirs:
                    outcomes[fact] = ("agree", "")
                elif EXPLAINED.get(name, ("", {}))[1].get(fact) == ours:
                    outcomes[fact] = ("explained", EXPLAINED[name][0])
                else:
                    outcomes[fact] = ("disagree", f"muster {ours}, expected {theirs}")
            except Unknown as unknown:
                outcomes[fact] = ("unknown", str(unknown))
    return outcomes


def compare_block(path, corpus, inventory, refusal):
    """The outcome of all values of block devices together, and each of them."""
    if inventory is None:
        return ("unknown", refusal), []
    values = blockdevices.compare(path, inventory.text, corpus)
    for outcome in ("disagree", "unknown", "agree", "not compared"):
        found = [(fact, reason) for fact, this, reason in values if this == outcome]
        if found:
            fact, reason = found[0]
            return (outcome, reason if outcome == "not compared" else f"{fact}: {reason}" if reason else ""), values
    return ("not compared", NO_ORACLE), values


def nameless(fact):
    """A fact of blockdevices.py without the device: "hwloc: of sda: model", "lsblk topo: SIZE of sda"."""
    return re.sub(r" of (the drive )?\S+$", "", re.sub(r": of \S+:", ":", fact))


class Tally:
    """Outcomes by sub and fact, with their reasons."""

    def __init__(self):
        self.counts = defaultdict(Counter)
        self.reasons = defaultdict(list)

    def add(self, sub, fact, outcome, reason, name):
        self.counts[sub, fact][outcome] += 1
        self.reasons[sub, fact, outcome, reason].append(name)


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if len(arguments) != 2:
        sys.exit(__doc__)
    corpus, muster = arguments
    with open(os.path.join(corpus, "INDEX.tsv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    captures = [(row["sub"], row["path"]) for row in rows if row["kind"] == "sysfs"]
    captures += [("nvme", row["path"]) for row in rows if (row["kind"], row["sub"]) == ("nvme", "sysfs")]
    captures = sorted(capture for capture in captures if re.search(r"\.(tar\.\w+|tgz)$", capture[1]))

    first, again, values = Tally(), Tally(), Tally()
    failures = []
    explanations = {(name, fact) for name, (_, facts) in EXPLAINED.items() for fact in facts}
    for sub, path in captures:
        told, untold = oracles(corpus, path, sub)
        name = re.sub(r"\.(tar\.\w+|tgz)$", "", os.path.basename(path))
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = machines(muster, os.path.join(corpus, path), folder)
            except Crash as crash:
                failures.append(f"{name}: {crash}")
                found = [("", None, None, "muster crashed")]
            for suffix, root, inventory, refusal in found:
                outcomes = compare(name, AGAIN, inventory, refusal, told, untold)
                block, block_values = compare_block(path, corpus, inventory, refusal)
                for fact, (outcome, reason) in {**outcomes, BLOCK: block}.items():
                    first.add(sub, fact, outcome, reason, name + suffix)
                    if outcome == "disagree":
                        failures.append(f"{name}: {fact}: {reason}")
                    if outcome == "explained":
                        explanations.discard((name, fact))
                for fact, outcome, reason in block_values:
                    values.add(sub, nameless(fact), outcome, reason, name)
                if root and told:
                    try:
                        whole(root)
                        inventory, refusal = collect(muster, root)
                    except Crash as crash:
                        failures.append(f"{name}, taken as whole: {crash}")
                        inventory, refusal = None, "muster crashed"
                    for fact, (outcome, reason) in compare(name, AGAIN, inventory, refusal, told, untold).items():
                        again.add(sub, fact, outcome, reason, name + suffix)
                        if outcome == "disagree":
                            failures.append(f"{name}, taken as whole: {fact}: {reason}")
                        if outcome == "explained":
                            explanations.discard((name, fact))
    failures += [f"{name}: {fact}: explained, but nothing is" for name, fact in sorted(explanations)]
    details = "--details" in sys.argv
    for title, tally, facts in (
        ("captures as they are", first, FACTS),
        ("captures with an expected output, CPUs, nodes and memory taken as whole", again, AGAIN),
        ("values of block devices and drives", values, sorted({fact for _, fact in values.counts})),
    ):
        print(f"== {title}\n")
        print_table(tally.counts, facts)
        print_reasons(tally.reasons, details)
        print()
    print(f"{len(failures)} failures" + "".join(f"\n  {failure}" for failure in failures))
    sys.exit(1 if failures else 0)


def print_table(counts, shown_facts):
    width = max(map(len, shown_facts))
    print(f"{'sub':<15} {'fact':<{width}}" + "".join(f"{outcome:>14}" for outcome in OUTCOMES) + f"{'all':>8}")
    total = Counter()
    for sub in sorted({sub for sub, _ in counts}):
        for fact in shown_facts:
            row = counts[sub, fact]
            total.update(row)
            # Facts that nothing tells of any capture of this kind are in the sum alone.
            if set(row) - {"not compared"}:
                print(f"{sub:<15} {fact:<{width}}" + "".join(f"{row[outcome]:>14}" for outcome in OUTCOMES) + f"{sum(row.values()):>8}")
    print(f"{'all':<15} {'':<{width}}" + "".join(f"{total[outcome]:>14}" for outcome in OUTCOMES) + f"{sum(total.values()):>8}")


def print_reasons(reasons, details):
    print("\nreasons")
    for outcome in ("disagree", "explained", "unknown", "not compared"):
        lines = defaultdict(lambda: ([], []))
        for (sub, fact, this, reason), names in reasons.items():
            if this == outcome:
                facts, captures = lines[sub, reason]
                facts.append(fact)
                captures.extend(name for name in names if name not in captures)
        for (sub, reason), (facts, captures) in sorted(lines.items()):
            def some(items):
                return ", ".join(items if details or len(items) < 5 else items[:3] + [f"and {len(items) - 3} more"])
            print(f"  {outcome}, {sub}, {some(facts)}: {reason} [{some(captures)}]")


if __name__ == "__main__":
    main()
