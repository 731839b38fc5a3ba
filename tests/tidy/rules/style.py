# SPDX-License-Identifier: Apache-2.0
"""C++ sources are formatted by clang-format."""
import re
import shutil
import subprocess

from rules.sizes import Skipped

_VERSION = 14  # other versions break lines differently


def check(tree):
    """clang-format has nothing to change."""
    tool = shutil.which(f"clang-format-{_VERSION}") or shutil.which("clang-format")
    if not tool:
        raise Skipped("clang-format is not installed, the layout stays unchecked")
    talk = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"version (\d+)", talk)
    if not version or int(version.group(1)) != _VERSION:
        raise Skipped(f"clang-format is not version {_VERSION}, the layout stays unchecked")
    paths = [path for path in tree.paths if path.endswith((".cc", ".h"))]
    if not paths:
        return []
    run = subprocess.run([tool, "--dry-run", *paths], cwd=tree.root, capture_output=True,
                         text=True, check=False)
    if run.returncode != 0:
        return [f"clang-format: exit {run.returncode}: {run.stderr.strip()}"]
    places = re.findall(r"^(\S+?:\d+):\d+: (?:warning|error): code should be", run.stderr,
                        re.MULTILINE)
    first = {}
    for place in places:
        first.setdefault(place.rsplit(":", 1)[0], place)
    return [f"{place}: differs from clang-format's layout; run clang-format -i {path}"
            for path, place in first.items()]
