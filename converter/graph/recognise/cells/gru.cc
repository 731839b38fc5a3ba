// SPDX-License-Identifier: Apache-2.0
// GRU: h' = (1 - z) * n + z * h, or its expanded form. The candidate n reads either r * h (reset
// before the product) or r * (h R + b) (linear before reset). If an export swaps z and 1 - z, the
// signs of its z matrices are inverted: 1 - sigmoid(a) is sigmoid(-a). Among the cell activations,
// only a centred HardSigmoid also has this property.
#include <utility>

#include "converter/graph/recognise/cells/cell.h"
#include "converter/graph/recognise/pattern.h"
#include "converter/graph/rewrite.h"

namespace weft::graph {
namespace {

// The new state where z weights the old state; b weights a where z weights the candidate instead.
const Pattern& Update() {
  static const Pattern kUpdate(
      "{Add(Multiply({Subtract(1,z)|Add(1,Negative(z))|Add(1,Multiply(-1,z))},a),Multiply(z,b))|"
      "Add(Subtract(a,Multiply(z,a)),Multiply(z,b))|"
      "Add(a,Multiply(z,Subtract(b,a)))|"
      "Subtract(a,Multiply(z,Subtract(a,b)))}");
  return kUpdate;
}

struct Candidate {
  Affine from_x;     // bias included
  Affine from_h;     // of h, or of r * h
  ir::Source reset;  // r
  bool linear_before_reset = false;
};

// Splits `affine` into the products of other inputs, and those of `input`, without bias.
std::pair<Affine, Affine> Divided(const Affine& affine, ir::Source input, ir::Source name) {
  Affine rest = affine, part;
  part.bias.assign(affine.bias.size(), 0.0f);
  rest.products.clear();
  for (const Product& product : affine.products) {
    Affine& target = product.input == input ? part : rest;
    target.products.push_back(product);
    if (product.input == input) target.products.back().input = name;
  }
  return {std::move(rest), std::move(part)};
}

// Returns all readings of the candidate's sum.
std::vector<Candidate> Candidates(const Site& site, const Affine& sum, ir::Source h, int64_t rows,
                                  CellDraft& draft) {
  static const Pattern kReset("Multiply(r,v)");
  std::vector<Candidate> all;
  if (sum.others.empty()) {
    for (const Product& product : sum.products) {
      for (const Pattern::Match& match : kReset.AllMatches(product.input)) {
        if (!IsSame(match.at("v"), h) || !GateOf(site.graph, match.at("r"))) continue;
        auto [from_x, from_h] = Divided(sum, product.input, BeforeReshapes(h));
        draft.nodes.insert(match.covered.begin(), match.covered.end());
        all.push_back({std::move(from_x), std::move(from_h), match.at("r"), false});
      }
    }
    return all;
  }
  const Columns& other = sum.others[0];
  const bool whole = other.begin == 0 && other.count == TypeOf(other.source).dims.back();
  if (sum.others.size() != 1 || !whole) return all;
  for (const Pattern::Match& match : kReset.AllMatches(other.source)) {
    if (!GateOf(site.graph, match.at("r"))) continue;
    std::optional<Affine> from_h = AffineOf(site.graph, AllColumns(match.at("v")), rows);
    const bool of_h = from_h && from_h->others.empty() && from_h->products.size() == 1 &&
                      IsSame(from_h->products[0].input, h);
    if (!of_h) continue;
    draft.nodes.insert(match.covered.begin(), match.covered.end());
    all.push_back({sum, std::move(*from_h), match.at("r"), true});
  }
  return all;
}

bool ChangesItsSign(const Gate& gate) {
  return gate.activation == "sigmoid" || (gate.activation == "hardsigmoid" && gate.beta == 0.5f);
}

bool ReadsOnly(const Affine& sum, ir::Source x, ir::Source h) {
  for (const Product& product : sum.products) {
    if (!IsSame(product.input, x) && !IsSame(product.input, h)) return false;
  }
  return sum.others.empty();
}

// Appends the candidate's weights: the products of x and of the state. The product of the state has
// its own bias if it is computed before the reset.
void AppendCandidate(CellDraft& draft, const Candidate& candidate) {
  Affine joined = candidate.from_x;
  joined.products.push_back(candidate.from_h.products[0]);
  draft.Append(joined);
  draft.Cover(candidate.from_h);
  if (!candidate.linear_before_reset) return;
  draft.b.insert(draft.b.end(), candidate.from_h.bias.begin(), candidate.from_h.bias.end());
}

bool Draft(Site& site, const Pattern::Match& match, ir::Source root, bool keeps) {
  CellDraft draft("GRUCell", 3);
  const ir::Source h = BeforeReshapes(match.at(keeps ? "b" : "a"));
  draft.hidden = TypeOf(root).dims.back();
  draft.rows = ElementCount(TypeOf(root).dims).value_or(0) / draft.hidden;
  draft.nodes.insert(match.covered.begin(), match.covered.end());
  draft.states = {h};
  draft.results = {root};
  const std::optional<Gate> update = GateOf(site.graph, match.at("z")),
                            next = GateOf(site.graph, match.at(keeps ? "a" : "b"));
  if (!update || !next || (!keeps && !ChangesItsSign(*update))) return false;
  if (update->before.count != draft.hidden || next->before.count != draft.hidden) return false;
  if (ElementCount(TypeOf(h).dims) != draft.rows * draft.hidden) return false;
  const std::optional<Affine> of_update = AffineOf(site.graph, update->before, draft.rows);
  const std::optional<Affine> of_next = AffineOf(site.graph, next->before, draft.rows);
  if (!of_update || !of_next) return false;
  for (const Candidate& candidate : Candidates(site, *of_next, h, draft.rows, draft)) {
    const std::optional<Gate> reset = GateOf(site.graph, candidate.reset);
    if (candidate.from_x.products.size() != 1 || !reset->HasActivationOf(*update)) continue;
    const std::optional<Affine> of_reset = AffineOf(site.graph, reset->before, draft.rows);
    draft.x = candidate.from_x.products[0].input;
    draft.inputs = candidate.from_x.products[0].width;
    if (IsSame(draft.x, h) || reset->before.count != draft.hidden || !of_reset) continue;
    if (!ReadsOnly(*of_update, draft.x, h) || !ReadsOnly(*of_reset, draft.x, h)) continue;
    draft.Cover(*update);
    draft.Cover(*next);
    draft.Cover(*reset);
    draft.Append(*of_update, keeps ? 1.0f : -1.0f);
    draft.Append(*of_reset);
    AppendCandidate(draft, candidate);
    draft.linear_before_reset = candidate.linear_before_reset;
    draft.activations = {*update, *next};
    return Place(site, std::move(draft));
  }
  return false;
}

}  // namespace

bool RecogniseGru(Site& site, ir::Node& root) {
  const std::vector<Pattern::Match> matches = Update().AllMatches({&root, 0});
  for (const bool keeps : {true, false}) {
    for (const Pattern::Match& match : matches) {
      if (Draft(site, match, {&root, 0}, keeps)) return true;
    }
  }
  return false;
}

}  // namespace weft::graph
