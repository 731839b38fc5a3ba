# SPDX-License-Identifier: Apache-2.0
# weft_add_model(<target> <MODEL.xml> [NAME <name>] [INCBIN] [OPTIONS <option of weft convert>...])
#
# Converts the model when <target> is built, and compiles it in as C: <name>.h (which #include
# "<name>.h" finds) has the sizes, the ports and <name>_open(); the linker keeps just the kernels
# that the model takes. <name> is the stem of MODEL.xml unless given. INCBIN lets the assembler take
# the bytes from <name>.weft: for large weights. A model file fits one version of weft only, so the
# build makes it and nobody commits it.
#
# The command that converts is the one of this build, else WEFT_COMMAND, which must be of the
# version of the libraries.
function(weft_add_model target xml)
  cmake_parse_arguments(model "INCBIN" "NAME" "OPTIONS" ${ARGN})
  if(model_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "weft_add_model: unknown argument ${model_UNPARSED_ARGUMENTS}")
  endif()
  get_filename_component(xml "${xml}" ABSOLUTE)
  if(NOT EXISTS "${xml}")
    message(FATAL_ERROR "weft_add_model: ${xml} does not exist")
  endif()
  if(TARGET weft)
    set(command weft)
  else()
    find_program(WEFT_COMMAND weft DOC "The weft command of this machine, which converts models")
    set(command "${WEFT_COMMAND}")
    if(NOT command)
      message(FATAL_ERROR "weft_add_model: no weft command is known; install weft on this machine "
                          "or set WEFT_COMMAND to it")
    endif()
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST languages)
    message(FATAL_ERROR "weft_add_model: the model is C; name C among the project's LANGUAGES")
  endif()

  if(NOT model_NAME)
    get_filename_component(model_NAME "${xml}" NAME_WE)
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_models")
  set(stem "${folder}/${model_NAME}")
  string(REGEX REPLACE "\\.xml$" ".bin" weights "${xml}")
  if(NOT EXISTS "${weights}")
    set(weights "")
  endif()
  set(form "")
  if(model_INCBIN)
    set(form --incbin)
  endif()
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(
    OUTPUT "${stem}.weft" "${stem}.c" "${stem}.h"
    COMMAND ${command} convert "${xml}" -o "${stem}.weft" --c-source "${stem}.c" ${form}
            ${model_OPTIONS}
    DEPENDS ${command} "${xml}" ${weights}
    COMMENT "weft convert ${model_NAME}"
    VERBATIM)
  if(model_INCBIN)
    set_property(SOURCE "${stem}.c" PROPERTY OBJECT_DEPENDS "${stem}.weft")
  endif()
  target_sources(${target} PRIVATE "${stem}.c" "${stem}.h")
  target_include_directories(${target} PRIVATE "${folder}")
  target_link_libraries(${target} PRIVATE weft::runtime)
endfunction()
