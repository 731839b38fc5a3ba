# SPDX-License-Identifier: Apache-2.0
# The dependencies of weft. Each library comes from the source tree that the user specifies
# (WEFT_<NAME>_DIR), else from the system, else from upstream with a pinned checksum.
include(FetchContent)
include(cmake/Highway.cmake)
include(cmake/FlatBuffers.cmake)

# Fetched libraries are linked into the weft command and weft::converter; weft installs none of
# their files.
foreach(weft_option IN ITEMS PUGIXML_INSTALL JSON_Install FMT_INSTALL)
  set(${weft_option} OFF CACHE INTERNAL "")
endforeach()

# weft_need(<name> PACKAGE <name> TARGET <target> URL <url> SHA256 <hash> [VERSION <minimum>])
# Defines TARGET.
function(weft_need name)
  cmake_parse_arguments(need "" "PACKAGE;VERSION;TARGET;URL;SHA256" "" ${ARGN})
  string(TOUPPER ${name} upper)
  set(WEFT_${upper}_DIR "" CACHE PATH "Source tree of ${name}, instead of the system's")
  if(WEFT_${upper}_DIR)
    set(FETCHCONTENT_SOURCE_DIR_${upper} "${WEFT_${upper}_DIR}")
  else()
    find_package(${need_PACKAGE} ${need_VERSION} CONFIG QUIET GLOBAL)
    if(TARGET ${need_TARGET})
      return()
    endif()
  endif()
  FetchContent_Declare(${name} URL ${need_URL} URL_HASH SHA256=${need_SHA256}
                       DOWNLOAD_EXTRACT_TIMESTAMP OFF)
  set(CMAKE_POSITION_INDEPENDENT_CODE ${weft_position_independent})  # Python's module links it
  FetchContent_MakeAvailable(${name})
endfunction()
