// SPDX-License-Identifier: Apache-2.0
// The bytes of the maps that a step with a window reads and writes, derived from its parameters.
#ifndef WEFT_RUNTIME_MAP_ACCESS_H_
#define WEFT_RUNTIME_MAP_ACCESS_H_

#include <cstdint>

#include "runtime/strided_bytes.h"

namespace weft {

inline constexpr int64_t kF32Bits = 32;

inline StridedBytes Mapped(const format::MapStrides& strides, int64_t images, int64_t height,
                           int64_t width, int64_t channels, int64_t bits) {
  return Strided(bits, 0,
                 {{images, strides.image()},
                  {height, strides.row()},
                  {width, strides.pixel()},
                  {channels, strides.channel()}});
}

// Return the bytes of the maps that a step with a window reads and writes.
template <typename Params>
StridedBytes InputMap(const Params& p, int64_t channels, int64_t bits = kF32Bits) {
  return Mapped(p.x(), p.batch(), p.in_height(), p.in_width(), channels, bits);
}
template <typename Params>
StridedBytes OutputMap(const Params& p, int64_t channels, int64_t bits = kF32Bits) {
  return Mapped(p.y(), p.batch(), p.out_height(), p.out_width(), channels, bits);
}
template <typename Params>
int64_t InputsOfGroups(const Params& p) {
  return int64_t{p.groups()} * p.in_channels();
}
template <typename Params>
int64_t OutputsOfGroups(const Params& p) {
  return int64_t{p.groups()} * p.out_channels();
}

}  // namespace weft

#endif  // WEFT_RUNTIME_MAP_ACCESS_H_
