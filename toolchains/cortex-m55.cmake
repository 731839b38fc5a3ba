# SPDX-License-Identifier: Apache-2.0
# Bare-metal Cortex-M55 with Helium, GCC and newlib;
# programs run on an emulated mps3-an547.
set(CMAKE_SYSTEM_PROCESSOR cortex-m55)
set(WEFT_CPU_FLAGS "-mcpu=cortex-m55")
set(WEFT_BOARD mps3-an547)
include(${CMAKE_CURRENT_LIST_DIR}/bare-metal.cmake)
