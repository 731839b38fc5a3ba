// SPDX-License-Identifier: Apache-2.0
// The reader of .tflite files: graphs of small files, messages, and damaged files.
#include "converter/tflite/read.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "converter/base/elements.h"
#include "converter/convert.h"
#include "converter/ir/consistency.h"
#include "converter/ir/graph.h"
#include "converter/tflite/model.h"
#include "converter/tflite/unsupported.h"
#include "tests/converter/tflite/model_writer.h"

namespace weft::tflite {
namespace {

using Lines = std::vector<std::string>;

std::unique_ptr<ir::Graph> ReadBytes(std::vector<std::byte> bytes, Lines& lines) {
  Faults faults;
  std::unique_ptr<ir::Graph> graph = ReadWithHoles("model.tflite", std::move(bytes), {}, faults);
  lines = faults.lines();
  return graph;
}

std::unique_ptr<ir::Graph> Read(const ModelWriter& model) {
  Lines lines;
  std::unique_ptr<ir::Graph> graph = ReadBytes(model.Bytes(), lines);
  EXPECT_EQ(lines, Lines());
  EXPECT_EQ(ir::InconsistencyIn(*graph), "");
  return graph;
}

Lines FaultsOf(const ModelWriter& model) {
  Lines lines;
  ReadBytes(model.Bytes(), lines);
  return lines;
}

// The types of the nodes that compute the first output, the last one first.
std::vector<std::string> TypesBehind(const ir::Graph& graph) {
  std::vector<std::string> types;
  for (const ir::Node* node = graph.results[0]->inputs[0].node; true; node = node->inputs[0].node) {
    types.push_back(node->type);
    if (node->inputs.empty()) return types;
  }
}

const ir::Node* NodeOfType(const ir::Graph& graph, const std::string& type) {
  for (const auto& node : graph.nodes) {
    if (node->type == type) return node.get();
  }
  return nullptr;
}

TEST(TfliteRead, NamesPortsByTheSignature) {
  const auto graph = Read(DenseModel());
  ASSERT_EQ(graph->parameters.size(), 1U);
  EXPECT_EQ(graph->parameters[0]->outputs[0].names, (Lines{"audio", "x:0"}));
  EXPECT_EQ(graph->parameters[0]->outputs[0].type, (TensorType{ElementType::f32, {1, 3}}));
  const ir::Source y = graph->results[0]->inputs[0];
  EXPECT_EQ(y.node->outputs[y.port].names, (Lines{"keys", "y:0"}));
  EXPECT_EQ(TypesBehind(*graph), (Lines{"Relu", "Add", "MatMul", "Parameter"}));
}

TEST(TfliteRead, NamesPortsByTensorsWithoutSignature) {
  ModelWriter model = DenseModel();
  model.input_names = model.output_names = {};
  EXPECT_EQ(Read(model)->parameters[0]->outputs[0].names, Lines{"x:0"});
}

TEST(TfliteRead, FlattensRowsOfADenseLayer) {
  ModelWriter model = DenseModel();
  model.tensors[0].dims = {2, 2, 3};
  EXPECT_EQ(TypesBehind(*Read(model)), (Lines{"Relu", "Add", "MatMul", "Reshape", "Parameter"}));
}

TEST(TfliteRead, KeepsIntegerPortsAndScales) {
  const auto graph = Read(QuantisedDenseModel());
  EXPECT_EQ(graph->parameters[0]->outputs[0].type.type, ElementType::i8);
  EXPECT_EQ(TypesBehind(*graph), (Lines{"Convert", "FakeQuantize", "FakeQuantize", "Relu", "Add",
                                        "MatMul", "Dequantize", "Parameter"}));
  const ir::Node& codes = *graph->results[0]->inputs[0].node;
  EXPECT_EQ(codes.attributes.at("destination_type"), "i8");
  const ir::Node& numbers = *codes.inputs[0].node->inputs[0].node;
  EXPECT_EQ(std::stof(numbers.attributes.at("scale")), 0.3f);
  EXPECT_EQ(numbers.attributes.at("zero_point"), "7");
}

TEST(TfliteRead, ScalesTheBiasByDataAndWeights) {
  ModelWriter model = QuantisedDenseModel();
  model.tensors[2].scales = {1, 1};  // kernels ignore the stored scale
  const auto graph = Read(model);
  const ir::Node& sum = *NodeOfType(*graph, "Add");
  const ir::Constant& bias = *sum.inputs[1].node->constant;
  for (size_t i = 0; i < 2; ++i) {
    const double scale = double{0.1f} * double{i == 0 ? 0.01f : 0.02f};
    const auto number = static_cast<float>((i == 0 ? 100 : -200) * scale);
    EXPECT_EQ(RealAt(ElementType::f32, bias.bytes, i), double{number});
  }
}

TEST(TfliteRead, ExpandsSparseConstants) {
  ModelWriter model = DenseModel();
  // Rows dense, columns compressed: 1 at [0,2], 2 at [1,0], 3 at [1,1].
  model.tensors[1].data = BytesOf<float>({1, 2, 3});
  model.tensors[1].sparsity = [](flatbuffers::FlatBufferBuilder& b) {
    const std::vector<int32_t> order = {0, 1};
    const std::vector<uint8_t> segments = {0, 1, 3}, indices = {2, 0, 1};
    const auto starts = schema::CreateUint8VectorDirect(b, &segments).Union();
    const auto columns = schema::CreateUint8VectorDirect(b, &indices).Union();
    const std::vector axes = {
        schema::CreateAxisMetadata(b, schema::AxisFormat::dense, 2),
        schema::CreateAxisMetadata(b, schema::AxisFormat::csr, 0, schema::IndexVector::Uint8Vector,
                                   starts, schema::IndexVector::Uint8Vector, columns)};
    return schema::CreateSparsityDirect(b, &order, nullptr, &axes);
  };
  const auto graph = Read(model);
  const ir::Constant& weights = *NodeOfType(*graph, "MatMul")->inputs[1].node->constant;
  std::vector<float> numbers(6);
  std::memcpy(numbers.data(), weights.bytes.data(), weights.bytes.size());
  EXPECT_EQ(numbers, (std::vector<float>{0, 0, 1, 2, 3, 0}));
  model.tensors[1].data = BytesOf<float>({1, 2, 3, 4});
  EXPECT_EQ(FaultsOf(model), Lines{"model.tflite: subgraph 0: tensor 1 \"w\": has 16 bytes of "
                                   "sparse data; its indices need 12"});
}

TEST(TfliteRead, ListsUnsupportedOperatorsAtOnce) {
  ModelWriter model = DenseModel();
  model.operators.push_back({10, {3}, {3}});
  model.operators.push_back({10, {3}, {3}});
  model.operators.push_back({32, {3}, {3}, schema::Options::NONE, nullptr, 1, "FlexErf"});
  EXPECT_EQ(FaultsOf(model),
            (Lines{"model.tflite: operator 1 HASHTABLE_LOOKUP \"y:0\" and 1 more: is not "
                   "supported; string tensors and hash tables must be outside of the model",
                   "model.tflite: operator 3 CUSTOM FlexErf \"y:0\": is not supported; must be "
                   "converted with builtin operators only, without SELECT_TF_OPS"}));
}

TEST(TfliteRead, ReportsOperators) {
  const std::string where = "model.tflite: operator 0 FULLY_CONNECTED \"y:0\": ";
  ModelWriter model = DenseModel();
  model.operators[0].version = 99;
  EXPECT_EQ(FaultsOf(model), Lines{where + "is of version 99; must be at most 14"});
  model = DenseModel();
  model.operators[0].options = schema::Options::MulOptions;
  EXPECT_EQ(FaultsOf(model), Lines{where + "has options of type 21; must have its own options"});
  model = DenseModel();
  model.operators[0].inputs = {-1, 1};
  EXPECT_EQ(FaultsOf(model), Lines{where + "input 0 is left out; must be given"});
  model = DenseModel();
  model.tensors[1].dims = {6};
  EXPECT_EQ(FaultsOf(model), Lines{where + "input 1 has rank 1; must have rank 2"});
}

// The product of two matrices of codes. Scales are powers of two; that of the output is 1.
ModelWriter ProductOfCodes(schema::ElementType type, float x_scale, float z_scale) {
  const auto tensor = [type](const char* name, std::vector<int32_t> dims, float scale) {
    ModelWriter::Tensor of = {name, std::move(dims), type};
    of.scales = {scale};
    of.zeros = {0};
    return of;
  };
  constexpr int kBatchMatMul = 126;
  ModelWriter model;
  model.tensors = {tensor("x", {2, 3}, x_scale), tensor("z", {3, 4}, z_scale),
                   tensor("y", {2, 4}, 1.0f)};
  model.operators = {{kBatchMatMul, {0, 1}, {2}}};
  model.inputs = {0, 1};
  model.outputs = {2};
  return model;
}

TEST(TfliteRead, ReportsScalesBeyondAnIntegerFactor) {
  const std::string where =
      "model.tflite: operator 0 BATCH_MATMUL \"y\": scales of the inputs, divided by that of the "
      "output, are ";
  EXPECT_EQ(FaultsOf(ProductOfCodes(Type::i8, 0x1p15f, 0x1p14f)), Lines());
  EXPECT_EQ(FaultsOf(ProductOfCodes(Type::i8, 0x1p15f, 0x1p15f)),
            Lines{where + "1073741824; must be below 2^30"});
  EXPECT_EQ(FaultsOf(ProductOfCodes(Type::i16, 0x1p7f, 0x1p6f)), Lines());
  EXPECT_EQ(FaultsOf(ProductOfCodes(Type::i16, 0x1p7f, 0x1p7f)),
            Lines{where + "16384; must be below 2^14"});
}

// An operator on x f32[1,4] with the constants `first` and `second`.
ModelWriter ConstantsModel(int number, const std::vector<int32_t>& first,
                           const std::vector<int32_t>& second) {
  const auto vector = [](const char* name, const std::vector<int32_t>& numbers) {
    return ModelWriter::Tensor{
        name, {static_cast<int32_t>(numbers.size())}, schema::ElementType::i32, BytesOf(numbers)};
  };
  ModelWriter model;
  model.tensors = {{"x", {1, 4}}, vector("a", first), vector("b", second), {"y", {1, 4}}};
  model.operators = {{number, {0, 1, 2}, {3}}};
  model.inputs = {0};
  model.outputs = {3};
  return model;
}

TEST(TfliteRead, RefusesConstantsThatTfliteRefuses) {
  const auto slice = [](const std::vector<int32_t>& begin, const std::vector<int32_t>& size) {
    return FaultsOf(ConstantsModel(65, begin, size));
  };
  const std::string where = "model.tflite: operator 0 SLICE \"y\": axis 1 of [1,4] begins at ";
  EXPECT_EQ(slice({0, 1}, {1, -1}), Lines());
  EXPECT_EQ(slice({0, 4}, {1, 0}), Lines());
  EXPECT_EQ(slice({0, -2}, {1, 1}), Lines{where + "-2 with size 1; must be within the axis"});
  EXPECT_EQ(slice({0, 3}, {1, 2}), Lines{where + "3 with size 2; must be within the axis"});
  EXPECT_EQ(slice({0, 0}, {1, -2}), Lines{where + "0 with size -2; must be within the axis"});
  EXPECT_EQ(slice({0, 2147483647}, {1, 1}),
            Lines{where + "2147483647 with size 1; must be within the axis"});
  ModelWriter model = ConstantsModel(65, {0, 3}, {1, 2});
  model.tensors[0].signature = {1, -1};
  EXPECT_EQ(FaultsOf(model), Lines());
  EXPECT_EQ(FaultsOf(ConstantsModel(36, {-1}, {0})),
            Lines{"model.tflite: operator 0 GATHER \"y\": index -1 is negative; must be a position "
                  "of the axis"});
  model = ConstantsModel(43, {}, {});
  model.operators[0].inputs = {0};
  model.operators[0].options = schema::Options::SqueezeOptions;
  model.operators[0].table = [](flatbuffers::FlatBufferBuilder& b) {
    const std::vector<int32_t> axes = {1};
    return schema::CreateSqueezeOptionsDirect(b, &axes).Union();
  };
  EXPECT_EQ(FaultsOf(model), Lines{"model.tflite: operator 0 SQUEEZE \"y\": removes axis 1 of "
                                   "[1,4]; must be an axis of extent 1"});
  model.tensors[0].dims = {1, 1, 2, 2};
  model.operators[0].number = 97;
  model.operators[0].inputs = {0, 1};
  model.operators[0].options = schema::Options::ResizeNearestNeighborOptions;
  model.operators[0].table = [](flatbuffers::FlatBufferBuilder& b) {
    return schema::CreateResizeNearestNeighborOptions(b, true, true).Union();
  };
  EXPECT_EQ(FaultsOf(model),
            Lines{"model.tflite: operator 0 RESIZE_NEAREST_NEIGHBOR \"y\": aligns corners and has "
                  "half-pixel centers; must have at most one of them"});
}

TEST(TfliteRead, ReportsTensors) {
  const std::string where = "model.tflite: subgraph 0: tensor ";
  ModelWriter model = DenseModel();
  model.tensors[1].data.pop_back();
  EXPECT_EQ(FaultsOf(model), Lines{where + "1 \"w\": has 23 bytes of data; f32[2,3] needs 24"});
  model = DenseModel();
  model.tensors[1].dims = {-2, 3};
  EXPECT_EQ(FaultsOf(model), Lines{where + "1 \"w\": shape is [-2,3]; dims must be from 0, with a "
                                           "product up to 2^62"});
  for (const auto& [scale, text] :
       {std::pair(0x1p-101F, "3.9443045e-31"), {0x1p101F, "2.535301"}}) {
    model = QuantisedDenseModel();
    model.tensors[0].scales = {scale};
    const Lines lines = FaultsOf(model);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0].find(where + "0 \"x:0\": scale is " + text), 0U) << lines[0];
    EXPECT_NE(lines[0].find("; must be from 2^-100 to 2^100"), std::string::npos) << lines[0];
  }
  model = QuantisedDenseModel();
  model.tensors[0].scales = {0};
  model.tensors[1].scales = {1, 2, 3};
  model.tensors[2].axis = 1;  // valid: a vector has one axis
  EXPECT_EQ(
      FaultsOf(model),
      (Lines{where + "0 \"x:0\": scale is 0; must be finite and above 0",
             where + "1 \"w\": has 3 scales and 2 elements on axis 0; must have one for each"}));
  model = QuantisedDenseModel();
  model.tensors[1].axis = 2;
  EXPECT_EQ(FaultsOf(model),
            Lines{where + "1 \"w\": quantized axis is 2 of a tensor [2,3]; must be below 2"});
  model = DenseModel();
  model.operators[0].inputs = {0, 1, 4};
  model.outputs = {-1};
  EXPECT_EQ(FaultsOf(model),
            (Lines{"model.tflite: subgraph 0: output is tensor -1; must be 0 to 3",
                   "model.tflite: operator 0: input is tensor 4; must be -1 to 3"}));
  model = DenseModel();
  model.tensors[1].data.clear();
  EXPECT_EQ(FaultsOf(model), Lines{"model.tflite: tensor \"w\" is read and has no value; must be "
                                   "an input, a constant or the output of an earlier operator"});
  model = DenseModel();
  model.version = 2;
  EXPECT_EQ(FaultsOf(model), Lines{"model.tflite: version is 2; must be 3"});
}

TEST(TfliteRead, RefusesEveryPrefix) {
  const std::vector<std::byte> whole = QuantisedDenseModel().Bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    Lines lines;
    const std::vector<std::byte> bytes(whole.begin(),
                                       whole.begin() + static_cast<std::ptrdiff_t>(size));
    ReadBytes(bytes, lines);
    EXPECT_FALSE(lines.empty()) << size;
  }
}

// Reads files with each word replaced. Some remain valid; the others have messages.
TEST(TfliteRead, SurvivesEveryChangedWord) {
  const std::vector<std::byte> whole = QuantisedDenseModel().Bytes();
  for (size_t at = 0; at + 4 <= whole.size(); at += 4) {
    for (const uint32_t flip : {0xFFFFFFFFU, 1U, 0x80000000U, 0x7FU, 0x00010000U}) {
      std::vector<std::byte> bytes = whole;
      uint32_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof word);
      word ^= flip;
      std::memcpy(bytes.data() + at, &word, sizeof word);
      Lines lines;
      const auto graph = ReadBytes(std::move(bytes), lines);
      for (const std::string& line : lines) EXPECT_EQ(line.substr(0, 12), "model.tflite") << at;
      if (graph == nullptr || !lines.empty()) continue;
      EXPECT_EQ(ir::InconsistencyIn(*graph), "") << at;
    }
  }
}

TEST(TfliteRead, KeepsOnlyStatesThatAreReadFirst) {
  constexpr int kHandle = 142, kRead = 143, kAssign = 144;
  ModelWriter model = DenseModel();
  model.tensors.push_back({"handle", {}, schema::ElementType::resource});
  model.tensors.push_back({"past", {1, 2}});
  model.operators.push_back({kHandle, {}, {4}});
  const ModelWriter::Operator read = {kRead, {4}, {5}}, assign = {kAssign, {4, 3}, {}};
  model.operators.push_back(assign);
  EXPECT_EQ(Read(model)->sinks.size(), 0U);
  model.operators.push_back(read);
  model.outputs = {3, 5};
  EXPECT_EQ(Read(model)->sinks.size(), 0U);
  std::swap(model.operators[2], model.operators[3]);
  EXPECT_EQ(Read(model)->sinks.size(), 1U);
}

TEST(TfliteRead, ConvertsInMemory) {
  converter::Options options;
  options.name = "model.tflite";
  const std::vector<std::byte> bytes = QuantisedDenseModel().Bytes();
  const converter::Result result = converter::Convert(bytes, {}, options);
  EXPECT_EQ(result.faults, Lines());
  EXPECT_GT(result.model.file.size(), 0U);
}

TEST(TfliteRead, KnowsEachOperatorOnce) {
  std::vector<std::pair<int, std::string_view>> keys;  // custom operators share a number
  for (const OperatorRow& row : Operators()) keys.emplace_back(row.number, row.name);
  std::ranges::sort(keys);
  const auto again = std::ranges::adjacent_find(keys, [](const auto& a, const auto& b) {
    return a.second == b.second || (a.first == b.first && a.first != kCustom);
  });
  EXPECT_EQ(again, keys.end());
}

}  // namespace
}  // namespace weft::tflite
