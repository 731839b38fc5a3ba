# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DBUILD= -P pinned.cmake: builds weft with the dependency versions that CMake
# would fetch, and runs the tests of the command. scripts/setup.sh downloads their sources to
# build/deps/pinned; without them the test is skipped. The build folder is next to BUILD and is
# kept, so that ccache finds its commands again.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
set(options "")
file(READ "${SOURCE}/converter/CMakeLists.txt" pins)
file(READ "${SOURCE}/cmake/FlatBuffers.cmake" more_pins)
foreach(pin IN ITEMS flatbuffers/v23.5.26 fmt/10.1.1 json/v3.11.3 pugixml/v1.14)
  string(REGEX MATCH "^([a-z0-9]+)/(.*)" matched "${pin}")
  set(name "${CMAKE_MATCH_1}")
  string(FIND "${pins}${more_pins}" "/${CMAKE_MATCH_2}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "${name}: CMake fetches another version than ${CMAKE_MATCH_2}, which "
                        "scripts/setup.sh takes")
  endif()
  set(folder "${SOURCE}/build/deps/pinned/${name}")
  if(NOT EXISTS "${folder}/CMakeLists.txt")
    message(STATUS "pinned: left out, since ${folder} is missing")
    return()
  endif()
  string(TOUPPER "${name}" NAME)
  list(APPEND options "-DWEFT_${NAME}_DIR=${folder}")
endforeach()
set(build "${BUILD}-pinned")
weft_run(configure "${CMAKE_COMMAND}" --preset x86-64 -S "${SOURCE}" -B "${build}"
         -DWEFT_UNITE=ON -DWEFT_PRECOMPILE=ON -DWEFT_BUILD_TESTS=ON -DWEFT_CONVERTER_OPTIONS=-O0
         ${options})
weft_run(build "${CMAKE_COMMAND}" --build "${build}" --target weft weft_cli_tests)
weft_run(test "${build}/tests/weft_cli_tests" --gtest_brief=1)
