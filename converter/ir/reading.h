// SPDX-License-Identifier: Apache-2.0
// Internal interface between the sources of the reader. Every function reports all faults that it
// finds and continues, so a Graph with faults has holes (ReadWithHoles).
#ifndef WEFT_CONVERTER_IR_READING_H_
#define WEFT_CONVERTER_IR_READING_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <pugixml.hpp>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "converter/base/faults.h"
#include "converter/ir/document.h"
#include "converter/ir/graph.h"
#include "converter/ir/weights_file.h"

namespace weft::ir {

struct Reading {
  const Document& document;
  WeightsFile& weights;
  Faults& faults;
};

// Index of each port id among the inputs, or among the outputs, of a layer.
using PortIndex = std::unordered_map<int64_t, size_t>;

// A <port> element. Inputs and outputs have separate ids.
struct PortText {
  int64_t id = -1;
  bool numbered = true;  // false: the id is invalid, and a fault was added
  std::optional<ElementType> type;
  Dims dims;
};

struct Layer {
  pugi::xml_node xml;
  std::unique_ptr<Node> node;
  bool reached = false;  // needed by a Result or an Assign, or is a Parameter
  std::vector<PortText> inputs, outputs;
  PortIndex input_index, output_index;  // the first port of each id
};

// Reads the layers and edges of a <net> or <body>. `depth` is the number of enclosing bodies.
std::unique_ptr<Graph> ReadGraph(Reading& reading, pugi::xml_node element, int depth);

// Reads ports and <data> attributes of one layer into the layer and its node.
void ReadPorts(Reading& reading, const Graph& graph, Layer& layer);

// Read the <data> of Parameter and Const. Call after ReadPorts.
void ReadParameter(Reading& reading, const Graph& graph, Layer& layer);
void ReadConstant(Reading& reading, const Graph& graph, Layer& layer);

// Reads bodies, port maps and back edges of TensorIterator, Loop and If. Call after ReadPorts.
void ReadBodies(Reading& reading, const Graph& graph, Layer& layer, int depth);

void ReportCycles(const Graph& graph, Faults& faults);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_READING_H_
