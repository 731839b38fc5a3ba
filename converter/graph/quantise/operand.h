// SPDX-License-Identifier: Apache-2.0
// Operands of int8 operations on two values.
#ifndef WEFT_CONVERTER_GRAPH_QUANTISE_OPERAND_H_
#define WEFT_CONVERTER_GRAPH_QUANTISE_OPERAND_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "converter/graph/quantise/site.h"

namespace weft::graph {

// A quantised value, or the codes of a constant.
struct Operand {
  QuantParams params;
  std::optional<std::vector<int64_t>> constant = std::nullopt;

  bool is_scalar() const { return constant && constant->size() == 1; }
};

// Constants have codes of `type`, and only if the arithmetic is by integers. Returns nullopt if the
// value is not quantised to `type`, or is a constant with several scales.
std::optional<Operand> OperandOf(const QuantiseSite& site, const ir::Source& source,
                                 ElementType type = ElementType::i8);
// The codes of the value `source`, of its type.
ir::Source CodesOfOperand(QuantiseSite& site, const ir::Source& source, const Operand& operand);

}  // namespace weft::graph

#endif  // WEFT_CONVERTER_GRAPH_QUANTISE_OPERAND_H_
