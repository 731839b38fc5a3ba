// SPDX-License-Identifier: Apache-2.0
// The steps of a model, one line each, as `weft inspect --listing` prints them.
#ifndef WEFT_CONVERTER_INSPECT_LISTING_H_
#define WEFT_CONVERTER_INSPECT_LISTING_H_

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "runtime/format/listing.h"

namespace weft::inspect {

//   12  dense "lstm"  #4 f32[1,64] scratch+128, #5 f32[64,256] weights+0, - -> #6 ...  rows=1
//   inputs=64 ...
std::string ListingText(const format::Model& model);
// The listing as JSON, with the maximum number of executions of each step in one run and their
// multiply-adds.
nlohmann::ordered_json ListingJson(const format::Model& model);

// "weights", "state", "scratch", "scratch1".
std::string RegionName(uint32_t region);
// Type of a slot: "f32[1,64]".
std::string SlotType(const format::Model& model, uint32_t slot);
// Address of a slot: "scratch+128", with "+512/iteration of section 0" if it moves.
std::string SlotAddress(const format::Model& model, uint32_t slot);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_LISTING_H_
