#!/usr/bin/env python3
"""Compares the PCI functions, links and storage controllers that `muster collect` finds in captures with independent readings.

    pci.py CORPUS MUSTER [--details]

`compare(archive, inventory, corpus)` gives for one capture a list of (fact, outcome, reason), one for every value that is looked
at, the outcome being "agree", "unknown" (muster says that it cannot tell, the reason is its own), "disagree" or "not compared"
(nothing independent tells it). `prepared(path, folder)` gives what `muster collect --from` is to be given for a file of the
corpus: itself, or a tree made of it in the folder, or None if it is no capture of PCI.

What is compared with:
- lstopo of hwloc, as XML or as text, in the trees that come with its output: identifiers, classes, nesting, bandwidth of links;
- the aliases by which modules are loaded (`modalias`) and the `uevent` files of trees: the kernel's second writing of identifiers,
  classes and drivers, which muster does not read where it has the first;
- exports of udev's database: a tree of paths, identifiers and drivers is made of them; names are compared with those that udev
  took from its own copy of the PCI ID Repository, and what hangs on which function with udev's paths;
- the links of `sys/block` in the archive: what hangs on which function;
- what the tests of prometheus/procfs demand of their fixtures (TestPciDevices, and the SAS classes);
- hexadecimal dumps of lspci: muster gets the bytes and nothing else; compared is what lspci itself decoded, in the text of the
  dump or by `lspci -F` if that is installed. Bottlenecks and down-trained links are worked out here by the port types that lspci
  names, where muster goes by its own reading;
- texts of lspci without bytes: a tree with the kernel's attributes is made of them, so that only what muster derives from these
  counts: bottlenecks and down-trained links.

Run alone it prints a table with every value counted once, and exits with 1 if something disagrees or muster crashes. Needs Python
3.9 and nothing else; lspci (Debian's pciutils) for dumps that come without text.
"""

import csv
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict

from pci_facts import ADDRESS, GT, Inventory, Unknown, attached, function_field, link_ends
from pci_lspci import decoded, lspci_facts, lspci_tree
from pci_udev import udev_facts, udev_tree

FACTS = [
    "functions", "identifiers", "subsystem", "class", "revision", "driver", "path", "bandwidth", "current link", "maximum link",
    "links", "training", "bottleneck", "NUMA node", "SR-IOV", "power state", "vendor name", "device name", "controllers", "attached", "phys", "expanders",
]
OUTCOMES = ["agree", "unknown", "disagree", "not compared"]


# ---- what the others tell: a list of (fact, what, a function of the inventory, their value) ---------------------


def addresses(inventory):
    if inventory.partial(inventory.node, "pci_functions") and not inventory.functions:
        raise Unknown(inventory.partial(inventory.node, "pci_functions"))
    return sorted(inventory.functions)


def link_bandwidth(address, digits):
    def ours(inventory):
        bits = inventory.function(address, "link_bandwidth")
        return None if bits is None else round(bits / 8e9, digits)

    return ours


def hwloc_functions(found):
    """Facts of (address, ids, class, subsystem or None, revision or None, GB/s, digits, addresses above)."""
    # hwloc knows what the bus lists, less bridges without buses; what else the archive holds is compared elsewhere.
    known = {entry[0] for entry in found}
    for address, ids, kind, subsystem, revision, speed, digits, above in found:
        yield "identifiers", address, function_field(address, "vendor_id", "device_id"), ids.split(":")
        yield "class", address, lambda i, a=address, n=len(kind): i.function(a, "class")[:n], kind
        if subsystem:
            # hwloc writes 0000:0000 where there is none.
            expected = [None, None] if subsystem == "0000:0000" else subsystem.split(":")
            yield "subsystem", address, function_field(address, "subsystem_vendor_id", "subsystem_device_id"), expected
        if revision:
            yield "revision", address, function_field(address, "revision"), revision
        # 0 is what hwloc writes for unknown.
        if speed:
            yield "bandwidth", address, link_bandwidth(address, digits), round(speed, digits)
        shown = lambda i, a=address: [hop for hop in i.function(a, "path") if hop in known]
        yield "path", address, shown, above + [address]


def hwloc_xml(text):
    found = []

    def walk(element, above):
        address = element.get("pci_busid")
        if address:
            match = re.match(r"(\w{4}) \[([\w:]+)\] \[([\w:]+)\] (\w\w)", element.get("pci_type"))
            kind, ids, subsystem, revision = match.groups()
            speed = float(element.get("pci_link_speed", 0))
            found.append((address, ids, kind, subsystem, revision, speed, 3, above))
            above = above + [address]
        for child in element:
            walk(child, above)

    walk(ET.fromstring(text.encode()), [])
    yield from hwloc_functions(found)
    if found:
        expected = sorted(entry[0] for entry in found)
        yield "functions", "all", lambda i: [address for address in addresses(i) if address in expected], expected


def hwloc_text(text):
    found, stack = [], []
    for line in text.splitlines():
        match = re.match(r"( *).*\(busid=(\S+) id=(\S+) class=(\w{4})\([^)]*\)(?: link=([\d.]+)GB/s)?", line)
        if not match:
            continue
        indent = len(match[1])
        stack = [(depth, address) for depth, address in stack if depth < indent]
        speed = float(match[5] or 0)
        found.append((match[2], match[3], match[4], None, None, speed, 2, [address for _, address in stack]))
        stack.append((indent, match[2]))
    yield from hwloc_functions(found)


def archive_names(archive):
    """{path from "sys/" on: member} of a tar archive; {} for a folder."""
    if os.path.isdir(archive):
        return {}
    with tarfile.open(archive) as tar:
        found = {}
        for member in tar.getmembers():
            match = re.search(r"(?:^|/)(sys/.*)$", member.name)
            if match:
                found[match[1]] = member
        wanted = {}
        for path, member in found.items():
            text = None
            if member.isfile() and re.search(rf"/{ADDRESS}/(modalias|uevent)$", path):
                text = tar.extractfile(member).read().decode(errors="replace").strip("\0\n ")
            wanted[path] = (member, text)
    return wanted


def second_writings(names):
    """modalias and uevent of each function."""
    for path, (member, text) in sorted(names.items()):
        match = re.search(rf"/({ADDRESS})/(modalias|uevent)$", path)
        if not match or text is None:
            continue
        address = match[1]
        if match[2] == "modalias":
            alias = re.match(r"pci:v(\w{8})d(\w{8})sv(\w{8})sd(\w{8})bc(\w\w)sc(\w\w)i(\w\w)$", text)
            if alias:
                v, d, sv, sd = (part[4:].lower() for part in alias.groups()[:4])
                yield "identifiers", f"{address} modalias", function_field(address, "vendor_id", "device_id"), [v, d]
                expected = [None, None] if sv == "0000" else [sv, sd]
                yield (
                    "subsystem", f"{address} modalias",
                    function_field(address, "subsystem_vendor_id", "subsystem_device_id"), expected,
                )
                yield "class", f"{address} modalias", function_field(address, "class"), "".join(alias.groups()[4:]).lower()
        else:
            told = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
            if "PCI_ID" in told:
                expected = told["PCI_ID"].lower().split(":")
                yield "identifiers", f"{address} uevent", function_field(address, "vendor_id", "device_id"), expected
                yield "class", f"{address} uevent", function_field(address, "class"), told["PCI_CLASS"].lower().zfill(6)
                yield "driver", f"{address} uevent", function_field(address, "driver"), told.get("DRIVER")


def listed_functions(names):
    """What stands in the bus's folder or on the way to it."""
    told = set()
    for path, (member, _) in names.items():
        if re.match(rf"sys/bus/pci/devices/{ADDRESS}$", path):
            told.add(path.rsplit("/", 1)[1])
            told.update(re.findall(ADDRESS, member.linkname))
    if told:
        yield "functions", "all", addresses, sorted(told)
    classes = set()
    for address in told:
        for path, (_, text) in names.items():
            if path.endswith(f"/{address}/modalias") and text:
                alias = re.search(r"bc(\w\w)sc(\w\w)i", text)
                if alias and re.match("01|0805|0c04", (alias[1] + alias[2]).lower()):
                    classes.add(address)
    if told and classes:
        ours = lambda inventory: sorted(name for name in inventory.controllers if re.match(ADDRESS, name))
        yield "controllers", "all", ours, sorted(classes)


def attached_blocks(names):
    """By function: the block devices whose link leads through it last."""
    told = defaultdict(set)
    for path, (member, _) in names.items():
        match = re.match(r"sys/block/([^/]+)$", path)
        if match and member.issym():
            above = [part for part in member.linkname.split("/") if re.fullmatch(ADDRESS, part)]
            if above:
                told[above[-1]].add(re.sub(r"^(nvme\d+)c\d+(n\d+)$", r"\1\2", match[1]))
    yield from attached(told)



def procfs_pci():
    """TestPciDevices of prometheus/procfs."""
    table = [
        ("0000:00:02.1", "060400", "1022", "1634", "17aa", "5095", "00", None, 8, 4, 8, 8, ["0000:00:02.1"]),
        ("0000:01:00.0", "010802", "c0a9", "540a", "c0a9", "5021", "01", None, 8, 4, 8, 4, ["0000:00:02.1", "0000:01:00.0"]),
        ("0000:a2:00.0", "020000", "8086", "159b", "8086", "0003", "02", 1, 16, 8, 16, 8, ["0000:a2:00.0"]),
    ]
    for address, kind, v, d, sv, sd, revision, numa, speed, width, top_speed, top_width, path in table:
        yield "class", address, function_field(address, "class"), kind
        yield "identifiers", address, function_field(address, "vendor_id", "device_id"), [v, d]
        yield "subsystem", address, function_field(address, "subsystem_vendor_id", "subsystem_device_id"), [sv, sd]
        yield "revision", address, function_field(address, "revision"), revision
        yield "NUMA node", address, function_field(address, "numa_node"), numa
        current = function_field(address, "current_link_speed", "current_link_width")
        yield "current link", address, current, [speed * GT, width]
        maximum = function_field(address, "max_link_speed", "max_link_width")
        yield "maximum link", address, maximum, [top_speed * GT, top_width]
        yield "power state", address, function_field(address, "power_state"), "D0"
        yield "path", address, function_field(address, "path"), path
    yield "SR-IOV", "0000:a2:00.0", function_field("0000:a2:00.0", "sriov_total_vfs", "sriov_num_vfs"), [128, 0]
    yield "links", "all", link_ends, [["0000:00:02.1", "0000:01:00.0"]]


def procfs_sas():
    """TestSASPhyClass and TestSASExpanderClass of prometheus/procfs, some of their values."""

    def port(name, *fields):
        def ours(inventory):
            for record in inventory.controllers.values():
                for item in inventory.items(record, "ports"):
                    if inventory.value(item, "name") == name:
                        return [inventory.value(item, field) for field in fields]
            raise Unknown(inventory.partial(inventory.node, "storage_controllers") or "MISSING")

        return ours

    def expander(name, *fields):
        def ours(inventory):
            for record in inventory.controllers.values():
                for item in inventory.items(record, "expanders"):
                    if inventory.value(item, "name") == name:
                        return [inventory.value(item, field) for field in fields]
            raise Unknown(inventory.partial(inventory.node, "storage_controllers") or "MISSING")

        return ours

    fields = ["negotiated", "maximum", "address", "expander"]
    yield "phys", "phy-11:10", port("phy-11:10", *fields), [12 * GT, 12 * GT, "500062b2047b51c4", None]
    yield "phys", "phy-11:0:4", port("phy-11:0:4", *fields), [12 * GT, 12 * GT, "5000ccab0200947e", "expander-11:0"]
    yield (
        "expanders", "expander-11:0", expander("expander-11:0", "vendor", "product", "revision", "level", "address"),
        ["HGST", "4U60_STOR_ENCL", "0210", 1, "5000ccab0200947e"],
    )


# Names of the same repository, as of when udev's table was made: "Broadcom Corporation" is "Broadcom Inc. and subsidiaries" by now.
# That most are equal is what main() demands; identifiers are compared by themselves.
NAMES = ("vendor name", "device name")
RENAMED = "the two are of different versions of the PCI ID Repository, which words it otherwise"


def prepared(path, folder):
    """What `muster collect --from` is to be given; None if the file is no capture of PCI."""
    if re.search(r"\.(tar\.\w+|tgz)$", path):
        return path
    if os.path.basename(path).startswith("checkbox__udevadm"):
        tree = os.path.join(folder, "udev")
        udev_tree(path, tree)
        return tree
    if f"{os.sep}pci{os.sep}" not in path and not path.startswith(f"pci{os.sep}"):
        return None
    tree = os.path.join(folder, "lspci")
    return tree if lspci_tree(path, tree) else None


# ---- the comparison ------------------------------------------------------------------------------------------


def told(path, corpus):
    """Every (fact, what, ours, theirs) of one capture."""
    full = os.path.join(corpus, path) if not os.path.isabs(path) else path
    name = os.path.basename(path)
    if name.startswith("checkbox__udevadm"):
        yield from udev_facts(full)
        return
    if not re.search(r"\.(tar\.\w+|tgz)$", name):
        functions = decoded(full)
        if functions:
            has_bytes = any(function.hex for function in functions)
            yield from lspci_facts(functions, has_bytes)
        return
    base = re.sub(r"\.(tar\.\w+|tgz)$", "", full)
    xml = re.sub(r"\.fsroot$", "", base) + ".xml"
    if os.path.exists(xml):
        with open(xml, encoding="utf-8") as file:
            yield from hwloc_xml(file.read())
    if os.path.exists(base + ".console"):
        with open(base + ".console", encoding="utf-8") as file:
            yield from hwloc_text(file.read())
    names = archive_names(full)
    yield from second_writings(names)
    yield from listed_functions(names)
    yield from attached_blocks(names)
    if name == "procfs__pci.tar.gz":
        yield from procfs_pci()
    if name == "procfs__sas-scsi-fc.tar.gz":
        yield from procfs_sas()


def compare(archive, inventory, corpus):
    """A list of (fact, outcome, reason)."""
    inventory = Inventory(inventory)
    results, seen = [], set()
    for fact, what, ours, theirs in told(archive, corpus):
        seen.add(fact)
        try:
            value = ours(inventory)
        except Unknown as unknown:
            outcome = "disagree" if str(unknown) == "MISSING" else "unknown"
            results.append((fact, outcome, f"{what}: {unknown}" if outcome == "disagree" else str(unknown)))
            continue
        if value == theirs:
            results.append((fact, "agree", ""))
        elif fact in NAMES:
            results.append((fact, "not compared", RENAMED))
        else:
            results.append((fact, "disagree", f"{what}: muster {value}, the other {theirs}"))
    results += [(fact, "not compared", "nothing independent tells it") for fact in FACTS if fact not in seen]
    return results


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if len(arguments) != 2:
        sys.exit(__doc__)
    corpus, muster = arguments
    with open(os.path.join(corpus, "INDEX.tsv"), encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row["kind"] in ("sysfs", "pci")]
    counts, reasons, failures, captures, renamed = (
        defaultdict(Counter), defaultdict(Counter), [], Counter(), Counter()
    )
    for row in sorted(rows, key=lambda row: (row["sub"], row["path"])):
        full = os.path.join(corpus, row["path"])
        with tempfile.TemporaryDirectory() as folder:
            given = prepared(full, folder)
            if given is None:
                continue
            run = subprocess.run([muster, "collect", "--from", given], capture_output=True, text=True)
            if not run.stdout.strip():
                captures["refused"] += 1
                if run.returncode not in (65,):
                    failures.append(f"{row['path']}: exit status {run.returncode}: {run.stderr.strip()[:200]}")
                continue
            captures["read"] += 1
            for fact, outcome, reason in compare(full, run.stdout, corpus):
                counts[row["sub"], fact][outcome] += 1
                if outcome == "disagree":
                    failures.append(f"{row['path']}: {fact}: {reason}")
                elif reason == RENAMED:
                    renamed[fact] += 1
                elif outcome == "unknown":
                    reason = re.sub(rf"{ADDRESS}(:pcie\w+)?", "ADDRESS", reason)
                    reason = re.sub(r"/sys/devices/\S*/", "/sys/devices/.../", reason)
                    reasons[row["sub"], fact][reason] += 1
    for fact in NAMES:
        row = Counter()
        for (_, this), outcomes in counts.items():
            row += outcomes if this == fact else Counter()
        if row["agree"] < 9 * renamed[fact]:
            failures.append(f"{fact}: {renamed[fact]} differ, {row['agree']} agree: more than renaming accounts for")
    print(f"{captures['read']} captures read, {captures['refused']} hold nothing of a machine\n")
    print(f"{'sub':<15} {'fact':<15}" + "".join(f"{outcome:>14}" for outcome in OUTCOMES))
    total = Counter()
    for (sub, fact), row in sorted(counts.items()):
        total.update(row)
        if set(row) != {"not compared"}:
            print(f"{sub:<15} {fact:<15}" + "".join(f"{row[outcome]:>14}" for outcome in OUTCOMES))
    print(f"{'all':<15} {'':<15}" + "".join(f"{total[outcome]:>14}" for outcome in OUTCOMES))
    print("\nwhy unknown")
    for (sub, fact), why in sorted(reasons.items()):
        for reason, count in why.most_common(None if "--details" in sys.argv else 3):
            print(f"  {sub}, {fact}, {count} times: {reason}")
    print(f"\n{len(failures)} failures" + "".join(f"\n  {failure}" for failure in failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
