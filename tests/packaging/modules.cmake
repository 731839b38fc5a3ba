# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DBUILD= -DFOLDER= -P modules.cmake: checks that modules with a model export no
# symbol of weft, and run in one process with each other and with another version of weft.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
weft_begin_installed()
file(COPY "${CMAKE_CURRENT_LIST_DIR}/projects/modules" DESTINATION "${FOLDER}")
set(build "${FOLDER}/modules-build")
weft_build("${FOLDER}/modules" "${build}" "-DCMAKE_PREFIX_PATH=${prefix}"
           "-DMODELS=${SOURCE}/examples/dtmf/model")

weft_run(symbols nm -D --defined-only "${build}/first.so")
string(REGEX MATCHALL "[^ \n]+ [^ \n]+\n" lines "${weft_stdout}")
list(FILTER lines EXCLUDE REGEX "^T model_")  # symbols of the model, whose name the plug-in chooses
weft_expect("symbols of a module" "${lines}" "T runs\n")

foreach(scope IN ITEMS local global)
  weft_run(host "${build}/host" ${scope} "${build}/first.so" "${build}/second.so")
  weft_expect("two modules, ${scope}" "${weft_stdout}" "runs;runs;\n")
  weft_run(host "${build}/host" ${scope} "${build}/other_version.so" "${build}/first.so")
  weft_expect("after another version, ${scope}" "${weft_stdout}" "runs;\n")
endforeach()
