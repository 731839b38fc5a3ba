// SPDX-License-Identifier: Apache-2.0
// Random quantised values for the tests of quantised steps.
#ifndef WEFT_TESTS_KERNELS_CODES_CASES_H_
#define WEFT_TESTS_KERNELS_CODES_CASES_H_

#include "kernels/matrix/dense_q8.h"
#include "kernels/reference/dense_q8.h"
#include "tests/kernels/harness.h"

namespace weft::kernels {

// Often -128 or 127.
inline int8_t CodeAtRandom(Random* random) {
  const auto code = static_cast<int8_t>(static_cast<int32_t>(random->Below(256)) - 128);
  if (random->Below(4) != 0) return code;
  return code < 0 ? int8_t{-128} : int8_t{127};
}

inline std::vector<int8_t> CodesAtRandom(Random* random, size_t count) {
  std::vector<int8_t> codes(count);
  for (int8_t& code : codes) code = CodeAtRandom(random);
  return codes;
}

inline std::vector<int8_t> EveryCode() {
  std::vector<int8_t> codes;
  for (int32_t code = -128; code < 128; ++code) codes.push_back(static_cast<int8_t>(code));
  return codes;
}

inline CodeRange CodesCase(Random* random) {
  const int8_t a = CodeAtRandom(random), b = CodeAtRandom(random);
  return {CodeAtRandom(random), a < b ? a : b, a < b ? b : a};
}

// Often an exponent for which sums of `terms` products span a few hundred quantised values.
inline Multiplier MultiplierCase(Random* random, uint32_t terms) {
  const auto mantissa = static_cast<int32_t>(0x40000000u + random->Below(0x40000000u));
  const auto usual = static_cast<int32_t>(std::log2(1.0 + terms) / 2) + 5;
  switch (random->Below(8)) {
    case 0:
      return {0, 0};
    case 1:
      return {mantissa, static_cast<int32_t>(random->Below(62)) - 31};
    case 2:
      return {0x7FFFFFFF, -usual};
    default:
      return {random->Below(4) == 0 ? 0x40000000 : mantissa,
              2 - usual - static_cast<int32_t>(random->Below(4))};
  }
}

// Factors of a product's outputs, some of them null. With these scales, sums of `terms` products
// span a few hundred quantised values.
struct FactorsCase {
  FactorsCase(Random* random, size_t outputs, size_t start_rows, uint32_t terms,
              const ResultsQ8& results = {})
      : scales(random->Floats(outputs, 1)), start(random->Floats(outputs * start_rows, 60)) {
    const float unit = 1.0f / (32.0f * std::sqrt(1.0f + static_cast<float>(terms)));
    for (float& scale : scales) scale *= unit;
    first.resize(outputs);
    for (int32_t& number : first) number = static_cast<int32_t>(random->Below(20001)) - 10000;
    given = {scales.data(), random->Below(3) == 0 ? nullptr : first.data(),
             random->Below(3) == 0 ? nullptr : start.data()};
    if (!results.codes.by_integers) return;
    const bool are_small = random->Below(2) == 0;  // targets have a faster form for these
    for (size_t i = 0; i < start.size(); ++i) {
      Multiplier multiplier = MultiplierCase(random, terms);
      while (are_small && (multiplier.exponent >= 0 || multiplier.exponent < -20)) {
        multiplier = MultiplierCase(random, terms);
      }
      if (i < outputs) mantissas.push_back(multiplier.mantissa);
      exponents.push_back(multiplier.exponent);
    }
    given.scales = reinterpret_cast<const float*>(mantissas.data());
    given.start = reinterpret_cast<const float*>(exponents.data());
  }
  FactorsCase(const FactorsCase&) = delete;
  FactorsCase& operator=(const FactorsCase&) = delete;

  std::vector<float> scales;
  std::vector<int32_t> first;
  std::vector<float> start;
  std::vector<int32_t> mantissas, exponents;  // of codes by integers
  FactorsQ8 given;
};

// Expects `all` at the given `positions` of y, as float or quantised; all other elements must keep
// the initial contents of an Array.
template <class Run>
void ExpectResults(const ResultsQ8& results, const std::vector<ResultQ8>& all,
                   const std::vector<size_t>& positions, size_t count, size_t misalignment,
                   const Run& run) {
  if (results.is_float) {
    std::vector<float> must(count);
    if (count != 0) std::memset(must.data(), 0xA5, count * sizeof(float));
    for (size_t i = 0; i < positions.size(); ++i) must[positions[i]] = all[i].number;
    ExpectSame(OnEveryTarget<float>(count, misalignment, run), must);
  } else {
    std::vector<int8_t> must(count, static_cast<int8_t>(0xA5));
    for (size_t i = 0; i < positions.size(); ++i) must[positions[i]] = all[i].code;
    ExpectSame(OnEveryTarget<int8_t>(count, misalignment, run), must);
  }
}

}  // namespace weft::kernels

#endif  // WEFT_TESTS_KERNELS_CODES_CASES_H_
