# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DBUILD= -DFOLDER= -DBOARD= -DWEFT_COMMAND= -P board.cmake: installs this cross
# build, and builds a copy of examples/cortex-m with the installation. Checks that the firmware
# decodes the recording, with the model as an array and as an included binary file; that it has no
# undefined symbol, no constructor and, without PROFILE, no profiling code; that the profile lists
# every step that runs; and that the linker rejects a board with 1 KB of RAM.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
weft_begin_installed()
file(COPY "${SOURCE}/examples/dtmf" "${SOURCE}/examples/cortex-m" DESTINATION "${project}")
file(READ "${project}/dtmf/model/test.txt" keys)
string(STRIP "${keys}" keys)
set(options "-DCMAKE_TOOLCHAIN_FILE=${project}/cortex-m/toolchain.cmake" -DBOARD=${BOARD}
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DWEFT_COMMAND=${WEFT_COMMAND}")

set(emulator qemu-system-arm -M ${BOARD} -display none -serial none -monitor none
    -chardev stdio,id=host -semihosting-config enable=on,target=native,chardev=host)
foreach(form IN ITEMS OFF ON)
  weft_build("${project}/cortex-m" "${FOLDER}/firmware" ${options} -DINCBIN=${form})
  weft_run(${BOARD} ${emulator} -kernel "${FOLDER}/firmware/firmware.elf")
  weft_expect("${BOARD}, INCBIN=${form}" "${weft_stdout}" "${keys}\n")
endforeach()

weft_run(sections arm-none-eabi-objdump -h "${FOLDER}/firmware/firmware.elf")
if(weft_stdout MATCHES "init_array|\\.ctors")
  message(FATAL_ERROR "firmware.elf has static constructors:\n${weft_stdout}")
endif()
weft_run(symbols arm-none-eabi-nm "${FOLDER}/firmware/firmware.elf")
if(weft_stdout MATCHES " [Uw] |malloc|_sbrk|printf|__libc_init_array")
  message(FATAL_ERROR "firmware.elf needs functions of a C library:\n${weft_stdout}")
endif()
if(weft_stdout MATCHES "StepTimes|step_(times|kind|layer)")
  message(FATAL_ERROR "firmware.elf contains unused profiling code:\n${weft_stdout}")
endif()

# The rows are those of `weft bench --profile`, slowest first. The emulator counts instructions, so
# a second run gives the same numbers.
weft_build("${project}/cortex-m" "${FOLDER}/profile" ${options} -DPROFILE=ON)
foreach(run IN ITEMS first second)
  weft_run(profile ${emulator} -icount shift=0 -kernel "${FOLDER}/profile/firmware.elf")
  set(${run} "${weft_stdout}")
endforeach()
message(STATUS "profile:\n${first}")
weft_expect("profile, again" "${second}" "${first}")
weft_run(bench "${WEFT_COMMAND}" bench "${FOLDER}/profile/firmware_models/dtmf.weft"
         --iterations 10 --profile --csv)
string(REGEX MATCHALL "\n[^\n]+" rows "${weft_stdout}")
foreach(row IN LISTS rows)
  string(REGEX MATCH "([0-9]+),([a-z_]+),([^,]*),([0-9]+),[^,]*,[^,]*,[^,]*$" row "${row}")
  set(cells "${CMAKE_MATCH_1}  ${CMAKE_MATCH_2} +${CMAKE_MATCH_3} +${CMAKE_MATCH_4}")
  if(row STREQUAL "" OR NOT first MATCHES "\n *${cells} +[0-9.]+ +[0-9.]+ %\n")
    message(FATAL_ERROR "the board's table has no row \"${cells}\"; the desktop has \"${row}\"")
  endif()
endforeach()
string(REGEX MATCHALL "\n *[0-9]+  [a-z_]+ [^\n]+ %" board_rows "${first}")
list(LENGTH rows must)
list(LENGTH board_rows is)
weft_expect("rows of the board's table" "${is}" "${must}")
set(slowest 1e9)
foreach(row IN LISTS board_rows)
  string(REGEX MATCH "([0-9.]+) +[0-9.]+ %$" row "${row}")
  if(CMAKE_MATCH_1 GREATER slowest)
    message(FATAL_ERROR "the board's table is not sorted: ${CMAKE_MATCH_1} us after ${slowest} us")
  endif()
  set(slowest "${CMAKE_MATCH_1}")
endforeach()

# The README's program with another model, in a copy that contains only this folder.
file(COPY "${SOURCE}/examples/cortex-m" DESTINATION "${project}/own")
set(own "${project}/own/cortex-m")
file(COPY "${SOURCE}/tests/document/readme/" DESTINATION "${own}" FILES_MATCHING PATTERN "model.*")
file(READ "${own}/README.md" readme)
file(READ "${own}/CMakeLists.txt" lists)
if(NOT readme MATCHES "\n(set\\(model [^\n]*)\n(set\\(model_options [^\n]*)\n.*```cpp\n([^`]*)```")
  message(FATAL_ERROR "examples/cortex-m/README.md has no program for the user's model")
endif()
set(set_model "${CMAKE_MATCH_1}")
set(set_options "${CMAKE_MATCH_2}")
file(WRITE "${own}/main.cc" "${CMAKE_MATCH_3}")
string(REPLACE " recording.S " " " lists "${lists}")
string(REGEX REPLACE "set\\(model [^\n]*" "${set_model}" lists "${lists}")
string(REGEX REPLACE "set\\(model_options [^\n]*" "${set_options}" lists "${lists}")
file(WRITE "${own}/CMakeLists.txt" "${lists}")
weft_build("${own}" "${FOLDER}/own" ${options}
           "-DCMAKE_TOOLCHAIN_FILE=${own}/toolchain.cmake")
weft_run(own ${emulator} -kernel "${FOLDER}/own/firmware.elf")
weft_expect("the user's model" "${weft_stdout}" "no\n")
weft_build("${own}" "${FOLDER}/own" ${options}
           "-DCMAKE_TOOLCHAIN_FILE=${own}/toolchain.cmake" -DPROFILE=ON)
weft_run(own ${emulator} -icount shift=0 -kernel "${FOLDER}/own/firmware.elf")
if(NOT weft_stdout MATCHES "step +kind.*us/run.*%.*\nno\n$")
  message(FATAL_ERROR "the user's model prints no profile with PROFILE=ON:\n${weft_stdout}")
endif()
# With weft's source tree, only the steps of the user's model are compiled.
weft_run(configure "${CMAKE_COMMAND}" -G Ninja -S "${own}" -B "${FOLDER}/own_source" ${options}
         "-DCMAKE_TOOLCHAIN_FILE=${own}/toolchain.cmake" "-DWEFT_SOURCE=${SOURCE}"
         "-DWEFT_HIGHWAY_DIR=${HIGHWAY}")

weft_run(configure "${CMAKE_COMMAND}" -S "${project}/cortex-m" -B "${FOLDER}/firmware"
         -DRAM_BYTES=1K)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${FOLDER}/firmware"
                OUTPUT_VARIABLE talk ERROR_VARIABLE talk RESULT_VARIABLE result)
if(result EQUAL 0 OR NOT talk MATCHES "region `RAM' overflowed by [0-9]+ bytes")
  message(FATAL_ERROR "1 KB of RAM: the linker must report that RAM overflows; exit code is "
                      "${result}:\n${talk}")
endif()
message(STATUS "1 KB of RAM: ${CMAKE_MATCH_0}")
