// SPDX-License-Identifier: Apache-2.0
// Which type the weights of each layer become, so that the outputs' error stays below a bound and
// the file is small. What a choice costs is measured by the caller, who converts and runs the
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

namespace weft::plan {

// Names of types, by layer; other layers keep the type that changes no bit.
using LayerTypes = std::map<std::string, std::string>;

// Of the whole model: bytes of its file, and what its outputs lost against those of weights that
// are not rounded.
struct Measured {
  int64_t bytes = 0;
  double noise = 0;    // power, in parts of the signal's, of the output where that is greatest
  double largest = 0;  // difference of an element of an output
};
// Nullopt where a layer cannot have its type.
using Measure = std::function<std::optional<Measured>(const LayerTypes&)>;

// Every type of weights that may round, as PrecisionOf knows them. What rounds rows besides (i8x8)
// is none of them, for it saves no byte.
std::vector<std::string> NarrowTypes();
// "decoder=i8" of each.
std::vector<std::string> Spelled(const LayerTypes& types);

// Trials, which convert and run the model, that a choice makes at most. Two thirds of them measure
// layers; a layer for which none is left keeps its type.
inline constexpr int kMaxTypeTrials = 450;

// Each type of each layer is measured alone; what saves most bytes for its noise is taken first, as
// long as `largest` of all together is at most `most`, and what still fits is taken after that. The
// same measures give the same choice.
LayerTypes ChooseTypes(const std::vector<std::string>& layers, double most, const Measure& measure);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PROGRAM_CHOOSE_TYPES_H_
