# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DBUILD= -DFOLDER= -DTOOLCHAIN= -DEMULATOR=<word>,<word> -DWEFT_COMMAND=
# -P linux.cmake: installs this cross build, and builds and runs examples/linux-stream with it.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
weft_begin_installed()
file(COPY "${SOURCE}/examples/dtmf" "${SOURCE}/examples/linux-stream" DESTINATION "${project}")
# The toolchain file searches packages only below the compiler's root, so the folder is specified.
file(GLOB_RECURSE package "${prefix}/weftConfig.cmake")
get_filename_component(package "${package}" DIRECTORY)
weft_build("${project}/linux-stream" "${FOLDER}/linux-stream" "-DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN}"
           "-Dweft_DIR=${package}" "-DWEFT_COMMAND=${WEFT_COMMAND}")
set(model "${project}/dtmf/model")
string(REPLACE "," " " emulator "${EMULATOR}")
weft_run(linux-stream sh -c
  "tail -c +45 '${model}/test.wav' | ${emulator} '${FOLDER}/linux-stream/linux_stream'")
file(READ "${model}/test.txt" keys)
string(STRIP "${keys}" keys)
weft_expect("linux-stream" "${weft_stdout}" "${keys}\n")
