#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs scripts/export_sources.py for every build system, and builds what it writes.

    sources_test.py SOURCE BUILD FOLDER

The Arduino library without a model, with every source, is built as the Arduino builder does: every source below src/,
with a board package's flags and no CMake. The Makefile and Meson's subproject of one model are built with their
tools. All programs must print the hash that is pinned for the model. The descriptions for other build systems are
parsed: they must name each source, and only files that exist.

As in some builders, objects are named after the source's file name, without its folder, and archived.
For a board the archive may require only memcpy, memmove and memset.

Two programs per compiler. The sketch Keypad, with stubs of Arduino's functions, processes a recording:
it must print its keys, and the linker must drop the kernels that its model does not use. The C program
of tests/c_api must print the hash that is pinned for its model on every target. The desktop compiler
builds both. If arm-none-eabi-g++ is installed, it also builds both and QEMU runs them; weft_build.h
must then prevent the compiler from fusing a * b + c, which is its default. Then it compiles every
source, and the desktop compiler only the sources that both models need.

Most of a source's compile time is FlatBuffers' headers, so they are precompiled, except for Meson.
"""
import concurrent.futures
import configparser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import wave
from xml.etree import ElementTree

# The flags of board packages for Cortex-M4, except -g, which does not change the code.
COMMON = ["-Os", "-w", "-MMD", "-ffunction-sections", "-fdata-sections"]
CXX = [
    "-std=gnu++17", "-fno-threadsafe-statics", "-fno-rtti", "-fno-exceptions", "--param",
    "max-inline-insns-single=500"
]
# Other machines with Linux, if their compilers and emulators are installed.
MACHINES = {"aarch64-linux-gnu": "qemu-aarch64", "arm-linux-gnueabihf": "qemu-arm", "riscv64-linux-gnu": "qemu-riscv64"}
CPU = ["-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"]
C_CASE = "state/streaming_gru"  # of tests/c_api/program.c
C_OPTIONS = ["--self-test", "2", "--region", "fast=12K:weights"]
MAX_SOURCES = 30  # of the program with this model; all steps have 190

ARDUINO = """\
// Stands in for Arduino.h: the ADC hears a recording, the clock runs by itself.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
enum { A0 = 14 };
extern const short recording[];
extern const int recording_count;
inline int heard = 0;
inline uint32_t micros() { static uint32_t now; return now += 5; }
inline void delay(int) { exit(1); }
inline int analogRead(int) { return heard < recording_count ? recording[heard++] / 64 + 512 : 512; }
struct {
  void begin(int) {}
  void print(char c) { putchar(c); }
  void println(const char* text) { puts(text); }
} Serial;
"""
SKETCH = """\
#include <Arduino.h>
#include "Keypad.ino"
int main() {
  setup();
  while (heard < recording_count) loop();
  putchar('\\n');
  return 0;
}
"""


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                            check=False, timeout=240, **options)
    if result.returncode != 0:
        sys.exit(f"exit {result.returncode}: {' '.join(map(str, command))}\n{result.stdout}"
                 f"{result.stderr}")
    return result.stdout


def expect(what, printed, must):
    """Compares the last line."""
    found = printed.strip().splitlines()[-1]
    if found != must:
        sys.exit(f"{what}: is {found!r}; must be {must!r}")
    print(f"{what}: {found}")


def launcher():
    """Returns the command before a compiler's: ccache, if it is installed, with precompiled headers."""
    ccache = shutil.which("ccache")
    return ["env", "CCACHE_DEPEND=1", "CCACHE_SLOPPINESS=pch_defines,time_macros", ccache] if ccache else []


def precompile(compiler, flags, folder):
    """Precompiles the headers of the runtime; returns the options that use them. C sources get an empty header."""
    header = folder / "headers.h"
    header.write_text('#ifdef __cplusplus\n#include "weft_build.h"\n#include "runtime/format/weft_generated.h"\n#endif\n')
    run(*launcher(), compiler, *flags, "-x", "c++-header", "-c", header, "-o", f"{header}.gch")
    return ["-fpch-preprocess", "-include", str(header)]


class Builder:
    """One compiler: compiles, archives and links in a separate folder."""
    def __init__(self, prefix, flags, library, folder):
        self.prefix, self.flags, self.folder, self.headers = prefix, flags, folder, []
        self.includes = [
            f"-I{library / 'examples/Keypad'}", f"-I{folder.parent}", f"-I{library / 'src'}"
        ]
        folder.mkdir()
        self.headers = precompile(prefix + "g++", [*flags, *COMMON, *CXX, *self.includes], folder)
        sources = sorted((library / "src").rglob("*.cpp"))
        names = [source.name for source in sources]
        if len(set(names)) != len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            sys.exit(f"src: {len(twice)} file names belong to more than one source: {twice}")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(self.compile, sources))
        self.archive = folder / "weft.a"
        run(prefix + "ar", "rcs", self.archive, *objects)

    def compile(self, source):
        compiler = "gcc" if source.suffix == ".c" else "g++"
        language = [] if source.suffix == ".c" else CXX
        if "runtime" in source.parts:
            language = [*language, *self.headers]
        target = self.folder / (source.name + ".o")
        run(*launcher(), self.prefix + compiler, *self.flags, *COMMON, *language, *self.includes,
            "-c", source, "-o", target)
        return target

    def link(self, name, sources, *options):
        program = self.folder / name
        run(self.prefix + "g++", *self.flags, *map(self.compile, sources), self.archive,
            "-Wl,--gc-sections", *options, "-o", program)
        symbols = run(self.prefix + "nm", program)
        for step, is_in in (("copy", True), ("conv", False), ("pool", False)):
            if (f" weft_run_{step}\n" in symbols) != is_in:
                sys.exit(f"{program}: weft_run_{step} must {'' if is_in else 'not '}be linked")
        return program


def expect_needs(archive, prefix, must):
    """Checks that the archive's undefined symbols are exactly these."""
    symbols = {"U": set(), "T": set()}
    for line in run(prefix + "nm", archive).splitlines():
        words = line.split()
        if len(words) >= 2:
            symbols["U" if words[-2] in "Uw" else "T"].add(words[-1])
    expect("needs", " ".join(sorted(symbols["U"] - symbols["T"])), must)


def write_recording(path, target):
    with wave.open(str(path)) as recording:
        samples = memoryview(recording.readframes(recording.getnframes())).cast("h")
    target.write_text(f"extern const int recording_count = {len(samples)};\n"
                      "extern const short recording[] = {" + ",".join(map(str, samples)) + "};\n")


def pinned_hash(source):
    text = (source / "tests/device/hashes.txt").read_text()
    return re.search(rf"^{C_CASE} (\w+)", text, re.MULTILINE).group(1)


def expect_no_fusing(board):
    """Checks weft_build.h with the board's compiler, which fuses a * b + c by default. (The desktop's
    compiler fuses only with flags that Arduino does not use.)"""
    for header, fused in (("", True), ('#include "weft_build.h"\n', False)):
        source = board.folder.parent / "fusing.cpp"
        source.write_text(header + "float f(float a, float b, float c) { return a * b + c; }\n")
        listing = run("arm-none-eabi-objdump", "-d", board.compile(source))
        if ("vfma" in listing) != fused:
            sys.exit(f"with {header or 'no header'!r}: a * b + c is{' not' * fused} fused")


def expect_soft_float_warning(library, folder):
    """A core without a floating-point unit causes one warning, unless WEFT_SOFT_FLOAT is set."""
    source = next(path for path in (library / "src").rglob("*.cpp")
                  if "#warning" in path.read_text())
    for flags, warns in ((["-mcpu=cortex-m3"], True), (["-mcpu=cortex-m0plus"], True),
                         (["-mcpu=cortex-m3", "-DWEFT_SOFT_FLOAT"], False), (CPU, False)):
        done = subprocess.run(
            ["arm-none-eabi-g++", *CXX, *flags, "-mthumb", f"-I{library / 'src'}", "-c", source,
             "-o", folder / "engine.o"], capture_output=True, text=True, check=True)
        if done.stderr.count("[-Wcpp]") != int(warns) or "note:" in done.stderr:
            sys.exit(f"{flags}: must {'warn once' if warns else 'not warn'}; printed\n{done.stderr}")


def link_board(boards):
    return ["-nostartfiles", "--specs=rdimon.specs", f"-L{boards}", f"-T{boards}/mps2-an386.ld"]


def export(source, build, output, template, *words):
    return run(sys.executable, source / "scripts/export_sources.py", "--build", build, "-o", output, "--for", template,
               *words)


def check_make(source, folder, cross, flags, link, runner):
    """Builds the exported Makefile, links the C program with its archive and compares the hash."""
    own = flags
    of_makefile = re.search(r"g\+\+ \$\(FLAGS\) (.*) -Isrc", (folder / "Makefile").read_text()).group(1).split()
    flags += precompile(cross + "g++", [*flags, *of_makefile, f"-I{folder / 'src'}"], folder)
    run("make", "-s", "-C", folder, "clean")
    run("make", "-s", "-C", folder, f"-j{os.cpu_count()}", f"CROSS={cross}", f"LAUNCHER={' '.join(launcher())}",
        f"FLAGS={' '.join(flags)}")
    program = folder / "program"
    run(cross + "gcc", *own, f"-I{folder / 'src'}", source / "tests/c_api/program.c",
        folder / "libweft_model.a", *link, "-Wl,--gc-sections", "-lm", "-o", program)
    expect(f"make, {cross or 'here'}", run(*runner, program), f"hash {pinned_hash(source)}")


def check_meson(source, folder):
    """Builds a project of Meson with the exported folder as a subproject, offline."""
    if not shutil.which("meson"):
        print("meson is missing: its subproject is not built")
        return
    project = folder / "meson project"
    (project / "subprojects").mkdir(parents=True)
    shutil.copytree(folder / "meson", project / "subprojects/meson")
    shutil.copy(folder / "meson/weft_model.wrap", project / "subprojects")
    shutil.copy(source / "tests/c_api/program.c", project)
    (project / "meson.build").write_text("project('user', 'c', default_options: ['c_std=c99'])\nexecutable('program', "
                                         "'program.c', dependencies: dependency('weft_model'))\n")
    compilers = {"CC": "ccache cc", "CXX": "ccache c++"} if shutil.which("ccache") else {}
    options = {"cwd": project, "env": {**os.environ, **compilers}}
    run("meson", "setup", "--wrap-mode=nodownload", "-Dbuildtype=release", "build", **options)
    run("ninja", "-C", "build", **options)
    expect("meson", run(project / "build/program"), f"hash {pinned_hash(source)}")


def names_in(folder, template):
    """Returns the source paths that the description for a build system contains, relative to the folder."""
    prefix = f"{folder.name}/"
    if template == "cmsis-pack":
        root = ElementTree.parse(folder / "weft.weft_model.pdsc").getroot()
        return [file.get("name") for file in root.iter("file") if file.get("category").startswith("source")]
    if template == "iar":
        root = ElementTree.parse(folder / "weft_model.ipcf").getroot()
        paths = [path.text for path in root.findall("files/group/path")]
        return [path.removeprefix("$PROJ_DIR$/" + prefix) for path in paths]
    if template == "cubeide":
        rows = configparser.ConfigParser()
        rows.optionxform = str
        rows.read(folder / ".extSettings")
        return [path.removeprefix(prefix) for path in rows["Groups"]["weft_model"].split(";")]
    name = {"keil": "weft_model.clayer.yml", "meson": "meson.build"}.get(template, "CMakeLists.txt")
    return re.findall(r"src/\S+\.(?:cpp|c)\b", (folder / name).read_text())


def check_descriptions(source, build, folder, model):
    """Exports the model for every build system and reads the descriptions."""
    for template in ("make", "meson", "arduino", "platformio", "esp-idf", "zephyr", "cmsis-pack", "keil", "cubeide", "iar"):
        output = folder / template
        for _ in range(2 if template == "make" else 1):  # the second call replaces the folder
            export(source, build, output, template, model, "--", *C_OPTIONS)
        there = sorted(str(path.relative_to(output)) for suffix in ("*.c", "*.cpp") for path in output.rglob(suffix))
        if len(there) > MAX_SOURCES:
            sys.exit(f"{template}: {len(there)} sources; at most {MAX_SOURCES}: {there}")
        if template in ("arduino", "platformio"):
            described = json.loads((output / "library.json").read_text())
            is_arduino = (output / "library.properties").exists()
            if described["name"] != "weft_model" or is_arduino != (template == "arduino"):
                sys.exit(f"{template}: {described}")
        elif template != "make" and sorted(names_in(output, template)) != there:
            sys.exit(f"{template}: names {names_in(output, template)}; must name {there}")
        if not {"LICENSE", "NOTICE", "THIRD_PARTY_NOTICES"} <= {path.name for path in output.iterdir()}:
            sys.exit(f"{template}: the licence texts are missing")
        print(f"{template}: {len(there)} sources")


def check_refusals(source, build, folder, model):
    """A call that cannot succeed prints one line and leaves the folders as they were."""
    (folder / "other").mkdir()
    (folder / "other/file.txt").touch()
    (folder / "weft.tflite").touch()
    (folder / "bad.tflite").write_bytes(b"no model")
    before = sorted((folder / "make").rglob("*"))
    for output, words, must in (("other", [model], "has other files; must be new, empty or an earlier output"),
                                ("make", [folder / "absent.xml"], "absent.xml does not exist; must be a model"),
                                ("make", [folder / "model.weft"], 'ends in ".weft"; must end in .tflite or .xml'),
                                ("make", [model, model], "two models have the name model; names must differ"),
                                ("make", [folder / "weft.tflite"], "has the name weft, which is a header of weft"),
                                ("make", [folder / "bad.tflite"], "bad.tflite")):
        done = subprocess.run([sys.executable, source / "scripts/export_sources.py", "--build", build, "-o",
                               folder / output, "--for", "make", *words], capture_output=True, text=True, check=False)
        lines = done.stderr.splitlines()
        if done.returncode != 1 or len(lines) != 1 or must not in lines[0]:
            sys.exit(f"{words}: exit {done.returncode}; must be 1 with one line that contains {must!r}\n{done.stderr}")
        if sorted((folder / "make").rglob("*")) != before:
            sys.exit(f"{words}: the earlier output has changed")
    print("refusals: ok")


def main():
    source, build, folder = map(pathlib.Path, sys.argv[1:4])
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    library = folder / "weft"
    print(export(source, build, library, "arduino"), end="")

    (folder / "Arduino.h").write_text(ARDUINO)
    (folder / "sketch.cpp").write_text(SKETCH)
    write_recording(source / "examples/dtmf/model/test.wav", folder / "recording.cpp")
    model = source / f"build/fixtures/cases/{C_CASE}/model.xml"
    run(build / "weft", "convert", model, "-o", folder / "model.weft", "--c-source", folder / "model.c",
        *C_OPTIONS)
    check_descriptions(source, build, folder, model)
    check_refusals(source, build, folder, model)
    sketch = [folder / "sketch.cpp", folder / "recording.cpp", library / "examples/Keypad/dtmf.c"]
    program = [source / "tests/c_api/program.c", folder / "model.c"]
    keys = (source / "examples/dtmf/model/test.txt").read_text().strip()

    has_board = shutil.which("arm-none-eabi-g++") and shutil.which("qemu-system-arm")
    if has_board:  # compiles every source
        export(source, build, folder / "both", "arduino", model, source / "examples/dtmf/model/dtmf.xml")
        (folder / "both/examples").symlink_to(library / "examples")
    here = Builder("", [], folder / "both" if has_board else library, folder / "here")
    expect("sketch here", run(here.link("sketch", sketch)), keys)
    expect("program here", run(here.link("program", program)), f"hash {pinned_hash(source)}")
    check_make(source, folder / "make", "", ["-Os"], [], [])
    for machine, emulator in MACHINES.items():
        if shutil.which(f"{machine}-g++") and shutil.which(emulator):
            check_make(source, folder / "make", f"{machine}-", ["-O0"], [], [emulator, "-L", f"/usr/{machine}"])
    check_meson(source, folder)

    if not has_board:
        print("arm-none-eabi-g++ or qemu-system-arm is missing: Cortex-M4 is not tested")
        return
    board = Builder("arm-none-eabi-", CPU, library, folder / "board")
    expect_no_fusing(board)
    expect_soft_float_warning(library, folder)
    expect_needs(board.archive, board.prefix, "memcpy memmove memset")
    boards = source / "toolchains/boards"
    link = link_board(boards)
    start = boards / "startup.c"
    expect("sketch on a Cortex-M4",
           run(boards / "run.sh", "mps2-an386", board.link("sketch", [*sketch, start], *link)),
           keys)
    expect("program on a Cortex-M4",
           run(boards / "run.sh", "mps2-an386", board.link("program", [*program, start], *link)),
           f"hash {pinned_hash(source)}")
    check_make(source, folder / "make", "arm-none-eabi-", ["-Os", *CPU], [*link, start],
               [boards / "run.sh", "mps2-an386"])


if __name__ == "__main__":
    main()
