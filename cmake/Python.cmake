# SPDX-License-Identifier: Apache-2.0
# The Python package's module and its tests, where a Python is there that has nanobind. pip builds
# the package by itself (python/pyproject.toml).
set(WEFT_PYTHON "" CACHE FILEPATH
    "Python with nanobind that the package is tested with, instead of the one of scripts/setup.sh")
set(Python_EXECUTABLE "${WEFT_PYTHON}")
if(NOT Python_EXECUTABLE)
  set(Python_EXECUTABLE "${PROJECT_SOURCE_DIR}/build/python-venv/bin/python")
endif()
set(weft_python_result "is not there")
if(EXISTS "${Python_EXECUTABLE}")
  execute_process(COMMAND "${Python_EXECUTABLE}" -c "import nanobind"
                  RESULT_VARIABLE weft_python_result OUTPUT_QUIET ERROR_QUIET)
endif()
if(weft_python_result STREQUAL "0")
  add_subdirectory(python)
else()
  message(STATUS "no Python with nanobind (scripts/setup.sh): its package is left out")
  add_test(NAME python/all
           COMMAND ${CMAKE_COMMAND} -E echo "skipped: no Python with nanobind: scripts/setup.sh")
  set_tests_properties(python/all PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:" LABELS python)
endif()
