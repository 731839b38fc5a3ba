# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DBUILD= -DFOLDER= -DBOARD= -DWEFT_COMMAND= -P board.cmake: installs this cross
# build, copies examples/cortex-m away and builds it over the installation. The firmware decodes the
# recording, with the model's bytes spelled out and taken by the assembler; it has no undefined
# symbol and no constructor; a board with 1 KB of RAM is refused by the linker.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
weft_begin_installed()
file(COPY "${SOURCE}/examples/dtmf" "${SOURCE}/examples/cortex-m" DESTINATION "${project}")
file(READ "${project}/dtmf/model/test.txt" keys)
string(STRIP "${keys}" keys)
set(options "-DCMAKE_TOOLCHAIN_FILE=${project}/cortex-m/toolchain.cmake" -DBOARD=${BOARD}
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DWEFT_COMMAND=${WEFT_COMMAND}")

foreach(form IN ITEMS OFF ON)
  weft_build("${project}/cortex-m" "${FOLDER}/firmware" ${options} -DINCBIN=${form})
  weft_run(${BOARD} qemu-system-arm -M ${BOARD} -display none -serial none -monitor none
           -chardev stdio,id=host -semihosting-config enable=on,target=native,chardev=host
           -kernel "${FOLDER}/firmware/firmware.elf")
  weft_expect("${BOARD}, INCBIN=${form}" "${weft_stdout}" "${keys}\n")
endforeach()

weft_run(sections arm-none-eabi-objdump -h "${FOLDER}/firmware/firmware.elf")
if(weft_stdout MATCHES "init_array|\\.ctors")
  message(FATAL_ERROR "firmware.elf has static constructors:\n${weft_stdout}")
endif()
weft_run(symbols arm-none-eabi-nm "${FOLDER}/firmware/firmware.elf")
if(weft_stdout MATCHES " [Uw] |malloc|_sbrk|printf|__libc_init_array")
  message(FATAL_ERROR "firmware.elf holds what only a C library brings:\n${weft_stdout}")
endif()

weft_run(configure "${CMAKE_COMMAND}" -S "${project}/cortex-m" -B "${FOLDER}/firmware"
         -DRAM_BYTES=1K)
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${FOLDER}/firmware"
                OUTPUT_VARIABLE talk ERROR_VARIABLE talk RESULT_VARIABLE result)
if(result EQUAL 0 OR NOT talk MATCHES "region `RAM' overflowed by [0-9]+ bytes")
  message(FATAL_ERROR "1 KB of RAM: the linker must say that RAM overflows; it ended with "
                      "${result}:\n${talk}")
endif()
message(STATUS "1 KB of RAM: ${CMAKE_MATCH_0}")
