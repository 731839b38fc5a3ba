// SPDX-License-Identifier: Apache-2.0
// A binary heap in place, over elements of any layout: `items` swaps two elements by their indices,
// and is_before compares two indices. The root is the last element in order. If the order has no
// ties, the result is unique. Internal to the kernels.
#ifndef WEFT_KERNELS_REDUCE_HEAP_H_
#define WEFT_KERNELS_REDUCE_HEAP_H_

#include <cstddef>

namespace weft::kernels {

// Moves element `at` down until neither child comes after it in order.
template <typename Items, typename Before>
void Sink(const Items& items, size_t at, size_t count, const Before& is_before) {
  for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && is_before(child, child + 1)) ++child;
    if (!is_before(at, child)) return;
    items.Swap(at, child);
    at = child;
  }
}

template <typename Items, typename Before>
void MakeHeap(const Items& items, size_t count, const Before& is_before) {
  for (size_t at = count / 2; at != 0; --at) Sink(items, at - 1, count, is_before);
}

// Moves the root to the last element and shortens the heap by one.
template <typename Items, typename Before>
void TakeRoot(const Items& items, size_t count, const Before& is_before) {
  items.Swap(0, count - 1);
  Sink(items, 0, count - 1, is_before);
}

template <typename Items, typename Before>
void SortHeap(const Items& items, size_t count, const Before& is_before) {
  for (; count > 1; --count) TakeRoot(items, count, is_before);
}

}  // namespace weft::kernels

#endif  // WEFT_KERNELS_REDUCE_HEAP_H_
