// SPDX-License-Identifier: Apache-2.0
// Names of models and ports as identifiers that C99 and C++17 take. A name depends on its text
// alone, so that it stays when other things of the model change:
//
//   my-net.v2   my_net_v2     every run of what is no letter or digit is one "_"
//   _x, x_      x             none at either end: leading ones and double ones are reserved
//   modèle      mod_ue8_le    beyond ASCII: "u" and the number of the character
//   2fast       m2fast        no digit at the front
//   (nothing)   m
//   class       m_class       a word that C, C++ or the C library has; so has weft_x
#ifndef WEFT_CONVERTER_EMIT_IDENTIFIERS_H_
#define WEFT_CONVERTER_EMIT_IDENTIFIERS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::emit {

// As part of a longer identifier: all but the last row above.
std::string IdentifierPart(std::string_view text);
// As an identifier and a namespace of its own.
std::string Identifier(std::string_view text);
// ASCII letters only.
std::string Upper(std::string text);

// Upper-case parts for the ports of one side, all different: the first port of a name has it, each
// later one gets "_" and its index behind it, again where that is another port's.
std::vector<std::string> PortConstants(std::span<const std::string> port_names);

// True for a word that no program may name something of its own.
bool IsReservedWord(std::string_view word);

}  // namespace weft::emit

#endif  // WEFT_CONVERTER_EMIT_IDENTIFIERS_H_
