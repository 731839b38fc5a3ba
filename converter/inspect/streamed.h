// SPDX-License-Identifier: Apache-2.0
// What a file says of the whole model that `weft convert --streaming` has cut it from, and how its
// state is laid out. No engine reads any of it, so no rule of verify.cc guards it: the rules are
// here, and FileFaults of file_rules.h checks them together with all others.
#ifndef WEFT_CONVERTER_INSPECT_STREAMED_H_
#define WEFT_CONVERTER_INSPECT_STREAMED_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/format/listing.h"

namespace weft::inspect {

struct StreamNote {
  format::Streaming row;
  std::vector<format::StreamedPort> ports;  // the inputs, then the outputs
};

// Returns one line for each rule of FORMAT.md that the note breaks; none where the file has no
// note. The complete table must have passed FlatBuffers' verifier, as in FileFaults.
std::vector<std::string> StreamNoteFaults(const format::Model& model);

// Returns nullopt where there is no note or it breaks a rule. Requires what StreamNoteFaults does.
std::optional<StreamNote> StreamNoteOf(const format::Model& model);

// Of all variables, without what lies between them.
uint64_t VariableBytesOf(const format::Model& model);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_STREAMED_H_
