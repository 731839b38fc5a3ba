#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unpacks one stored case.

case.py FAMILY/CASE OUT                  from tests/conformance/cases/FAMILY.zip
case.py zoo/models/CASE OUT              from tests/zoo/models.zip (or patterns)
case.py FAMILY/CASE OUT --revision REV   as it was in a commit, to compare it with the current one

Exit code: 0 done, 1 the case does not exist, 2 invalid command line.
"""

import argparse
import io
import pathlib
import subprocess
import sys

import archives


def archive_of(name, revision):
    """The archive of a case, as a path relative to the root and as a file."""
    *zoo, family, _ = name.split("/")
    path = f"tests/zoo/{family}.zip" if zoo == ["zoo"] else f"tests/conformance/cases/{family}.zip"
    if revision is None:
        if not (archives.ROOT / path).exists():
            raise FileNotFoundError(f"there is no {path}")
        return path, archives.ROOT / path
    shown = subprocess.run(["git", "-C", archives.ROOT, "show", f"{revision}:{path}"],
                           capture_output=True, check=False)
    if shown.returncode != 0:
        raise FileNotFoundError(shown.stderr.decode().strip())
    return path, io.BytesIO(shown.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", metavar="FAMILY/CASE")
    parser.add_argument("out", metavar="OUT", type=pathlib.Path)
    parser.add_argument("--revision", metavar="REV")
    options = parser.parse_args()
    if options.case.count("/") not in (1, 2):
        parser.error(f"the case is {options.case}; must be FAMILY/CASE")
    try:
        path, file = archive_of(options.case, options.revision)
        files = archives.stored_in(file)[options.case.split("/")[-1]]
    except FileNotFoundError as error:
        sys.exit(f"{options.case}: {error}")
    except KeyError:
        sys.exit(f"{options.case}: is not in {path}; its list of cases is {path[:-3]}jsonl")
    options.out.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (options.out / name).write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
