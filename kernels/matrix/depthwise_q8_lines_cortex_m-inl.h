// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of quantised values with 3 x 3 taps on a Cortex-M with the DSP extension:
// four channels of a line of outputs. The columns of its input, with padding, are widened once and
// are shared by all outputs that read them. Instructions per multiply-add: 2.7.

#if defined(WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_LINES_CORTEX_M_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_LINES_CORTEX_M_INL_H_
#undef WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_LINES_CORTEX_M_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_LINES_CORTEX_M_INL_H_
#endif

#include <cstddef>
#include <utility>

#include "kernels/matrix/depthwise_q8_cortex_m-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if !defined(__ARM_FEATURE_MVE)

// Three values of each of four channels, one below the other, as pairs of int16: the first two of
// each channel, then the third of channels 0 and 2, and of channels 1 and 3.
struct WideColumn {
  uint32_t tops[kGroup], evens, odds;
};
inline constexpr size_t kLineColumns = 34, kWindow = 3;

// Shared by all outputs of four channels. The assembly reads the fields in this order.
struct LineFactors {
  FourSums begins;
  WideColumn weights[kWindow];
  FourShifts shifts;
  int32_t rounding;  // twice the zero plus one
  uint32_t low, high;
  size_t y_step, x_step;  // x_step: bytes from the end of a window to the begin of the next one
};
static_assert(sizeof(WideColumn) == 24 && sizeof(LineFactors) == 140, "words without gaps");

// clang-format off
#undef WEFT_FOUR_WORDS
#define WEFT_FOUR_WORDS               \
  "ldmia r0!, {r6-r9}\n\t"            \
  "ldmia r1!, {r10-r12, lr}\n\t"
#undef WEFT_ADD_TOPS
#define WEFT_ADD_TOPS(sum, x, w) "smlad " sum ", " x ", " w ", " sum "\n\t"
#undef WEFT_ADD_THIRDS
#define WEFT_ADD_THIRDS(low, high, x, w)              \
  "smlabb " low ", " x ", " w ", " low "\n\t"         \
  "smlatt " high ", " x ", " w ", " high "\n\t"
#undef WEFT_ADD_FOUR_TOPS
#define WEFT_ADD_FOUR_TOPS                                                  \
  WEFT_FOUR_WORDS WEFT_ADD_TOPS("r2", "r6", "r10") WEFT_ADD_TOPS("r3", "r7", "r11") \
  WEFT_ADD_TOPS("r4", "r8", "r12") WEFT_ADD_TOPS("r5", "r9", "lr")
// Three columns of four channels: 18 words of values and of weights.
#undef WEFT_ADD_WINDOW
#define WEFT_ADD_WINDOW                                                     \
  WEFT_ADD_FOUR_TOPS                                                        \
  WEFT_FOUR_WORDS                                                           \
  WEFT_ADD_THIRDS("r2", "r4", "r6", "r10") WEFT_ADD_THIRDS("r3", "r5", "r7", "r11") \
  WEFT_ADD_TOPS("r2", "r8", "r12") WEFT_ADD_TOPS("r3", "r9", "lr")          \
  WEFT_FOUR_WORDS                                                           \
  WEFT_ADD_TOPS("r4", "r6", "r10") WEFT_ADD_TOPS("r5", "r7", "r11")         \
  WEFT_ADD_THIRDS("r2", "r4", "r8", "r12") WEFT_ADD_THIRDS("r3", "r5", "r9", "lr") \
  WEFT_ADD_FOUR_TOPS                                                        \
  "ldmia r0!, {r6, r7}\n\t"                                                 \
  "ldmia r1!, {r10, r11}\n\t"                                               \
  WEFT_ADD_THIRDS("r2", "r4", "r6", "r10") WEFT_ADD_THIRDS("r3", "r5", "r7", "r11")
#undef WEFT_MULTIPLY_SUM
#define WEFT_MULTIPLY_SUM(sum, mantissa)                \
  "add lr, " sum ", " sum ", asr #31\n\t"               \
  "smmlar " sum ", " sum ", " mantissa ", lr\n\t"
#undef WEFT_RESCALE_LINE
#define WEFT_RESCALE_LINE                               \
  "ldmia r1!, {r8-r11}\n\t"                             \
  WEFT_MULTIPLY_SUM("r2", "r8") WEFT_MULTIPLY_SUM("r3", "r9")   \
  WEFT_MULTIPLY_SUM("r4", "r10") WEFT_MULTIPLY_SUM("r5", "r11") \
  "ldmia r1!, {r8-r11}\n\t"                             \
  "asr r2, r2, r8\n\t"                                  \
  "asr r3, r3, r9\n\t"                                  \
  "asr r4, r4, r10\n\t"                                 \
  "asr r5, r5, r11\n\t"
// clang-format on

// Computes four channels of `count` outputs from y on, at least one. s12 and s13 hold y and the
// outputs left, s14 saves r7.
HWY_NOINLINE inline void CodesOfLine(const WideColumn* columns, const LineFactors& factors,
                                     size_t count, int8_t* y) {
  register const WideColumn* x __asm__("r0") = columns;
  register const LineFactors* by __asm__("r1") = &factors;
  register int8_t* to __asm__("r2") = y;
  register size_t left __asm__("r3") = count;
  // clang-format off
  __asm__ volatile(
      "vmov s12, s13, r2, r3\n\t"
      "vmov s14, r7\n"
      "1:\n\t"
      "ldmia r1!, {r2-r5}\n\t"
      WEFT_ADD_WINDOW
      WEFT_RESCALE_LINE
      "ldmia r1, {r8-r12}\n\t"
      WEFT_JOIN_RESCALED
      WEFT_LIMIT_FOUR("r2", "r9", "r10", "r3")
      "vmov r3, r4, s12, s13\n\t"
      "sub r1, #120\n\t"
      "add r0, r12\n\t"
      "str r2, [r3]\n\t"
      "add r3, r11\n\t"
      "subs r4, #1\n\t"
      "vmov s12, s13, r3, r4\n\t"
      "bne 1b\n\t"
      "vmov r7, s14"
      : "+r"(x), "+r"(by), "+r"(to), "+r"(left)
      :
      : "cc", "memory", "r4", "r5", "r6", "r8", "r9", "r10", "r11", "r12", "lr", "s12", "s13",
        "s14");
  // clang-format on
}

// Widens `count` columns, at least one; `step` is the distance between them.
HWY_NOINLINE inline void WidenColumns(const int8_t* const (&rows)[kWindow], size_t step,
                                      size_t count, WideColumn* to) {
  const WideColumn* const end = to + count;
  size_t at = 0;
  __asm__ volatile(
      "1:\n\t"
      "ldr r8, [%[first], %[at]]\n\t"
      "ldr r6, [%[second], %[at]]\n\t"
      "pkhbt r3, r8, r6, lsl #16\n\t"
      "pkhtb r5, r6, r8, asr #16\n\t"
      "ldr r8, [%[third], %[at]]\n\t"
      "sxtb16 r2, r3\n\t"
      "sxtb16 r3, r3, ror #8\n\t"
      "sxtb16 r4, r5\n\t"
      "sxtb16 r5, r5, ror #8\n\t"
      "sxtb16 r6, r8\n\t"
      "sxtb16 r8, r8, ror #8\n\t"
      "add %[at], %[step]\n\t"
      "stmia %[to]!, {r2-r6, r8}\n\t"
      "cmp %[to], %[end]\n\t"
      "bne 1b"
      : [to] "+r"(to), [at] "+r"(at)
      : [first] "r"(rows[0]), [second] "r"(rows[1]), [third] "r"(rows[2]), [step] "r"(step),
        [end] "r"(end)
      : "cc", "memory", "r2", "r3", "r4", "r5", "r6", "r8");
}

// An axis of the image, and the distances between its neighbours.
struct LineAxis {
  uint32_t input, output, stride, pad;
  size_t x, y, weights;
  bool is_supported;  // windows have three adjacent taps, at least one of which is inside the input

  HWY_NOINLINE void Set(const WindowAxis& window, size_t x_step, size_t y_step, size_t step) {
    input = window.input, output = window.output, stride = window.stride, pad = window.pad;
    x = x_step, y = y_step, weights = step;
    is_supported = window.dilation == 1 && stride <= 2 && input != 0 && pad < kWindow &&
                   uint64_t{output - 1} * stride < uint64_t{input} + pad;
  }
};

// Computes an image four channels at a time, in parts whose lines fit the columns.
class LinesOfWindows {
 public:
  HWY_INLINE explicit LinesOfWindows(const DepthwiseQ8Shape& shape) : zero_(shape.x_zero) {
    const bool are_rows = shape.out_width >= shape.out_height;
    const size_t pixel = PanelCount(shape.channels) * kPanelOutputs;
    LineAxis &down = are_rows ? down_ : across_, &across = are_rows ? across_ : down_;
    down.Set(shape.down(), shape.x.row, shape.y.row, kWindow * pixel);
    across.Set(shape.across(), shape.x.pixel, shape.y.pixel, pixel);
    const CodeRange& codes = shape.results.codes;
    factors_.rounding = 2 * codes.zero + 1;
    factors_.low = FourOf(codes.low);
    factors_.high = FourOf(codes.high);
    factors_.y_step = across_.y;
    factors_.x_step = (across_.stride - kWindow) * sizeof(WideColumn);
  }

  HWY_INLINE bool IsSupported() const { return down_.is_supported && across_.is_supported; }

  // Computes the four channels that begin at the addresses. Returns false if a multiplier is not
  // supported.
  HWY_INLINE bool Run(const int8_t* x, const int8_t* weights, const FactorsQ8& factors, int8_t* y) {
    if (!factors_.shifts.Set(factors)) return false;
    const int32_t* const first = factors.first == nullptr ? kNoFirst : factors.first;
    __builtin_memcpy(&factors_.begins, first, sizeof factors_.begins);
    const int8_t* rows[kWindow];
    for (size_t i = 0; i < kWindow; ++i) rows[i] = weights + i * down_.weights;
    WidenColumns(rows, across_.weights, kWindow, factors_.weights);
    const uint32_t max = across_.stride == 1 ? kLineColumns - 2 : (kLineColumns - 1) / 2;
    for (uint32_t next = 0; next < across_.output; next += max) RunPart(x, next, max, y);
    return true;
  }

 private:
  // At most `count` outputs from `first` on of all lines.
  HWY_NOINLINE void RunPart(const int8_t* x, uint32_t first, uint32_t count, int8_t* y) {
    if (count > across_.output - first) count = across_.output - first;
    const uint32_t before = first == 0 ? across_.pad : 0;
    const uint32_t from = first == 0 ? 0 : first * across_.stride - across_.pad;
    const size_t columns = size_t{count - 1} * across_.stride + kWindow;
    size_t inside = columns - before;
    if (inside > across_.input - from) inside = across_.input - from;
    PadColumns(columns_, columns_ + before);
    PadColumns(columns_ + before + inside, columns_ + columns);
    x += from * across_.x;
    size_t to = first * across_.y;
    for (uint32_t row = 0; row != down_.output; ++row, to += down_.y) {
      WidenRows(x, row, columns_ + before, inside);
      CodesOfLine(columns_, factors_, count, y + to);
    }
  }

  // Values of rows outside the input are the zero, like the columns outside.
  HWY_INLINE void WidenRows(const int8_t* x, uint32_t row, WideColumn* to, size_t count) {
    const uint32_t origin = row * down_.stride - down_.pad;
    const int8_t* rows[kWindow];
    uint32_t outside = 0;
    for (uint32_t i = 0; i < kWindow; ++i) {
      uint32_t at = origin + i;
      if (at >= down_.input) {
        outside |= 1u << i;
        at = row == 0 ? 0 : down_.input - 1;
      }
      rows[i] = x + at * down_.x;
    }
    WidenColumns(rows, across_.x, count, to);
    for (size_t i = 0; outside != 0; ++i, outside >>= 1) {
      if ((outside & 1) != 0) PadRow(i, to, to + count);
    }
  }

  HWY_NOINLINE void PadColumns(WideColumn* columns, const WideColumn* end) const {
    const uint32_t pair = static_cast<uint16_t>(zero_) * 0x10001u;
    auto* words = reinterpret_cast<uint32_t*>(columns);
    for (; words != reinterpret_cast<const uint32_t*>(end); ++words) *words = pair;
  }

  HWY_NOINLINE void PadRow(size_t row, WideColumn* columns, const WideColumn* end) const {
    const size_t step = row == 2 ? 1 : 2;
    auto* halves = reinterpret_cast<int16_t*>(columns) + (row == 2 ? 8 : row);
    for (; columns != end; ++columns, halves += sizeof(WideColumn) / sizeof *halves) {
      halves[0] = halves[step] = halves[2 * step] = halves[3 * step] = zero_;
    }
  }

  LineAxis down_, across_;
  const int16_t zero_;
  LineFactors factors_;
  WideColumn columns_[kLineColumns];
};

// Returns false for other windows or unsupported multipliers. The last channels are those of
// RunGroupsWith.
HWY_INLINE bool RunLines(const DepthwiseQ8Shape& shape, const int8_t* x, const int8_t* weights,
                         const FactorsQ8& factors, int8_t* y) {
  if (shape.kernel_height != kWindow || shape.kernel_width != kWindow) return false;
  LinesOfWindows lines(shape);
  if (shape.channels < kGroup || !lines.IsSupported()) return false;
  for (size_t next = 0; next < shape.channels; next += kGroup) {
    const size_t channel = next + kGroup > shape.channels ? shape.channels - kGroup : next;
    if (!lines.Run(x + channel, weights + channel, After(factors, channel), y + channel)) {
      return false;
    }
  }
  return true;
}

#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_Q8_LINES_CORTEX_M_INL_H_
