# SPDX-License-Identifier: Apache-2.0
# A stub of Zephyr's CMake package, limited to the parts that examples/zephyr and
# zephyr/CMakeLists.txt use: prj.conf becomes variables, the modules of ZEPHYR_EXTRA_MODULES are
# added, the application is the library `app`, and every source is compiled with the options of
# zephyr_interface. The linked program runs on the emulated board of weft's tests, with printf for
# printk.
project(Zephyr-Kernel LANGUAGES C CXX)
set(ZEPHYR_BINARY_DIR "${CMAKE_BINARY_DIR}/zephyr")
file(STRINGS "${CMAKE_SOURCE_DIR}/prj.conf" settings REGEX "^CONFIG_[A-Z0-9_]+=")
foreach(setting IN LISTS settings)
  string(REGEX MATCH "^(CONFIG_[A-Z0-9_]+)=(.*)$" found "${setting}")
  set(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
endforeach()
set(CONFIG_WEFT_TEXT y)  # its default

add_library(zephyr_interface INTERFACE)
target_include_directories(zephyr_interface INTERFACE
  "${CMAKE_CURRENT_LIST_DIR}/include" "${ZEPHYR_BINARY_DIR}/include/generated")
target_compile_definitions(zephyr_interface INTERFACE __ZEPHYR__=1)
target_compile_options(zephyr_interface INTERFACE -Os
  $<$<COMPILE_LANGUAGE:CXX>:-std=c++17 -fno-exceptions -fno-rtti>)
add_library(app STATIC)
target_link_libraries(app PUBLIC zephyr_interface)
add_executable(zephyr.elf "${WEFT_BOARD_STARTUP}")
target_link_libraries(zephyr.elf PRIVATE app)
set_target_properties(zephyr.elf PROPERTIES LINKER_LANGUAGE CXX)

# Writes the file's bytes as "0x12,0x34,...", like Zephyr's function of this name.
function(generate_inc_file_for_target target source generated)
  file(READ "${source}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  file(WRITE "${generated}" "${bytes}\n")
endfunction()

foreach(module IN LISTS ZEPHYR_EXTRA_MODULES)
  file(STRINGS "${module}/zephyr/module.yml" folder REGEX "^  cmake: ")
  string(REPLACE "  cmake: " "" folder "${folder}")
  add_subdirectory("${module}/${folder}" "${CMAKE_BINARY_DIR}/modules/weft")
endforeach()
