# SPDX-License-Identifier: Apache-2.0
# Defines the targets of FindPython for a Python for Windows that this machine cannot run. nanobind
# links the stable ABI, so the module fits each CPython from 3.12 on.
find_package(Python 3.12 REQUIRED COMPONENTS Interpreter)
foreach(part IN ITEMS include/Python.h include/pyconfig.h libs/python3.lib)
  if(NOT EXISTS "${WEFT_WINDOWS_PYTHON}/${part}")
    message(FATAL_ERROR "WEFT_WINDOWS_PYTHON: ${WEFT_WINDOWS_PYTHON}: has no ${part}; must be a "
                        "Python for Windows, as its installer or its NuGet package writes it")
  endif()
endforeach()
set(Python_VERSION 3.12)
set(SKBUILD_SOSABI "")  # modules have no tag in their names
set(Python_INCLUDE_DIRS "${WEFT_WINDOWS_PYTHON}/include")
add_library(Python::Module INTERFACE IMPORTED)
add_library(Python::SABIModule INTERFACE IMPORTED)
target_link_libraries(Python::SABIModule INTERFACE "${WEFT_WINDOWS_PYTHON}/libs/python3.lib")
