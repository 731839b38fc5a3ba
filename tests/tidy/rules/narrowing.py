# SPDX-License-Identifier: Apache-2.0
"""The converter uses 64-bit integers and the file narrower ones; narrowing must be checked."""
import re

from tree import code_only

_ROOMS = ("converter/emit", "converter/ops", "converter/plan", "converter/program")
_CASTS = re.compile(rf"\bstatic_cast<\s*(?:std::)?(u?int(?:8|16|32)_t)\s*>\s*\(|"
                    r"(?<![\w:<])(u?int(?:8|16|32)_t)\s*\((?!\*)")


def check(tree):
    """Casts to fewer than 64 bits must use Narrow, which rejects values that do not fit."""
    faults = []
    for path in tree.under(*_ROOMS):
        for number, line in enumerate(code_only(tree.text(path)).splitlines(), 1):
            for match in _CASTS.finditer(line):
                faults.append(f"{path}:{number}: `{match.group()}`; converter/base/narrow.h has Narrow, "
                              "which refuses what does not fit")
    return faults
