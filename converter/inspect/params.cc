// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/params.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "converter/inspect/sections.h"
#include "kernels/elementwise/chain.h"
#include "kernels/matrix/dense_i8.h"

namespace weft::inspect {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
T Load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

Json Scalar(uint16_t type, const std::byte* at) {
  switch (type) {
    case flatbuffers::ET_UCHAR:
    case flatbuffers::ET_BOOL:
      return Load<uint8_t>(at);
    case flatbuffers::ET_CHAR:
      return Load<int8_t>(at);
    case flatbuffers::ET_USHORT:
      return Load<uint16_t>(at);
    case flatbuffers::ET_INT:
      return Load<int32_t>(at);
    case flatbuffers::ET_UINT:
      return Load<uint32_t>(at);
    case flatbuffers::ET_FLOAT:
      return Load<float>(at);
    default:
      return nullptr;  // weft.fbs uses no other type in a struct
  }
}

size_t ScalarBytes(uint16_t type) {
  switch (type) {
    case flatbuffers::ET_USHORT:
      return 2;
    case flatbuffers::ET_INT:
    case flatbuffers::ET_UINT:
    case flatbuffers::ET_FLOAT:
      return 4;
    default:
      return 1;
  }
}

Json EnumName(const flatbuffers::TypeTable& table, int64_t value) {
  if (value >= 0 && static_cast<size_t>(value) < table.num_elems) return table.names[value];
  return value;
}

// The number of entries of a struct's arrays: the sum of its fields named "...rank".
size_t RankOf(const flatbuffers::TypeTable& table, const std::byte* row) {
  size_t rank = 0;
  for (size_t i = 0; i < table.num_elems; ++i) {
    if (std::string_view(table.names[i]).ends_with("rank"))
      rank += Load<uint32_t>(row + table.values[i]);
  }
  return rank;
}

Json StructJson(const flatbuffers::TypeTable& table, const std::byte* row) {
  Json json = Json::object();
  const size_t rank = RankOf(table, row);
  for (size_t i = 0; i < table.num_elems; ++i) {
    const std::string_view name = table.names[i];
    if (name.starts_with("reserved")) continue;
    const flatbuffers::TypeCode code = table.type_codes[i];
    const std::byte* at = row + table.values[i];
    Json value;
    if (code.base_type == flatbuffers::ET_SEQUENCE) {
      value = StructJson(*table.type_refs[code.sequence_ref](), at);
    } else if (code.is_repeating != 0) {
      value = Json::array();
      for (size_t k = 0; k < rank; ++k) {
        value.push_back(Scalar(code.base_type, at + k * ScalarBytes(code.base_type)));
      }
    } else {
      value = Scalar(code.base_type, at);
      if (code.sequence_ref >= 0)
        value = EnumName(*table.type_refs[code.sequence_ref](), value.get<int64_t>());
    }
    json[std::string(name)] = std::move(value);
  }
  return json;
}

// Text of an operand of a chain: an input, named as in ops.inc, a register, or a number.
std::string ChainOperand(const format::ChainParams& chain, uint32_t operand) {
  if (operand < kernels::kChainInputs) return std::string(1, static_cast<char>('a' + operand));
  const uint32_t last = operand - kernels::kChainInputs;
  const uint32_t written = uint32_t{chain.registers()} - chain.constants();
  if (last < written) return fmt::format("r{}", last);
  return fmt::format("{}", chain.numbers()->Get(static_cast<uint16_t>(last - written)));
}

// Returns a text such as "r0 = multiply(a, 2); y = tanh(r0)".
std::string ChainText(const format::ChainParams& chain) {
  std::string text;
  for (uint32_t i = 0; i < chain.instructions(); ++i) {
    const uint8_t* at = chain.code()->Data() + size_t{4} * i;
    const std::string to = i + 1 == chain.instructions() ? "y" : fmt::format("r{}", at[3]);
    const bool is_binary = at[0] >= kernels::kChainBinary;
    const char* op =
        is_binary
            ? format::EnumNameBinaryOp(static_cast<format::BinaryOp>(at[0] - kernels::kChainBinary))
            : format::EnumNameUnaryOp(static_cast<format::UnaryOp>(at[0]));
    text += fmt::format("{}{} = {}({}", i == 0 ? "" : "; ", to, op, ChainOperand(chain, at[1]));
    if (is_binary) text += ", " + ChainOperand(chain, at[2]);
    const float alpha = is_binary ? 0 : chain.numbers()->Get(at[2]);
    const float beta = is_binary ? 0 : chain.numbers()->Get(static_cast<uint16_t>(at[2] + 1));
    if (alpha != 0 || beta != 0) text += fmt::format("; alpha {}, beta {}", alpha, beta);
    text += ")";
  }
  return text;
}

// Adds the strides of the inputs that the chain reads, and the chain as text.
void DescribeChain(const format::ChainParams& chain, Json& json) {
  Json strides = Json::object();
  for (uint32_t i = 0; i < chain.instructions(); ++i) {
    const uint8_t* at = chain.code()->Data() + size_t{4} * i;
    const uint32_t operands = at[0] >= kernels::kChainBinary ? 2 : 1;
    for (uint32_t o = 1; o <= operands; ++o) {
      if (at[o] >= kernels::kChainInputs) continue;
      Json traversal = Json::array();
      for (uint32_t d = 0; d < chain.rank(); ++d) {
        traversal.push_back(
            chain.strides()->Get(static_cast<uint16_t>(at[o] * kernels::kChainRank + d)));
      }
      strides[ChainOperand(chain, at[o])] = std::move(traversal);
    }
  }
  json["strides"] = std::move(strides);
  json.erase("numbers");
  json.erase("code");
  json["program"] = ChainText(chain);
}

template <typename Params>
Json RowJson(const Params& params) {
  Json json =
      StructJson(*Params::MiniReflectTypeTable(), reinterpret_cast<const std::byte*>(&params));
  if constexpr (std::is_same_v<Params, format::ChainParams>) DescribeChain(params, json);
  return json;
}

std::string PrecisionOfRows(uint32_t max) { return max == kernels::kMinMax ? "i8x8" : "i8"; }
std::string PrecisionOfWeights(format::ElementType type) {
  return type == format::ElementType::i8 ? "i8x32" : "";
}

}  // namespace

std::string PrecisionText(const format::Model& model, const format::Step& step) {
  switch (static_cast<format::Kind>(step.kind())) {
    case format::Kind::dense_i8:
      return PrecisionOfRows(model.dense_i8()->Get(step.param())->max());
    case format::Kind::conv_i8:
      return PrecisionOfRows(model.conv_i8()->Get(step.param())->max());
#define WEFT_SCALED_STEP(name, Name) \
  case format::Kind::name:           \
    return PrecisionOfWeights(model.name()->Get(step.param())->weights());
#include "runtime/format/narrow_steps.inc"
#undef WEFT_SCALED_STEP
    default:
      return "";
  }
}

Json ParamsJson(const format::Model& model, const format::Step& step) {
  Json json;
  VisitParams(model, step, [&](const auto& params) { json = RowJson(params); });
  if (const std::string precision = PrecisionText(model, step); !precision.empty()) {
    json["precision"] = precision;
  }
  return json;
}

std::string ParamsText(const Json& params) {
  std::string text;
  for (const auto& [name, value] : params.items()) {
    if (!text.empty()) text += ' ';
    if (value.is_object()) {
      // Nested structs are activations and quantisation parameters; zero fields have no effect.
      Json acting = value;
      for (const auto& [key, part] : value.items()) {
        if (part.is_number() && part.get<double>() == 0.0) acting.erase(key);
      }
      text += fmt::format("{}({})", name, ParamsText(acting));
    } else {
      text +=
          fmt::format("{}={}", name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return text;
}

}  // namespace weft::inspect
