# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DBUILD= -DFOLDER= -P readme.cmake: builds a project from README's two snippets
# with an installed desktop build, for a model with state and for one without. The program must
# contain exactly the kernels of its model, and warnings are errors.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
weft_begin_installed()
file(READ "${SOURCE}/README.md" readme)
foreach(language IN ITEMS cpp cmake)
  if(NOT readme MATCHES "```${language}\n([^`]*)```")
    message(FATAL_ERROR "README.md has no snippet of ${language}")
  endif()
  set(${language} "${CMAKE_MATCH_1}")
endforeach()
# The examples are IR files; weft_add_model takes both.
string(REPLACE "model.tflite" "model.xml" cmake "${cmake}")

# weft_try(<model's path without .xml> <expected kStateBytes>)
function(weft_try model must)
  get_filename_component(name "${model}" NAME)
  set(folder "${project}/${name}")
  file(COPY "${CMAKE_CURRENT_LIST_DIR}/projects/readme/main.cc" DESTINATION "${folder}")
  file(WRITE "${folder}/snippet.inc" "${cpp}")
  file(WRITE "${folder}/CMakeLists.txt" "cmake_minimum_required(VERSION 3.22)\n"
       "project(firmware LANGUAGES C CXX)\nset(CMAKE_CXX_STANDARD 17)\n${cmake}")
  foreach(suffix IN ITEMS xml bin)
    configure_file("${model}.${suffix}" "${folder}/model.${suffix}" COPYONLY)
  endforeach()
  # main.cc includes snippet.inc in angle brackets, so its folder is an include folder.
  weft_build("${folder}" "${folder}-build" "-DCMAKE_PREFIX_PATH=${prefix}"
             "-DCMAKE_CXX_FLAGS=-I'${folder}' -Wall -Wextra -pedantic -Werror")
  weft_run(${name} "${folder}-build/firmware")
  weft_expect("${name}" "${weft_stdout}" "a number\n")
  file(STRINGS "${folder}-build/firmware_models/model.h" found REGEX "kStateBytes = ${must},")
  if(NOT found)
    message(FATAL_ERROR "${name}: the header has no kStateBytes = ${must}")
  endif()
  weft_run(symbols nm "${folder}-build/firmware")
  string(REGEX MATCHALL "weft_run_[a-z_]+" kernels "${weft_stdout}")
  # Entries of steps with narrow weights are in the same object files as the steps.
  list(FILTER kernels EXCLUDE REGEX "^weft_run_narrow_")
  list(SORT kernels)
  weft_run(listing "${prefix}/bin/weft" inspect "${folder}-build/firmware_models/model.weft"
           --listing)
  set(in_model "")
  file(STRINGS "${SOURCE}/runtime/format/ops.inc" rows REGEX "^WEFT_STEP\\(")
  foreach(row IN LISTS rows)
    string(REGEX MATCH "^WEFT_STEP\\(([a-z_]+)" row "${row}")
    set(step "${CMAKE_MATCH_1}")
    if(weft_stdout MATCHES "[^a-z_]${step}[^a-z_]")
      list(APPEND in_model "weft_run_${step}")
    endif()
  endforeach()
  list(SORT in_model)
  weft_expect("${name}: kernels" "${kernels}" "${in_model}")
endfunction()
weft_try("${SOURCE}/examples/dtmf/model/dtmf" 96)
weft_try("${SOURCE}/tests/size/models/mlp" 0)
