# SPDX-License-Identifier: Apache-2.0
# An overlay port that compiles this source tree: vcpkg install weft --overlay-ports=packaging/vcpkg
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
set(flatc "${CURRENT_HOST_INSTALLED_DIR}/tools/flatbuffers/flatc${VCPKG_HOST_EXECUTABLE_SUFFIX}")
vcpkg_check_linkage(ONLY_STATIC_LIBRARY)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    -DWEFT_BUILD_CONVERTER=OFF
    -DWEFT_BUILD_TESTS=OFF
    # The headers, and the schema compiler of the same version.
    "-DWEFT_FLATBUFFERS_DIR=${CURRENT_INSTALLED_DIR}"
    "-DWEFT_FLATC=${flatc}"
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/weft)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/NOTICE"
                                  "${SOURCE_PATH}/THIRD_PARTY_NOTICES")
