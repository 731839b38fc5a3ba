// SPDX-License-Identifier: Apache-2.0
// In an object file of its own: a caller links every variant.
#include "kernels/variants.h"

namespace weft::kernels {

const char* const* AllVariants() {
  static constexpr const char* kAll[] = {
#define WEFT_VARIANT(name, ...) &weft_variant_##name,
#include "kernels/variants.inc"
#undef WEFT_VARIANT
  };
  return kAll;
}

}  // namespace weft::kernels
