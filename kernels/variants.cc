// SPDX-License-Identifier: Apache-2.0
// The only references to variants that link none of them: weak ones, null where a variant is absent.
#include "kernels/variants.h"

extern "C" {
#define WEFT_VARIANT(name, ...) extern const char weft_variant_##name __attribute__((weak));
#include "kernels/variants.inc"
#undef WEFT_VARIANT
}

namespace weft::kernels {

bool IsLinked(Variant variant) {
  static constexpr const char* kVariants[] = {
#define WEFT_VARIANT(name, ...) &weft_variant_##name,
#include "kernels/variants.inc"
#undef WEFT_VARIANT
  };
  return kVariants[static_cast<uint8_t>(variant)] != nullptr;
}

static_assert(static_cast<uint8_t>(Variant::kActivationRounding) + 1 ==
                  static_cast<uint8_t>(ActivationGroup::kRounding),
              "variants and groups of activations are numbered alike");

bool IsLinked(UnaryOp op) {
  const ActivationGroup group = GroupOf(op);
  if (group == ActivationGroup::kLinear) return true;
  return IsLinked(static_cast<Variant>(static_cast<uint8_t>(group) - 1));
}

}  // namespace weft::kernels
