# SPDX-License-Identifier: Apache-2.0
# Functions of the scripts in this folder: run a command and stop if it fails, install a build,
# configure and build a project.

# weft_run(<what> COMMAND...): sets weft_stdout and weft_stderr to the command's output.
function(weft_run what)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE out ERROR_VARIABLE talk RESULT_VARIABLE result
                  TIMEOUT 1000 ENCODING NONE)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what}: exit ${result}\n${out}\n${talk}")
  endif()
  set(weft_stdout "${out}" PARENT_SCOPE)
  set(weft_stderr "${talk}" PARENT_SCOPE)
endfunction()

# weft_begin_installed(): empties FOLDER, installs BUILD into ${prefix}, and sets ${project} to the
# folder for projects.
macro(weft_begin_installed)
  set(prefix "${FOLDER}/prefix")
  set(project "${FOLDER}/project")
  file(REMOVE_RECURSE "${FOLDER}")
  weft_install("${prefix}")
endmacro()

# weft_install(<prefix>): installs BUILD and moves it, so that absolute paths would be detected.
function(weft_install prefix)
  file(REMOVE_RECURSE "${prefix}" "${prefix}-first")
  weft_run(install "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}-first")
  file(RENAME "${prefix}-first" "${prefix}")
endfunction()

# weft_build(<source> <build> <configure option>...)
function(weft_build source build)
  weft_run("configure ${source}" "${CMAKE_COMMAND}" -G Ninja -S "${source}" -B "${build}" ${ARGN})
  weft_run("build ${source}" "${CMAKE_COMMAND}" --build "${build}")
endfunction()

# weft_expect(<what> <is> <must>)
function(weft_expect what is must)
  if(NOT is STREQUAL must)
    message(FATAL_ERROR "${what}: is \"${is}\"; must be \"${must}\"")
  endif()
  message(STATUS "${what}: ${is}")
endfunction()
