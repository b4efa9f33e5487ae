#!/usr/bin/env python3
"""Compares what `muster collect` finds in tables of SMBIOS with what dmidecode finds in them.

    dmi.py CORPUS MUSTER [--details]

Of each binary of the corpus's kind dmi (a dump of `dmidecode --dump-bin`, or a bare table with the version in a JSON file beside
it) a capture is made that has the table and its entry point and nothing else; dmidecode (Debian's package) reads the same bytes by
`--from-dump`. One line is counted for every value that is looked at: "agree"; "unknown", where muster says that it cannot tell and
dmidecode tells; "disagree"; "not compared", where dmidecode cannot read the file. Both saying that nothing is told is agreement.
Exits with 1 if something disagrees or muster crashes. Needs Python 3.9, and dmidecode.
"""

import json
import re
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

OUTCOMES = ["agree", "unknown", "disagree", "not compared"]
NOTHING = {"", "Unknown", "Not Specified", "Not Provided", "None", "<OUT OF SPEC>", "<BAD INDEX>", "Other", "No Module Installed", "Not Installed"}
# What says nothing, whatever the field: makers' defaults, one character over and over, nothing but punctuation and zeros.
PLACEHOLDER = re.compile(
    r"(.)\1{3,}|[\W_0]*|(?i:to be filled by o\.?e\.?m\.?|default string|system (manufacturer|product name|serial number|version)|none|n/?a|empty"
    r"|\[empty\]|manufacturer\d*|03000200-0400-0500-0006-000700080009|sernum\d*|assettagnum\d*|partnum\d*|modulepartnumber\d*|no dimm|0?123456789|serial|unknown)"
)
UNITS = {"bytes": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}


def taken_apart(path):
    """Entry point and table of a file, or None."""
    data = path.read_bytes()
    # A dump has the table at 20h; some name the address in the machine it came from.
    if data[:5] == b"_SM3_":
        at, length = struct.unpack_from("<Q", data, 16)[0], struct.unpack_from("<I", data, 12)[0]
        return data[:data[6]], data[at if at < len(data) else 32:][:length]
    if data[:4] == b"_SM_":
        at, length = struct.unpack_from("<I", data, 24)[0], struct.unpack_from("<H", data, 22)[0]
        return data[:data[5]], data[at if at < len(data) else 32:][:length]
    if data[:5] == b"_DMI_":
        return data[:15], data[struct.unpack_from("<I", data, 8)[0]:][:struct.unpack_from("<H", data, 6)[0]]
    beside = path.with_suffix(".json")
    if beside.exists():
        version = json.loads(beside.read_text())["Version"]
        entry = bytearray(b"_SM3_\0\x18" + bytes([version["Major"], version["Minor"], version["Revision"], 1, 0]))
        entry += struct.pack("<IQ", len(data), 32)
        entry[5] = -sum(entry) & 0xFF
        return bytes(entry), data
    return None


def dmidecode(entry, table, folder):
    """Structures as (type, handle, fields); None if dmidecode refuses the file."""
    dump = folder / "dump"
    entry = bytearray(entry)
    if entry[:5] == b"_SM3_":
        struct.pack_into("<Q", entry, 16, 32)
        entry[5] = 0
        entry[5] = -sum(entry) & 0xFF
    elif entry[:4] == b"_SM_":
        struct.pack_into("<I", entry, 24, 32)
        entry[21] = 0
        entry[21] = -sum(entry[16:31]) & 0xFF
        entry[4] = 0
        entry[4] = -sum(entry) & 0xFF
    dump.write_bytes(bytes(entry).ljust(32, b"\0") + table)
    run = subprocess.run(["dmidecode", "--from-dump", str(dump)], capture_output=True, timeout=30)
    structures, fields = [], None
    for line in run.stdout.decode("utf-8", "replace").splitlines():
        if begin := re.match(r"Handle 0x([0-9A-F]+), DMI type (\d+)", line):
            fields = {}
            structures.append((int(begin[2]), int(begin[1], 16), fields))
        elif fields is not None and (field := re.match(r"\t([^\t:]+): ?(.*)", line)):
            fields.setdefault(field[1], field[2].strip())
    return structures if structures else None


def number(text):
    found = re.match(r"(\d+)", text)
    return int(found[1]) if found else None


def size(text):
    found = re.match(r"(\d+) (\w+)$", text)
    return int(found[1]) * UNITS[found[2]] if found and found[2] in UNITS else None


def speed(text):
    found = re.match(r"(\d+) (MT/s|MHz)", text)
    return int(found[1]) * 1_000_000 if found else None


def volts(text):
    found = re.match(r"([\d.]+) V", text)
    return round(float(found[1]) * 1000) if found else None


def plain(text):
    return "".join(c for c in text.lower() if c.isalnum())


DIMM = [
    ("locator", "Locator", str), ("bank_locator", "Bank Locator", str), ("bytes", "Size", size), ("form_factor", "Form Factor", plain),
    ("memory_type", "Type", plain), ("rated_speed", "Speed", speed), ("configured_speed", "Configured Memory Speed", speed),
    ("manufacturer", "Manufacturer", str), ("part_number", "Part Number", str), ("serial", "Serial Number", str), ("asset_tag", "Asset Tag", str),
    ("ranks", "Rank", number), ("total_width", "Total Width", number), ("data_width", "Data Width", number),
    ("configured_millivolts", "Configured Voltage", volts), ("minimum_millivolts", "Minimum Voltage", volts), ("maximum_millivolts", "Maximum Voltage", volts),
]
SOCKET = [
    ("locator", "Socket Designation", str), ("manufacturer", "Manufacturer", str), ("version", "Version", str), ("max_speed", "Max Speed", speed),
    ("current_speed", "Current Speed", speed), ("cores", "Core Count", number), ("cores_enabled", "Core Enabled", number), ("threads", "Thread Count", number),
    ("serial", "Serial Number", str), ("asset_tag", "Asset Tag", str), ("part_number", "Part Number", str),
]
ARRAY = [("purpose", "Use", plain), ("error_correction", "Error Correction Type", plain), ("max_capacity", "Maximum Capacity", size), ("slots", "Number Of Devices", number)]
SYSTEM = {
    0: [("bios_vendor", "Vendor", str), ("bios_version", "Version", str), ("bios_date", "Release Date", str), ("bios_release", "BIOS Revision", str)],
    1: [("vendor", "Manufacturer", str), ("product", "Product Name", str), ("product_version", "Version", str), ("serial", "Serial Number", str),
        ("uuid", "UUID", str.lower), ("sku", "SKU Number", str), ("family", "Family", str)],
    2: [("board_vendor", "Manufacturer", str), ("board_product", "Product Name", str), ("board_serial", "Serial Number", str)],
}
EMPTY_ONLY_SLOT = {"locator", "bank_locator", "max_speed"}


def compared(record, ours, theirs, read, empty):
    value = record.get(ours)
    if ours == "error_correction" and theirs == "None":
        told = "none"
    elif theirs is None or theirs in NOTHING or theirs.startswith(("Not Present", "Not Settable")):
        told = None
    elif read is str:
        told = " ".join(theirs.split())
    else:
        told = read(theirs)
    if isinstance(value, dict):
        return ("agree" if told in (None, "") else "unknown"), value
    if value is None:
        # Absent: nothing is told, a placeholder, or a fact of a module where there is none.
        if told in (None, "", 0) or empty and ours not in EMPTY_ONLY_SLOT or PLACEHOLDER.fullmatch(theirs):
            return "agree", value
        return "disagree", value
    if read is str:
        value = " ".join(value.split())
    if read is plain:
        value = plain(value)
    return ("agree" if value == told else "disagree"), value


def main():
    corpus, muster, details = Path(sys.argv[1]), sys.argv[2], "--details" in sys.argv
    counts, disagreed, crashed = Counter(), 0, 0
    files = sorted(path for path in (corpus / "dmi").iterdir() if path.suffix in {".bin", ".dat", ".dmi"})
    for path in files:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            apart = taken_apart(path)
            if apart is None:
                counts["file", "not compared"] += 1
                continue
            tables = folder / "capture/sys/firmware/dmi/tables"
            tables.mkdir(parents=True)
            (tables / "smbios_entry_point").write_bytes(apart[0])
            (tables / "DMI").write_bytes(apart[1])
            run = subprocess.run([muster, "collect", "--from", str(folder / "capture")], capture_output=True, timeout=60)
            try:
                node = json.loads(run.stdout)["node"]
            except ValueError:
                crashed += 1
                print(f"{path.name}: muster: {run.stderr.decode(errors='replace').strip()[:300]}")
                continue
            theirs = dmidecode(*apart, folder)
            if theirs is None:
                counts["file", "not compared"] += 1
                continue
        items = lambda name: node[name] if isinstance(node[name], list) else node[name].get("items", [])
        pairs = []
        for kind, name, facts in [(4, "processor_sockets", SOCKET), (16, "memory_arrays", ARRAY), (17, "dimms", DIMM)]:
            ours = items(name)
            rows = [row for row in theirs if row[0] == kind and (kind != 4 or row[2].get("Type") in (None, "Central Processor"))]
            same = [record["handle"] for record in ours] == [handle for _, handle, _ in rows]
            pairs.append((f"{name}: which", "agree" if same else "disagree", [r["handle"] for r in ours], [r[1] for r in rows]))
            for record, (_, _, fields) in zip(ours, rows) if same else []:
                empty = record.get("populated") is False
                for fact, field, read in facts:
                    their = fields.get(field, fields.get("Configured Clock Speed") if fact == "configured_speed" else None)
                    outcome, value = compared(record, fact, their, read, empty)
                    pairs.append((f"{name}: {fact}", outcome, value, their))
        for kind, facts in SYSTEM.items():
            fields = next((row[2] for row in theirs if row[0] == kind), {})
            for fact, field, read in facts:
                outcome, value = compared(node["system"], fact, fields.get(field), read, False)
                pairs.append((f"system: {fact}", outcome, value, fields.get(field)))
        for fact, outcome, value, their in pairs:
            counts[fact, outcome] += 1
            if outcome == "disagree":
                disagreed += 1
            if outcome == "disagree" or details and outcome == "unknown":
                print(f"{path.name}: {fact}: {outcome}: {value!r}, dmidecode {their!r}")
    print(f"{'fact':40}" + "".join(f"{outcome:>14}" for outcome in OUTCOMES))
    for fact in sorted({fact for fact, _ in counts}):
        print(f"{fact:40}" + "".join(f"{counts[fact, outcome]:14}" for outcome in OUTCOMES))
    print(f"{'together':40}" + "".join(f"{sum(n for (_, o), n in counts.items() if o == outcome):14}" for outcome in OUTCOMES))
    print(f"{len(files)} files, {crashed} crashes")
    return 1 if disagreed or crashed else 0


if __name__ == "__main__":
    sys.exit(main())
