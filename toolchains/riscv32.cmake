# SPDX-License-Identifier: Apache-2.0
# Bare-metal RV32IMC, which has no FPU, GCC and picolibc. Programs run on an emulated virt board;
# picolibc's startup code and semihosting serve it. A compiler without the headers of C++, such as
# Debian's, uses those of arm-none-eabi-g++, whose C library is of the same family. Only headers: no
# program links a C++ library.
set(WEFT_BOARD virt)
include(${CMAKE_CURRENT_LIST_DIR}/board.cmake)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
if(NOT CMAKE_CXX_COMPILER)
  set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
  set(CMAKE_CXX_COMPILER riscv64-unknown-elf-g++)
endif()
set(WEFT_FLOAT_ABI soft)
set(WEFT_NO_CXX_LIBRARY ON)
set(weft_machine "-march=rv32imc -mabi=ilp32 --specs=picolibc.specs")
set(CMAKE_C_FLAGS_INIT "${weft_machine}")
set(CMAKE_CXX_FLAGS_INIT "${weft_machine}")
set(weft_probe -x c++ -include cstdint -E /dev/null)
separate_arguments(weft_probe_flags UNIX_COMMAND "${weft_machine}")
execute_process(COMMAND "${CMAKE_CXX_COMPILER}" ${weft_probe_flags} ${weft_probe}
                RESULT_VARIABLE weft_lacks_headers OUTPUT_QUIET ERROR_QUIET)
if(NOT weft_lacks_headers EQUAL 0)
  file(GLOB weft_config /usr/include/newlib/c++/*/arm-none-eabi/bits/c++config.h)
  if(NOT weft_config)
    message(FATAL_ERROR "riscv32: ${CMAKE_CXX_COMPILER} has no C++ headers; "
                        "libstdc++-arm-none-eabi-newlib must be installed, whose headers serve it")
  endif()
  list(GET weft_config 0 weft_config)
  get_filename_component(weft_config "${weft_config}" DIRECTORY)
  get_filename_component(weft_config "${weft_config}" DIRECTORY)
  get_filename_component(weft_headers "${weft_config}" DIRECTORY)
  string(APPEND CMAKE_CXX_FLAGS_INIT " -isystem ${weft_headers} -isystem ${weft_config}")
endif()
set(CMAKE_EXE_LINKER_FLAGS_INIT "--oslib=semihost --crt0=semihost -Wl,--gc-sections \
-Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=0x1000000 \
-Wl,--defsym=__ram=0x81000000,--defsym=__ram_size=0x2000000")
