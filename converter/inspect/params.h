// SPDX-License-Identifier: Apache-2.0
// A step's parameters as text, by the reflection that flatc writes: weft.fbs is the only list of
// fields.
#ifndef WEFT_CONVERTER_INSPECT_PARAMS_H_
#define WEFT_CONVERTER_INSPECT_PARAMS_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/format/listing.h"

namespace weft::inspect {

// "i8x8" of products whose rows of data become integers of 8 bits, too, as --precision calls them;
// "i8" of those whose become integers of 16 or are some; empty of other steps.
std::string PrecisionText(const format::Model& model, const format::Step& step);

// Fields by name, enums by theirs, arrays cut to the rank, reserved fields left out; "precision"
// where there is such a text. Null of a section.
nlohmann::ordered_json ParamsJson(const format::Model& model, const format::Step& step);
// "rows=1 inputs=64 activation(op=relu)"
std::string ParamsText(const nlohmann::ordered_json& params);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_PARAMS_H_
