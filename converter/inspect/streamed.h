// SPDX-License-Identifier: Apache-2.0
// The streaming note of a file: facts of the full model that `weft convert --streaming` converted.
// Engines do not read it, so verify.cc does not check it; its rules are here, and FileFaults of
// file_rules.h checks them.
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

// Returns one line for each rule of FORMAT.md that the note breaks; empty if the file has no note.
// The complete table must have passed FlatBuffers' verifier, as in FileFaults.
std::vector<std::string> StreamNoteFaults(const format::Model& model);

// Returns nullopt if there is no note or it breaks a rule. Same precondition as StreamNoteFaults.
std::optional<StreamNote> StreamNoteOf(const format::Model& model);

// Total size of all variables, without gaps between them.
uint64_t VariableBytesOf(const format::Model& model);

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_STREAMED_H_
