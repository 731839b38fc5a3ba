// SPDX-License-Identifier: Apache-2.0
#include "converter/ops/core/short_time.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "converter/graph/canonical/canonical.h"
#include "converter/graph/canonical/pads.h"
#include "converter/graph/numbering.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"

namespace weft::graph {
namespace {

class ShortTimeSplitting {
 public:
  ShortTimeSplitting(ir::Graph& graph, ir::Node& node) : graph_(graph), node_(node) {}

  void SplitStft(bool puts_frames_last) {
    const ir::Source signal = WithBatch(node_.inputs[0], 2);
    ir::Source spectra = Part(ops::kPaddedStft, {signal, Input(1), Input(2), Input(3)});
    if (puts_frames_last) spectra = FramesAndBinsExchanged(spectra);
    Finish(spectra);
  }

  void SplitIstft(ops::OverlapParts parts) {
    const ir::Source spectra = FramesAndBinsExchanged(WithBatch(node_.inputs[0], 4));
    const ir::Source frames = Part(ops::kIstftFrames, {spectra, Input(1), Input(2), Input(3)},
                                   {{"normalized", node_.attributes["normalized"]}});
    const int64_t crop = parts.is_open ? 0 : 1;
    const ir::Source sums = Part(ops::kOverlapAdd, {frames},
                                 {{"step", std::to_string(parts.step)},
                                  {"pads_begin", std::to_string(crop * parts.pads_begin)},
                                  {"pads_end", std::to_string(crop * parts.pads_end)}});
    const Dims line = {1, std::ssize(parts.factors)};
    const ir::Source factors = parts.is_open
                                   ? FactorsByStep(parts, TypeOf(sums).dims[1])
                                   : NewFloats(graph_, node_, line, std::move(parts.factors));
    const ir::Source signal = NewOperation(graph_, node_, "Multiply", 1, {sums, factors});
    Finish(parts.is_open ? Cropped(signal, parts) : signal);
  }

 private:
  const ir::Source& Input(size_t i) const { return node_.inputs[i]; }

  ir::Source Part(const char* of, std::vector<ir::Source> inputs,
                  std::map<std::string, std::string> attributes = {}) {
    return NewOperation(graph_, node_, of, ops::kPassOnly, std::move(inputs),
                        std::move(attributes));
  }
  // Prepends a batch axis to the `rank` - 1 axes of an input without one.
  ir::Source WithBatch(const ir::Source& source, size_t rank) {
    Dims dims = TypeOf(source).dims;
    if (dims.size() < rank) dims.insert(dims.begin(), 1);
    return Reshaped(graph_, node_, source, dims);
  }
  ir::Source FramesAndBinsExchanged(const ir::Source& spectra) {
    const ir::Source order = NewInts(graph_, node_, {0, 2, 1, 3});
    return NewOperation(graph_, node_, "Transpose", 1, {spectra, order});
  }
  // Reads the factors of a step by its number, so that they are known for any number of steps.
  ir::Source FactorsByStep(const ops::OverlapParts& parts, int64_t samples) {
    const int64_t rows = std::ssize(parts.factors) / parts.step;
    const ir::Source table = NewFloats(graph_, node_, {rows, parts.step}, parts.factors);
    const ir::Source numbers =
        NewNumbering(graph_, node_, {ElementType::i64, {samples / parts.step}}, {0, 0, 1});
    const TensorType one = {ElementType::i64, {1}};
    ir::Node* row = NewInferredNode(graph_, node_, "Minimum", 1,
                                    {numbers, NewInts(graph_, node_, one, {rows - 1})});
    ir::Node* factors = NewInferredNode(graph_, node_, "Gather", 8,
                                        {table, {row, 0}, NewInts(graph_, node_, one, {0})});
    return Reshaped(graph_, node_, {factors, 0}, {1, samples});
  }
  ir::Source Cropped(const ir::Source& signal, const ops::OverlapParts& parts) {
    if (parts.pads_begin == 0 && parts.pads_end == 0) return signal;
    const int64_t kept = TypeOf(signal).dims[1] - parts.pads_begin - parts.pads_end;
    return NewPart(graph_, node_, signal, 1, parts.pads_begin, kept);
  }
  // The Identity prevents that patterns match across it, because the complete operation would not
  // match.
  void Finish(const ir::Source& result) {
    const Dims dims = node_.outputs[0].type.dims;
    Become(node_, "Identity", 16, {Reshaped(graph_, node_, result, dims)});
  }

  ir::Graph& graph_;
  ir::Node& node_;
};

}  // namespace

void SplitShortTime(ir::Graph& graph) {
  for (ir::Node* node : ir::Topological(graph)) {
    if (node->operation == nullptr || node->constant) continue;
    const Quiet<ops::NodeScope> scope(graph, *node);
    ShortTimeSplitting splitting(graph, *node);
    if (node->operation->name == "STFT") {
      splitting.SplitStft(scope.attributes.Bool("transpose_frames", false));
    } else if (node->operation->name == "ISTFT") {
      if (auto parts = ops::OverlapPartsOf(scope)) splitting.SplitIstft(*std::move(parts));
    }
  }
  JoinOwnPads(graph);
}

}  // namespace weft::graph
