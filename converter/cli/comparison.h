// SPDX-License-Identifier: Apache-2.0
// Compares two arrays element by element. Floats agree if |is - must| <= max(atol, rtol * |must|);
// NaN agrees with NaN, and an infinity only with itself. Integers and booleans must be equal. The
// caller ensures that types and shapes are equal.
#ifndef WEFT_CONVERTER_CLI_COMPARISON_H_
#define WEFT_CONVERTER_CLI_COMPARISON_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "converter/cli/npy.h"

namespace weft::cli {

// Advice for comparisons of an IR with f16 weights with the framework's results.
inline constexpr const char* kF16Advice =
    "; ovc rounds f32 weights to f16 unless --compress_to_fp16=False, with a relative error of up "
    "to "
    "4.9e-4, and outputs have a similar error";

struct Tolerance {
  double relative = 1e-5, absolute = 1e-5;
  bool finite_only = false;  // leave out elements that are NaN or infinite in `must`
};

struct Mismatch {
  Dims index;
  std::string is, must;
};

struct Comparison {
  int64_t count = 0;
  int64_t mismatch_count = 0;
  std::optional<Mismatch> first;
  double largest_difference = 0;  // infinite if only one of two elements is a finite number
  Dims largest_index;             // its position; empty if the difference is 0
  double signal = 0, noise = 0;   // sums of squares of `must` and of the differences
};

// Returns a text such as "equal, 3 elements, ..." or "2 of 3 elements differ; first at [0]: is
// ...".
std::string ComparisonText(const Comparison& comparison);
// Ratio of signal to noise in decibels, for floats; nullopt if nothing differs.
std::optional<double> SignalToNoise(const Comparison& comparison);
nlohmann::ordered_json ComparisonJson(const Comparison& comparison);

// Returns true if the IR of the model had f16 weights.
bool HasF16Weights(const format::Model& model);

Comparison Compare(const Array& is, const Array& must, const Tolerance& tolerance);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_COMPARISON_H_
