// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/recognise/forms/border.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/recognise/forms/axis_path.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/convolve.h"
#include "converter/ops/support/look_back.h"

namespace weft::graph {
namespace {

// Number of zeros before and after each axis.
struct Zeros {
  std::vector<int64_t> before, after;
};

std::optional<Zeros> ZerosOf(const ir::Graph& graph, const ir::Node& pad) {
  if (!IsCalled(pad, "Pad")) return std::nullopt;
  Faults discarded;
  const bool fills = ops::Attributes(graph, pad, discarded).Text("pad_mode", "") == "constant";
  if (!fills || (pad.inputs.size() > 3 && NumberIn(pad.inputs[3]) != 0)) return std::nullopt;
  const size_t rank = TypeOf(pad.inputs[0]).dims.size();
  Zeros zeros = {IntsOf(pad.inputs[1]), IntsOf(pad.inputs[2])};
  const auto is_sound = [&](const std::vector<int64_t>& counts) {
    return counts.size() == rank && std::ranges::min(counts) >= 0;
  };
  if (rank == 0 || !is_sound(zeros.before) || !is_sound(zeros.after)) return std::nullopt;
  return zeros;
}

// Returns the convolution's attributes with the zeros as padding. Non-finite weights are excluded,
// because their product with a zero is NaN.
std::optional<std::map<std::string, std::string>> PaddedAttributes(const ir::Graph& graph,
                                                                   ir::Node& convolution,
                                                                   const Zeros& zeros,
                                                                   const AxisOrigins& origins) {
  Faults discarded;
  const ops::NodeScope scope(graph, convolution, discarded);
  if (!ops::IsFinite(scope, ops::kFilters)) return std::nullopt;
  ops::Window window = ops::ConvolvedWindow(scope);
  for (size_t axis = 0; axis < zeros.before.size(); ++axis) {
    if (zeros.before[axis] == 0 && zeros.after[axis] == 0) continue;
    const int64_t at = PositionOf(origins, axis);
    if (at < 2) return std::nullopt;
    ops::WindowAxis& along = window.axis(static_cast<size_t>(at) - 2);
    along.pad_begin += zeros.before[axis];
    along.pad_end += zeros.after[axis];
  }
  std::map<std::string, std::string> attributes = convolution.attributes;
  for (auto& [key, value] : ops::PadsOf(window)) attributes[key] = value;
  return attributes;
}

void TakeBorder(ir::Graph& graph, ir::Node& convolution) {
  if (!IsConvolved(convolution)) return;
  const auto [path, padded] = PathTo(convolution.inputs[0]);
  const std::optional<Zeros> zeros = ZerosOf(graph, *padded.node);
  if (path.empty() || !zeros) return;
  const std::optional<AxisOrigins> origins = OriginsAtEnd(path, zeros->before.size());
  if (!origins) return;
  const ir::Source data = padded.node->inputs[0];
  auto attributes = PaddedAttributes(graph, convolution, *zeros, *origins);
  if (!attributes || !KeepsChanged(path, TypeOf(padded).dims, TypeOf(data).dims)) return;
  convolution.inputs[0] = Along(graph, convolution, path, data);
  convolution.attributes = *std::move(attributes);
}

}  // namespace

void RecogniseBorders(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    for (const ir::Body& body : node->bodies) RecogniseBorders(*body.graph);
    TakeBorder(graph, *node);
  }
}

}  // namespace weft::graph
