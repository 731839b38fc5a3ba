# SPDX-License-Identifier: Apache-2.0
# Bare-metal Cortex-M55 with Helium; programs run on an emulated mps3-an547. Clang is the default
# compiler: it vectorises the kernels' plain loops with Helium, where GCC 12 generates scalar code
# for most. Both use GCC's newlib, libstdc++ and linker. -DWEFT_M55_COMPILER=gcc builds everything
# with GCC.
set(CMAKE_SYSTEM_PROCESSOR cortex-m55)
set(WEFT_CPU_FLAGS "-mcpu=cortex-m55")
set(WEFT_BOARD mps3-an547)
set(WEFT_M55_COMPILER clang CACHE STRING "clang (19 or newer) or gcc")
if(WEFT_M55_COMPILER STREQUAL "clang")
  include(${CMAKE_CURRENT_LIST_DIR}/bare-metal-clang.cmake)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/bare-metal.cmake)
