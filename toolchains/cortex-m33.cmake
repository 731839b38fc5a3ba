# SPDX-License-Identifier: Apache-2.0
# Bare-metal Cortex-M33 with FPU, GCC and newlib;
# programs run on an emulated mps2-an505.
set(CMAKE_SYSTEM_PROCESSOR cortex-m33)
set(WEFT_CPU_FLAGS "-mcpu=cortex-m33 -mfpu=fpv5-sp-d16")
set(WEFT_BOARD mps2-an505)
include(${CMAKE_CURRENT_LIST_DIR}/bare-metal.cmake)
