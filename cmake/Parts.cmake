# SPDX-License-Identifier: Apache-2.0
# Selects the sources that a build for certain models needs.
set(WEFT_PARTS "" CACHE STRING
    "Step kinds and variants to compile, as weft_model_parts() lists them; empty: all; models: \
those of the models that weft_add_model() adds")
if(WEFT_PARTS AND BUILD_SHARED_LIBS)  # weft::AllSteps() in the library refers to all steps
  message(FATAL_ERROR "WEFT_PARTS is \"${WEFT_PARTS}\" and BUILD_SHARED_LIBS is ON; a shared "
                      "library must have all steps: set BUILD_SHARED_LIBS=OFF")
endif()

# Sets `out` to the files, which come first, and to what they include, directly or not, from the
# folders that `from` matches. With WITH_SOURCES the <name>.cc of each <name>.h belongs to it.
function(weft_with_includes out from)
  cmake_parse_arguments(PARSE_ARGV 2 arg "WITH_SOURCES" "" "")
  set(open "${arg_UNPARSED_ARGUMENTS}")
  set(seen "")
  while(open)
    list(POP_FRONT open file)
    if(file IN_LIST seen OR NOT EXISTS "${file}")
      continue()
    endif()
    list(APPEND seen "${file}")
    file(STRINGS "${file}" lines REGEX "^#include \"(${from})/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE "^#include \"([^\"]*)\".*" "${PROJECT_SOURCE_DIR}/\\1" header "${line}")
      list(APPEND open "${header}")
      if(arg_WITH_SOURCES)
        string(REGEX REPLACE "\\.h$" ".cc" source "${header}")
        list(APPEND open "${source}")
      endif()
    endforeach()
  endwhile()
  set(${out} "${seen}" PARENT_SCOPE)
endfunction()

# Sets `out` to the sources of kernels and runtime/bind that WEFT_PARTS require: those of the steps
# and variants, and each <name>.cc whose <name>.h one of these sources includes.
function(weft_needed_sources out)
  set(files "")
  foreach(name IN LISTS WEFT_PARTS ITEMS operands param_checker variants)
    file(GLOB found "${PROJECT_SOURCE_DIR}/kernels/*/${name}.cc"
         "${PROJECT_SOURCE_DIR}/kernels/${name}.cc" "${PROJECT_SOURCE_DIR}/runtime/bind/${name}.cc"
         "${PROJECT_BINARY_DIR}/kernels/*/${name}.cc")
    list(APPEND files ${found})
  endforeach()
  weft_with_includes(needed "kernels|runtime/bind" WITH_SOURCES ${files})
  list(FILTER needed INCLUDE REGEX "\\.cc$")
  set(${out} "${needed}" PARENT_SCOPE)
endfunction()

# Removes from the list with this name all sources that WEFT_PARTS do not require.
function(weft_keep_parts list)
  if(NOT WEFT_PARTS OR WEFT_PARTS STREQUAL "models")
    return()
  endif()
  weft_needed_sources(needed)
  set(kept "")
  foreach(file IN LISTS ${list})
    if(file IN_LIST needed)
      list(APPEND kept "${file}")
    endif()
  endforeach()
  set(${list} "${kept}" PARENT_SCOPE)
endfunction()

# Removes from weft's libraries all sources that the models of weft_add_model() do not require.
function(weft_keep_model_parts)
  get_property(WEFT_PARTS GLOBAL PROPERTY WEFT_MODEL_PARTS)
  set(PROJECT_SOURCE_DIR "${weft_SOURCE_DIR}")
  set(PROJECT_BINARY_DIR "${weft_BINARY_DIR}")
  foreach(library IN ITEMS weft_kernels weft_runtime)
    get_target_property(others ${library} SOURCES)
    set(sources "${others}")
    list(FILTER sources INCLUDE REGEX "/(kernels|runtime/bind)/[^;]*\\.cc$")
    list(FILTER others EXCLUDE REGEX "/(kernels|runtime/bind)/[^;]*\\.cc$")
    weft_keep_parts(sources)
    set_target_properties(${library} PROPERTIES SOURCES "${others};${sources}")
  endforeach()
endfunction()
