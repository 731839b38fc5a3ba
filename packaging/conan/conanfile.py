# SPDX-License-Identifier: Apache-2.0
"""The Conan 2 recipe of weft: `conan create packaging/conan`. It compiles the sources of this tree and downloads
Highway's, unless these settings of the profile or the command line (-c) name what exists:

    user.weft:highway_dir    a source tree of Highway
    user.weft:system_flatc   True: flatc and FlatBuffers of this machine, not Conan's
    user.weft:build_folder   a finished build, which `conan export-pkg` packages
"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.env import VirtualBuildEnv
from conan.tools.files import copy, get, load

_PARTS = ("cmake", "converter", "docs/safety.md", "include", "kernels", "runtime")
_FILES = ("CMakeLists.txt", "LICENSE", "NOTICE", "THIRD_PARTY_NOTICES")


class Weft(ConanFile):
    name = "weft"
    license = "Apache-2.0"
    description = "TensorFlow Lite and OpenVINO models in fixed memory: runtime, and optionally the converter"
    topics = ("neural-network", "microcontroller", "inference", "lstm", "gru")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False], "with_converter": [True, False]}
    default_options = {"shared": False, "fPIC": True, "with_converter": False}
    implements = ["auto_shared_fpic"]

    @property
    def _root(self):
        return os.path.normpath(os.path.join(self.recipe_folder, "..", ".."))

    def _conf(self, name, **options):
        return self.conf.get(f"user.weft:{name}", **options)

    def set_version(self):
        text = load(self, os.path.join(self._root, "CMakeLists.txt"))
        self.version = re.search(r"project\(weft VERSION ([0-9.]+)", text).group(1)

    def export_sources(self):
        for part in _PARTS:
            copy(self, part if "." in part else f"{part}/*", self._root, self.export_sources_folder)
        for name in _FILES:
            copy(self, name, self._root, self.export_sources_folder)

    def build_requirements(self):
        if not self._conf("system_flatc", default=False, check_type=bool):
            self.tool_requires("flatbuffers/23.5.26")

    def requirements(self):
        if self.options.with_converter:
            for reference in ("fmt/10.1.1", "nlohmann_json/3.11.3", "pugixml/1.14"):
                self.requires(reference, visible=False)

    def layout(self):
        cmake_layout(self)
        if folder := self._conf("build_folder"):
            self.folders.build = folder

    def generate(self):
        highway = self._conf("highway_dir")
        if not highway:
            text = load(self, os.path.join(self.source_folder, "cmake", "Highway.cmake"))
            highway = os.path.join(self.build_folder, "highway")
            get(self, re.search(r"URL (https://\S+\.tar\.gz)", text).group(1),
                sha256=re.search(r"sha256 ([0-9a-f]{64})", text).group(1), destination=highway, strip_root=True)
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # writes nothing into the tree
        toolchain.cache_variables["WEFT_BUILD_TESTS"] = False
        toolchain.cache_variables["WEFT_BUILD_CONVERTER"] = bool(self.options.with_converter)
        toolchain.cache_variables["WEFT_HIGHWAY_DIR"] = highway
        toolchain.generate()
        VirtualBuildEnv(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        for name in _FILES[1:]:
            copy(self, name, self.source_folder, os.path.join(self.package_folder, "licenses"))
        self.run(f'cmake --install "{self.build_folder}" --prefix "{self.package_folder}"')

    def package_info(self):
        # The package's own weftConfig.cmake defines weft::runtime and weft_add_model().
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "weft")]
        self.cpp_info.includedirs = [os.path.join("include", "weft"), "include"]
        self.cpp_info.libs = ["weft_runtime", "weft_kernels"]
        if os.path.exists(os.path.join(self.package_folder, "lib", "libweft_highway_targets.a")):
            self.cpp_info.libs.append("weft_highway_targets")
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["m"]
