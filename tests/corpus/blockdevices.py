"""The block part of compare.py: block devices, drives and NVMe controllers against what comes with a capture.

`compare(archive_path, inventory_json, corpus_dir)` gives a list of (fact, outcome, reason), one for every value that is looked
at, with the outcomes "agree", "unknown", "disagree" and "not compared". The expected outputs are those of lsblk (util-linux),
hwloc's XML, cadvisor's machineinfo.json and libnvme's tree: each an independent reading of the same files. Needs Python 3.9
and nothing else.
"""

import json
import os
import re
import tarfile
import xml.etree.ElementTree as ET


class Unknown(Exception):
    """Muster says that it cannot tell."""


class Node:
    """The block part of an inventory, with its readings resolved."""

    def __init__(self, inventory):
        self.errors = inventory.get("errors", [])
        self.node = inventory["node"]
        self.devices = {self.value(device, "name"): device for device in self.items("block_devices")}
        self.excluded = {self.value(device, "name"): device for device in self.items("excluded")}
        self.drives = {}
        for drive in self.items("drives"):
            try:
                for name in self.value(drive, "block_devices"):
                    self.drives[name] = drive
            except Unknown:
                pass
        self.controllers = {self.value(controller, "name"): controller for controller in self.items("nvme_controllers")}

    def reason(self, index):
        error = self.errors[index]
        return f"cannot {error['operation']}: {error['cause']}"

    def value(self, record, field):
        if field not in record:
            raise Unknown("not collected")
        value = record[field]
        if isinstance(value, dict) and "unreadable" in value:
            raise Unknown(self.reason(value["unreadable"]))
        return value

    def items(self, field):
        value = self.node.get(field, [])
        return value if isinstance(value, list) else value.get("items", [])

    def why_not_all(self, field):
        """Why a collection may lack elements; None if it is complete."""
        value = self.node.get(field)
        if value is None:
            return "not collected"
        if isinstance(value, list):
            return None
        return self.reason(value["partial"][0] if "partial" in value else value["unreadable"])

    def device(self, name, field):
        """A fact of a block device, looked at or left out."""
        record = self.devices.get(name) or self.excluded.get(name)
        if record is None:
            raise Unknown(self.why_not_all("block_devices") or f"{name} is not among the block devices")
        return self.value(record, field)

    def drive(self, name, field):
        """A fact of the drive that a block device is."""
        if name not in self.drives:
            raise Unknown(self.why_not_all("drives") or f"{name} is no drive")
        return self.value(self.drives[name], field)


class Results(list):
    def check(self, fact, ours, theirs, same=lambda ours, theirs: ours == theirs):
        """Notes whether a function's value is the expected one."""
        try:
            value = ours()
        except Unknown as unknown:
            self.append((fact, "unknown", str(unknown)))
            return
        if same(value, theirs):
            self.append((fact, "agree", ""))
        else:
            self.append((fact, "disagree", f"muster {value!r}, expected {theirs!r}"))


# ---- lsblk -------------------------------------------------------------------------------------------------------------


def lsblk_table(text):
    """Rows of one expected output, by column. Columns are told apart by the blanks that all lines share."""
    lines = text.splitlines()
    width = max(map(len, lines))
    padded = [line.ljust(width) for line in lines]
    filled = "".join(" " if all(line[i] == " " for line in padded) else "x" for i in range(width))
    columns = []
    for run in re.finditer("x+", filled):
        heading = padded[0][run.start():run.end()].strip()
        # What has no heading of its own goes on behind a blank inside the cells of the column before.
        if heading:
            columns.append([heading, run.start(), run.end()])
        else:
            columns[-1][2] = run.end()
    rows = []
    for line in padded[1:]:
        row = {heading: line[start:end].strip() for heading, start, end in columns}
        row["NAME"] = re.sub(r"^[ |`]*-", "", row["NAME"])
        rows.append(row)
    return [heading for heading, _, _ in columns], rows


def human(size):
    """As lsblk prints a size (size_to_human_string of util-linux: one decimal, of binary units, rounded)."""
    exponent = 0
    while exponent < 6 and size >= 1 << (10 * (exponent + 1)):
        exponent += 1
    unit = "BKMGTPE"[exponent]
    if exponent == 0:
        return f"{size}B"
    whole, rest = divmod(size, 1 << (10 * exponent))
    # Rounds to one decimal as util-linux does: (fraction per mille + 50) / 100.
    tenths = ((rest >> (10 * (exponent - 1))) * 1000 // 1024 + 50) // 100
    if tenths == 10:
        whole, tenths = whole + 1, 0
    return f"{whole}.{tenths}{unit}" if tenths else f"{whole}{unit}"


TYPES = {"disk": ("disk", "nvme-namespace"), "part": ("partition",), "lvm": ("lvm",), "crypt": ("crypt",), "mpath": ("multipath",)}
LEFT_OUT = {"loop": "loop", "rom": "optical"}


def bare(text):
    """A name without what udev replaces."""
    return re.sub(r"[ _]", "", text or "")


def lsblk(node, results, texts):
    names = {}
    for text in texts.values():
        headings, rows = lsblk_table(text)
        if "KNAME" in headings:
            names.update({row["NAME"]: row["KNAME"] for row in rows})
    for table, text in sorted(texts.items()):
        headings, rows = lsblk_table(text)
        seen = set()
        for row in rows:
            name = names.get(row["NAME"], row["NAME"])
            # A device on several others is shown below each of them.
            if name not in seen:
                seen.add(name)
                lsblk_row(node, results, table, headings, row, name)
        if "TYPE" in headings:
            found = {n for n in (*node.devices, *node.excluded) if node.value((node.devices.get(n) or node.excluded.get(n)), "name")}
            results.check(f"lsblk {table}: names", lambda: sorted(found), sorted(seen))


def lsblk_row(node, results, table, headings, row, name):
    for heading in headings:
        fact = f"lsblk {table}: {heading} of {name}"
        cell = row.get(heading, "")
        excluded = name in node.excluded
        partition = name in node.devices and node.devices[name].get("parent") is not None
        if heading in ("NAME", "KNAME"):
            continue
        if heading == "TYPE":
            if cell in LEFT_OUT:
                results.check(fact, lambda: node.device(name, "reason"), LEFT_OUT[cell])
            else:
                results.check(fact, lambda: node.device(name, "kind"), TYPES.get(cell, (cell,)), lambda a, b: a in b)
        elif heading == "SIZE":
            results.check(fact, lambda: human(node.device(name, "bytes")), cell)
        elif excluded:
            results.append((fact, "not compared", "of a device that is left out only name, reason and size are told"))
        elif heading == "MAJ:MIN":
            results.check(fact, lambda: node.device(name, "dev"), cell)
        elif heading == "PKNAME":
            if not partition:
                results.append((fact, "not compared", "lsblk gives the slave here, muster the list of them"))
            else:
                results.check(fact, lambda: node.device(name, "parent"), cell)
        elif heading == "PHY-SEC":
            results.check(fact, lambda: node.device(name, "physical_block_size"), int(cell))
        elif heading == "LOG-SEC":
            results.check(fact, lambda: node.device(name, "logical_block_size"), int(cell))
        elif heading == "RO":
            results.check(fact, lambda: node.device(name, "read_only"), cell == "1")
        elif heading == "MOUNTPOINT" and cell == "/home/user":
            results.append((fact, "not compared", "the expected output was blanked, the mount table was not"))
        elif heading == "MOUNTPOINT":
            results.check(fact, lambda: node.device(name, "mountpoints"), cell, lambda a, b: b in a if b else not a)
        elif name not in node.drives:
            results.append((fact, "not compared", "muster tells this of drives"))
        elif heading in ("MODEL", "VENDOR", "REV") and not cell:
            results.append((fact, "not compared", "lsblk shows none"))
        elif heading == "RM":
            results.check(fact, lambda: node.drive(name, "removable"), cell == "1")
        elif heading == "ROTA":
            results.check(fact, lambda: node.drive(name, "rotational"), cell == "1")
        elif heading == "STATE":
            results.check(fact, lambda: node.drive(name, "state"), cell)
        elif heading == "ZONED":
            results.check(fact, lambda: node.drive(name, "zoned"), cell)
        elif heading == "MODEL":
            results.check(fact, lambda: bare(node.drive(name, "model")), bare(cell))
        elif heading == "VENDOR":
            results.check(fact, lambda: bare(node.drive(name, "vendor")), bare(cell))
        elif heading == "REV":
            results.check(fact, lambda: bare(node.drive(name, "firmware")), bare(cell))
        else:
            results.append((fact, "not compared", "muster does not tell it"))


# ---- hwloc -------------------------------------------------------------------------------------------------------------


def hwloc(node, results, text):
    for element in ET.fromstring(re.sub(r"<!DOCTYPE[^>]*>", "", text)).iter("object"):
        info = {i.get("name"): i.get("value") for i in element.findall("info")}
        name = element.get("name")
        # osdev_type is a set of bits, the first of which is storage; DAX devices are memory as well and no block devices.
        if element.get("type") != "OSDev" or element.get("osdev_type") != "1" or "LinuxDeviceID" not in info:
            continue
        fact = f"hwloc: of {name}"
        if name in node.excluded:
            results.append((fact, "not compared", "of a device that is left out only name, reason and size are told"))
            continue
        if "Size" in info:
            results.check(f"{fact}: size", lambda: node.device(name, "bytes") // 1024, int(info["Size"].removesuffix("KiB")))
        results.check(f"{fact}: device number", lambda: node.device(name, "dev"), info["LinuxDeviceID"])
        if "SectorSize" in info:
            results.check(f"{fact}: block size", lambda: node.device(name, "logical_block_size"), int(info["SectorSize"]))
        for key, field in (("Model", "model"), ("Revision", "firmware"), ("SerialNumber", "serial"), ("Vendor", "vendor")):
            if key in info:
                results.check(f"{fact}: {field}", lambda: bare(node.drive(name, field)), bare(info[key]))


# ---- cadvisor ------------------------------------------------------------------------------------------------------------


def machineinfo(node, results, text):
    for number, disk in sorted(json.loads(text).get("disk_map", {}).items()):
        name = disk["name"]
        results.check(f"cadvisor: size of {name}", lambda: node.device(name, "bytes"), disk["size"])
        results.check(f"cadvisor: device number of {name}", lambda: node.device(name, "dev"), number)


# ---- libnvme -------------------------------------------------------------------------------------------------------------


def nvme_tree(node, results, text):
    """subsystem, its namespaces, their paths and controllers, by indentation."""
    subsystems = []
    for line in text.splitlines():
        words = line.split()
        if words[0] == "subsystem":
            subsystems.append({"nqn": words[2], "namespaces": [], "controllers": {}})
        elif words[0] == "ns":
            subsystems[-1]["namespaces"].append(words[2])
        elif words[0] == "ctrl":
            subsystems[-1]["controllers"][words[1]] = dict(word.split("=") for word in words[2:])
    controllers = {name for subsystem in subsystems for name in subsystem["controllers"]}
    results.check("libnvme: controllers", lambda: sorted(node.controllers), sorted(controllers))
    for subsystem in subsystems:
        first = subsystem["namespaces"][0]
        # On PCIe a subsystem is a drive.
        results.check(f"libnvme: namespaces of the drive {first}", lambda: node.drive(first, "block_devices"), subsystem["namespaces"])
        results.check(f"libnvme: paths of the drive {first}", lambda: node.drive(first, "paths"), sorted(subsystem["controllers"]))
        for name, told in subsystem["controllers"].items():
            for key, field in (("transport", "transport"), ("traddr", "address")):
                results.check(f"libnvme: {field} of {name}", lambda: node.value(node.controllers[name], field), told[key])
            results.check(f"libnvme: subsystem of {name}", lambda: node.value(node.controllers[name], "subsystem_nqn"), subsystem["nqn"])


# ---- captures ------------------------------------------------------------------------------------------------------------


def compare(archive_path, inventory_json, corpus_dir):
    """[(fact, outcome, reason)] of one capture."""
    folder = os.path.dirname(archive_path)
    stem = re.sub(r"\.(tar\.\w+|tgz)$", "", os.path.basename(archive_path))
    node = Node(json.loads(inventory_json))
    results = Results()

    def read(name):
        try:
            with open(os.path.join(corpus_dir, folder, name), encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return None

    start = "ul-lsblk-expected__lsblk-" + stem.removeprefix("ul-lsblk__") + "-"
    tables = sorted(name for name in os.listdir(os.path.join(corpus_dir, folder)) if name.startswith(start))
    if tables:
        lsblk(node, results, {name[len(start):-len(".txt")]: read(name) for name in tables})
    text = read(stem.removesuffix(".fsroot") + ".xml")
    if text:
        hwloc(node, results, text)
    text = read(stem + ".out")
    if text:
        nvme_tree(node, results, text)
    if stem.startswith("nto__"):
        with tarfile.open(os.path.join(corpus_dir, archive_path)) as archive:
            member = next((m for m in archive if os.path.basename(m.name) == "machineinfo.json"), None)
            if member:
                machineinfo(node, results, archive.extractfile(member).read())
    return list(results) or [("block devices", "not compared", "nothing independent tells of the block devices of this capture")]
