// SPDX-License-Identifier: Apache-2.0
// Generators of 32-bit random words, four at a time; deterministic on every machine.
#ifndef WEFT_CONVERTER_BASE_RANDOM_WORDS_H_
#define WEFT_CONVERTER_BASE_RANDOM_WORDS_H_

#include <array>
#include <cstdint>
#include <functional>

namespace weft {

using RandomWords = std::array<uint32_t, 4>;
// Each call returns the next four words.
using DrawWords = std::function<RandomWords()>;

// Philox-4x32-10 (J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"): returns the
// blocks of a key and a stream, starting with block 0.
DrawWords PhiloxWords(uint64_t key, uint64_t stream);
// The Mersenne twister MT19937, seeded with the low 32 bits of `seed`.
DrawWords TwisterWords(uint64_t seed);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_RANDOM_WORDS_H_
