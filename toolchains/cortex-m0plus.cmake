# SPDX-License-Identifier: Apache-2.0
# Bare-metal Cortex-M0+, which has no FPU, no division and no unaligned access, GCC and newlib.
# QEMU's boards with a Cortex-M0 have 16 KB of RAM, so programs run on an emulated mps2-an385. Its
# Cortex-M3 runs all instructions of a Cortex-M0+, and the startup code lets it trap at unaligned
# accesses. The assembler rejects all other instructions.
set(CMAKE_SYSTEM_PROCESSOR cortex-m0plus)
set(WEFT_CPU_FLAGS "-mcpu=cortex-m0plus")
set(WEFT_FLOAT_ABI soft)
set(WEFT_BOARD mps2-an385)
include(${CMAKE_CURRENT_LIST_DIR}/bare-metal.cmake)
