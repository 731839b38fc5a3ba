// SPDX-License-Identifier: Apache-2.0
// Unsupported operations of OpenVINO's opsets 1 to 16, with the names that exporters and frameworks
// use for them, and a workaround if there is one.
#ifndef WEFT_CONVERTER_GRAPH_MISSING_H_
#define WEFT_CONVERTER_GRAPH_MISSING_H_

#include <span>
#include <string_view>

namespace weft::graph {

struct MissingOperation {
  std::string_view name;
  std::string_view words;   // name in the source framework; empty if it equals `name`
  std::string_view reason;  // why it does not convert
  std::string_view must;    // last part of the message: what to do instead
};

// Sorted by name.
std::span<const MissingOperation> MissingOperations();

// Returns null if the table has no entry.
const MissingOperation* FindMissing(std::string_view name);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_MISSING_H_
