# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DBUILD= -DFOLDER= -P projects.cmake: builds projects that use an installed
# desktop build, in a folder with a space in its name: one in pure C, one with a model in every type
# of library, one that converts with the converter library, and all forms of find_package.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
weft_begin_installed()
set(project "${FOLDER}/a project")
file(COPY "${CMAKE_CURRENT_LIST_DIR}/projects/" DESTINATION "${project}")
set(models "${FOLDER}/some models")
file(COPY "${SOURCE}/examples/dtmf/model/" DESTINATION "${models}")

weft_build("${project}/in_c" "${FOLDER}/in c" "-DCMAKE_PREFIX_PATH=${prefix}"
           "-DMODEL=${models}/dtmf.xml")
weft_run(in_c "${FOLDER}/in c/in_c")
file(STRINGS "${SOURCE}/runtime/format/ops.inc" rows REGEX "^WEFT_STEP\\(")
list(LENGTH rows kinds)
weft_expect("a project in C" "${weft_stdout}" "${kinds} kinds of steps\n")

weft_build("${project}/libraries" "${FOLDER}/the libraries" "-DCMAKE_PREFIX_PATH=${prefix}"
           "-DMODELS=${models}")
foreach(program IN ITEMS static shared object interface two made elsewhere)
  weft_run(uses_${program} "${FOLDER}/the libraries/uses_${program}")
  weft_expect("uses_${program}" "${weft_stdout}" "runs\n")
endforeach()

weft_build("${project}/converts" "${FOLDER}/converts" "-DCMAKE_PREFIX_PATH=${prefix}")
weft_run(converts "${FOLDER}/converts/converts" "${models}/dtmf.xml" "${models}/dtmf.bin"
         "${FOLDER}/dtmf.weft")
weft_run(convert "${prefix}/bin/weft" convert "${models}/dtmf.xml" -o "${FOLDER}/by command.weft")
weft_run("the same file" "${CMAKE_COMMAND}" -E compare_files "${FOLDER}/dtmf.weft"
         "${FOLDER}/by command.weft")

# weft_ask(<request> <what is printed> [<configure option>...])
function(weft_ask request must)
  file(REMOVE_RECURSE "${FOLDER}/components")
  execute_process(COMMAND "${CMAKE_COMMAND}" -G Ninja -S "${project}/components"
                          -B "${FOLDER}/components" "-DCMAKE_PREFIX_PATH=${prefix}"
                          "-DREQUEST=${request}" ${ARGN}
                  OUTPUT_VARIABLE talk ERROR_VARIABLE talk)
  string(REGEX REPLACE "[ \n]+" " " line "${talk}")
  if(NOT line MATCHES "${must}")
    message(FATAL_ERROR "find_package(weft ${request}): must print \"${must}\"; printed\n${talk}")
  endif()
  message(STATUS "find_package(weft ${request}): ${CMAKE_MATCH_0}")
endfunction()
set(both "weft (1|TRUE), runtime TRUE, converter TRUE")
foreach(request IN ITEMS "0.2" "0.2.0;EXACT" "0.2;EXACT;REQUIRED" "REQUIRED;COMPONENTS;runtime"
                         "0.2;REQUIRED;COMPONENTS;runtime;converter"
                         "REQUIRED;OPTIONAL_COMPONENTS;converter;absent")
  weft_ask("${request}" "${both}")
endforeach()
weft_ask("COMPONENTS;runtime;absent" "component absent does not exist; must be runtime, \
converter or converter_library.*weft (0|FALSE), ")
weft_ask("REQUIRED;COMPONENTS;absent" "component absent does not exist; must be")
weft_ask("REQUIRED;COMPONENTS;converter_library" "component converter_library lacks:.* fmt"
         -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON)
weft_ask("0.3" "weft (0|FALSE), runtime ,")
weft_ask("0.2.7;EXACT" "weft (0|FALSE), runtime ,")
# A build for a board on a machine without a weft command on the PATH.
file(GLOB_RECURSE package "${prefix}/weftConfig.cmake")
get_filename_component(package "${package}" DIRECTORY)
find_program(ninja ninja)
set(board "-DCMAKE_MAKE_PROGRAM=${ninja}" -DCMAKE_SYSTEM_NAME=Generic
    -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF
    -DCMAKE_PREFIX_PATH= "-Dweft_DIR=${package}")
weft_ask("REQUIRED;OPTIONAL_COMPONENTS;converter" "weft (1|TRUE), runtime TRUE, converter FALSE"
         ${board})
weft_ask("REQUIRED;COMPONENTS;converter" "component converter: no weft command is on the PATH or \
in the installation; install weft on this machine or set WEFT_COMMAND to it" ${board})
