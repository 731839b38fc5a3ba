# SPDX-License-Identifier: Apache-2.0
# Bare-metal Cortex-M4 with FPU, GCC and newlib;
# programs run on an emulated mps2-an386.
set(CMAKE_SYSTEM_PROCESSOR cortex-m4)
set(WEFT_CPU_FLAGS "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16")
set(WEFT_BOARD mps2-an386)
include(${CMAKE_CURRENT_LIST_DIR}/bare-metal.cmake)
