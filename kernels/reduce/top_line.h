// SPDX-License-Identifier: Apache-2.0
// The k best of lines of one element type. Internal to top and top_integers.
#ifndef WEFT_KERNELS_REDUCE_TOP_LINE_H_
#define WEFT_KERNELS_REDUCE_TOP_LINE_H_

#include "kernels/reduce/heap.h"
#include "kernels/reduce/top.h"

namespace weft::kernels {

// The results of one line, as a heap.
template <typename T, typename Index>
struct Results {
  T* values;
  Index* indices;
  size_t step;

  T& value(size_t i) const { return values[i * step]; }
  Index& index(size_t i) const { return indices[i * step]; }
  void Swap(size_t a, size_t b) const {
    const T v = value(a);
    const Index i = index(a);
    value(a) = value(b);
    index(a) = index(b);
    value(b) = v;
    index(b) = i;
  }
};

template <typename T>
bool IsNumber(T value) {
  return value == value;
}

// Returns true if a is better than b. The order of a line's elements has no ties.
template <typename T>
bool IsBetter(bool min, T a, size_t at_a, T b, size_t at_b) {
  if (IsNumber(a) != IsNumber(b)) return IsNumber(a);
  if (a < b) return min;
  if (b < a) return !min;
  return at_a < at_b;
}

template <typename T, typename Index>
void TopOfLine(const TopShape& shape, const T* x, const Results<T, Index>& results) {
  const bool min = shape.min != 0;
  const auto is_better = [&](size_t a, size_t b) {
    return IsBetter(min, results.value(a), static_cast<size_t>(results.index(a)), results.value(b),
                    static_cast<size_t>(results.index(b)));
  };
  for (size_t i = 0; i < shape.k; ++i) {
    results.value(i) = x[i * shape.inner];
    results.index(i) = static_cast<Index>(i);
  }
  MakeHeap(results, shape.k, is_better);
  for (size_t i = shape.k; i < shape.axis; ++i) {
    const T value = x[i * shape.inner];
    if (!IsBetter(min, value, i, results.value(0), static_cast<size_t>(results.index(0)))) continue;
    results.value(0) = value;
    results.index(0) = static_cast<Index>(i);
    Sink(results, 0, shape.k, is_better);
  }
  if (shape.by_index == 0) return SortHeap(results, shape.k, is_better);
  const auto is_in_front = [&](size_t a, size_t b) { return results.index(a) < results.index(b); };
  MakeHeap(results, shape.k, is_in_front);
  SortHeap(results, shape.k, is_in_front);
}

template <typename T, typename Index>
void TopOfAll(const TopShape& shape, const T* x, T* values, Index* indices) {
  const size_t inner = shape.inner;
  if (inner == 0) return;  // `outer` is unbounded in this case
  for (size_t outer = 0; outer < shape.outer; ++outer) {
    for (size_t i = 0; i < inner; ++i) {
      TopOfLine(shape, x + i, Results<T, Index>{values + i, indices + i, inner});
    }
    x += shape.axis * inner;
    values += shape.k * inner;
    indices += shape.k * inner;
  }
}

template <typename T>
void TopOf(const TopShape& shape, const void* x, void* values, void* indices) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(values);
  if (shape.index_type == Element::kI64) {
    TopOfAll(shape, from, to, static_cast<int64_t*>(indices));
  } else {
    TopOfAll(shape, from, to, static_cast<int32_t*>(indices));
  }
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_TOP_LINE_H_
