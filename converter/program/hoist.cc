// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converter/base/narrow.h"
#include "converter/program/access_index.h"
#include "converter/program/block_access.h"
#include "converter/program/builder.h"
#include "converter/program/group_weights.h"
#include "converter/program/integer_weights.h"
#include "converter/program/passes.h"

namespace weft::program {

namespace {

// Calls `see` with the parameters of a product that can be hoisted.
template <typename StepOrConst, typename See>
auto OfProduct(StepOrConst& step, const See& see) {
  if (step.kind() == StepKind::kDenseI8) {
    return see(std::get<format::DenseI8Params>(step.params));
  }
  if (step.kind() == StepKind::kDenseI4) {
    return see(std::get<format::DenseI4Params>(step.params));
  }
  if (step.kind() == StepKind::kDenseQ8) {
    return see(std::get<format::DenseQ8Params>(step.params));
  }
  return see(std::get<format::DenseParams>(step.params));
}
bool IsProduct(const Step& step) {
  if (step.kind() == StepKind::kDenseQ8) {
    return std::get<format::DenseQ8Params>(step.params).codes().results() == format::Results::f32;
  }
  return step.kind() == StepKind::kDense || step.kind() == StepKind::kDenseI8 ||
         step.kind() == StepKind::kDenseI4;
}

// A product inside a loop whose inputs, over all iterations, are evenly spaced rows of one value
// outside.
struct Candidate {
  BlockId block = 0;
  size_t item = 0;
  Location x;
  int64_t x_stride_bytes = 0;  // from one iteration to the next
  auto Key(const Program& program) const {
    const Step& step = std::get<Step>(program.blocks[block].items[item]);
    const std::vector<ValueId> constants(step.inputs.begin() + 1, step.inputs.end());
    return std::tuple(x.root, x.offset_bytes, x_stride_bytes, constants,
                      OfProduct(step, [](const auto& params) { return params.rows(); }));
  }
};

// Facts about the entire program, updated from one section to the next.
struct Overview {
  explicit Overview(const Program& program)
      : uses(CountsOf(CollectAccesses(program, program.main))) {
    for (ValueId value = 0; value < program.values.size(); ++value) {
      for (const Move& move : program.values[value].moves) {
        std::vector<ValueId>& values = moving[move.section];
        if (values.empty() || values.back() != value) values.push_back(value);
      }
    }
  }
  AccessCounts uses;
  std::unordered_map<SectionId, std::vector<ValueId>> moving;  // values that move with each section
};

class SectionHoist {
 public:
  SectionHoist(Program& program, SectionId section, int64_t max_rows, Overview& overview)
      : program_(program), section_(section), max_rows_(max_rows), overview_(overview) {}

  // Returns the steps to run before the section's entry; empty if there are none.
  std::vector<Item> Run() {
    Collect();
    if (candidates_.empty()) return {};
    chunk_ = ChunkSize();
    if (chunk_ < 2) return {};
    if (chunk_ < trips()) NestChunks();
    std::vector<Item> hoisted;
    for (const Candidate& candidate : candidates_) Replace(candidate, hoisted);
    EraseReplaced();
    if (chunk_ == trips_whole_) return hoisted;
    std::vector<Item>& body = program_.blocks[program_.sections[outer_].copies[0]].items;
    body.insert(body.begin(), hoisted.begin(), hoisted.end());
    return {};
  }

  // The section to enter: the loop over chunks if there is one.
  SectionId entry() const { return outer_ == kNone ? section_ : outer_; }

 private:
  int64_t trips() const { return program_.sections[section_].trip_count; }
  void Collect();
  std::optional<Candidate> Match(BlockId block, size_t item) const;
  template <typename Params>
  std::optional<Candidate> MatchAs(const Params& params, const Step& step,
                                   Candidate candidate) const;
  bool IsWrittenInside(ValueId root) const;
  int64_t ChunkSize() const;
  void NestChunks();
  void Replace(const Candidate& candidate, std::vector<Item>& hoisted);
  template <typename Params>
  void Widen(const Candidate& candidate, Params& params, Step& product);
  void EraseReplaced();
  // Adds `sign` to the use counts of all operands of the step.
  void CountUses(const Step& step, int sign);

  Program& program_;
  const SectionId section_;
  const int64_t max_rows_;
  Overview& overview_;
  SectionId outer_ = kNone;
  int64_t chunk_ = 0, trips_whole_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<AccessMap> accesses_;  // by copy
  std::map<decltype(Candidate().Key(std::declval<Program&>())), ValueId> products_;
};

bool SectionHoist::IsWrittenInside(ValueId root) const {
  return std::ranges::any_of(accesses_, [&](const AccessMap& map) { return IsWritten(map, root); });
}

std::optional<Candidate> SectionHoist::Match(BlockId block, size_t item) const {
  const auto* step = std::get_if<Step>(&program_.blocks[block].items[item]);
  if (step == nullptr || !IsProduct(*step)) return std::nullopt;
  return OfProduct(*step, [&](const auto& params) {
    return MatchAs(params, *step, Candidate{block, item, {}, 0});
  });
}

template <typename Params>
std::optional<Candidate> SectionHoist::MatchAs(const Params& params, const Step& step,
                                               Candidate candidate) const {
  candidate.x = Resolve(program_, step.inputs[0]);
  // The slice must move with this loop only, not with an outer loop as well.
  if (candidate.x.moves.size() != 1 || candidate.x.moves[0].section != section_)
    return std::nullopt;
  candidate.x_stride_bytes = candidate.x.moves[0].stride_bytes;
  const int64_t stride = std::abs(candidate.x_stride_bytes);
  const int64_t element_bytes = ElementBytes(program_.values[step.inputs[0]].type.type);
  const int64_t row_bytes = params.x_row_stride() * element_bytes;
  if (stride % element_bytes != 0) return std::nullopt;
  if (params.rows() != 1 && stride != row_bytes * params.rows()) return std::nullopt;
  if (IsWrittenInside(candidate.x.root)) return std::nullopt;
  const ValueId start = step.inputs.back();
  if (start != kNone && params.start_row_stride() != 0) return std::nullopt;
  for (size_t input = 1; input < step.inputs.size(); ++input) {
    const ValueId constant = step.inputs[input];
    if (constant == kNone) continue;
    if (program_.values[Resolve(program_, constant).root].storage != Storage::kWeights) {
      return std::nullopt;
    }
  }
  const Value& y = program_.values[step.outputs[0]];
  if (y.parent != kNone || y.storage != Storage::kScratch ||
      params.y_row_stride() != params.outputs()) {
    return std::nullopt;
  }
  return candidate;
}

void SectionHoist::Collect() {
  const Section& section = program_.sections[section_];
  trips_whole_ = section.trip_count;
  if (section.trip_count < 2 || section.trip != kNone || section.first_condition != kNone ||
      section.body_condition != kNone) {
    return;
  }
  for (const BlockId copy : section.copies) accesses_.push_back(CollectAccesses(program_, copy));
  for (size_t copy = 0; copy < section.copies.size(); ++copy) {
    const BlockId block = section.copies[copy];
    for (size_t item = 0; item < program_.blocks[block].items.size(); ++item) {
      const std::optional<Candidate> candidate = Match(block, item);
      if (!candidate) continue;
      // Only this step writes y, and y is not live after the iteration.
      const ValueId y = std::get<Step>(program_.blocks[block].items[item]).outputs[0];
      const std::vector<Access>& uses = accesses_[copy].at(y);
      const auto writes =
          std::count_if(uses.begin(), uses.end(), [](const auto& use) { return use.write; });
      if (writes == 1 && uses.size() == overview_.uses.at(y)) candidates_.push_back(*candidate);
    }
  }
}

int64_t SectionHoist::ChunkSize() const {
  if (trips() <= max_rows_) return trips();
  const Section& section = program_.sections[section_];
  if (section.iteration != kNone || section.length != kNone) return 1;
  const auto unroll = static_cast<int64_t>(section.copies.size());
  for (int64_t chunk = max_rows_; chunk > 1; --chunk) {
    if (trips() % chunk == 0 && chunk % unroll == 0) return chunk;
  }
  return 1;
}

void SectionHoist::NestChunks() {
  outer_ = static_cast<SectionId>(program_.sections.size());
  program_.sections.emplace_back();
  const auto body = static_cast<BlockId>(program_.blocks.size());
  program_.blocks.emplace_back();
  Section& inner = program_.sections[section_];
  Section& outer = program_.sections[outer_];
  outer.layer = inner.layer;
  outer.copies = {body};
  outer.trip_count = outer.max_trips = inner.trip_count / chunk_;
  inner.trip_count = inner.max_trips = chunk_;
  program_.blocks[body].items.push_back(SectionEntry{section_});
  std::vector<ValueId> moving = overview_.moving[section_];
  for (const ValueId id : moving) {
    Value& value = program_.values[id];
    std::vector<Move> added;
    for (const Move& move : value.moves) {
      if (move.section == section_) added.push_back({outer_, move.stride_bytes * chunk_});
    }
    value.moves.insert(value.moves.end(), added.begin(), added.end());
  }
  overview_.moving[outer_] = std::move(moving);
}

void SectionHoist::Replace(const Candidate& candidate, std::vector<Item>& hoisted) {
  const Step step = std::get<Step>(program_.blocks[candidate.block].items[candidate.item]);
  const int64_t y_bytes = OfProduct(step, [](const auto& params) {
    return int64_t{params.rows()} * params.outputs() * static_cast<int64_t>(sizeof(float));
  });
  const bool backward = candidate.x_stride_bytes < 0;
  const auto [it, fresh] = products_.try_emplace(candidate.Key(program_), kNone);
  if (fresh) {
    Step product = step;
    OfProduct(product, [&](auto& params) { Widen(candidate, params, product); });
    it->second = product.outputs[0];
    if (outer_ != kNone) overview_.moving[outer_].push_back(product.inputs[0]);
    CountUses(product, 1);
    hoisted.emplace_back(std::move(product));
  }
  CountUses(step, -1);
  overview_.uses[it->second] += overview_.uses[step.outputs[0]];
  overview_.uses.erase(step.outputs[0]);
  overview_.moving[section_].push_back(step.outputs[0]);
  Value& y = program_.values[step.outputs[0]];
  y.parent = it->second;
  y.offset_bytes = backward ? (chunk_ - 1) * y_bytes : 0;
  y.moves = {Move{section_, backward ? -y_bytes : y_bytes}};
}

// Extends the product to all iterations of a chunk, with new operands.
template <typename Params>
void SectionHoist::Widen(const Candidate& candidate, Params& params, Step& product) {
  const int64_t rows = params.rows(), all_rows = chunk_ * rows, floats = sizeof(float);
  const int64_t stride = std::abs(candidate.x_stride_bytes);
  const ElementType x_type = program_.values[product.inputs[0]].type.type;
  const int64_t x_bytes = ElementBytes(x_type);
  const int64_t x_row_stride = rows == 1 ? stride / x_bytes : params.x_row_stride();
  Value y;
  y.type = {ElementType::f32, {all_rows, params.outputs()}};
  y.bytes = all_rows * params.outputs() * floats;
  y.name = product.layer;
  product.outputs[0] = program_.Add(std::move(y));
  params.mutate_rows(Narrow32(all_rows, "rows"));
  params.mutate_x_row_stride(Narrow32(x_row_stride, "x row stride"));
  Value x;
  x.type = {x_type, {(all_rows - 1) * x_row_stride + params.inputs()}};
  x.bytes = x.type.dims[0] * x_bytes;
  x.parent = candidate.x.root;
  x.storage = program_.values[candidate.x.root].storage;
  x.offset_bytes =
      candidate.x.offset_bytes - (candidate.x_stride_bytes < 0 ? (chunk_ - 1) * stride : 0);
  if (outer_ != kNone) x.moves = {Move{outer_, candidate.x_stride_bytes * chunk_}};
  product.inputs[0] = program_.Add(std::move(x));
  if constexpr (requires { ScratchOf(params); }) {
    Value scratch;
    scratch.type = ScratchOf(params);
    scratch.bytes = scratch.type.dims[0] * ElementBytes(scratch.type.type);
    product.outputs[1] = program_.Add(std::move(scratch));
  }
}

void SectionHoist::CountUses(const Step& step, int sign) {
  for (const std::vector<ValueId>* values : {&step.inputs, &step.outputs}) {
    for (const ValueId value : *values) {
      if (value == kNone) continue;
      overview_.uses[Resolve(program_, value).root] += static_cast<size_t>(sign);
    }
  }
}

void SectionHoist::EraseReplaced() {
  std::map<BlockId, std::set<size_t>> replaced;
  for (const Candidate& candidate : candidates_) replaced[candidate.block].insert(candidate.item);
  for (const auto& [block, items] : replaced) RemoveItems(program_.blocks[block].items, items);
}

void HoistIn(Program& program, BlockId block, int64_t max_rows, Overview& overview) {
  std::vector<Item> items;  // of the block, with hoisted steps before their sections
  for (size_t item = 0; item < program.blocks[block].items.size(); ++item) {
    const auto* entry = std::get_if<SectionEntry>(&program.blocks[block].items[item]);
    if (entry == nullptr) {
      items.push_back(std::move(program.blocks[block].items[item]));
      continue;
    }
    const SectionId section = entry->section;
    SectionHoist hoist(program, section, max_rows, overview);
    std::ranges::move(hoist.Run(), std::back_inserter(items));
    items.push_back(SectionEntry{hoist.entry()});
    const std::vector<BlockId> copies = program.sections[section].copies;
    for (const BlockId copy : copies) HoistIn(program, copy, max_rows, overview);
  }
  program.blocks[block].items = std::move(items);
}

}  // namespace

void Hoist(Program& program, int64_t max_rows) {
  if (max_rows < 2 || program.sections.empty()) return;
  Overview overview(program);
  HoistIn(program, program.main, max_rows, overview);
}

}  // namespace weft::program
