# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel with an existing module, installs it into a separate folder and runs the tests on it:
run.py MODULE FOLDER [COMMAND...]. COMMAND is the Python that runs the tests, instead of this one: a Python for Windows
under Wine, which must have NumPy and nanobind. Needs no network. Exit code 77: this Python lacks required packages."""
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


def main(module, folder, *command):
    missing = [name for name in _NEEDS if importlib.util.find_spec(name) is None]
    if missing:
        print(f"python: skipped: this Python has no {', '.join(missing)}; scripts/setup.sh installs "
              "them")
        return 77
    wheels, site = pathlib.Path(folder) / "wheel", pathlib.Path(folder) / "site"
    for path in (wheels, site):
        shutil.rmtree(path, ignore_errors=True)
    stable = "cp312" if ".abi3." in module or module.endswith(".pyd") else ""
    target = []
    if command:
        os.environ["_PYTHON_HOST_PLATFORM"] = "win-amd64"  # the platform in the name of the wheel
        target = ["--platform", "win_amd64", "--only-binary", ":all:"]
    _pip("wheel", "--no-index", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels),
         f"--config-settings=cmake.define.WEFT_PYTHON_MODULE={module}",
         f"--config-settings=wheel.py-api={stable}", str(_HERE.parent))
    wheel, = wheels.glob("weft-*.whl")
    _pip("install", "--no-index", "--no-deps", "--target", str(site), *target, str(wheel))
    # Under Wine, Python needs pipes as its standard streams.
    with subprocess.Popen([*(command or [sys.executable]), "-m", "unittest", "discover", "-s", str(_HERE), "-v"],
                          env={**os.environ, "PYTHONPATH": str(site)}, cwd=folder, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as run:
        run.stdin.close()
        for line in run.stdout:
            sys.stdout.buffer.write(line)
    return run.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
