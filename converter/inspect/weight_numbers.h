// SPDX-License-Identifier: Apache-2.0
// The weights of a layer's products as floats, in one order whatever their type and the step that
// reads them: so that those of two files of one model can be held against each other.
#ifndef WEFT_CONVERTER_INSPECT_WEIGHT_NUMBERS_H_
#define WEFT_CONVERTER_INSPECT_WEIGHT_NUMBERS_H_

#include <map>
#include <string>
#include <vector>

#include "runtime/format/listing.h"

namespace weft::inspect {

struct LayerConstants {
  int64_t bytes = 0;           // of all constants that its steps read
  std::string type;            // of its weights; empty without
  std::vector<float> numbers;  // its weights; empty where a kind of step is not known here
  // They are the weights times one factor, which the file does not have.
  bool has_own_unit = false;
};
// By layer, of a verified model. A constant of several layers counts for each.
std::map<std::string, LayerConstants> ConstantsByLayer(const format::Model& model);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_WEIGHT_NUMBERS_H_
