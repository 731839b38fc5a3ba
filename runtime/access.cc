// SPDX-License-Identifier: Apache-2.0
#include "runtime/access.h"

namespace weft {

StridedBytes AccessOf(const format::Model& model, const format::Step& step, uint32_t operand) {
  switch (static_cast<format::Kind>(step.kind())) {
#define WEFT_STEP(name, ...) \
  case format::Kind::name:   \
    return AccessOf(*model.name()->Get(step.param()), operand);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case format::Kind::section:
      break;
  }
  return {};
}

}  // namespace weft
