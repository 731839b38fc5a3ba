# SPDX-License-Identifier: Apache-2.0
# Highway 1.2 or newer: headers (weft_highway) and, if kernels select their target at run time, the
# function that detects the processor (weft_highway_targets). Highway's own CMake files are not
# used: they fail on bare metal and add contrib, tests and a heap.
set(WEFT_HIGHWAY_DIR "" CACHE PATH
    "Source tree of Highway 1.2 or newer; empty: find one")

# Sets `out` to the version of Highway with the include root `root`, or to "" if there is none.
function(weft_highway_version root out)
  set(${out} "" PARENT_SCOPE)
  if(NOT EXISTS "${root}/hwy/base.h" OR NOT EXISTS "${root}/hwy/highway.h")
    return()
  endif()
  file(STRINGS "${root}/hwy/base.h" lines REGEX "^#define HWY_(MAJOR|MINOR) [0-9]+")
  file(STRINGS "${root}/hwy/highway.h" old_lines REGEX "^#define HWY_(MAJOR|MINOR) [0-9]+")
  string(REGEX MATCH "HWY_MAJOR ([0-9]+)" major "${lines};${old_lines}")
  set(major "${CMAKE_MATCH_1}")
  string(REGEX MATCH "HWY_MINOR ([0-9]+)" minor "${lines};${old_lines}")
  set(${out} "${major}.${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

set(weft_highway_source URL https://github.com/google/highway/archive/refs/tags/1.2.0.tar.gz)
set(weft_highway_sha256 7e0be78b8318e8bdbf6fa545d2ecb4c90f947df03f7aadc42c1967f019e63343)

# Sets weft_highway_root to an include root that contains hwy/. Search order: the user's directory,
# an installed Highway, the source that scripts/setup.sh unpacked, upstream.
function(weft_find_highway)
  if(WEFT_HIGHWAY_DIR)
    weft_highway_version("${WEFT_HIGHWAY_DIR}" version)
    if(NOT version OR version VERSION_LESS 1.2)
      message(FATAL_ERROR "WEFT_HIGHWAY_DIR: ${WEFT_HIGHWAY_DIR} holds Highway \"${version}\"; "
                          "it must hold the source of 1.2 or newer")
    endif()
    set(weft_highway_root "${WEFT_HIGHWAY_DIR}" PARENT_SCOPE)
    return()
  endif()
  if(NOT CMAKE_CROSSCOMPILING)
    find_package(hwy 1.2 CONFIG QUIET GLOBAL)
    if(TARGET hwy::hwy)
      get_target_property(root hwy::hwy INTERFACE_INCLUDE_DIRECTORIES)
      list(GET root 0 root)
      set(weft_highway_root "${root}" PARENT_SCOPE)
      return()
    endif()
  endif()
  file(GLOB prepared "${PROJECT_SOURCE_DIR}/build/deps/highway-*")
  foreach(root IN LISTS prepared)
    weft_highway_version("${root}" version)
    if(version AND version VERSION_GREATER_EQUAL 1.2)
      set(weft_highway_root "${root}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  list(GET weft_highway_source 1 url)
  weft_download(highway ${url} ${weft_highway_sha256} WEFT_HIGHWAY_DIR archive)
  # SOURCE_SUBDIR names a folder that does not exist, so that no CMakeLists.txt is read.
  FetchContent_Declare(highway URL "${archive}" URL_HASH SHA256=${weft_highway_sha256}
                       SOURCE_SUBDIR none)
  FetchContent_MakeAvailable(highway)
  set(weft_highway_root "${highway_SOURCE_DIR}" PARENT_SCOPE)
  set(weft_highway_pinned PINNED PARENT_SCOPE)
endfunction()

set(weft_highway_pinned "")
weft_find_highway()
weft_highway_version("${weft_highway_root}" weft_highway_release)
message(STATUS "Highway ${weft_highway_release}: ${weft_highway_root}")
weft_record_component(highway VERSION "${weft_highway_release}" LICENCE "Apache-2.0 OR BSD-3-Clause"
  USED_IN "the runtime and the weft command" ${weft_highway_source} SHA256 ${weft_highway_sha256}
  ${weft_highway_pinned})

# The include folder contains only these headers, so that a cross build never uses the host's system
# include folder.
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/include")
file(CREATE_LINK "${weft_highway_root}/hwy" "${PROJECT_BINARY_DIR}/include/hwy" SYMBOLIC)

add_library(weft_highway INTERFACE)
target_include_directories(weft_highway SYSTEM INTERFACE "${PROJECT_BINARY_DIR}/include")

# Sets `out` to whether the compiler creates code for a processor that `macros` identify. This
# depends on the compiler and its options, not on CMAKE_SYSTEM_PROCESSOR: a 64-bit kernel can run
# 32-bit programs. A universal build of macOS is for two processors, so the test source fails if one
# of them is identified.
function(weft_compiles_for macros out)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles("
    #if ${macros}
    #error
    #endif
    int main() { return 0; }" ${out}_is_absent)
  set(${out} OFF PARENT_SCOPE)
  if(NOT ${out}_is_absent)
    set(${out} ON PARENT_SCOPE)
  endif()
endfunction()

# The targets of weft's kernels. Others would cost compile time and flash, and could not fulfil the
# numeric contract (SSE has no fused multiply-add). HWY_BROKEN_EMU128 selects HWY_SCALAR as fallback
# with every compiler, because EMU128 is 7 to 11 times slower on Cortex-M.
set(weft_highway_definitions HWY_BROKEN_EMU128=1)
set(weft_dispatches OFF)
set(weft_targets "")
include(CheckCXXSourceCompiles)
weft_compiles_for("defined(__x86_64__) || defined(_M_X64)" weft_on_x86)
weft_compiles_for("defined(__aarch64__) || defined(_M_ARM64)" weft_on_arm64)
if(weft_on_x86)
  # With sanitizers, Clang needs three times as long for AVX-512 as for the others together.
  list(APPEND weft_targets HWY_AVX2)
  if(NOT WEFT_SANITIZE)
    list(APPEND weft_targets HWY_AVX3)
  endif()
  set(weft_dispatches ON)
endif()
if(weft_on_arm64)
  list(APPEND weft_targets HWY_NEON_WITHOUT_AES)
endif()
if(weft_targets)
  list(JOIN weft_targets "|" weft_targets)
  list(APPEND weft_highway_definitions "HWY_DISABLED_TARGETS=(~(${weft_targets}|HWY_SCALAR))")
else()
  list(APPEND weft_highway_definitions HWY_COMPILE_ONLY_STATIC)
  weft_compiles_for("defined(__riscv_vector)" weft_on_riscv_vector)
  if(weft_on_riscv_vector)  # the kernels store vectors in arrays, which RVV does not allow
    list(APPEND weft_highway_definitions HWY_DISABLED_TARGETS=HWY_RVV)
  endif()
endif()
option(WEFT_NATIVE "Compile kernels for this machine's processor only, in half the time" OFF)
if(WEFT_NATIVE)
  if(CMAKE_CROSSCOMPILING OR WEFT_BUILD_TESTS)
    message(FATAL_ERROR "WEFT_NATIVE: cross builds and tests need every target; must be OFF")
  endif()
  list(APPEND weft_highway_definitions HWY_COMPILE_ONLY_STATIC)
  if(weft_targets)  # other processors have one target, and GCC has no -march=native for RISC-V
    target_compile_options(weft_highway INTERFACE -march=native)
  endif()
  set(weft_dispatches OFF)
endif()
target_compile_definitions(weft_highway INTERFACE ${weft_highway_definitions})
if(CMAKE_SYSTEM_NAME STREQUAL "Generic")
  target_compile_definitions(weft_highway INTERFACE HWY_NO_LIBCXX)
endif()

# Kernels need this library only for run-time dispatch; tests use it to select the target.
if(TARGET hwy::hwy)
  add_library(weft_highway_targets INTERFACE)
  target_link_libraries(weft_highway_targets INTERFACE hwy::hwy)
else()
  add_library(weft_highway_targets STATIC EXCLUDE_FROM_ALL
              "${weft_highway_root}/hwy/targets.cc" "${weft_highway_root}/hwy/per_target.cc")
  target_compile_features(weft_highway_targets PRIVATE cxx_std_17)
  target_compile_options(weft_highway_targets PRIVATE ${weft_no_features} ${weft_binding})
  set_target_properties(weft_highway_targets PROPERTIES
                        POSITION_INDEPENDENT_CODE ${weft_position_independent})
  target_link_libraries(weft_highway_targets PRIVATE $<BUILD_INTERFACE:weft_highway>)
endif()
