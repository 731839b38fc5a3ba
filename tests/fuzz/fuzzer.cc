// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzzer.h"

#include <unistd.h>

#include <cstdlib>

namespace weft::fuzz {
namespace {

constexpr Fuzzer kFuzzers[] = {
    {"model", RunModelFuzzer, MutateModel},
#if WEFT_HAS_CONVERTER
    {"readers", RunReaders, MutateModel},
    {"convert_ir", RunConvertIr, MutateIr},
    {"convert_tflite", RunConvertTflite, MutateTflite},
    {"texts", RunTexts, MutateTexts},
#endif
};

// Standard error at the start of the process: fuzzers redirect descriptor 2.
const int error_stream = dup(2);

}  // namespace

std::span<const Fuzzer> All() { return kFuzzers; }

const Fuzzer* Find(std::string_view name) {
  for (const Fuzzer& fuzzer : kFuzzers) {
    if (fuzzer.name == name) return &fuzzer;
  }
  return nullptr;
}

void Finding(const std::string& text) {
  dprintf(error_stream, "FINDING: %s\n", text.c_str());
  std::abort();
}

}  // namespace weft::fuzz
