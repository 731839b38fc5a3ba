// SPDX-License-Identifier: Apache-2.0
// Depthwise with fewer channels than a vector has lanes. Neighbouring pixels are contiguous, so
// that a vector holds several of them and the weights repeat in its lanes. One channel is a plane.

#if defined(WEFT_KERNELS_MATRIX_DEPTHWISE_FLAT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_MATRIX_DEPTHWISE_FLAT_INL_H_
#undef WEFT_KERNELS_MATRIX_DEPTHWISE_FLAT_INL_H_
#else
#define WEFT_KERNELS_MATRIX_DEPTHWISE_FLAT_INL_H_
#endif

#include "kernels/matrix/depthwise_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// One channel, whose weight is broadcast.
struct OneChannel {
  using Position = size_t;  // unused: all vectors are identical
  HWY_INLINE Position Next() { return 0; }
  template <class Weight>
  HWY_INLINE FloatVec Load(const Weight* weights, Position) const {
    return Set(WidenWeight(*weights));
  }
  HWY_INLINE FloatVec Start(const float* bias, Position) const { return Set(*bias); }
};

#if HWY_TARGET != HWY_SCALAR
// Channels that repeat from lane to lane and from vector to vector.
class RepeatedChannels {
 public:
  using Position = decltype(hn::IndicesFromVec(FloatTag(), hn::Zero(IntTag())));

  explicit RepeatedChannels(size_t channels) : channels_(channels) {
    for (size_t i = 0, c = 0; i < 2 * kLanes; ++i) {
      lanes_[i] = static_cast<int32_t>(c);
      if (++c == channels) c = 0;
    }
  }
  // Returns the channels of the lanes of the next vector.
  HWY_INLINE Position Next() {
    const Position position = hn::IndicesFromVec(FloatTag(), hn::LoadU(IntTag(), lanes_ + first_));
    first_ = static_cast<size_t>(lanes_[first_ + kLanes]);
    return position;
  }
  template <class Weight>
  HWY_INLINE FloatVec Load(const Weight* weights, Position position) const {
    return hn::TableLookupLanes(LoadWeights(weights), position);
  }
  HWY_INLINE FloatVec Start(const float* bias, Position position) const {
    return hn::TableLookupLanes(LoadFirst(bias, channels_), position);
  }

 private:
  size_t channels_;
  size_t first_ = 0;  // the channel of the next lane
  int32_t lanes_[2 * kLanes];
};
#endif

// kVectors vectors, or the first `count` lanes of one.
template <size_t kVectors, bool kIsPart, class Weight, class Channels>
HWY_INLINE void DepthwiseFlatTile(const DepthwiseTaps& taps, const float* x, float* y, size_t count,
                                  const Weight* weights, const float* bias, Channels& channels,
                                  bool relu) {
  typename Channels::Position positions[kVectors];
  FloatVec sums[kVectors];
  HWY_UNROLL(8)
  for (size_t v = 0; v < kVectors; ++v) {
    positions[v] = channels.Next();
    sums[v] = bias != nullptr ? channels.Start(bias, positions[v]) : Set(0.0f);
  }
  for (size_t ky = 0; ky < taps.rows; ++ky) {
    const float* row = x;
    const Weight* from = weights;
    for (size_t kx = 0; kx < taps.columns; ++kx) {
      HWY_UNROLL(8)
      for (size_t v = 0; v < kVectors; ++v) {
        const FloatVec value = kIsPart ? LoadFirst(row, count) : Load(row + v * kLanes);
        sums[v] = Fma(value, channels.Load(from, positions[v]), sums[v]);
      }
      row += taps.x_column;
      from += taps.weights_column;
    }
    x += taps.x_row;
    weights += taps.weights_row;
  }
  HWY_UNROLL(8)
  for (size_t v = 0; v < kVectors; ++v) {
    const FloatVec sum = relu ? Relu(sums[v]) : sums[v];
    kIsPart ? StoreFirst(sum, y, count) : Store(sum, y + v * kLanes);
  }
}

// `floats` floats of neighbouring pixels of y that have the same taps and read neighbouring pixels
// of x.
template <class Weight, class Channels>
HWY_NOINLINE void DepthwiseFlat(const DepthwiseTaps& taps, const float* x, float* y, size_t floats,
                                const Weight* weights, const float* bias, Channels channels,
                                bool relu) {
  constexpr size_t kVectors = kDepthwiseSums / 2;
  size_t i = 0;
  for (; i + kVectors * kLanes <= floats; i += kVectors * kLanes) {
    DepthwiseFlatTile<kVectors, false>(taps, x + i, y + i, 0, weights, bias, channels, relu);
  }
  for (; i + kLanes <= floats; i += kLanes) {
    DepthwiseFlatTile<1, false>(taps, x + i, y + i, 0, weights, bias, channels, relu);
  }
  if (kLanes > 1 && i < floats) {
    DepthwiseFlatTile<1, true>(taps, x + i, y + i, floats - i, weights, bias, channels, relu);
  }
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_MATRIX_DEPTHWISE_FLAT_INL_H_
