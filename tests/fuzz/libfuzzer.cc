// SPDX-License-Identifier: Apache-2.0
// Connects a fuzzer with libFuzzer: weft_fuzz NAME [libFuzzer's options] [FILE or FOLDER...].
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/fuzz/fuzzer.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {
const weft::fuzz::Fuzzer* fuzzer = nullptr;
constexpr const char* kVariable = "WEFT_FUZZER";  // for processes that libFuzzer starts
}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  const char* name = std::getenv(kVariable);
  if (name == nullptr && *argc > 1) {
    name = (*argv)[1];
    setenv(kVariable, name, 1);
    for (int i = 1; i + 1 < *argc; ++i) (*argv)[i] = (*argv)[i + 1];
    --*argc;
  }
  if (name != nullptr) fuzzer = weft::fuzz::Find(name);
  if (fuzzer != nullptr) return 0;
  std::fprintf(stderr, "weft_fuzz: the fuzzer is \"%s\"; must be one of",
               name == nullptr ? "" : name);
  for (const auto& each : weft::fuzz::All()) std::fprintf(stderr, " %s", each.name.data());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzzer->run({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  weft::fuzz::Random random(seed);
  random.discard(4);  // consecutive seeds have similar first numbers
  if (size == 0 || weft::fuzz::Below(random, 8) == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::string input(reinterpret_cast<const char*>(data), size);
  fuzzer->mutate(input, random);
  if (input.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, input.data(), input.size());
  return input.size();
}
