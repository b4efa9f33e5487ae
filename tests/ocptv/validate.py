#!/usr/bin/env python3
"""Validates OCP Test & Validation output line by line against the specification's JSON Schemas.

    validate.py SCHEMAS FILE...

SCHEMAS is the folder json_spec/output of opencomputeproject/ocp-diag-core. Needs the Python package jsonschema (4.18 or
later). Prints a line a file, and every line that does not validate; exit status 1 if there is one. Besides the schemas:
the sequence numbers grow by one, every step that starts ends, and every hardware id is declared.
"""

import json
import pathlib
import sys

from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry, Resource

ROOT = "https://github.com/opencomputeproject/ocp-diag-core/output"


def validator(folder):
    schemas = [json.loads(path.read_text()) for path in sorted(pathlib.Path(folder).glob("*.json"))]
    registry = Registry().with_resources((schema["$id"], Resource.from_contents(schema)) for schema in schemas)
    return Draft202012Validator(registry.get(ROOT).contents, registry=registry, format_checker=FormatChecker())


def mistakes(schema, text):
    hardware, open_steps = set(), set()
    for number, line in enumerate(text.splitlines()):
        artifact = json.loads(line)
        for error in schema.iter_errors(artifact):
            yield number, f"{error.json_path}: {error.message[:200]}"
        if artifact.get("sequenceNumber") != number:
            yield number, f"sequence number {artifact.get('sequenceNumber')}"
        run = artifact.get("testRunArtifact", {})
        if "testRunStart" in run:
            infos = run["testRunStart"]["dutInfo"].get("hardwareInfos", [])
            hardware = {info["hardwareInfoId"] for info in infos}
            if len(hardware) != len(infos):
                yield number, "a hardware id is declared twice"
        step = artifact.get("testStepArtifact", {})
        if "testStepStart" in step:
            open_steps.add(step["testStepId"])
        elif step and step["testStepId"] not in open_steps:
            yield number, f"step {step['testStepId']} is not open"
        if "testStepEnd" in step:
            open_steps.discard(step["testStepId"])
        for what in ("measurement", "diagnosis"):
            used = step.get(what, {}).get("hardwareInfoId")
            if used is not None and used not in hardware:
                yield number, f"hardware id {used} is not declared"
    if open_steps:
        yield number, f"steps never ended: {sorted(open_steps)}"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    schema, wrong = validator(sys.argv[1]), 0
    for name in sys.argv[2:]:
        text = pathlib.Path(name).read_text()
        found = list(mistakes(schema, text))
        wrong += len(found)
        print(f"{name}: {len(text.splitlines())} lines, {len(found)} mistakes")
        for number, what in found[:20]:
            print(f"  line {number + 1}: {what}")
    sys.exit(wrong > 0)


main()
