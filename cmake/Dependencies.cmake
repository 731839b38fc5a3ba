# SPDX-License-Identifier: Apache-2.0
# The dependencies of weft. Each library comes from the source tree that the user specifies
# (WEFT_<NAME>_DIR), else from the system, else from upstream with a pinned checksum.
include(FetchContent)

# weft_record_component(<name> VERSION <version> LICENCE <SPDX expression> USED_IN <parts of weft>
#                       URL <url> SHA256 <hash> [PINNED])
# Adds a row to the list of libraries that weft is built with (cmake/Evidence.cmake). PINNED: the
# source is that of URL, with this hash.
set_property(GLOBAL PROPERTY weft_components "")
function(weft_record_component name)
  cmake_parse_arguments(of "PINNED" "VERSION;LICENCE;USED_IN;URL;SHA256" "" ${ARGN})
  set(is_pinned false)
  if(of_PINNED)
    set(is_pinned true)
  endif()
  set(texts ${name} "${of_VERSION}" "${of_LICENCE}" "${of_USED_IN}" "${of_URL}" "${of_SHA256}")
  list(JOIN texts "\", \"" row)
  set_property(GLOBAL APPEND PROPERTY weft_components "    {\"${row}\", ${is_pinned}},")
endfunction()

# Sets `out` to a file of the build folder with the content of `url`, which FetchContent then reads.
# Stops with one message if it cannot be downloaded; `option` is the variable for a source tree.
# FetchContent's own messages name neither the option nor the script.
function(weft_download name url sha256 option out)
  string(TOUPPER ${name} upper)
  get_filename_component(file "${url}" NAME)
  set(file "${FETCHCONTENT_BASE_DIR}/${name}-${file}")
  set(${out} "${file}" PARENT_SCOPE)
  if(FETCHCONTENT_SOURCE_DIR_${upper} OR FETCHCONTENT_FULLY_DISCONNECTED)
    return()  # FetchContent reads no archive
  endif()
  set(hash "")
  if(EXISTS "${file}")
    file(SHA256 "${file}" hash)
  endif()
  if(hash STREQUAL sha256)
    return()
  endif()
  file(DOWNLOAD "${url}" "${file}" STATUS status INACTIVITY_TIMEOUT 30)
  list(GET status 0 code)
  list(GET status 1 reason)
  if(code EQUAL 0)
    file(SHA256 "${file}" hash)
    if(hash STREQUAL sha256)
      return()
    endif()
    set(reason "its SHA-256 is ${hash}; must be ${sha256}")
  endif()
  file(REMOVE "${file}")
  message(FATAL_ERROR "${name} is not installed and ${url} could not be downloaded: ${reason}. "
                      "Run scripts/setup.sh, which installs it, or set ${option} to its source "
                      "tree")
endfunction()

include(cmake/Highway.cmake)
include(cmake/FlatBuffers.cmake)

# Fetched libraries are linked into the weft command and weft::converter; weft installs none of
# their files.
foreach(weft_option IN ITEMS PUGIXML_INSTALL JSON_Install FMT_INSTALL)
  set(${weft_option} OFF CACHE INTERNAL "")
endforeach()

# weft_need(<name> PACKAGE <name> TARGET <target> URL <url> SHA256 <hash> LICENCE <expression>
#           [VERSION <minimum>])
# Defines TARGET.
function(weft_need name)
  cmake_parse_arguments(need "" "PACKAGE;VERSION;TARGET;URL;SHA256;LICENCE" "" ${ARGN})
  string(TOUPPER ${name} upper)
  set(component ${name} LICENCE "${need_LICENCE}" USED_IN "the weft command" URL "${need_URL}"
      SHA256 "${need_SHA256}")
  set(WEFT_${upper}_DIR "" CACHE PATH "Source tree of ${name}, instead of the system's")
  if(WEFT_${upper}_DIR)
    set(FETCHCONTENT_SOURCE_DIR_${upper} "${WEFT_${upper}_DIR}")
    weft_record_component(${component})
  else()
    find_package(${need_PACKAGE} ${need_VERSION} CONFIG QUIET GLOBAL)
    if(TARGET ${need_TARGET})
      weft_record_component(${component} VERSION "${${need_PACKAGE}_VERSION}")
      return()
    endif()
    string(REGEX MATCH "[0-9]+\\.[0-9.]*[0-9]" version "${need_URL}")
    weft_record_component(${component} VERSION "${version}" PINNED)
  endif()
  weft_download(${name} ${need_URL} ${need_SHA256} WEFT_${upper}_DIR archive)
  FetchContent_Declare(${name} URL "${archive}" URL_HASH SHA256=${need_SHA256}
                       DOWNLOAD_EXTRACT_TIMESTAMP OFF)
  set(CMAKE_POSITION_INDEPENDENT_CODE ${weft_position_independent})  # Python's module links it
  FetchContent_MakeAvailable(${name})
endfunction()
