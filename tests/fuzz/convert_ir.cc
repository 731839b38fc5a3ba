// SPDX-License-Identifier: Apache-2.0
// The fuzzer `convert_ir`: hostile IR. An input has kOptionBytes (conversion.h), the XML, a zero
// byte and the weights. The mutator edits the XML as a document: it replaces attributes and
// dimensions, and removes, repeats or moves elements. Its words are the names of the operations and
// types that the converter implements, and the values of the same document.
#include <pugixml.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "converter/base/element_type.h"
#include "converter/ops/operation.h"
#include "tests/fuzz/conversion.h"
#include "tests/fuzz/fuzzer.h"

namespace weft::fuzz {
namespace {

const std::vector<std::string>& XmlWords() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> list = {
        "-1",      "-2",    "1,1",      "-1,-1",   "2147483647", "9223372036854775807",
        "1e308",   "nan",   "-inf",     "",        "true",       "false",
        "forward", "numpy", "explicit", "reverse", "valid",      "same_upper"};
    for (const ops::Operation& operation : ops::Table()) {
      list.emplace_back(operation.name);
      list.push_back("opset" + std::to_string(operation.opset));
    }
#define WEFT_TYPE(name, ...) list.emplace_back(#name);
#include "kernels/types.inc"
#undef WEFT_TYPE
    return list;
  }();
  return words;
}

// The values of a document that a mutation may replace, and its elements.
struct Document {
  pugi::xml_document xml;
  std::vector<pugi::xml_attribute> attributes;
  std::vector<pugi::xml_text> texts;
  std::vector<pugi::xml_node> elements;

  bool Parse(std::string_view text) {
    if (!xml.load_buffer(text.data(), text.size())) return false;
    for (pugi::xml_node node : xml.children()) Collect(node);
    return !elements.empty();
  }
  std::string Text() const {
    std::ostringstream text;
    xml.save(text, "", pugi::format_raw);
    return text.str();
  }

 private:
  void Collect(pugi::xml_node node) {
    if (node.type() != pugi::node_element) return;
    elements.push_back(node);
    for (pugi::xml_attribute attribute : node.attributes()) attributes.push_back(attribute);
    if (node.first_child().type() == pugi::node_pcdata) texts.push_back(node.text());
    for (pugi::xml_node child : node.children()) Collect(child);
  }
};

// A value to replace `value`: a neighbour, another value of the same kind, a word or a small
// number.
std::string Replaced(const std::string& value, const std::string& other, Random& random) {
  const auto number = static_cast<uint64_t>(std::strtoll(value.c_str(), nullptr, 10));
  switch (Below(random, 8)) {
    case 0:
      return std::to_string(static_cast<int64_t>(number + 1));
    case 1:
      return std::to_string(static_cast<int64_t>(number - 1));
    case 2:
      return PickFrom(random, XmlWords());
    case 3:
      return value + "," + other;
    case 4:
      return std::to_string(number * 2);
    case 5:
      return std::to_string(Below(random, 12));
    default:
      return other;
  }
}

// Removes, repeats or replaces an element, or moves it to the end of another one's parent.
void ChangeElement(Document& document, Random& random) {
  pugi::xml_node node = PickFrom(random, document.elements);
  const pugi::xml_node other = PickFrom(random, document.elements);
  pugi::xml_node parent = node.parent();
  switch (Below(random, 4)) {
    case 0:
      parent.remove_child(node);
      return;
    case 1:
      parent.insert_copy_after(node, node);
      return;
    case 2:
      if (std::string_view(node.name()) != other.name()) return;
      parent.insert_copy_after(other, node);
      parent.remove_child(node);
      return;
    default:
      other.parent().append_copy(node);
      return;
  }
}

void ChangeXml(std::string& xml, Random& random) {
  Document document;
  if (!document.Parse(xml)) return;
  if (Below(random, 5) == 0) {
    ChangeElement(document, random);
  } else if (!document.texts.empty() && Below(random, 2) == 0) {
    pugi::xml_text text = PickFrom(random, document.texts);
    const std::string other = PickFrom(random, document.texts).get();
    text.set(Replaced(text.get(), other, random).c_str());
  } else if (!document.attributes.empty()) {
    pugi::xml_attribute attribute = PickFrom(random, document.attributes);
    // An attribute of the same name, which most often has a value of the same kind.
    std::string other = PickFrom(random, document.attributes).value();
    for (int i = 0; i < 20; ++i) {
      const pugi::xml_attribute another = PickFrom(random, document.attributes);
      if (std::string_view(another.name()) == attribute.name()) other = another.value();
    }
    attribute.set_value(Replaced(attribute.value(), other, random).c_str());
  }
  xml = document.Text();
}

void ChangeWeights(std::string& weights, Random& random) {
  if (weights.empty()) return;
  const size_t at = Below(random, weights.size());
  if (Below(random, 6) == 0) {
    weights.resize(at);
    return;
  }
  const size_t bytes = std::min<size_t>(weights.size() - at, 1u << Below(random, 4));
  const char fill = Below(random, 2) == 0 ? '\xFF' : static_cast<char>(Below(random, 9));
  for (size_t i = at; i < at + bytes; ++i) weights[i] = fill;
}

}  // namespace

void Run(Input input) {
  Choices choices(input);
  if (input.size() <= kOptionBytes) return;
  const Input model = input.subspan(kOptionBytes);
  const auto end = std::find(model.begin(), model.end(), std::byte{0});
  const auto bytes = static_cast<size_t>(end - model.begin());
  const Input weights = bytes < model.size() ? model.subspan(bytes + 1) : Input();
  ConvertInput(choices, model.first(bytes), weights, "model.xml");
}

void Mutate(std::string& input, Random& random) {
  if (input.size() <= kOptionBytes) return;
  if (Below(random, 8) == 0) {
    input[Below(random, kOptionBytes)] = static_cast<char>(random() >> 8);
    return;
  }
  const size_t end = std::min(input.find('\0', kOptionBytes), input.size());
  std::string xml = input.substr(kOptionBytes, end - kOptionBytes);
  std::string weights = end < input.size() ? input.substr(end + 1) : "";
  if (Below(random, 8) == 0) {
    ChangeWeights(weights, random);
  } else {
    for (size_t changes = 1 + Below(random, 3); changes > 0; --changes) ChangeXml(xml, random);
  }
  input = input.substr(0, kOptionBytes) + xml + '\0' + weights;
}

}  // namespace weft::fuzz
