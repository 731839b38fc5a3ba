# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -P pinned.cmake: checks that scripts/setup.sh fetches the versions of
# dependencies that CMake fetches if a system has none. The sanitizers' build uses these sources
# (scripts/test.sh).
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
file(READ "${SOURCE}/converter/CMakeLists.txt" urls)
file(READ "${SOURCE}/cmake/FlatBuffers.cmake" more_urls)
file(READ "${SOURCE}/scripts/setup.sh" script)
foreach(name IN ITEMS flatbuffers fmt json pugixml)
  string(REGEX MATCH "archive=[a-z0-9-]+_([0-9.]+[0-9])[^ ]* target=pinned/${name}\n" found
         "${script}")
  set(fetched "${CMAKE_MATCH_1}")
  string(REGEX MATCH "https://[^\n]*/${name}/[^\n]*/v?([0-9.]+[0-9])[./][^\n]*" found
         "${urls}${more_urls}")
  weft_expect("${name}" "${CMAKE_MATCH_1}" "${fetched}")
endforeach()
