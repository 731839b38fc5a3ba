// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/params.h"

#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

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

// Arrays of a struct hold as many entries as its fields named "...rank" say together.
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

}  // namespace

Json ParamsJson(const format::Model& model, const format::Step& step) {
  switch (static_cast<format::Kind>(step.kind())) {
#define WEFT_STEP(name, Name, ...)                      \
  case format::Kind::name:                              \
    return StructJson(*format::Name##ParamsTypeTable(), \
                      reinterpret_cast<const std::byte*>(model.name()->Get(step.param())));
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case format::Kind::section:
      break;
  }
  return nullptr;
}

std::string ParamsText(const Json& params) {
  std::string text;
  for (const auto& [name, value] : params.items()) {
    if (!text.empty()) text += ' ';
    if (value.is_object()) {
      // Nested structs are activations and levels: what is zero does not act.
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
