#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/release.py writes complete files of a clean commit, the same in a second run, and refuses any other.

    release_test.py WEFT SOURCE_DIR WORK_DIR

Exit code 77: the source is not a git repository.
"""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile


def release(tree, weft, *words):
    """Runs the script in a clone."""
    return subprocess.run([sys.executable, tree / "scripts/release.py", *words, "--no-wheels", "--weft", weft],
                          capture_output=True, text=True, check=False)


def check_files(folder, version):
    """Checks the sums, the bill of materials and the archive."""
    sums = dict(reversed(line.split()) for line in (folder / "SHA256SUMS").read_text().splitlines())
    files = {file.name for file in folder.iterdir()} - {"SHA256SUMS"}
    assert set(sums) == files == {"NOTES.md", f"weft-{version}.tar.gz", f"weft-{version}.spdx.json"}, files
    for name, total in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == total, name
    materials = json.loads((folder / f"weft-{version}.spdx.json").read_text())
    assert {"weft", "highway", "flatbuffers"} <= {row["name"] for row in materials["packages"]}
    own = next(row for row in materials["packages"] if row["name"] == "weft")
    assert own["checksums"][0]["checksumValue"] == sums[own["packageFileName"]], own
    assert re.fullmatch("git commit [0-9a-f]{40}", own["sourceInfo"]), own
    known = {row["SPDXID"] for row in materials["packages"]} | {"SPDXRef-DOCUMENT"}
    for row in materials["relationships"]:
        assert {row["spdxElementId"], row["relatedSpdxElement"]} <= known, row
    with tarfile.open(folder / f"weft-{version}.tar.gz") as archive:
        assert f"weft-{version}/runtime/weft.h" in archive.getnames()


def main(weft, source, work):
    """Releases the version that the tree has, twice, then faulty ones."""
    source, work = pathlib.Path(source).absolute(), pathlib.Path(work).absolute()
    if subprocess.run(["git", "-C", source, "rev-parse", "HEAD"], capture_output=True, check=False).returncode:
        print("skipped: not a git repository")
        return 77
    shutil.rmtree(work, ignore_errors=True)
    tree = work / "tree"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", f"file://{source}", tree], check=True)
    version = re.search(r"project\(weft VERSION ([0-9.]+)", (tree / "CMakeLists.txt").read_text()).group(1)
    for name in ("one", "two"):
        done = release(tree, weft, version, "--output", work / name)
        assert done.returncode == 0, done.stderr
    check_files(work / "one", version)
    one, two = ((work / name / f"weft-{version}.tar.gz").read_bytes() for name in ("one", "two"))
    assert one == two, "the archives of two runs differ"
    done = release(tree, weft, version, "--output", work / "one")
    assert done.returncode == 1 and "one: exists; must be new" in done.stderr, done.stderr
    (tree / "new.txt").write_text("")
    done = release(tree, weft, "9.9.9", "--output", work / "three")
    assert done.returncode == 1 and not (work / "three").exists()
    for text in ("new.txt: is changed or new", "CMakeLists.txt: names no version 9.9.9", "CHANGELOG.md: names no"):
        assert text in done.stderr, done.stderr
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
