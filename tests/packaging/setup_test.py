#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs scripts/setup.sh on systems that are made of fake programs, without a network or containers.

    setup_test.py SOURCE FOLDER

Each case has a PATH with the shell's tools, a uname, and the programs and package managers of the case.
A fake package manager records its arguments. The lists of packages are written here once more, because
a column of scripts/packages.txt may be wrong.
"""
import os
import pathlib
import shutil
import subprocess
import sys

TOOLS = ("bash", "env", "dirname", "basename", "mkdir", "cat", "tail", "head", "grep", "id", "mktemp", "rm", "cp", "cmp",
         "tar", "mv", "ln", "chmod", "readlink", "sort")
LIBRARIES = "flatc flatbuffers/base.h pugixml.hpp nlohmann/json.hpp fmt/format.h"
# For each manager: the command that installs the packages of the set `convert`, and the probes that it
# cannot provide and without which the script stops.
CONVERT = {
    "apt-get": ("-qq -y -o Dpkg::Use-Pty=0 install --no-install-recommends g++ cmake ninja-build "
                "flatbuffers-compiler libflatbuffers-dev libpugixml-dev nlohmann-json3-dev libfmt-dev", ""),
    "dnf": ("-q -y --setopt=install_weak_deps=False install gcc-c++ cmake ninja-build flatbuffers-compiler "
            "flatbuffers-devel pugixml-devel json-devel fmt-devel", ""),
    "pacman": ("-S --noconfirm --needed gcc cmake ninja flatbuffers pugixml nlohmann-json fmt", ""),
    "brew": ("install cmake ninja flatbuffers pugixml nlohmann-json fmt", "c++|g++|clang++"),
    "vcpkg": ("install flatbuffers pugixml nlohmann-json fmt", "c++|g++|clang++ cmake ninja"),
}
# The script also tries /usr/bin/python3, which is not on the PATH of the cases.
HAS_NUMPY = subprocess.run(["/usr/bin/env", "-i", "/usr/bin/python3", "-c", "import numpy"], capture_output=True,
                           check=False).returncode == 0
NUMPY = "" if HAS_NUMPY else "python3:numpy "
DEMO = f"python3 {NUMPY}arm-none-eabi-g++ arm-none-eabi-g++:libstdc++.a qemu-system-arm"


class System:
    """A folder with a copy of the scripts and a PATH of its own."""
    def __init__(self, source, folder, name):
        self.root = folder / name
        (self.root / "scripts").mkdir(parents=True)
        (self.root / "bin").mkdir()
        for file in ("setup.sh", "packages.txt"):
            shutil.copy(source / "scripts" / file, self.root / "scripts" / file)
        for tool in TOOLS:
            (self.root / "bin" / tool).symlink_to(shutil.which(tool))
        self.add("uname", "echo Plan9")

    def add(self, name, body):
        path = self.root / "bin" / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!{shutil.which('bash')}\n{body}\n")
        path.chmod(0o755)

    def add_manager(self, name, result=0):
        self.add(name, f'echo "$*" >>"{self.root}/calls"\nexit {result}')

    def setup(self, code, *arguments, **environment):
        """Runs the script, checks its exit code and returns what it printed."""
        self.calls = ""
        (self.root / "calls").unlink(missing_ok=True)
        done = subprocess.run([self.root / "scripts/setup.sh", *arguments], capture_output=True, text=True,
                              check=False, timeout=60, env={"PATH": str(self.root / "bin"), **environment})
        if (self.root / "calls").exists():
            self.calls = (self.root / "calls").read_text()
        if done.returncode != code:
            sys.exit(f"{self.root.name} {arguments}: exit {done.returncode}; must be {code}\n{done.stderr}")
        if done.stdout:
            sys.exit(f"{self.root.name}: printed {done.stdout!r} on stdout; must be nothing")
        return done.stderr


def expect(what, text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"{what}: {part!r} is missing in\n{text}")
    print(f"{what}: ok")


def check_managers(source, folder):
    for manager, (must, lacks) in CONVERT.items():
        system = System(source, folder, manager)
        system.add_manager(manager)
        talk = system.setup(1 if lacks else 0, "convert")
        expect(f"{manager} installs", f"\n{system.calls}", f"\n{must}\n")
        if lacks:
            expect(f"{manager} reports", talk, f"setup.sh convert: missing on this system (Plan9): {lacks}; must")
        system.add_manager(manager, result=3)
        talk = system.setup(1, "convert")
        expect(f"{manager} fails", talk, "the packages could not be installed; build/setup.log has all lines")


def check_without_manager(source, folder):
    system = System(source, folder, "bare")
    for name, programs, lacks in (("convert", "c++|g++|clang++ cmake ninja", DEMO.split() + ["ccache"]),
                                  ("demo", f"c++|g++|clang++ cmake ninja {DEMO}", ["ccache", "valgrind"])):
        talk = system.setup(1, name)
        expect(f"bare {name}", talk, "no apt-get, dnf, pacman, brew or vcpkg here",
               f"CMake will download: {LIBRARIES}\n",
               f"setup.sh {name}: missing on this system (Plan9): {programs}; must be installed\n")
        for word in lacks:
            if f" {word}" in talk:
                sys.exit(f"{name}: names {word}, which it does not need:\n{talk}")
    expect("bare tests", system.setup(1), "setup.sh tests: missing", "chromedriver", "valgrind; must")
    expect("skipped", system.setup(0, WEFT_SKIP_SETUP="1"), "left out")
    expect("unknown set", system.setup(2, "most"), 'is "most"; must be convert, demo, tests or all')
    # With a compiler that finds every header, nothing is missing.
    for program in ("c++", "cmake", "ninja", "flatc"):
        system.add(program, "exit 0")
    expect("complete", system.setup(0, "convert"), "every package needed is installed",
           "CMake uses an installed Highway, else downloads it")
    # A compiler that finds no header: CMake downloads the libraries.
    system.add("c++", "exit 1")
    expect("no headers", system.setup(0, "convert"),
           "CMake will download: flatbuffers/base.h pugixml.hpp nlohmann/json.hpp fmt/format.h\n")


def check_probes(source, folder):
    """A file counts as present only if the compiler finds it, wherever the system has it."""
    system = System(source, folder, "probes")
    for program in ("c++", "cmake", "ninja", "flatc", "python3", "qemu-system-arm"):
        system.add(program, "exit 0")
    system.add("arm-none-eabi-g++", 'echo "${1#-print-file-name=}"')
    expect("no C++ library", system.setup(1, "demo"), "(Plan9): arm-none-eabi-g++:libstdc++.a; must")
    system.add("arm-none-eabi-g++", 'echo "/opt/arm/lib/${1#-print-file-name=}"')
    expect("C++ library", system.setup(0, "demo"), "every package needed is installed")
    system.add("python3", "exit 1")
    if not HAS_NUMPY:
        expect("no NumPy", system.setup(1, "demo"), "(Plan9): python3:numpy; must")


def check_user(source, folder):
    """Without root and sudo, the script prints the command for root."""
    system = System(source, folder, "user")
    system.add_manager("dnf")
    system.add("id", "echo 1000")
    system.setup(1, "convert")
    log = (system.root / "build/setup.log").read_text()
    expect("no root", log, "not root and no sudo here; run as root: dnf -q -y")
    system.add("sudo", '"$@"')
    system.setup(0, "convert")
    expect("sudo", system.calls, "install gcc-c++")


# The packages that set `all` adds. The script also tries /usr/lib/wine, which may have Wine's loader.
ALL = ("g++-mingw-w64-x86-64-posix ", " nodejs lld-19 llvm-19\n")
EMSCRIPTEN = "build/deps/emscripten/usr"


def write_program(path, body):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{shutil.which('bash')}\n{body}\n")
    path.chmod(0o755)


def add_debian(system):
    """A package manager that downloads one package, and the tool that unpacks it."""
    package = system.root / "package"
    write_program(package / "usr/bin/wasm-opt", 'echo "wasm-opt of $(basename "$0")"')
    write_program(package / "usr/lib/linux/ld-linux-any.so.2", '[ "$1" = --library-path ] || exit 9\nshift 2\n"$@"')
    for file in (".emscripten", "cache/sysroot/lib/wasm32-emscripten/libc.a",
                 "cache/sysroot/lib/wasm32-emscripten/lto/libc.a"):
        write_program(package / "usr/share/emscripten" / file, "")
    system.add("apt-get", f"""echo "$*" >>"{system.root}/calls"
case "$*" in
  *indextargets*) echo http://deb.debian.org/debian ;;
  *' source '*) exit 1 ;;
  *' download '*) : >emscripten.deb ;;
esac""")
    system.add("dpkg-deb", f'tar -c -C "{package}" .')


def check_all(source, folder):
    """Set `all` unpacks an Emscripten, if that of the system is too old."""
    system = System(source, folder, "all")
    add_debian(system)
    system.add("emcc", "echo 'emcc (Emscripten gcc/clang-like replacement) 3.1.6 ()'")
    talk = system.setup(0, "all")
    expect("all installs", system.calls, *ALL, " download emscripten binaryen ")
    expect("all fetches", talk, "fetching Emscripten from the archive of Debian trixie", "wasm-opt of wasm-opt")
    library = f"{EMSCRIPTEN}/share/emscripten/cache/sysroot/lib/wasm32-emscripten"
    expect("all unpacks", f"{sorted(path.name for path in (system.root / library).iterdir())}", "['libc.a']")
    expect("all sets", (system.root / EMSCRIPTEN / "share/emscripten/.emscripten").read_text(), "BINARYEN_ROOT = ")
    expect("all again", system.setup(0, "all"), "Emscripten is in build/deps/emscripten")
    shutil.rmtree(system.root / "build/deps/emscripten")
    system.add("dpkg-deb", "exit 1")
    expect("all without unpacking", system.setup(0, "all"), "could not fetch it")
    expect("no folder", f"{(system.root / 'build/deps/emscripten').exists()}", "False")
    system.add("emcc", "echo 'emcc (Emscripten gcc/clang-like replacement) 3.1.70 ()'")
    expect("all with Emscripten", system.setup(0, "all"), "Emscripten is installed")


def main():
    source, folder = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])
    shutil.rmtree(folder, ignore_errors=True)
    os.umask(0o022)
    check_managers(source, folder)
    check_without_manager(source, folder)
    check_probes(source, folder)
    check_user(source, folder)
    check_all(source, folder)


if __name__ == "__main__":
    main()
