# SPDX-License-Identifier: Apache-2.0
# 64-bit x86 under Linux with Clang 19 or newer: a second compiler's warnings, and sanitizers that
# cost half of what GCC 12's cost to compile.
include(${CMAKE_CURRENT_LIST_DIR}/clang.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/x86-64.cmake)
