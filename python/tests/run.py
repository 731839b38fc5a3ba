# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel with an existing module, installs it into a separate folder and runs the tests on it:
run.py MODULE FOLDER. Needs no network. Exit code 77: this Python lacks required packages."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

_HERE = pathlib.Path(__file__).resolve().parent
_NEEDS = ("pip", "numpy", "nanobind", "scikit_build_core")


def _pip(*arguments):
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet",
                    *arguments], check=True)


def main(module, folder):
    missing = [name for name in _NEEDS if importlib.util.find_spec(name) is None]
    if missing:
        print(f"python: skipped: this Python has no {', '.join(missing)}; scripts/setup.sh installs "
              "them")
        return 77
    wheels, site = pathlib.Path(folder) / "wheel", pathlib.Path(folder) / "site"
    for path in (wheels, site):
        shutil.rmtree(path, ignore_errors=True)
    stable = "cp312" if ".abi3." in module else ""
    _pip("wheel", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels),
         f"--config-settings=cmake.define.WEFT_PYTHON_MODULE={module}",
         f"--config-settings=wheel.py-api={stable}", str(_HERE.parent))
    wheel, = wheels.glob("weft-*.whl")
    _pip("install", "--no-index", "--no-deps", "--target", str(site), str(wheel))
    run = subprocess.run([sys.executable, "-m", "unittest", "discover", "-s", str(_HERE), "-v"],
                         env={**os.environ, "PYTHONPATH": str(site)}, cwd=folder, check=False)
    return run.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
