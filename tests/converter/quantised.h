// SPDX-License-Identifier: Apache-2.0
// Quantised numbers for tests.
#ifndef WEFT_TESTS_CONVERTER_QUANTISED_H_
#define WEFT_TESTS_CONVERTER_QUANTISED_H_

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "converter/base/quantisation.h"

namespace weft {

// Codes times scales; without quantisation if a code has more than 8 bits and a sign.
inline CodedFloats Quantised(const std::vector<float>& codes, std::vector<float> scales) {
  std::vector<float> floats;
  for (size_t i = 0; i < codes.size(); ++i) floats.push_back(codes[i] * scales[i]);
  QuantisationPtr quantisation = QuantisationOf(floats, std::move(scales));
  return {std::move(floats), std::move(quantisation)};
}
inline CodedFloats Quantised(const std::vector<float>& codes, float scale) {
  return Quantised(codes, std::vector<float>(codes.size(), scale));
}
inline std::vector<float> CodesOf(std::span<const float> numbers,
                                  const Quantisation& quantisation) {
  const std::vector<float> scales = quantisation.scales();
  std::vector<float> codes;
  for (size_t i = 0; i < numbers.size(); ++i) codes.push_back(CodeOf(numbers[i], scales[i]));
  return codes;
}

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_QUANTISED_H_
