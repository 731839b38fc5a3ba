# SPDX-License-Identifier: Apache-2.0
# Most of a source's compilation is its headers'. Together the sources of a folder read them once,
# which takes a third to a quarter of the time for all of them, but longer after an edit of one. The
# scripts that build everything ask for it therefore, and the presets do not. What two sources of a
# folder call by one name must be the same, and stands in a header beside them.
option(WEFT_UNITE "Compile the sources of a folder of the converter and of the tests as one" OFF)

# weft_unite(<target> <source>...): as far as they lie in one folder.
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
