"""What the parts of pci.py share: the inventory with its readings resolved, and facts that several oracles tell."""

import re

from told import Told, Unknown

ADDRESS = r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"
GT = 1_000_000_000


class Inventory(Told):
    """The JSON of `muster collect`, with its readings resolved."""

    def __init__(self, inventory):
        super().__init__(inventory)
        self.functions = self.by_name("pci_functions", "address")
        self.links = self.by_name("pci_links", "lower")
        self.controllers = self.by_name("storage_controllers", "name")

    def by_name(self, field, name):
        try:
            return {self.value(record, name): record for record in self.items(self.node, field)}
        except Unknown:
            return {}

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


def function_field(address, *fields):
    def ours(inventory):
        values = [inventory.function(address, field) for field in fields]
        return values[0] if len(values) == 1 else values

    return ours


def link_ends(inventory):
    return sorted([inventory.value(link, "upper"), lower] for lower, link in inventory.links.items())


def attached(told):
    for address, blocks in sorted(told.items()):

        def ours(inventory, address=address):
            found = set()
            hit = False
            for record in inventory.controllers.values():
                if inventory.value(record, "pci_address") == address:
                    hit = True
                    for item in inventory.items(record, "attached"):
                        # Whether an enclosure has a block device is not known in a tree that may lack some.
                        try:
                            found.add(inventory.value(item, "block_device"))
                        except Unknown:
                            pass
            if not hit:
                raise Unknown(inventory.partial(inventory.node, "storage_controllers") or "MISSING")
            return sorted(found - {None})

        yield "attached", address, ours, sorted(blocks)
