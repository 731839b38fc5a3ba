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
  if(NOT model_NAME)
    get_filename_component(model_NAME "${xml}" NAME_WE)
  endif()
  weft_begin_model(weft_add_model ${target} "${model_NAME}" folder)
  set(stem "${folder}/${model_NAME}")
  set(form "")
  if(model_INCBIN)
    set(form --incbin)
    set_property(SOURCE "${stem}.c" APPEND PROPERTY OBJECT_DEPENDS "${stem}.weft")
  endif()
  weft_require_parts(weft_add_model "${xml}" ${model_OPTIONS})
  weft_convert_model(weft_add_model "${xml}" "${stem}" "${stem}.c;${stem}.h"
                     --c-source "${stem}.c" ${form} ${model_OPTIONS})
  weft_compile_model(${target} "${model_NAME}" "${folder}")
endfunction()

# weft_add_models(<target> <name> [INCBIN] MODEL <file> [<option of weft convert>...]
#                 [MODEL <file> [<option>...]]...)
#
# Adds several models that never run at the same time, as weft_add_model does, with one scratch of
# the maximum size that a model needs (weft link). <name>.h has the parts of each model, which is
# named after the stem of its file, and <name>_open(), which opens all models.
function(weft_add_models target name)
  weft_begin_model(weft_add_models ${target} "${name}" folder)
  set(form "")
  set(count 0)
  foreach(word IN LISTS ARGN)
    if(word STREQUAL "MODEL")
      math(EXPR count "${count} + 1")
      set(words_${count} "")
    elseif(count GREATER 0)
      list(APPEND words_${count} "${word}")
    elseif(word STREQUAL "INCBIN")
      set(form --incbin)
    else()
      message(FATAL_ERROR "weft_add_models: unknown argument ${word}; must be INCBIN or MODEL")
    endif()
  endforeach()
  set(files "")
  foreach(i RANGE 1 ${count})
    if(NOT words_${i})
      message(FATAL_ERROR "weft_add_models: MODEL is given without a file; must be given with one")
    endif()
    list(POP_FRONT words_${i} xml)
    get_filename_component(stem "${xml}" NAME_WE)
    if("${folder}/${stem}.weft" IN_LIST files)
      message(FATAL_ERROR "weft_add_models: two models have the name ${stem}; must be unique")
    endif()
    weft_require_parts(weft_add_models "${xml}" ${words_${i}})
    weft_convert_model(weft_add_models "${xml}" "${folder}/${stem}" "" ${words_${i}})
    list(APPEND files "${folder}/${stem}.weft")
  endforeach()
  weft_model_command(weft_add_models command)
  set(stem "${folder}/${name}")
  if(form)
    set_property(SOURCE "${stem}.c" APPEND PROPERTY OBJECT_DEPENDS "${files}")
  endif()
  add_custom_command(
    OUTPUT "${stem}.c" "${stem}.h"
    COMMAND ${command} link ${files} --quiet -o "${stem}.c" ${form}
    DEPENDS ${command} ${files}
    COMMENT "weft link ${name}"
    VERBATIM)
  weft_compile_model(${target} "${name}" "${folder}")
endfunction()

# Checks `target`, adds `name` to its models, and sets `out` to the folder of their generated files.
# `who` is the caller's name for error messages.
function(weft_begin_model who target name out)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${who}: ${target} is no target; add it before its model")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST languages)
    message(FATAL_ERROR "${who}: the model is C; name C among the project's LANGUAGES")
  endif()
  get_property(names TARGET ${target} PROPERTY WEFT_MODELS)
  if(name IN_LIST names)
    message(FATAL_ERROR "${who}: ${target} has a model ${name}; give this one another NAME")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY WEFT_MODELS "${name}")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_models")
  file(MAKE_DIRECTORY "${folder}")
  set(${out} "${folder}" PARENT_SCOPE)
endfunction()

# Compiles <folder>/<name>.c into the target.
function(weft_compile_model target name folder)
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
    set(owner ${target}_${name}_model)
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
  target_sources(${owner} PRIVATE "${folder}/${name}.c" "${folder}/${name}.h")
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

# Adds the conversion of `xml` to <stem>.weft and to the files `more`, which the options of weft
# convert after them request.
function(weft_convert_model who xml stem more)
  get_filename_component(xml "${xml}" ABSOLUTE)
  string(REGEX REPLACE "\\.xml$" ".bin" weights "${xml}")
  set(inputs "")
  foreach(file IN ITEMS "${xml}" "${weights}")
    get_source_file_property(is_made "${file}" GENERATED)
    if(EXISTS "${file}" OR is_made)
      list(APPEND inputs "${file}")
    elseif("${file}" STREQUAL "${xml}")
      message(FATAL_ERROR "${who}: ${xml} does not exist")
    endif()
  endforeach()
  weft_model_command(${who} command)
  get_filename_component(name "${stem}" NAME)
  add_custom_command(
    OUTPUT "${stem}.weft" ${more}
    COMMAND ${command} convert "${xml}" --quiet -o "${stem}.weft" ${ARGN}
    DEPENDS ${command} ${inputs}
    COMMENT "weft convert ${name}"
    VERBATIM)
endfunction()

# Sets `out` to the weft command that creates models: that of this build, else the one of this
# machine.
function(weft_model_command who out)
  if(TARGET weft::command)
    set(command weft::command)
  else()
    weft_find_command(${who} command)
  endif()
  set(${out} ${command} PARENT_SCOPE)
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

# If weft is compiled in this build with WEFT_PARTS=models, its libraries get the sources of the
# step kinds and variants that the model needs, when the configuration ends. A program of this build
# must then not use weft::AllSteps(), which refers to all steps.
function(weft_require_parts who xml)
  if(NOT TARGET weft_kernels OR NOT "${WEFT_PARTS}" STREQUAL "models")
    return()
  endif()
  get_filename_component(file "${xml}" ABSOLUTE)
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "${who}: ${xml} does not exist during configuration; must exist with "
                        "WEFT_PARTS=models")
  endif()
  set(parts "")
  weft_model_parts(parts "${xml}" ${ARGN})
  get_property(earlier GLOBAL PROPERTY WEFT_MODEL_PARTS)
  set_property(GLOBAL APPEND PROPERTY WEFT_MODEL_PARTS ${parts})
  if(NOT earlier)
    cmake_language(DEFER DIRECTORY "${CMAKE_SOURCE_DIR}" CALL weft_keep_model_parts)
  endif()
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
