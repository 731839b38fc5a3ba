// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/file_engine.h"

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
  char text[192];
  return {text, Describe(fault, text, sizeof(text))};
}

void AddBrokenRule(const Fault& fault, Faults& faults) {
  faults.Add("weft: internal error: invalid model file: " + Words(fault));
}

bool FileEngine::Open(Faults& faults) {
  Needs needs;
  fault_ = ReadNeeds(bytes(), &needs);
  if (fault_.ok()) {
    state_ = AlignedBytes(needs.state_bytes);
    scratch_ = AlignedBytes(needs.scratch_bytes);
    Memory memory = {Of(state_), Of(scratch_)};
    for (size_t i = 0; i < std::size(more_); ++i) {
      more_[i] = AlignedBytes(needs.more_scratch_bytes[i]);
      memory.more_scratch[i] = Of(more_[i]);
    }
    fault_ = Engine::Open(bytes(), AllSteps(), memory, &engine);
  }
  if (fault_.ok()) return true;
  AddBrokenRule(fault_, faults);
  return false;
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
