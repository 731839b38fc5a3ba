// SPDX-License-Identifier: Apache-2.0
// Names in the variants of terms.h.
#ifndef WEFT_CONVERTER_INSPECT_TERM_NAMES_H_
#define WEFT_CONVERTER_INSPECT_TERM_NAMES_H_

#include <string>

#include "runtime/format/listing.h"

namespace weft::inspect {

inline std::string TermName(format::ElementType type) { return format::EnumNameElementType(type); }
inline std::string TermName(const format::Activation& activation) {
  const std::string name = format::EnumNameUnaryOp(activation.op());
  return activation.clip() != 0 ? name + ".clip" : name;
}
inline std::string TermName(const format::CodeRange& codes) {
  return format::EnumNameResults(codes.results());
}

}  // namespace weft::inspect

#endif  // WEFT_CONVERTER_INSPECT_TERM_NAMES_H_
