# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DBUILD= -DCLANG=<clang++> -P clang.cmake: Clang reads the converter without a
# warning. (Firmware for the Cortex-M55 has it compile runtime and kernels.) Nothing is generated,
# and only what changed is read again: the folder beside BUILD stays. To read all of it takes ten
# minutes of one processor, so that is for WEFT_CLANG_READS_ALL=1; else the sources are read in
# which Clang has found what GCC lets pass.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
set(build "${BUILD}-clang")
set(read "<CMAKE_CXX_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -fsyntax-only <SOURCE>")
weft_run(configure "${CMAKE_COMMAND}" --preset x86-64 -S "${SOURCE}" -B "${build}"
         "-DCMAKE_CXX_COMPILER=${CLANG}" -DCMAKE_CXX_COMPILER_LAUNCHER= -DWEFT_BUILD_TESTS=OFF
         "-DCMAKE_CXX_COMPILE_OBJECT=${read}\;${CMAKE_COMMAND} -E touch <OBJECT>")
set(folder converter/CMakeFiles/weft_converter.dir)
set(targets "")
foreach(source IN ITEMS cli/budget cli/peak cli/traffic ops/movement ops/port_map ops/reduce
                        passes/flatten passes/streaming_resize plan/arena plan/regions)
  list(APPEND targets ${folder}/${source}.cc.o)
endforeach()
if("$ENV{WEFT_CLANG_READS_ALL}")
  set(targets weft_converter)
endif()
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${build}" -j 2 --target ${targets} -- -k 0
                OUTPUT_VARIABLE talk ERROR_VARIABLE talk RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${talk}")
endif()
message(STATUS "${CLANG}: no warning in ${targets}")
