# SPDX-License-Identifier: Apache-2.0
# Two sets of compiler options: weft_device for firmware code (kernels, runtime), weft_host for the
# converter and the tests. Contraction is off everywhere, also in tests: a compiler that fuses a*b+c
# would give different results on different targets.
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

# MSVC is true for clang-cl, which has the options of cl.exe and the extensions of GCC that the
# kernels use. No test runs it.
if(CMAKE_CXX_COMPILER_ID STREQUAL "MSVC")
  message(FATAL_ERROR "the compiler is cl.exe; must be clang-cl (-T ClangCL), GCC or Clang: the "
                      "kernels use extensions of GCC")
elseif(MSVC)
  add_compile_options(/fp:precise /clang:-ffp-contract=off /clang:-fno-math-errno)
else()
  add_compile_options(-ffp-contract=off -fno-math-errno)
endif()
# GCC for Windows keeps values in registers that an inline function of the same file does not use.
# The linker may choose another file's copy, which uses them: a loop of the converter did not end.
if(WIN32 AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fno-ipa-ra)
endif()

# Desktop builds are position independent, because users link weft into their shared objects;
# firmware and WebAssembly are linked to fixed addresses. -fno-semantic-interposition lets the
# compiler inline in position independent code: no other definition replaces one of weft's at run
# time.
set(weft_position_independent ON)
if(DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
  set(weft_position_independent ${CMAKE_POSITION_INDEPENDENT_CODE})
elseif(CMAKE_SYSTEM_NAME MATCHES "^(Generic|Emscripten)$")
  set(weft_position_independent OFF)
endif()
set(weft_binding "")
if(weft_position_independent AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT MSVC
   AND NOT APPLE)  # symbols of macOS are bound to their library
  set(weft_binding -fno-semantic-interposition)
endif()

# Several modules of one process may contain weft libraries of different versions. Static libraries
# therefore hide all symbols except the C interface's (runtime/weft_c.h). Shared libraries have no
# process-wide unique symbols (-fno-gnu-unique), which the loader would bind across versions.
if(NOT BUILD_SHARED_LIBS)
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
  set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>)
endif()

if(WEFT_SANITIZE)
  list(JOIN WEFT_SANITIZE "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND "address" IN_LIST WEFT_SANITIZE)
    # Checks as calls: the same checks, and the kernels compile in half the time.
    add_compile_options(-fsanitize-address-outline-instrumentation)
  endif()
endif()

# The fuzzers of tests/fuzz are guided by the branches that an input reaches in the runtime and the
# converter. Counting them costs the compiler 5 %. The kernels are not counted: they are most of the
# code, and their few branches depend on parameters that the runtime has checked.
option(WEFT_FUZZ "Build the fuzzers with libFuzzer, which requires Clang" OFF)
set(weft_coverage "")
if(WEFT_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "WEFT_FUZZ: the compiler is ${CMAKE_CXX_COMPILER_ID}; must be Clang, which "
                        "has libFuzzer")
  endif()
  set(weft_coverage -fsanitize=fuzzer-no-link)
endif()

# Untested compilers may report warnings that GCC 12 and Clang 19 do not, and must still be able to
# build weft. Every preset sets this option.
option(WEFT_WERROR "Let warnings stop the build" OFF)
set(weft_werror "")
if(WEFT_WERROR)
  set(weft_werror -Werror)
endif()
set(weft_warnings -Wall -Wextra -Wconversion -Wshadow ${weft_werror})
set(weft_host_warnings -Wall -Wextra -Wshadow ${weft_werror})
set(weft_no_features -fno-exceptions -fno-rtti -fno-threadsafe-statics -ffunction-sections
    -fdata-sections)
if(MSVC)
  set(weft_warnings /W3)
  set(weft_host_warnings /W3)
  set(weft_no_features /GR- /Zc:threadSafeInit- /Gy /Gw)
endif()

# Options for code that boards build for size. GCC's second scheduling pass and its loop-invariant
# motion use registers and therefore code size, without a gain in loops that are not hot.
set(weft_shortest -Os)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND weft_shortest -fno-schedule-insns2 -fno-move-loop-invariants)
endif()

# Disables GCC's note on 32-bit ARM that some arguments were passed differently before version 7.
set(weft_board_options "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SIZEOF_VOID_P EQUAL 4)
  set(weft_board_options -Wno-psabi)
endif()

# Without an FPU, float operations are library calls; runtime/engine.cc has the #warning.
option(WEFT_SOFT_FLOAT "Build for a processor without a floating-point unit without a warning" OFF)
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND NOT WEFT_SOFT_FLOAT)
  include(CheckCXXSourceCompiles)
  check_cxx_source_compiles("
    #if (defined(__arm__) && !defined(__ARM_FP)) || (defined(__riscv) && !defined(__riscv_flen))
    #error
    #endif
    int main() { return 0; }" WEFT_HAS_FPU)
  if(NOT WEFT_HAS_FPU)
    message(WARNING "the compiler options select no floating-point unit: layers in f32 take 145 to "
                    "430 times as long; int8 .tflite files compute in integers. Set -mfpu= and "
                    "-mfloat-abi= if the processor has one, or WEFT_SOFT_FLOAT=ON to accept this")
    list(APPEND weft_board_options -Wno-error=cpp)
  endif()
endif()

option(WEFT_CONSTANT_TIME "Compile kernels whose instructions depend less on data" OFF)
add_library(weft_device INTERFACE)
if(WEFT_CONSTANT_TIME)
  target_compile_definitions(weft_device INTERFACE WEFT_CONSTANT_TIME=1)
endif()
if(WEFT_SOFT_FLOAT)
  target_compile_definitions(weft_device INTERFACE WEFT_SOFT_FLOAT)
endif()
target_compile_features(weft_device INTERFACE cxx_std_17)
target_compile_options(weft_device INTERFACE ${weft_warnings} ${weft_no_features} ${weft_binding}
                       ${weft_board_options}
                       # Loops that Clang could not vectorize are not an error.
                       $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)

add_library(weft_host INTERFACE)
target_compile_features(weft_host INTERFACE cxx_std_20)
target_compile_options(weft_host INTERFACE ${weft_host_warnings}
                       # std::stable_sort of libstdc++ 12 calls a function that is deprecated, and
                       # Clang reports it for the caller. GCC still checks weft's own calls.
                       $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports uninitialized members for every move of a std::variant.
  target_compile_options(weft_host INTERFACE -Wno-maybe-uninitialized)
endif()
