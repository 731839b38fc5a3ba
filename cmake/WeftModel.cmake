# SPDX-License-Identifier: Apache-2.0
# weft_add_model(<target> <MODEL> [NAME <name>] [INCBIN] [OPTIONS <option of weft convert>...])
#
# MODEL is an .xml or .tflite file. Converts it when <target> is built, and compiles it into the
# target as C source. <name>.h has the sizes, the ports and <name>_open(), in C++ <name>::Open().
# The linker keeps only the kernels that the model uses. <target> is a program or a library of any
# type; its sources, and those of targets that link it, can #include "<name>.h". <name> defaults to
# the stem of MODEL. In C it becomes an identifier (my-net: my_net, class: m_class); if two models
# of one program get the same identifier, including both headers is an #error. INCBIN includes the
# bytes of <name>.weft by the assembler, for large weights. A model file fits only one version of
# weft, so the build creates it; do not commit it. The build may also generate MODEL.
#
# The weft command of this build converts the model, else WEFT_COMMAND, which must have the same
# version as the libraries.
function(weft_add_model target xml)
  cmake_parse_arguments(model "INCBIN" "NAME" "OPTIONS" ${ARGN})
  if(model_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "weft_add_model: unknown argument ${model_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "weft_add_model: ${target} is no target; add it before its model")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST languages)
    message(FATAL_ERROR "weft_add_model: the model is C; name C among the project's LANGUAGES")
  endif()
  if(NOT model_NAME)
    get_filename_component(model_NAME "${xml}" NAME_WE)
  endif()
  get_property(names TARGET ${target} PROPERTY WEFT_MODELS)
  if(model_NAME IN_LIST names)
    message(FATAL_ERROR "weft_add_model: ${target} has a model ${model_NAME}; give this one "
                        "another NAME")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY WEFT_MODELS "${model_NAME}")

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_models")
  set(stem "${folder}/${model_NAME}")
  file(MAKE_DIRECTORY "${folder}")
  weft_convert_model("${xml}" "${stem}")

  # CMake knows generated sources in one directory only, and an interface library has no sources. In
  # both cases a separate library contains the model.
  get_target_property(type ${target} TYPE)
  get_target_property(directory ${target} SOURCE_DIR)
  set(scope INTERFACE_LINK_LIBRARIES)
  if(NOT type STREQUAL "INTERFACE_LIBRARY")
    list(APPEND scope LINK_LIBRARIES)
  endif()
  set(owner ${target})
  if(type STREQUAL "INTERFACE_LIBRARY" OR NOT directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    set(owner ${target}_${model_NAME}_model)
    add_library(${owner} STATIC)
    if(UNIX)  # the target may become part of a shared library
      set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
    foreach(property IN LISTS scope)
      set_property(TARGET ${target} APPEND PROPERTY ${property} ${owner})
    endforeach()
    set(scope LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
  endif()
  # Sets properties, because target_link_libraries would have to use the same form as the project:
  # with or without keywords.
  target_sources(${owner} PRIVATE "${stem}.c" "${stem}.h")
  target_include_directories(${owner} PUBLIC "$<BUILD_INTERFACE:${folder}>")
  foreach(property IN LISTS scope)
    set_property(TARGET ${owner} APPEND PROPERTY ${property} weft::runtime)
  endforeach()
  weft_hide_libraries(${target} ${type})
endfunction()

# A module or shared library exports no symbol of the static weft that it contains, the C interface
# included: another module of the process may contain another version.
function(weft_hide_libraries target type)
  get_target_property(library weft::runtime TYPE)
  if(APPLE OR NOT UNIX OR NOT library STREQUAL "STATIC_LIBRARY")
    return()
  endif()
  if(type STREQUAL "MODULE_LIBRARY" OR type STREQUAL "SHARED_LIBRARY")
    set_property(TARGET ${target} APPEND PROPERTY LINK_OPTIONS
      "LINKER:--exclude-libs,libweft_runtime.a:libweft_kernels.a:libweft_highway_targets.a")
  endif()
endfunction()

# Adds the conversion of `xml` to <stem>.weft, .c and .h. Helper of weft_add_model, which sets the
# options model_*.
function(weft_convert_model xml stem)
  get_filename_component(xml "${xml}" ABSOLUTE)
  string(REGEX REPLACE "\\.xml$" ".bin" weights "${xml}")
  set(inputs "")
  foreach(file IN ITEMS "${xml}" "${weights}")
    get_source_file_property(is_made "${file}" GENERATED)
    if(EXISTS "${file}" OR is_made)
      list(APPEND inputs "${file}")
    elseif("${file}" STREQUAL "${xml}")
      message(FATAL_ERROR "weft_add_model: ${xml} does not exist")
    endif()
  endforeach()
  if(TARGET weft::command)
    set(command weft::command)
  else()
    weft_find_command(weft_add_model command)
  endif()
  set(form "")
  if(model_INCBIN)
    set(form --incbin)
    set_property(SOURCE "${stem}.c" APPEND PROPERTY OBJECT_DEPENDS "${stem}.weft")
  endif()
  add_custom_command(
    OUTPUT "${stem}.weft" "${stem}.c" "${stem}.h"
    COMMAND ${command} convert "${xml}" --quiet -o "${stem}.weft" --c-source "${stem}.c" ${form}
            ${model_OPTIONS}
    DEPENDS ${command} ${inputs}
    COMMENT "weft convert ${model_NAME}"
    VERBATIM)
endfunction()

# Sets `out` to the weft command of this machine. `who` is the caller's name for the error message.
function(weft_find_command who out)
  find_program(WEFT_COMMAND weft NO_CMAKE_FIND_ROOT_PATH
               DOC "The weft command of this machine, which converts models")
  if(NOT WEFT_COMMAND)
    message(FATAL_ERROR "${who}: no weft command is known; install weft on this machine or set "
                        "WEFT_COMMAND to it")
  endif()
  set(${out} "${WEFT_COMMAND}" PARENT_SCOPE)
endfunction()

# weft_model_parts(<variable> <MODEL> [<option of weft convert>...])
#
# For a project that compiles weft from its source tree: include this file, call this function for
# each model, and then add_subdirectory(<weft>). Adds the step kinds and variants that the model
# needs to <variable>, which is WEFT_PARTS; weft then compiles only these. WEFT_COMMAND converts the
# model during configuration; a changed model triggers a new configuration.
function(weft_model_parts variable xml)
  weft_find_command(weft_model_parts command)
  get_filename_component(xml "${xml}" ABSOLUTE)
  string(REGEX REPLACE "\\.xml$" ".bin" weights "${xml}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${xml}" "${weights}")
  set(stem "${CMAKE_CURRENT_BINARY_DIR}/weft_model_parts")
  execute_process(COMMAND "${command}" convert "${xml}" --quiet -o "${stem}.weft"
                          --c-source "${stem}.c" --incbin ${ARGN}
                  ERROR_VARIABLE message RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "weft_model_parts: ${message}")
  endif()
  file(STRINGS "${stem}.c" lines REGEX "weft_(check|variant)_")
  string(REGEX MATCHALL "weft_(check|variant)_[a-z0-9_]+" parts "${lines}")
  list(TRANSFORM parts REPLACE "^weft_(check|variant)_" "")
  list(APPEND parts ${${variable}})
  list(REMOVE_DUPLICATES parts)
  set(${variable} "${parts}" PARENT_SCOPE)
endfunction()
