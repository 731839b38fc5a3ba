// SPDX-License-Identifier: Apache-2.0
// Operations of OpenVINO's opsets 1 to 16 that do not convert, by the words that exporters and
// frameworks have for them, and what to do about them where there is something to do.
#ifndef WEFT_CONVERTER_GRAPH_MISSING_H_
#define WEFT_CONVERTER_GRAPH_MISSING_H_

#include <span>
#include <string_view>

namespace weft::graph {

struct MissingOperation {
  std::string_view name;
  std::string_view words;   // of the model's source; empty where they are the name
  std::string_view reason;  // why it does not convert
  std::string_view must;    // the end of a fault's text
};

// Sorted by name.
std::span<const MissingOperation> MissingOperations();

// Null where there is nothing to say.
const MissingOperation* FindMissing(std::string_view name);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_MISSING_H_
