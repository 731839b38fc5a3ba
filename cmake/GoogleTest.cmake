# SPDX-License-Identifier: Apache-2.0
# GoogleTest: the installed library; in a cross build the source from Debian's package googletest;
# else upstream.
set(WEFT_GOOGLETEST_DIR "" CACHE PATH "Source tree of GoogleTest; empty: find one")
set(weft_googletest_source "${WEFT_GOOGLETEST_DIR}")
if(NOT weft_googletest_source AND CMAKE_CROSSCOMPILING)
  if(EXISTS /usr/src/googletest/CMakeLists.txt)
    set(weft_googletest_source /usr/src/googletest)
  endif()
endif()
if(NOT weft_googletest_source AND NOT CMAKE_CROSSCOMPILING)
  find_package(GTest 1.11 CONFIG QUIET GLOBAL)
endif()
if(NOT TARGET GTest::gtest)
  set(INSTALL_GTEST OFF CACHE INTERNAL "")
  set(BUILD_GMOCK OFF CACHE INTERNAL "")
  if(CMAKE_SYSTEM_NAME STREQUAL "Generic")
    set(gtest_disable_pthreads ON CACHE INTERNAL "")
  endif()
  if(weft_googletest_source)
    add_subdirectory("${weft_googletest_source}" "${PROJECT_BINARY_DIR}/googletest"
                     EXCLUDE_FROM_ALL)
    target_compile_options(gtest PRIVATE -O1)  # as the tests in a cross build
  else()
    FetchContent_Declare(googletest
      URL https://github.com/google/googletest/archive/refs/tags/v1.14.0.tar.gz
      URL_HASH SHA256=8ad598c73ad796e0d8280b082cebd82a630d73e73cd3c70057938a6501bba5d7)
    FetchContent_MakeAvailable(googletest)
  endif()
endif()
foreach(library IN ITEMS gtest gtest_main)
  if(NOT TARGET GTest::${library})
    add_library(GTest::${library} ALIAS ${library})
  endif()
endforeach()
