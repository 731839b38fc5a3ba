# SPDX-License-Identifier: Apache-2.0
"""README's tables are expansions of the lists they show, between `<!-- NAME -->` and `<!-- end -->`."""
import collections
import re

_STEP = re.compile(r'^WEFT_STEP\(\s*(\w+)\s*,\s*\w+\s*,\s*(\d+)\s*,\s*(\d+)\s*,\s*"(.*)"\)',
                   re.MULTILINE)
# A row of an operation family: name, opset, fewest inputs, ...; or the same with field names.
_OPERATION = re.compile(r'\{\s*(?:\.name = )?"([A-Z]\w*)",\s*(?:\.opset = )?(\d+),\s*[-.\w]+')


def _steps(tree):
    lines = ["| step | in | out | meaning |", "| --- | --- | --- | --- |"]
    for name, inputs, outputs, meaning in _STEP.findall(tree.text("runtime/format/ops.inc")):
        lines.append(f"| `{name}` | {inputs} | {outputs} | {meaning.replace('|', chr(92) + '|')} |")
    return lines


def _operations(tree):
    opsets = collections.defaultdict(set)
    for path in tree.under("converter/ops", suffixes=(".cc",)):
        for name, opset in _OPERATION.findall(tree.text(path)):
            opsets[name].add(int(opset))
    rows = (f"{name} {', '.join(map(str, sorted(versions)))}"
            for name, versions in sorted(opsets.items()))
    lines, line = [], ""
    for row in rows:
        if line and len(line) + len(row) > 95:
            lines.append(line.rstrip())
            line = ""
        line += row + "; "
    return lines + [line.rstrip("; ") + "."]


_TABLES = {"steps": _steps, "operations": _operations}


def filled(tree):
    """README.md with every table fresh."""
    text = tree.text("README.md")
    for name, lines in _TABLES.items():
        pattern = re.compile(rf"(<!-- {name} -->\n)(.*?)(<!-- end -->)", re.DOTALL)
        text = pattern.sub(lambda match, new="\n".join(lines(tree)) + "\n":
                           match.group(1) + new + match.group(3), text)
    return text


def check(tree):
    """The tables stand in README.md and are fresh."""
    if "README.md" not in tree.paths:
        return ["README.md: is not there; it holds the tables of steps and operations"]
    faults = [f"README.md: has no `<!-- {name} -->`; the table of {name} stands below it"
              for name in _TABLES if f"<!-- {name} -->\n" not in tree.text("README.md")]
    if filled(tree) != tree.text("README.md"):
        faults.append("README.md: a table is stale; run tests/tidy/tidy.py --write-readme")
    return faults
