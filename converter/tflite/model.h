// SPDX-License-Identifier: Apache-2.0
// A .tflite file as structs: subgraphs, tensors, operators and signatures. All offsets and ids were
// checked. Sparse and compressed constants are expanded; other constants refer to the bytes of the
// file. Operators are not interpreted.
#ifndef WEFT_CONVERTER_TFLITE_MODEL_H_
#define WEFT_CONVERTER_TFLITE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/graph.h"
#include "converter/tflite/schema/tflite_generated.h"

namespace weft::tflite {

// number = (code - zero) * scale. One scale and zero for the tensor, or one per index of `axis`.
struct TensorQuantization {
  std::vector<float> scales;   // finite, above 0; at least one
  std::vector<int64_t> zeros;  // as many as scales
  size_t axis = 0;             // of several scales
  bool is_per_tensor() const { return scales.size() == 1; }
  bool operator==(const TensorQuantization&) const = default;
};

struct Tensor {
  std::string name;  // may be empty or the same as that of another tensor
  schema::ElementType type = schema::ElementType::f32;
  Dims dims;       // the stored shape
  Dims signature;  // with -1 for unknown dims; empty if the shape has none
  bool is_variable = false;
  std::optional<TensorQuantization> quantization;
  // For a tensor with data. The type is the stored one: codes if the tensor is quantised.
  std::optional<ir::Constant> constant;
};

inline constexpr int32_t kLeftOut = -1;  // id of an optional input that is not given

struct Operator {
  int number = 0;  // builtin operator; kCustom: see custom_code
  int version = 1;
  std::string custom_code;
  std::vector<int32_t> inputs, outputs, intermediates;  // tensors of the subgraph, or kLeftOut
  const schema::Operator* table = nullptr;              // options
};

inline constexpr int kCustom = 32;

struct Subgraph {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<int32_t> inputs, outputs;
  std::vector<Operator> operators;  // in order of execution
};

// Names of a subgraph's inputs and outputs.
struct Signature {
  std::string key;
  size_t subgraph = 0;
  std::vector<std::pair<std::string, int32_t>> inputs, outputs;
};

struct Model {
  std::string file;                                     // for messages
  std::shared_ptr<const std::vector<std::byte>> bytes;  // keeps tables and constants alive
  std::vector<Subgraph> subgraphs;                      // at least one; the first is the model
  std::vector<Signature> signatures;
};

// Returns true if the bytes have the identifier of the format.
bool IsTflite(std::span<const std::byte> bytes);

// Returns null if faults were added. `file` is the name in messages.
std::unique_ptr<Model> ReadModel(std::string file, std::vector<std::byte> bytes, Faults& faults);

}  // namespace weft::tflite

#endif  // WEFT_CONVERTER_TFLITE_MODEL_H_
