// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/streaming/mask_samples.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "converter/base/elements.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/streaming/closed_values.h"
#include "converter/graph/streaming/length_values.h"
#include "converter/graph/streaming/masks.h"
#include "converter/ir/time_length.h"

namespace weft::graph {
namespace {

// Windows of more steps are not recognised. The second number is used if the first one does not
// show the end of each window.
constexpr int64_t kFewSteps = 84, kManySteps = 840;

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

// Returns true if the first step reads the last step like the last step reads the first one, so
// that neither sees the other.
bool ShowsTheWindow(const ir::Constant& sample) {
  const Dims& dims = sample.type.dims;
  const auto size = static_cast<size_t>(ElementBytes(sample.type.type));
  if (dims.size() < 2 || dims.back() != dims.end()[-2] || size == 0) return true;
  const auto columns = static_cast<size_t>(dims.back());
  const size_t first = columns - 1, last = (columns - 1) * columns;
  const std::byte* bytes = sample.bytes.data();
  if (std::memcmp(bytes + first * size, bytes + last * size, size) == 0) return true;
  const auto excludes = [&](size_t at) {
    return IsFloat(sample.type.type) &&
           RealAt(sample.type.type, sample.bytes, at) <= kExcludingScore;
  };
  return excludes(first) && excludes(last);
}

bool ShowsTheWindow(const ir::Graph& graph, const Reader& reader, int64_t steps,
                    const Folding& folding) {
  const Samples samples = SamplesFor(graph, {reader}, steps, folding);
  return !samples.empty() && ShowsTheWindow(samples.begin()->second);
}

}  // namespace

bool IsOverPairs(const ir::Source& source) {
  const size_t rank = DimsOf(source).size();
  return rank >= 2 && (ir::OpenAxes(source) >> (rank - 2) & 3U) == 3U;
}

int64_t SampleMasks(ir::Graph& graph, const Folding& folding) {
  const std::vector<Reader> readers = ReadersOfMasks(graph, folding);
  int64_t steps = kFewSteps;
  Samples samples = SamplesFor(graph, readers, steps, folding);
  const auto hides = std::ranges::find_if(readers, [&](const Reader& reader) {
    const auto sample = samples.find(KeyOf(reader));
    return sample != samples.end() && !ShowsTheWindow(sample->second);
  });
  if (hides != readers.end() && ShowsTheWindow(graph, *hides, kManySteps, folding)) {
    steps = kManySteps;
    samples = SamplesFor(graph, readers, steps, folding);
  }
  for (const Reader& reader : readers) {
    ir::Source& input = reader.node->inputs[reader.input];
    const auto found = samples.find(KeyOf(reader));
    if (found == samples.end()) continue;
    const ir::Source constant = NewConstant(graph, *input.node, found->second);
    constant.node->outputs[0].type.dims = DimsOf(input);
    constant.node->outputs[0].doubled = input.node->outputs[input.port].doubled;
    input = constant;
  }
  return steps;
}

}  // namespace weft::graph
