// SPDX-License-Identifier: Apache-2.0
#include "converter/graph/input_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "converter/base/nearest.h"
#include "converter/base/shell_word.h"
#include "converter/base/visible.h"
#include "converter/graph/port_names.h"
#include "runtime/weft.h"

namespace weft::graph {
namespace {

// Returns the error of one axis; empty if it is valid.
std::string MisfitOf(const ir::Node& parameter, const TensorType& is, size_t axis) {
  const ir::OutputPort& port = parameter.outputs[0];
  const int64_t dim = is.dims[axis];
  if (dim < 0) return "";  // stays dynamic
  const bool is_open = port.declared && port.type.dims[axis] < 0;
  if (is_open && axis < parameter.bounds.size()) {
    const auto [min, max] = parameter.bounds[axis];
    const std::string model = "as the model's " + ir::BoundedText(parameter);
    if (dim < min && max == ir::Bounds::kNoLimit) {
      return fmt::format("{} has {} on axis {}; must have at least {}, {}", ToString(is), dim, axis,
                         min, model);
    }
    if (dim < min || dim > max) {
      return fmt::format("{} has {} on axis {}; must have from {} to {}, {}", ToString(is), dim,
                         axis, min, max, model);
    }
  }
  if (dim != 0 || (port.declared && port.type.dims[axis] == 0)) return "";
  return fmt::format("{} is empty; dimension {} must be at least 1", ToString(is), axis);
}

// Returns all errors of the shape for that input.
std::vector<std::string> Misfits(const ir::Node& parameter, const Dims& dims) {
  const ir::OutputPort& port = parameter.outputs[0];
  const TensorType is{port.type.type, dims};
  const size_t rank = port.type.dims.size();
  if (port.declared && dims.size() != rank) {
    return {fmt::format("{} has rank {}; must have rank {}, as the model's {}", ToString(is),
                        dims.size(), rank, ir::BoundedText(parameter))};
  }
  if (dims.size() > kMaxRank) {
    return {
        fmt::format("{} has rank {}; must have at most {}", ToString(is), dims.size(), kMaxRank)};
  }
  std::vector<std::string> misfits;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    std::string misfit = MisfitOf(parameter, is, axis);
    if (!misfit.empty()) misfits.push_back(std::move(misfit));
  }
  const bool is_known = std::ranges::all_of(dims, [](int64_t dim) { return dim >= 0; });
  if (misfits.empty() && is_known && !DenseBytes(is)) {
    misfits.push_back(ToString(is) + " is too large; must be less than 4294967296 bytes");
  }
  return misfits;
}

}  // namespace

std::string MustBeOf(const ir::Graph& graph) {
  constexpr size_t kMax = 16;
  if (graph.parameters.empty()) return "must be removed: the model has no inputs";
  std::string list = graph.parameters.size() == 1 ? "the only input is " : "must be one of ";
  for (size_t i = 0; i < std::min(graph.parameters.size(), kMax); ++i) {
    const ir::Node& parameter = *graph.parameters[i];
    const std::vector<std::string>& names = parameter.outputs[0].names;
    list += fmt::format("{}\"{}\" {}", i == 0 ? "" : ", ",
                        OneLine(names.empty() ? parameter.name : names.front()),
                        ir::BoundedText(parameter));
  }
  const size_t count = graph.parameters.size();
  return count > kMax ? list + fmt::format(" and {} more", count - kMax) : list;
}

namespace {

class Shapes {
 public:
  Shapes(ir::Graph& graph, Faults& faults)
      : graph_(graph), faults_(faults), must_(MustBeOf(graph)) {}

  void Apply(const std::string& name, const Dims& dims) {
    ir::Node* const found = FindInput(graph_, "--shape", name, must_, faults_);
    if (found == nullptr) {
      is_unclear_ = true;
      return;
    }
    ir::Node& parameter = *found;
    const auto [first, fresh] = given_.emplace(&parameter, name);
    if (!fresh) {
      faults_.Add(fmt::format("--shape: \"{}\" and \"{}\" name the same input; must be given once",
                              OneLine(first->second), OneLine(name)));
      wrong_.insert(&parameter);
      return;
    }
    const std::vector<std::string> misfits = Misfits(parameter, dims);
    for (const std::string& misfit : misfits) Fault(name, misfit);
    if (!misfits.empty()) {
      wrong_.insert(&parameter);
      return;
    }
    parameter.outputs[0].type.dims = dims;
    parameter.outputs[0].declared = true;
  }

  // Removes the types of inputs whose requested shape is unknown. If a name matches no input or
  // several, this may be any input without a requested shape.
  void TakeTypes() {
    for (ir::Node* parameter : graph_.parameters) {
      if (wrong_.contains(parameter) || (is_unclear_ && !given_.contains(parameter))) {
        parameter->type.clear();
      }
    }
  }

 private:
  void Fault(const std::string& name, const std::string& text) {
    faults_.Add(fmt::format("--shape: input \"{}\": {}", OneLine(name), text));
  }

  ir::Graph& graph_;
  Faults& faults_;
  const std::string must_;  // computed before any shape changes
  std::map<const ir::Node*, std::string> given_;
  std::set<const ir::Node*> wrong_;
  bool is_unclear_ = false;
};

}  // namespace

ir::Node* FindInput(const ir::Graph& graph, std::string_view option, const std::string& name,
                    std::string_view must, Faults& faults) {
  const PortNames names = NamesOfInputs(graph);
  const std::vector<size_t> found = PortsNamed(names, name);
  if (found.size() == 1) return graph.parameters[found[0]];
  const std::string fault =
      found.empty()
          ? fmt::format("is not in the model; {}{}", DidYouMean(name, AllNames(names)), must)
          : fmt::format("matches {} inputs; must select one by its index", found.size());
  faults.Add(fmt::format("{}: input \"{}\": {}", option, OneLine(name), fault));
  return nullptr;
}

void ApplyShapes(ir::Graph& graph, const std::map<std::string, Dims>& shapes, Faults& faults) {
  Shapes applied(graph, faults);
  for (const auto& [name, dims] : shapes) applied.Apply(name, dims);
  applied.TakeTypes();
}

void AdviseShapes(const ir::Graph& graph, Faults& faults) {
  for (const ir::Node* parameter : graph.parameters) {
    const TensorType& type = parameter->outputs[0].type;
    if (parameter->bounds.size() != type.dims.size()) continue;
    bool has_unknown = false;
    std::string dims;
    for (size_t axis = 0; axis < type.dims.size(); ++axis) {
      const bool is_batch = axis == 0 && type.dims.size() > 1;
      const bool is_unknown =
          !is_batch && type.dims[axis] >= 0 && parameter->bounds[axis].max == ir::Bounds::kNoLimit;
      has_unknown = has_unknown || is_unknown;
      dims += axis == 0 ? "" : ",";
      dims += is_unknown ? "N" : fmt::format("{}", type.dims[axis]);
    }
    if (!has_unknown) continue;
    const std::vector<std::string>& names = parameter->outputs[0].names;
    const std::string name = OneLine(names.empty() ? parameter->name : names.front());
    faults.Add(fmt::format(
        "{}: input \"{}\" has unknown dims, and the file stores {} for them; must have a "
        "shape: --shape {}={}",
        graph.file, name, ToString(type), ShellWord(name), dims));
  }
}

}  // namespace weft::graph
