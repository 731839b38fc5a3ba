# SPDX-License-Identifier: Apache-2.0
# Expands runtime/format/ops.inc for the build. A row WEFT_STEP(name, ...) means that
# kernels/<folder>/<name>.cc and runtime/bind/<name>.cc exist; a row without them stops the
# configuration.
include(cmake/Parts.cmake)
set(weft_steps "")
file(GLOB weft_ops_file CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/runtime/format/ops.inc")
if(weft_ops_file)
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY
               CMAKE_CONFIGURE_DEPENDS "${weft_ops_file}")
  file(STRINGS "${weft_ops_file}" rows REGEX "^WEFT_STEP\\(")
  foreach(row IN LISTS rows)
    string(REGEX MATCH "^WEFT_STEP\\( *([a-z0-9_]+)" matched "${row}")
    list(APPEND weft_steps "${CMAKE_MATCH_1}")
  endforeach()
endif()

# Sets `out` to the sources of `folder` and its subfolders that WEFT_PARTS require: one <step>.cc
# per row of ops.inc and every other *.cc.
function(weft_step_sources folder out)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cc")
  set(names "")
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME)
    list(APPEND names "${name}")
  endforeach()
  set(missing "")
  foreach(step IN LISTS weft_steps)
    if(NOT "${step}.cc" IN_LIST names)
      list(APPEND missing "${folder}/${step}.cc")
    endif()
  endforeach()
  if(missing)
    list(JOIN missing " " missing)
    if(WEFT_ALLOW_MISSING_STEPS)
      message(WARNING "ops.inc has rows without their files: ${missing}")
    else()
      message(SEND_ERROR "ops.inc has rows without their files: ${missing}; write them, or set "
              "WEFT_ALLOW_MISSING_STEPS=ON while you do")
    endif()
  endif()
  weft_keep_parts(sources)
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# Sets `out` to a source for each pair of rows of narrow_steps.inc and kernels/weights.inc, plain or
# scaled, that WEFT_PARTS require: <step>.cc for weights of that type, as a separate object file.
function(weft_weight_sources out)
  set(steps_file "${PROJECT_SOURCE_DIR}/runtime/format/narrow_steps.inc")
  set(types_file "${PROJECT_SOURCE_DIR}/kernels/weights.inc")
  set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY
               CMAKE_CONFIGURE_DEPENDS "${steps_file}" "${types_file}")
  file(STRINGS "${steps_file}" steps REGEX "^WEFT_(NARROW|SCALED)_STEP\\(")
  file(STRINGS "${types_file}" all_types REGEX "^WEFT_(SCALED_)?WEIGHTS\\(")
  set(written "")
  foreach(row IN LISTS steps)
    string(REGEX MATCH "^WEFT_([A-Z]+)_STEP\\( *([a-z0-9_]+)" matched "${row}")
    set(step "${CMAKE_MATCH_2}")
    set(types "${all_types}")
    if(CMAKE_MATCH_1 STREQUAL "SCALED")
      list(FILTER types INCLUDE REGEX "^WEFT_SCALED_WEIGHTS")
    else()
      list(FILTER types INCLUDE REGEX "^WEFT_WEIGHTS")
    endif()
    file(GLOB source CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
         "${PROJECT_SOURCE_DIR}/kernels/*/${step}.cc")
    foreach(type IN LISTS types)
      string(REGEX MATCH "WEIGHTS\\( *([a-z0-9]+) *, *([A-Za-z0-9]+)" matched "${type}")
      set(name "${CMAKE_MATCH_1}")
      set(Name "${CMAKE_MATCH_2}")
      string(REPLACE ".cc" "_${name}.cc" target "${PROJECT_BINARY_DIR}/${source}")
      configure_file("${PROJECT_SOURCE_DIR}/kernels/matrix/weights.cc.in" "${target}" @ONLY)
      list(APPEND written "${target}")
    endforeach()
  endforeach()
  weft_keep_parts(written)
  set(${out} "${written}" PARENT_SCOPE)
endfunction()

# Adds a library, or an empty interface library if it has no sources. The library is static, so that
# a program contains only the kernels that it uses, unless BUILD_SHARED_LIBS is set. A shared
# library exports only weft's symbols, because a program may contain another Highway.
function(weft_add_library name)
  if(NOT ARGN)
    add_library(${name} INTERFACE)
    return()
  endif()
  get_property(can_share GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
  if(NOT BUILD_SHARED_LIBS OR NOT can_share)
    add_library(${name} STATIC ${ARGN})
    set_target_properties(${name} PROPERTIES
                          POSITION_INDEPENDENT_CODE ${weft_position_independent})
    return()
  endif()
  # Before 1.0 every minor version may change the interface.
  add_library(${name} SHARED ${ARGN})
  set_target_properties(${name} PROPERTIES DEFINE_SYMBOL "" VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  set(exports "${PROJECT_SOURCE_DIR}/cmake/exports.map")
  set_property(TARGET ${name} PROPERTY LINK_DEPENDS "${exports}")
  if(NOT APPLE)
    target_link_options(${name} PRIVATE "LINKER:--version-script=${exports}" LINKER:--no-undefined)
  endif()
endfunction()
