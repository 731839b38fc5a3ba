# SPDX-License-Identifier: Apache-2.0
"""The archives of stored cases: one zip file per family, and a text file with one line per case.

A case is a folder with case.json, arrays.npy and one of MODELS. Archives in tests/conformance/cases,
tests/zoo and tests/tflite hold them as <family>/<case>/<file>; cmake/UnpackFixtures.cmake unpacks
them into build/fixtures/cases, build/fixtures/zoo and build/fixtures/tflite. The text file <family>.jsonl describes each case, so that a changed case is a
changed line in `git diff`.
"""

import ast
import hashlib
import json
import pathlib
import re
import subprocess
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "build/fixtures"
CASES = FIXTURES / "cases"
MODELS = ("model.bin", "model.xml"), ("model.tflite",)
FILES = tuple(("arrays.npy", "case.json", *model) for model in MODELS)  # sorted

_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip file can store
_LAYER = re.compile(r'<layer\b[^>]*\btype="([^"]+)" version="([^"]+)"')
_PORTS = ("Parameter", "Result", "Const")
_TYPES = {"f2": "f16", "f4": "f32", "f8": "f64", "b1": "bool"}


def folders(root=ROOT):
    """Folders of archives, each with the folder of their unpacked families, in the tree at root."""
    return {root / "tests/conformance/cases": root / "build/fixtures/cases",
            root / "tests/zoo": root / "build/fixtures/zoo",
            root / "tests/tflite": root / "build/fixtures/tflite"}


def unpack(root=ROOT):
    """Updates build/fixtures from the archives."""
    subprocess.run(["cmake", "-P", root / "cmake/UnpackFixtures.cmake"], check=True,
                   stdout=subprocess.DEVNULL)


def stored_in(archive):
    """The cases of an archive: {case: {file: bytes}}."""
    cases = {}
    with zipfile.ZipFile(archive) as file:
        for name in file.namelist():
            _, case, part = name.split("/")
            cases.setdefault(case, {})[part] = file.read(name)
    return cases


def unpacked_in(folder):
    """The cases of an unpacked family: {case: {file: bytes}}."""
    return {path.parent.name: {file.name: file.read_bytes() for file in path.parent.iterdir()}
            for path in sorted(folder.glob("*/case.json"))}


def _port(header):
    """Type and shape, as "f32[2,3]", and bytes per element, from a NumPy header."""
    facts = ast.literal_eval(header)
    code = facts["descr"][1:]
    element = _TYPES.get(code) or f"{code[0]}{8 * int(code[1:])}"
    return f"{element}[{','.join(map(str, facts['shape']))}]", int(code[1:])


def _ports(data):
    """Type and shape of each array of arrays.npy."""
    ports, begin = [], 0
    while begin < len(data):
        if data[begin:begin + 8] != b"\x93NUMPY\x01\x00":
            raise ValueError(f"arrays.npy: byte {begin} begins no array of NumPy's format 1")
        elements = begin + 10 + int.from_bytes(data[begin + 8:begin + 10], "little")
        port, element_bytes = _port(data[begin + 10:elements].decode("latin1"))
        for dim in re.findall(r"\d+", port.partition("[")[2]):
            element_bytes *= int(dim)
        ports.append(port)
        begin = elements + element_bytes
    return ports


def described(case, files):
    """The line of a case: layers, ports, the facts of case.json, and the first 16 digits of each
    file's SHA-256."""
    if tuple(sorted(files)) not in FILES:
        raise ValueError(f"files are {', '.join(sorted(files))}; must be "
                         f"{' or '.join(', '.join(names) for names in FILES)}")
    facts = json.loads(files["case.json"])
    text = files.get("model.xml", b"").decode()
    layers = {f"{kind}/{version}" for kind, version in _LAYER.findall(text) if kind not in _PORTS}
    ports = _ports(files["arrays.npy"])
    names = facts.pop("inputs"), facts.pop("outputs")
    if len(ports) != len(names[0]) + len(names[1]):
        raise ValueError(f"arrays.npy: arrays are {len(ports)}; case.json names "
                         f"{len(names[0]) + len(names[1])}")
    ports = [f"{name} {port}" for name, port in zip(names[0] + names[1], ports)]
    line = {
        "case": case, **({"layers": sorted(layers)} if text else {}), "inputs": ports[:len(names[0])],
        "outputs": ports[len(names[0]):],
        **{key: value for key, value in facts.items() if value not in ("", [])},
        "bytes": sum(map(len, files.values())),
        "sha256": {name: hashlib.sha256(files[name]).hexdigest()[:16] for name in sorted(files)}
    }
    return json.dumps(line, ensure_ascii=False)


def description(family, cases):
    """The text of <family>.jsonl."""
    lines = []
    for case, files in sorted(cases.items()):
        try:
            lines.append(described(case, files) + "\n")
        except (ValueError, KeyError) as error:
            raise ValueError(f"{family}/{case}: {error}") from error
    return "".join(lines)


def write(archive, cases):
    """Writes an archive: files sorted by name, no times, so that the same cases give the same bytes
    (with the same version of zlib)."""
    with zipfile.ZipFile(archive, "w") as file:
        for case, files in sorted(cases.items()):
            for name in sorted(files):
                entry = zipfile.ZipInfo(f"{archive.stem}/{case}/{name}", _TIME)
                entry.create_system = 3  # Unix on each system
                entry.external_attr = 0o100644 << 16
                file.writestr(entry, files[name], zipfile.ZIP_DEFLATED, 9)


def pack(root=ROOT):
    """Writes the archives of the families whose unpacked cases differ from <family>.jsonl, and
    removes those of families without cases. Returns the names of the changed families."""
    changed = []
    for packed, unpacked in folders(root).items():
        families = {path.stem for path in packed.glob("*.zip")}
        families |= {path.name for path in unpacked.iterdir()} if unpacked.is_dir() else set()
        for family in sorted(families):
            archive, listing = packed / f"{family}.zip", packed / f"{family}.jsonl"
            cases = unpacked_in(unpacked / family)
            text = description(family, cases)
            if archive.exists() and listing.exists() and listing.read_text() == text:
                continue
            changed.append(family)
            archive.unlink(missing_ok=True)
            listing.unlink(missing_ok=True)
            if cases:
                write(archive, cases)
                listing.write_text(text)
    unpack(root)
    return changed


def faults(root=ROOT):
    """Differences between each archive and its list, one line each."""
    found = []
    for packed in folders(root):
        families = {path.stem for pattern in ("*.zip", "*.jsonl") for path in packed.glob(pattern)}
        if not families:
            found.append(f"{packed.relative_to(root)}: has no archives")
        for family in sorted(families):
            archive, listing = packed / f"{family}.zip", packed / f"{family}.jsonl"
            if not archive.exists() or not listing.exists():
                found.append(f"{archive.relative_to(root)}: archive and .jsonl must both exist")
                continue
            found += _differences(archive, listing, archive.relative_to(root))
    return found


def _differences(archive, listing, name):
    """One line for each case whose line in the list is not that of the archive."""
    try:
        text = description(archive.stem, stored_in(archive))
    except (ValueError, zipfile.BadZipFile) as error:
        return [f"{name}: {error}"]
    held, listed = ({json.loads(line)["case"]: line for line in part.splitlines()}
                    for part in (text, listing.read_text()))
    lines = [f"{name}: {case} is in the "
             f"{'list, not in the archive' if case not in held else 'archive, not in the list'}"
             for case in sorted(held.keys() ^ listed.keys())]
    lines += [f"{name}: {case} differs from its line in {listing.name}; pack.py writes both"
              for case in sorted(held.keys() & listed.keys()) if held[case] != listed[case]]
    if not lines and text != listing.read_text():
        lines.append(f"{name}: {listing.name} must have one line a case, sorted by case")
    return lines
