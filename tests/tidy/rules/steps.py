# SPDX-License-Identifier: Apache-2.0
"""Each row of ops.inc has a kernel, a reference kernel, a binder and parameters in the schema."""
import re

_ROW = re.compile(r"^WEFT_STEP\(\s*(\w+)\s*,\s*(\w+)", re.MULTILINE)
_END = re.compile(r"^WEFT_BIND_(NARROW_)?STEP\(", re.MULTILINE)
_OPS = "runtime/format/ops.inc"
_SCHEMA = "runtime/format/weft.fbs"


def check(tree):
    """Every row has its files, and every binder and reference kernel has a row."""
    if _OPS not in tree.paths:
        return [f"{_OPS}: does not exist; must have a row for every step"]
    rows = _ROW.findall(tree.text(_OPS))
    if not rows:
        return [f"{_OPS}: has no row; must have rows WEFT_STEP(name, Name, ...)"]
    schema = tree.text(_SCHEMA) if _SCHEMA in tree.paths else ""
    known = set(tree.paths)
    faults = []
    for name, upper in rows:
        for path in (f"kernels/reference/{name}.h", f"runtime/bind/{name}.cc"):
            if path not in known:
                faults.append(f"{_OPS}: row {name} has no {path}")
        for ending in ("h", "cc"):
            kernels = [path for path in known
                       if re.fullmatch(rf"kernels/(?!reference/)\w+/{name}\.{ending}", path)]
            if len(kernels) != 1:
                faults.append(f"{_OPS}: row {name} has {len(kernels)} files {name}.{ending} in the "
                              "folders of kernels; must have one")
        if not re.search(rf"^struct {upper}Params\b", schema, re.MULTILINE):
            faults.append(f"{_OPS}: row {name} has no struct {upper}Params in {_SCHEMA}")
        if not re.search(rf"\[{upper}Params\]", schema):
            faults.append(f"{_OPS}: row {name} has no vector of {upper}Params in {_SCHEMA}")
    names = {name for name, _ in rows}
    for path in tree.paths:
        reference = re.fullmatch(r"kernels/reference/(?!reference\.h)(\w+)\.h", path)
        binder = re.fullmatch(r"runtime/bind/(\w+)\.cc", path)
        if binder and not _END.search(tree.text(path)):
            continue  # shared by the binders
        match = reference or binder
        if match and match.group(1) not in names:
            faults.append(f"{path}: belongs to no step; {_OPS} has no such row")
    return faults
