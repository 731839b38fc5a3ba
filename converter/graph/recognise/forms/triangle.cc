// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/forms/triangle.h"

#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

// Returns true if `fits(number, allowed)` holds for each element of every matrix of a constant
// [..., n, n].
template <typename Fits>
bool IsTriangle(ir::Source mask, const Fits& fits) {
  const Dims& dims = TypeOf(mask).dims;
  if (dims.size() < 2 || dims.back() != dims.end()[-2] || dims.back() < 2) return false;
  const ir::Constant* constant = ConstantOf(mask);
  if (constant == nullptr) return false;
  const auto size = static_cast<size_t>(dims.back()), count = static_cast<size_t>(CountIn(mask));
  for (size_t i = 0; i < count; ++i) {
    if (!fits(NumberAt(*constant, i), i % size <= i / size % size)) return false;
  }
  return count > 0;
}

}  // namespace

// Exporters write such numbers for minus infinity.
bool IsExcluded(double score) { return score <= -1e9; }

bool IsCausalAddend(ir::Source mask) {
  return TypeOf(mask).type == ElementType::f32 &&
         IsTriangle(mask, [](double number, bool is_allowed) {
           return is_allowed ? number == 0 : IsExcluded(number);
         });
}

bool IsCausalChoice(ir::Source flags, bool allowed) {
  return TypeOf(flags).type == ElementType::boolean &&
         IsTriangle(flags, [&](double flag, bool is_allowed) {
           return (flag != 0) == (is_allowed == allowed);
         });
}

}  // namespace weft::graph
