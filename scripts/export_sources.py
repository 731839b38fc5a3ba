#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a folder with weft's runtime as sources, for build systems other than CMake.

    export_sources.py [MODEL...] -o FOLDER --for TEMPLATE [--build BUILD] [--url URL] [-- OPTION of weft convert...]

MODEL is a .tflite file or an OpenVINO IR. It is converted with the options, and FOLDER gets its C source and only
the sources that the models link. Without MODEL, FOLDER gets all sources. TEMPLATE adds the description for a build
system (export_templates.py). BUILD is a finished build folder for this machine, which has the generated header, the
headers of Highway and FlatBuffers, and the weft command. An earlier output is replaced.

src/ is the only include folder. Build systems compile every .cpp and .c below it, some with flags that a library
cannot set. Therefore src/weft_build.h has the definitions of weft's build, and each source includes it first. Some
builders collect objects by file name, so all source names are unique.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import export_templates

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROOMS = ("runtime", "kernels")
SUFFIXES = (".cc", ".h", ".inc")
FOR_TESTS = "kernels/reference"  # reference kernels
# Sources that refer to all steps or variants. A program with a model's C source does not need them.
REFERS_TO_ALL = ("runtime/steps.cc", "runtime/weft_c_steps.cc", "kernels/all_variants.cc")
# Highway targets that no board of these ecosystems has; only scalar code is compiled.
OTHER_TARGETS = re.compile(r"hwy/ops/(?:arm|x86|ppc|rvv|wasm|emu128|loongarch)")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]', re.MULTILINE)

BUILDS = ("build/host", "build/x86-64", "build/demo/host")
NOTICES = ("LICENSE", "NOTICE", "THIRD_PARTY_NOTICES")
MARK = ".weft-sources"  # a file in every output

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
#if defined(__GNUC__) && !defined(__clang__) && defined(__arm__) && defined(__ARM_FP) && \\
    (__ARM_FP & 4)
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


def convert(weft, model, folder, options):
    """Writes the C source of a model into `folder` and returns the step kinds and variants that it needs."""
    source = folder / f"{model.stem}.c"
    file = source.with_suffix(".weft")
    command = [weft, "convert", model, "--quiet", "-o", file, "--c-source", source, *options]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(1)
    file.unlink()  # the C source contains its bytes
    return re.findall(r"\bweft_(?:check|variant)_([a-z0-9_]+)", source.read_text())


def sources_of(parts, build):
    """Returns the paths of the sources below kernels and runtime/bind that these parts require."""
    command = ["cmake", f"-DBUILD={build.absolute()}", f"-DWEFT_PARTS={';'.join(sorted(set(parts)))}", "-P",
               ROOT / "cmake/ListParts.cmake"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {pathlib.Path(line) for line in lines if line}


def copy_rooms(src, build, parts):
    """Copies the firmware sources to the paths that includes use, also those generated in `build`. With `parts`, only
    the sources that these need."""
    sources = [path for room in ROOMS for path in (ROOT / room).rglob("*")
               if path.suffix in SUFFIXES and ROOT / FOR_TESTS not in path.parents]
    written = list((build.absolute() / "kernels").glob("*/*.cc"))
    if parts:
        needed = sources_of(parts, build)
        apart = {ROOT / path for path in REFERS_TO_ALL}
        written = [path for path in written if path in needed]
        sources = [path for path in sources if path.suffix != ".cc" or path in needed or
                   (path.parent == ROOT / "runtime" and path not in apart)]
        included = {name for path in (*sources, *written) for name in INCLUDE.findall(path.read_text())}
        sources += [path for name in included if name.endswith(".cc") and (path := ROOT / name) not in sources]
    for folder, paths in ((ROOT, sources), (build.absolute(), written)):
        for path in sorted(path.relative_to(folder) for path in paths):
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


def find_build(given):
    """Returns a finished build folder for this machine, or ends the program."""
    builds = [given] if given else [ROOT / name for name in BUILDS if (ROOT / name / "weft").exists()]
    if not builds:
        sys.exit(f"export_sources: {', '.join(BUILDS)}: no weft command; must be built, or --build must name a build")
    for needed in ("generated/runtime/format/weft_generated.h", "include/hwy", "weft"):
        if not (builds[0] / needed).exists():
            sys.exit(f"export_sources: {builds[0] / needed} is missing; weft must be built for this machine first")
    return builds[0]


def check_models(models):
    """Ends the program if the models cannot be in one folder."""
    for model in models:
        if model.suffix not in (".tflite", ".xml"):
            sys.exit(f"export_sources: {model}: the file name ends in \"{model.suffix}\"; must end in .tflite or .xml")
        if not model.exists():
            sys.exit(f"export_sources: {model} does not exist; must be a model")
    names = [model.stem for model in models]
    if taken := {"weft", "weft_build"}.intersection(names):
        sys.exit(f"export_sources: a model has the name {taken.pop()}, which is a header of weft; names must differ")
    if twice := sorted({name for name in names if names.count(name) > 1}):
        sys.exit(f"export_sources: two models have the name {twice[0]}; names must differ")


def prepare(output):
    """Empties the output folder; ends the program if it has other files."""
    if output.exists() and any(output.iterdir()):
        if not (output / MARK).exists():
            sys.exit(f"export_sources: {output} has other files; must be new, empty or an earlier output")
        shutil.rmtree(output)
    output.mkdir(parents=True, exist_ok=True)


def read_call():
    """Returns the arguments, and the options of weft convert."""
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", type=pathlib.Path, metavar="MODEL", help="a .tflite file or an IR")
    parser.add_argument("-o", "--output", required=True, type=pathlib.Path, help="the folder to write")
    parser.add_argument("--for", dest="template", required=True, choices=sorted(export_templates.TEMPLATES),
                        help="the build system")
    parser.add_argument("--build", type=pathlib.Path, help="a finished build folder of this machine")
    parser.add_argument("--url", default="", help="URL of the library's project")
    call = parser.parse_args(words[:split])
    if words[split + 1:] and not call.models:
        parser.error("options of weft convert are given without MODEL; must be given with it")
    return call, words[split + 1:]


def main():
    call, options = read_call()
    check_models(call.models)
    build = find_build(call.build)
    src = call.output / "src"
    with tempfile.TemporaryDirectory() as folder:  # a refused model leaves an earlier output as it was
        parts = [part for model in call.models
                 for part in convert(build / "weft", model, pathlib.Path(folder), options)]
        prepare(call.output)
        shutil.copytree(folder, src)
    (call.output / MARK).write_text("Written by scripts/export_sources.py, which replaces this folder.\n")
    copy_rooms(src, build, parts)
    shutil.copyfile(build / "generated/runtime/format/weft_generated.h", src / "runtime/format/weft_generated.h")
    copy_headers(src, build / "include")
    (src / "weft_build.h").write_text(BUILD_HEADER)
    (src / "weft.h").write_text(MAIN_HEADER)
    for name in NOTICES:
        shutil.copyfile(ROOT / name, call.output / name)
    names = [model.stem for model in call.models]
    export = export_templates.Export(ROOT, call.output, build / "weft", version(), call.url, names)
    export_templates.TEMPLATES[call.template](export)
    print(f"{call.output}: weft {version()}, {len(export.sources)} sources, for {call.template}")


if __name__ == "__main__":
    main()
