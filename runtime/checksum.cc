// SPDX-License-Identifier: Apache-2.0
// FNV-1a, 64 bits: detects damage in transit and in memory, not intentional changes.
#include "runtime/verify.h"

namespace weft {
namespace {

constexpr uint64_t kOffsetBasis = 0xCBF29CE484222325u, kPrime = 0x100000001B3u;
constexpr uint32_t kFieldBytes = 8;

// Returns the offset of the checksum field in the file, or the file's size if the field is absent.
size_t FieldOffset(Bytes model, const format::Model& root) {
  const auto* table = reinterpret_cast<const flatbuffers::Table*>(&root);
  const uint8_t* field = table->GetAddressOf(format::Model::VT_CHECKSUM);
  if (field == nullptr) return model.size;
  return static_cast<size_t>(field - static_cast<const uint8_t*>(model.data));
}

// Hashes the bytes from `begin` to `end` of the file; those of the checksum field count as zero.
uint64_t Hashed(uint64_t hash, Bytes model, const format::Model& root, size_t begin, size_t end) {
  const uint8_t* bytes = static_cast<const uint8_t*>(model.data);
  const size_t field = FieldOffset(model, root);
  for (size_t i = begin; i < end; ++i) {
    const bool zeroed = i >= field && i < field + kFieldBytes;
    hash = (hash ^ (zeroed ? 0u : bytes[i])) * kPrime;
  }
  return hash;
}

}  // namespace

uint64_t Checksum(Bytes model) {
  const format::Model* root = nullptr;
  if (!VerifyHeader(model, &root).ok()) return 0;
  return Hashed(kOffsetBasis, model, *root, 0, model.size);
}

uint64_t StoredChecksum(Bytes model) {
  const format::Model* root = nullptr;
  return VerifyHeader(model, &root).ok() ? root->checksum() : 0;
}

Fault CheckSome(Bytes model, size_t bytes, FileCheck* check) {
  const uint32_t passes = check->passes;
  const uint64_t hash = check->checked == 0 ? kOffsetBasis : check->hash;
  const size_t begin = check->checked < model.size ? check->checked : model.size;
  *check = {0, 0, passes};
  const format::Model* root = nullptr;
  const Fault fault = VerifyHeader(model, &root);
  if (!fault.ok()) return fault;
  const size_t end = bytes < model.size - begin ? begin + bytes : model.size;
  const uint64_t is = Hashed(hash, model, *root, begin, end), must = root->checksum();
  if (end < model.size) {
    *check = {is, end, passes};
    return {};
  }
  if (is != must) {
    return {FaultCode::kModelChecksum,  0, 0, 0, static_cast<uint32_t>(is),
            static_cast<uint32_t>(must)};
  }
  check->passes = passes + 1;
  return {};
}

}  // namespace weft
