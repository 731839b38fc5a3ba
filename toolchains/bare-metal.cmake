# SPDX-License-Identifier: Apache-2.0
# Common part of the Cortex-M toolchain files: newlib without an operating system, and GCC unless
# another compiler is set. Sets the compilers for WEFT_CPU_FLAGS and WEFT_FLOAT_ABI (hard, unless it
# is set); programs are linked for WEFT_BOARD, which QEMU emulates.
include(${CMAKE_CURRENT_LIST_DIR}/board.cmake)
if(NOT CMAKE_CXX_COMPILER)
  set(CMAKE_C_COMPILER arm-none-eabi-gcc)
  set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
endif()
if(NOT WEFT_FLOAT_ABI)
  set(WEFT_FLOAT_ABI hard)
endif()
set(weft_machine "${WEFT_CPU_FLAGS} -mthumb -mfloat-abi=${WEFT_FLOAT_ABI}")
set(CMAKE_C_FLAGS_INIT "${weft_machine} ${WEFT_C_COMPILE_FLAGS}")
set(CMAKE_CXX_FLAGS_INIT "${weft_machine} ${WEFT_CXX_COMPILE_FLAGS}")
set(WEFT_BOARD_STARTUP "${CMAKE_CURRENT_LIST_DIR}/boards/startup.c")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-nostartfiles --specs=rdimon.specs -Wl,--gc-sections \
-L${CMAKE_CURRENT_LIST_DIR}/boards -T${CMAKE_CURRENT_LIST_DIR}/boards/${WEFT_BOARD}.ld")
