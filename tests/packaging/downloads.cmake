# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DFOLDER= -P downloads.cmake: checks that a configuration without a network ends
# in one message, which names the library, the script and the option; and that downloaded files are
# used only with the pinned checksum. Runs in a tree without build/deps; proxies refuse every
# connection, and a folder of this machine takes the place of the upstream servers.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
file(REMOVE_RECURSE "${FOLDER}")
set(tree "${FOLDER}/tree")
file(GLOB entries "${SOURCE}/*")
file(MAKE_DIRECTORY "${tree}")
foreach(entry IN LISTS entries)
  get_filename_component(name "${entry}" NAME)
  if(NOT name STREQUAL "build")
    file(CREATE_LINK "${entry}" "${tree}/${name}" SYMBOLIC)
  endif()
endforeach()
foreach(proxy IN ITEMS http_proxy https_proxy HTTPS_PROXY ALL_PROXY)
  set(ENV{${proxy}} "http://127.0.0.1:9")
endforeach()

# weft_refuse(<what> <source> <regex of the message> [<option>...])
function(weft_refuse what source must)
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${source}" -B "${FOLDER}/build" ${ARGN}
                  OUTPUT_VARIABLE talk ERROR_VARIABLE talk RESULT_VARIABLE result)
  string(REGEX REPLACE "[ \n]+" " " line "${talk}")
  string(REGEX MATCHALL "CMake Error" errors "${line}")
  list(LENGTH errors count)
  if(result EQUAL 0 OR NOT count EQUAL 1 OR NOT line MATCHES "${must}")
    message(FATAL_ERROR "${what}: exit ${result} with ${count} errors; must be one that matches "
                        "\"${must}\"; printed\n${talk}")
  endif()
  message(STATUS "${what}: ${CMAKE_MATCH_0}")
  file(REMOVE_RECURSE "${FOLDER}/build")
endfunction()

set(way_out "Run scripts/setup.sh, which installs it, or set")
set(options -DWEFT_BUILD_TESTS=OFF -DCMAKE_DISABLE_FIND_PACKAGE_hwy=ON)
weft_refuse("no Highway" "${tree}"
            "highway is not installed and https://[^ ]+/1.2.0.tar.gz could not be downloaded: .+\. \
${way_out} WEFT_HIGHWAY_DIR to its source tree" ${options})
weft_refuse("no Highway for Python" "${tree}/python"
            "highway is not installed and .* ${way_out} WEFT_HIGHWAY_DIR" ${options}
            -DSKBUILD_METADATA_DIR=metadata)

# The function alone: a file of this machine as the upstream server.
file(WRITE "${FOLDER}/served/archive.tar.gz" "content")
file(SHA256 "${FOLDER}/served/archive.tar.gz" sha256)
set(head "cmake_minimum_required(VERSION 3.22)\nproject(download LANGUAGES NONE)\n\
include(FetchContent)\n")
file(READ "${SOURCE}/cmake/Dependencies.cmake" text)
string(REGEX MATCH "function\\(weft_download.*\nendfunction\\(\\)\n\ninclude" function "${text}")
string(REGEX REPLACE "\n\ninclude$" "\n" function "${function}")
set(call "${head}${function}weft_download(thing \"file://${FOLDER}/served/archive.tar.gz\" \
${sha256} WEFT_THING_DIR file)\n")
file(WRITE "${FOLDER}/right/CMakeLists.txt" "${call}file(READ \"\${file}\" text)\n\
if(NOT text STREQUAL \"content\")\n  message(FATAL_ERROR \"no content\")\nendif()\n")
weft_run(download "${CMAKE_COMMAND}" -S "${FOLDER}/right" -B "${FOLDER}/right-build")
file(REMOVE "${FOLDER}/served/archive.tar.gz")  # a second configuration needs no server
weft_run(again "${CMAKE_COMMAND}" -S "${FOLDER}/right" -B "${FOLDER}/right-build")
file(WRITE "${FOLDER}/served/archive.tar.gz" "other content")
file(WRITE "${FOLDER}/wrong/CMakeLists.txt" "${call}")
weft_refuse("another file" "${FOLDER}/wrong" "its SHA-256 is [0-9a-f]+; must be ${sha256}. Run")
