// SPDX-License-Identifier: Apache-2.0
// Keeps a variable as int8 codes if each value assigned to it, its initial value, and each read of
// it is quantised with the same parameters.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_VARIABLES_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_VARIABLES_H_

#include <vector>

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// Makes the reads of such variables codes. Returns their Assigns, for AssignCodes. To be called
// before other nodes are converted.
std::vector<ir::Node*> ReadCodes(QuantiseSite& site);
// Assigns codes. To be called after all other nodes are converted.
void AssignCodes(QuantiseSite& site, const std::vector<ir::Node*>& assigns);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_VARIABLES_H_
