# SPDX-License-Identifier: Apache-2.0
# The Python package's module and its tests, if a Python with nanobind and its headers is installed.
# pip builds the package independently (python/pyproject.toml).
set(WEFT_PYTHON "" CACHE FILEPATH
    "Python with nanobind that the package is tested with, instead of the one of scripts/setup.sh")
set(Python_EXECUTABLE "${WEFT_PYTHON}")
if(NOT Python_EXECUTABLE)
  set(Python_EXECUTABLE "${PROJECT_SOURCE_DIR}/build/python-venv/bin/python")
endif()
set(weft_python_result "is not there")
if(EXISTS "${Python_EXECUTABLE}")
  execute_process(COMMAND "${Python_EXECUTABLE}" -c "import nanobind, os, sys, sysconfig
os.stat(os.path.join(sysconfig.get_path('include'), 'Python.h'))
sys.exit(sys.version_info < (3, 10))"
                  RESULT_VARIABLE weft_python_result OUTPUT_QUIET ERROR_QUIET)
endif()
if(weft_python_result STREQUAL "0")
  add_subdirectory(python)
else()
  set(weft_python_lack "no Python 3.10 with headers and nanobind, which scripts/setup.sh installs")
  message(STATUS "${weft_python_lack}: its package is left out")
  add_test(NAME python/all COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${weft_python_lack}")
  set_tests_properties(python/all PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:" LABELS python)
endif()
