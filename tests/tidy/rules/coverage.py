# SPDX-License-Identifier: Apache-2.0
"""tests/coverage names files and conditions that exist, and has a reason for each missed branch."""
_FILES = "tests/coverage/files.txt"
_MISSED = "tests/coverage/missed.txt"


def _rows(tree, path):
    if path not in tree.paths:
        return []
    return [(number, line) for number, line in tree.lines(path) if not line.startswith("#")]


def check(tree):
    """Every row of both tables holds for the tree; scripts/coverage.sh measures the figures."""
    faults = [f"{path}: does not exist; run scripts/coverage.sh --write"
              for path in (_FILES, _MISSED) if path not in tree.paths]
    known = set(tree.paths)
    for number, row in _rows(tree, _FILES):
        if row.split()[0] not in known:
            faults.append(f"{_FILES}:{number}: {row.split()[0]} does not exist; run "
                          "scripts/coverage.sh --write")
    for number, row in _rows(tree, _MISSED):
        file, *condition, _, _, reason = row.split(" | ")
        place = f"{_MISSED}:{number}"
        text = " ".join(tree.text(file).split()) if file in known else ""
        if " ".join(" | ".join(condition).split()) not in text or not text:
            faults.append(f"{place}: {file} has no such condition; run scripts/coverage.sh --write")
        if len(reason.split()) < 2:
            faults.append(f'{place}: the reason is "{reason}"; must say why no test gets there')
    return faults
