// SPDX-License-Identifier: Apache-2.0
// Holds one array against another, element by element. Floats agree when |is - must| <= max(atol,
// rtol * |must|); NaN agrees with NaN and an infinity with itself alone. Integers and booleans
// agree exactly. Types and shapes must be equal before this is asked.
#ifndef WEFT_CONVERTER_CLI_COMPARISON_H_
#define WEFT_CONVERTER_CLI_COMPARISON_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "converter/cli/npy.h"

namespace weft::cli {

// What f16 weights of the IR do to a comparison with the framework's results.
inline constexpr const char* kF16Advice =
    ", which ovc makes of f32 unless --compress_to_fp16=False; rounded to 11 bits they may differ "
    "by 4.9e-4 of their values, and outputs by as much";

struct Tolerance {
  double relative = 1e-5, absolute = 1e-5;
};

struct Mismatch {
  Dims index;
  std::string is, must;
};

struct Comparison {
  int64_t count = 0;
  int64_t mismatch_count = 0;
  std::optional<Mismatch> first;
  double largest_difference = 0;  // of pairs of numbers; infinite where one of a pair is none
  Dims largest_index;             // where it is; empty while it is 0
  double signal = 0, noise = 0;   // sums of squares: of what must be, and of differences from it
};

// What is said of it: "equal, 3 elements, ...", "2 of 3 elements differ; first at [0]: is ...".
std::string ComparisonText(const Comparison& comparison);
// Of floats, how far their differences lie below them: "43.7 dB"; nullopt where nothing differs.
std::optional<double> SignalToNoise(const Comparison& comparison);
nlohmann::ordered_json ComparisonJson(const Comparison& comparison);

// Were weights f16 in the IR of that model?
bool HasF16Weights(const format::Model& model);

Comparison Compare(const Array& is, const Array& must, const Tolerance& tolerance);

}  // namespace weft::cli

#endif  // WEFT_CONVERTER_CLI_COMPARISON_H_
