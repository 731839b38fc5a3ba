# SPDX-License-Identifier: Apache-2.0
# Sets Clang, 19 or newer, as the compiler of a toolchain that includes this file.
find_program(WEFT_CLANG NAMES clang-21 clang-20 clang-19 clang REQUIRED)
find_program(WEFT_CLANGXX NAMES clang++-21 clang++-20 clang++-19 clang++ REQUIRED)
set(CMAKE_C_COMPILER "${WEFT_CLANG}")
set(CMAKE_CXX_COMPILER "${WEFT_CLANGXX}")
