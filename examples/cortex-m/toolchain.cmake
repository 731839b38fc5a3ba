# SPDX-License-Identifier: Apache-2.0
# GCC for bare-metal Cortex-M, and QEMU as emulator. -DBOARD= selects one of the boards below. Only
# the headers of newlib are used; the library is not linked.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BOARD)

set(BOARD mps2-an386 CACHE STRING
    "mps2-an386 (M4), mps2-an500 (M7), mps2-an505 (M33) or mps3-an547 (M55)")
if(BOARD STREQUAL "mps2-an386")
  set(CMAKE_SYSTEM_PROCESSOR cortex-m4)
  set(cpu "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16")
  set(BOARD_CLOCK_HZ 25000000)
elseif(BOARD STREQUAL "mps2-an500")
  set(CMAKE_SYSTEM_PROCESSOR cortex-m7)
  set(cpu "-mcpu=cortex-m7 -mfpu=fpv5-sp-d16")
  set(BOARD_CLOCK_HZ 25000000)
elseif(BOARD STREQUAL "mps2-an505")
  set(CMAKE_SYSTEM_PROCESSOR cortex-m33)
  set(cpu "-mcpu=cortex-m33 -mfpu=fpv5-sp-d16")
  set(BOARD_CLOCK_HZ 20000000)
elseif(BOARD STREQUAL "mps3-an547")
  set(CMAKE_SYSTEM_PROCESSOR cortex-m55)
  set(cpu "-mcpu=cortex-m55")
  set(BOARD_CLOCK_HZ 32000000)
else()
  message(FATAL_ERROR "BOARD is \"${BOARD}\"; must be mps2-an386, mps2-an500, mps2-an505 or "
                      "mps3-an547")
endif()
set(CMAKE_C_FLAGS_INIT "${cpu} -mthumb -mfloat-abi=hard")
set(CMAKE_CXX_FLAGS_INIT "${cpu} -mthumb -mfloat-abi=hard")
set(CMAKE_ASM_FLAGS_INIT "${cpu} -mthumb -mfloat-abi=hard")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-system-arm -M ${BOARD} -display none -serial none
    -monitor none -chardev stdio,id=host
    -semihosting-config enable=on,target=native,chardev=host -kernel)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
