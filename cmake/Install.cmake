# SPDX-License-Identifier: Apache-2.0
# `cmake --install` installs the public headers, the two libraries, the weft command if it was
# built, and the package files for find_package(weft CONFIG). The headers need no other library.
# They are in include/weft, with the paths that sources use to include them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(weft::runtime ALIAS weft_runtime)
add_library(weft::kernels ALIAS weft_kernels)
if(WEFT_BUILD_CONVERTER)
  add_library(weft::converter ALIAS weft_converter)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/WeftModel.cmake)
# A project that adds weft as a subdirectory uses its targets and installs nothing.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

set(weft_headers "${CMAKE_INSTALL_INCLUDEDIR}/weft")
set(weft_package "${CMAKE_INSTALL_LIBDIR}/cmake/weft")
install(FILES runtime/weft.h runtime/weft_c.h runtime/step_times.h runtime/version.h
        runtime/steps.h
        DESTINATION "${weft_headers}/runtime")
# <weft/weft.h> and <weft/weft_c.h>
install(FILES include/weft/weft.h include/weft/weft_c.h DESTINATION "${weft_headers}")
install(FILES runtime/format/fault.h runtime/format/faults.inc runtime/format/step_functions.h
        runtime/format/ops.inc runtime/format/overlapping_steps.inc runtime/format/narrow_steps.inc
        DESTINATION "${weft_headers}/runtime/format")
install(FILES LICENSE NOTICE THIRD_PARTY_NOTICES runtime/format/FORMAT.md
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# Debug information is 90 % of the command's size. CMake strips executables and shared libraries,
# never archives.
option(WEFT_INSTALL_STRIPPED "Install without debug information, as cmake --install --strip" ON)
if(WEFT_INSTALL_STRIPPED)
  install(CODE "set(CMAKE_INSTALL_DO_STRIP TRUE)")
endif()

set(libraries weft_runtime weft_kernels)
set_target_properties(weft_runtime PROPERTIES EXPORT_NAME runtime)
set_target_properties(weft_kernels PROPERTIES EXPORT_NAME kernels)
set(weft_needs_hwy OFF)
if(weft_dispatches)
  list(APPEND libraries weft_highway_targets)
  set_target_properties(weft_highway_targets PROPERTIES EXPORT_NAME highway_targets)
  if(TARGET hwy::hwy)
    set(weft_needs_hwy ON)
  endif()
endif()
install(TARGETS ${libraries} EXPORT weftTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        INCLUDES DESTINATION "${weft_headers}" "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT weftTargets NAMESPACE weft:: DESTINATION "${weft_package}")

# weft.pc, relative to itself, so that the installation can be moved. Users of static libraries link
# all of them.
list(TRANSFORM libraries PREPEND "-l" OUTPUT_VARIABLE weft_pc_libraries)
list(JOIN weft_pc_libraries " " weft_pc_libraries)
set(weft_pc_requires "")
if(weft_needs_hwy)
  set(weft_pc_requires "libhwy")
endif()
if(NOT WEFT_NO_CXX_LIBRARY AND NOT WIN32)
  string(APPEND weft_pc_libraries " -lm")
endif()
file(RELATIVE_PATH weft_prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/weft.pc.in "${PROJECT_BINARY_DIR}/weft.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/weft.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
# The converter library has a separate export, so that only its users need its dependencies.
if(WEFT_BUILD_CONVERTER)
  set_target_properties(weft_converter PROPERTIES EXPORT_NAME converter)
  install(FILES converter/convert.h DESTINATION "${weft_headers}/converter")
  install(TARGETS weft_converter EXPORT weftConverterTargets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          INCLUDES DESTINATION "${weft_headers}")
  install(EXPORT weftConverterTargets NAMESPACE weft:: DESTINATION "${weft_package}")
endif()
# The command finds its shared libraries by a relative path, so that the installation can be moved.
file(RELATIVE_PATH weft_libraries_from_command "${CMAKE_INSTALL_FULL_BINDIR}"
     "${CMAKE_INSTALL_FULL_LIBDIR}")
set(weft_origin "$ORIGIN")
if(APPLE)
  set(weft_origin "@loader_path")
endif()
if(BUILD_SHARED_LIBS)
  set_target_properties(weft_runtime weft_kernels PROPERTIES INSTALL_RPATH "${weft_origin}")
endif()
if(TARGET weft)
  if(BUILD_SHARED_LIBS)
    set_target_properties(weft PROPERTIES
                          INSTALL_RPATH "${weft_origin}/${weft_libraries_from_command}")
  endif()
  install(TARGETS weft RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  if(NOT WIN32)
    include(${CMAKE_CURRENT_LIST_DIR}/Manual.cmake)
  endif()
endif()

configure_package_config_file(cmake/weftConfig.cmake.in "${PROJECT_BINARY_DIR}/weftConfig.cmake"
                              INSTALL_DESTINATION "${weft_package}"
                              PATH_VARS CMAKE_INSTALL_BINDIR)
# Before 1.0 every minor version may change the interface and the model format. CMake compares exact
# versions as text; 0.2 and 0.2.0 must be equal.
set(weft_version_file "${PROJECT_BINARY_DIR}/weftConfigVersion.cmake")
write_basic_package_version_file("${weft_version_file}" COMPATIBILITY SameMinorVersion)
file(READ "${weft_version_file}" weft_version_text)
file(WRITE "${weft_version_file}" "if(\"\${PACKAGE_FIND_VERSION}\" VERSION_EQUAL ${PROJECT_VERSION})
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
${weft_version_text}")
install(FILES "${PROJECT_BINARY_DIR}/weftConfig.cmake" "${weft_version_file}" cmake/WeftModel.cmake
        DESTINATION "${weft_package}")
