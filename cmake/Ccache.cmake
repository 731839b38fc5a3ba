# SPDX-License-Identifier: Apache-2.0
# Compiles through ccache where it is installed and no other launcher was asked for. Paths below the
# source are made relative, so that a fresh clone finds what another clone has compiled.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(WEFT_CCACHE ccache)
  if(WEFT_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
        ${WEFT_CCACHE})
  endif()
endif()
