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

# People link weft into shared objects of their own, so what a desktop builds can lie anywhere;
# firmware is linked to an address. A compiler is told that no other definition will replace one of
# weft's at run time: else position independent code could not inline, and would be slower.
set(weft_position_independent ON)
if(DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
  set(weft_position_independent ${CMAKE_POSITION_INDEPENDENT_CODE})
elseif(CMAKE_SYSTEM_NAME STREQUAL "Generic")
  set(weft_position_independent OFF)
endif()
set(weft_binding "")
if(weft_position_independent AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  set(weft_binding -fno-semantic-interposition)
endif()

if(WEFT_SANITIZE)
  list(JOIN WEFT_SANITIZE "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND "address" IN_LIST WEFT_SANITIZE)
    # Each check is a call: the same checks, and the kernels are compiled in half the time.
    add_compile_options(-fsanitize-address-outline-instrumentation)
  endif()
endif()

# A compiler that was not tried here warns of things that GCC 12 and Clang 19 do not: it must be
# able to build weft all the same. Every preset sets this.
option(WEFT_WERROR "Let warnings stop the build" OFF)
set(weft_werror "")
if(WEFT_WERROR)
  set(weft_werror -Werror)
endif()
set(weft_warnings -Wall -Wextra -Wconversion -Wshadow ${weft_werror})

# What a board builds for size. GCC's second scheduling and its moves of constants out of loops cost
# registers, and with them code, where no loop is worth them.
set(weft_shortest -Os)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND weft_shortest -fno-schedule-insns2 -fno-move-loop-invariants)
endif()

add_library(weft_device INTERFACE)
target_compile_features(weft_device INTERFACE cxx_std_17)
target_compile_options(weft_device INTERFACE ${weft_warnings} -fno-exceptions -fno-rtti
                       -fno-threadsafe-statics -ffunction-sections -fdata-sections ${weft_binding}
                       # A loop that Clang may vectorize and does not is no fault.
                       $<$<CXX_COMPILER_ID:Clang>:-Wno-pass-failed>)

add_library(weft_host INTERFACE)
target_compile_features(weft_host INTERFACE cxx_std_20)
target_compile_options(weft_host INTERFACE -Wall -Wextra -Wshadow ${weft_werror}
                       # libstdc++ 12 has std::stable_sort call what it calls deprecated itself, and
                       # Clang blames the caller. GCC goes on checking weft's own calls.
                       $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees uninitialized members in every move of a std::variant.
  target_compile_options(weft_host INTERFACE -Wno-maybe-uninitialized)
endif()
