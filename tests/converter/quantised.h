// SPDX-License-Identifier: Apache-2.0
// Quantised numbers for tests.
#ifndef WEFT_TESTS_CONVERTER_QUANTISED_H_
#define WEFT_TESTS_CONVERTER_QUANTISED_H_

#include <utility>
#include <vector>

#include "converter/base/quantisation.h"

namespace weft {

// Codes times scales; without quantisation if a code has more than 8 bits and a sign.
inline CodedFloats Quantised(std::vector<float> codes, std::vector<float> scales) {
  std::vector<float> floats;
  for (size_t i = 0; i < codes.size(); ++i) floats.push_back(codes[i] * scales[i]);
  QuantisationPtr quantisation = QuantisationOf(floats, {std::move(codes), std::move(scales)});
  return {std::move(floats), std::move(quantisation)};
}
inline CodedFloats Quantised(std::vector<float> codes, float scale) {
  std::vector<float> scales(codes.size(), scale);
  return Quantised(std::move(codes), std::move(scales));
}

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_QUANTISED_H_
