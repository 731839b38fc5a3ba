// SPDX-License-Identifier: Apache-2.0
// Optional parts of kernels, which a program may omit: one per row of variants.inc.
#ifndef WEFT_KERNELS_VARIANTS_H_
#define WEFT_KERNELS_VARIANTS_H_

#include <cstdint>

namespace weft::kernels {

// One enumerator per row of variants.inc.
enum class Variant : uint8_t {
#define WEFT_VARIANT(name, Name, ...) k##Name,
#include "kernels/variants.inc"
#undef WEFT_VARIANT
};

// The name of the row in variants.inc.
constexpr const char* NameOf(Variant variant) {
  constexpr const char* kNames[] = {
#define WEFT_VARIANT(name, ...) #name,
#include "kernels/variants.inc"
#undef WEFT_VARIANT
  };
  return kNames[static_cast<uint8_t>(variant)];
}

// Returns false if this program was linked without the variant, whose functions must not be called
// then. A separate function per variant, so that a program references only those its steps may
// call.
template <Variant variant>
bool IsLinked();
#define WEFT_VARIANT(name, Name, ...) \
  template <>                         \
  bool IsLinked<Variant::k##Name>();
#include "kernels/variants.inc"
#undef WEFT_VARIANT

// Returns a table that references every variant, so that a program that calls AllVariants links
// all.
const char* const* AllVariants();

}  // namespace weft::kernels

extern "C" {  // the converter writes these names into C sources
#define WEFT_VARIANT(name, ...) extern const char weft_variant_##name;
#include "kernels/variants.inc"
#undef WEFT_VARIANT
}

#endif  // WEFT_KERNELS_VARIANTS_H_
