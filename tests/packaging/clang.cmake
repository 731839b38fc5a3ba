# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DBUILD= -DCLANG=<clang++> -P clang.cmake: Clang reads the whole converter without
# a warning. (Firmware for the Cortex-M55 has it compile runtime and kernels.) Nothing is generated,
# and only what changed is read again: the folder beside BUILD stays.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
set(build "${BUILD}-clang")
set(read "<CMAKE_CXX_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -fsyntax-only <SOURCE>")
weft_run(configure "${CMAKE_COMMAND}" --preset x86-64 -S "${SOURCE}" -B "${build}"
         "-DCMAKE_CXX_COMPILER=${CLANG}" -DCMAKE_CXX_COMPILER_LAUNCHER= -DWEFT_BUILD_TESTS=OFF
         "-DCMAKE_CXX_COMPILE_OBJECT=${read}\;${CMAKE_COMMAND} -E touch <OBJECT>")
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${build}" --target weft_converter -j 2 -- -k 0
                OUTPUT_VARIABLE talk ERROR_VARIABLE talk RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${talk}")
endif()
file(STRINGS "${build}/compile_commands.json" sources REGEX "\"file\": .*/converter/")
list(LENGTH sources count)
message(STATUS "${CLANG}: ${count} sources of the converter without a warning")
