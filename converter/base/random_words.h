// SPDX-License-Identifier: Apache-2.0
// Words of 32 random bits, four at a time: the same ones for the same seeds, on every machine.
#ifndef WEFT_CONVERTER_BASE_RANDOM_WORDS_H_
#define WEFT_CONVERTER_BASE_RANDOM_WORDS_H_

#include <array>
#include <cstdint>
#include <functional>

namespace weft {

using RandomWords = std::array<uint32_t, 4>;
// Each call gives the next four.
using DrawWords = std::function<RandomWords()>;

// Philox-4x32-10 (J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"): the blocks of a
// key and a stream, from block 0 on.
DrawWords PhiloxWords(uint64_t key, uint64_t stream);
// The Mersenne twister MT19937, begun with the low 32 bits of the seed.
DrawWords TwisterWords(uint64_t seed);

}  // namespace weft

#endif  // WEFT_CONVERTER_BASE_RANDOM_WORDS_H_
