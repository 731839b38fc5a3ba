// SPDX-License-Identifier: Apache-2.0
// What a file says of the whole model that `weft convert --streaming` has cut it from, and how its
// state is laid out. No engine reads any of it, so no rule of verify.cc guards it: the rules are here.
#ifndef WEFT_CONVERTER_INSPECT_STREAMED_H_
#define WEFT_CONVERTER_INSPECT_STREAMED_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft::inspect {

struct StreamNote {
  format::Streaming row;
  std::vector<format::StreamedPort> ports;  // the inputs, then the outputs
};

// The file must have passed verify.cc. One line for each broken rule of FORMAT.md; none where the
// file has no such note.
std::vector<std::string> StreamNoteFaults(Bytes file);

// Nullopt where there is none, or a rule is broken.
std::optional<StreamNote> StreamNoteOf(Bytes file);

// A hash of the variables: of each its place in the state, its type, dims and name. Files that were
// converted from one model and agree in it go on with each other's state bytes. 0 without variables.
uint64_t StateLayoutOf(const format::Model& model);

// Of all variables, without what lies between them.
uint64_t VariableBytesOf(const format::Model& model);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_STREAMED_H_
