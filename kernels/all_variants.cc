// SPDX-License-Identifier: Apache-2.0
// AllVariants has a separate object file because its caller links every variant.
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
