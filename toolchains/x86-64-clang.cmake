# SPDX-License-Identifier: Apache-2.0
# 64-bit x86 under Linux with Clang 19 or newer: warnings of a second compiler, and sanitizers that
# compile in half the time of GCC 12's.
include(${CMAKE_CURRENT_LIST_DIR}/clang.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/x86-64.cmake)
