# SPDX-License-Identifier: Apache-2.0
# Unpacks the archives of stored test cases into build/fixtures:
#
#   cmake -P cmake/UnpackFixtures.cmake
#
# tests/conformance/cases/<family>.zip becomes build/fixtures/cases/<family>/, tests/zoo/<set>.zip
# becomes build/fixtures/zoo/<set>/, tests/tflite/<family>.zip becomes
# build/fixtures/tflite/<family>/, tests/fuzz/<fuzzer>.zip becomes build/fixtures/fuzz/<fuzzer>/.
# Only archives whose hash changed are unpacked again. A folder whose archive is gone is removed.
# build/fixtures/unpacked.txt lists the archives and their hashes.
cmake_minimum_required(VERSION 3.22)
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)
set(fixtures "${root}/build/fixtures")
set(list "${fixtures}/unpacked.txt")
file(MAKE_DIRECTORY "${fixtures}")
file(LOCK "${fixtures}/lock" GUARD PROCESS TIMEOUT 600)  # several presets may build at once

# Lines "<sha256>  <archive> <folder>", where <folder> is relative to build/fixtures.
set(current "")
foreach(kind IN ITEMS tests/conformance/cases tests/zoo tests/tflite tests/fuzz)
  get_filename_component(kind_folder "${kind}" NAME)
  file(GLOB archives RELATIVE "${root}" "${root}/${kind}/*.zip")
  foreach(archive IN LISTS archives)
    file(SHA256 "${root}/${archive}" hash)
    get_filename_component(name "${archive}" NAME_WLE)
    list(APPEND current "${hash}  ${archive} ${kind_folder}/${name}")
  endforeach()
endforeach()
if(NOT current)
  message(FATAL_ERROR "${root}: no archives in tests/conformance/cases and tests/zoo")
endif()

set(previous "")
if(EXISTS "${list}")
  file(STRINGS "${list}" previous)
endif()
file(REMOVE "${list}")  # an interrupted run unpacks everything again
foreach(line IN LISTS previous)
  if(NOT line IN_LIST current)
    string(REGEX REPLACE ".* " "" folder "${line}")
    file(REMOVE_RECURSE "${fixtures}/${folder}")
  endif()
endforeach()
set(count 0)
foreach(line IN LISTS current)
  string(REGEX REPLACE "^[0-9a-f]+  (.*) .*$" "\\1" archive "${line}")
  string(REGEX REPLACE ".* " "" folder "${line}")
  if(NOT line IN_LIST previous)
    file(REMOVE_RECURSE "${fixtures}/${folder}")
    get_filename_component(destination "${fixtures}/${folder}" DIRECTORY)
    file(ARCHIVE_EXTRACT INPUT "${root}/${archive}" DESTINATION "${destination}")
    math(EXPR count "${count} + 1")
  endif()
endforeach()
string(REPLACE ";" "\n" text "${current}")
file(WRITE "${list}" "${text}\n")
if(count)
  message(STATUS "fixtures: unpacked ${count} archives into ${fixtures}")
endif()
