// SPDX-License-Identifier: Apache-2.0
#include "runtime/tables.h"

namespace weft {
namespace {

using flatbuffers::voffset_t;
using format::Model;

template <typename T>
constexpr uint8_t ElementBytes(const flatbuffers::Vector<const T*>* (Model::*)() const) {
  static_assert(sizeof(T) <= UINT8_MAX, "a row of parameters has at most 255 bytes");
  return sizeof(T);
}
template <typename T>
constexpr uint8_t ElementBytes(const flatbuffers::Vector<T>* (Model::*)() const) {
  return sizeof(T);
}

// Element sizes of the vectors of the model's table, in the order of weft.fbs.
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

// Positions are offsets from the file's first byte.
class Tables {
 public:
  explicit Tables(Bytes model)
      : bytes_(static_cast<const uint8_t*>(model.data)), size_(static_cast<uint32_t>(model.size)) {}

  Fault Verify(const Model** root) {
    if (!VerifyTable() || !ScalarFits(Model::VT_FORMAT_VERSION, sizeof(uint32_t))) {
      return {FaultCode::kModelDamaged};
    }
    // The version is checked before anything that may differ between versions is read.
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
  uint32_t ShortAt(uint32_t at) const { return flatbuffers::ReadScalar<voffset_t>(bytes_ + at); }

  // Returns true if a number of `bytes` bytes at `at` is aligned and inside the file. `bytes` is a
  // power of two, and less than the size of a file.
  bool NumberFits(uint32_t at, uint32_t bytes) const {
    return (at & (bytes - 1)) == 0 && at <= size_ - bytes;
  }

  // The root table begins with the distance back to its vtable, the list of its fields. The vtable
  // begins with its own size.
  bool VerifyTable() {
    table_ = Follow(0);
    if (table_ == 0 || !NumberFits(table_, sizeof(uint32_t))) return false;
    fields_ = table_ - NumberAt(table_);
    if (!NumberFits(fields_, sizeof(voffset_t))) return false;
    fields_bytes_ = ShortAt(fields_);
    return fields_bytes_ % sizeof(voffset_t) == 0 && fields_bytes_ <= size_ - fields_;
  }

  // Returns the position of the field, or 0 if it is absent.
  uint32_t PositionOf(uint32_t field) const {
    const uint32_t position = field < fields_bytes_ ? ShortAt(fields_ + field) : 0;
    return position == 0 ? 0 : table_ + position;
  }

  bool ScalarFits(uint32_t field, uint32_t bytes) const {
    const uint32_t at = PositionOf(field);
    return at == 0 || NumberFits(at, bytes);
  }

  // A vector is a count at `at`, followed by that many elements; *end is set to the end of the last
  // one.
  bool VectorFits(uint32_t at, uint32_t element_bytes, uint32_t* end) const {
    constexpr uint32_t kCountBytes = 4;
    if (!NumberFits(at, kCountBytes)) return false;
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

  // Returns the target of the offset at `from`, or 0 if it is outside the file.
  uint32_t Follow(uint32_t from) const {
    if (!NumberFits(from, sizeof(uint32_t))) return 0;
    const uint32_t offset = NumberAt(from);
    return offset == 0 || offset >= size_ - from ? 0 : from + offset;
  }

  // The same for a field of the table. Returns false if the target is outside; *at is 0 if the
  // field is absent.
  bool FollowField(uint32_t field, uint32_t* at) const {
    const uint32_t position = PositionOf(field);
    *at = position == 0 ? 0 : Follow(position);
    return position == 0 || *at != 0;
  }

  bool VerifyFields() const {
    if (!ScalarFits(Model::VT_CHECKSUM, sizeof(uint64_t))) return false;
    uint32_t at = 0;
    if (!FollowField(Model::VT_GENERATOR, &at) || (at != 0 && !TextFits(at))) return false;
    for (uint32_t i = 0; i < kVectorCount; ++i) {
      const uint32_t field = kFirstVector + i * kFieldBytes;
      if (field >= fields_bytes_) break;  // all later fields are absent as well
      uint32_t end = 0;
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
      const uint32_t position = at + 4 + 4 * i;
      const uint32_t offset = NumberAt(position);
      if (offset >= size_ - position || !TextFits(position + offset)) return false;
    }
    return true;
  }

  const uint8_t* const bytes_;
  const uint32_t size_;  // from 16 bytes to 2 GiB
  uint32_t table_ = 0;
  uint32_t fields_ = 0, fields_bytes_ = 0;
};

}  // namespace

Fault VerifyTables(Bytes model, const format::Model** root) { return Tables(model).Verify(root); }

}  // namespace weft
