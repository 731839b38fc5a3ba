# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DFOLDER= -DHIGHWAY= -P processors.cmake: checks that the preset `host` builds
# natively on a machine of any name, that the targets of the kernels are those of the compiler's
# processor, and what the numeric headers define for processors without a preset. A fake uname
# gives the machine its name. Compilers that are not installed are skipped.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
file(REMOVE_RECURSE "${FOLDER}")
file(WRITE "${FOLDER}/bin/uname" "#!/bin/sh\ncase \"$1\" in\n-m | -p) echo \"$MACHINE\" ;;\n\
-s) echo Linux ;;\n*) exec /bin/uname \"$@\" ;;\nesac\n")
file(CHMOD "${FOLDER}/bin/uname" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(ENV{PATH} "${FOLDER}/bin:$ENV{PATH}")

# weft_configure(<preset> <machine> <compiler> <definitions of Highway's targets>)
function(weft_configure preset machine compiler must)
  find_program(found_${compiler} ${compiler})
  if(NOT found_${compiler})
    message(STATUS "skipped: ${compiler} is not installed")
    return()
  endif()
  set(ENV{MACHINE} ${machine})
  set(build "${FOLDER}/${preset}-${machine}-${compiler}")
  weft_run("${preset}" "${CMAKE_COMMAND}" --preset ${preset} -S "${SOURCE}" -B "${build}"
           -DWEFT_BUILD_TESTS=OFF -DWEFT_BUILD_CONVERTER=OFF "-DCMAKE_CXX_COMPILER=${compiler}"
           "-DWEFT_HIGHWAY_DIR=${HIGHWAY}")
  weft_run(cache "${CMAKE_COMMAND}" -N -L "${build}")
  if(weft_stdout MATCHES "CMAKE_TOOLCHAIN_FILE:[A-Z]*=[^\n]")
    message(FATAL_ERROR "${preset} on ${machine} uses a toolchain file:\n${weft_stdout}")
  endif()
  file(READ "${build}/build.ninja" rules)
  string(REGEX MATCHALL "-DHWY_(DISABLED_TARGETS|COMPILE_ONLY)[^ \n]*" is "${rules}")
  list(REMOVE_DUPLICATES is)
  string(REGEX REPLACE "[\\\\\"']" "" is "${is}")
  weft_expect("${preset}, ${machine}, ${compiler}" "${is}" "${must}")
  file(GLOB machines "${build}/CMakeFiles/*/CMakeSystem.cmake")
  file(STRINGS "${machines}" crossing REGEX "CMAKE_CROSSCOMPILING")
  weft_expect("cross build" "${crossing}" "set(CMAKE_CROSSCOMPILING \"FALSE\")")
endfunction()
weft_run(compiler c++ -dumpmachine)
if(weft_stdout MATCHES "^x86_64")
  weft_configure(host aarch64 c++ "-DHWY_DISABLED_TARGETS=(~(HWY_AVX2|HWY_AVX3|HWY_SCALAR))")
endif()
weft_configure(host x86_64 aarch64-linux-gnu-g++
               "-DHWY_DISABLED_TARGETS=(~(HWY_NEON_WITHOUT_AES|HWY_SCALAR))")
# 32-bit programs on a 64-bit kernel, as on some Raspberry Pi systems.
weft_configure(host aarch64 arm-linux-gnueabihf-g++ "-DHWY_COMPILE_ONLY_STATIC")

# RISC-V with vectors: Clang vectorises the scalar kernels. Highway's target would not compile.
find_program(riscv NAMES riscv64-linux-gnu-g++)
find_program(clang NAMES clang++-21 clang++-20 clang++-19 clang++)
if(riscv AND clang)
  set(build "${FOLDER}/riscv64-vectors")
  weft_run(vectors "${CMAKE_COMMAND}" --preset riscv64-linux -S "${SOURCE}" -B "${build}"
           -DWEFT_RISCV_VECTORS=ON -DWEFT_BUILD_TESTS=OFF "-DWEFT_HIGHWAY_DIR=${HIGHWAY}"
           "-DWEFT_PARTS=dense")
  weft_run(dense "${CMAKE_COMMAND}" --build "${build}" --target weft_kernels)
  weft_run(code riscv64-linux-gnu-objdump -d "${build}/kernels/libweft_kernels.a")
  if(NOT weft_stdout MATCHES "vsetivli")
    message(FATAL_ERROR "the kernel of dense layers contains no vector instructions")
  endif()
else()
  message(STATUS "skipped: Clang or the compiler for RISC-V is not installed")
endif()

foreach(names IN ITEMS "Linux;x86_64;x86-64" "Linux;aarch64;host" "Darwin;arm64;host")
  list(GET names 0 system)
  list(GET names 2 must)
  file(WRITE "${FOLDER}/bin/uname" "#!/bin/sh\n\
[ \"$1\" = -s ] && echo ${system} || echo $MACHINE\n")
  list(GET names 1 machine)
  set(ENV{MACHINE} "${machine}")
  weft_run(preset "${SOURCE}/scripts/preset.sh")
  weft_expect("preset on ${system} ${machine}" "${weft_stdout}" "${must}\n")
endforeach()

# The headers need <cstdint> only. WebAssembly's vectors round a * b + c twice, and MSVC has SSE
# without defining __SSE__.
if(NOT clang)
  message(STATUS "skipped: Clang is not installed")
  return()
endif()
file(WRITE "${FOLDER}/include/cstdint" "#include <stdint.h>\n")
set(headers "#include \"kernels/simd/fused.h\"\n#include \"kernels/simd/float_mode.h\"\n\
using weft::kernels::FloatMode;\nusing weft::kernels::FusesMultiplyAdd;\n")
foreach(row IN ITEMS "wasm32-unknown-emscripten true false" "wasm32-unknown-wasi true false"
                     "wasm32-unknown-emscripten false false -msimd128"
                     "wasm32-unknown-wasi false false -msimd128"
                     "x86_64-pc-windows-msvc true true" "arm64-apple-macos true true"
                     "x86_64-linux-gnu true true" "riscv64-linux-gnu true false")
  string(REPLACE " " ";" row "${row}")
  list(GET row 0 triple)
  list(GET row 1 fuses)
  list(GET row 2 flushes)
  set(options ${row})
  list(REMOVE_AT options 0 1 2)
  file(WRITE "${FOLDER}/${triple}.cc" "${headers}static_assert(FusesMultiplyAdd() == ${fuses});\n\
static_assert(FloatMode::kFlushes == ${flushes});\n")
  weft_run(${triple} "${clang}" --target=${triple} ${options} -std=c++17 -ffreestanding
           -fsyntax-only -nostdinc++ "-I${SOURCE}" "-isystem${FOLDER}/include"
           "${FOLDER}/${triple}.cc")
  message(STATUS "${triple} ${options}: fuses ${fuses}, flushes ${flushes}")
endforeach()
