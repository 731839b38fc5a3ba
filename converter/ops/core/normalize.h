// SPDX-License-Identifier: Apache-2.0
// Attributes of normalisations that passes add to those of the specification.
#ifndef WEFT_CONVERTER_OPS_CORE_NORMALIZE_H_
#define WEFT_CONVERTER_OPS_CORE_NORMALIZE_H_

namespace weft::ops {

// Attribute of a NormalizeL2 that a pass created: the norm is the root of the mean of the squares,
// not of their sum (RMSNorm); eps_mode is "add".
inline constexpr const char* kOfMean = "of_mean";

}  // namespace weft::ops

#endif  // WEFT_CONVERTER_OPS_CORE_NORMALIZE_H_
