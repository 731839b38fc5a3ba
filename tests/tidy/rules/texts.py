# SPDX-License-Identifier: Apache-2.0
"""Texts must have a licence line and guards, and no machine paths, tracker numbers or TO-DO marks."""
import re

_SPDX = "SPDX-License-Identifier: Apache-2.0"

# Absolute paths that exist only on one machine.
_PATHS = re.compile(r"(?<![\w.$}])/(?:home|root|work|farm|Users|mnt|tmp)/\w")
_TRACKER = re.compile(r"\bissue #?[0-9]+", re.IGNORECASE)
_OPEN_ENDS = re.compile(r"\b(?:%s)\b" % "|".join(["TO" "DO", "FIX" "ME", "X" "XX", "HA" "CK"]))
_PROSE = (".md", ".json", ".jsonl", ".txt")


def check_licence(tree):
    """The licence line is the first line (the second after #!)."""
    faults = []
    for path in tree.sources():
        lines = tree.text(path).splitlines()
        if lines and _SPDX not in "\n".join(lines[:2]):
            faults.append(f"{path}:1: no licence line; the first line says {_SPDX}")
    return faults


def check_guards(tree):
    """A header's guard is derived from its path; Highway's -inl.h headers have toggled guards."""
    faults = []
    for path in tree.paths:
        if not path.endswith(".h") or path.endswith("-inl.h"):
            continue
        guard = "WEFT_" + re.sub(r"\W", "_", path).upper() + "_"
        match = re.search(r"^#ifndef (\w+)\n#define \1$", tree.text(path), re.MULTILINE)
        if not match or match.group(1) != guard:
            found = match.group(1) if match else "none"
            faults.append(f"{path}: header guard is {found}; must be {guard}")
    return faults


def check_leaks(tree):
    """No path of one machine, no tracker number, no TO-DO mark."""
    faults = []
    sources = set(tree.sources())
    for path in tree.paths:
        if not path.endswith(_PROSE) and path not in sources:
            continue
        for number, line in tree.lines(path):
            for pattern, what in ((_PATHS, "path of one machine"), (_TRACKER, "tracker number"),
                                  (_OPEN_ENDS, "open end")):
                match = pattern.search(line)
                if match:
                    faults.append(f"{path}:{number}: {what} `{match.group()}`; must be removed")
    return faults
