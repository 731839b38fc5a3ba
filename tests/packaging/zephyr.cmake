# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DFOLDER= -DTOOLCHAIN= -DBOARD= -DWEFT_COMMAND= -DHIGHWAY= -P zephyr.cmake: builds
# examples/zephyr with weft as its module and the stubs of zephyr/, and runs it on the emulated
# board. Kconfig must define every setting that the module reads.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
file(READ "${SOURCE}/zephyr/CMakeLists.txt" module)
file(READ "${SOURCE}/zephyr/Kconfig" kconfig)
string(REGEX MATCHALL "WEFT_(TEXT|ALL_STEPS|COMMAND|HIGHWAY_DIR|FLATC)" settings "${module}")
list(REMOVE_DUPLICATES settings)
foreach(setting IN ITEMS WEFT ${settings})
  if(NOT kconfig MATCHES "config ${setting}\n")
    message(FATAL_ERROR "zephyr/Kconfig has no ${setting}, which zephyr/CMakeLists.txt reads")
  endif()
endforeach()

file(REMOVE_RECURSE "${FOLDER}")
file(COPY "${SOURCE}/examples/dtmf" "${SOURCE}/examples/zephyr" DESTINATION "${FOLDER}/project")
set(ENV{ZEPHYR_BASE} "${CMAKE_CURRENT_LIST_DIR}/zephyr")
weft_build("${FOLDER}/project/zephyr" "${FOLDER}/build" "-DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN}"
           "-DZephyr_DIR=${CMAKE_CURRENT_LIST_DIR}/zephyr" "-DZEPHYR_EXTRA_MODULES=${SOURCE}"
           "-DWEFT_COMMAND=${WEFT_COMMAND}" "-DWEFT_HIGHWAY_DIR=${HIGHWAY}"
           -DWEFT_PRECOMPILE=ON)
# Only the kernels of the model are compiled: 7 steps, what these include, and one table.
file(GLOB_RECURSE objects RELATIVE "${FOLDER}/build" "${FOLDER}/build/*.o" "${FOLDER}/build/*.obj")
list(FILTER objects INCLUDE REGEX "/weft_kernels\\.dir/")
list(LENGTH objects count)
message(STATUS "${count} objects of kernels")
if(count LESS 7 OR count GREATER 20 OR NOT objects MATCHES "/gru_cell\\.cc" OR
   objects MATCHES "/(conv|lstm_cell|gru_cell_f16)\\.cc")
  message(FATAL_ERROR "the module must compile the kernels of the model, and only these")
endif()
weft_run(${BOARD} "${SOURCE}/toolchains/boards/run.sh" ${BOARD} "${FOLDER}/build/zephyr.elf")
file(READ "${SOURCE}/examples/dtmf/model/test.txt" keys)
string(STRIP "${keys}" keys)
weft_expect("${BOARD}" "${weft_stdout}" "${keys}\n")
