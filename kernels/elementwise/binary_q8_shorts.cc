// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/binary_q8_shorts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/binary_q8_shorts.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/elementwise/integer_pair-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

HWY_INLINE ints::Vec LoadLine(const CodeLine<int16_t>& line, size_t i, size_t lanes) {
  int16_t block[ints::kLanes] = {};
  return ints::Load(line.From(i, lanes, block), lanes);
}

void BinaryQ8Shorts(const BinaryQ8Shape& shape, const int16_t* a, const int16_t* b, int16_t* y) {
  const IntegerPair<BinaryOp, kShortSumFraction, kShortSquareFraction> pair = {
      shape.op, ints::Rescaler(shape.a_multiplier), ints::Rescaler(shape.b_multiplier),
      ints::Rescaler(shape.multiplier)};
  const auto line = [&](const CodeLine<int16_t>& of_a, const CodeLine<int16_t>& of_b, size_t count,
                        int16_t* to) HWY_ATTR {
    ints::ForVectors(count, [&](size_t i, size_t lanes) HWY_ATTR {
      const ints::Vec v = pair(LoadLine(of_a, i, lanes), LoadLine(of_b, i, lanes));
      ints::Store(ints::LimitedTo<16>(v), to + i, lanes);
    });
  };
  ForLines(shape, a, b, y, line);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(BinaryQ8Shorts);

void BinaryQ8Shorts(const BinaryQ8Shape& shape, const int16_t* a, const int16_t* b, int16_t* y) {
  if (IsEmpty(shape.dims, shape.rank)) return;
  HWY_DYNAMIC_DISPATCH(BinaryQ8Shorts)(shape, a, b, y);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
