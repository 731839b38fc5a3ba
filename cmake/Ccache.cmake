# SPDX-License-Identifier: Apache-2.0
# Compiles through ccache where it is installed and no other launcher was asked for. Paths below the
# source are made relative, so that a fresh clone finds what another clone has compiled. In depend
# mode the compiler alone reads a source that the cache has not, and says which headers it read: a
# cold build takes a fifth less than with a preprocessor before it. Precompiled headers
# (cmake/Precompile.cmake) take two kinds of sloppiness: no source here reads __TIME__. What is
# compiled with one is found again below the same path only, which Clang writes into it.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(WEFT_CCACHE ccache)
  if(WEFT_CCACHE)
    set(weft_sloppiness "")
    if(WEFT_PRECOMPILE)
      set(weft_sloppiness CCACHE_SLOPPINESS=pch_defines,time_macros)
    endif()
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
        CCACHE_DEPEND=1 ${weft_sloppiness} ${WEFT_CCACHE})
  endif()
endif()
