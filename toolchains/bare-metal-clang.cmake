# SPDX-License-Identifier: Apache-2.0
# Clang as compiler of a bare-metal build that uses GCC's libraries and linker. Include this file
# before bare-metal.cmake, with WEFT_CPU_FLAGS set. Both compilers follow Arm's ABI, with two
# differences. GCC's enumerations are as short as their values allow, hence -fshort-enums. GCC's
# int32_t is long, so mangled C++ names with int32_t differ: code with such names, also GoogleTest,
# must use the same compiler.
include(${CMAKE_CURRENT_LIST_DIR}/clang.cmake)
set(CMAKE_C_COMPILER_TARGET thumbv8.1m.main-none-eabihf)
set(CMAKE_CXX_COMPILER_TARGET thumbv8.1m.main-none-eabihf)
set(CMAKE_AR arm-none-eabi-ar)
set(CMAKE_NM arm-none-eabi-nm)
set(CMAKE_OBJDUMP arm-none-eabi-objdump)
set(CMAKE_RANLIB arm-none-eabi-ranlib)

# GCC's header folders, without its internal ones, which would replace Clang's.
execute_process(
  COMMAND arm-none-eabi-g++ ${WEFT_CPU_FLAGS} -mthumb -mfloat-abi=hard -E -v -x c++ /dev/null
  OUTPUT_QUIET ERROR_VARIABLE talk)
string(REGEX MATCH "> search starts here:\n(.*)End of search list" found "${talk}")
string(REGEX MATCHALL "/[^\n]+" folders "${CMAKE_MATCH_1}")
set(WEFT_C_INCLUDES "")
set(WEFT_CXX_INCLUDES "-nostdinc++")
foreach(folder IN LISTS folders)
  get_filename_component(folder "${folder}" REALPATH)
  if(folder MATCHES "/c\\+\\+/")
    string(APPEND WEFT_CXX_INCLUDES " -isystem ${folder}")
  elseif(NOT folder MATCHES "/gcc/")
    string(APPEND WEFT_C_INCLUDES " -idirafter ${folder}")
  endif()
endforeach()
set(WEFT_C_COMPILE_FLAGS "-fshort-enums ${WEFT_C_INCLUDES}")
set(WEFT_CXX_COMPILE_FLAGS "-fshort-enums ${WEFT_CXX_INCLUDES} ${WEFT_C_INCLUDES}")

# GCC selects the libraries and the specs.
foreach(language IN ITEMS C CXX)
  set(CMAKE_${language}_LINK_EXECUTABLE
      "arm-none-eabi-g++ ${WEFT_CPU_FLAGS} -mthumb -mfloat-abi=hard <CMAKE_${language}_LINK_FLAGS> \
<LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
endforeach()
