#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the recipes of packaging/ with their own tools, as far as these are installed.

    packages_test.py SOURCE BUILD FOLDER

Conan packages the finished build and runs the recipe's test program with the package, without a network. Debian's tools
read the changelog and the package descriptions; each pattern of *.install must match a file of an installation, and each
installed file must be in a package or left out on purpose. The portfile of vcpkg runs with mocks of vcpkg's
functions: CMake configures the tree with its options, and each file that it names must exist.
"""
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

PARTS = ("CMakeLists.txt", "LICENSE", "NOTICE", "THIRD_PARTY_NOTICES", "cmake", "converter", "docs/safety.md", "include",
         "kernels", "runtime", "packaging")


def run(*words, **environment):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"exit {done.returncode}: {' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def expect(what, found, must):
    if found != must:
        sys.exit(f"{what}: is {found!r}; must be {must!r}")
    print(f"{what}: {found}")


def check_conan(source, build, folder, version):
    if not shutil.which("conan"):
        print("conan is missing: its recipe is not tested")
        return
    tree = folder / "tree"
    for part in PARTS:
        (tree / part).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (source / part).is_dir() else shutil.copy
        copy(source / part, tree / part)
    home = {"CONAN_HOME": str(folder / "conan")}
    highway = (build / "include/hwy").resolve().parent
    settings = [f"-c=user.weft:{name}={value}" for name, value in
                (("system_flatc", True), ("build_folder", build), ("highway_dir", highway))]
    run("conan", "profile", "detect", **home)
    printed = run("conan", "export-pkg", tree / "packaging/conan", "-nr", *settings, **home)
    kinds = len(re.findall("^WEFT_STEP", (source / "runtime/format/ops.inc").read_text(), re.MULTILINE))
    if f"\n{kinds} kinds of steps\n" not in printed:
        sys.exit(f"conan: the test program must print {kinds} kinds of steps; printed\n{printed}")
    sources = pathlib.Path(run("conan", "cache", "path", f"weft/{version}", "--folder=export_source", **home).split()[-1])
    for part in PARTS[:-1]:
        if not (sources / part).exists():
            sys.exit(f"conan: the exported sources lack {part}")
    print(f"conan: weft/{version} with {kinds} kinds of steps")


def check_debian(source, build, folder, version):
    debian = source / "packaging/debian"
    # The folders of a Debian package: libraries are below a folder for the processor.
    run("cmake", "--build", build, "--target", "weft_manual")  # part of `all`, but not of the target weft
    run("cmake", "--install", build, "--prefix", folder / "installed/usr")
    root = folder / "installed"
    files = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    files = [re.sub("^usr/lib(64)?/(?!x86|aarch)", "usr/lib/triple/", name) for name in files]
    left = set(files)
    for listed in (*sorted(debian.glob("*.install")), debian / "not-installed"):
        for line in listed.read_text().splitlines():
            pattern = line.split()[0]
            found = {name for name in files if fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(name, f"{pattern}/*")}
            if not found:
                sys.exit(f"{listed.name}: no installed file matches {pattern}: {sorted(files)}")
            left -= found
    expect("installed files without a package", sorted(left), [])
    if not shutil.which("dpkg-gencontrol"):
        print("dpkg-dev is missing: packaging/debian/control is not tested")
        return
    log = run("dpkg-parsechangelog", f"-l{debian / 'changelog'}")
    expect("version of the Debian package", re.search("^Version: (.*)$", log, re.MULTILINE)[1], version)
    for package in ("weft", "libweft-dev"):
        control = run("dpkg-gencontrol", f"-p{package}", f"-c{debian / 'control'}", f"-l{debian / 'changelog'}", "-O",
                      f"-P{root}", f"-f{folder / 'files'}", "-Vmisc:Depends=", "-Vshlibs:Depends=")
        expect("package", re.search("^Package: (.*)$", control, re.MULTILINE)[1], package)


# Mocks of vcpkg's functions: `configure` as vcpkg does, and check the file names.
VCPKG = """\
cmake_minimum_required(VERSION 3.22)
function(expect_file name)
  if(NOT EXISTS "${name}")
    message(FATAL_ERROR "portfile.cmake: ${name} does not exist")
  endif()
endfunction()
function(vcpkg_check_linkage)
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(of "" "SOURCE_PATH" "OPTIONS" ${ARGN})
  execute_process(COMMAND "${CMAKE_COMMAND}" -G Ninja -S "${of_SOURCE_PATH}" -B "${CONFIGURED}" ${of_OPTIONS}
                          --warn-unused-vars OUTPUT_VARIABLE talk ERROR_VARIABLE talk RESULT_VARIABLE result)
  if(result OR talk MATCHES "Manually-specified variables")
    message(FATAL_ERROR "portfile.cmake: options: ${talk}")
  endif()
endfunction()
function(vcpkg_cmake_install)
  execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${CURRENT_PACKAGES_DIR}" OUTPUT_QUIET
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(of "" "CONFIG_PATH" "" ${ARGN})
  expect_file("${CURRENT_PACKAGES_DIR}/${of_CONFIG_PATH}/weftConfig.cmake")
endfunction()
function(vcpkg_fixup_pkgconfig)
  expect_file("${CURRENT_PACKAGES_DIR}/lib/pkgconfig/weft.pc")
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(of "" "" "FILE_LIST" ${ARGN})
  foreach(name IN LISTS of_FILE_LIST)
    expect_file("${name}")
  endforeach()
  message(STATUS "copyright: ${of_FILE_LIST}")
endfunction()
include("${PORT}/portfile.cmake")
"""


def check_vcpkg(source, build, folder, version):
    port = source / "packaging/vcpkg"
    described = json.loads((port / "vcpkg.json").read_text())
    expect("version of the vcpkg port", described["version"], version)
    # A dependency that CMake needs and the port lacks would be downloaded during the build.
    names = {row if isinstance(row, str) else row["name"] for row in described["dependencies"]}
    expect("dependencies of the vcpkg port", sorted(names - {"vcpkg-cmake", "vcpkg-cmake-config"}),
           ["flatbuffers", "highway"])
    installed = folder / "vcpkg installed"
    (installed / "tools/flatbuffers").mkdir(parents=True)
    (installed / "include").mkdir()
    (installed / "include/flatbuffers").symlink_to((build / "include/flatbuffers").resolve())
    (installed / "tools/flatbuffers/flatc").symlink_to(shutil.which("flatc"))
    script = folder / "vcpkg.cmake"
    script.write_text(VCPKG)
    # vcpkg's toolchain file finds Highway; here the build's does.
    variables = {"PORT": port, "BUILD": build, "CONFIGURED": folder / "vcpkg build",
                 "CURRENT_PACKAGES_DIR": folder / "vcpkg package", "CURRENT_INSTALLED_DIR": installed,
                 "CURRENT_HOST_INSTALLED_DIR": installed}
    printed = run("cmake", *(f"-D{name}={value}" for name, value in variables.items()), "-P", script)
    expect("notices of the vcpkg port", printed.count("THIRD_PARTY_NOTICES"), 1)
    used = re.search("^WEFT_FLATC:.*=(.*)$", (folder / "vcpkg build/CMakeCache.txt").read_text(), re.MULTILINE)[1]
    expect("flatc of the vcpkg port", used, str(installed / "tools/flatbuffers/flatc"))


def main():
    source, build, folder = (pathlib.Path(word).absolute() for word in sys.argv[1:4])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    version = re.search(r"project\(weft VERSION ([\d.]+)", (source / "CMakeLists.txt").read_text()).group(1)
    check_debian(source, build, folder, version)
    check_vcpkg(source, build, folder, version)
    check_conan(source, build, folder, version)


if __name__ == "__main__":
    main()
