// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/double_length.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <vector>

#include "converter/graph/origins.h"
#include "converter/graph/rewrite.h"
#include "converter/ir/edit.h"
#include "converter/ir/time_length.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/axes.h"

namespace weft::graph {
namespace {

// The offset b of an extent a * T + b is at most this fraction of T.
constexpr int64_t kMaxOffset = ir::kTimeLength / 8;
// More rows than any model reads of a table.
constexpr int64_t kLongTable = 8 * ir::kTimeLength;

bool IsFoldable(const ir::Node& node) {
  if (!node.operation->traits.foldable || node.outputs.empty()) return false;
  return node.operation->traits.shape_only ||
         std::ranges::all_of(node.inputs, [](const ir::Source& source) {
           return source.node->constant.has_value();
         });
}

}  // namespace

bool DoubleLength::IsNeeded(const ir::Graph& graph) {
  return std::ranges::any_of(graph.parameters, [](const ir::Node* parameter) {
    return !parameter->outputs[0].doubled.empty();
  });
}

Dims DoubleLength::DimsOf(const ir::Source& source) const {
  const auto found = dims_.find({source.node, source.port});
  return found == dims_.end() ? Dims() : found->second;
}

bool DoubleLength::HasOpenAxes(const ir::Node& node) const {
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    if (dims_.contains({&node, port})) return true;
  }
  return false;
}

void DoubleLength::AddFolded(const ir::Source& from, const ir::Node& constant) {
  const auto value = values_.find({from.node, from.port});
  if (value != values_.end()) values_[{&constant, 0}] = value->second;
}

bool DoubleLength::Depends(const ir::Source& source) const {
  const Key key = {source.node, source.port};
  return dims_.contains(key) || values_.contains(key);
}

ir::OutputPort DoubleLength::PortFor(const ir::Source& source, bool is_double) const {
  ir::OutputPort port = source.node->outputs[source.port];
  const auto found = dims_.find({source.node, source.port});
  if (is_double && found != dims_.end()) port.type.dims = found->second;
  return port;
}

// Returns a copy of the node whose inputs have the types and values for 2 * T steps. With
// `has_long_table`, all extents of input 0 are kLongTable.
ir::Node* DoubleLength::CopyFor(ir::Graph& target, ir::Node& node, bool is_double,
                                bool has_long_table) const {
  target.file = graph_.file;
  std::unique_ptr<ir::Node> copy = ir::CopyOf(node);
  for (size_t i = 0; i < copy->inputs.size(); ++i) {
    ir::Source& input = copy->inputs[i];
    const bool is_table = has_long_table && i == 0;
    const auto value = values_.find({input.node, input.port});
    std::unique_ptr<ir::Node> from = ir::MakeNode(*input.node);
    from->type = input.node->type;
    from->operation = input.node->operation;
    from->outputs = {PortFor(input, is_double)};
    if (is_table) {
      std::ranges::fill(from->outputs[0].type.dims, kLongTable);
    } else if (input.node->constant) {
      const bool differs = is_double && value != values_.end();
      from->constant = differs ? value->second : *input.node->constant;
      if (differs) from->outputs[0].type = from->constant->type;
    }
    input = {from.get(), 0};
    target.nodes.push_back(std::move(from));
  }
  target.nodes.push_back(std::move(copy));
  return target.nodes.back().get();
}

bool DoubleLength::Infer(ir::Graph& target, ir::Node& copy, Faults& faults) {
  ops::InferScope scope(target, copy, faults);
  scope.check_declared = false;
  scope.limits_bytes = false;
  scope.max_iterations = options_.max_iterations;
  scope.infer_body = [&](ir::Graph& body) {
    return InferAndFold(body, {false, options_.max_iterations, true}, folding_, faults);
  };
  copy.operation->infer(scope);
  return !scope.failed();
}

bool DoubleLength::Visit(ir::Node& node, Faults& faults) {
  if (ir::IsParameter(node) || node.constant) {
    const Dims& doubled = node.outputs[0].doubled;
    if (!doubled.empty()) dims_[{&node, 0}] = doubled;
    return true;
  }
  const auto depends = [&](const ir::Source& source) { return Depends(source); };
  if (node.operation == nullptr || ir::IsReadValue(node)) return true;
  if (std::ranges::none_of(node.inputs, depends)) return true;
  if (TakeTableRows(node)) return true;
  ir::Graph target;
  ir::Node& copy = *CopyFor(target, node, /*is_double=*/true, /*has_long_table=*/false);
  if (!Infer(target, copy, faults) || !Take(node, copy, faults)) return false;
  if (!HasOpenAxes(node) && IsFoldable(node)) FoldCopy(node, target, copy);
  return true;
}

bool DoubleLength::Take(ir::Node& node, const ir::Node& copy, Faults& faults) {
  for (uint32_t port = 0; port < node.outputs.size(); ++port) {
    const Dims &dims = node.outputs[port].type.dims, &doubled = copy.outputs[port].type.dims;
    bool fits = dims.size() == doubled.size();
    for (size_t axis = 0; fits && axis < dims.size(); ++axis) {
      fits = dims[axis] == doubled[axis] || std::abs(2 * dims[axis] - doubled[axis]) <= kMaxOffset;
    }
    if (!fits) {
      ops::InferScope(graph_, node, faults)
          .Fault("output {} is {} for T steps and {} for 2 * T; each extent must be a * T + b",
                 port, ToString(node.outputs[port].type), ToString(copy.outputs[port].type));
      return false;
    }
    if (dims != doubled) dims_[{&node, port}] = doubled;
  }
  return true;
}

// Handles a slice of a constant whose end depends on T; returns false for other nodes.
bool DoubleLength::TakeTableRows(ir::Node& node) {
  if (!node.inputs[0].node->constant || Depends(node.inputs[0])) return false;
  if (!ops::RelationOf(graph_, node).selects) return false;
  Faults discarded;
  ir::Graph one, two;
  ir::Node& single = *CopyFor(one, node, /*is_double=*/false, /*has_long_table=*/true);
  ir::Node& twice = *CopyFor(two, node, /*is_double=*/true, /*has_long_table=*/true);
  if (!Infer(one, single, discarded) || !Infer(two, twice, discarded)) return false;
  const Dims &dims = single.outputs[0].type.dims, &doubled = twice.outputs[0].type.dims;
  Dims& own = node.outputs[0].type.dims;
  if (dims.size() != own.size() || doubled.size() != own.size()) return false;
  Dims own_doubled = own;
  for (size_t axis = 0; axis < own.size(); ++axis) {
    if (dims[axis] == doubled[axis]) continue;
    own[axis] = dims[axis];
    own_doubled[axis] = doubled[axis];
  }
  if (own == own_doubled) return false;
  dims_[{&node, 0}] = std::move(own_doubled);
  return true;
}

void DoubleLength::FoldCopy(ir::Node& node, ir::Graph& target, ir::Node& copy) {
  Faults discarded;
  std::vector<ir::Constant> values = Fold(target, copy, folding_, discarded);
  for (uint32_t port = 0; port < values.size(); ++port) {
    values_[{&node, port}] = std::move(values[port]);
  }
}

namespace {

class Marking {
 public:
  Marking(ir::Graph& graph, const InferOptions& options, const Folding& folding, Faults& faults)
      : graph_(graph), origins_(graph), double_(graph, options, folding), faults_(faults) {}

  bool Run() {
    bool fits = true;
    for (ir::Node* node : ir::Topological(graph_)) {
      fits = Mark(*node) && fits;
      for (uint32_t port = 0; port < node->outputs.size(); ++port) {
        node->outputs[port].doubled = double_.DimsOf({node, port});
      }
    }
    return fits;
  }

 private:
  // Visits the nodes from which constants were folded as well, which no other node reads.
  bool Mark(ir::Node& node) {
    if (!done_.insert(&node).second) return true;
    const ir::Source origin = node.constant ? origins_.Of(node) : ir::Source();
    if (origin.node != nullptr) {
      const bool fits = Mark(*origin.node);
      double_.AddFolded(origin, node);
      return fits;
    }
    bool fits = true;
    for (const ir::Source& input : node.inputs) fits = Mark(*input.node) && fits;
    return double_.Visit(node, faults_) && fits;
  }

  ir::Graph& graph_;
  const Origins origins_;
  DoubleLength double_;
  Faults& faults_;
  std::set<const ir::Node*> done_;
};

}  // namespace

bool MarkOpenAxes(ir::Graph& graph, const InferOptions& options, const Folding& folding,
                  Faults& faults) {
  return Marking(graph, options, folding, faults).Run();
}

}  // namespace weft::graph
