# SPDX-License-Identifier: Apache-2.0
# Precompiles headers that most sources of a target include. A source of the runtime then compiles
# in a third of the time, because most of it is FlatBuffers' headers. With Clang a test takes little
# more than half the time, and a source of the converter 17 % to 33 % less. GCC gains nothing on the
# converter, because each source instantiates the pending template functions of all these headers
# again. The preset asan and the scripts that build everything enable it. The other presets compile
# every source with only its own includes, as in a project that contains weft.
#
# The only precompiled header of this tree is the generated one, so that edits do not cause more
# compilation.
option(WEFT_PRECOMPILE "Precompile the libraries' headers" OFF)

# Options with which ccache can cache sources that use a precompiled header: GCC keeps the header's
# name in the preprocessed text, Clang omits the modification times of the headers.
# cmake/Ccache.cmake has the ccache settings.
set(weft_precompile_options $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
                            "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")

# weft_precompile(<target> <header>...): <header> in angle brackets or a path below an include
# folder.
function(weft_precompile target)
  if(WEFT_PRECOMPILE)
    target_compile_options(${target} PRIVATE ${weft_precompile_options})
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# weft_precompile_as(<target> <other>): reuses the header of a target with equal options.
function(weft_precompile_as target other)
  if(WEFT_PRECOMPILE)
    target_compile_options(${target} PRIVATE ${weft_precompile_options})
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
