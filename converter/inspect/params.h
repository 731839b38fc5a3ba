// SPDX-License-Identifier: Apache-2.0
// A step's parameters as text. The fields come from flatc's reflection, so weft.fbs is their only
// list.
#ifndef WEFT_CONVERTER_INSPECT_PARAMS_H_
#define WEFT_CONVERTER_INSPECT_PARAMS_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/format/listing.h"

namespace weft::inspect {

// The precision of a product with integer weights, as in --precision: "i8x8" if its data is
// quantised to 8 bits, "i8" if it is quantised to 16 bits or already is integer. Empty for other
// steps.
std::string PrecisionText(const format::Model& model, const format::Step& step);

// Returns the fields by name, enums by name, arrays with as many entries as the rank, without
// reserved fields; with "precision" if PrecisionText is not empty. Returns null for a section.
nlohmann::ordered_json ParamsJson(const format::Model& model, const format::Step& step);
// "rows=1 inputs=64 activation(op=relu)"
std::string ParamsText(const nlohmann::ordered_json& params);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_PARAMS_H_
