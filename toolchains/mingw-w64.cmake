# SPDX-License-Identifier: Apache-2.0
# 64-bit Windows on x86, MinGW-w64 with GCC and threads of POSIX. Programs are static, so that they
# need no library of MinGW. Tests run under Wine: its own command prints a hint on every call if the
# 32-bit part is missing, so Debian's 64-bit loader is used directly.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")
find_program(WEFT_WINE NAMES wine64 wine HINTS /usr/lib/wine)
if(WEFT_WINE)
  # A prefix in the build folder: no setting of the user changes a result.
  set(CMAKE_CROSSCOMPILING_EMULATOR
      env WINEDEBUG=-all "WINEPREFIX=${CMAKE_BINARY_DIR}/wine" "${WEFT_WINE}")
endif()
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
