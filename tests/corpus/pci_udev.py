"""The part of pci.py that reads exports of udev's database (`udevadm info --export-db`)."""

import os
import re
from collections import defaultdict

from pci_facts import ADDRESS, Unknown, attached, function_field


def udev_devices(path):
    """{path of a device: its properties} of `udevadm info --export-db`."""
    devices, here = {}, None
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("P: "):
                here = devices.setdefault(line[3:].strip(), {})
            elif line.startswith("E: ") and "=" in line and here is not None:
                name, value = line[3:].rstrip("\n").split("=", 1)
                here[name] = value
    return devices


def is_function(path, told):
    return "PCI_ID" in told and re.fullmatch(ADDRESS, path.rsplit("/", 1)[1])


def udev_tree(path, tree):
    """What the kernel's folders would hold of what udev knows. Attributes that it does not know are left out."""

    def link(at, target):
        at = os.path.join(tree, at)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        if not os.path.lexists(at):
            os.symlink(target, at)

    for device, told in udev_devices(path).items():
        folder = os.path.join(tree, "sys" + device)
        name = device.rsplit("/", 1)[1]
        os.makedirs(folder, exist_ok=True)
        if is_function(device, told):
            link(f"sys/bus/pci/devices/{name}", "../../.." + device)
            vendor, identifier = told["PCI_ID"].lower().split(":")
            sub_vendor, sub_device = told.get("PCI_SUBSYS_ID", "0000:0000").lower().split(":")
            for file, value in [
                ("vendor", vendor), ("device", identifier), ("subsystem_vendor", sub_vendor), ("subsystem_device", sub_device),
                ("class", told["PCI_CLASS"].lower().zfill(6)),
            ]:
                with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                    out.write(f"0x{value}\n")
            if "DRIVER" in told:
                link(f"sys{device}/driver", f"../../bus/pci/drivers/{told['DRIVER']}")
        elif told.get("SUBSYSTEM") == "block" and told.get("DEVTYPE") == "disk":
            link(f"sys/block/{name}", ".." + device)
        elif told.get("SUBSYSTEM") in ("scsi_host", "scsi_device", "nvme", "ata_link", "sas_phy", "sas_expander", "raid_devices"):
            link(f"sys/class/{told['SUBSYSTEM']}/{name}", "../.." + device)


def udev_facts(path):
    devices = udev_devices(path)
    blocks, storage = defaultdict(set), set()
    for device, told in devices.items():
        hops = [part for part in device.split("/") if re.fullmatch(ADDRESS, part)]
        name = device.rsplit("/", 1)[1]
        if is_function(device, told):
            kind = told["PCI_CLASS"].lower().zfill(6)
            if re.match("01|0805|0c04", kind):
                storage.add(name)
            yield "path", name, function_field(name, "path"), hops
            yield "driver", name, function_field(name, "driver"), told.get("DRIVER", "UNTOLD")
            vendor = told.get("ID_VENDOR_FROM_DATABASE")
            if vendor:
                yield "vendor name", name, function_field(name, "vendor"), vendor
            model = told.get("ID_MODEL_FROM_DATABASE")
            if model:
                # udev writes "device (subsystem)" where it knows the subsystem.
                def ours(inventory, name=name, model=model):
                    told = inventory.function(name, "device")
                    try:
                        subsystem = inventory.function(name, "subsystem")
                    except Unknown:
                        return told
                    return model if model in (subsystem, f"{told} ({subsystem})") else told
                yield "device name", name, ours, model
        elif told.get("SUBSYSTEM") == "block" and told.get("DEVTYPE") == "disk" and hops:
            blocks[hops[-1]].add(re.sub(r"^(nvme\d+)c\d+(n\d+)$", r"\1\2", name))
    if storage:
        ours = lambda inventory: sorted(name for name in inventory.controllers if re.match(ADDRESS, name))
        yield "controllers", "all", ours, sorted(storage)
    yield from attached(blocks)
