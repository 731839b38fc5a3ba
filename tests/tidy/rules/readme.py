# SPDX-License-Identifier: Apache-2.0
"""README's tables are expansions of the lists they show, between `<!-- NAME -->` and `<!-- end -->`."""
import collections
import re

# Name and operands stand on the row's first line, the meaning ends it.
_STEP = re.compile(r'^WEFT_STEP\(\s*(\w+)\s*,\s*\w+\s*,\s*"([^"]*)"(?:[^"]*)"(.*)"\)$', re.MULTILINE)
# A row of an operation family: name, opset, fewest inputs, ...; or the same with field names.
_OPERATION = re.compile(r'\{\s*(?:\.name = )?"([A-Z]\w*)",\s*(?:\.opset = )?(\d+),\s*[-.\w]+')


def _steps(tree):
    lines = ["| step | operands | meaning |", "| --- | --- | --- |"]
    for name, operands, meaning in _STEP.findall(tree.text("runtime/format/ops.inc")):
        lines.append(f"| `{name}` | {operands} | {meaning.replace('|', chr(92) + '|')} |")
    return lines


def operation_names(tree):
    """Name -> opsets of the rows in converter/ops."""
    opsets = collections.defaultdict(set)
    for path in tree.under("converter/ops", suffixes=(".cc",)):
        for name, opset in _OPERATION.findall(tree.text(path)):
            opsets[name].add(int(opset))
    return opsets


def _operations(tree):
    opsets = operation_names(tree)
    rows = (f"{name} {', '.join(map(str, sorted(versions)))}"
            for name, versions in sorted(opsets.items()))
    lines, line = [], ""
    for row in rows:
        if line and len(line) + len(row) > 95:
            lines.append(line.rstrip())
            line = ""
        line += row + "; "
    return lines + [line.rstrip("; ") + "."]


def _kilobytes(number):
    return f"{number / 1024:.1f} KB"


def _count(number):
    return f"{number / 1e6:.2f} M" if number >= 1e6 else f"{number / 1e3:.1f} k"


def _footprint(tree):
    """Rows of tests/size/footprint.txt, models first."""
    rows = [
        line.split() for line in tree.text("tests/size/footprint.txt").splitlines()
        if not line.startswith("#")
    ]
    names = {
        "mlp": "MLP 64-64-64-10", "lstm": "LSTM-64, 100 steps", "gru": "GRU-64, 100 steps",
        "dscnn": "DS-CNN-S, 49 x 10", "dtmf": "DTMF, a frame"
    }
    cores = ("cortex-m4f", "cortex-m7", "cortex-m33", "cortex-m55")
    lines = [
        "| model | core | code | model | state | scratch | stack | Open | Run |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    ]
    rows.sort(key=lambda row: (list(names).index(row[1]), cores.index(row[0])))
    for cpu, model, _, *numbers in rows:
        code, file, state, scratch, stack, opened, run = map(int, numbers)
        sizes = " | ".join(map(_kilobytes, (code, file)))
        lines.append(f"| {names[model]} | {cpu} | {sizes} | {state} | {scratch} | {stack} | "
                     f"{_count(opened)} | {_count(run)} |")
    return lines


_TABLES = {"steps": _steps, "operations": _operations, "footprint": _footprint}


def filled(tree):
    """README.md with every table fresh."""
    text = tree.text("README.md")
    for name, lines in _TABLES.items():
        pattern = re.compile(rf"(<!-- {name} -->\n)(.*?)(<!-- end -->)", re.DOTALL)
        text = pattern.sub(
            lambda match, new="\n".join(lines(tree)) + "\n": match.group(1) + new + match.group(3),
            text)
    return text


def check(tree):
    """The tables stand in README.md and are fresh."""
    if "README.md" not in tree.paths:
        return ["README.md: is not there; it holds the tables of steps and operations"]
    faults = [
        f"README.md: has no `<!-- {name} -->`; the table of {name} stands below it"
        for name in _TABLES if f"<!-- {name} -->\n" not in tree.text("README.md")
    ]
    if filled(tree) != tree.text("README.md"):
        faults.append("README.md: a table is stale; run tests/tidy/tidy.py --write-readme")
    return faults
