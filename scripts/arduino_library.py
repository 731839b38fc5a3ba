#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes weft's runtime as an Arduino and PlatformIO library.

    arduino_library.py BUILD OUTPUT [--url URL]

BUILD is a finished build folder for this machine, which has the generated header, the headers of
Highway and FlatBuffers, and the weft command. OUTPUT gets library.properties, library.json, src/ (the
include root with every source) and examples/Keypad; an earlier library is replaced.

Arduino and PlatformIO compile every .cpp below src/ with flags that a library cannot set. Therefore
src/weft_build.h has the definitions of weft's build, and each source includes it first. Some builders
collect objects by file name, so all source names are unique.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROOMS = ("runtime", "kernels")
SUFFIXES = (".cc", ".h", ".inc")
FOR_TESTS = "kernels/reference"  # reference kernels
# Highway targets that no board of these ecosystems has; only scalar code is compiled.
OTHER_TARGETS = re.compile(r"hwy/ops/(?:arm|x86|ppc|rvv|wasm|emu128|loongarch)")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]', re.MULTILINE)

SENTENCE = "Recurrent and streaming neural networks in fixed memory."
PARAGRAPH = ("Runs models that the weft converter planned to the byte: LSTM, GRU, loops and state, "
             "without heap, exceptions or operating system.")

BUILD_HEADER = """\
// SPDX-License-Identifier: Apache-2.0
// What weft's own build gives to compilers on the command line: scalar kernels, and no fusing of
// a * b + c but where the kernels ask for it, so that results have the same bits on every board.
#ifndef WEFT_BUILD_H_
#define WEFT_BUILD_H_

#define HWY_COMPILE_ONLY_SCALAR
#define HWY_BROKEN_EMU128 1
#define HWY_NO_LIBCXX
#define FLATBUFFERS_MAX_ALIGNMENT 64
// Open has checked what an accessor would check again; assert() would bring text and stdio along.
#define FLATBUFFERS_ASSERT(condition) static_cast<void>(0)
#ifndef WEFT_TEXT
#define WEFT_TEXT 1
#endif

#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"  // notes on calls before GCC 7
#pragma GCC optimize("-ffp-contract=off", "-fno-math-errno")
#endif

// No pragma keeps GCC from calling sqrtf for the sake of errno.
#if defined(__GNUC__) && !defined(__clang__) && defined(__ARM_FP) && (__ARM_FP & 4)
static inline float weft_square_root(float x) {
  float root;
  __asm__("vsqrt.f32 %0, %1" : "=t"(root) : "t"(x));
  return root;
}
#define __builtin_sqrtf weft_square_root
#endif

#endif  // WEFT_BUILD_H_
"""

MAIN_HEADER = """\
// SPDX-License-Identifier: Apache-2.0
// What a sketch includes: both interfaces of weft. It needs C++17.
#ifndef WEFT_H_
#define WEFT_H_

#include "runtime/weft_c.h"
#ifdef __cplusplus
#include "runtime/weft.h"
#endif

#endif  // WEFT_H_
"""


def version():
    """Returns the project's version, which is defined in CMakeLists.txt."""
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(weft VERSION ([0-9.]+)", text).group(1)


def cpp_path(path):
    """Returns the path of a source as .cpp, which every builder compiles; its folder makes it unique."""
    path = pathlib.PurePath(path)
    return path.with_name(f"{path.parent.name}_{path.stem}.cpp")


def as_cpp(text):
    """Returns the text of a copied source, with includes of sources changed to their new names."""
    text = re.sub(r'(#(?:define HWY_TARGET_INCLUDE|include) ")([^"]+\.cc)"',
                  lambda line: f'{line[1]}{cpp_path(line[2])}"', text)
    return re.sub(r"^#include", '#include "weft_build.h"\n\n#include', text, count=1,
                  flags=re.MULTILINE)


def copy_rooms(src, build):
    """Copies the firmware sources to the paths that includes use, also those generated in `build`."""
    sources = [path.relative_to(ROOT) for room in ROOMS for path in (ROOT / room).rglob("*")
               if path.suffix in SUFFIXES and ROOT / FOR_TESTS not in path.parents]
    written = [path.relative_to(build) for path in (build / "kernels").glob("*/*.cc")]
    for folder, paths in ((ROOT, sources), (build, written)):
        for path in sorted(paths):
            target = src / (cpp_path(path) if path.suffix == ".cc" else path)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = (folder / path).read_text()
            target.write_text(as_cpp(text) if path.suffix == ".cc" else text)


def copy_headers(src, include_root):
    """Copies the headers of Highway and FlatBuffers that the copied sources include."""
    reached = [path for path in src.rglob("*") if path.is_file()]
    while reached:
        text = reached.pop().read_text(errors="replace")
        for name in INCLUDE.findall(text):
            source, target = include_root / name, src / name
            if not name.startswith(("hwy/", "flatbuffers/")) or OTHER_TARGETS.match(name):
                continue
            if target.exists() or not source.exists():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            reached.append(target)


def write_description(output, url):
    """Writes the library descriptions of both ecosystems."""
    fields = {
        "name": "weft", "version": version(), "author": "The weft authors",
        "maintainer": "The weft authors", "sentence": SENTENCE, "paragraph": PARAGRAPH,
        "category": "Data Processing", "url": url, "architectures": "*", "includes": "weft.h",
    }
    lines = [f"{name}={value}" for name, value in fields.items()]
    (output / "library.properties").write_text("\n".join(lines) + "\n")
    described = {
        "name": "weft", "version": version(), "description": f"{SENTENCE} {PARAGRAPH}",
        "keywords": ["neural network", "lstm", "gru", "inference"],
        "authors": [{"name": "The weft authors"}], "license": "Apache-2.0",
        "headers": "weft.h", "frameworks": "*", "platforms": "*",
        "build": {"flags": ["-std=gnu++17"]},
        "examples": [{"name": "Keypad", "base": "examples/Keypad",
                      "files": ["Keypad.ino", "debounce.h", "dtmf.c", "dtmf.h"]}],
    }
    if url:
        described["homepage"] = url
    (output / "library.json").write_text(json.dumps(described, indent=2) + "\n")


def write_example(output, weft):
    """Copies the sketch and converts its model with this build's weft."""
    folder = output / "examples" / "Keypad"
    shutil.copytree(ROOT / "examples/arduino/Keypad", folder)
    shutil.copyfile(ROOT / "examples/dtmf/debounce.h", folder / "debounce.h")
    model = folder / "dtmf.weft"
    subprocess.run([weft, "convert", ROOT / "examples/dtmf/model/dtmf.xml", "-o", model,
                    "--c-source", folder / "dtmf.c"], check=True, capture_output=True)
    model.unlink()  # dtmf.c contains its bytes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="a finished build folder of this machine")
    parser.add_argument("output", type=pathlib.Path, help="the library's folder")
    parser.add_argument("--url", default="", help="URL of the library's project")
    call = parser.parse_args()
    generated = call.build / "generated/runtime/format/weft_generated.h"
    for needed in (generated, call.build / "include/hwy", call.build / "weft"):
        if not needed.exists():
            print(f"{needed} is missing; build weft for this machine first", file=sys.stderr)
            return 1
    if call.output.exists() and any(call.output.iterdir()):
        if not (call.output / "library.properties").exists():
            print(f"{call.output} is not a library folder; must be new, empty or an earlier output",
                  file=sys.stderr)
            return 1
        shutil.rmtree(call.output)
    src = call.output / "src"
    src.mkdir(parents=True)
    copy_rooms(src, call.build)
    shutil.copyfile(generated, src / "runtime/format/weft_generated.h")
    copy_headers(src, call.build / "include")
    (src / "weft_build.h").write_text(BUILD_HEADER)
    (src / "weft.h").write_text(MAIN_HEADER)
    for name in ("LICENSE", "NOTICE", "THIRD_PARTY_NOTICES"):
        shutil.copyfile(ROOT / name, call.output / name)
    write_description(call.output, call.url)
    write_example(call.output, call.build / "weft")
    print(f"{call.output}: weft {version()}, {sum(1 for _ in src.rglob('*.cpp'))} sources")
    return 0


if __name__ == "__main__":
    sys.exit(main())
