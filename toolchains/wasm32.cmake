# SPDX-License-Identifier: Apache-2.0
# WebAssembly with vectors of 128 bits, Emscripten. WebAssembly multiplies and then adds, so results
# are of the numeric class rounded. WEFT_RELAXED_SIMD uses relaxed_madd, whose rounding depends on
# the processor: on those with fused multiply-add the class is exact.
find_program(WEFT_EMCC emcc REQUIRED)
get_filename_component(weft_emscripten "${WEFT_EMCC}" REALPATH)
get_filename_component(weft_emscripten "${weft_emscripten}" DIRECTORY)
set(EMSCRIPTEN_SYSTEM_PROCESSOR wasm32)
include("${weft_emscripten}/cmake/Modules/Platform/Emscripten.cmake")
option(WEFT_RELAXED_SIMD "Use relaxed SIMD, which needs Emscripten 3.1.35 or newer" OFF)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WEFT_RELAXED_SIMD)
set(weft_machine -msimd128)
if(WEFT_RELAXED_SIMD)
  string(APPEND weft_machine " -mrelaxed-simd")
endif()
set(CMAKE_C_FLAGS_INIT "${weft_machine}")
set(CMAKE_CXX_FLAGS_INIT "${weft_machine}")
