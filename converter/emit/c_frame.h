// SPDX-License-Identifier: Apache-2.0
// The frame around the models of a C source: first comments, guards and includes, and what the
// models of one program share.
#ifndef WEFT_CONVERTER_EMIT_C_FRAME_H_
#define WEFT_CONVERTER_EMIT_C_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft::emit {

// The parts of one model: declarations of C, declarations of C++, and definitions.
struct Parts {
  std::string c, cpp, source;
};

// The command that wrote a source, the verb of its comment, and the files it was written from.
// `mark` is MarkOf the conversion: two headers with the same names, and a header and a source of
// two conversions, do not compile together.
struct Origin {
  std::string command, verb, from;
  uint32_t mark = 0;
};

// A hash of the stem, the declarations and the model files. It does not depend on folders.
uint32_t MarkOf(std::string_view stem, const Parts& parts,
                std::span<const std::span<const std::byte>> models);

// Return the complete header and source. `stem` is the name of their files.
std::string HeaderOf(const std::string& stem, const Origin& origin, const Parts& parts);
std::string SourceOf(const std::string& stem, const Origin& origin, const std::string& body);

// Returns the declaration of the array with this identifier, whose size is a constant:
// unsigned char front_state[(FRONT_STATE_BYTES > 0) ? FRONT_STATE_BYTES : 1]
std::string Declaration(std::string_view identifier);
// Returns the C++ type of a memory block. C++ has no arrays of size 0, so it has at least one byte.
std::string MemoryType(std::string_view type, uint32_t bytes);

// A model of a program of several models.
struct ProgramModel {
  std::string name;  // identifier
  uint32_t scratch_bytes;
};

// Encloses the parts of all models in those of the program: the shared scratch before them, and
// the engines after them.
Parts ProgramParts(const std::string& program, std::span<const ProgramModel> models,
                   const Parts& parts);

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_C_FRAME_H_
