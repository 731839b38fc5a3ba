// SPDX-License-Identifier: Apache-2.0
#include "converter/base/aligned_bytes.h"

#include <cstdint>

#include "runtime/weft.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace weft {

namespace {

constexpr size_t kHugePage = size_t{1} << 21;  // on x86-64, and on AArch64 with pages of 4 KiB

// In smaller blocks the alignment would waste more than the huge pages gain.
constexpr bool WantsHugePages(size_t size) { return size >= 2 * kHugePage; }

// A hint to the system, without effect if no huge pages are available.
void AskForHugePages([[maybe_unused]] std::byte* data, [[maybe_unused]] size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  madvise(data, size, MADV_HUGEPAGE);
#endif
}

}  // namespace

AlignedBytes::AlignedBytes(size_t size) : size_(size) {
  const size_t alignment = WantsHugePages(size) ? kHugePage : kModelAlignment;
  owned_.reset(std::calloc(size + alignment, 1));
  if (owned_ == nullptr) throw std::bad_alloc();
  const auto address = reinterpret_cast<uintptr_t>(owned_.get());
  data_ = static_cast<std::byte*>(owned_.get()) + (alignment - address % alignment);
  if (WantsHugePages(size)) AskForHugePages(data_, size);
}

}  // namespace weft
