// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/file_engine.h"

#include <cstring>
#include <iterator>
#include <vector>

#include "converter/base/element_type.h"
#include "converter/base/narrow.h"
#include "kernels/elementwise/convert.h"

namespace weft::emit {
namespace {

// Fills with numbers in [-1, 1) that are multiples of 2^-12; f16 and bf16 round them.
void FillReals(const Tensor& tensor, size_t count, MadeNumbers& random) {
  std::vector<float> values(count);
  for (float& value : values) value = (static_cast<float>(random.Next()) - 4096.0f) / 4096.0f;
  if (tensor.type == Type::kF32) {
    std::memcpy(tensor.data, values.data(), tensor.bytes);
  } else {
    kernels::Convert({Narrow32(count, "count"), kernels::Element::kF32,
                      static_cast<kernels::Element>(tensor.type)},
                     values.data(), tensor.data);
  }
}

}  // namespace

std::string Words(const Fault& fault) {
  char text[256];
  return {text, Describe(fault, text, sizeof(text))};
}

void AddBrokenRule(const Fault& fault, Faults& faults) {
  faults.Add("weft: internal error: invalid model file: " + Words(fault));
}

Fault OwnEngine::Open(weft::Bytes model, const Needs& needs, StepTable steps) {
  memory_.clear();
  memory_.emplace_back(needs.state_bytes);
  memory_.emplace_back(needs.scratch_bytes);
  for (uint32_t bytes : needs.more_scratch_bytes) memory_.emplace_back(bytes);
  Memory memory;
  memory.state = {memory_[0].data(), memory_[0].size()};
  memory.scratch = {memory_[1].data(), memory_[1].size()};
  for (size_t i = 0; i < std::size(memory.more_scratch); ++i) {
    memory.more_scratch[i] = {memory_[2 + i].data(), memory_[2 + i].size()};
  }
  return Engine::Open(model, steps, memory, &engine);
}

Fault FileEngine::Open() {
  Needs needs;
  const Fault fault = ReadNeeds(bytes(), &needs);
  return fault.ok() ? OwnEngine::Open(bytes(), needs) : fault;
}

bool FileEngine::Open(Faults& faults) {
  const Fault fault = Open();
  if (!fault.ok()) AddBrokenRule(fault, faults);
  return fault.ok();
}

void Fill(const Tensor& tensor, MadeNumbers& random) {
  if (tensor.bytes == 0) return;
  const size_t bits = BitsOf(tensor.type);
  const size_t count = tensor.bytes * 8 / bits;
  if (IsFloat(static_cast<format::ElementType>(tensor.type))) {
    return FillReals(tensor, count, random);
  }
  std::memset(tensor.data, 0, tensor.bytes);
  const uint32_t mask = tensor.type == Type::kBool ? 1 : 3;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t number = random.Next() & mask;
    uint8_t& byte = tensor.as<uint8_t>()[i * bits / 8];
    byte = Narrow<uint8_t>(byte | (number << (i * bits % 8)), "byte");
  }
}

}  // namespace weft::emit
