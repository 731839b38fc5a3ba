# SPDX-License-Identifier: Apache-2.0
# macOS from Linux, with the Clang of Zig, which contains the headers and libraries of macOS:
# `pip install ziglang`, or WEFT_ZIG is the path of the zig command. The presets set
# CMAKE_SYSTEM_PROCESSOR. This machine cannot run the programs.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WEFT_ZIG WEFT_ZIG_TOOLS CMAKE_SYSTEM_PROCESSOR)
set(CMAKE_SYSTEM_NAME Darwin)
if(NOT CMAKE_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_PROCESSOR arm64)
endif()
if(NOT WEFT_ZIG)
  find_program(WEFT_ZIG zig)
endif()
if(NOT WEFT_ZIG)
  execute_process(
    COMMAND python3 -c
            "import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), 'zig'))"
    OUTPUT_VARIABLE zig OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT zig)
    message(FATAL_ERROR "no zig command is on the PATH; run pip install ziglang, or set WEFT_ZIG "
                        "to the command")
  endif()
  set(WEFT_ZIG "${zig}" CACHE FILEPATH "The zig command" FORCE)
endif()

# One command per tool, as CMake and ccache expect. Zig compiles the C++ library when it first links
# a C++ program, and keeps it in the build folder.
if(NOT WEFT_ZIG_TOOLS)
  set(WEFT_ZIG_TOOLS "${CMAKE_BINARY_DIR}/zig")
endif()
# macOS 13.3 is the first whose C++ library has std::to_chars of floats. Without a version Zig marks
# programs for the macOS that it was made with.
string(REPLACE "arm64" "aarch64" weft_target "${CMAKE_SYSTEM_PROCESSOR}-macos.13.3")
set(weft_zig_clang "cc -target ${weft_target}")
set(weft_zig_clang++ "c++ -target ${weft_target}")
set(weft_zig_ar "ar")
set(weft_zig_ranlib "ranlib")
foreach(tool IN ITEMS clang clang++ ar ranlib)
  file(CONFIGURE OUTPUT "${WEFT_ZIG_TOOLS}/zig-${tool}" @ONLY CONTENT "#!/bin/sh
export ZIG_GLOBAL_CACHE_DIR=\"\${ZIG_GLOBAL_CACHE_DIR:-${WEFT_ZIG_TOOLS}/cache}\"
exec '${WEFT_ZIG}' ${weft_zig_${tool}} \"$@\"
")
  file(CHMOD "${WEFT_ZIG_TOOLS}/zig-${tool}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(CMAKE_C_COMPILER "${WEFT_ZIG_TOOLS}/zig-clang")
set(CMAKE_CXX_COMPILER "${WEFT_ZIG_TOOLS}/zig-clang++")
set(CMAKE_AR "${WEFT_ZIG_TOOLS}/zig-ar")
set(CMAKE_RANLIB "${WEFT_ZIG_TOOLS}/zig-ranlib")
set(CMAKE_INSTALL_NAME_TOOL "${CMAKE_COMMAND}" -E true)  # static libraries have no names to change
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
