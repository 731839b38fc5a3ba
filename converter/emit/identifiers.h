// SPDX-License-Identifier: Apache-2.0
// Converts names of models and ports to identifiers of C99 and C++17. The identifier depends only
// on the name, so it does not change when other parts of the model change:
//
//   my-net.v2   my_net_v2     each sequence of other characters becomes one "_"
//   _x, x_      x             no leading, trailing or double "_", which are reserved
//   modèle      mod_ue8_le    beyond ASCII: "u" and the number of the character
//   2fast       m2fast        no leading digit
//   (nothing)   m
//   class       m_class       a reserved word of C, C++ or the C library; also weft_x
#ifndef WEFT_CONVERTER_EMIT_IDENTIFIERS_H_
#define WEFT_CONVERTER_EMIT_IDENTIFIERS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::emit {

// Returns a part of a longer identifier: all rules above except the last one.
std::string IdentifierPart(std::string_view text);
// Returns a complete identifier, which may be the name of a namespace.
std::string Identifier(std::string_view text);
// ASCII letters only.
std::string Upper(std::string text);

// Returns unique upper-case parts for the inputs or the outputs. If several ports have the same
// name,
// "_" and the index are appended to the later ones, repeatedly until the part is unique.
std::vector<std::string> PortConstants(std::span<const std::string> port_names);

// Returns true for words that programs must not use as names.
bool IsReservedWord(std::string_view word);

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_IDENTIFIERS_H_
