# SPDX-License-Identifier: Apache-2.0
# Unity builds. Most compile time of a source is spent on headers. Compiling all sources of a folder
# as one takes a third to a quarter of the total time, but longer after an edit of one source. The
# scripts that build everything therefore enable it, the presets do not. Names used by two sources
# of a folder must have one definition, in a header of that folder.
option(WEFT_UNITE "Compile the sources of a folder of the converter, of the tests and of a shared \
runtime as one" OFF)

# weft_unite(<target> <source>...): groups the sources by folder.
function(weft_unite target)
  if(NOT WEFT_UNITE)
    return()
  endif()
  foreach(source IN LISTS ARGN)
    get_filename_component(group "${source}" DIRECTORY)
    file(RELATIVE_PATH group "${CMAKE_CURRENT_SOURCE_DIR}" "${group}")
    string(REPLACE "/" "_" group "${group}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
