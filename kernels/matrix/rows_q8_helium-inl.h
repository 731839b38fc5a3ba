// SPDX-License-Identifier: Apache-2.0
// Quantised rows on Cortex-M with Helium. Eight accumulators stay in the eight even core registers
// from the initial sum to requantisation: four outputs of two rows, which share each load of
// weights, or eight outputs of one row. Instructions per multiply-add: 0.125 and 0.137; per output:
// 3.6 and 4.4.

#if defined(WEFT_KERNELS_MATRIX_ROWS_Q8_HELIUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_ROWS_Q8_HELIUM_INL_H_
#undef WEFT_KERNELS_MATRIX_ROWS_Q8_HELIUM_INL_H_
#else
#define WEFT_KERNELS_MATRIX_ROWS_Q8_HELIUM_INL_H_
#endif

#include <cstddef>

#include "kernels/matrix/outputs_q8_helium-inl.h"
#include "kernels/matrix/results_q8-inl.h"
#include "kernels/matrix/sum_panel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// Number of rows that share weights.
inline constexpr size_t kRowsQ8 = 2;

// Bounds of floats, or of integers, whose bits are then those of low and high.
template <bool kByIntegers>
HWY_INLINE CodeBounds RowBoundsOf(const ResultWriter& results) {
  if constexpr (!kByIntegers) return results.bounds();
  const CodeRange& codes = results.results().codes;
  const int32_t low = codes.low - codes.zero, high = codes.high - codes.zero;
  CodeBounds bounds = {0, 0, codes.zero};
  __builtin_memcpy(&bounds.low, &low, sizeof low);
  __builtin_memcpy(&bounds.high, &high, sizeof high);
  return bounds;
}

// Returns the address of the first result of row `row`; outputs are contiguous.
HWY_INLINE int8_t* ResultsOfRow(const RowsQ8& at, size_t row) {
  const size_t size = at.results.is_float() ? sizeof(float) : sizeof(int8_t);
  return static_cast<int8_t*>(at.y) + (at.position + row * at.y_stride) * size;
}

// Pairs of rows from `row` on, the first of which is x: `outputs` outputs from `begin` on, which
// begins a panel. Panels are complete, or one panel has a multiple of four outputs, at least 8; it
// may be narrow if results are kCodes or kIntegerCodes. The start is the same for all rows.
template <RowResults results>
HWY_NOINLINE void RunPairs(const RowsQ8& at, const int8_t* x, size_t row, size_t count,
                           size_t begin, size_t outputs) {
  constexpr size_t kSize = results == RowResults::kFloats ? sizeof(float) : sizeof(int8_t);
  constexpr bool kMayBeNarrow =
      results == RowResults::kCodes || results == RowResults::kIntegerCodes;
  const bool is_narrow = kMayBeNarrow && outputs == kPanelOutputs / 2;
  const CodeBounds bounds = RowBoundsOf<(results > RowResults::kCodes)>(at.results);
  const FactorsQ8 of = After(at.factors, begin);
  const size_t padded = (at.inputs + kInputBlock - 1) & ~size_t{kInputBlock - 1};
  PairsOfRows pairs;
  pairs.x = x;
  pairs.scales = of.scales;
  pairs.other = x + at.x_stride;
  pairs.weights = at.weights + begin * padded;
  pairs.y = ResultsOfRow(at, row) + begin * kSize;
  pairs.low = bounds.low;
  pairs.high = bounds.high;
  pairs.zero = bounds.zero;
  pairs.y_step = at.y_stride * kSize;
  pairs.x_step = 2 * at.x_stride - padded;
  pairs.weight_bytes = padded * (is_narrow ? kPanelOutputs / 2 : kPanelOutputs);
  pairs.to_panel = pairs.weight_bytes - kInputBlock * kPanelOutputs;  // a narrow panel has no next
  pairs.y_end = pairs.y + 2 * count * pairs.y_step - 4 * kSize;
  pairs.blocks = padded / kInputBlock;
  // If there is no first or no start, one panel at a time, with zeros.
  const bool has_all = of.first != nullptr && of.start != nullptr;
  const size_t step = has_all || outputs < kPanelOutputs ? outputs : kPanelOutputs;
  for (size_t n = 0; n < outputs; n += step) {
    pairs.first = of.first == nullptr ? kNoFirst : of.first + n;
    pairs.start = of.start == nullptr ? kNoStart : of.start + n;
    pairs.groups = step / 4;
    if (is_narrow) {
      OutputsOfPairs<results, kMayBeNarrow>(pairs);
    } else {
      OutputsOfPairs<results, false>(pairs);
    }
  }
}

// Returns the number of rows, an even one, that RunPairs supports. It reads elements after a row up
// to a complete block, which must be within the last row.
HWY_INLINE size_t PairedRows(const RowsQ8& at, size_t count) {
  if (count < 2 || (at.factors.start != nullptr && at.start_stride != 0)) return 0;
  const size_t over = (kInputBlock - at.inputs % kInputBlock) % kInputBlock;
  size_t last = 0;  // rows whose blocks end after the last row
  if (over != 0) last = at.x_stride == 0 ? count : (over + at.x_stride - 1) / at.x_stride;
  return last < count ? (count - last) / 2 * 2 : 0;
}

// `outputs` outputs of one row, complete panels. If there is no first or no start, one panel at a
// time, with zeros. Without x, the results of first alone, a multiple of eight. `are_fast` is only
// given for integers: true if ShiftRight is.
template <bool kByIntegers, typename... AreFast>
HWY_NOINLINE void RunRow(const RowsQ8& at, const int8_t* x, const int8_t* weights,
                         const FactorsQ8& of, size_t outputs, int8_t* y, AreFast... are_fast) {
  const CodeBounds bounds = RowBoundsOf<kByIntegers>(at.results);
  const bool is_float = !kByIntegers && at.results.is_float();
  const bool has_all = of.first != nullptr && of.start != nullptr;
  // If there are no inputs, the weights are one block and multiplied by zeros.
  const size_t inputs = x == nullptr ? 0 : at.inputs;
  const size_t blocks = inputs == 0 ? 1 : (inputs + kInputBlock - 1) / kInputBlock;
  const size_t panel_bytes = blocks * kInputBlock * kPanelOutputs;
  const size_t step = has_all ? outputs : kPanelOutputs;
  const size_t rest = inputs % (4 * kInputBlock), fours = inputs - rest;
  GroupsOfRow groups;
  groups.zero = kByIntegers ? bounds.zero : 2 * bounds.zero + is_float;
  groups.x = x;
  groups.to_group = 8 * kInputBlock - panel_bytes;
  groups.to_panel = size_t{0} - 8 * kInputBlock;
  groups.fours = static_cast<int32_t>(rest == 0 && fours != 0 ? fours : fours - 1);
  groups.weights = weights;
  groups.y = y;
  groups.rest = rest;
  groups.low = bounds.low;
  groups.high = bounds.high;
  groups.first = of.first == nullptr ? kNoFirst : of.first;
  groups.scales = of.scales;
  const float* start = of.start == nullptr ? kNoStart : of.start;
  const size_t first_step = of.first == nullptr ? 0 : step;
  const size_t start_step = of.start == nullptr ? 0 : step;
  const size_t bytes = is_float ? step * sizeof(float) : step;
  for (size_t n = 0; n < outputs; n += step) {
    groups.to_start = reinterpret_cast<intptr_t>(start) - reinterpret_cast<intptr_t>(groups.scales);
    groups.y_end = groups.y + bytes;
    constexpr auto kFast = kByIntegers ? RowResults::kIntegerCodes : RowResults::kCodes;
    if (!OutputsOfGroups<kFast>(groups) && !(are_fast || ...)) {
      groups.rest = inputs;
      OutputsOfGroups<RowResults::kShiftedCodes>(groups);
      groups.rest = rest;
    }
    groups.first += first_step;
    start += start_step;
    groups.scales += step;
    groups.weights += panel_bytes;
    groups.y = groups.y_end;
  }
}

// Buffers for a panel that has strided results, fewer outputs or no inputs. The sums of a narrow
// panel are added to `first`.
struct TailPanel {
  int32_t first[kPanelOutputs];
  float scales[kPanelOutputs], start[kPanelOutputs];
  float results[kPanelOutputs];  // or quantised values
};

template <bool kByIntegers>
HWY_NOINLINE void RunPanel(const RowsQ8& at, const int8_t* x, const int8_t* weights,
                           const FactorsQ8& of, size_t outputs, size_t position) {
  TailPanel panel;
  constexpr float kNoFactor = kByIntegers ? -1.0f : 0.0f;  // as an exponent also negative
  for (size_t i = 0; i < kPanelOutputs; ++i) {
    const bool is_output = i < outputs;
    panel.first[i] = is_output && of.first != nullptr ? of.first[i] : 0;
    panel.scales[i] = is_output ? of.scales[i] : 0.0f;
    panel.start[i] = is_output && of.start != nullptr ? of.start[i] : kNoFactor;
  }
  const size_t width = PanelWidth(outputs);
  const bool is_narrow = width != kPanelOutputs;
  if (is_narrow) {
    int32_t sums[kPanelOutputs / 2] = {};
    SumNarrow(x, at.inputs, weights, width, sums);
    for (size_t i = 0; i < kPanelOutputs / 2; ++i) {
      panel.first[i] = WrappingAdd(panel.first[i], sums[i]);
    }
    x = nullptr;
  }
  auto* const results = reinterpret_cast<int8_t*>(panel.results);
  // Any data, of one block.
  if (is_narrow || at.inputs == 0) weights = reinterpret_cast<const int8_t*>(&panel);
  const FactorsQ8 factors = {panel.scales, panel.first, panel.start};
  const size_t count = is_narrow ? kPanelOutputs / 2 : kPanelOutputs;
  if constexpr (kByIntegers) {
    RunRow<true>(at, x, weights, factors, count, results, /*are_fast=*/false);
  } else {
    RunRow<false>(at, x, weights, factors, count, results);
  }
  if (at.results.is_float()) {
    at.results.Activate(panel.results, outputs);
    Scatter(panel.results, outputs, static_cast<float*>(at.y) + position, at.y_output_stride);
  } else {
    Scatter(results, outputs, static_cast<int8_t*>(at.y) + position, at.y_output_stride);
  }
}

// `outputs` contiguous outputs, complete panels; `done` rows are paired.
template <bool kByIntegers>
HWY_INLINE void RunCompletePanels(const RowsQ8& at, const int8_t* x, size_t row, size_t count,
                                  size_t done, size_t outputs) {
  bool are_fast = false;  // or unknown
  if (done != 0) {
    auto pairs =
        at.results.is_float() ? RunPairs<RowResults::kFloats> : RunPairs<RowResults::kCodes>;
    if constexpr (kByIntegers) {
      are_fast = ShiftRight(at.factors, outputs);
      pairs = are_fast ? RunPairs<RowResults::kIntegerCodes> : RunPairs<RowResults::kShiftedCodes>;
    }
    pairs(at, x, row, done / 2, 0, outputs);
  }
  FactorsQ8 of = at.factors;
  for (size_t r = done; r < count; ++r) {
    if (of.start != nullptr) of.start = at.factors.start + (row + r) * at.start_stride;
    const int8_t* const from = x + r * at.x_stride;
    if constexpr (kByIntegers) {
      RunRow<true>(at, from, at.weights, of, outputs, ResultsOfRow(at, row + r), are_fast);
    } else {
      RunRow<false>(at, from, at.weights, of, outputs, ResultsOfRow(at, row + r));
    }
  }
  if (!at.results.is_float()) return;
  for (size_t r = 0; r < count; ++r) {
    at.results.Activate(reinterpret_cast<float*>(ResultsOfRow(at, row + r)), outputs);
  }
}

// The codes of the last panel, from output `begin` on, for `done` paired rows. Returns false,
// without writing, if the panel is 4 outputs wide, has other results or an incomplete group of four
// outputs.
template <bool kByIntegers>
HWY_INLINE bool RunLastPanel(const RowsQ8& at, const int8_t* x, size_t row, size_t done,
                             size_t begin) {
  const size_t outputs = at.outputs - begin;
  if (done == 0 || outputs % 4 != 0 || outputs == 4 || at.results.is_float()) return false;
  if constexpr (kByIntegers) {
    if (!ShiftRight(After(at.factors, begin), outputs)) return false;
  }
  constexpr auto kCodes = kByIntegers ? RowResults::kIntegerCodes : RowResults::kCodes;
  RunPairs<kCodes>(at, x, row, done / 2, begin, outputs);
  return true;
}

template <bool kByIntegers>
HWY_INLINE void RunRowsWith(const RowsQ8& at, const int8_t* x, size_t row, size_t count) {
  const bool is_whole = at.inputs != 0 && at.y_output_stride == 1;
  const size_t whole = is_whole ? at.outputs / kPanelOutputs * kPanelOutputs : 0;
  if constexpr (kByIntegers) {
    if (count == 1 && whole != 0 && whole == at.outputs) {  // else 50 instructions more
      FactorsQ8 of = at.factors;
      of.start += row * at.start_stride;
      return RunRow<true>(at, x, at.weights, of, whole, ResultsOfRow(at, row), /*are_fast=*/false);
    }
  }
  const size_t paired = is_whole ? PairedRows(at, count) : 0;
  if (whole != 0) RunCompletePanels<kByIntegers>(at, x, row, count, paired, whole);
  const size_t panel_bytes = PackedDenseI8Bytes(kPanelOutputs, static_cast<uint32_t>(at.inputs));
  for (size_t first = whole; first < at.outputs; first += kPanelOutputs) {
    const size_t left = at.outputs - first, outputs = left < kPanelOutputs ? left : kPanelOutputs;
    const FactorsQ8 factors = After(at.factors, first);
    const int8_t* const weights = at.weights + first / kPanelOutputs * panel_bytes;
    size_t r = RunLastPanel<kByIntegers>(at, x, row, paired, first) ? paired : 0;
    for (; r < count; ++r) {
      FactorsQ8 of = factors;
      if (of.start != nullptr) of.start += (row + r) * at.start_stride;
      RunPanel<kByIntegers>(at, x + r * at.x_stride, weights, of, outputs,
                            at.position + (row + r) * at.y_stride + first * at.y_output_stride);
    }
  }
}

// RunRowsWith<true>, in firmware whose model needs it (integer_codes.cc).
__attribute__((weak)) void RunIntegerRows(const RowsQ8& at, const int8_t* x, size_t row,
                                          size_t count);

HWY_NOINLINE inline void RunFloatRows(const RowsQ8& at, const int8_t* x, size_t row, size_t count) {
  RunRowsWith<false>(at, x, row, count);
}

HWY_INLINE void RunRowsQ8(const RowsQ8& at, const int8_t* x, size_t row, size_t count) {
  if (!at.results.results().codes.by_integers) return RunFloatRows(at, x, row, count);
  if (&RunIntegerRows != nullptr) RunIntegerRows(at, x, row, count);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_ROWS_Q8_HELIUM_INL_H_
