// SPDX-License-Identifier: Apache-2.0
// Chooses the weight type of each layer so that the error of the outputs stays below a bound and
// the file is small. The caller measures the cost of each choice by converting and running the
// model.
#ifndef WEFT_CONVERTER_PROGRAM_CHOOSE_TYPES_H_
#define WEFT_CONVERTER_PROGRAM_CHOOSE_TYPES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::program {

// Names of types, by layer; other layers keep the type that leaves results bit-identical.
using LayerTypes = std::map<std::string, std::string>;

// Measures of the complete model: bytes of its file, and the error of its outputs compared with
// weights that are not rounded.
struct Measured {
  int64_t bytes = 0;
  double noise = 0;        // noise power relative to signal power, of the output with the maximum
  double float_noise = 0;  // the same, without integer outputs
  double largest = 0;      // largest absolute difference of an output element
};
// Returns true if the error of the outputs is small enough.
using Accepts = std::function<bool(const Measured&)>;
// Measures the model with these types; nullopt if a layer cannot have its type.
using Measure = std::function<std::optional<Measured>(const LayerTypes&)>;

// Returns every weight type that may round, by its name for PrecisionOf. Types that also round rows
// (i8x8) are left out, because they save no bytes.
std::vector<std::string> NarrowTypes();
// Returns "decoder=i8" for each entry.
std::vector<std::string> TextsOf(const LayerTypes& types);

// Maximum number of trials, each of which converts and runs the model. Two thirds of them measure
// layers; a layer without a remaining trial keeps its type.
inline constexpr int kMaxTypeTrials = 450;

// Measures each of the types for each layer separately. Takes types in order of bytes saved per
// noise while `accepts` is true for the combined choice. Then tries the remaining ones. The result
// depends only on the measurements.
LayerTypes ChooseTypes(const std::vector<std::string>& layers,
                       const std::vector<std::string>& types, const Accepts& accepts,
                       const Measure& measure);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_CHOOSE_TYPES_H_
