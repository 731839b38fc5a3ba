// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "runtime/c_engine.h"
#include "runtime/format/listing.h"
#include "runtime/verify.h"
#include "runtime/weft.h"
#include "runtime/weft_c.h"

namespace weft {
namespace {

using format::kNoSlot;
using format::Rows;
using format::RowsOf;
using format::StreamPart;

// Returns the rows of the file, or no rows if they are absent or not inside the file. Open does not
// check this vector.
Rows<StreamPart> PartsOf(Bytes model, const format::Model& root) {
  const auto* const first = static_cast<const uint8_t*>(model.data);
  const auto* const table = reinterpret_cast<const uint8_t*>(&root);
  const uint8_t* const fields = table - flatbuffers::ReadScalar<flatbuffers::soffset_t>(table);
  constexpr flatbuffers::voffset_t kField = format::Model::VT_STREAM_PARTS;
  if (flatbuffers::ReadScalar<flatbuffers::voffset_t>(fields) <= kField) return {};
  const auto field = flatbuffers::ReadScalar<flatbuffers::voffset_t>(fields + kField);
  const auto size = static_cast<uint32_t>(model.size);
  const uint32_t from = static_cast<uint32_t>(table - first) + field;
  if (field == 0 || from % sizeof(uint32_t) != 0 || from > size - sizeof(uint32_t)) return {};
  const auto offset = flatbuffers::ReadScalar<flatbuffers::uoffset_t>(first + from);
  if (offset > size - from - sizeof(uint32_t) || (from + offset) % sizeof(uint32_t) != 0) return {};
  const uint8_t* const count = first + from + offset;
  const uint32_t rows = flatbuffers::ReadScalar<uint32_t>(count);
  const uint32_t left = size - from - offset - static_cast<uint32_t>(sizeof(uint32_t));
  if (rows > left / sizeof(StreamPart)) return {};
  return RowsOf(root.stream_parts());
}

const format::Slot& SlotOf(const format::Model& model, uint32_t variable) {
  return RowsOf(model.slots())[RowsOf(model.variables())[variable].slot()];
}

bool IsStart(const format::Model& model, const Rows<StreamPart>& parts, uint32_t variable) {
  if (variable >= parts.count || parts[variable].outer() != 0) return false;
  const format::Slot& slot = SlotOf(model, variable);
  return slot.region() == format::kStateRegion && slot.bytes() == sizeof(int32_t);
}

// Returns true if the rows describe the bytes of the variables, and sets the bytes of a stream.
bool CheckParts(const format::Model& model, const Rows<StreamPart>& parts, uint32_t* bytes) {
  const Rows<format::Variable> variables = RowsOf(model.variables());
  if (parts.count == 0 || parts.count != variables.count || parts[0].streams() == 0) return false;
  *bytes = 0;
  for (uint32_t i = 0; i < parts.count; ++i) {
    const StreamPart& part = parts[i];
    if (part.streams() != parts[0].streams()) return false;
    if (part.outer() == 0) continue;
    const format::Slot& slot = SlotOf(model, i);
    if (slot.region() != format::kStateRegion) return false;
    const uint32_t own = slot.bytes() / part.streams();
    if (own % part.outer() != 0) return false;
    if (own * part.streams() != slot.bytes()) return false;
    if (part.past() != 0 && part.outer() % part.past() != 0) return false;
    if (part.past() != 0 && !IsStart(model, parts, part.start())) return false;
    *bytes += own;
  }
  return true;
}

}  // namespace

Fault Streams::Open(Bytes model, Block state, Streams* out) {
  const format::Model* root = nullptr;
  const Fault fault = VerifyHeader(model, &root);
  if (!fault.ok()) return fault;
  const Rows<StreamPart> parts = PartsOf(model, *root);
  if (parts.count == 0) return {FaultCode::kStreamsAbsent};
  Streams streams;
  if (!CheckParts(*root, parts, &streams.state_bytes_)) return {FaultCode::kModelDamaged};
  const uint32_t needed = RowsOf(root->regions())[format::kStateRegion].bytes();
  if (state.bytes < needed) {
    return {FaultCode::kStateShort, 0, 0, 0, static_cast<uint32_t>(state.bytes), needed};
  }
  streams.model_ = root;
  streams.parts_ = parts.data;
  streams.state_ = static_cast<std::byte*>(state.data);
  streams.count_ = parts[0].streams();
  *out = streams;
  return {};
}

// Calls visit(address in the state, initial value or null, bytes) for each piece of the stream, in
// the order of the saved bytes. Rings begin with their oldest time step, so that the saved bytes do
// not depend on the number of runs before.
template <typename Visit>
void Streams::ForEachPiece(uint32_t stream, const Visit& visit) const {
  const Rows<format::Slot> slots = RowsOf(model_->slots());
  const Rows<format::Variable> variables = RowsOf(model_->variables());
  const auto* const weights = reinterpret_cast<const std::byte*>(
      model_->weights() == nullptr ? nullptr : model_->weights()->data());
  for (uint32_t i = 0; i < variables.count; ++i) {
    const StreamPart& part = static_cast<const StreamPart*>(parts_)[i];
    if (part.outer() == 0) continue;
    const format::Slot& slot = slots[variables[i].slot()];
    const uint32_t initial_slot = variables[i].initial_slot();
    const std::byte* const initial =
        initial_slot == kNoSlot ? nullptr : weights + slots[initial_slot].offset_bytes();
    const uint32_t bytes = slot.bytes() / part.streams() / part.outer();
    const uint32_t rows = part.past() == 0 ? part.outer() : part.outer() / part.past();
    int32_t start = 0;
    if (part.past() != 0) {
      std::memcpy(&start, state_ + slots[variables[part.start()].slot()].offset_bytes(),
                  sizeof(start));
      if (start < 0 || static_cast<uint32_t>(start) >= part.past()) start = 0;
    }
    for (uint32_t o = 0; o < part.outer(); ++o) {
      const uint32_t step = o / rows + static_cast<uint32_t>(start);
      const uint32_t position =
          part.past() == 0 ? o : (step < part.past() ? step : step - part.past()) * rows + o % rows;
      visit(state_ + slot.offset_bytes() + (position * part.streams() + stream) * bytes,
            initial == nullptr ? nullptr : initial + (o * part.streams() + stream) * bytes, bytes);
    }
  }
}

Fault Streams::Check(uint32_t stream, const void* saved, size_t bytes) const {
  if (model_ == nullptr) return {FaultCode::kStreamsAbsent};
  if (stream >= count_) return {FaultCode::kStreamIndex, 0, 0, 0, stream, count_};
  if (state_ == nullptr && state_bytes_ != 0) {
    const uint32_t needed = RowsOf(model_->regions())[format::kStateRegion].bytes();
    return {FaultCode::kStateShort, 0, 0, 0, 0, needed};
  }
  if (saved == nullptr) bytes = 0;
  if (bytes >= state_bytes_) return {};
  return {FaultCode::kStreamBytes, 0, 0, 0, static_cast<uint32_t>(bytes), state_bytes_};
}

Fault Streams::Save(uint32_t stream, Block to) const {
  const Fault fault = Check(stream, to.data, to.bytes);
  if (!fault.ok()) return fault;
  auto* next = static_cast<std::byte*>(to.data);
  ForEachPiece(stream, [&](const std::byte* from, const std::byte*, uint32_t bytes) {
    std::memcpy(next, from, bytes);
    next += bytes;
  });
  return {};
}

Fault Streams::Load(uint32_t stream, Bytes from) {
  const Fault fault = Check(stream, from.data, from.size);
  if (!fault.ok()) return fault;
  const auto* next = static_cast<const std::byte*>(from.data);
  ForEachPiece(stream, [&](std::byte* to, const std::byte*, uint32_t bytes) {
    std::memcpy(to, next, bytes);
    next += bytes;
  });
  return {};
}

Fault Streams::Reset(uint32_t stream) {
  const Fault fault = Check(stream, state_, state_bytes_);
  if (!fault.ok()) return fault;
  ForEachPiece(stream, [](std::byte* to, const std::byte* initial, uint32_t bytes) {
    if (initial == nullptr) {
      std::memset(to, 0, bytes);
    } else {
      std::memcpy(to, initial, bytes);
    }
  });
  return {};
}

namespace {

static_assert(sizeof(Streams) <= sizeof(weft_streams), "streams are passed as plain bytes");

Streams LoadStreams(const weft_streams* streams) {
  Streams loaded;
  std::memcpy(static_cast<void*>(&loaded), streams, sizeof(loaded));
  return loaded;
}

}  // namespace
}  // namespace weft

extern "C" {

weft_fault weft_streams_open(const void* model, size_t model_bytes, weft_block state,
                             weft_streams* streams) {
  weft::Streams opened;
  const weft::Fault fault =
      weft::Streams::Open({model, model_bytes}, {state.data, state.bytes}, &opened);
  if (fault.ok()) std::memcpy(streams, static_cast<const void*>(&opened), sizeof(opened));
  return weft::ToC(fault);
}

uint32_t weft_streams_count(const weft_streams* streams) {
  return weft::LoadStreams(streams).count();
}

uint32_t weft_stream_state_bytes(const weft_streams* streams) {
  return weft::LoadStreams(streams).state_bytes();
}

weft_fault weft_save_stream(const weft_streams* streams, uint32_t stream, weft_block to) {
  return weft::ToC(weft::LoadStreams(streams).Save(stream, {to.data, to.bytes}));
}

weft_fault weft_load_stream(const weft_streams* streams, uint32_t stream, const void* from,
                            size_t bytes) {
  return weft::ToC(weft::LoadStreams(streams).Load(stream, {from, bytes}));
}

weft_fault weft_reset_stream(const weft_streams* streams, uint32_t stream) {
  return weft::ToC(weft::LoadStreams(streams).Reset(stream));
}

}  // extern "C"
