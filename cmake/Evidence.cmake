# SPDX-License-Identifier: Apache-2.0
# The parts of `weft convert --evidence` that come from the source tree: the limits in
# docs/safety.md, the source and tests of each step, and the libraries that weft is built with.

# Sets `out` to the bullets of section "Not promised" of docs/safety.md.
function(weft_read_limits out)
  set(file "${PROJECT_SOURCE_DIR}/docs/safety.md")
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(READ "${file}" text)
  set(heading "## Not promised\n")
  string(FIND "${text}" "${heading}" begin)
  if(begin LESS 0)
    message(FATAL_ERROR "docs/safety.md has no section \"Not promised\"")
  endif()
  string(LENGTH "${heading}" length)
  math(EXPR begin "${begin} + ${length}")
  string(SUBSTRING "${text}" ${begin} -1 text)
  string(FIND "${text}" "\n## " end)
  string(SUBSTRING "${text}" 0 ${end} text)
  string(STRIP "${text}" text)
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Sets `out` to a row WEFT_STEP_FILES(name, source, tests) for each step. A file of tests/kernels
# holds a step if it includes the step's reference kernel.
function(weft_step_file_rows out)
  file(GLOB tests CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
       "${PROJECT_SOURCE_DIR}/tests/kernels/*_test.cc" "${PROJECT_SOURCE_DIR}/tests/kernels/*.h")
  foreach(test IN LISTS tests)
    set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY
                 CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${test}")
    file(STRINGS "${PROJECT_SOURCE_DIR}/${test}" lines REGEX "^#include \"kernels/reference/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*/([a-z0-9_]+)\\.h.*" "\\1" step "${line}")
      string(APPEND tests_of_${step} " ${test}")
    endforeach()
  endforeach()
  set(rows "")
  foreach(step IN LISTS weft_steps)
    file(GLOB source RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/kernels/*/${step}.cc")
    string(STRIP "${tests_of_${step}}" held_by)
    string(APPEND rows "    {\"${step}\", \"${source}\", \"${held_by}\"},\n")
  endforeach()
  set(${out} "${rows}" PARENT_SCOPE)
endfunction()

function(weft_write_evidence_parts)
  weft_read_limits(weft_limits)
  weft_step_file_rows(weft_step_rows)
  get_property(rows GLOBAL PROPERTY weft_components)
  list(JOIN rows "\n" weft_component_rows)
  configure_file("${PROJECT_SOURCE_DIR}/converter/cli/evidence_parts.h.in"
                 "${PROJECT_BINARY_DIR}/generated/converter/cli/evidence_parts.h" @ONLY)
endfunction()
