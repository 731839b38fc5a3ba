// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/mask_samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/closed_values.h"
#include "converter/graph/streaming/length_values.h"
#include "converter/graph/streaming/masks.h"
#include "converter/ir/time_length.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

constexpr int64_t kMinSteps = 84;
constexpr int64_t kMaxWindow = 420;

using SampleKey = std::pair<const ir::Node*, uint32_t>;
using Samples = std::map<SampleKey, ir::Constant>;

struct Reader {
  ir::Node* node;
  size_t input;
};

SampleKey KeyOf(const Reader& reader) {
  const ir::Source& source = reader.node->inputs[reader.input];
  return {source.node, source.port};
}

std::vector<Reader> ReadersOfMasks(const ir::Graph& graph, const Folding& folding) {
  const ClosedNodes closed(graph);
  LengthValues values(graph, folding);
  std::vector<Reader> readers;
  for (ir::Node* node : ir::Topological(graph)) {
    if (closed.Is(*node) || node->outputs.size() != 1) continue;
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      const ir::Source& input = node->inputs[i];
      const bool is_mask = !input.node->constant && closed.Is(*input.node) &&
                           ir::OpenAxes(input) != 0 &&
                           (IsOverPairs(input) || IsOverPairs({node, 0}));
      if (is_mask && !values.Depend(input)) readers.push_back({node, i});
    }
  }
  return readers;
}

Samples SamplesFor(const ir::Graph& graph, const std::vector<Reader>& readers, int64_t steps,
                   const Folding& folding) {
  OtherLength sample(graph, [&](const ir::Source& source) {
    return ir::DimsFor(source.node->outputs[source.port], steps);
  });
  std::map<SampleKey, const ir::Node*> results;
  for (const Reader& reader : readers) {
    const auto [found, is_new] = results.try_emplace(KeyOf(reader), nullptr);
    if (is_new) found->second = sample.Add(reader.node->inputs[reader.input]);
  }
  sample.Compute(folding);
  Samples samples;
  for (const auto& [source, result] : results) {
    const std::optional<ir::Constant>& constant = result->inputs[0].node->constant;
    if (constant) samples[source] = *constant;
  }
  return samples;
}

// Collects the numbers in a mask from which on it may have another form, such as a window.
class StatedNumbers {
 public:
  explicit StatedNumbers(const ir::Graph& graph) : graph_(graph) {}

  void Read(ir::Node& node) {
    if (!done_.insert(&node).second || node.constant || node.operation == nullptr) return;
    const ops::Traits& traits = node.operation->traits;
    if (traits.shape_only) return;
    for (const ir::Source& input : node.inputs) {
      const ir::Constant* constant = ConstantOf(input);
      if (constant == nullptr) Read(*input.node);
      if (constant != nullptr && traits.pointwise) Add(*constant);
    }
    const Quiet<ops::Attributes> attributes(graph_, node);
    if (attributes.Has("min")) Add(attributes.Float("min", 0));
    if (attributes.Has("max")) Add(attributes.Float("max", 0));
    reads_table_ =
        reads_table_ || (node.inputs[0].node->constant && ops::RelationOf(graph_, node).selects);
  }

  // Returns a number of steps that shows the form of the mask.
  int64_t Steps() const {
    if (reads_table_) return 2 * kMaxWindow;
    return std::max(kMinSteps, 2 * (static_cast<int64_t>(std::ceil(max_)) + 1));
  }
  // Returns true if there are numbers above kMaxWindow.
  bool has_more() const { return has_more_; }

 private:
  void Add(const ir::Constant& constant) {
    const auto count = static_cast<size_t>(ElementCount(constant.type.dims).value_or(0));
    for (size_t i = 0; i < count; ++i) Add(NumberAt(constant, i));
  }
  void Add(double number) {
    number = std::abs(number);
    if (!(number < -kExcludingScore)) return;  // a score
    has_more_ = has_more_ || number > kMaxWindow;
    if (number <= kMaxWindow) max_ = std::max(max_, number);
  }

  const ir::Graph& graph_;
  std::set<const ir::Node*> done_;
  double max_ = 0;
  bool has_more_ = false, reads_table_ = false;
};

}  // namespace

bool IsOverPairs(const ir::Source& source) {
  const size_t rank = DimsOf(source).size();
  return rank >= 2 && (ir::OpenAxes(source) >> (rank - 2) & 3U) == 3U;
}

MaskSamples SampleMasks(ir::Graph& graph, const Folding& folding) {
  const std::vector<Reader> readers = ReadersOfMasks(graph, folding);
  StatedNumbers numbers(graph);
  for (const Reader& reader : readers) numbers.Read(*reader.node->inputs[reader.input].node);
  const Samples samples = SamplesFor(graph, readers, numbers.Steps(), folding);
  for (const Reader& reader : readers) {
    ir::Source& input = reader.node->inputs[reader.input];
    const auto found = samples.find(KeyOf(reader));
    if (found == samples.end()) continue;
    const ir::Source constant = NewConstant(graph, *input.node, found->second);
    constant.node->outputs[0].type.dims = DimsOf(input);
    constant.node->outputs[0].doubled = input.node->outputs[input.port].doubled;
    input = constant;
  }
  return {numbers.Steps(), !numbers.has_more()};
}

}  // namespace weft::graph
