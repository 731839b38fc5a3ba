# SPDX-License-Identifier: Apache-2.0
"""The build systems for which export_sources.py writes a folder. A template is a function that gets an Export, whose
src/ is complete, and adds the files by which its build system finds the sources."""
import dataclasses
import json
import pathlib
import shutil
import subprocess
from xml.sax.saxutils import escape

SENTENCE = "Recurrent and streaming neural networks in fixed memory."
PARAGRAPH = ("Runs models that the weft converter planned to the byte: LSTM, GRU, loops and state, "
             "without heap, exceptions or operating system.")
CXX_FLAGS = "-std=gnu++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics"


@dataclasses.dataclass
class Export:
    root: pathlib.Path  # of weft
    output: pathlib.Path  # the folder
    weft: pathlib.Path  # the command
    version: str
    url: str
    models: list  # the names of the models; empty: the sources of every step

    @property
    def sources(self):
        """The sources to compile, relative to the folder, with / between names."""
        paths = [path.relative_to(self.output).as_posix() for path in (self.output / "src").rglob("*")]
        return sorted(path for path in paths if path.endswith((".c", ".cpp")))

    @property
    def name(self):
        """The name of the library."""
        return "_".join(["weft", *self.models])

    def write(self, name, text):
        path = self.output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _make(export):
    export.write("Makefile", f"""\
# Builds the archive lib{export.name}.a. For a board: make CROSS=arm-none-eabi- FLAGS="-O2 -mcpu=cortex-m4 ..."
FLAGS ?= -O2
CPP := $(wildcard src/*/*.cpp src/*/*/*.cpp)
C := $(wildcard src/*.c)
lib{export.name}.a: $(CPP:.cpp=.o) $(C:.c=.o)
\t$(CROSS)ar rcs $@ $^
%.o: %.cpp
\t$(LAUNCHER) $(CROSS)g++ $(FLAGS) {CXX_FLAGS} -ffunction-sections -fdata-sections -Isrc -c $< -o $@
%.o: %.c
\t$(LAUNCHER) $(CROSS)gcc $(FLAGS) -std=gnu99 -ffunction-sections -fdata-sections -Isrc -c $< -o $@
clean:
\trm -f lib{export.name}.a $(CPP:.cpp=.o) $(C:.c=.o)
""")


def _write_example(export):
    """Copies the sketch and converts its model."""
    folder = export.output / "examples" / "Keypad"
    shutil.copytree(export.root / "examples/arduino/Keypad", folder)
    shutil.copyfile(export.root / "examples/dtmf/debounce.h", folder / "debounce.h")
    model = folder / "dtmf.weft"
    subprocess.run([export.weft, "convert", export.root / "examples/dtmf/model/dtmf.xml", "-o", model,
                    "--c-source", folder / "dtmf.c"], check=True, capture_output=True)
    model.unlink()  # dtmf.c contains its bytes


def _platformio(export):
    described = {
        "name": export.name, "version": export.version, "description": f"{SENTENCE} {PARAGRAPH}",
        "keywords": ["neural network", "lstm", "gru", "inference"],
        "authors": [{"name": "The weft authors"}], "license": "Apache-2.0",
        "headers": "weft.h", "frameworks": "*", "platforms": "*",
        "build": {"flags": ["-std=gnu++17"]},
    }
    if (export.output / "examples").exists():
        described["examples"] = [{"name": "Keypad", "base": "examples/Keypad",
                                  "files": ["Keypad.ino", "debounce.h", "dtmf.c", "dtmf.h"]}]
    if export.url:
        described["homepage"] = export.url
    export.write("library.json", json.dumps(described, indent=2) + "\n")


def _arduino(export):
    """PlatformIO also reads Arduino libraries, and prefers its own description."""
    fields = {
        "name": export.name, "version": export.version, "author": "The weft authors",
        "maintainer": "The weft authors", "sentence": SENTENCE, "paragraph": PARAGRAPH,
        "category": "Data Processing", "url": export.url, "architectures": "*",
        "includes": ",".join(f"{name}.h" for name in export.models) or "weft.h",
    }
    export.write("library.properties", "".join(f"{name}={value}\n" for name, value in fields.items()))
    if not export.models:
        _write_example(export)
    _platformio(export)


def _esp_idf(export):
    lines = "\n".join(f'       "{path}"' for path in export.sources)
    export.write("CMakeLists.txt", f"""\
# A component of ESP-IDF: copy this folder to components/{export.name}.
idf_component_register(
  SRCS
{lines}
  INCLUDE_DIRS "src")
target_compile_options(${{COMPONENT_LIB}} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-std=gnu++17> -O2)
""")
    url = f'url: "{export.url}"\n' if export.url else ""
    export.write("idf_component.yml", f'version: "{export.version}"\ndescription: "{SENTENCE}"\n{url}'
                                      'license: "Apache-2.0"\ndependencies:\n  idf: ">=5.0"\n')


def _zephyr(export):
    option = export.name.upper()
    lines = "\n".join(f"    {path}" for path in export.sources)
    export.write("zephyr/module.yml", f"name: {export.name}\nbuild:\n  cmake: .\n  kconfig: Kconfig\n")
    export.write("Kconfig", f'config {option}\n\tbool "{SENTENCE}"\n\tdepends on CPP && REQUIRES_FULL_LIBCPP\n')
    export.write("CMakeLists.txt", f"""\
# A Zephyr module: add this folder to ZEPHYR_EXTRA_MODULES and set CONFIG_{option}=y.
if(CONFIG_{option})
  zephyr_include_directories(src)
  zephyr_library_named({export.name})
  zephyr_library_sources(
{lines})
endif()
""")


def _cmsis_pack(export):
    files = "\n".join(f'        <file category="source{"Cpp" if path.endswith(".cpp") else "C"}" name="{escape(path)}"/>'
                      for path in export.sources)
    url = escape(export.url or "https://example.invalid/")
    export.write(f"weft.{export.name}.pdsc", f"""\
<?xml version="1.0" encoding="UTF-8"?>
<package schemaVersion="1.7.7" xmlns:xs="http://www.w3.org/2001/XMLSchema-instance"
         xs:noNamespaceSchemaLocation="PACK.xsd">
  <vendor>weft</vendor>
  <name>{escape(export.name)}</name>
  <description>{SENTENCE}</description>
  <url>{url}</url>
  <license>LICENSE</license>
  <releases>
    <release version="{export.version}">Sources of weft {export.version}.</release>
  </releases>
  <components>
    <component Cclass="Machine Learning" Cgroup="weft" Csub="{escape(export.name)}" Cversion="{export.version}">
      <description>{PARAGRAPH}</description>
      <files>
        <file category="include" name="src/"/>
{files}
      </files>
    </component>
  </components>
</package>
""")


def _keil(export):
    files = "\n".join(f"        - file: {path}" for path in export.sources)
    export.write(f"{export.name}.clayer.yml", f"""\
# A layer of a CMSIS solution (Keil MDK 6, CMSIS-Toolbox): add it to the project's layers, and set
# language-CPP: c++17 there.
layer:
  type: {export.name}
  description: {SENTENCE}
  add-path:
    - src
  groups:
    - group: {export.name}
      files:
{files}
""")


def _cubeide(export):
    files = ";".join(f"{export.output.name}/{path}" for path in export.sources)
    export.write(".extSettings", f"""\
[ProjectFiles]
HeaderPath={export.output.name}/src
[Groups]
{export.name}={files}
[Others]
Define=
HALModule=
""")


def _iar(export):
    files = "\n".join(f"      <path>$PROJ_DIR$/{escape(export.output.name)}/{escape(path)}</path>"
                      for path in export.sources)
    export.write(f"{export.name}.ipcf", f"""\
<?xml version="1.0" encoding="UTF-8"?>
<iarProjectConnection version="1.2" name="{escape(export.name)}" oneShot="true">
  <includePath>
    <path>$PROJ_DIR$/{escape(export.output.name)}/src</path>
  </includePath>
  <files>
    <group name="{escape(export.name)}">
{files}
    </group>
  </files>
</iarProjectConnection>
""")


def _meson(export):
    """A subproject: the folder in subprojects/, and the wrap next to it."""
    lines = "\n".join(f"  '{path}'," for path in export.sources)
    flags = ", ".join(f"'{flag}'" for flag in CXX_FLAGS.split()[1:])
    export.write("meson.build", f"""\
project('{export.name}', 'c', 'cpp', version: '{export.version}', license: 'Apache-2.0', meson_version: '>=0.60',
  default_options: ['cpp_std=gnu++17', 'c_std=gnu99', 'buildtype=release', 'cpp_eh=none', 'cpp_rtti=false'])
include = include_directories('src', is_system: true)
library = static_library('{export.name}',
{lines}
  include_directories: include,
  cpp_args: [{flags}, '-ffunction-sections', '-fdata-sections'],
  dependencies: meson.get_compiler('cpp').find_library('m', required: false))
{export.name}_dep = declare_dependency(include_directories: include, link_with: library)
meson.override_dependency('{export.name}', {export.name}_dep)
""")
    export.write(f"{export.name}.wrap", f"[wrap-file]\ndirectory = {export.output.name}\n\n[provide]\n"
                                        f"{export.name} = {export.name}_dep\n")


TEMPLATES = {
    "make": _make, "meson": _meson, "arduino": _arduino, "platformio": _platformio, "esp-idf": _esp_idf, "zephyr": _zephyr,
    "cmsis-pack": _cmsis_pack, "keil": _keil, "cubeide": _cubeide, "iar": _iar,
}
