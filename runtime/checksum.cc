// SPDX-License-Identifier: Apache-2.0
// FNV-1a, 64 bits: detects damage in transit, not intentional changes.
#include "runtime/verify.h"

namespace weft {
namespace {

constexpr uint32_t kFieldBytes = 8;

// Returns the offset of the checksum field in the file, or the file's size if the field is absent.
size_t FieldOffset(Bytes model, const format::Model& root) {
  const auto* table = reinterpret_cast<const flatbuffers::Table*>(&root);
  const uint8_t* field = table->GetAddressOf(format::Model::VT_CHECKSUM);
  if (field == nullptr) return model.size;
  return static_cast<size_t>(field - static_cast<const uint8_t*>(model.data));
}

}  // namespace

uint64_t Checksum(Bytes model) {
  const format::Model* root = nullptr;
  if (!VerifyHeader(model, &root).ok()) return 0;
  const uint8_t* bytes = static_cast<const uint8_t*>(model.data);
  const size_t field = FieldOffset(model, *root);
  uint64_t hash = 0xCBF29CE484222325u;
  for (size_t i = 0; i < model.size; ++i) {
    const bool zeroed = i >= field && i < field + kFieldBytes;
    hash = (hash ^ (zeroed ? 0u : bytes[i])) * 0x100000001B3u;
  }
  return hash;
}

uint64_t StoredChecksum(Bytes model) {
  const format::Model* root = nullptr;
  return VerifyHeader(model, &root).ok() ? root->checksum() : 0;
}

}  // namespace weft
