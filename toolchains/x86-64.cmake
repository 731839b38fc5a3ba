# SPDX-License-Identifier: Apache-2.0
# 64-bit x86 under Linux. On an x86-64 machine the system's compiler is used, and tests run on every
# vector target of the processor. On other machines GCC cross-compiles and QEMU runs the tests.
if(NOT CMAKE_HOST_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR x86_64)
  set(CMAKE_C_COMPILER x86_64-linux-gnu-gcc)
  set(CMAKE_CXX_COMPILER x86_64-linux-gnu-g++)
  set(CMAKE_CROSSCOMPILING_EMULATOR qemu-x86_64 -cpu max -L /usr/x86_64-linux-gnu)
  set(CMAKE_FIND_ROOT_PATH /usr/x86_64-linux-gnu)
  set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
  set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
  set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
  set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
endif()
