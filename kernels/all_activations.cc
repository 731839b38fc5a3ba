// SPDX-License-Identifier: Apache-2.0
// In an object file of its own: a caller links every group.
#include "kernels/activation.h"

namespace weft::kernels {

const char* const* AllActivations() {
  static constexpr const char* kAll[] = {
#define WEFT_ACTIVATIONS(group, Group) &weft_activations_##group,
#include "kernels/activations.inc"
#undef WEFT_ACTIVATIONS
  };
  return kAll;
}

}  // namespace weft::kernels
