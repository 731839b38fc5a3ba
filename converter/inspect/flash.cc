// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/flash.h"

namespace weft::inspect {
namespace {

constexpr uint64_t kCountBytes = 4;  // before the elements of each vector

template <typename T>
uint64_t BytesOf(const flatbuffers::Vector<const T*>* rows) {
  return rows == nullptr ? 0 : kCountBytes + uint64_t{rows->size()} * sizeof(T);
}
template <typename T>
uint64_t BytesOf(const flatbuffers::Vector<T>* numbers) {
  return numbers == nullptr ? 0 : kCountBytes + uint64_t{numbers->size()} * sizeof(T);
}
uint64_t BytesOf(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* texts) {
  if (texts == nullptr) return 0;
  uint64_t bytes = kCountBytes;
  for (const flatbuffers::String* text : *texts) {
    bytes += sizeof(flatbuffers::uoffset_t) + kCountBytes + text->size() + 1;
  }
  return bytes;
}

uint64_t ParameterBytes(const format::Model& model) {
  uint64_t bytes = 0;
#define WEFT_STEP(name, ...) bytes += BytesOf(model.name());
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  return bytes;
}

}  // namespace

std::vector<FlashPart> FlashOf(Bytes file) {
  const format::Model& model = *format::GetModel(file.data);
  std::vector<FlashPart> parts = {
      {"weights", "weights and other constants, with their length", BytesOf(model.weights())},
      {"self test", "inputs and expected outputs", BytesOf(model.self_test())},
      {"steps", "steps and their operands", BytesOf(model.steps()) + BytesOf(model.operands())},
      {"parameters", "parameters of the steps", ParameterBytes(model)},
      {"slots", "types, addresses and strides of tensors",
       BytesOf(model.slots()) + BytesOf(model.dims()) + BytesOf(model.moves())},
      {"sections", "loops and branches", BytesOf(model.sections()) + BytesOf(model.marks())},
      {"ports", "inputs, outputs and variables",
       BytesOf(model.inputs()) + BytesOf(model.outputs()) + BytesOf(model.variables())},
      {"names", "names of ports and layers", BytesOf(model.names()) + BytesOf(model.step_names())},
      {"notes", "data for weft verify and weft inspect",
       BytesOf(model.slot_buffers()) + BytesOf(model.streaming()) +
           BytesOf(model.streamed_ports())}};
  uint64_t sum = 0;
  for (const FlashPart& part : parts) sum += part.bytes;
  parts.push_back({"head", "root table, regions, alignment", file.size - sum});
  return parts;
}

}  // namespace weft::inspect
