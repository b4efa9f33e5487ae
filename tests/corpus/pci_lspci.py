"""The part of pci.py that reads what lspci printed, with and without hexadecimal dumps."""

import os
import re
import shutil
import subprocess

from pci_facts import GT, Unknown, function_field, link_ends


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


def bandwidth_of(rate, lanes):
    """Gbit/s after the line encoding."""
    share = {2.5: 0.8, 5: 0.8, 8: 128 / 130, 16: 128 / 130, 32: 128 / 130, 64: 242 / 256}[rate]
    return rate * lanes * share


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


def lspci_tree(path, tree):
    """What the kernel's folders would hold of what lspci printed; False if it printed nothing of links."""
    functions = decoded(path)
    # Without bytes it takes the lines of `lspci -vv` that tell the links.
    if not functions or not any(function.hex or function.search("LnkSta:") for function in functions):
        return False
    chain = chains(functions)
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
    return True
