# SPDX-License-Identifier: Apache-2.0
# Two sets of compiler options: weft_device for what ships in firmware (kernels, runtime), weft_host
# for the converter and the tests. Contraction is off everywhere, tests included: a compiler that
# fuses a*b+c on its own would make equal formulas differ between targets.
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

add_compile_options(-ffp-contract=off -fno-math-errno)

if(WEFT_SANITIZE)
  list(JOIN WEFT_SANITIZE "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
endif()

set(weft_warnings -Wall -Wextra -Wconversion -Wshadow -Werror)

add_library(weft_device INTERFACE)
target_compile_features(weft_device INTERFACE cxx_std_17)
target_compile_options(weft_device INTERFACE ${weft_warnings} -fno-exceptions -fno-rtti
                       -fno-threadsafe-statics -ffunction-sections -fdata-sections
                       # A loop that Clang may vectorize and does not is no fault.
                       $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)

add_library(weft_host INTERFACE)
target_compile_features(weft_host INTERFACE cxx_std_20)
target_compile_options(weft_host INTERFACE -Wall -Wextra -Wshadow -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees uninitialized members in every move of a std::variant.
  target_compile_options(weft_host INTERFACE -Wno-maybe-uninitialized)
endif()
