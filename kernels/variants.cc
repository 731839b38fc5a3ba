// SPDX-License-Identifier: Apache-2.0
// The only references to variants that do not link them: weak symbols, null if a variant is absent.
#include "kernels/variants.h"

#include "kernels/elementwise/activation.h"

extern "C" {
#define WEFT_VARIANT(name, ...) extern const char weft_variant_##name __attribute__((weak));
#include "kernels/variants.inc"
#undef WEFT_VARIANT
}

namespace weft::kernels {

#define WEFT_VARIANT(name, Name, ...)       \
  template <>                               \
  bool IsLinked<Variant::k##Name>() {       \
    return &weft_variant_##name != nullptr; \
  }
#include "kernels/variants.inc"
#undef WEFT_VARIANT

static_assert(static_cast<uint8_t>(Variant::kActivationRounding) + 1 ==
                  static_cast<uint8_t>(ActivationGroup::kRounding),
              "variants and activation groups must have the same order");

bool IsLinked(UnaryOp op) {
  static constexpr const char* kGroups[] = {
#define WEFT_ACTIVATIONS(group, Group) &weft_variant_activation_##group,
#include "kernels/variants.inc"
#undef WEFT_ACTIVATIONS
  };
  const ActivationGroup group = GroupOf(op);
  if (group == ActivationGroup::kLinear) return true;
  return kGroups[static_cast<uint8_t>(group) - 1] != nullptr;
}

}  // namespace weft::kernels
