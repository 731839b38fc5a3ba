# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` leaves: the public headers, the two libraries, the weft command where it is
# built, and the package that find_package(weft CONFIG) reads. The headers need no other library;
# they lie in include/weft, under the names that sources include them by.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(weft::runtime ALIAS weft_runtime)
add_library(weft::kernels ALIAS weft_kernels)
include(${CMAKE_CURRENT_LIST_DIR}/WeftModel.cmake)
# A project that adds this one as a subdirectory takes its libraries from there, installs nothing.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

set(weft_headers "${CMAKE_INSTALL_INCLUDEDIR}/weft")
set(weft_package "${CMAKE_INSTALL_LIBDIR}/cmake/weft")
install(FILES runtime/weft.h runtime/weft_c.h runtime/steps.h runtime/faults.inc
        DESTINATION "${weft_headers}/runtime")
install(FILES runtime/format/ops.inc DESTINATION "${weft_headers}/runtime/format")
install(FILES LICENSE NOTICE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

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
        INCLUDES DESTINATION "${weft_headers}")
install(EXPORT weftTargets NAMESPACE weft:: DESTINATION "${weft_package}")
if(TARGET weft)
  install(TARGETS weft RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

configure_package_config_file(cmake/weftConfig.cmake.in "${PROJECT_BINARY_DIR}/weftConfig.cmake"
                              INSTALL_DESTINATION "${weft_package}"
                              PATH_VARS CMAKE_INSTALL_BINDIR)
# Before 1.0 every minor version may change the interface and the model's format.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/weftConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/weftConfig.cmake"
              "${PROJECT_BINARY_DIR}/weftConfigVersion.cmake" cmake/WeftModel.cmake
        DESTINATION "${weft_package}")
