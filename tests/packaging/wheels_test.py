#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds a wheel and the source archive with scripts/wheels.sh, around an existing module and without a network.

    wheels_test.py SOURCE MODULE FOLDER

The wheel must have a manylinux tag, contain the shared libraries that are not part of it, and run a model after
installation. The source archive must configure in an empty folder, and build the same package. Exit code 77: this
Python lacks required packages.
"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

NEEDS = ("pip", "numpy", "nanobind", "scikit_build_core", "auditwheel")
OFFLINE = {"WEFT_PIP_OPTIONS": "--no-index --no-build-isolation",
           **{f"{name}_proxy": "http://127.0.0.1:9" for name in ("http", "https", "all")}}
PROGRAM = """
import sys
import numpy
import weft
model = weft.convert(sys.argv[1])
answer = model(numpy.zeros(model.inputs[0].shape, numpy.float32))
print(weft.__file__, weft.__version__)
"""


def run(*words, code=0, **options):
    environment = {**os.environ, **OFFLINE, "PATH": os.pathsep.join([str(pathlib.Path(sys.executable).parent),
                                                                    os.environ["PATH"]])}
    environment.update(options.pop("env", {}))
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, env=environment,
                          **options)
    if done.returncode != code:
        sys.exit(f"exit {done.returncode}; must be {code}: {words}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def pip(*words):
    return run(sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *words)


def check_wheel(wheel, version, folder, model):
    """Checks the tags and the contents, and runs a model with the installed wheel."""
    tag = re.fullmatch(rf"weft-{re.escape(version)}-(cp3\d+)-(abi3|cp3\d+)-manylinux_2_\d+_\w+\.whl", wheel.name)
    if sys.platform == "linux" and not tag:
        sys.exit(f"{wheel.name}: must have a manylinux tag")
    names = zipfile.ZipFile(wheel).namelist()
    for needed in ("weft/__init__.py", "weft/py.typed", f"weft-{version}.dist-info/licenses/LICENSE"):
        if not any(name.endswith(needed) for name in names):
            sys.exit(f"{wheel.name}: has no {needed}: {names}")
    pip("install", "--no-index", "--no-deps", "--target", folder / "site", wheel)
    printed = run(sys.executable, "-c", PROGRAM, model, env={"PYTHONPATH": str(folder / "site")}, cwd=folder)
    print(f"{wheel.name}: runs: {printed.strip()}")


def check_archive(archive, version, folder, module):
    """Configures a build of the archive as pip does, and builds its wheel around the module."""
    with tarfile.open(archive) as packed:
        names = packed.getnames()
        packed.extractall(folder)
    tree = folder / f"weft-{version}"
    if any("__pycache__" in name or re.search("/tests/.*[.]", name) for name in names):
        sys.exit(f"{archive.name}: contains tests or compiled files")
    run("cmake", "-S", tree / "python", "-B", folder / "configured", f"-DPython_EXECUTABLE={sys.executable}",
        "-DSKBUILD_METADATA_DIR=metadata", f"-DFETCHCONTENT_BASE_DIR={folder / 'fetched'}")
    pip("wheel", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", folder / "again",
        f"--config-settings=cmake.define.WEFT_PYTHON_MODULE={module}", "--config-settings=wheel.py-api=", archive)
    again, = (folder / "again").glob(f"weft-{version}-*.whl")
    print(f"{archive.name}: configures, and builds {again.name}")


def check_refusals(source, folder):
    script = source / "scripts/wheels.sh"
    for words, code, must in (((), 2, "usage: scripts/wheels.sh FOLDER [PYTHON...]\n"),
                              ((folder / "refused", "absent-python"), 1, "wheels: absent-python: does not run or is "
                               "older than 3.10; must be Python 3.10 or later\n")):
        talk = run(script, *words, code=code)
        if talk != must:
            sys.exit(f"wheels.sh {words}: printed {talk!r}; must be {must!r}")


def main(source, module, folder):
    missing = [name for name in NEEDS if importlib.util.find_spec(name) is None]
    if missing or not shutil.which("bash"):
        print(f"skipped: this Python has no {', '.join(missing)}; scripts/setup.sh installs them")
        return 77
    source, folder = pathlib.Path(source), pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "files").mkdir(parents=True)
    version = re.search(r"project\(weft VERSION ([\d.]+)", (source / "CMakeLists.txt").read_text()).group(1)
    run(source / "scripts/wheels.sh", folder / "files", sys.executable, env={"WEFT_PYTHON_MODULE": module})
    files = sorted((folder / "files").iterdir())
    if len(files) != 2:
        sys.exit(f"wheels.sh wrote {files}; must be a wheel and an archive")
    check_wheel(next(path for path in files if path.suffix == ".whl"), version, folder,
                source / "examples/dtmf/model/dtmf.xml")
    check_archive(next(path for path in files if path.suffix == ".gz"), version, folder, module)
    check_refusals(source, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
