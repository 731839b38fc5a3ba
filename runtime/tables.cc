// SPDX-License-Identifier: Apache-2.0
#include "runtime/tables.h"

namespace weft {
namespace {

using flatbuffers::voffset_t;
using format::Model;

template <typename T>
constexpr uint8_t ElementBytes(const flatbuffers::Vector<const T*>* (Model::*)() const) {
  static_assert(sizeof(T) <= UINT8_MAX, "rows of parameters are of 255 bytes at most");
  return sizeof(T);
}
template <typename T>
constexpr uint8_t ElementBytes(const flatbuffers::Vector<T>* (Model::*)() const) {
  return sizeof(T);
}

// Of the vectors of the model's table, in the order of weft.fbs.
constexpr uint8_t kElementBytes[] = {
    ElementBytes(&Model::regions),    ElementBytes(&Model::slots),
    ElementBytes(&Model::dims),       ElementBytes(&Model::moves),
    ElementBytes(&Model::steps),      ElementBytes(&Model::operands),
    ElementBytes(&Model::sections),   ElementBytes(&Model::marks),
    ElementBytes(&Model::inputs),     ElementBytes(&Model::outputs),
    ElementBytes(&Model::variables),  ElementBytes(&Model::names),
    ElementBytes(&Model::step_names), ElementBytes(&Model::slot_buffers),
    ElementBytes(&Model::weights),    ElementBytes(&Model::self_test),
#define WEFT_STEP(name, ...) ElementBytes(&Model::name),
#include "runtime/format/ops.inc"
#undef WEFT_STEP
};
constexpr uint32_t kVectorCount = sizeof(kElementBytes) / sizeof(kElementBytes[0]);
constexpr voffset_t kFirstVector = Model::VT_REGIONS;
constexpr voffset_t kFieldBytes = sizeof(voffset_t);
static_assert(Model::VT_STREAMING == kFirstVector + kVectorCount * kFieldBytes,
              "a vector of weft.fbs is missing above");

class Tables {
 public:
  explicit Tables(Bytes model)
      : bytes_(static_cast<const uint8_t*>(model.data)),
        size_(static_cast<uint32_t>(model.size)),
        verifier_(bytes_, model.size) {}

  Fault Verify(const Model** root) {
    const uint32_t offset = verifier_.VerifyOffset(size_t{0});
    table_ = reinterpret_cast<const flatbuffers::Table*>(bytes_ + offset);
    if (offset == 0 || !table_->VerifyTableStart(verifier_) ||
        !table_->VerifyField<uint32_t>(verifier_, Model::VT_FORMAT_VERSION, 4)) {
      return {FaultCode::kModelDamaged};
    }
    // The version is read before anything that may differ between versions is looked at.
    const Model* found = format::GetModel(bytes_);
    if (found->format_version() != kFormatVersion) {
      return {FaultCode::kModelVersion, 0, 0, 0, found->format_version(), kFormatVersion};
    }
    if (!VerifyFields()) return {FaultCode::kModelDamaged};
    *root = found;
    return {};
  }

 private:
  uint32_t NumberAt(uint32_t at) const {
    return flatbuffers::ReadScalar<flatbuffers::uoffset_t>(bytes_ + at);
  }

  // A count lies at `at`, and that many elements behind it; *end is behind the last.
  bool VectorFits(uint32_t at, uint32_t element_bytes, uint32_t* end) const {
    constexpr uint32_t kCountBytes = 4;
    if (at % kCountBytes != 0 || size_ < kCountBytes || at > size_ - kCountBytes) return false;
    const uint32_t first = at + kCountBytes;
    const uint32_t count = NumberAt(at);
    if (count > (size_ - first) / element_bytes) return false;
    *end = first + count * element_bytes;
    return true;
  }

  bool TextFits(uint32_t at) const {
    uint32_t end = 0;
    return VectorFits(at, 1, &end) && end < size_ && bytes_[end] == 0;
  }

  // Where the offset at `from` leads; 0 where it leads out of the file.
  uint32_t Follow(uint32_t from) const {
    const uint32_t offset = verifier_.VerifyOffset(size_t{from});
    return offset == 0 ? 0 : from + offset;
  }

  // The same for a field of the table. False where it leads out, *at is 0 where it is absent.
  bool FollowField(voffset_t field, uint32_t* at) const {
    const voffset_t place = table_->GetOptionalFieldOffset(field);
    *at = 0;
    if (place == 0) return true;
    const auto from = reinterpret_cast<const uint8_t*>(table_) + place - bytes_;
    *at = Follow(static_cast<uint32_t>(from));
    return *at != 0;
  }

  bool VerifyFields() const {
    if (!table_->VerifyField<uint64_t>(verifier_, Model::VT_CHECKSUM, 8)) return false;
    uint32_t at = 0;
    if (!FollowField(Model::VT_GENERATOR, &at) || (at != 0 && !TextFits(at))) return false;
    for (uint32_t i = 0; i < kVectorCount; ++i) {
      uint32_t end = 0;
      const auto field = static_cast<voffset_t>(kFirstVector + i * kFieldBytes);
      if (!FollowField(field, &at) || (at != 0 && !VectorFits(at, kElementBytes[i], &end))) {
        return false;
      }
      if (field == Model::VT_NAMES && at != 0 && !NamesFit(at)) return false;
    }
    return true;
  }

  bool NamesFit(uint32_t at) const {
    const uint32_t count = NumberAt(at);
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t place = at + 4 + 4 * i;
      const uint32_t offset = NumberAt(place);
      if (offset >= size_ - place || !TextFits(place + offset)) return false;
    }
    return true;
  }

  const uint8_t* const bytes_;
  const uint32_t size_;  // below 2 GiB
  flatbuffers::Verifier verifier_;
  const flatbuffers::Table* table_ = nullptr;
};

}  // namespace

Fault VerifyTables(Bytes model, const format::Model** root) { return Tables(model).Verify(root); }

}  // namespace weft
