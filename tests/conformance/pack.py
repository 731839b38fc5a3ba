#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs the cases of build/fixtures into the archives of tests/conformance/cases, tests/zoo and
tests/tflite.

pack.py            write the archives of the families that changed in build/fixtures
pack.py --loose    first move loose case files from the archives' folders into build/fixtures
pack.py --check    compare each archive with its list of cases; write nothing

To remove a case, delete its folder in build/fixtures, then run pack.py.
Exit code: 0 done, 1 a case or an archive is invalid, 2 invalid command line.
"""

import argparse
import shutil
import sys

import archives


def take_loose(root=archives.ROOT):
    """Moves the loose files of cases into build/fixtures and replaces files of the same name. (After
    a merge only the changed files of a case are loose.) Returns the number of cases."""
    cases = set()
    for packed, unpacked in archives.folders(root).items():
        names = set().union(*archives.FILES)
        for path in sorted(path for name in names for path in packed.glob(f"*/*/{name}")):
            target = unpacked / path.relative_to(packed)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.replace(target)
            cases.add(path.parent)
    for folder in sorted(cases | {case.parent for case in cases}, reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    return len(cases)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loose", action="store_true", help="move loose cases first")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    if options.check and options.loose:
        parser.error("--check writes nothing; --loose moves files")
    if options.check:
        faults = archives.faults()
        print("\n".join(faults) or "archives: each agrees with its list")
        return 1 if faults else 0
    if any(archive for packed in archives.folders() for archive in packed.glob("*.zip")):
        archives.unpack()
    else:
        shutil.rmtree(archives.FIXTURES, ignore_errors=True)  # from another revision of the tree
    if options.loose:
        print(f"archives: {take_loose()} loose cases moved")
    try:
        changed = archives.pack()
    except ValueError as error:
        sys.exit(str(error))
    print(f"archives: {len(changed)} written{': ' if changed else ''}{', '.join(changed)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
