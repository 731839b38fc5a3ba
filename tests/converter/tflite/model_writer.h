// SPDX-License-Identifier: Apache-2.0
// Writes small .tflite files for tests of the reader.
#ifndef WEFT_TESTS_CONVERTER_TFLITE_MODEL_WRITER_H_
#define WEFT_TESTS_CONVERTER_TFLITE_MODEL_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "converter/tflite/schema/tflite_generated.h"

namespace weft::tflite {

template <typename T>
std::vector<uint8_t> BytesOf(const std::vector<T>& numbers) {
  std::vector<uint8_t> bytes(numbers.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

// The tables of a file with one subgraph; tests change single fields before writing.
struct ModelWriter {
  using Type = schema::ElementType;
  struct Tensor {
    std::string name;
    std::vector<int32_t> dims;
    Type type = Type::f32;
    std::vector<uint8_t> data = {};
    std::vector<float> scales = {};
    std::vector<int64_t> zeros = {};
    int32_t axis = 0;
    bool is_variable = false;
    std::vector<int32_t> signature = {};
    std::function<flatbuffers::Offset<schema::Sparsity>(flatbuffers::FlatBufferBuilder&)> sparsity =
        nullptr;
  };
  struct Operator {
    int number = 0;
    std::vector<int32_t> inputs, outputs;
    schema::Options options = schema::Options::NONE;
    std::function<flatbuffers::Offset<void>(flatbuffers::FlatBufferBuilder&)> table = nullptr;
    int version = 1;
    std::string custom_code = "";
    std::vector<uint8_t> custom_options = {};
  };

  std::vector<Tensor> tensors;
  std::vector<Operator> operators;
  std::vector<int32_t> inputs, outputs;
  std::vector<std::pair<std::string, int32_t>> input_names, output_names;  // of the signature
  uint32_t version = 3;

  std::vector<std::byte> Bytes() const {
    flatbuffers::FlatBufferBuilder b;
    std::vector<flatbuffers::Offset<schema::Buffer>> buffers = {schema::CreateBuffer(b)};
    std::vector<flatbuffers::Offset<schema::Tensor>> tables;
    for (const Tensor& tensor : tensors) {
      uint32_t buffer = 0;
      if (!tensor.data.empty()) {
        buffer = static_cast<uint32_t>(buffers.size());
        buffers.push_back(schema::CreateBufferDirect(b, &tensor.data));
      }
      const auto quantization =
          schema::CreateQuantizationDirect(b, nullptr, nullptr, &tensor.scales, &tensor.zeros,
                                           schema::QuantizationDetails::NONE, 0, tensor.axis);
      const auto sparsity =
          tensor.sparsity ? tensor.sparsity(b) : flatbuffers::Offset<schema::Sparsity>();
      tables.push_back(schema::CreateTensorDirect(
          b, &tensor.dims, tensor.type, buffer, tensor.name.c_str(), quantization,
          tensor.is_variable, sparsity, tensor.signature.empty() ? nullptr : &tensor.signature));
    }
    std::vector<flatbuffers::Offset<schema::OperatorCode>> codes;
    std::vector<flatbuffers::Offset<schema::Operator>> steps;
    for (const Operator& op : operators) {
      codes.push_back(schema::CreateOperatorCodeDirect(
          b, static_cast<int8_t>(op.number < 127 ? op.number : 127), op.custom_code.c_str(),
          op.version, op.number));
      const auto table = op.table ? op.table(b) : flatbuffers::Offset<void>();
      steps.push_back(schema::CreateOperatorDirect(b, static_cast<uint32_t>(codes.size() - 1),
                                                   &op.inputs, &op.outputs, op.options, table,
                                                   &op.custom_options));
    }
    const std::vector subgraphs = {
        schema::CreateSubGraphDirect(b, &tables, &inputs, &outputs, &steps, "main")};
    const std::vector signatures = {schema::CreateSignatureDefDirect(
        b, Maps(b, input_names).get(), Maps(b, output_names).get(), "serving_default", "", 0)};
    schema::FinishModelBuffer(
        b, schema::CreateModelDirect(b, version, &codes, &subgraphs, "test", &buffers, nullptr,
                                     nullptr, &signatures));
    const auto* bytes = reinterpret_cast<const std::byte*>(b.GetBufferPointer());
    return {bytes, bytes + b.GetSize()};
  }

 private:
  using TensorMaps = std::vector<flatbuffers::Offset<schema::TensorMap>>;
  static std::unique_ptr<TensorMaps> Maps(
      flatbuffers::FlatBufferBuilder& b,
      const std::vector<std::pair<std::string, int32_t>>& names) {
    auto maps = std::make_unique<TensorMaps>();
    for (const auto& [name, tensor] : names) {
      maps->push_back(
          schema::CreateTensorMapDirect(b, name.c_str(), static_cast<uint32_t>(tensor)));
    }
    return maps;
  }
};

// y = relu(x w^T + bias) with x [1,3], w [2,3]: tensors x, w, bias, y.
inline ModelWriter DenseModel() {
  ModelWriter model;
  model.tensors = {{"x:0", {1, 3}},
                   {"w", {2, 3}, schema::ElementType::f32, BytesOf<float>({1, 2, 3, -4, 5, -6})},
                   {"bias", {2}, schema::ElementType::f32, BytesOf<float>({0.5f, -0.5f})},
                   {"y:0", {1, 2}}};
  model.operators = {
      {9,
       {0, 1, 2},
       {3},
       schema::Options::FullyConnectedOptions,
       [](flatbuffers::FlatBufferBuilder& b) {
         return schema::CreateFullyConnectedOptions(b, schema::Activation::relu).Union();
       }}};
  model.inputs = {0};
  model.outputs = {3};
  model.input_names = {{"audio", 0}};
  model.output_names = {{"keys", 3}};
  return model;
}

// The same with int8 data and weights of one scale per output.
inline ModelWriter QuantisedDenseModel() {
  ModelWriter model = DenseModel();
  using Type = schema::ElementType;
  ModelWriter::Tensor &x = model.tensors[0], &w = model.tensors[1], &bias = model.tensors[2],
                      &y = model.tensors[3];
  x.type = w.type = y.type = Type::i8;
  x.scales = {0.1f};
  x.zeros = {-3};
  w.data = BytesOf<int8_t>({1, 2, 3, -127, 5, -128});
  w.scales = {0.01f, 0.02f};
  w.zeros = {0, 0};
  bias.type = Type::i32;
  bias.data = BytesOf<int32_t>({100, -200});
  bias.scales = {0.001f, 0.002f};
  bias.zeros = {0, 0};
  y.scales = {0.3f};
  y.zeros = {7};
  return model;
}

}  // namespace weft::tflite

#endif  // WEFT_TESTS_CONVERTER_TFLITE_MODEL_WRITER_H_
