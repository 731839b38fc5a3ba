# SPDX-License-Identifier: Apache-2.0
"""The converter counts in 64 bits and the file in fewer; the way there is checked."""
import re

from tree import code_only

_ROOMS = ("converter/emit", "converter/ops", "converter/plan", "converter/program")
_CASTS = re.compile(rf"\bstatic_cast<\s*(?:std::)?(u?int(?:8|16|32)_t)\s*>\s*\(|"
                    r"(?<![\w:<])(u?int(?:8|16|32)_t)\s*\((?!\*)")


def check(tree):
    """No cast to fewer than 64 bits but by Narrow, which refuses what does not fit."""
    faults = []
    for path in tree.under(*_ROOMS):
        for number, line in enumerate(code_only(tree.text(path)).splitlines(), 1):
            for match in _CASTS.finditer(line):
                faults.append(f"{path}:{number}: `{match.group()}`; converter/base/narrow.h has Narrow, "
                              "which refuses what does not fit")
    return faults
