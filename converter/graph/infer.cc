// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "converter/graph/double_length.h"
#include "converter/graph/extent.h"
#include "converter/graph/fold.h"
#include "converter/graph/other_shapes.h"
#include "converter/graph/rewrite.h"
#include "converter/graph/search_to_range.h"
#include "converter/ops/operation.h"

namespace weft::graph {

namespace {

// Values of u16, u32, u64 and u1 are stored in a wider type, which adds and divides differently. So
// they may only be converted, copied, or used as axes, shapes and indices.
bool MayBeWidened(const ir::Node& node, size_t input) {
  const ops::Traits& traits = node.operation->traits;
  if (!node.bodies.empty()) return false;
  if (traits.reshapes || traits.joins || traits.converts || traits.shape_only) return true;
  if (traits.steering != ops::Steering::kNothing && input >= traits.steered_from) return true;
  // Operands of the computation have the type of input 0, or the operation's rule handles them.
  return input > 0 && !traits.pointwise && traits.foldable &&
         ir::WidenedOf(node.inputs[0]) == nullptr;
}

class Inference {
 public:
  Inference(ir::Graph& graph, const InferOptions& options, Folding& folding, Faults& faults)
      : graph_(graph),
        options_(options),
        folding_(folding),
        faults_(faults),
        reads_(ops::ReadsIn(graph)) {
    if (DoubleLength::IsNeeded(graph)) double_.emplace(graph, options, folding);
  }
  Inference(const Inference&) = delete;
  Inference& operator=(const Inference&) = delete;

  bool Run() {
    const size_t faults_before = faults_.lines().size();
    const std::vector<ir::Node*> nodes = ir::Topological(graph_);
    for (const ir::Node* node : nodes) {
      for (const ir::Source& source : node->inputs) ++readers_[{source.node, source.port}];
    }
    for (ir::Node* node : nodes) Visit(*node);
    for (ir::Node* result : graph_.results) Redirect(*result);
    for (auto& node : folded_) graph_.nodes.push_back(std::move(node));
    return unknown_.empty() && faults_.lines().size() == faults_before;
  }

  // `other` is a copy of the graph before Run, which has run. Folds no constant again that follows
  // from the file alone.
  void ShareConstants(const Inference& other, const std::vector<const ir::Node*>& nodes) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!other.from_file_.contains(nodes[i])) continue;
      std::vector<ir::Constant>& values = shared_[graph_.nodes[i].get()];
      for (uint32_t port = 0; port < nodes[i]->outputs.size(); ++port) {
        values.push_back(*other.redirect_.at({nodes[i], port})->constant);
      }
    }
  }

 private:
  void Visit(ir::Node& node) {
    Redirect(node);
    const bool known =
        std::none_of(node.inputs.begin(), node.inputs.end(),
                     [&](const ir::Source& source) { return unknown_.contains(source.node); });
    // A node without an operation was reported by Resolve.
    if (!known || node.operation == nullptr || IsUnprepared(node)) return MarkUnknown(node);
    if (double_) {
      for (ir::Node* made : SearchToRange(graph_, node)) Visit(*made);
      Redirect(node);
    }
    if (options_.edit != nullptr) {
      for (ir::Node* made : options_.edit(graph_, node)) Visit(*made);
      Redirect(node);
    }
    const std::vector<ir::OutputPort> declared = node.outputs;
    for (ir::OutputPort& output : node.outputs) output.run_time_extent.reset();
    ops::InferScope scope(graph_, node, faults_);
    scope.check_declared = options_.check_declared;
    scope.max_iterations = options_.max_iterations;
    scope.limits_bytes = !double_;
    scope.reads = &reads_;
    scope.infer_body = [&](ir::Graph& body) {
      InferOptions options = options_;
      options.repeats = options.repeats || ir::Iterates(node);
      return InferAndFold(body, options, folding_, faults_);
    };
    if (options_.repeats && node.operation->traits.draws) {
      scope.Fault("is a random operation inside a loop; must be outside the loop");
    }
    if (InputCountFits(node, scope) && TypesFit(node, scope)) node.operation->infer(scope);
    if (!scope.failed()) PassExtentsOn(scope);
    if (scope.failed()) return MarkUnknown(node);
    if (options_.check_declared && !scope.ignores_declared() && !CheckDeclared(node, declared)) {
      return MarkUnknown(node);
    }
    if (double_ && !double_->Visit(node, faults_)) return MarkUnknown(node);
    // A value for each of T steps stays computed.
    const bool is_per_step = double_ && double_->HasOpenAxes(node);
    if (IsFoldable(node) && !is_per_step) ReplaceByConstants(node);
  }

  // Nodes that depend on it are skipped, and so are types of variables that it determines.
  void MarkUnknown(const ir::Node& node) {
    unknown_.insert(&node);
    std::erase_if(reads_, [&](const auto& read) { return read.second == &node; });
  }

  // Returns true for a loop without a known trip count that contains a layer without an operation.
  // The passes that find the trip count and rewrite the body need all of it, so it cannot be
  // checked.
  static bool IsUnprepared(const ir::Node& node) {
    const auto is_unknown = [](const ir::Node& inner) { return inner.operation == nullptr; };
    return IsOpenLoop(node) && AnyInBodies(node, is_unknown);
  }

  static bool InputCountFits(const ir::Node& node, ops::InferScope& scope) {
    const auto count = static_cast<int>(node.inputs.size());
    const ops::Operation& operation = *node.operation;
    if (count >= operation.min_inputs &&
        (operation.max_inputs < 0 || count <= operation.max_inputs)) {
      return true;
    }
    scope.Fault("has {} inputs; {}-{} takes {} to {}", count, operation.name, operation.opset,
                operation.min_inputs, operation.max_inputs);
    return false;
  }

  // Also marks outputs that store another type in a wider one.
  static bool TypesFit(ir::Node& node, ops::InferScope& scope) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const WidenedType* type = ir::WidenedOf(node.inputs[i]);
      if (type == nullptr) continue;
      if (!MayBeWidened(node, i)) {
        scope.Fault(
            "input {} is {}; must be converted first: only axes, shapes and indices may be "
            "u16, u32, u64 or u1",
            i, type->name);
      }
      const ops::Traits& traits = node.operation->traits;
      if (!traits.joins && !(traits.reshapes && i == 0)) continue;
      for (ir::OutputPort& output : node.outputs) output.widened = type;
    }
    return !scope.failed();
  }

  // Returns false if a fault was added.
  bool CheckDeclared(ir::Node& node, const std::vector<ir::OutputPort>& declared) {
    bool agrees = true;
    for (size_t i = 0; i < node.outputs.size() && i < declared.size(); ++i) {
      const TensorType& is = declared[i].type;
      const TensorType& must = node.outputs[i].type;
      const bool dynamic =
          std::any_of(is.dims.begin(), is.dims.end(), [](int64_t d) { return d < 0; });
      if (!declared[i].declared || dynamic || is.dims == must.dims) continue;
      faults_.Add(fmt::format("{}: output {} is declared {}; its inputs and attributes make it {}",
                              ir::Where(graph_, node), i, ToString(is), ToString(must)));
      agrees = false;
    }
    return agrees;
  }

  static bool IsFoldable(const ir::Node& node) {
    if (node.constant || !node.operation->traits.foldable || node.outputs.empty()) return false;
    if (node.operation->traits.shape_only) {
      return std::ranges::none_of(
          node.inputs, [](const ir::Source& source) { return ir::ExtentOf(source).has_value(); });
    }
    return !node.inputs.empty() && std::ranges::all_of(node.inputs, [](const ir::Source& source) {
      return source.node->constant && !source.node->attributes.contains(kCountsSteps);
    });
  }

  // Returns true if only constants of the file determine the values of a folded node.
  bool IsFromFile(const ir::Node& node) const {
    return std::ranges::all_of(node.inputs, [&](const ir::Source& source) {
      const ir::Node& input = *source.node;
      return input.constant &&
             (!input.attributes.contains(kFoldedFrom) || from_file_.contains(&input));
    });
  }

  void ReplaceByConstants(ir::Node& node) {
    const auto shared = shared_.find(&node);
    std::vector<ir::Constant> values =
        shared != shared_.end() ? shared->second : Fold(graph_, node, folding_, faults_);
    if (values.empty()) MarkUnknown(node);
    const bool is_from_file = !values.empty() && IsFromFile(node);
    if (is_from_file) from_file_.insert(&node);
    for (uint32_t port = 0; port < values.size(); ++port) {
      std::unique_ptr<ir::Node> constant = MakeConstant(node, std::move(values[port]));
      constant->outputs[0] = node.outputs[port];
      constant->outputs[0].type = constant->constant->type;
      constant->outputs[0].run_time_extent.reset();
      constant->attributes = FoldedFrom({&node, port});
      if (double_) double_->AddFolded({&node, port}, *constant);
      if (is_from_file) from_file_.insert(constant.get());
      redirect_[{&node, port}] = constant.get();
      unfolded_readers_[constant.get()] = readers_[{&node, port}];
      folded_.push_back(std::move(constant));
    }
    if (!values.empty() && options_.frees_folded) FreeFoldedInputs(node);
  }

  // Frees the bytes of constants that only folded nodes read.
  void FreeFoldedInputs(const ir::Node& node) {
    for (const ir::Source& source : node.inputs) {
      const auto found = unfolded_readers_.find(source.node);
      if (found == unfolded_readers_.end() || --found->second > 0) continue;
      *source.node->constant = {source.node->constant->type, nullptr, {}};
    }
  }

  void Redirect(ir::Node& node) {
    for (ir::Source& source : node.inputs) {
      const auto it = redirect_.find({source.node, source.port});
      if (it != redirect_.end()) source = {it->second, 0};
    }
  }

  ir::Graph& graph_;
  const InferOptions options_;
  Folding& folding_;
  Faults& faults_;
  std::optional<DoubleLength> double_;  // with a dynamic time axis
  ops::VariableReads reads_;            // without those of unknown types
  std::set<const ir::Node*> unknown_;
  std::map<std::pair<const ir::Node*, uint32_t>, size_t> readers_;
  std::map<std::pair<const ir::Node*, uint32_t>, ir::Node*> redirect_;
  std::map<const ir::Node*, size_t> unfolded_readers_;  // of constants in `folded_`
  std::vector<std::unique_ptr<ir::Node>> folded_;
  // Folded nodes and their constants that only constants of the file determine.
  std::set<const ir::Node*> from_file_;
  std::map<const ir::Node*, std::vector<ir::Constant>> shared_;  // values of folded nodes
};

}  // namespace

std::map<std::string, std::string> FoldedFrom(const ir::Source& source) {
  return {{kFoldedFrom, fmt::format("{} {}", source.node->type, source.port)}};
}

bool InferAndFold(ir::Graph& graph, const InferOptions& options, Folding& folding, Faults& faults) {
  return Inference(graph, options, folding, faults).Run();
}

bool InferBoth(ir::Graph& graph, const InferOptions& options, Folding& folding, Faults& faults,
               OtherShapes& other) {
  std::vector<const ir::Node*> nodes;
  for (const std::unique_ptr<ir::Node>& node : graph.nodes) nodes.push_back(node.get());
  Inference first(graph, options, folding, faults);
  const bool is_known = first.Run();
  other.folding = folding;
  Inference second(*other.graph, other.options, other.folding, other.faults);
  second.ShareConstants(first, nodes);
  second.Run();
  return is_known;
}

}  // namespace weft::graph
