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

# Several modules of one process may each contain a weft, of different versions. Static libraries
# therefore hide all symbols but the C interface's (runtime/weft_c.h), and no symbol of a shared
# library is unique in the process, which the loader would bind across versions.
if(NOT BUILD_SHARED_LIBS)
  set(CMAKE_CXX_VISIBILITY_PRESET hidden)
  set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>)
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

# GCC notes on 32-bit ARM that it passed some arguments otherwise before version 7.
set(weft_board_options "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SIZEOF_VOID_P EQUAL 4)
  set(weft_board_options -Wno-psabi)
endif()

# Floats without an FPU are calls of the compiler's library; runtime/engine.cc has the #warning.
option(WEFT_SOFT_FLOAT "Build for a processor without a floating-point unit without a warning" OFF)
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND NOT WEFT_SOFT_FLOAT)
  include(CheckCXXSourceCompiles)
  check_cxx_source_compiles("
    #if (defined(__arm__) && !defined(__ARM_FP)) || (defined(__riscv) && !defined(__riscv_flen))
    #error
    #endif
    int main() { return 0; }" WEFT_HAS_FPU)
  if(NOT WEFT_HAS_FPU)
    message(WARNING "the compiler's options name no floating-point unit: weft computes in f32, and "
                    "a run takes 90 to 270 times as long. Name the unit (-mfpu=, -mfloat-abi=) if "
                    "the processor has one, or set WEFT_SOFT_FLOAT=ON to accept this")
    list(APPEND weft_board_options -Wno-error=cpp)
  endif()
endif()

add_library(weft_device INTERFACE)
if(WEFT_SOFT_FLOAT)
  target_compile_definitions(weft_device INTERFACE WEFT_SOFT_FLOAT)
endif()
target_compile_features(weft_device INTERFACE cxx_std_17)
target_compile_options(weft_device INTERFACE ${weft_warnings} -fno-exceptions -fno-rtti
                       -fno-threadsafe-statics -ffunction-sections -fdata-sections ${weft_binding}
                       ${weft_board_options}
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
