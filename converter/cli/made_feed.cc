// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/made_feed.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/elementwise/convert.h"
#include "runtime/format/listing.h"

namespace weft::cli {

// Numbers have 24 random bits, which are exact in f32 and f64 and rounded in f16 and bf16. The
// distributions of the C++ standard library are not used, because libraries implement them
// differently.
void FillElements(ElementType type, std::span<std::byte> bytes, std::mt19937& random) {
  std::ranges::fill(bytes, std::byte{0});
  if (!IsFloat(type)) return;
  std::vector<float> values(bytes.size() * 8 / static_cast<size_t>(weft::BitsOf(type)));
  for (float& value : values) value = static_cast<float>(random() >> 8) * 0x1p-23f - 1.0f;
  if (values.empty()) return;
  if (type == ElementType::f32) {
    std::memcpy(bytes.data(), values.data(), bytes.size());
  } else {
    kernels::Convert({static_cast<uint32_t>(values.size()), kernels::Element::kF32,
                      static_cast<kernels::Element>(type)},
                     values.data(), bytes.data());
  }
}

Feed MadeFeed(const ModelPort& port, int64_t calls, std::mt19937& random) {
  Feed feed{
      .array = {.type = port.type, .bytes = {}}, .file = "", .per_call = true, .call_count = calls};
  feed.array.type.dims.insert(feed.array.type.dims.begin(), calls);
  const int64_t call_bytes = DenseBytes(port.type).value_or(0);
  feed.array.bytes.resize(static_cast<size_t>(call_bytes * calls));
  FillElements(port.type.type, feed.array.bytes, random);
  return feed;
}

}  // namespace weft::cli
