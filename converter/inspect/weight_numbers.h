// SPDX-License-Identifier: Apache-2.0
// The weights of a layer as floats, in an order that does not depend on their type and step, so
// that the weights of two files of one model can be compared.
#ifndef WEFT_CONVERTER_INSPECT_WEIGHT_NUMBERS_H_
#define WEFT_CONVERTER_INSPECT_WEIGHT_NUMBERS_H_

#include <map>
#include <string>
#include <vector>

#include "runtime/format/listing.h"

namespace weft::inspect {

struct LayerConstants {
  int64_t bytes = 0;           // total size of the constants that its steps read
  std::string type;            // of its weights; empty if it has none
  std::vector<float> numbers;  // its weights; empty for unsupported kinds of steps
  // True if `numbers` are the weights times an unknown factor.
  bool has_own_unit = false;
};
// Returns constants by layer. A constant of several layers counts for each. The model must have
// passed verify.cc.
std::map<std::string, LayerConstants> ConstantsByLayer(const format::Model& model);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_WEIGHT_NUMBERS_H_
