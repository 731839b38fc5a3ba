// SPDX-License-Identifier: Apache-2.0
// Connects a fuzzer with libFuzzer: weft_fuzz_NAME [libFuzzer's options] [FILE or FOLDER...].
#include <cstring>

#include "tests/fuzz/fuzzer.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  weft::fuzz::Run({reinterpret_cast<const std::byte*>(data), size});
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  weft::fuzz::Random random(seed);
  random.discard(4);  // consecutive seeds have similar first numbers
  if (size == 0 || weft::fuzz::Below(random, 8) == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::string input(reinterpret_cast<const char*>(data), size);
  weft::fuzz::Mutate(input, random);
  if (input.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, input.data(), input.size());
  return input.size();
}
