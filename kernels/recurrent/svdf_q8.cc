// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/svdf_q8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/recurrent/svdf_q8.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "kernels/matrix/code_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Shifts the state of a row by one time step and computes the new one.
template <typename State>
HWY_INLINE void ShiftStates(const SvdfQ8Shape& shape, const int8_t* x, const int8_t* weights,
                            const int32_t* first, const State* state, State* next) {
  constexpr int32_t kMax = sizeof(State) == 1 ? 127 : 32767;
  CodeRow<int8_t> row(x, shape.inputs);
  const size_t filters = size_t{shape.units} * shape.rank, memory = shape.memory;
  const size_t panel = PackedDenseI8Bytes(kPanelOutputs, shape.inputs);
  const size_t at_once = row.MaxOutputs();
  for (size_t begin = 0; begin < filters; begin += at_once) {
    const size_t left = filters - begin, count = left < at_once ? left : at_once;
    row.Sum(weights, first + begin, count);
    for (size_t i = 0; i < count; ++i, state += memory, next += memory) {
      for (size_t m = 1; m < memory; ++m) next[m - 1] = state[m];
      const int32_t v = Rescaled(row.sums()[i], shape.of_x);
      next[memory - 1] = static_cast<State>(v > kMax ? kMax : v < -kMax - 1 ? -kMax - 1 : v);
    }
    weights += at_once / kPanelOutputs * panel;
  }
}

template <typename State>
HWY_INLINE void Run(const SvdfQ8Shape& shape, const int8_t* x, const int8_t* weights,
                    const State* time, const int32_t* numbers, const State* state, int8_t* y,
                    State* next) {
  const size_t filters = size_t{shape.units} * shape.rank;
  const size_t of_unit = size_t{shape.rank} * shape.memory, of_row = filters * shape.memory;
  for (size_t r = 0; r < shape.rows; ++r, state += of_row, next += of_row) {
    // The stride after the last row may have any value.
    if (of_row != 0)
      ShiftStates(shape, r == 0 ? x : x + r * shape.x_row_stride, weights, numbers, state, next);
    for (size_t unit = 0; unit < shape.units; ++unit) {
      const State *const a = time + unit * of_unit, *const b = next + unit * of_unit;
      auto sum = static_cast<uint32_t>(numbers[filters + unit]);
      for (size_t i = 0; i < of_unit; ++i) sum += static_cast<uint32_t>(int32_t{a[i]} * b[i]);
      const int32_t v = Rescaled(static_cast<int32_t>(sum), shape.of_state);
      *y++ = CodeOfInteger(v, shape.codes);
    }
  }
}

void SvdfOfShorts(const SvdfQ8Shape& shape, const int8_t* x, const int8_t* weights,
                  const int16_t* time, const int32_t* numbers, const int16_t* state, int8_t* y,
                  int16_t* state_next) {
  Run(shape, x, weights, time, numbers, state, y, state_next);
}
void SvdfOfBytes(const SvdfQ8Shape& shape, const int8_t* x, const int8_t* weights,
                 const int8_t* time, const int32_t* numbers, const int8_t* state, int8_t* y,
                 int8_t* state_next) {
  Run(shape, x, weights, time, numbers, state, y, state_next);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace weft::kernels {

HWY_EXPORT(SvdfOfShorts);
HWY_EXPORT(SvdfOfBytes);

void SvdfQ8(const SvdfQ8Shape& shape, const int8_t* x, const int8_t* weights, const int16_t* time,
            const int32_t* numbers, const int16_t* state, int8_t* y, int16_t* state_next) {
  HWY_DYNAMIC_DISPATCH(SvdfOfShorts)(shape, x, weights, time, numbers, state, y, state_next);
}
void SvdfQ8(const SvdfQ8Shape& shape, const int8_t* x, const int8_t* weights, const int8_t* time,
            const int32_t* numbers, const int8_t* state, int8_t* y, int8_t* state_next) {
  HWY_DYNAMIC_DISPATCH(SvdfOfBytes)(shape, x, weights, time, numbers, state, y, state_next);
}

}  // namespace weft::kernels
#endif  // HWY_ONCE
