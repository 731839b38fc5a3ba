#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs examples/models/run.py without network on a small model, and checks the pages of all models.

    models_test.py SOURCE FOLDER WEFT_COMMAND [PRESET BUILD]

The model is the keypad decoder in a wheel that this test creates; its outputs of OpenVINO are the
reference. run.py must fetch the wheel by its hash, convert, run, compare, measure, and write the
page. With PRESET and BUILD, a cross build, it also runs the firmware. Wrong hashes, unknown models
and a missing command must give one clear line. Files of a repository are downloaded once, from the
address of their commit, and must have their hash.
"""
import hashlib
import io
import pathlib
import re
import shutil
import subprocess
import sys
import unittest.mock
import urllib.error
import zipfile

WHEEL = "keypad-1.0-py3-none-any.whl"
METADATA = "Metadata-Version: 2.1\nName: keypad\nVersion: 1.0\n"
MODEL = '''
WHEELS = "keypad==1.0 --hash=sha256:DIGEST"
import numpy as np
from common.task import Task, snr

def prepare(wheels, work):
    folder = wheels / "keypad-1.0"
    audio = np.load(folder / "audio_frames.npy")[:120]
    expected = np.load(folder / "expected.npy")[:120]

    def measure(outputs):
        flips = np.sum(outputs["keys"].argmax(-1) != expected.argmax(-1))
        return [f"{flips} of {len(expected)}", snr(expected, outputs["keys"])]

    return [Task(model=folder / "dtmf.xml", options=[], inputs={"audio": audio},
                reference={"keys": expected}, peer="NumPy", run_peer=lambda: np.dot(audio[0], audio[0].T),
                measures=["keys that differ", "SNR"], measure=measure,
                show=lambda outputs: f"shown {len(outputs['keys'])}",
                part="keys", precisions=(("f32",), ("f16",), ("i8", "--min-snr", "0")))]
'''


def expect(condition, what):
    if not condition:
        sys.exit(what)


def write_example(source, folder):
    """Writes the wheel and the files of the example; returns the folder of models."""
    folder.mkdir(parents=True)
    with zipfile.ZipFile(folder / WHEEL, "w") as archive:
        for name in ("dtmf.xml", "dtmf.bin", "audio_frames.npy", "expected.npy"):
            archive.write(source / "examples/dtmf/model" / name, name)
        archive.writestr("keypad-1.0.dist-info/METADATA", METADATA)
        archive.writestr("keypad-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("keypad-1.0.dist-info/RECORD", "")
    example = folder / "models/keypad"
    example.mkdir(parents=True)
    digest = hashlib.sha256((folder / WHEEL).read_bytes()).hexdigest()
    (example / "model.py").write_text(MODEL.replace("DIGEST", digest))
    (example / "README.md").write_text("before\n<!-- results -->\nold\n<!-- end -->\nafter\n")
    return folder / "models"


def call(source, folder, weft, *words, name="keypad"):
    return subprocess.run(
        [sys.executable, source / "examples/models/run.py", name, "--no-environment", "--models",
         folder / "models", "--work", folder / "work", "--weft", weft, "--pip-option=--no-index",
         f"--pip-option=--find-links={folder}", "--rounds", "1", *map(str, words)], capture_output=True, text=True,
        check=False)


def rows_of(text):
    """The cells of the last table of a text."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines
            if not line.startswith("| ---")]


def check_results(run, boards):
    """The printed table has the model's sizes, and each precision its accuracy."""
    expect(run.returncode == 0, f"run.py: exit {run.returncode}: {run.stdout}{run.stderr}")
    expect("shown 120" in run.stdout, f"run.py shows no result: {run.stdout}")
    head, f32, f16, i8 = rows_of(run.stdout)
    expect(len({len(head), len(f32), len(f16), len(i8)}) == 1, f"rows differ in length: {run.stdout}")
    column = {name: i for i, name in enumerate(head)}
    expect(f32[column["file"]] == "28.8 KB" and f32[column["state, bytes"]] == "96", f"sizes: {f32}")
    expect(f32[0] == "keys `f32`" and i8[0] == "keys `i8 --min-snr 0`", f"labels: {f32[0]} {i8[0]}")
    expect(len({row[column["NumPy, µs"]] for row in (f32, f16, i8)}) == 1, f"times of NumPy: {run.stdout}")
    for row, least in ((f32, 100), (f16, 40), (i8, 20)):
        expect(row[column["keys that differ"]] == "0 of 120", f"keys: {row}")
        decibels = float(row[column["SNR"]].split()[0])
        expect(decibels >= least, f"SNR: {row}")
        expect(float(row[column["weft, µs"]]) > 0 and float(row[column["NumPy, µs"]]) > 0, f"{row}")
        if boards:
            flash = float(row[-3].split()[0])
            expect(30 < flash < 120, f"flash of the firmware: {row}")
            expect(row[-1].endswith((" k", " M")), f"instructions: {row}")


def check_errors(source, folder, weft):
    """Wrong input gives one clear line and exit code 1 or 2."""
    model = folder / "models/keypad/model.py"
    text = model.read_text()
    model.write_text(re.sub(r"sha256:.", "sha256:" + ("1" if "sha256:0" in text else "0"), text))
    run = call(source, folder, weft, "--no-boards")
    expect(run.returncode == 1 and len(run.stderr.strip().splitlines()) == 1 and
           "run.py: keypad: " in run.stderr, f"wrong hash: exit {run.returncode}: {run.stderr}")
    model.write_text(text)
    run = call(source, folder, weft, "--no-boards", name="absent")
    expect(run.returncode == 2 and "absent is no model; must be one of" in run.stderr, run.stderr)
    own = folder / "models/own/model.py"
    own.parent.mkdir()
    own.write_text('FOLDER = "a folder with tones"\n')
    run = call(source, folder, weft, "--no-boards", "--folder", folder / "absent", name="own")
    expect(run.returncode == 1 and run.stderr == f"run.py: own: --folder is {folder / 'absent'}; must "
           "be a folder with tones\n", f"absent folder: exit {run.returncode}: {run.stderr}")
    own.write_text(f'REPOSITORY = "owner/name {"0" * 40}"\nFILES = "data/{WHEEL} {"1" * 64}"\n')
    run = call(source, folder, weft, "--no-boards", "--folder", folder, name="own")
    digest = hashlib.sha256((folder / WHEEL).read_bytes()).hexdigest()
    expect(run.returncode == 1 and run.stderr == f"run.py: own: {folder / WHEEL} has SHA-256 {digest}; "
           f"must be {'1' * 64}. Delete the file to download it again\n", f"wrong file: {run.stderr}")
    run = call(source, folder, folder / "no-weft", "--no-boards")
    expect(run.returncode == 2 and "does not exist; build it by" in run.stderr, run.stderr)


def check_board(source, folder, weft, preset, build):
    """The firmware has the desktop's outputs, and the page gets the table only with all boards."""
    subprocess.run(["cmake", "--install", build, "--prefix", folder / "work/prefix" / preset],
                   check=True, capture_output=True)
    check_results(call(source, folder, weft, "--boards", preset), True)
    page = (folder / "models/keypad/README.md").read_text()
    expect("\nold\n" in page, f"the page has a table without all boards: {page}")


def check_writing(source, folder):
    """page.write replaces the results and nothing else."""
    sys.path.insert(0, str(source / "examples/models"))
    from common import page  # pylint: disable=import-outside-toplevel,import-error
    path = folder / "page.md"
    path.write_text("before\n<!-- results -->\nold\n<!-- end -->\nafter\n")
    page.write(path, page.table(["a", "b"], [["1", "2"]]))
    expect(path.read_text() == "before\n<!-- results -->\n| a | b |\n| --- | ---: |\n| 1 | 2 |\n"
           "<!-- end -->\nafter\n", path.read_text())


def check_downloads(source, folder):
    """A missing file is downloaded once; a failed download leaves no file."""
    sys.path.insert(0, str(source / "examples/models"))
    from common import download, wheels  # pylint: disable=import-outside-toplevel,import-error
    data, target = b"weights", folder / "downloads"
    lines = f"\nsrc/data.c {hashlib.sha256(data).hexdigest()}\n"
    with unittest.mock.patch("urllib.request.urlopen", side_effect=urllib.error.URLError("no network")):
        try:
            download.fetch("owner/name 12ab", lines, target)
            sys.exit("a download without network has no error")
        except wheels.Failure as error:
            expect("src/data.c cannot be downloaded: " in str(error), str(error))
    expect(not list(target.iterdir()), "a failed download leaves a file")
    with unittest.mock.patch("urllib.request.urlopen", side_effect=lambda *_, **__: io.BytesIO(data)) as opened:
        for _ in range(2):
            expect(download.fetch("owner/name 12ab", lines, target) == target, "another folder")
        address = "https://raw.githubusercontent.com/owner/name/12ab/src/data.c"
        expect([each.args[0] for each in opened.call_args_list] == [address], str(opened.call_args_list))
    expect([path.name for path in target.iterdir()] == ["data.c"], "files of a download")


def is_fixed(code):
    """Returns true if a model.py names wheels or files with their hashes, or a folder of the user."""
    wheels = re.search(r'^WHEELS = """\n(.+?)"""', code, re.S | re.M)
    files = re.search(r'^REPOSITORY = "[\w./-]+ [0-9a-f]{40}"\nFILES = """\n(.+?)"""', code, re.S | re.M)
    if not wheels and not files:
        return "\nFOLDER = " in code
    form = r"[\w.-]+==[\w.]+( --hash=sha256:[0-9a-f]{64})+" if wheels else r"[\w./-]+ [0-9a-f]{64}"
    return all(re.fullmatch(form, line) for line in (wheels or files).group(1).splitlines())


def check_pages(source):
    """Each model has a fixed wheel or fixed files, a page with a question, its command and measured rows."""
    listed = (source / "examples/models/README.md").read_text()
    folders = sorted(path.parent for path in source.glob("examples/models/*/model.py"))
    expect(folders, "examples/models has no model")
    for folder in folders:
        text, name = (folder / "README.md").read_text(), folder.name
        code = (folder / "model.py").read_text()
        expect(is_fixed(code), f"{folder}/model.py: WHEELS must have lines NAME==VERSION "
               "--hash=sha256:..., FILES lines PATH SHA-256 after REPOSITORY")
        expect(f"({name}/README.md)" in listed, f"examples/models/README.md does not list {name}")
        for must in (f"# {name}: ", "This page answers: ", f"examples/models/run.py {name}"):
            expect(must in text, f"{folder}/README.md: has no `{must}`")
        table = re.search(r"<!-- results -->\n(.*?)<!-- end -->", text, re.S)
        rows = rows_of(table.group(1)) if table else []
        expect(len(rows) >= 2 and "ratio" in rows[0] and "M55: flash" in rows[0],
               f"{folder}/README.md: has no measured rows; run.py {name} writes them")
        expect(len(set(map(len, rows))) == 1, f"{folder}/README.md: rows differ in length")


def main():
    source, folder = map(pathlib.Path, sys.argv[1:3])
    weft = pathlib.Path(sys.argv[3])
    shutil.rmtree(folder, ignore_errors=True)
    write_example(source, folder)
    if len(sys.argv) > 4:
        check_board(source, folder, weft, *sys.argv[4:])
        return
    check_results(call(source, folder, weft, "--no-boards"), False)
    check_errors(source, folder, weft)
    check_writing(source, folder)
    check_downloads(source, folder)
    check_pages(source)


if __name__ == "__main__":
    main()
