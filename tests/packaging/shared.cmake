# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DBUILD= -DFOLDER= -P shared.cmake: checks that BUILD_SHARED_LIBS creates shared
# libraries with a versioned name that export only weft's symbols, and that a C project runs with
# the moved installation. The build folder is next to BUILD and is kept for ccache.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
file(REMOVE_RECURSE "${FOLDER}")
set(prefix "${FOLDER}/prefix")
set(build "${BUILD}-shared")
weft_run(refusal sh -c "'${CMAKE_COMMAND}' --preset x86-64 -S '${SOURCE}' -B '${build}-tests' \
  -DBUILD_SHARED_LIBS=ON -DWEFT_BUILD_TESTS=ON 2>&1 || true")
if(NOT weft_stdout MATCHES "tests look into weft's libraries, which must be")
  message(FATAL_ERROR "shared libraries and tests: must be an error; printed\n${weft_stdout}")
endif()
weft_run(refusal sh -c "'${CMAKE_COMMAND}' --preset x86-64 -S '${SOURCE}' -B '${build}-tests' \
  -DBUILD_SHARED_LIBS=ON -DWEFT_BUILD_TESTS=OFF -DWEFT_PARTS=models 2>&1 || true")
if(NOT weft_stdout MATCHES "BUILD_SHARED_LIBS is ON; a shared library must")
  message(FATAL_ERROR "shared libraries and parts: must be an error; printed\n${weft_stdout}")
endif()
# Only symbols are checked, and static libraries have other compiler options, so that nothing but
# the scalar kernels is compiled, without optimisation. Scalar kernels call no function of Highway;
# the linker therefore has to add the one that detects the processor.
set(detects _ZN3hwy16SupportedTargetsEv)
weft_run(configure "${CMAKE_COMMAND}" --preset x86-64 -S "${SOURCE}" -B "${build}"
         -DBUILD_SHARED_LIBS=ON -DWEFT_BUILD_CONVERTER=OFF -DWEFT_PRECOMPILE=ON -DWEFT_UNITE=ON
         "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG -DHWY_COMPILE_ONLY_SCALAR"
         "-DCMAKE_SHARED_LINKER_FLAGS=-Wl,-u,${detects}")
weft_run(build "${CMAKE_COMMAND}" --build "${build}")
file(REMOVE_RECURSE "${build}-tests")
weft_run(local_symbols nm "${build}/kernels/libweft_kernels.so")
if(NOT weft_stdout MATCHES " t ${detects}\n")
  message(FATAL_ERROR "libweft_kernels.so: ${detects} must be a local symbol")
endif()
set(BUILD "${build}")
weft_install("${prefix}")

file(GLOB_RECURSE libraries RELATIVE "${prefix}" "${prefix}/*.so*" "${prefix}/*.a")
list(TRANSFORM libraries REPLACE ".*/" "")
list(FILTER libraries EXCLUDE REGEX "highway_targets")  # inside the others
weft_expect("libraries" "${libraries}" "libweft_kernels.so;libweft_kernels.so.0.2;\
libweft_kernels.so.0.2.0;libweft_runtime.so;libweft_runtime.so.0.2;libweft_runtime.so.0.2.0")
foreach(name IN ITEMS kernels runtime)
  file(GLOB_RECURSE library "${prefix}/libweft_${name}.so.0.2.0")
  weft_run(soname objdump -p "${library}")
  string(REGEX MATCH "SONAME +([^\n]+)" found "${weft_stdout}")
  weft_expect("soname" "${CMAKE_MATCH_1}" "libweft_${name}.so.0.2")
  weft_run(symbols nm -C -D --defined-only "${library}")
  string(REGEX MATCHALL "[^\n]+" lines "${weft_stdout}")
  list(FILTER lines EXCLUDE REGEX " (weft_|weft::|(guard variable|vtable) for weft::)")
  weft_expect("symbols of others in ${name}" "${lines}" "")
endforeach()

file(COPY "${CMAKE_CURRENT_LIST_DIR}/projects/in_c" DESTINATION "${FOLDER}")
weft_build("${FOLDER}/in_c" "${FOLDER}/in_c-build" "-DCMAKE_PREFIX_PATH=${prefix}"
           "-DWEFT_COMMAND=${COMMAND}" "-DMODEL=${SOURCE}/examples/dtmf/model/dtmf.xml")
weft_run(in_c "${FOLDER}/in_c-build/in_c")
if(NOT weft_stdout MATCHES "^[0-9]+ kinds of steps\n$")
  message(FATAL_ERROR "in_c with shared libraries printed ${weft_stdout}")
endif()
