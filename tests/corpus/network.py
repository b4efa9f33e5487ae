#!/usr/bin/env python3
"""Compares the network interfaces, bonds and RDMA devices that `muster collect` finds in captures with independent readings.

    network.py CORPUS MUSTER [--details]

`compare(archive, inventory, corpus)` gives for one capture a list of (fact, outcome, reason), one for each of FACTS, the outcome
being "agree", "unknown" (muster says that it cannot tell, the reason is its own), "disagree" or "not compared" (nothing independent
tells it). `prepared(path, folder)` gives what `muster collect --from` is to be given for a file of the corpus: itself, or a tree made
of it in the folder, or None if it is no capture of a network.

What is compared with:
- lstopo of hwloc, in the trees that come with its output: addresses, PCI functions, GUIDs, port states, LIDs and GIDs of the adapters;
- what the tests of prometheus/procfs (TestNetClassDevices), prometheus/node_exporter (TestBonding) and leptonai/gpud
  (TestInfiniBandClass) demand of their fixtures;
- the node snapshots of facebookresearch/gcm, whose JSON is read here without the tree that nodehealth.py makes of it;
- the texts of /proc/net/bonding in the tests of RedHatInsights/insights-core, read here by regular expressions.

Run alone it prints a table with every capture counted once a fact, and exits with 1 if something disagrees or muster crashes. Needs
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

sys.dont_write_bytecode = True
import nodehealth  # noqa: E402
from told import Told, Unknown  # noqa: E402

FACTS = [
    "interfaces", "address", "MTU", "carrier", "state", "speed", "master", "PCI function", "bonds", "bond mode", "bond link", "bond slaves",
    "slave links", "LACP partner", "RDMA devices", "node GUID", "RDMA firmware", "port state", "link layer", "protocol", "rate",
    "LID", "GIDs", "port netdev", "RDMA counters",
]
OUTCOMES = ["agree", "unknown", "disagree", "not compared"]
NO_ORACLE = "no independent reading comes with the capture"


# ---- what muster tells ---------------------------------------------------------------------------------------


class Inventory(Told):
    """The JSON of `muster collect`, with its readings resolved."""

    def named(self, collection, name, field):
        """A field of the element of a name."""
        for record in self.items(self.node, collection):
            if self.value(record, "name") == name:
                return self.value(record, field)
        raise KeyError(f"no {name} in {collection}")

    def nic(self, field):
        return lambda name: self.named("nics", name, field)

    def rdma(self, field):
        return lambda name: self.named("rdma_devices", name, field)

    def port(self, field):
        """By "device/port"."""
        return lambda name: self.value(self.rdma_port(name), field)

    def rdma_port(self, name):
        device, number = name.split("/")
        for record in self.items(self.node, "rdma_devices"):
            if self.value(record, "name") == device:
                for port in self.items(record, "ports"):
                    if self.value(port, "number") == int(number):
                        return port
        raise KeyError(f"no port {name}")

    def gids(self, name):
        return sorted(self.value(gid, "gid") for gid in self.items(self.rdma_port(name), "gids"))

    def counter(self, name):
        """By "device/port/counter"."""
        port, counter = name.rsplit("/", 1)
        return self.value(self.rdma_port(port)["counters"], counter)

    def bond(self, field):
        return lambda name: self.named("bonds", name, field)

    def slaves(self, name):
        return sorted(self.value(slave, "name") for slave in self.items(self.record("bonds", name), "slaves"))

    def slave_links(self, name):
        slaves = self.items(self.record("bonds", name), "slaves")
        return {self.value(slave, "name"): self.value(slave, "mii_up") for slave in slaves}

    def record(self, collection, name):
        for record in self.items(self.node, collection):
            if self.value(record, "name") == name:
                return record
        raise KeyError(f"no {name} in {collection}")

    def names(self, collection):
        return sorted(self.value(record, "name") for record in self.items(self.node, collection))

    def getter(self, fact):
        return {
            "interfaces": lambda _: self.names("nics"), "address": self.nic("mac"), "MTU": self.nic("mtu"),
            "carrier": self.nic("carrier"), "state": self.nic("operstate"), "speed": self.nic("speed"),
            "master": self.nic("master"), "PCI function": self.nic_or_rdma("pci_address"),
            "bonds": lambda _: self.names("bonds"), "bond mode": self.bond("mode"), "bond link": self.bond("mii_up"), "bond slaves": self.slaves,
            "slave links": self.slave_links, "LACP partner": self.bond("partner_mac"),
            "RDMA devices": lambda _: self.names("rdma_devices"), "node GUID": self.rdma("node_guid"),
            "RDMA firmware": self.rdma("firmware"), "port state": self.port("state"), "link layer": self.port("link_layer"),
            "protocol": self.port("protocol"), "rate": self.port("rate"), "LID": self.port("lid"), "GIDs": self.gids,
            "port netdev": self.port("netdev"), "RDMA counters": self.counter,
        }[fact]

    def nic_or_rdma(self, field):
        def get(name):
            try:
                return self.named("nics", name, field)
            except KeyError:
                return self.named("rdma_devices", name, field)
        return get


# ---- what the others tell: {fact: {name: value}} ---------------------------------------------------------------

STATES = {"1": "down", "2": "init", "3": "armed", "4": "active", "5": "active-defer"}


def hwloc(devices):
    """By (name, PCI function, {attribute: value}) of each OS device that is a network interface or an RDMA device."""
    told = defaultdict(dict)
    for name, function, infos in devices:
        if "Address" in infos:
            told["address"][name] = infos["Address"].lower()
            told["PCI function"][name] = function
        if "NodeGUID" in infos:
            told["node GUID"][name] = infos["NodeGUID"].lower()
            told["PCI function"][name] = function
            gids = defaultdict(list)
            for attribute, value in infos.items():
                state = re.fullmatch(r"Port(\d+)State", attribute)
                lid = re.fullmatch(r"Port(\d+)LID", attribute)
                gid = re.fullmatch(r"Port(\d+)GID\d+", attribute)
                if state:
                    told["port state"][f"{name}/{state[1]}"] = STATES[value]
                if lid:
                    told["LID"][f"{name}/{lid[1]}"] = int(value, 16)
                if gid:
                    gids[f"{name}/{gid[1]}"].append(value.lower())
            told["GIDs"].update({port: sorted(values) for port, values in gids.items()})
    return dict(told)


def hwloc_xml(text):
    devices = []

    def walk(element, function):
        function = element.get("pci_busid", function)
        if element.get("type") == "OSDev":
            infos = {info.get("name"): info.get("value") for info in element.findall("info")}
            devices.append((element.get("name"), function, infos))
        for child in element.findall("object"):
            walk(child, function)

    walk(ET.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", text)), None)
    return hwloc(devices)


def hwloc_console(text):
    devices, above = [], []
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip(" "))
        above = [(depth, function) for depth, function in above if depth < indent]
        function = re.match(r" *PCI\S* .*?busid=([0-9a-f:.]+)", line)
        if function:
            above.append((indent, function[1]))
        device = re.match(r' *OSDev\[(?:Network|OpenFabrics)\S* (?:L#\d+ )?\((.*)\) "(\S+)"$', line)
        if device:
            infos = dict(re.findall(r"(\w+)=(\S+)", device[1]))
            devices.append((device[2], above[-1][1] if above else None, infos))
    return hwloc(devices)


# Of the fixtures' own tests; names of tests and fixtures are those of the upstream projects.
KNOWN = {
    "procfs__net": {
        "interfaces": {"": ["eth0"]}, "address": {"eth0": "01:01:01:01:01:01"}, "MTU": {"eth0": 1500}, "carrier": {"eth0": True},
        "state": {"eth0": "up"}, "speed": {"eth0": 1_000_000_000},
    },
    "node_exporter__net": {
        "bonds": {"": ["bond0", "dmz", "int"]}, "bond slaves": {"bond0": [], "dmz": ["eth0", "eth4"], "int": ["eth1", "eth5"]},
        "slave links": {"bond0": {}, "dmz": {"eth0": True, "eth4": True}, "int": {"eth1": False, "eth5": True}},
        "speed": {"eth0": 1_000_000_000},
    },
    "gpud__sys-class-infiniband-h100.0": {
        "RDMA devices": {"": ["mlx5_0", "mlx5_1", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_7", "mlx5_8", "mlx5_9", "mlx5_bond_0"]},
        "RDMA firmware": {"mlx5_1": "28.41.1000"}, "port state": {"mlx5_1/1": "active"},
        "rate": {"mlx5_1/1": 400_000_000_000}, "link layer": {"mlx5_1/1": "infiniband", "mlx5_bond_0/1": "ethernet"},
        "RDMA counters": {"mlx5_1/1/link_downed": 255},
    },
}


def node_files(snapshot):
    """A snapshot of sysfs files, by InfiniBand devices and their interfaces."""
    told = defaultdict(dict)
    for path, content in snapshot.items():
        content = content.strip()
        function = re.search(rf"/({nodehealth.FUNCTION})/", path)
        port = re.search(r"/infiniband/([^/]+)/ports/(\d+)/(\w+)$", path)
        interface = re.search(r"/net/([^/]+)/(\w+)$", path)
        if port:
            name = f"{port[1]}/{port[2]}"
            told["PCI function"][port[1]] = function[1]
            if port[3] == "state":
                told["port state"][name] = STATES[content.split(":")[0]]
            if port[3] == "rate":
                told["rate"][name] = int(float(content.split()[0]) * 10**9)
            if port[3] == "link_layer":
                told["link layer"][name] = content.lower()
                told["protocol"][name] = content.lower()
        if interface:
            told["PCI function"][interface[1]] = function[1]
            if interface[2] == "mtu":
                told["MTU"][interface[1]] = int(content)
            if interface[2] == "operstate":
                told["state"][interface[1]] = content
            if interface[2] == "speed":
                told["speed"][interface[1]] = int(content) * 10**6
            if interface[2] == "carrier":
                told["carrier"][interface[1]] = content == "1"
    # The interface of a port is the one on the same function: these adapters have one port each.
    interfaces = {function: name for name, function in told["PCI function"].items() if not name.startswith("mlx")}
    for name in list(told["port state"]):
        told["port netdev"][name] = interfaces[told["PCI function"][name.split("/")[0]]]
    told["RDMA devices"][""] = sorted(name for name in told["PCI function"] if name.startswith("mlx"))
    told["interfaces"][""] = sorted(interfaces.values())
    return dict(told)


def node_interfaces(snapshot):
    """A snapshot of `ip -json address`."""
    told = defaultdict(dict)
    interfaces = snapshot["intf_status"]
    for interface in interfaces:
        name = interface["ifname"]
        up = "LOWER_UP" in interface["flags"]
        told["MTU"][name] = interface["mtu"]
        told["state"][name] = interface["operstate"].lower()
        told["carrier"][name] = up
        if interface.get("main"):
            told["master"][name] = interface["main"]
        speed = snapshot["link_speed"].get(name)
        # Without a link a speed is what the fleet wants, or a stale figure.
        if speed and up:
            told["speed"][name] = int(speed) * 10**6
        if speed and not up:
            told["speed"][name] = None
    told["interfaces"][""] = sorted(interface["ifname"] for interface in interfaces)
    bonds = sorted(interface["ifname"] for interface in interfaces if "MASTER" in interface["flags"])
    told["bonds"][""] = bonds
    for bond in bonds:
        told["bond link"][bond] = told["carrier"][bond]
        told["bond slaves"][bond] = sorted(i["ifname"] for i in interfaces if "SLAVE" in i["flags"] and i.get("main") == bond)
    return dict(told)


BOND_MODES = {"load balancing (xor)": "balance-xor", "IEEE 802.3ad Dynamic link aggregation": "802.3ad"}


def bond_text(text):
    parts = re.split(r"^Slave Interface: ", text, flags=re.M)
    slaves = {part.split("\n")[0]: re.search(r"^MII Status: (\w+)", part, flags=re.M)[1] == "up" for part in parts[1:]}
    partner = re.search(r"Partner Mac Address: (\S+)", parts[0])
    return {
        "bonds": {"": ["bond0"]},
        "bond mode": {"bond0": BOND_MODES[re.search(r"^Bonding Mode: (.*)$", text, flags=re.M)[1]]},
        "bond link": {"bond0": re.search(r"^MII Status: (\w+)", parts[0], flags=re.M)[1] == "up"},
        "bond slaves": {"bond0": sorted(slaves)},
        "slave links": {"bond0": slaves},
        "LACP partner": {"bond0": None if not partner or partner[1] == "00:00:00:00:00:00" else partner[1]},
    }


# ---- captures ------------------------------------------------------------------------------------------------


def stem(path):
    return re.sub(r"\.(tar\.\w+|tgz|tar|json|txt)$", "", os.path.basename(path))


def oracle(path, corpus):
    """What is told of a capture: {fact: {name: value}}."""
    name = stem(path)
    if name in KNOWN:
        return KNOWN[name]
    if path.endswith(".json"):
        snapshot = nodehealth.load(path)
        return {"files": node_files, "interfaces": node_interfaces}[nodehealth.kind(snapshot)](snapshot)
    if path.endswith(".txt"):
        with open(path, encoding="utf-8") as file:
            return bond_text(file.read())
    if name.startswith("hwloc__"):
        for ending, read in ((".xml", hwloc_xml), (".console", hwloc_console)):
            output = os.path.join(corpus, "sysfs", name.removesuffix(".fsroot") + ending)
            if os.path.exists(output):
                with open(output, encoding="utf-8") as file:
                    return read(file.read())
    return {}


def prepared(path, folder):
    """What `muster collect --from` is given for a file of the corpus: itself or a tree in the folder; None if it is no capture."""
    if path.endswith(".json"):
        snapshot = nodehealth.load(path)
        if nodehealth.kind(snapshot) not in ("files", "interfaces"):
            return None
        out = os.path.join(folder, stem(path) + ".tar")
        nodehealth.write(nodehealth.tree(snapshot), out)
        return out
    if path.endswith(".txt"):
        with open(path, encoding="utf-8") as file:
            nodehealth.write({"/proc/net/bonding/bond0": file.read()}, os.path.join(folder, stem(path)))
        return os.path.join(folder, stem(path))
    if stem(path) == "gpud__sys-class-infiniband-h100.0":
        # The archive begins below the folder of the class.
        out = os.path.join(folder, stem(path))
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and ".." not in member.name.split("/"):
                    member.name = "sys/class/infiniband/" + member.name.lstrip("./")
                    archive.extract(member, out, set_attrs=False)
        return out
    return path


def compare(archive, inventory, corpus):
    """[(fact, outcome, reason)] of one capture; `inventory` is the JSON of `muster collect`, or why muster refused the capture."""
    told = oracle(archive, corpus)
    if isinstance(inventory, str) and not inventory.lstrip().startswith("{"):
        return [(fact, "unknown" if told.get(fact) else "not compared", inventory) for fact in FACTS]
    inventory = Inventory(inventory)
    results = []
    for fact in FACTS:
        expected = told.get(fact)
        if not expected:
            results.append((fact, "not compared", NO_ORACLE if not told else "it is not told there"))
            continue
        unknown, wrong = [], []
        get = inventory.getter(fact)
        for name, value in sorted(expected.items()):
            try:
                ours = get(name)
                if ours != value:
                    wrong.append(f"{name or fact}: muster {str(ours)[:300]}, expected {str(value)[:300]}")
            except Unknown as reason:
                unknown.append(f"{name or fact}: {reason}")
            except KeyError as missing:
                wrong.append(str(missing.args[0]))
        if wrong:
            results.append((fact, "disagree", "; ".join(wrong)))
        elif unknown:
            results.append((fact, "unknown", "; ".join(unknown)))
        else:
            results.append((fact, "agree", ""))
    return results


def captures(corpus):
    """Files of the corpus that may hold a network: (path, sub)."""
    with open(os.path.join(corpus, "INDEX.tsv"), encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            is_archive = re.search(r"\.(tar\.\w+|tgz)$", row["path"])
            if row["kind"] == "sysfs" and (is_archive or row["sub"] == "node-health") or (row["kind"], row["sub"]) == ("net", "bond"):
                yield os.path.join(corpus, row["path"]), row["sub"]


def collect(muster, source):
    """The JSON of `muster collect`, or why it refused the capture."""
    run = subprocess.run([muster, "collect", "--from", source], capture_output=True, text=True, timeout=600)
    if run.returncode == 65:
        return "muster refused it: " + run.stderr.strip().splitlines()[-1].replace(source, "the capture")
    if run.returncode not in (0, 1, 3) or "panicked" in run.stderr:
        sys.exit(f"muster crashed on {source}: exit status {run.returncode}: {run.stderr.strip()[-2000:]}")
    return run.stdout


def main():
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if len(arguments) != 2:
        sys.exit(__doc__)
    corpus, muster = arguments
    counts, reasons, failures = defaultdict(Counter), defaultdict(list), []
    with tempfile.TemporaryDirectory() as folder:
        for path, sub in sorted(captures(corpus), key=lambda capture: (capture[1], capture[0])):
            source = prepared(path, folder)
            if source is None:
                continue
            for fact, outcome, reason in compare(path, collect(muster, source), corpus):
                counts[fact][outcome] += 1
                reasons[outcome, fact, reason].append(stem(path))
                if outcome == "disagree":
                    failures.append(f"{stem(path)}: {fact}: {reason}")
    print(f"{'fact':<15}" + "".join(f"{outcome:>14}" for outcome in OUTCOMES) + f"{'captures':>10}")
    for fact in FACTS:
        print(f"{fact:<15}" + "".join(f"{counts[fact][outcome]:>14}" for outcome in OUTCOMES) + f"{sum(counts[fact].values()):>10}")
    if "--details" in sys.argv:
        for (outcome, fact, reason), names in sorted(reasons.items()):
            if outcome == "unknown":
                print(f"unknown: {fact}: {', '.join(names)}: {reason}")
    print(f"\n{len(failures)} disagree" + "".join(f"\n  {failure}" for failure in failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
