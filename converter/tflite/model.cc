// SPDX-License-Identifier: Apache-2.0
#include "converter/tflite/model.h"

#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "converter/base/file_kind.h"
#include "converter/base/quantisation.h"
#include "converter/base/visible.h"
#include "converter/tflite/decode.h"
#include "converter/tflite/tensor_data.h"

namespace weft::tflite {
namespace {

constexpr size_t kMaxTableDepth = 16, kMaxTables = 10'000'000;
constexpr uint32_t kVersion = 3;
constexpr size_t kMaxVerified = FLATBUFFERS_MAX_BUFFER_SIZE - 1;

std::string TextOf(const flatbuffers::String* text) { return text == nullptr ? "" : text->str(); }

template <typename T>
size_t LengthOf(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

// Copies the numbers of a vector. FlatBuffers verifies only the alignment of its length, so numbers
// of 8 bytes may be at any multiple of 4.
template <typename To, typename From>
std::vector<To> ListOf(const flatbuffers::Vector<From>* vector) {
  std::vector<To> list;
  for (size_t i = 0; i < LengthOf(vector); ++i) {
    From number;
    std::memcpy(&number, vector->Data() + i * sizeof(From), sizeof(From));
    list.push_back(static_cast<To>(flatbuffers::EndianScalar(number)));
  }
  return list;
}

bool IsQuantizable(schema::ElementType type) {
  using Type = schema::ElementType;
  constexpr Type kTypes[] = {Type::u8,  Type::i8, Type::i16, Type::i32,
                             Type::i64, Type::i4, Type::u4};
  return std::ranges::find(kTypes, type) != std::end(kTypes);
}

class ModelReader {
 public:
  ModelReader(Model& model, const schema::Model& from, Faults& faults)
      : model_(model), from_(from), faults_(faults), data_(model.bytes, from, faults) {}

  void Read() {
    if (from_.version() != kVersion) {
      Fault("version is {}; must be {}", from_.version(), kVersion);
    }
    if (LengthOf(from_.subgraphs()) == 0) Fault("has no subgraph; must have at least one");
    if (from_.subgraphs() == nullptr) return;
    const size_t faults = faults_.lines().size();
    for (const schema::SubGraph* subgraph : *from_.subgraphs()) ReadSubgraph(*subgraph);
    if (faults_.lines().size() == faults) Decode();
    ReadSignatures();
  }

 private:
  template <typename... Args>
  void Fault(fmt::format_string<Args...> text, Args&&... args) {
    faults_.Add(fmt::format("{}: {}", model_.file, fmt::format(text, std::forward<Args>(args)...)));
  }

  void ReadSubgraph(const schema::SubGraph& from) {
    const size_t index = model_.subgraphs.size();
    Subgraph& subgraph = model_.subgraphs.emplace_back();
    subgraph.name = TextOf(from.name());
    for (size_t i = 0; i < LengthOf(from.tensors()); ++i) {
      const auto position = static_cast<flatbuffers::uoffset_t>(i);
      subgraph.tensors.push_back(TensorOf(*from.tensors()->Get(position), index, i));
    }
    subgraph.inputs = ListOf<int32_t>(from.inputs());
    subgraph.outputs = ListOf<int32_t>(from.outputs());
    const std::string where = fmt::format("subgraph {}", index);
    CheckIds(subgraph, subgraph.inputs, where, "input", 0);
    CheckIds(subgraph, subgraph.outputs, where, "output", 0);
    for (size_t i = 0; i < LengthOf(from.operators()); ++i) {
      const auto position = static_cast<flatbuffers::uoffset_t>(i);
      ReadOperator(subgraph, *from.operators()->Get(position), fmt::format("operator {}", i));
    }
  }

  void Decode() {
    for (size_t i = 0; i < model_.subgraphs.size(); ++i) {
      Subgraph& subgraph = model_.subgraphs[i];
      const std::string prefix = i == 0 ? "" : fmt::format("subgraph {}: ", i);
      for (size_t at = 0; at < subgraph.operators.size(); ++at) {
        const Operator& op = subgraph.operators[at];
        if (op.number != kCustom || op.custom_code != kDecode) continue;
        const std::string where =
            fmt::format("{}: {}operator {} CUSTOM {}", model_.file, prefix, at, kDecode);
        DecodeConstants(op, where, subgraph, faults_);
      }
    }
  }

  // Adds a fault for each id that is not one of a tensor of the subgraph.
  void CheckIds(const Subgraph& subgraph, const std::vector<int32_t>& ids, std::string_view where,
                std::string_view what, int32_t min) {
    const auto count = static_cast<int64_t>(subgraph.tensors.size());
    for (const int32_t id : ids) {
      if (id >= min && id < count) continue;
      Fault("{}: {} is tensor {}; must be {} to {}", where, what, id, min, count - 1);
    }
  }

  void ReadOperator(Subgraph& subgraph, const schema::Operator& from, const std::string& where) {
    Operator& op = subgraph.operators.emplace_back();
    op.table = &from;
    const size_t codes = LengthOf(from_.operator_codes());
    if (from.opcode_index() >= codes) {
      Fault("{}: operator code is {}; must be below {}", where, from.opcode_index(), codes);
    } else {
      const schema::OperatorCode& code = *from_.operator_codes()->Get(from.opcode_index());
      // Old files have only the 8-bit field, and new ones store 127 there for larger numbers.
      op.number = std::max<int>(code.builtin_code(), code.deprecated_builtin_code());
      op.version = code.version();
      op.custom_code = TextOf(code.custom_code());
    }
    op.inputs = ListOf<int32_t>(from.inputs());
    op.outputs = ListOf<int32_t>(from.outputs());
    op.intermediates = ListOf<int32_t>(from.intermediates());
    CheckIds(subgraph, op.inputs, where, "input", kLeftOut);
    CheckIds(subgraph, op.outputs, where, "output", 0);
    CheckIds(subgraph, op.intermediates, where, "intermediate", kLeftOut);
  }

  Tensor TensorOf(const schema::Tensor& from, size_t subgraph, size_t index) {
    Tensor tensor;
    tensor.name = TextOf(from.name());
    tensor.type = from.type();
    tensor.dims = ListOf<int64_t>(from.shape());
    tensor.signature = ListOf<int64_t>(from.shape_signature());
    tensor.is_variable = from.is_variable();
    const std::string where =
        fmt::format("subgraph {}: tensor {} \"{}\"", subgraph, index, OneLine(tensor.name));
    if (!ElementCount(tensor.dims)) {
      Fault("{}: shape is {}; dims must be from 0, with a product up to 2^62", where,
            ToString(tensor.dims));
      return tensor;
    }
    const bool fits = tensor.signature.size() == tensor.dims.size() &&
                      std::ranges::all_of(tensor.signature, [](int64_t d) { return d >= -1; });
    if (!tensor.signature.empty() && !fits) {
      Fault("{}: shape_signature is {} and shape is {}; must have equal ranks and dims from -1",
            where, ToString(tensor.signature), ToString(tensor.dims));
      tensor.signature.clear();
    }
    ReadQuantization(from, where, tensor);
    data_.Read(from, fmt::format("{}: {}", model_.file, where), tensor);
    return tensor;
  }

  void ReadQuantization(const schema::Tensor& from, const std::string& where, Tensor& tensor) {
    const schema::Quantization* table = from.quantization();
    if (table == nullptr || !IsQuantizable(tensor.type)) return;
    if (table->details_type() != schema::QuantizationDetails::NONE) {
      return Fault("{}: has quantization of type {}; must have a scale for the tensor or per axis",
                   where, static_cast<int>(table->details_type()));
    }
    if (LengthOf(table->scale()) == 0) return;
    TensorQuantization quantization;
    quantization.scales = ListOf<float>(table->scale());
    quantization.zeros = ListOf<int64_t>(table->zero_point());
    // Files may have fewer zero points than scales; the first one then holds for all.
    if (quantization.zeros.size() != quantization.scales.size()) {
      const int64_t zero = quantization.zeros.empty() ? 0 : quantization.zeros.front();
      quantization.zeros.assign(quantization.scales.size(), zero);
    }
    for (const float scale : quantization.scales) {
      if (std::isfinite(scale) && scale > 0) continue;
      return Fault("{}: scale is {}; must be finite and above 0", where, scale);
    }
    // Filters may have a smaller scale for outputs without weights.
    if (quantization.is_per_tensor() && !IsScale(quantization.scales[0])) {
      return Fault("{}: scale is {}; must be from 2^-100 to 2^100", where, quantization.scales[0]);
    }
    constexpr int64_t kMaxZero = std::numeric_limits<int32_t>::max();
    for (const int64_t zero : quantization.zeros) {
      if (zero >= -kMaxZero && zero <= kMaxZero) continue;
      return Fault("{}: zero point is {}; must be an i32", where, zero);
    }
    if (!quantization.is_per_tensor() && !SetAxis(*table, where, tensor, quantization)) return;
    tensor.quantization = std::move(quantization);
  }

  bool SetAxis(const schema::Quantization& table, const std::string& where, const Tensor& tensor,
               TensorQuantization& quantization) {
    const int64_t rank = std::ssize(tensor.dims);
    // Old converters give a bias the axis of its weights.
    const int64_t axis = rank == 1 ? 0 : table.axis();
    if (axis < 0 || axis >= rank) {
      Fault("{}: quantized axis is {} of a tensor {}; must be below {}", where, axis,
            ToString(tensor.dims), rank);
      return false;
    }
    quantization.axis = static_cast<size_t>(axis);
    if (std::ssize(quantization.scales) == tensor.dims[quantization.axis]) return true;
    Fault("{}: has {} scales and {} elements on axis {}; must have one for each", where,
          quantization.scales.size(), tensor.dims[quantization.axis], axis);
    return false;
  }

  void ReadSignatures() {
    for (size_t i = 0; i < LengthOf(from_.signature_defs()); ++i) {
      const schema::SignatureDef& from =
          *from_.signature_defs()->Get(static_cast<flatbuffers::uoffset_t>(i));
      const std::string key = TextOf(from.signature_key());
      const size_t subgraph = from.subgraph_index();
      if (subgraph >= model_.subgraphs.size()) {
        Fault("signature \"{}\": subgraph is {}; must be below {}", OneLine(key), subgraph,
              model_.subgraphs.size());
        continue;
      }
      model_.signatures.push_back({key, subgraph, NamesOf(from.inputs(), key, subgraph),
                                   NamesOf(from.outputs(), key, subgraph)});
    }
  }

  std::vector<std::pair<std::string, int32_t>> NamesOf(
      const flatbuffers::Vector<flatbuffers::Offset<schema::TensorMap>>* maps,
      const std::string& key, size_t subgraph) {
    std::vector<std::pair<std::string, int32_t>> names;
    const size_t count = model_.subgraphs[subgraph].tensors.size();
    for (size_t i = 0; i < LengthOf(maps); ++i) {
      const schema::TensorMap& map = *maps->Get(static_cast<flatbuffers::uoffset_t>(i));
      if (map.tensor_index() < count) {
        names.emplace_back(TextOf(map.name()), static_cast<int32_t>(map.tensor_index()));
        continue;
      }
      Fault("signature \"{}\": \"{}\" is tensor {}; must be below {}", OneLine(key),
            OneLine(TextOf(map.name())), map.tensor_index(), count);
    }
    return names;
  }

  Model& model_;
  const schema::Model& from_;
  Faults& faults_;
  TensorDataReader data_;
};

}  // namespace

bool IsTflite(std::span<const std::byte> bytes) {
  constexpr std::string_view kIdentifier = "TFL3";
  constexpr size_t kAt = 4;
  if (bytes.size() < kAt + kIdentifier.size()) return false;
  return std::ranges::equal(bytes.subspan(kAt, kIdentifier.size()),
                            std::as_bytes(std::span(kIdentifier)));
}

std::unique_ptr<Model> ReadModel(std::string file, std::vector<std::byte> bytes, Faults& faults) {
  const size_t faults_before = faults.lines().size();
  auto model = std::make_unique<Model>();
  model->file = std::move(file);
  model->bytes = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  const auto* data = reinterpret_cast<const uint8_t*>(model->bytes->data());
  flatbuffers::Verifier verifier(data, std::min(model->bytes->size(), kMaxVerified), kMaxTableDepth,
                                 kMaxTables);
  if (const std::string reason = NotATflite(model->file, *model->bytes); !reason.empty()) {
    faults.Add(fmt::format("{}: {}", model->file, reason));
    return nullptr;
  }
  if (!schema::VerifyModelBuffer(verifier)) {
    faults.Add(fmt::format(
        "{}: is damaged: an offset or a length is outside of the {} bytes; must be a TensorFlow "
        "Lite model",
        model->file, model->bytes->size()));
    return nullptr;
  }
  ModelReader(*model, *schema::GetModel(data), faults).Read();
  return faults.lines().size() == faults_before ? std::move(model) : nullptr;
}

}  // namespace weft::tflite
