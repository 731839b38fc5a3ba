// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "kernels/simd/float_mode.h"
#include "runtime/format/listing.h"
#include "runtime/run.h"
#include "runtime/verify.h"
#include "runtime/weft.h"

// Defining WEFT_SOFT_FLOAT accepts the cost of layers that compute in f32. Layers of int8 `.tflite`
// files compute in integers.
#if ((defined(__arm__) && !defined(__ARM_FP)) || (defined(__riscv) && !defined(__riscv_flen))) && \
    !defined(WEFT_SOFT_FLOAT)
#warning "no floating-point unit: f32 layers are 131 to 430 times slower; define WEFT_SOFT_FLOAT"
#endif

namespace weft {
namespace {

using format::kNoSlot;
using format::Rows;
using format::RowsOf;

Needs NeedsOf(const format::Model& model) {
  const Rows<format::Region> regions = RowsOf(model.regions());
  Needs needs;
  needs.state_bytes = regions[format::kStateRegion].bytes();
  needs.scratch_bytes = regions[format::kFirstScratchRegion].bytes();
  needs.input_count = RowsOf(model.inputs()).count;
  needs.output_count = RowsOf(model.outputs()).count;
  for (uint32_t i = format::kStateRegion; i < regions.count; ++i) {
    const uint32_t alignment = regions[i].alignment_bytes();
    if (alignment > needs.alignment) needs.alignment = alignment;
    if (i > format::kFirstScratchRegion) {
      needs.more_scratch_bytes[i - format::kFirstScratchRegion - 1] = regions[i].bytes();
    }
  }
  return needs;
}

// Returns an error if the block is too short or misaligned for the region.
Fault CheckBlock(const Block& block, const format::Region& region, FaultCode too_short,
                 FaultCode misaligned, uint32_t index) {
  if (block.bytes < region.bytes() || (block.data == nullptr && region.bytes() != 0)) {
    const size_t given = block.data == nullptr ? 0 : block.bytes;
    return {too_short, 0, 0, index, static_cast<uint32_t>(given), region.bytes()};
  }
  const uintptr_t past = reinterpret_cast<uintptr_t>(block.data) % region.alignment_bytes();
  if (region.bytes() != 0 && past != 0) {
    return {misaligned, 0, 0, index, static_cast<uint32_t>(past), region.alignment_bytes()};
  }
  return {};
}

// Returns an error if the region shares bytes with an earlier one. Blocks end in the address space.
Fault CheckApart(Rows<format::Region> regions, std::byte* const* starts, uint32_t i) {
  const auto start = [&](uint32_t region) { return reinterpret_cast<uintptr_t>(starts[region]); };
  const auto end = [&](uint32_t region) { return start(region) + regions[region].bytes(); };
  for (uint32_t j = 0; j < i; ++j) {
    const uintptr_t first = start(i) < start(j) ? start(j) : start(i);
    if (first < end(i) && first < end(j)) return {FaultCode::kMemoryOverlap, 0, 0, i, j, 0};
  }
  return {};
}

// Sets `starts` to the first byte of each region.
Fault PlaceRegions(const format::Model& model, const Memory& memory, std::byte** starts) {
  const Rows<format::Region> regions = RowsOf(model.regions());
  const uint8_t* weights = model.weights() == nullptr ? nullptr : model.weights()->data();
  // Region 0 is never written: verification rejects every step that writes to a slot in it.
  starts[0] = reinterpret_cast<std::byte*>(const_cast<uint8_t*>(weights));
  Fault fault = CheckBlock(memory.state, regions[format::kStateRegion], FaultCode::kStateShort,
                           FaultCode::kStateMisaligned, 0);
  starts[format::kStateRegion] = static_cast<std::byte*>(memory.state.data);
  for (uint32_t i = 0; fault.ok() && i < regions.count - format::kFirstScratchRegion; ++i) {
    const Block& block = i == 0 ? memory.scratch : memory.more_scratch[i - 1];
    fault = CheckBlock(block, regions[format::kFirstScratchRegion + i], FaultCode::kScratchShort,
                       FaultCode::kScratchMisaligned, i);
    starts[format::kFirstScratchRegion + i] = static_cast<std::byte*>(block.data);
  }
  for (uint32_t i = format::kStateRegion; fault.ok() && i < regions.count; ++i) {
    fault = CheckApart(regions, starts, i);
  }
  return fault;
}

Tensor View(const format::Model& model, std::byte* const* regions, const format::Port& port) {
  const format::Slot& slot = RowsOf(model.slots())[port.slot()];
  const uint32_t* dims = RowsOf(model.dims()).data + slot.first_dim();
  Tensor tensor;
  tensor.data = regions[slot.region()] + slot.offset_bytes();
  tensor.bytes = slot.bytes();
  tensor.rank = slot.rank();
  tensor.type = static_cast<Type>(slot.type());
  // With two ends, so that GCC does not make a copy of bytes of it, whose start takes 30 cycles.
  for (uint32_t i = 0; i < kMaxRank && i < slot.rank(); ++i) tensor.dims[i] = dims[i];
  if (port.length_slot() == kNoSlot) return tensor;
  const format::Slot& length_slot = RowsOf(model.slots())[port.length_slot()];
  int32_t length;
  std::memcpy(&length, regions[length_slot.region()] + length_slot.offset_bytes(), sizeof(length));
  uint32_t& dim = tensor.dims[port.length_axis()];
  // Other engines that share the scratch may have overwritten the length.
  if (length < 0 || static_cast<uint32_t>(length) >= dim) return tensor;
  dim = static_cast<uint32_t>(length);
  uint64_t bits = BitsOf(tensor.type);
  for (uint32_t i = 0; i < slot.rank(); ++i) bits *= tensor.dims[i];
  tensor.bytes = static_cast<size_t>((bits + 7) / 8);
  return tensor;
}

bool SameText(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

const char* NameOf(const format::Model& model, uint32_t name) {
  return model.names()->Get(name)->c_str();
}

// Returns the index of the port that has that name, or ports.count if there is none.
uint32_t FindPort(const format::Model& model, Rows<format::Port> ports, const char* name) {
  if (name == nullptr) return ports.count;
  for (uint32_t i = 0; i < ports.count; ++i) {
    for (uint32_t j = 0; j < ports[i].name_count(); ++j) {
      if (SameText(NameOf(model, ports[i].first_name() + j), name)) return i;
    }
  }
  return ports.count;
}

const char* FirstName(const format::Model& model, Rows<format::Port> ports, uint32_t port) {
  if (port >= ports.count || ports[port].name_count() == 0) return nullptr;
  return NameOf(model, ports[port].first_name());
}

// Before the first Run, a length that is known only at run time has its maximum.
void ResetLengths(const format::Model& model, std::byte* const* regions) {
  const Rows<format::Slot> slots = RowsOf(model.slots());
  for (const format::Port& port : RowsOf(model.outputs())) {
    if (port.length_slot() == kNoSlot) continue;
    const format::Slot& length = slots[port.length_slot()];
    const uint32_t dim = RowsOf(model.dims())[slots[port.slot()].first_dim() + port.length_axis()];
    std::memcpy(regions[length.region()] + length.offset_bytes(), &dim, sizeof(dim));
  }
}

}  // namespace

size_t BitsOf(Type type) { return format::BitsOf(static_cast<format::ElementType>(type)); }

Fault ReadNeeds(Bytes model, Needs* needs) {
  const format::Model* root = nullptr;
  const Fault fault = VerifyHeader(model, &root);
  if (fault.ok()) *needs = NeedsOf(*root);
  return fault;
}

Fault Engine::Open(Bytes model, StepTable steps, Memory memory, Engine* out) {
  const format::Model* root = nullptr;
  Fault fault = VerifyHeader(model, &root);
  if (fault.ok()) fault = VerifyListing(*root, steps);
  return fault.ok() ? OpenVerified(*root, steps, memory, out) : fault;
}

// Not inlined: its frame would be added to the verifier's, where the stack is deepest.
__attribute__((noinline)) Fault Engine::OpenVerified(const format::Model& model, StepTable steps,
                                                     const Memory& memory, Engine* out) {
  Engine engine;
  const Fault fault = PlaceRegions(model, memory, engine.regions_);
  if (!fault.ok()) return fault;
  engine.model_ = &model;
  engine.entries_ = steps.entries;
  engine.Reset();
  ResetLengths(model, engine.regions_);
  *out = engine;
  return {};
}

uint32_t Engine::input_count() const {
  return model_ == nullptr ? 0 : RowsOf(model_->inputs()).count;
}

uint32_t Engine::output_count() const {
  return model_ == nullptr ? 0 : RowsOf(model_->outputs()).count;
}

Tensor Engine::input(uint32_t port) const {
  return port < input_count() ? View(*model_, regions_, RowsOf(model_->inputs())[port]) : Tensor{};
}

Tensor Engine::output(uint32_t port) const {
  return port < output_count() ? View(*model_, regions_, RowsOf(model_->outputs())[port])
                               : Tensor{};
}

Tensor Engine::input(PortName name) const {
  return model_ == nullptr ? Tensor{}
                           : input(FindPort(*model_, RowsOf(model_->inputs()), name.text));
}

Tensor Engine::output(PortName name) const {
  return model_ == nullptr ? Tensor{}
                           : output(FindPort(*model_, RowsOf(model_->outputs()), name.text));
}

const char* Engine::input_name(uint32_t port) const {
  return model_ == nullptr ? nullptr : FirstName(*model_, RowsOf(model_->inputs()), port);
}

const char* Engine::output_name(uint32_t port) const {
  return model_ == nullptr ? nullptr : FirstName(*model_, RowsOf(model_->outputs()), port);
}

Fault Engine::Run() {
  if (model_ == nullptr) return {FaultCode::kEngineClosed};
  const kernels::FloatMode mode;
  const bool profiled =
      profile_ != nullptr && profile_->now != nullptr && profile_->step != nullptr;
  return RunSteps(*model_, entries_, regions_, profiled ? profile_ : nullptr);
}

void Engine::Reset() {
  if (model_ == nullptr) return;
  const Rows<format::Slot> slots = RowsOf(model_->slots());
  for (const format::Variable& variable : RowsOf(model_->variables())) {
    const format::Slot& slot = slots[variable.slot()];
    std::byte* to = regions_[slot.region()] + slot.offset_bytes();
    if (slot.bytes() == 0) continue;
    if (variable.initial_slot() == kNoSlot) {
      std::memset(to, 0, slot.bytes());
    } else {
      std::memcpy(to, regions_[0] + slots[variable.initial_slot()].offset_bytes(), slot.bytes());
    }
  }
}

}  // namespace weft
