// SPDX-License-Identifier: Apache-2.0
// The fuzzer `convert_tflite`: hostile .tflite files. An input has kOptionBytes (conversion.h) and
// the file. The mutator changes words and bytes in place, so that the FlatBuffer keeps its layout.
#include <cstring>
#include <string>

#include "tests/fuzz/conversion.h"
#include "tests/fuzz/fuzzer.h"

namespace weft::fuzz {
namespace {

// Replaces a word by a neighbour, an extreme number, another word of the file or a small number.
void ChangeWord(char* at, const char* other, Random& random) {
  constexpr uint32_t kWords[] = {0,          1,          2,          0xFFFFFFFF,
                                 0x10000,    0x7FFFFFFF, 0x80000000, 0x7F800000,
                                 0xFF800000, 0x7FC00000, 0x00000001, 0x40000000};
  uint32_t word = 0, copied = 0;
  std::memcpy(&word, at, 4);
  std::memcpy(&copied, other, 4);
  switch (Below(random, 8)) {
    case 0:
      ++word;
      break;
    case 1:
      --word;
      break;
    case 2:
      word *= 2;
      break;
    case 3:
      word = 0 - word;
      break;
    case 4:
      word ^= 1u << Below(random, 32);
      break;
    case 5:
      word = copied;
      break;
    case 6:
      word = static_cast<uint32_t>(Below(random, 16));
      break;
    default:
      word = PickFrom(random, kWords);
      break;
  }
  std::memcpy(at, &word, 4);
}

}  // namespace

void Run(Input input) {
  Choices choices(input);
  if (input.size() <= kOptionBytes) return;
  ConvertInput(choices, input.subspan(kOptionBytes), {}, "model.tflite");
}

void Mutate(std::string& input, Random& random) {
  if (input.size() < kOptionBytes + 8 || Below(random, 8) == 0) {
    input[Below(random, std::min(input.size(), kOptionBytes))] = static_cast<char>(random() >> 8);
    return;
  }
  char* file = input.data() + kOptionBytes;
  const size_t bytes = input.size() - kOptionBytes, words = bytes / 4;
  for (size_t changes = 1 + Below(random, 3); changes > 0; --changes) {
    if (Below(random, 3) == 0) {
      char& byte = file[Below(random, bytes)];
      byte = Below(random, 2) == 0 ? static_cast<char>(byte ^ 1 << Below(random, 8))
                                   : static_cast<char>(Below(random, 32));
    } else {
      ChangeWord(file + 4 * Below(random, words), file + 4 * Below(random, words), random);
    }
  }
}

}  // namespace weft::fuzz
