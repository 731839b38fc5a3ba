// SPDX-License-Identifier: Apache-2.0
// The parts of kernels that a program may leave out: one per row of variants.inc.
#ifndef WEFT_KERNELS_VARIANTS_H_
#define WEFT_KERNELS_VARIANTS_H_

#include <cstdint>

#include "kernels/elementwise/activation.h"

namespace weft::kernels {

enum class Variant : uint8_t {
#define WEFT_VARIANT(name, Name, ...) k##Name,
#include "kernels/variants.inc"
#undef WEFT_VARIANT
};

constexpr const char* NameOf(Variant variant) {
  constexpr const char* kNames[] = {
#define WEFT_VARIANT(name, ...) #name,
#include "kernels/variants.inc"
#undef WEFT_VARIANT
  };
  return kNames[static_cast<uint8_t>(variant)];
}

// False where this program was linked without it; what it holds must not be called then.
// One function for each, so that a program asks only for those that its steps may call.
template <Variant variant>
bool IsLinked();
#define WEFT_VARIANT(name, Name, ...) \
  template <>                         \
  bool IsLinked<Variant::k##Name>();
#include "kernels/variants.inc"
#undef WEFT_VARIANT

// Names every variant, so that a program that calls it has them all.
const char* const* AllVariants();

}  // namespace weft::kernels

extern "C" {  // the converter writes these names into C sources
#define WEFT_VARIANT(name, ...) extern const char weft_variant_##name;
#include "kernels/variants.inc"
#undef WEFT_VARIANT
}

#endif  // WEFT_KERNELS_VARIANTS_H_
