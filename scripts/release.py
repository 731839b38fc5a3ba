#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the files of a release from the commit that is checked out.

    scripts/release.py VERSION [--weft build/x86-64/weft] [--output build/release] [--tag]

Writes the source archive, the wheels (scripts/wheels.sh, unless --no-wheels), the section of CHANGELOG, the bill of
materials (SPDX 2.3) and SHA256SUMS of all. The archive of a commit has the same bytes on every machine. --tag also
tags the commit. Writes nothing if the tree has changes, or if a file names another version.
"""
import argparse
import gzip
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Files that name the version, and how.
NAMED = {
    "CMakeLists.txt": r"project\(weft VERSION {} ",
    "README.md": r"Release {} |Release {short},",
    "CHANGELOG.md": r"(?m)^## {}$",
}


def git(*words, text=True):
    """Returns what a git command prints."""
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True, text=text).stdout


def faults_of(version):
    """Returns the reasons why this commit cannot be released as `version`, one line each."""
    faults = [f"{line[3:]}: is changed or new; must be committed" for line in git("status", "--porcelain").splitlines()]
    short = version.removesuffix(".0")
    for name, pattern in NAMED.items():
        pattern = pattern.replace("{}", re.escape(version)).replace("{short}", re.escape(short))
        if not re.search(pattern, (ROOT / name).read_text()):
            faults.append(f"{name}: names no version {version}; must be that of the release")
    if git("tag", "--list", f"v{version}").strip():
        faults.append(f"tag v{version}: exists; must be new")
    return faults


def write_archive(version, folder):
    """Writes the source archive of the commit."""
    tar = git("archive", "--format=tar", f"--prefix=weft-{version}/", "HEAD", text=False)
    with open(folder / f"weft-{version}.tar.gz", "wb") as file:
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
            packed.write(tar)


def write_notes(version, folder):
    """Writes the section of CHANGELOG."""
    text = (ROOT / "CHANGELOG.md").read_text()
    section = re.search(rf"^## {re.escape(version)}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    (folder / "NOTES.md").write_text(section.group(1).strip() + "\n")


def write_materials(version, weft, folder):
    """Writes the bill of materials: that of a model's evidence, without the model, and with the commit and the source
    archive."""
    with tempfile.TemporaryDirectory() as work:
        model = ROOT / "examples/dtmf/model/dtmf.xml"
        subprocess.run([weft, "convert", model, "-o", f"{work}/model.weft", "--evidence", f"{work}/evidence", "--quiet"],
                       check=True)
        document = json.loads(pathlib.Path(work, "evidence/sbom.spdx.json").read_text())
    ours = [row for row in document["packages"] if row["name"] != "model.weft" and not row["name"].startswith("dtmf.")]
    kept = {row["SPDXID"] for row in ours}
    archive = folder / f"weft-{version}.tar.gz"
    for row in ours:
        if row["SPDXID"] == "SPDXRef-weft":
            row["packageFileName"] = archive.name
            row["checksums"] = [{
                "algorithm": "SHA256",
                "checksumValue": hashlib.sha256(archive.read_bytes()).hexdigest()
            }]
            row["sourceInfo"] = f"git commit {git('rev-parse', 'HEAD').strip()}"
    document["packages"] = ours
    document["name"] = f"weft-{version}"
    document["relationships"] = [
        {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-weft"}
    ] + [row for row in document["relationships"] if {row["spdxElementId"], row["relatedSpdxElement"]} <= kept]
    (folder / f"weft-{version}.spdx.json").write_text(json.dumps(document, indent=2) + "\n")


def write_sums(folder):
    """Writes SHA256SUMS of all files."""
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(folder.iterdir())]
    (folder / "SHA256SUMS").write_text("".join(lines))


def main():
    """Checks everything first, then writes all files, or none."""
    parser = argparse.ArgumentParser(description="Writes the files of a release")
    parser.add_argument("version")
    parser.add_argument("--weft", default=ROOT / "build/x86-64/weft", help="the built command")
    parser.add_argument("--output", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--no-wheels", action="store_true")
    parser.add_argument("--tag", action="store_true", help="also tag the commit")
    words = parser.parse_args()
    faults = faults_of(words.version)
    if not pathlib.Path(words.weft).is_file():
        faults.append(f"{words.weft}: is missing; must be built")
    if words.output.exists():
        faults.append(f"{words.output}: exists; must be new")
    if faults:
        print("\n".join(f"release: {fault}" for fault in faults), file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        write_archive(words.version, folder)
        write_notes(words.version, folder)
        write_materials(words.version, words.weft, folder)
        if not words.no_wheels:
            subprocess.run([ROOT / "scripts/wheels.sh", folder], check=True)
        write_sums(folder)
        shutil.copytree(folder, words.output)
    if words.tag:
        git("tag", "-a", f"v{words.version}", "-m", f"weft {words.version}")
    for file in sorted(words.output.iterdir()):
        print(f"{file.stat().st_size:10}  {file.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
