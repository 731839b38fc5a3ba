// SPDX-License-Identifier: Apache-2.0
// The maps that a step with a window reads and writes, from its parameters.
#ifndef WEFT_CONVERTER_PLAN_MAP_ACCESS_H_
#define WEFT_CONVERTER_PLAN_MAP_ACCESS_H_

#include <cstdint>

#include "converter/plan/access.h"

namespace weft::plan {

inline constexpr int64_t kF32Bits = 32;

inline StridedBytes Mapped(const format::MapStrides& strides, int64_t images, int64_t height,
                           int64_t width, int64_t channels, int64_t bits) {
  return Strided(bits, 0,
                 {{images, strides.image()},
                  {height, strides.row()},
                  {width, strides.pixel()},
                  {channels, strides.channel()}});
}

template <typename Params>
StridedBytes InputMap(const Params& p, int64_t bits = kF32Bits) {
  int64_t channels = 0;
  if constexpr (requires { p.channels(); }) channels = p.channels();
  if constexpr (requires { p.groups(); }) channels = int64_t{p.groups()} * p.in_channels();
  if constexpr (requires { p.multiplier(); }) channels /= p.multiplier();
  return Mapped(p.x(), p.batch(), p.in_height(), p.in_width(), channels, bits);
}

template <typename Params>
StridedBytes OutputMap(const Params& p, int64_t bits = kF32Bits) {
  int64_t channels = 0;
  if constexpr (requires { p.channels(); }) channels = p.channels();
  if constexpr (requires { p.groups(); }) channels = int64_t{p.groups()} * p.out_channels();
  return Mapped(p.y(), p.batch(), p.out_height(), p.out_width(), channels, bits);
}

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_MAP_ACCESS_H_
