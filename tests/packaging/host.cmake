# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE= -DBUILD= -DFOLDER= -P host.cmake: installs the desktop build, checks that exactly
# the public headers are installed, and builds and runs three projects with it: a user of both
# interfaces, examples/linux-stream on its recording, and examples/pipeline.
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
weft_begin_installed()

file(GLOB_RECURSE foreign RELATIVE "${prefix}" "${prefix}/*")
list(FILTER foreign EXCLUDE REGEX "^bin/weft$|^include/weft/|^share/doc/weft/|\
^share/man/man1/weft\\.1$|\
^lib[^/]*(/[^/]*)?/(libweft_[a-z_]+\\.a|cmake/weft/[A-Za-z-]+\\.cmake|pkgconfig/weft\\.pc)$")
list(FILTER foreign EXCLUDE REGEX "^share/(bash-completion/completions/weft|\
zsh/site-functions/_weft|fish/vendor_completions\\.d/weft\\.fish)$")
weft_expect("files of other projects" "${foreign}" "")
file(GLOB_RECURSE headers RELATIVE "${prefix}/include/weft" "${prefix}/include/*")
list(SORT headers)
set(installed converter/convert.h runtime/format/fault.h runtime/format/faults.inc
    runtime/format/narrow_steps.inc runtime/format/ops.inc runtime/format/overlapping_steps.inc
    runtime/format/step_functions.h runtime/step_times.h runtime/steps.h
    runtime/version.h runtime/weft.h runtime/weft_c.h weft.h weft_c.h)
weft_expect("headers" "${headers}" "${installed}")
file(GLOB_RECURSE notices "${prefix}/share/doc/weft/*")
list(TRANSFORM notices REPLACE ".*/" "")
list(SORT notices)
weft_expect("notices" "${notices}" "FORMAT.md;LICENSE;NOTICE;THIRD_PARTY_NOTICES")
# The copyright holders of the code in the libraries and the command, as the build lists them.
file(READ "${prefix}/share/doc/weft/THIRD_PARTY_NOTICES" notices)
foreach(name IN ITEMS Highway FlatBuffers pugixml nlohmann/json {fmt})
  string(FIND "${notices}" "\n${name}: in the " place)
  if(place LESS 0)
    message(FATAL_ERROR "THIRD_PARTY_NOTICES has no licence of ${name}")
  endif()
endforeach()
# The documentation that the installed command prints from its option table.
foreach(text IN ITEMS "man=man/man1/weft.1" "completion;bash=bash-completion/completions/weft"
                      "completion;zsh=zsh/site-functions/_weft"
                      "completion;fish=fish/vendor_completions.d/weft.fish")
  string(REGEX MATCH "^([^=]*)=(.*)$" text "${text}")
  weft_run(text "${prefix}/bin/weft" ${CMAKE_MATCH_1})
  file(READ "${prefix}/share/${CMAKE_MATCH_2}" installed)
  if(NOT installed STREQUAL weft_stdout)
    message(FATAL_ERROR "share/${CMAKE_MATCH_2} is not what the command prints")
  endif()
endforeach()
weft_run(sections objdump -h "${prefix}/bin/weft")
if(weft_stdout MATCHES "debug_info")
  message(FATAL_ERROR "bin/weft carries debug information")
endif()
file(SIZE "${prefix}/bin/weft" bytes)
message(STATUS "bin/weft: ${bytes} bytes")

file(COPY "${CMAKE_CURRENT_LIST_DIR}/consumer" "${SOURCE}/examples/dtmf"
          "${SOURCE}/examples/linux-stream" "${SOURCE}/examples/pipeline"
     DESTINATION "${project}")
set(model "${project}/dtmf/model")
# The object file that examples/cortex-m/README.md describes.
weft_run(convert "${prefix}/bin/weft" convert "${model}/dtmf.xml" -o "${FOLDER}/model")
weft_run(ld sh -c "cd '${FOLDER}' && ld -r -b binary -o model.o model && objcopy \
  --rename-section .data=.rodata.model,alloc,load,readonly,data,contents \
  --set-section-alignment .data=64 model.o")
weft_build("${project}/consumer" "${FOLDER}/consumer" "-DCMAKE_PREFIX_PATH=${prefix}"
           "-DMODEL=${model}/dtmf.xml" "-DMODEL_OBJECT=${FOLDER}/model.o")
weft_run(consumer "${FOLDER}/consumer/consumer")
weft_expect("consumer" "${weft_stdout}" "one answer in C and C++\n")

weft_build("${project}/linux-stream" "${FOLDER}/linux-stream" "-DCMAKE_PREFIX_PATH=${prefix}")
file(READ "${model}/test.txt" keys)
string(STRIP "${keys}" keys)
# The samples without the 44-byte WAV header, as a pipe delivers them.
set(program "${FOLDER}/linux-stream/linux_stream")
weft_run(linux-stream sh -c "tail -c +45 '${model}/test.wav' | '${program}'")
weft_expect("linux-stream" "${weft_stdout}" "${keys}\n")
if(NOT weft_stderr MATCHES "^255 frames; one step takes")
  message(FATAL_ERROR "linux-stream: its times are \"${weft_stderr}\"; must be of 255 frames")
endif()

# Models as arrays and, in a copy of the project, as included binary files.
weft_build("${project}/pipeline" "${FOLDER}/pipeline" "-DCMAKE_PREFIX_PATH=${prefix}")
weft_run(pipeline "${FOLDER}/pipeline/pipeline")
file(READ "${project}/pipeline/model/expected.txt" expected)
weft_expect("pipeline" "${weft_stdout}" "${expected}")
file(READ "${project}/pipeline/CMakeLists.txt" lists)
string(REPLACE "pipeline pipeline\n" "pipeline pipeline INCBIN\n" lists "${lists}")
file(WRITE "${project}/pipeline/CMakeLists.txt" "${lists}")
weft_build("${project}/pipeline" "${FOLDER}/pipeline" "-DCMAKE_PREFIX_PATH=${prefix}")
weft_run(pipeline "${FOLDER}/pipeline/pipeline")
weft_expect("pipeline with included files" "${weft_stdout}" "${expected}")
file(READ "${FOLDER}/pipeline/pipeline_models/pipeline.c" text)
if(NOT text MATCHES "incbin")
  message(FATAL_ERROR "pipeline.c does not include the model files:\n${text}")
endif()
