// SPDX-License-Identifier: Apache-2.0
// Only Engine::RunChecked, so that firmware that does not call it does not link it.
#include <cstring>

#include "runtime/format/listing.h"
#include "runtime/format/weight_copy.h"
#include "runtime/weft.h"

namespace weft {
namespace {

using format::ElementType;
using format::Rows;
using format::RowsOf;

constexpr uint32_t kAllFinite = 0xFFFFFFFFu;

// Returns the index of the first element whose exponent bits are all set, which only NaN and
// infinity have; kAllFinite if there is none. Each element ends with the word that has its
// exponent.
template <typename Word>
uint32_t FirstNonFinite(const std::byte* data, uint32_t bytes, uint32_t element_bytes,
                        Word exponent) {
  const uint32_t count = bytes / element_bytes;
  for (uint32_t i = 0; i < count; ++i) {
    Word word;
    const size_t end = (size_t{i} + 1) * element_bytes;
    std::memcpy(&word, data + end - sizeof(word), sizeof(word));
    if ((word & exponent) == exponent) return i;
  }
  return kAllFinite;
}

uint32_t FirstNonFinite(ElementType type, const void* data, size_t bytes) {
  const std::byte* from = static_cast<const std::byte*>(data);
  const uint32_t count = static_cast<uint32_t>(bytes);
  switch (type) {
    case ElementType::f32:
      return FirstNonFinite<uint32_t>(from, count, 4, 0x7F800000u);
    case ElementType::f16:
      return FirstNonFinite<uint16_t>(from, count, 2, 0x7C00u);
    case ElementType::bf16:
      return FirstNonFinite<uint16_t>(from, count, 2, 0x7F80u);
    case ElementType::f64:
      return FirstNonFinite<uint32_t>(from, count, 8, 0x7FF00000u);
    default:
      return kAllFinite;
  }
}

}  // namespace

Fault Engine::RunChecked() {
  const Fault fault = Run();
  const uint32_t outputs = output_count();
  for (uint32_t i = 0; i < outputs; ++i) {
    const Tensor view = output(i);
    const uint32_t element =
        FirstNonFinite(static_cast<ElementType>(view.type), view.data, view.bytes);
    if (element != kAllFinite) return {FaultCode::kNotFinite, 0, 0, i, element, outputs};
  }
  if (model_ == nullptr) return fault;
  const Rows<format::Variable> variables = RowsOf(model_->variables());
  for (uint32_t i = 0; i < variables.count; ++i) {
    const format::Slot& slot = RowsOf(model_->slots())[variables[i].slot()];
    if (format::IsWeightCopy(variables[i], slot)) continue;
    const uint32_t element =
        FirstNonFinite(slot.type(), regions_[slot.region()] + slot.offset_bytes(), slot.bytes());
    if (element != kAllFinite) return {FaultCode::kNotFinite, 0, 0, outputs + i, element, outputs};
  }
  return fault;
}

}  // namespace weft
