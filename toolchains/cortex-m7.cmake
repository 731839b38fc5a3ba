# SPDX-License-Identifier: Apache-2.0
# Bare-metal Cortex-M7 with a single-precision FPU, GCC and newlib;
# programs run on an emulated mps2-an500.
set(CMAKE_SYSTEM_PROCESSOR cortex-m7)
set(WEFT_CPU_FLAGS "-mcpu=cortex-m7 -mfpu=fpv5-sp-d16")
set(WEFT_BOARD mps2-an500)
include(${CMAKE_CURRENT_LIST_DIR}/bare-metal.cmake)
