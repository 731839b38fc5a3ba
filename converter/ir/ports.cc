// SPDX-License-Identifier: Apache-2.0
// Reads ports and attributes of one layer, and the <data> of Parameter and Const.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "converter/base/elements.h"
#include "converter/base/split.h"
#include "converter/base/visible.h"
#include "converter/ir/reading.h"

namespace weft::ir {
namespace {

class PortReader {
 public:
  PortReader(Reading& reading, const Graph& graph, Layer& layer)
      : reading_(reading), graph_(graph), layer_(layer), node_(*layer.node) {}

  void ReadAttributes() {
    for (pugi::xml_attribute attribute : layer_.xml.child("data").attributes()) {
      node_.attributes[attribute.name()] = attribute.value();
    }
    if (const pugi::xml_attribute names = layer_.xml.attribute("output_names")) {
      node_.attributes.emplace("output_names", names.value());
    }
  }

  void ReadInputs() {
    for (pugi::xml_node xml : layer_.xml.child("input").children("port")) {
      PortText port = ReadPort(xml, "input", layer_.input_index, layer_.inputs.size());
      port.type = ParseElementType(xml.attribute("precision").value());
      layer_.inputs.push_back(std::move(port));
    }
  }

  void ReadOutputs() {
    // Parameter and Const repeat their type in <data>, where it is checked.
    const bool typed_by_data = layer_.xml.child("data").attribute("element_type");
    for (pugi::xml_node xml : layer_.xml.child("output").children("port")) {
      PortText port = ReadPort(xml, "output", layer_.output_index, layer_.outputs.size());
      const std::string_view precision = xml.attribute("precision").value();
      port.type = ParseElementType(precision);
      const WidenedType* widened = FindWidenedType(precision);
      if (widened != nullptr) port.type = widened->to;
      const bool open = precision.empty() || precision == "UNSPECIFIED" || precision == "dynamic";
      if (!port.type && !open && !typed_by_data) {
        Fault("output port {} has precision \"{}\"; must be one of {}", port.id, OneLine(precision),
              ElementTypeNames());
      }
      OutputPort output;
      output.type = {port.type.value_or(ElementType::f32), port.dims};
      output.declared = port.type && !port.dims.empty();
      output.widened = widened;
      output.names = SplitNames(xml.attribute("names").value());
      node_.outputs.push_back(std::move(output));
      layer_.outputs.push_back(std::move(port));
    }
  }

  // Returns the type in <data> or on the port; adds a fault if there is none or both differ.
  std::optional<ElementType> OwnType() {
    const std::optional<ElementType> port = layer_.outputs[0].type;
    const pugi::xml_attribute attribute = layer_.xml.child("data").attribute("element_type");
    if (!attribute) {
      if (!port) Fault("no element type is given, neither by <data> nor by the output port");
      return port;
    }
    const WidenedType* widened = FindWidenedType(attribute.value());
    const std::optional<ElementType> type =
        widened != nullptr ? widened->to : ParseElementType(attribute.value());
    const WidenedType* port_widened = std::exchange(node_.outputs[0].widened, widened);
    if (!type) {
      Fault("element_type is \"{}\"; must be one of {}", OneLine(attribute.value()),
            ElementTypeNames());
    } else if (port && (*port != *type || port_widened != widened)) {
      Fault("type is {} in <data> and {} on the output port; both must be equal",
            NameOf(*type, widened), NameOf(*port, port_widened));
    }
    return type;
  }

  static std::string_view NameOf(ElementType type, const WidenedType* widened) {
    return widened != nullptr ? widened->name : Name(type);
  }

  // Converts the stored elements to the constant's type.
  void Widen(const WidenedType& from, Constant& constant) {
    const auto size = static_cast<size_t>(ElementBytes(constant.type.type));
    const auto count = static_cast<size_t>(ElementCount(constant.type.dims).value_or(0));
    std::vector<std::byte> wide(count * size);
    for (size_t i = 0; i < count; ++i) {
      const uint64_t number = WidenedAt(from, constant.bytes, i);
      if (number > uint64_t{std::numeric_limits<int64_t>::max()}) {
        Fault("element {} of {} is {}; must be below 2^63", i, from.name, number);
        break;
      }
      std::memcpy(wide.data() + i * size, &number, size);
    }
    constant = OwnedConstant(constant.type, std::move(wide));
  }

  // Returns the shape likewise; dynamic dims are -1. Returns nullopt for an unknown rank or a
  // fault.
  std::optional<Dims> OwnShape() {
    const Dims& port = layer_.outputs[0].dims;
    const pugi::xml_attribute attribute = layer_.xml.child("data").attribute("shape");
    if (!attribute) return port;
    std::string_view text = attribute.value();
    if (text.find("...") != std::string_view::npos) return std::nullopt;
    std::optional<std::vector<Bounds>> bounds = ParsePartialShape(text);
    if (!bounds) {
      Fault("shape is \"{}\"; must be integers, \"?\" or ranges such as 1..8, separated by commas",
            OneLine(text));
      return std::nullopt;
    }
    Dims dims;
    for (const auto& [min, max] : *bounds) dims.push_back(min == max ? min : -1);
    if (!port.empty() && !Agree(dims, port)) {
      Fault("shape is {} in <data> and {} on the output port; both must be equal",
            weft::ToString(dims), weft::ToString(port));
    }
    node_.bounds = *std::move(bounds);
    return dims;
  }

  template <typename... Args>
  void Fault(fmt::format_string<Args...> text, Args&&... args) {
    reading_.faults.Add(Where(graph_, node_) + ": " +
                        fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  // `position` is the index of the port among the inputs or outputs.
  PortText ReadPort(pugi::xml_node xml, std::string_view side, PortIndex& index, size_t position) {
    PortText port;
    const std::string_view text = xml.attribute("id").value();
    const std::optional<int64_t> id = ParseInt(text);
    if (!id) {
      Fault("{} port id is \"{}\"; must be an integer", side, OneLine(text));
    } else if (index.contains(*id)) {
      Fault("{} port {} appears twice; ids must be unique", side, *id);
    }
    port.id = id.value_or(-1);
    port.numbered = id.has_value();
    index.emplace(port.id, position);
    for (pugi::xml_node dim : xml.children("dim")) {
      const std::optional<int64_t> value = ParseInt(dim.child_value());
      if (!value || *value < -1) {
        Fault("{} port {} has dim \"{}\"; must be an integer from 0, or -1", side, port.id,
              OneLine(dim.child_value()));
      }
      port.dims.push_back(value.value_or(-1));
    }
    Dims fixed = port.dims;
    std::erase_if(fixed, [](int64_t d) { return d < 0; });
    if (!ElementCount(fixed)) {
      Fault("{} port {} has dims {}, a product above 2^62; tensors hold less than 4294967296 bytes",
            side, port.id, weft::ToString(port.dims));
    }
    return port;
  }

  // "a,b\,c": the names "a" and "b,c".
  static std::vector<std::string> SplitNames(std::string_view text) {
    std::vector<std::string> names;
    std::string name;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ',') {
        name += text[++i];
      } else if (text[i] == ',') {
        names.push_back(std::move(name));
        name.clear();
      } else {
        name += text[i];
      }
    }
    names.push_back(std::move(name));
    std::erase(names, "");
    return names;
  }

  // Parses "?,-1,2..5,7", one entry per dimension. Brackets are allowed; an empty text is a scalar.
  static std::optional<std::vector<Bounds>> ParsePartialShape(std::string_view text) {
    const auto is_frame = [](char c) { return c == ' ' || c == '[' || c == ']' || c == '\t'; };
    while (!text.empty() && is_frame(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_frame(text.back())) text.remove_suffix(1);
    std::vector<Bounds> dims;
    if (text.empty()) return dims;
    for (const std::string_view part : Split(text, ",")) {
      const std::optional<Bounds> dim = ParseDim(part);
      if (!dim) return std::nullopt;
      dims.push_back(*dim);
    }
    return dims;
  }

  static std::optional<Bounds> ParseDim(std::string_view text) {
    if (const size_t dots = text.find(".."); dots != std::string_view::npos) {
      const std::string_view low = text.substr(0, dots), high = text.substr(dots + 2);
      const std::optional<int64_t> min = low.empty() ? 0 : ParseInt(low);
      const std::optional<int64_t> max = high.empty() ? Bounds::kNoLimit : ParseInt(high);
      if (!min || !max || *min < 0 || *min > *max) return std::nullopt;
      return Bounds{*min, *max};
    }
    if (text.find('?') != std::string_view::npos) return Bounds{};
    const std::optional<int64_t> dim = ParseInt(text);
    if (!dim || *dim < -1) return std::nullopt;
    return *dim < 0 ? Bounds{} : Bounds{*dim, *dim};
  }

  static bool Agree(const Dims& a, const Dims& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](int64_t x, int64_t y) { return x == y || x < 0 || y < 0; });
  }

  Reading& reading_;
  const Graph& graph_;
  Layer& layer_;
  Node& node_;
};

}  // namespace

void ReadPorts(Reading& reading, const Graph& graph, Layer& layer) {
  PortReader reader(reading, graph, layer);
  reader.ReadAttributes();
  reader.ReadInputs();
  reader.ReadOutputs();
}

void ReadParameter(Reading& reading, const Graph& graph, Layer& layer) {
  PortReader reader(reading, graph, layer);
  if (layer.outputs.size() != 1) {
    reader.Fault("has {} output ports; must have 1", layer.outputs.size());
    return;
  }
  OutputPort& output = layer.node->outputs[0];
  const std::optional<ElementType> type = reader.OwnType();
  const std::optional<Dims> dims = reader.OwnShape();
  output.type = {type.value_or(ElementType::f32), dims.value_or(Dims())};
  output.declared = type && dims;
  if (output.widened != nullptr) {
    reader.Fault("element_type is {}, which only constants may have; must be one of {}",
                 output.widened->name, ElementTypeNames());
  }
}

void ReadConstant(Reading& reading, const Graph& graph, Layer& layer) {
  PortReader reader(reading, graph, layer);
  if (layer.outputs.size() != 1) {
    reader.Fault("has {} output ports; must have 1", layer.outputs.size());
    return;
  }
  const std::optional<ElementType> type = reader.OwnType();
  const std::optional<Dims> dims = reader.OwnShape();
  const pugi::xml_node data = layer.xml.child("data");
  const std::optional<int64_t> offset = ParseInt(data.attribute("offset").value());
  const std::optional<int64_t> size = ParseInt(data.attribute("size").value());
  if (!offset || *offset < 0 || !size || *size < 0) {
    reader.Fault("offset is \"{}\" and size is \"{}\"; both must be integers from 0",
                 OneLine(data.attribute("offset").value()),
                 OneLine(data.attribute("size").value()));
    return;
  }
  if (!type) return;
  if (!dims) {
    // For a malformed shape a fault was added; an unknown rank is well-formed but invalid here.
    if (std::string_view(data.attribute("shape").value()).find("...") != std::string_view::npos) {
      reader.Fault("shape is \"{}\"; the shape of a constant must be fixed",
                   OneLine(data.attribute("shape").value()));
    }
    return;
  }
  Constant constant{.type = {*type, *dims}, .owner = nullptr, .bytes = {}};
  const std::optional<int64_t> bytes = DenseBytes(constant.type);
  if (!bytes) {
    const bool dynamic = std::any_of(dims->begin(), dims->end(), [](int64_t d) { return d < 0; });
    reader.Fault("is {}; {}", weft::ToString(constant.type),
                 dynamic ? "the shape of a constant must be fixed"
                         : "tensors hold less than 4294967296 bytes");
    return;
  }
  const WidenedType* widened = layer.node->outputs[0].widened;
  const int64_t stored =
      widened == nullptr ? *bytes : (*ElementCount(*dims) * widened->bits + 7) / 8;
  if (stored > *size) {
    reader.Fault("size is {} bytes but {}{} needs {}", *size, PortReader::NameOf(*type, widened),
                 weft::ToString(*dims), stored);
    return;
  }
  OutputPort& output = layer.node->outputs[0];
  output.type = constant.type;
  output.declared = true;
  // Like OpenVINO: all `size` bytes must exist, and bytes after the elements are ignored.
  reading.weights.Take(*offset, *size, *layer.node, constant, reading.faults);
  if (!constant.bytes.empty()) constant.bytes = constant.bytes.first(static_cast<size_t>(stored));
  if (widened != nullptr && !constant.bytes.empty()) reader.Widen(*widened, constant);
  layer.node->constant = std::move(constant);
}

}  // namespace weft::ir
