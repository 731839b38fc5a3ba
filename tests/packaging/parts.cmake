# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DBUILD= -DNM= -P parts.cmake: checks for each step kind and variant that the
# sources found by weft_needed_sources() define every kernel function that they call. Reads the
# object files of BUILD, which has all parts.
cmake_minimum_required(VERSION 3.22)
set(PROJECT_SOURCE_DIR "${SOURCE}")
set(PROJECT_BINARY_DIR "${BUILD}")
include("${SOURCE}/cmake/Parts.cmake")

# Sets `out` to the functions of kernels and runtime/bind that `objects` only call, or that they
# define.
function(weft_symbols which objects out)
  execute_process(COMMAND "${NM}" ${which} ${objects} OUTPUT_VARIABLE lines RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${NM}: exit ${result}")
  endif()
  set(function "_ZNK?4weft(7kernels|4bind)[A-Za-z0-9_]+|weft_(check|run)_[a-z0-9_]+")
  string(REGEX MATCHALL " [A-Zu] (${function})" symbols "${lines}")
  list(TRANSFORM symbols REPLACE "^ . " "")
  list(REMOVE_DUPLICATES symbols)
  set(${out} "${symbols}" PARENT_SCOPE)
endfunction()

file(STRINGS "${SOURCE}/runtime/format/ops.inc" rows REGEX "^WEFT_STEP\\(")
list(TRANSFORM rows REPLACE "^WEFT_STEP\\( *([a-z0-9_]+).*" "\\1")
file(GLOB variants RELATIVE "${BUILD}/kernels/matrix" "${BUILD}/kernels/*/*.cc")
list(TRANSFORM variants REPLACE ".*/([a-z0-9_]+)\\.cc" "\\1")
list(LENGTH rows steps)
list(LENGTH variants others)
if(steps LESS 40 OR others LESS 10)
  message(FATAL_ERROR "only ${steps} steps and ${others} variants were found")
endif()
foreach(WEFT_PARTS IN LISTS rows variants)
  weft_needed_sources(sources)
  list(TRANSFORM sources REPLACE "^(${BUILD}|${SOURCE})/([a-z]+)/(.*)"
       "${BUILD}/\\2/CMakeFiles/weft_\\2.dir/\\3.o" OUTPUT_VARIABLE objects)
  weft_symbols(--undefined-only "${objects}" called)
  weft_symbols(--defined-only "${objects}" defined)
  list(LENGTH defined count)
  if(count EQUAL 0)
    message(FATAL_ERROR "${WEFT_PARTS}: no symbol was found in ${objects}")
  endif()
  list(REMOVE_ITEM called ${defined})
  if(called)
    message(SEND_ERROR "${WEFT_PARTS}: ${sources} lack ${called}; a function must be declared in "
                       "the header that has the name of its source")
  endif()
endforeach()
message(STATUS "${steps} steps and ${others} variants have all that they call")
