# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=<nm> -DPROGRAM=<program> -P floats.cmake: fails if the program contains a function of
# the compiler's library that computes with floats in software, or fmaf or sqrtf.
execute_process(COMMAND "${NM}" "${PROGRAM}" OUTPUT_VARIABLE listing RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${NM} cannot read ${PROGRAM}")
endif()
# Arm's names: operations on f and d, and conversions such as i2f. GCC's names: __addsf3,
# __floatsisf.
set(floats "__aeabi_c?[fd][a-z0-9]+|__aeabi_u?[il]2[fd]|__[a-z]+[sd]f[a-z0-9]*|fmaf?|sqrtf?")
string(REGEX MATCHALL " [Tt] (${floats})\n" found "${listing}")
string(REGEX MATCHALL " [Tt] (main)\n" main "${listing}")
if(NOT main)
  message(FATAL_ERROR "${PROGRAM}: main is missing among its symbols")
endif()
if(found)
  list(TRANSFORM found STRIP)
  list(TRANSFORM found REPLACE "^[Tt] " "")
  list(JOIN found " " found)
  message(FATAL_ERROR "${PROGRAM} contains float arithmetic: ${found}")
endif()
