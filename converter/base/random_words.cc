// SPDX-License-Identifier: Apache-2.0
#include "converter/base/random_words.h"

#include <random>

namespace weft {
namespace {

uint32_t LowHalf(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t HighHalf(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

RandomWords PhiloxBlock(uint64_t key, uint64_t stream, uint64_t block) {
  constexpr int kRounds = 10;
  RandomWords words = {LowHalf(block), HighHalf(block), LowHalf(stream), HighHalf(stream)};
  uint32_t first_key = LowHalf(key), second_key = HighHalf(key);
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t first = uint64_t{0xD2511F53} * words[0];
    const uint64_t second = uint64_t{0xCD9E8D57} * words[2];
    words = {HighHalf(second) ^ words[1] ^ first_key, LowHalf(second),
             HighHalf(first) ^ words[3] ^ second_key, LowHalf(first)};
    first_key += 0x9E3779B9;
    second_key += 0xBB67AE85;
  }
  return words;
}

}  // namespace

DrawWords PhiloxWords(uint64_t key, uint64_t stream) {
  return [=, block = uint64_t{0}]() mutable { return PhiloxBlock(key, stream, block++); };
}

DrawWords TwisterWords(uint64_t seed) {
  return [generator = std::mt19937(LowHalf(seed))]() mutable {
    RandomWords words = {};
    for (uint32_t& word : words) word = static_cast<uint32_t>(generator());
    return words;
  };
}

}  // namespace weft
