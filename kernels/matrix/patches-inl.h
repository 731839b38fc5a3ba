// SPDX-License-Identifier: Apache-2.0
// Copies the window of one output pixel to a row of memory, tap after tap with its channels
// (im2col), so that a convolution becomes a matrix product. Internal to convolutions in integers.

#if defined(WEFT_KERNELS_MATRIX_PATCHES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_PATCHES_INL_H_
#undef WEFT_KERNELS_MATRIX_PATCHES_INL_H_
#else
#define WEFT_KERNELS_MATRIX_PATCHES_INL_H_
#endif

#include "kernels/element.h"
#include "kernels/matrix/window.h"
#include "kernels/simd/bytes-inl.h"
#include "kernels/simd/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

struct PatchGeometry {
  WindowAxis down, across;
  MapStrides x;
  size_t channels;
  // Outputs of down and of across whose taps are all inside the input, if known (FindInside).
  IndexRange inside_rows = {}, inside = {};

  // Returns true if the channels of a tap are contiguous, and if all taps of a row are.
  HWY_INLINE bool HasRuns() const { return channels == 1 || x.channel == 1; }
  HWY_INLINE bool HasLines() const {
    return across.kernel == 1 || size_t{across.dilation} * x.pixel == channels;
  }
};

// Cores without a multiplication of pairs gain little, and save the code. On other boards the range
// is only used for patches with runs, and is empty for others.
#if HWY_TARGET != HWY_SCALAR || defined(__ARM_FEATURE_DSP)
inline constexpr bool kFindsInside = true;
#else
inline constexpr bool kFindsInside = false;
#endif
// The same for patches whose taps are not contiguous.
#if HWY_TARGET != HWY_SCALAR || defined(__ARM_FEATURE_MVE)
inline constexpr bool kFindsGaps = true;
#else
inline constexpr bool kFindsGaps = false;
#endif
HWY_INLINE void FindInside(PatchGeometry& geometry) {
  if (!kFindsInside || (HWY_TARGET == HWY_SCALAR && !geometry.HasRuns())) return;
  if (!kFindsGaps && !geometry.HasLines()) return;
  geometry.inside_rows = geometry.down.Inside();
  geometry.inside = geometry.across.Inside();
}

// Most runs on microcontrollers are so short that a loop is faster than a call.
inline constexpr size_t kShortRun = 16;
constexpr bool HasShortRuns() { return kIsMicrocontroller && HWY_TARGET == HWY_SCALAR; }

#undef WEFT_RUNS_BY_HELIUM
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE)
#define WEFT_RUNS_BY_HELIUM

// In vectors of sixteen bytes, the last of which may be partial: efficient for runs of any length.
HWY_INLINE void FillByHelium(int8_t* to, size_t count, int8_t value) {
  __asm__ volatile(
      "vdup.8 q0, %[value]\n\t"
      "wlstp.8 lr, %[count], 2f\n"
      "1:\n\t"
      "vstrb.8 q0, [%[to]], #16\n\t"
      "letp lr, 1b\n"
      "2:"
      : [to] "+r"(to)
      : [count] "r"(count), [value] "r"(value)
      : "memory", "lr", "q0");
}
HWY_INLINE void CopyByHelium(void* to, const void* from, size_t bytes) {
  __asm__ volatile(
      "wlstp.8 lr, %[bytes], 2f\n"
      "1:\n\t"
      "vldrb.u8 q0, [%[from]], #16\n\t"
      "vstrb.8 q0, [%[to]], #16\n\t"
      "letp lr, 1b\n"
      "2:"
      : [to] "+r"(to), [from] "+r"(from)
      : [bytes] "r"(bytes)
      : "memory", "lr", "q0");
}
#endif

template <typename T>
WEFT_PART T* FillNumbers(T* to, size_t count, T value) {
#if defined(WEFT_RUNS_BY_HELIUM)
  if constexpr (sizeof(T) == 1) {
    FillByHelium(to, count, value);
    return to + count;
  }
#elif HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) == 1) {
    FillBytes(to, count, value);
    return to + count;
  }
#endif
  if (HasShortRuns() && count < kShortRun) {
    for (; count != 0; --count) {
      *to++ = value;
      __asm__("" : "+r"(to));  // else the compiler calls memset
    }
    return to;
  }
  for (size_t i = 0; i < count; ++i) to[i] = value;
  return to + count;
}
template <typename T>
HWY_INLINE T* FillRun(T* to, size_t count, T value) {
  return count == 0 ? to : FillNumbers(to, count, value);
}

// Copies contiguous numbers.
template <typename T>
HWY_INLINE void CopyNumbers(T* to, const T* from, size_t count) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (sizeof(T) == 1) return CopyBytes(to, from, count);
#elif defined(WEFT_RUNS_BY_HELIUM)
  return CopyByHelium(to, from, count * sizeof(T));
#endif
  size_t bytes = count * sizeof(T);
  if (HasShortRuns() && bytes < kShortRun) {
    auto* out = reinterpret_cast<char*>(to);
    auto* in = reinterpret_cast<const char*>(from);
    for (; bytes >= 4; bytes -= 4, in += 4, out += 4) {
      __builtin_memcpy(out, in, 4);
      __asm__("" : "+r"(in));  // else the compiler calls memcpy
    }
    for (; bytes != 0; --bytes) {
      *out++ = *in++;
      __asm__("" : "+r"(in));
    }
    return;
  }
  __builtin_memcpy(to, from, bytes);
}

// Copies `count` numbers with stride `stride` to contiguous memory.
template <typename T>
HWY_INLINE T* GatherRun(T* to, const T* from, size_t count, size_t stride) {
  if (stride == 1) {
    CopyNumbers(to, from, count);
  } else {
    for (size_t i = 0; i < count; ++i) to[i] = from[i * stride];
  }
  return to + count;
}

HWY_INLINE IndexRange TapsOfOutput(const WindowAxis& axis, const IndexRange& inside,
                                   uint32_t output) {
#if HWY_TARGET == HWY_SCALAR
  (void)inside;  // would cost flash and save little time
#else
  if (output >= inside.first && output < inside.end) return {0, axis.kernel};
#endif
  return axis.Taps(output);
}

// Offset of a tap that is inside. The stride of an axis of length 1 may have any value.
HWY_INLINE size_t PositionOfTap(const WindowAxis& axis, uint32_t output, uint32_t tap,
                                size_t stride) {
  const size_t index = size_t{output} * axis.stride + size_t{tap} * axis.dilation - axis.pad;
  return index == 0 ? 0 : index * stride;
}

// The first tap of a patch inside the input.
template <typename T>
HWY_INLINE const T* FirstInside(const PatchGeometry& geometry, const T* x, uint32_t row,
                                uint32_t column) {
  return x + (PositionOfTap(geometry.down, row, 0, geometry.x.row) +
              PositionOfTap(geometry.across, column, 0, geometry.x.pixel));
}

// GatherPatch for a patch inside the input whose channels are contiguous, and those of the next
// `count` - 1 outputs of its row, `stride` numbers apart. Returns the end of the last patch.
template <typename T>
HWY_INLINE T* GatherInside(const PatchGeometry& geometry, const T* x, uint32_t row, uint32_t column,
                           T* to, uint32_t count = 1, size_t stride = 0) {
  const T* from = FirstInside(geometry, x, row, column);
  // Contiguous taps are copied together.
  const bool has_lines = !kFindsGaps || geometry.HasLines();
  const uint32_t runs = has_lines ? 1 : geometry.across.kernel;
  const size_t length = geometry.channels * (has_lines ? geometry.across.kernel : 1);
  const size_t step = has_lines ? 0 : size_t{geometry.across.dilation} * geometry.x.pixel;
  const size_t to_row = size_t{geometry.down.dilation} * geometry.x.row - (runs - 1) * step;
  const uint32_t all_rows = geometry.down.kernel;
  const size_t to_next = count == 1 ? 0 : size_t{geometry.across.stride} * geometry.x.pixel;
  for (;;) {
    const T* at = from;
    T* end = to;
    for (uint32_t rows = all_rows;;) {
      for (uint32_t left = runs;;) {
        CopyNumbers(end, at, length);
        end += length;
        if (--left == 0) break;
        at += step;
      }
      if (--rows == 0) break;
      at += to_row;
    }
    if (--count == 0) return end;
    from += to_next;
    to += stride;
  }
}

// Writes the patch of output (row, column) to `to`; `x` is the first channel of its image. Taps
// outside the input become `padding`. Returns the end of the patch. Ignores strides along axes of
// length 1.
template <typename T>
WEFT_PART T* GatherPatch(const PatchGeometry& geometry, const T* x, uint32_t row, uint32_t column,
                         T padding, T* to) {
  if constexpr (kFindsInside) {
    const uint32_t rows = geometry.inside_rows.count(), columns = geometry.inside.count();
    const bool is_inside =
        row - geometry.inside_rows.first < rows && column - geometry.inside.first < columns;
    if (is_inside && (HWY_TARGET == HWY_SCALAR || geometry.HasRuns())) {
      return GatherInside(geometry, x, row, column, to);
    }
  }
  const IndexRange ky = TapsOfOutput(geometry.down, geometry.inside_rows, row);
  const IndexRange kx = TapsOfOutput(geometry.across, geometry.inside, column);
  const size_t channels = geometry.channels;
  const size_t line = geometry.across.kernel * channels;
  if (ky.count() == 0 || kx.count() == 0) return FillRun(to, geometry.down.kernel * line, padding);
  const size_t stride = channels == 1 ? 1 : geometry.x.channel;
  const size_t pixel = kx.count() == 1 ? 0 : size_t{geometry.across.dilation} * geometry.x.pixel;
  const bool is_run =
      stride == 1 && (pixel == channels || kx.count() == 1);  // the taps of a row are contiguous
  const size_t across = PositionOfTap(geometry.across, column, kx.first, geometry.x.pixel);
  to = FillRun(to, ky.first * line, padding);
  const size_t before = kx.first * channels, after = (geometry.across.kernel - kx.end) * channels;
  const size_t length = kx.count() * channels;
  const size_t down = ky.count() == 1 ? 0 : size_t{geometry.down.dilation} * geometry.x.row;
  const T* from = x + (PositionOfTap(geometry.down, row, ky.first, geometry.x.row) + across);
  for (uint32_t tap = ky.count();;) {
    to = FillRun(to, before, padding);
    if (is_run) {
      CopyNumbers(to, from, length);
      to += length;
    } else {
      for (size_t i = 0; i < kx.count(); ++i) {
        to = GatherRun(to, from + i * pixel, channels, stride);
      }
    }
    to = FillRun(to, after, padding);
    if (--tap == 0) break;
    from += down;
  }
  return FillRun(to, (geometry.down.kernel - ky.end) * line, padding);
}

#if defined(WEFT_RUNS_BY_HELIUM)
// Returns the number of outputs from (row, column) to the last one in its row, or in a column of
// outputs, whose patch is inside; 0 if this output's is not or channels are not contiguous.
HWY_INLINE uint32_t InsideFrom(const PatchGeometry& geometry, uint32_t row, uint32_t column) {
  if (row - geometry.inside_rows.first >= geometry.inside_rows.count()) return 0;
  if (column - geometry.inside.first >= geometry.inside.count()) return 0;
  if (geometry.across.output == 1) return geometry.inside_rows.end - row;
  return geometry.inside.end - column;
}

// Writes the patches of outputs from (row, column) on, at most `count` of them and none after the
// last patch of its row inside the input, to rows of `stride` numbers. Returns their count.
template <typename T>
HWY_NOINLINE uint32_t GatherPatches(const PatchGeometry& geometry, const T* x, uint32_t row,
                                    uint32_t column, uint32_t count, size_t stride, T* to) {
  uint32_t left = InsideFrom(geometry, row, column);
  if (left == 0) return 0;
  if (geometry.across.output == 1) left = 1;
  if (left < count) count = left;
  GatherInside(geometry, x, row, column, to, count, stride);
  return count;
}
#endif

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_PATCHES_INL_H_
