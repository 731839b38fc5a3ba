// SPDX-License-Identifier: Apache-2.0
// Elementwise operations between a reshape and its inverse, for example where the bands of a
// spectrum are normalised separately, each as a group of channels:
//   reshape(reshape(x, B) * c, A) -> x * c', for x of dims A
// With channels first the reshapes cost nothing. With channels last each of them would be a
// transposition, because it moves elements between axes.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "converter/graph/lower.h"
#include "converter/graph/recognise/forms/form_site.h"
#include "converter/graph/rewrite.h"
#include "converter/ops/operation.h"
#include "converter/ops/support/broadcast.h"
#include "converter/program/builder.h"

namespace weft::graph {
namespace {

// Limits the growth of a constant whose numbers repeat within a band and are expanded.
constexpr int64_t kMaxGrowth = 16;

// An operation on one tensor and constants.
struct OnOne {
  ir::Node* node = nullptr;
  size_t data = 0;
};

// The operations between the reshapes, last one first, and the input of the first reshape.
struct Between {
  std::vector<OnOne> operations;
  ir::Source data;
  Covered covered;
};

std::optional<OnOne> OnOneTensor(const ir::Source& source) {
  ir::Node& node = *source.node;
  if (node.constant || !ops::TraitsOf(node).pointwise || node.outputs.size() != 1) {
    return std::nullopt;
  }
  OnOne on_one = {&node};
  const auto is_data = [](const ir::Source& input) { return !input.node->constant; };
  const auto data = std::ranges::find_if(node.inputs, is_data);
  if (std::ranges::count_if(node.inputs, is_data) != 1 || !(TypeOf(*data) == TypeOf(source))) {
    return std::nullopt;
  }
  on_one.data = static_cast<size_t>(data - node.inputs.begin());
  return on_one;
}

std::optional<Between> BetweenReshapes(const FormSite& site, const ir::Node& node) {
  if (!ops::TraitsOf(node).reshapes) return std::nullopt;
  Between between;
  ir::Source source = node.inputs[0];
  while (const std::optional<OnOne> on_one = OnOneTensor(source)) {
    between.operations.push_back(*on_one);
    between.covered.insert(on_one->node);
    source = on_one->node->inputs[on_one->data];
  }
  if (between.operations.empty() || !ops::TraitsOf(*source.node).reshapes) return std::nullopt;
  between.covered.insert(source.node);
  between.data = source.node->inputs[0];
  const bool is_back = TypeOf(between.data) == node.outputs[0].type;
  return is_back && site.IsClosed(node, between.covered) ? std::optional(between) : std::nullopt;
}

// Converts a constant that broadcasts over `before`, aligned to its dims, to one that broadcasts
// over `after`. Axes that are split or merged either all repeat the constant or are expanded.
ir::Constant Redivided(const ir::Constant& constant, const Dims& aligned, const Dims& before,
                       const Dims& after) {
  const Dims dense = program::DenseStrides(aligned);
  Dims dims, strides, shape;
  for (size_t from = 0, to = 0; from < before.size() || to < after.size();) {
    const size_t first_from = from, first_to = to;
    int64_t taken = from < before.size() ? before[from++] : 1;
    int64_t given = to < after.size() ? after[to++] : 1;
    while (taken != given) (taken < given) ? taken *= before[from++] : given *= after[to++];
    const bool repeats = std::all_of(aligned.begin() + std::ptrdiff_t(first_from),
                                     aligned.begin() + std::ptrdiff_t(from),
                                     [](int64_t extent) { return extent == 1; });
    for (size_t i = first_from; i < from && !repeats; ++i) {
      dims.push_back(before[i]);
      strides.push_back(aligned[i] == 1 ? 0 : dense[i]);
    }
    for (size_t i = first_to; i < to; ++i) shape.push_back(repeats ? 1 : after[i]);
  }
  return Rearranged(constant, dims, strides, std::move(shape));
}

// Creates the operation on a tensor of dims `after`. It must round as before, so an operation with
// an expanded constant is not merged into a product.
std::optional<Form> FormOver(ir::Graph& graph, const OnOne& on_one, const Dims& after) {
  ir::Node& node = *on_one.node;
  const Dims& before = node.outputs[0].type.dims;
  Form form = {node.type, node.operation->opset, node.inputs, node.attributes};
  if (form.attributes.contains("auto_broadcast")) form.attributes["auto_broadcast"] = "numpy";
  const Quiet<ops::NodeScope> scope(graph, node);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (i == on_one.data) continue;
    const ir::Constant& constant = *node.inputs[i].node->constant;
    if (ElementBytes(constant.type.type) == 0) return std::nullopt;
    const auto count = ElementCount(constant.type.dims).value_or(0);
    ir::Constant redivided = Redivided(constant, ops::AlignedDims(scope, i, before), before, after);
    const auto decomposed = ElementCount(redivided.type.dims).value_or(0);
    if (decomposed > kMaxGrowth * count) return std::nullopt;
    if (decomposed != count) form.attributes[kRoundsApart] = "true";
    form.inputs[i] = NewConstant(graph, node, std::move(redivided));
  }
  return form;
}

}  // namespace

bool RecogniseBands(FormSite& site, ir::Node& node) {
  const std::optional<Between> between = BetweenReshapes(site, node);
  if (!between) return false;
  std::vector<Form> forms;
  for (const OnOne& on_one : between->operations) {
    std::optional<Form> form = FormOver(site.graph(), on_one, node.outputs[0].type.dims);
    if (!form) return false;
    forms.push_back(std::move(*form));
  }
  ir::Source source = between->data;
  for (size_t i = forms.size(); i-- > 0;) {
    Form& form = forms[i];
    const OnOne& on_one = between->operations[i];
    form.inputs[on_one.data] = source;
    if (i == 0) break;
    source = NewOperation(site.graph(), *on_one.node, form.operation, form.opset,
                          std::move(form.inputs), std::move(form.attributes));
  }
  site.Replace(node, between->covered, std::move(forms[0]));
  return true;
}

}  // namespace weft::graph
