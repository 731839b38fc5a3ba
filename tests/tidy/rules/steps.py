# SPDX-License-Identifier: Apache-2.0
"""A row of ops.inc and its furniture: kernel, scalar twin, binder, parameters in the schema."""
import re

_ROW = re.compile(r"^WEFT_STEP\(\s*(\w+)\s*,\s*(\w+)", re.MULTILINE)
_OPS = "runtime/format/ops.inc"
_SCHEMA = "runtime/format/weft.fbs"


def check(tree):
    """Every row has its files; every twin has its row, and so has every binder but those that declare
    something shared in a header of their own."""
    if _OPS not in tree.paths:
        return [f"{_OPS}: is not there; every step has a row in it"]
    rows = _ROW.findall(tree.text(_OPS))
    if not rows:
        return [f"{_OPS}: holds no row; a row reads WEFT_STEP(name, Name, ...)"]
    schema = tree.text(_SCHEMA) if _SCHEMA in tree.paths else ""
    known = set(tree.paths)
    faults = []
    for name, upper in rows:
        for path in (f"kernels/{name}.h", f"kernels/{name}.cc", f"kernels/{name}_ref.h",
                     f"runtime/bind/{name}.cc"):
            if path not in known:
                faults.append(f"{_OPS}: row {name} has no {path}")
        if not re.search(rf"^struct {upper}Params\b", schema, re.MULTILINE):
            faults.append(f"{_OPS}: row {name} has no struct {upper}Params in {_SCHEMA}")
        if not re.search(rf"\[{upper}Params\]", schema):
            faults.append(f"{_OPS}: row {name} has no vector of {upper}Params in {_SCHEMA}")
    names = {name for name, _ in rows}
    for path in tree.paths:
        match = re.fullmatch(r"kernels/(\w+)_ref\.h|runtime/bind/(\w+)\.cc", path)
        if not match or path.replace(".cc", ".h") in known and match.group(2):
            continue
        if (match.group(1) or match.group(2)) not in names:
            faults.append(f"{path}: serves no step; {_OPS} has no such row")
    return faults
