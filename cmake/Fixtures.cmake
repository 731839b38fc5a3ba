# SPDX-License-Identifier: Apache-2.0
# The stored test cases: one archive for each family of tests/conformance/cases and tests/tflite,
# for each set of tests/zoo and for each fuzzer of tests/fuzz. The target weft_fixtures unpacks them
# into build/fixtures, which all presets share. Whatever reads the unpacked files depends on that
# target.
set(WEFT_FIXTURES_DIR "${PROJECT_SOURCE_DIR}/build/fixtures")
set(weft_unpacked "${WEFT_FIXTURES_DIR}/unpacked.txt")
set(weft_unpack "${PROJECT_SOURCE_DIR}/cmake/UnpackFixtures.cmake")
file(GLOB weft_archives CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/conformance/cases/*.zip"
     "${PROJECT_SOURCE_DIR}/tests/zoo/*.zip" "${PROJECT_SOURCE_DIR}/tests/tflite/*.zip"
     "${PROJECT_SOURCE_DIR}/tests/fuzz/*.zip")
add_custom_command(
  OUTPUT "${weft_unpacked}"
  COMMAND ${CMAKE_COMMAND} -P "${weft_unpack}"
  DEPENDS ${weft_archives} "${weft_unpack}"
  COMMENT "Unpacking the stored test cases into ${WEFT_FIXTURES_DIR}" VERBATIM)
add_custom_target(weft_fixtures DEPENDS "${weft_unpacked}")
