#!/usr/bin/env python3
"""Turns the node snapshots of a fleet's health checks (facebookresearch/gcm) into trees that `muster` reads as a capture.

    nodehealth.py SNAPSHOT OUT       writes OUT: a tar archive if it ends in .tar, else a folder
    nodehealth.py --expect MANIFEST  prints what a manifest expects of each slot, a line each:
                                     PCI function, kind, slot, allowed link speeds, link width, device

There are two kinds of snapshot. Both are looked at by what they hold, never by the name of the file.

1. A JSON object of path to content: files of sysfs below `/sys/bus/pci/devices/*` (InfiniBand devices, their interfaces, and
   a mark for each NVMe controller) and `/sys/class/pci_bus/*/device/*`, which is another way to the same PCI functions. Carried:
   every file at `/sys/bus/pci/devices/FUNCTION/...`, with the links of `/sys/class/{net,infiniband,nvme}` that the kernel has for
   such folders. Not carried: where a function stands below its bridges, `max_link_*`, drivers, and values that were blanked before
   the snapshot was published (a file whose content is a word without a digit, as "fw_ver" in `fw_ver`): muster must not take
   them for the machine's.
2. A JSON object with `intf_status` (`ip -json address`) and `link_speed` (megabits by interface): of each interface the name, index,
   flags, MTU, operational state, carrier (LOWER_UP, NO-CARRIER), link type, queue length, speed and master; of each interface with
   the flag MASTER a bond, whose slaves are those that name it as master and whose state is its carrier. Its PCI function follows from a predictable name
   (systemd.net-naming-scheme(7): "enp97s0f0" is bus 97, device 0, function 0). Addresses are blanked and left out.
   Not carried: LLDP neighbours, IP addresses, `ifcfg` files, permanent addresses (all blanked or not asked for by muster yet).
   The snapshot shows what the fleet's check looks at, so interfaces that it does not show may still exist.

The trees have no manifest, so whatever is missing in them is unreadable to muster and every listing partial. A manifest (PCI
functions with slot and expected link, "eth", "ib", "disks") is no machine; `--expect` shows its expectations of links.
Needs Python 3.9 and nothing else.
"""

import io
import json
import os
import re
import sys
import tarfile

# `IFF_*` of include/uapi/linux/if.h that the file `flags` of sysfs shows.
FLAGS = {
    "UP": 0x1, "BROADCAST": 0x2, "LOOPBACK": 0x8, "POINTOPOINT": 0x10, "NOARP": 0x80, "PROMISC": 0x100, "ALLMULTI": 0x200,
    "MASTER": 0x400, "SLAVE": 0x800, "MULTICAST": 0x1000,
}
# `ARPHRD_*` of include/uapi/linux/if_arp.h by the words of ip(8).
LINK_TYPES = {"ether": 1, "infiniband": 32, "loopback": 772}
# Files whose content is never a word without a digit.
BLANKED = {
    "address", "board_id", "broadcast", "cap_mask", "dev_id", "flags", "fw_pages", "fw_ver", "hca_type", "lid", "node_guid",
    "pkey", "sm_lid", "sys_image_guid",
}
PCI = "/sys/bus/pci/devices"
FUNCTION = r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
CLASSES = ("net", "infiniband", "nvme")


def kind(snapshot):
    """What a file of the collection is: "files", "interfaces" or "manifest"; None for anything else."""
    if not isinstance(snapshot, dict):
        return None
    if "intf_status" in snapshot:
        return "interfaces"
    if isinstance(snapshot.get("pci"), dict):
        return "manifest"
    if snapshot and all(key.startswith("/sys/") and isinstance(value, str) for key, value in snapshot.items()):
        return "files"
    return None


def tree(snapshot):
    """The files and links of a snapshot: {path: content, or ("link", target)}."""
    found = kind(snapshot)
    if found == "files":
        return tree_of_files(snapshot)
    if found == "interfaces":
        return tree_of_interfaces(snapshot)
    raise ValueError("not a snapshot of a node")


def tree_of_files(snapshot):
    tree = {}
    for path, content in snapshot.items():
        path = re.sub(rf"^/sys/class/pci_bus/[0-9a-f:]+/device/({FUNCTION})/", rf"{PCI}/\1/", path)
        name = os.path.basename(path)
        if name == ".fakefile":
            path, content = os.path.dirname(path), None
        elif name in BLANKED and content.strip() and not re.search(r"\d", content):
            continue
        tree[path] = content
        below = re.match(rf"{PCI}/({FUNCTION})/({'|'.join(CLASSES)})/([^/]+)(?:/|$)", path)
        if below:
            function, subsystem, device = below.groups()
            target = f"../../bus/pci/devices/{function}/{subsystem}/{device}"
            tree[f"/sys/class/{subsystem}/{device}"] = ("link", target)
    return tree


def tree_of_interfaces(snapshot):
    tree = {}
    interfaces = snapshot["intf_status"]
    bonds = sorted(interface["ifname"] for interface in interfaces if "MASTER" in interface["flags"])
    tree["/sys/class/net/bonding_masters"] = " ".join(bonds) + "\n"
    for interface in interfaces:
        name, flags = interface["ifname"], interface["flags"]
        function = function_of_name(name)
        folder = f"{PCI}/{function}/net/{name}" if function else f"/sys/class/net/{name}"
        if function:
            tree[f"/sys/class/net/{name}"] = ("link", f"../../bus/pci/devices/{function}/net/{name}")
        files = {
            "ifindex": interface["ifindex"],
            "mtu": interface["mtu"],
            "operstate": interface["operstate"].lower(),
            "flags": hex(sum(FLAGS.get(flag, 0) for flag in flags)),
            "tx_queue_len": interface["txqlen"],
            "type": LINK_TYPES.get(interface["link_type"], ""),
            # The kernel refuses it of an interface that is down, and a copy then has an empty file.
            "carrier": "" if "UP" not in flags else int("LOWER_UP" in flags and "NO-CARRIER" not in flags),
        }
        speed = snapshot.get("link_speed", {}).get(name)
        if speed:
            files["speed"] = speed
        for file, content in files.items():
            tree[f"{folder}/{file}"] = f"{content}\n" if content != "" else ""
        if "main" in interface:
            up = "../../../../../../class/net" if function else ".."
            tree[f"{folder}/master"] = ("link", f"{up}/{interface['main']}")
        if name in bonds:
            slaves = [other["ifname"] for other in interfaces if other.get("main") == name]
            tree[f"{folder}/bonding/slaves"] = " ".join(slaves) + "\n" if slaves else ""
            # The driver writes the carrier of the bond there (`bonding_show_mii_status`).
            tree[f"{folder}/bonding/mii_status"] = "up\n" if files["carrier"] == 1 else "down\n"
    return tree


def function_of_name(name):
    """The PCI function in a predictable name; None if it is of another scheme."""
    match = re.fullmatch(r"en(?:P(\d+))?p(\d+)s(\d+)(?:f(\d+))?(?:np\d+)?", name)
    if not match:
        return None
    domain, bus, device, function = (int(part or 0) for part in match.groups())
    return f"{domain:04x}:{bus:02x}:{device:02x}.{function:x}"


def expectations(manifest):
    """What a manifest says of each PCI function: (function, kind, slot, speeds, width, device), sorted."""
    def speeds(texts):
        # "16 GT/s" and "16.0 GT/s PCIe" are one speed in the words of two kernels.
        return sorted({float(text.split()[0]) for text in texts})

    return sorted(
        (function, told["type"], told["slot"], speeds(told["link_speed"]), int(told["link_width"]), told["dev"])
        for function, told in manifest["pci"].items()
    )


def write(tree, out):
    """Writes a tree as an archive or as a folder."""
    if out.endswith(".tar"):
        with tarfile.open(out, "w", format=tarfile.GNU_FORMAT) as archive:
            for path, content in sorted(tree.items()):
                member = tarfile.TarInfo(path.lstrip("/"))
                if isinstance(content, tuple):
                    member.type, member.linkname = tarfile.SYMTYPE, content[1]
                    archive.addfile(member)
                elif content is None:
                    member.type, member.mode = tarfile.DIRTYPE, 0o755
                    archive.addfile(member)
                else:
                    data = content.encode()
                    member.size = len(data)
                    archive.addfile(member, io.BytesIO(data))
        return
    for path, content in sorted(tree.items()):
        place = os.path.join(out, path.lstrip("/"))
        if content is None:
            os.makedirs(place, exist_ok=True)
            continue
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if isinstance(content, tuple):
            os.symlink(content[1], place)
        else:
            with open(place, "w", encoding="utf-8") as file:
                file.write(content)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if sys.argv[1] == "--expect":
        for function, kind_of, slot, speeds, width, device in expectations(load(sys.argv[2])):
            print("\t".join([function, kind_of, slot, "|".join(f"{speed} GT/s" for speed in speeds), f"x{width}", device]))
        return
    write(tree(load(sys.argv[1])), sys.argv[2])


if __name__ == "__main__":
    main()
