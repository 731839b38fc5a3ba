# SPDX-License-Identifier: Apache-2.0
# Bare-metal Cortex-M3, which has no FPU, GCC and newlib;
# programs run on an emulated mps2-an385.
set(CMAKE_SYSTEM_PROCESSOR cortex-m3)
set(WEFT_CPU_FLAGS "-mcpu=cortex-m3")
set(WEFT_FLOAT_ABI soft)
set(WEFT_BOARD mps2-an385)
include(${CMAKE_CURRENT_LIST_DIR}/bare-metal.cmake)
