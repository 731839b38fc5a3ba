// SPDX-License-Identifier: Apache-2.0
#include "kernels/movement/copy.h"

#include <cstring>

#include "kernels/movement/transpose.h"
#include "kernels/strided_iterator.h"

namespace weft::kernels {
namespace {

using PlaneFunction = void (*)(const Plane& plane, const void* x, void* y);

// Contiguous on both sides. For runs shorter than a vector, calls of memcpy are slower than moves.
template <typename T>
void CopyRuns(const Plane& plane, const void* x, void* y) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(y);
  for (size_t left = plane.outer;;) {
    if (plane.inner * sizeof(T) > 32) {
      std::memcpy(to, from, plane.inner * sizeof(T));
    } else {
      for (size_t i = 0; i < plane.inner; ++i) to[i] = from[i];
    }
    if (--left == 0) return;
    from += plane.src_outer_stride;
    to += plane.dst_outer_stride;
  }
}

template <typename T>
void CopyStrided(const Plane& plane, const void* x, void* y) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(y);
  for (size_t left = plane.outer;;) {
    const T* row = from;
    T* out = to;
    for (size_t more = plane.inner;;) {
      *out = *row;
      if (--more == 0) break;
      row += plane.src_inner_stride;
      out += plane.dst_inner_stride;
    }
    if (--left == 0) return;
    from += plane.src_outer_stride;
    to += plane.dst_outer_stride;
  }
}

// A source that is contiguous along the outer loop. Copied in squares of 16, so that every cache
// line is used completely before it is evicted.
template <typename T>
void CopySquares(const Plane& plane, const void* x, void* y) {
  if (plane.dst_inner_stride == 1 && Transpose(plane, sizeof(T), x, y)) return;
  constexpr size_t kSide = 16;
  for (size_t o = 0; o < plane.outer; o += kSide) {
    for (size_t i = 0; i < plane.inner; i += kSide) {
      Plane square = plane;
      if (plane.outer - o < kSide) square.outer = plane.outer - o;
      if (plane.outer - o >= kSide) square.outer = kSide;
      square.inner = plane.inner - i < kSide ? plane.inner - i : kSide;
      const ptrdiff_t at_outer = static_cast<ptrdiff_t>(o);
      const ptrdiff_t at_inner = static_cast<ptrdiff_t>(i);
      CopyStrided<T>(square,
                     static_cast<const T*>(x) + at_outer * plane.src_outer_stride +
                         at_inner * plane.src_inner_stride,
                     static_cast<T*>(y) + at_outer * plane.dst_outer_stride +
                         at_inner * plane.dst_inner_stride);
    }
  }
}

template <typename T>
PlaneFunction ChooseFor(const Plane& plane) {
  if (plane.src_inner_stride == 1 && plane.dst_inner_stride == 1) return CopyRuns<T>;
  if (!kIsMicrocontroller && plane.src_outer_stride == 1 && plane.outer > 1) return CopySquares<T>;
  return CopyStrided<T>;
}

PlaneFunction Choose(const Plane& plane, uint32_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return ChooseFor<Raw<uint8_t>>(plane);
    case 2:
      return ChooseFor<Raw<uint16_t>>(plane);
    case 4:
      return ChooseFor<Raw<uint32_t>>(plane);
    default:
      return ChooseFor<Raw<uint64_t>>(plane);
  }
}

// Moves the dimension along which the source is contiguous next to the innermost one. Copies may
// run in any order, and CopySquares needs this pair of dimensions.
void PutTransposedLast(CopyShape* shape) {
  const uint32_t last = shape->rank - 1;
  if (shape->src_strides[last] == 1) return;
  for (uint32_t d = 0; d + 1 < last; ++d) {
    if (shape->src_strides[d] != 1 || shape->dims[d] == 1) continue;
    const uint32_t dim = shape->dims[d];
    const int32_t src_stride = shape->src_strides[d];
    const int32_t dst_stride = shape->dst_strides[d];
    shape->dims[d] = shape->dims[last - 1];
    shape->src_strides[d] = shape->src_strides[last - 1];
    shape->dst_strides[d] = shape->dst_strides[last - 1];
    shape->dims[last - 1] = dim;
    shape->src_strides[last - 1] = src_stride;
    shape->dst_strides[last - 1] = dst_stride;
    return;
  }
}

// For a shape with at least one element.
void CopyPlanes(const CopyShape& shape, const void* x, void* y) {
  Plane plane = {1, 1, 0, 1, 0, 1};
  uint32_t joined_rank = 0;
  if (shape.rank >= 1) {
    const uint32_t last = shape.rank - 1;
    plane.inner = shape.dims[last];
    plane.src_inner_stride = shape.src_strides[last];
    plane.dst_inner_stride = shape.dst_strides[last];
  }
  if (shape.rank >= 2) {
    joined_rank = shape.rank - 2;
    plane.outer = shape.dims[joined_rank];
    plane.src_outer_stride = shape.src_strides[joined_rank];
    plane.dst_outer_stride = shape.dst_strides[joined_rank];
  }
  const PlaneFunction function = Choose(plane, shape.element_bytes);
  const ptrdiff_t bytes = static_cast<ptrdiff_t>(shape.element_bytes);
  const unsigned char* from =
      static_cast<const unsigned char*>(x) + static_cast<ptrdiff_t>(shape.src_offset) * bytes;
  unsigned char* to =
      static_cast<unsigned char*>(y) + static_cast<ptrdiff_t>(shape.dst_offset) * bytes;
  StridedIterator<int32_t, 2> iterator(joined_rank, shape.dims,
                                       {shape.src_strides, shape.dst_strides});
  do {
    function(plane, from + iterator.offset(0) * bytes, to + iterator.offset(1) * bytes);
  } while (iterator.Next());
}

}  // namespace

void Copy(const CopyShape& shape, const void* x, void* y) {
  if (IsEmpty(shape.dims, shape.rank)) return;
  if (!kIsMicrocontroller && shape.rank == 1 && shape.src_strides[0] == 1 &&
      shape.dst_strides[0] == 1) {
    // A single run, for example a state that is copied to its buffer.
    const size_t bytes = shape.element_bytes;
    std::memcpy(static_cast<unsigned char*>(y) + shape.dst_offset * bytes,
                static_cast<const unsigned char*>(x) + shape.src_offset * bytes,
                shape.dims[0] * bytes);
    return;
  }
  if (kIsMicrocontroller || shape.rank < 2) return CopyPlanes(shape, x, y);
  CopyShape transposed = shape;
  PutTransposedLast(&transposed);
  CopyPlanes(transposed, x, y);
}

}  // namespace weft::kernels
