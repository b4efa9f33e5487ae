"""The JSON of `muster collect` with its readings resolved: what all comparisons read inventories by."""

import json


class Unknown(Exception):
    """Muster cannot tell, for its own reason."""


class Told:
    """An inventory, from its text or already parsed."""

    def __init__(self, inventory):
        self.json = json.loads(inventory) if isinstance(inventory, (str, bytes)) else inventory
        self.node = self.json["node"]

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
        """Those elements of a collection that are known; raises Unknown if none can be."""
        value = self.value(record, field)
        return value["items"] if isinstance(value, dict) else value
