# SPDX-License-Identifier: Apache-2.0
# FlatBuffers: headers for converter and runtime (weft_flatbuffers) and flatc, the host's schema
# compiler (weft_flatc, a command). Generated code asserts that both have the same version.
set(WEFT_FLATBUFFERS_DIR "" CACHE PATH "Source tree of FlatBuffers, instead of the system's")
set(WEFT_FLATC "" CACHE FILEPATH "flatc to use, of the same version as the headers")

# Sets `out` to the version of the headers below `root`, or to "" if there are none.
function(weft_flatbuffers_version root out)
  set(${out} "" PARENT_SCOPE)
  if(NOT EXISTS "${root}/flatbuffers/base.h")
    return()
  endif()
  file(STRINGS "${root}/flatbuffers/base.h" lines REGEX "#define FLATBUFFERS_VERSION_[A-Z]+ [0-9]+")
  string(REGEX MATCHALL "[0-9]+" numbers "${lines}")
  list(JOIN numbers "." version)
  set(${out} "${version}" PARENT_SCOPE)
endfunction()

# Sets weft_flatc and weft_flatbuffers_root to the installed ones, if flatc and headers agree.
function(weft_find_installed_flatbuffers)
  find_program(WEFT_FLATC_INSTALLED flatc)
  if(NOT WEFT_FLATC_INSTALLED)
    return()
  endif()
  execute_process(COMMAND "${WEFT_FLATC_INSTALLED}" --version OUTPUT_VARIABLE text)
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" flatc_version "${text}")
  get_filename_component(prefix "${WEFT_FLATC_INSTALLED}" DIRECTORY)
  get_filename_component(prefix "${prefix}" DIRECTORY)
  weft_flatbuffers_version("${prefix}/include" header_version)
  if(flatc_version AND flatc_version VERSION_EQUAL "${header_version}")
    set(weft_flatc "${WEFT_FLATC_INSTALLED}" PARENT_SCOPE)
    set(weft_flatbuffers_root "${prefix}/include" PARENT_SCOPE)
  else()
    message(STATUS "flatc is ${flatc_version} and its headers are \"${header_version}\": not used")
  endif()
endfunction()

set(weft_flatc "")
set(weft_flatbuffers_root "")
set(weft_flatbuffers_source
    URL https://github.com/google/flatbuffers/archive/refs/tags/v23.5.26.tar.gz)
set(weft_flatbuffers_sha256 1cce06b17cddd896b6d73cc047e36a254fb8df4d7ea18a46acf16c4c0cd3f3f3)
set(weft_flatbuffers_pinned "")
if(NOT WEFT_FLATBUFFERS_DIR)
  weft_find_installed_flatbuffers()
endif()
if(NOT weft_flatbuffers_root)
  set(FLATBUFFERS_BUILD_TESTS OFF CACHE INTERNAL "")
  set(FLATBUFFERS_INSTALL OFF CACHE INTERNAL "")
  set(weft_flatbuffers_pinned PINNED)
  if(WEFT_FLATBUFFERS_DIR)
    set(FETCHCONTENT_SOURCE_DIR_FLATBUFFERS "${WEFT_FLATBUFFERS_DIR}")
    set(weft_flatbuffers_pinned "")
  endif()
  set(weft_flatbuffers_subdir "")
  # In a cross build flatc runs on the host and is specified by the user; only headers are needed.
  if(CMAKE_CROSSCOMPILING)
    set(weft_flatbuffers_subdir SOURCE_SUBDIR none)
  endif()
  list(GET weft_flatbuffers_source 1 url)
  weft_download(flatbuffers ${url} ${weft_flatbuffers_sha256} WEFT_FLATBUFFERS_DIR archive)
  FetchContent_Declare(flatbuffers URL "${archive}"
                       URL_HASH SHA256=${weft_flatbuffers_sha256} ${weft_flatbuffers_subdir})
  FetchContent_MakeAvailable(flatbuffers)
  set(weft_flatbuffers_root "${flatbuffers_SOURCE_DIR}/include")
  if(TARGET flatc)
    set(weft_flatc flatc)
    # It runs twice in a build and reads two small files: without optimisation and sanitizers it is
    # built in half the time.
    if(NOT MSVC)
      target_compile_options(flatc PRIVATE -O0 -fno-sanitize=all)
    endif()
  endif()
endif()
if(WEFT_FLATC)
  set(weft_flatc "${WEFT_FLATC}")
elseif(NOT weft_flatc)
  message(FATAL_ERROR "a cross build needs the host's flatc of the headers' version; "
                      "set WEFT_FLATC to it")
endif()
weft_flatbuffers_version("${weft_flatbuffers_root}" weft_flatbuffers_release)
message(STATUS "FlatBuffers ${weft_flatbuffers_release}: ${weft_flatbuffers_root}")
weft_record_component(flatbuffers VERSION "${weft_flatbuffers_release}" LICENCE Apache-2.0
  USED_IN "the runtime and the weft command" ${weft_flatbuffers_source}
  SHA256 ${weft_flatbuffers_sha256} ${weft_flatbuffers_pinned})

file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/include")
file(CREATE_LINK "${weft_flatbuffers_root}/flatbuffers"
     "${PROJECT_BINARY_DIR}/include/flatbuffers" SYMBOLIC)
add_library(weft_flatbuffers INTERFACE)
target_include_directories(weft_flatbuffers SYSTEM INTERFACE "${PROJECT_BINARY_DIR}/include")
# The weights vector is aligned to 64 bytes; debug builds of the builder reject more than this.
target_compile_definitions(weft_flatbuffers INTERFACE FLATBUFFERS_MAX_ALIGNMENT=64)
