// SPDX-License-Identifier: Apache-2.0
// How the files of the reader share their work; only the reader includes this. Every function
// reports all it finds and goes on, so a Graph that came with faults has holes (ReadWithHoles).
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

// Port ids of one side of a layer, with their places there.
using PortIndex = std::unordered_map<int64_t, size_t>;

// <port> as written. Inputs and outputs count their ids apart.
struct PortText {
  int64_t id = -1;
  bool numbered = true;  // false: the id is none, and a fault has said so
  std::optional<ElementType> type;
  Dims dims;
};

struct Layer {
  pugi::xml_node xml;
  std::unique_ptr<Node> node;
  bool reached = false;  // from a Result, an Assign, or a Parameter itself
  std::vector<PortText> inputs, outputs;
  PortIndex input_index, output_index;  // the first port of each id
};

// The layers and edges below <net> or <body>. `depth` counts the bodies around it.
std::unique_ptr<Graph> ReadGraph(Reading& reading, pugi::xml_node element, int depth);

// Ports and <data> attributes of one layer, into the layer and its node.
void ReadPorts(Reading& reading, const Graph& graph, Layer& layer);

// What Parameter and Const say of themselves in <data>; their ports have been read.
void ReadParameter(Reading& reading, const Graph& graph, Layer& layer);
void ReadConstant(Reading& reading, const Graph& graph, Layer& layer);

// Bodies, port maps and back edges of TensorIterator, Loop and If; the ports have been read.
void ReadBodies(Reading& reading, const Graph& graph, Layer& layer, int depth);

void ReportCycles(const Graph& graph, Faults& faults);

}  // namespace weft::ir

#endif  // WEFT_CONVERTER_IR_READING_H_
