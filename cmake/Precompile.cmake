# SPDX-License-Identifier: Apache-2.0
# Headers that most sources of a target read, compiled once for all of them. A source of the runtime
# then takes a third of the time, since nearly all of it is FlatBuffers' headers; with Clang a test
# takes little more than half and a source of the converter a third to a sixth less. GCC gains
# nothing on the converter, where each source makes the pending template functions of all these
# headers again. The preset asan asks for it, and the scripts that build everything; the other
# presets compile every source with what it includes by itself, as a project does that weft is part
# of.
#
# No header of the tree is among them but the generated one, so that an edit costs what it cost
# before. CLI11 is not: every source would set up its constants again.
option(WEFT_PRECOMPILE "Precompile the libraries' headers" OFF)

# What both compilers need so that ccache may cache sources with such a header: GCC then leaves the
# header's name in what ccache compares, Clang leaves out the time at which the headers were
# written. cmake/Ccache.cmake has the other half.
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

# weft_precompile_as(<target> <other>): takes the header of another target, whose options are equal.
function(weft_precompile_as target other)
  if(WEFT_PRECOMPILE)
    target_compile_options(${target} PRIVATE ${weft_precompile_options})
    target_precompile_headers(${target} REUSE_FROM ${other})
  endif()
endfunction()
