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
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter, defaultdict

FACTS = [
    "functions", "identifiers", "subsystem", "class", "revision", "driver", "path", "bandwidth", "current link", "maximum link",
    "links", "training", "bottleneck", "NUMA node", "SR-IOV", "power state", "controllers", "attached", "phys", "expanders",
]
OUTCOMES = ["agree", "unknown", "disagree", "not compared"]
ADDRESS = r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"


class Unknown(Exception):
    """Muster cannot tell, for its own reason."""


# ---- what muster tells ---------------------------------------------------------------------------------------


class Inventory:
    """The JSON of `muster collect`, with its readings resolved."""

    def __init__(self, inventory):
        self.json = json.loads(inventory) if isinstance(inventory, (str, bytes)) else inventory
        self.node = self.json["node"]
        self.functions = self.by_name("pci_functions", "address")
        self.links = self.by_name("pci_links", "lower")
        self.controllers = self.by_name("storage_controllers", "name")

    def by_name(self, field, name):
        try:
            return {self.value(record, name): record for record in self.items(self.node, field)}
        except Unknown:
            return {}

    def reason(self, index):
        error = self.json["errors"][index]
        return f"cannot {error['operation']}: {error['cause']}"

    def value(self, record, field):
        """The value, None if absent; raises Unknown."""
        if field not in record:
            raise Unknown("not collected")
        value = record[field]
        if isinstance(value, dict) and "unreadable" in value:
            raise Unknown(self.reason(value["unreadable"]))
        return value

    def items(self, record, field):
        value = self.value(record, field)
        return value["items"] if isinstance(value, dict) else value

    def partial(self, record, field):
        """Why a collection may lack elements; None if it is complete."""
        value = record.get(field)
        if isinstance(value, dict):
            return self.reason(value["partial"][0] if "partial" in value else value["unreadable"])
        return None

    def function(self, address, field):
        if address not in self.functions:
            raise Unknown(self.partial(self.node, "pci_functions") or "MISSING")
        return self.value(self.functions[address], field)


# ---- what the others tell: a list of (fact, what, a function of the inventory, their value) ---------------------


def function_field(address, *fields):
    def ours(inventory):
        values = [inventory.function(address, field) for field in fields]
        return values[0] if len(values) == 1 else values

    return ours


def bandwidth_of(rate, lanes):
    """Gbit/s after the line encoding."""
    share = {2.5: 0.8, 5: 0.8, 8: 128 / 130, 16: 128 / 130, 32: 128 / 130, 64: 242 / 256}[rate]
    return rate * lanes * share


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
                if alias and (alias[1] == "01" or alias[1].lower() == "0c" and alias[2] == "04"):
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
            above = re.findall(rf"/({ADDRESS})/", member.linkname)
            if above:
                told[above[-1]].add(re.sub(r"^(nvme\d+)c\d+(n\d+)$", r"\1\2", match[1]))
    for address, blocks in sorted(told.items()):

        def ours(inventory, address=address):
            found = set()
            hit = False
            for record in inventory.controllers.values():
                if inventory.value(record, "pci_address") == address:
                    hit = True
                    for item in inventory.items(record, "attached"):
                        found.add(inventory.value(item, "block_device"))
            if not hit:
                raise Unknown(inventory.partial(inventory.node, "storage_controllers") or "MISSING")
            return sorted(found - {None})

        yield "attached", address, ours, sorted(blocks)


GT = 1_000_000_000


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


def link_ends(inventory):
    return sorted([inventory.value(link, "upper"), lower] for lower, link in inventory.links.items())


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


# ---- lspci ---------------------------------------------------------------------------------------------------


class Lspci:
    """One function as lspci writes it."""

    def __init__(self, address, head):
        self.address, self.head = address, head
        self.hex, self.lines = bytearray(), []

    def search(self, pattern):
        for line in self.lines:
            match = re.search(pattern, line)
            if match:
                return match
        return None

    def rates(self, which):
        """(GT/s, lanes) of LnkCap or LnkSta; None if it names none."""
        match = self.search(rf"{which}:.*Speed (unknown|[\d.]+)(?:GT/s)?(?: \(\w+\))?, Width x(\d+)")
        if not match or match[1] == "unknown" or match[2] == "0":
            return None
        rate = float(match[1])
        # What a port can do is told by the vector where it has one (PCI Express Base Specification, Link Capabilities 2).
        vector = self.search(r"LnkCap2: Supported Link Speeds: (?:[\d.]+-)?([\d.]+)GT/s") if which == "LnkCap" else None
        return float(vector[1]) if vector else rate, int(match[2])

    def port_type(self):
        match = self.search(r"Capabilities: \[\w+\] Express (?:\(v\d\) )?(.*?)(?: \(Slot|, MSI|, IntMsgNum| IRQ|$)")
        return match[1].strip() if match else None

    def looks(self):
        kind = self.port_type() or ""
        if re.match(r"Root Port|Downstream Port|PCI/PCI-X to PCI-Express", kind):
            return "down"
        if kind.startswith("Root Complex"):
            return None
        return "up" if kind else None

    def buses(self):
        match = self.search(r"Bus: primary=(\w\w), secondary=(\w\w), subordinate=(\w\w)")
        return (int(match[2], 16), int(match[3], 16)) if match else None

    def is_bridge(self):
        return self.buses() is not None


def lspci_functions(text):
    found = []
    for line in text.splitlines():
        head = re.match(r"\s*((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) (.*)", line)
        body = re.match(r"\s*([0-9a-f]{2,3}): ((?:[0-9a-f]{2} ?)+)\s*$", line)
        if head and not body:
            address = head[1] if head[1].count(":") == 2 else f"0000:{head[1]}"
            found.append(Lspci(address, head[2]))
        elif body and found:
            # Offsets must go on where the last line ended.
            if int(body[1], 16) == len(found[-1].hex):
                found[-1].hex += bytes.fromhex(body[2].replace(" ", ""))
        elif found:
            found[-1].lines.append(line)
    return found


def chains(functions):
    """{address: addresses from the root down to it}, by the bus numbers of the bridges."""
    above = {}
    for function in functions:
        bus = int(function.address.split(":")[1], 16)
        domain = function.address.split(":")[0]
        for other in functions:
            buses = other.buses()
            if buses and buses[0] == bus and buses[0] != 0 and other.address.split(":")[0] == domain and other is not function:
                above[function.address] = other.address
    result = {}
    for function in functions:
        chain, here = [function.address], function.address
        while here in above and above[here] not in chain:
            here = above[here]
            chain.insert(0, here)
        result[function.address] = chain
    return result


def decoded(path):
    """The functions of a dump, with what lspci decoded of them; None if nothing did."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    functions = lspci_functions(text)
    if any(function.rates("LnkCap") or function.port_type() or function.buses() for function in functions):
        return functions
    if not any(function.hex for function in functions):
        return functions
    if not shutil.which("lspci"):
        return None
    told = subprocess.run(["lspci", "-D", "-F", path, "-vvv"], capture_output=True, text=True, check=True).stdout
    known = {function.address: function for function in lspci_functions(told)}
    for function in functions:
        function.lines = known[function.address].lines if function.address in known else []
    return functions


def lspci_facts(functions, has_bytes):
    by_address = {function.address: function for function in functions}
    chain = chains(functions)
    if has_bytes:
        for function in functions:
            if function.port_type() is None:
                continue
            for fact, which, fields in [
                ("current link", "LnkSta", ("current_link_speed", "current_link_width")),
                ("maximum link", "LnkCap", ("max_link_speed", "max_link_width")),
            ]:
                rates = function.rates(which)
                if function.looks() is None or not function.search(rf"{which}:"):
                    rates = None
                expected = [int(rates[0] * GT), rates[1]] if rates else [None, None]
                yield fact, function.address, function_field(function.address, *fields), expected
            revision = re.search(r"\(rev (\w\w)\)", function.head)
            yield "revision", function.address, function_field(function.address, "revision"), revision[1] if revision else "00"
    # The first function of the device below each port that looks down.
    pairs = {}
    for function in functions:
        if len(chain[function.address]) > 1 and function.looks() == "up":
            port = by_address[chain[function.address][-2]]
            if port.looks() == "down":
                lower = pairs.get(port.address)
                if lower is None or function.address < lower:
                    pairs[port.address] = function.address
    yield "links", "all", link_ends, sorted([upper, lower] for upper, lower in pairs.items())
    for upper, lower in sorted(pairs.items()):
        up, low = by_address[upper], by_address[lower]
        now, tops = low.rates("LnkSta"), [low.rates("LnkCap"), up.rates("LnkCap")]
        if not now or None in tops or up.rates("LnkSta") != now:
            continue
        top = tuple(min(top[index] for top in tops) for index in (0, 1))
        word = {(False, False): "full", (True, False): "slow", (False, True): "narrow", (True, True): "slow-and-narrow"}
        expected = word[now[0] < top[0], now[1] < top[1]]

        # lspci does not say whether a device sleeps or is of a kind that slows down when idle.
        def ours(inventory, lower=lower):
            if lower not in inventory.links:
                raise Unknown(inventory.partial(inventory.node, "pci_links") or "MISSING")
            return inventory.value(inventory.links[lower], "training").replace("slow-maybe-idle", "slow")

        yield "training", lower, ours, expected
    for function in functions:
        hops = chain[function.address]
        on_path = [pairs[port] for port, below in zip(hops, hops[1:]) if port in pairs and by_address[below].looks() == "up"]
        rates = [by_address[lower].rates("LnkSta") for lower in on_path]
        conventional = any(by_address[hop].port_type() is None for hop in hops[1:])
        if not on_path or None in rates or conventional:
            continue
        lowest = min(bandwidth_of(*rate) for rate in rates)
        named = next(lower for lower, rate in zip(on_path, rates) if bandwidth_of(*rate) == lowest)
        yield "bottleneck", function.address, function_field(function.address, "bottleneck"), named


def class_by_name(head):
    """Four digits of the class whose name a line of lspci begins with, by the PCI ID Repository in the sources."""
    if not CLASSES:
        here = os.path.dirname(os.path.abspath(__file__))
        base = None
        with open(os.path.join(here, "../../src/collect/pci/pci.ids"), encoding="utf-8") as file:
            for line in file:
                if line.startswith("C "):
                    base = line[2:4]
                    CLASSES[line[6:].strip()] = base + "00"
                elif base and line.startswith("\t") and not line.startswith("\t\t"):
                    CLASSES[line[5:].strip()] = base + line[1:3]
    return CLASSES.get(head.split(":")[0].split(" [")[0])


CLASSES = {}


def prepared(path, folder):
    """What `muster collect --from` is to be given; None if the file is no capture of PCI."""
    if re.search(r"\.(tar\.\w+|tgz)$", path):
        return path
    if f"{os.sep}pci{os.sep}" not in path and not path.startswith(f"pci{os.sep}"):
        return None
    functions = decoded(path)
    # Without bytes it takes the lines of `lspci -vv` that tell the links.
    if not functions or not any(function.hex or function.search("LnkSta:") for function in functions):
        return None
    chain = chains(functions)
    tree = os.path.join(folder, re.sub(r"\W", "_", os.path.basename(path)))
    bus = os.path.join(tree, "sys/bus/pci/devices")
    os.makedirs(bus)
    for function in functions:
        hops = chain[function.address]
        root = "pci" + ":".join(hops[0].split(":")[:2])
        place = "/".join([root, *hops])
        at = os.path.join(tree, "sys/devices", place)
        os.makedirs(at, exist_ok=True)
        os.symlink(f"../../../devices/{place}", os.path.join(bus, function.address))
        files = {}
        if function.hex:
            header = bytes(function.hex[:64])
            files["config"] = bytes(function.hex)
            files["vendor"] = f"0x{header[1]:02x}{header[0]:02x}\n"
            files["device"] = f"0x{header[3]:02x}{header[2]:02x}\n"
            files["class"] = f"0x{header[11]:02x}{header[10]:02x}{header[9]:02x}\n"
        else:
            ids = re.findall(r"\[([0-9a-f]{4})(?::([0-9a-f]{4}))?\]", function.head)
            kind = next((first for first, second in ids if not second), None) or class_by_name(function.head)
            pair = next(((first, second) for first, second in ids if second), None)
            if kind:
                files["class"] = f"0x{kind}00\n"
            if pair:
                files["vendor"], files["device"] = f"0x{pair[0]}\n", f"0x{pair[1]}\n"
            for name, which in (("current", "LnkSta"), ("max", "LnkCap")):
                rates = function.rates(which)
                if function.port_type():
                    files[f"{name}_link_speed"] = f"{rates[0]:.1f} GT/s PCIe\n" if rates else "Unknown\n"
                    files[f"{name}_link_width"] = f"{rates[1] if rates else 0}\n"
            # lspci shows bridges only their own lines: the kernel has no attributes for conventional PCI, and no config is here.
        for name, content in files.items():
            with open(os.path.join(at, name), "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
    return tree


# ---- the comparison ------------------------------------------------------------------------------------------


def told(path, corpus):
    """Every (fact, what, ours, theirs) of one capture."""
    full = os.path.join(corpus, path) if not os.path.isabs(path) else path
    name = os.path.basename(path)
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
    counts, reasons, failures, captures = defaultdict(Counter), defaultdict(Counter), [], Counter()
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
                elif outcome == "unknown":
                    reason = re.sub(rf"{ADDRESS}(:pcie\w+)?", "ADDRESS", reason)
                    reason = re.sub(r"/sys/devices/\S*/", "/sys/devices/.../", reason)
                    reasons[row["sub"], fact][reason] += 1
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
