// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/support/sum_order.h"

#include "converter/ops/support/movement.h"

namespace weft::ops {

program::ValueId Doubled(program::Builder& builder, program::ValueId x) {
  TensorType type = builder.value(x).type;
  const int64_t count = ElementCount(type.dims).value_or(0);
  type.dims.push_back(2);
  const program::ValueId doubled = builder.Scratch(type);
  EmitMovement(builder, x, doubled, {{Nest{{count}, {1}, {2}}}, {Nest{{2}, {0}, {1}}}});
  return doubled;
}

void TakeFirst(program::Builder& builder, program::ValueId doubled, program::ValueId y) {
  const int64_t count = ElementCount(builder.dims(y)).value_or(0);
  EmitMovement(builder, doubled, y, {{Nest{{count}, {2}, {1}}}});
}

}  // namespace weft::ops
