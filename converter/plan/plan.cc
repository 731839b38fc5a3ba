// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "converter/plan/chain_copies.h"
#include "converter/plan/liveness.h"
#include "converter/plan/loops/alternate_order.h"
#include "converter/plan/order.h"
#include "converter/plan/overlap.h"
#include "converter/plan/overlap_loops.h"
#include "converter/plan/solve.h"
#include "converter/plan/split_values.h"
#include "converter/plan/traffic.h"
#include "converter/plan/uniform_copies.h"
#include "converter/program/cells.h"
#include "converter/program/chains.h"
#include "converter/program/coalesce.h"
#include "converter/program/hoist.h"
#include "converter/program/hoist_invariant.h"

namespace weft::plan {
namespace {

constexpr int64_t kAlignmentNodes = 2000;
constexpr int kMaxOrders = 4;
constexpr int64_t kAllRows = std::numeric_limits<int64_t>::max();
constexpr Candidate kCandidates[] = {
    {kAllRows, true, false}, {kAllRows, true, true}, {64, true, true}, {32, true, true},
    {16, true, true},        {8, true, true},        {4, true, true},  {2, true, true},
    {1, true, true},         {1, false, true}};

// Places weights in the order in which the listing uses them. Weights without a reader (folded,
// repacked) are left out of the file.
class WeightsPlacer {
 public:
  explicit WeightsPlacer(Plan& plan)
      : plan_(plan), program_(plan.program), is_placed_(program_.values.size(), false) {}

  void Run() {
    Traversal(program_.main);
    for (const std::vector<program::Port>* ports : {&program_.inputs, &program_.outputs}) {
      for (const program::Port& port : *ports) Touch({port.length, port.value});
    }
    for (const program::Variable& variable : program_.variables) Touch({variable.initial});
  }

 private:
  void Traversal(program::BlockId block) {
    for (const program::Item& item : program_.blocks[block].items) {
      if (const auto* step = std::get_if<program::Step>(&item)) {
        Touch(step->inputs);
        Touch(step->outputs);
      } else {
        Traversal(program_.sections[std::get<program::SectionEntry>(item).section]);
      }
    }
  }

  void Traversal(const program::Section& section) {
    for (const program::BlockId copy : section.copies) Traversal(copy);
    for (const program::BlockId epilogue : section.epilogues) Traversal(epilogue);
    Touch({section.length, section.iteration, section.body_condition, section.first_condition,
           section.trip});
  }

  void Touch(const std::vector<program::ValueId>& values) {
    for (const program::ValueId value : values) {
      if (value == program::kNone) continue;
      const program::ValueId root = Resolve(program_, value).root;
      if (program_.values[root].storage != program::Storage::kWeights || is_placed_[root]) continue;
      is_placed_[root] = true;
      plan_.weight_roots.push_back(root);
      plan_.offsets_bytes[root] = RoundUp(plan_.weights_bytes, kWeightsAlignment);
      plan_.weights_bytes = plan_.offsets_bytes[root] + program_.values[root].bytes;
    }
  }

  Plan& plan_;
  const program::Program& program_;
  std::vector<bool> is_placed_;
};

// Single numbers, such as flags and ring positions, are stored together after the rest.
void PlaceState(Plan& plan) {
  constexpr int64_t kSingle = 8;
  for (const bool single : {false, true}) {
    for (const program::Variable& variable : plan.program.variables) {
      const int64_t bytes = plan.program.values[variable.value].bytes;
      if (single != (bytes <= kSingle)) continue;
      const auto own = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(bytes)));
      const int64_t offset = RoundUp(plan.state_bytes, single ? own : kScratchAlignment);
      plan.offsets_bytes[variable.value] = offset;
      plan.state_bytes = offset + bytes;
    }
  }
  plan.state_bytes = RoundUp(plan.state_bytes, kScratchAlignment);
}

// Rounds the capacity of a memory down to a multiple of the alignment.
Memory RoundedDown(Memory memory) {
  if (memory.capacity_bytes) *memory.capacity_bytes -= *memory.capacity_bytes % kScratchAlignment;
  return memory;
}

// Overlaps in loops cost no time, so they are always allowed; overlaps in a step make it slower.
std::vector<AllowedOverlap> AllOverlaps(const program::Program& program,
                                        std::span<const Lifetime> lifetimes, bool allows_overlap) {
  std::vector<AllowedOverlap> allowed_overlaps = OverlapsInLoops(program, lifetimes);
  if (allows_overlap)
    std::ranges::move(OverlapsOf(program, lifetimes), std::back_inserter(allowed_overlaps));
  return allowed_overlaps;
}

void SetProblem(Plan& plan, std::span<const Memory> memories, bool allows_overlap) {
  Problem& problem = plan.problem;
  if (!memories.empty()) problem.memories.clear();
  for (const Memory& memory : memories) problem.memories.push_back(RoundedDown(memory));
  const std::vector<double> traffic = TrafficOf(plan.program);
  const std::vector<Lifetime> lifetimes = Liveness(plan.program);
  for (const Lifetime& each : lifetimes) {
    plan.scratch_roots.push_back(each.root);
    problem.buffers.push_back({.name = plan.program.values[each.root].name,
                               .bytes = each.bytes,
                               .lifetime = each.time,
                               .gaps = each.gaps,
                               .alignment_bytes = kScratchAlignment,
                               .traffic_bytes = traffic[each.root]});
  }
  problem.allowed_overlaps = AllOverlaps(plan.program, lifetimes, allows_overlap);
}

std::vector<int64_t> ScratchBytes(const Placement& placement) {
  std::vector<int64_t> scratch_bytes;
  for (const int64_t bytes : placement.used_bytes) {
    scratch_bytes.push_back(RoundUp(bytes, kScratchAlignment));
  }
  return scratch_bytes;
}

// Aligns large buffers to cache lines, unless that needs more scratch.
void PlaceBuffers(Plan& plan) {
  plan.placement = Solve(plan.problem, {}, &plan.account);
  Problem aligned = plan.problem;
  for (Buffer& buffer : aligned.buffers) {
    if (buffer.bytes >= kLargeBytes) buffer.alignment_bytes = kLargeAlignment;
  }
  if (aligned == plan.problem) return;
  // Only a placement within the same bytes is useful, so the search is a short one.
  Effort effort;
  effort.max_nodes = kAlignmentNodes;
  if (plan.placement.used_bytes.size() == 1) {
    effort.enough_bytes = RoundUp(plan.placement.used_bytes[0], kScratchAlignment);
  }
  Placement placement = Solve(aligned, effort);
  if (!std::ranges::equal(ScratchBytes(placement), ScratchBytes(plan.placement),
                          std::less_equal())) {
    return;
  }
  plan.problem = std::move(aligned);
  plan.placement = std::move(placement);
}

void PlaceScratch(Plan& plan) {
  PlaceBuffers(plan);
  for (size_t i = 0; i < plan.scratch_roots.size(); ++i) {
    const Placed& placed = plan.placement.buffers[i];
    plan.offsets_bytes[plan.scratch_roots[i]] = placed.offset_bytes;
    plan.memories[plan.scratch_roots[i]] = placed.memory;
  }
  plan.scratch_bytes = ScratchBytes(plan.placement);
}

// Describes what exceeds the limits of the format; empty if everything fits.
std::string ExcessOfFormat(const Plan& plan) {
  const bool fits = plan.state_bytes <= kMaxRegionBytes &&
                    std::ranges::all_of(plan.scratch_bytes,
                                        [](int64_t bytes) { return bytes <= kMaxRegionBytes; });
  if (fits) return "";
  return fmt::format("scratch needs {} bytes and state {}; each must be at most {}",
                     plan.all_scratch_bytes(), plan.state_bytes, kMaxRegionBytes);
}

}  // namespace

std::span<const Candidate> Candidates() { return kCandidates; }

int64_t Plan::all_scratch_bytes() const {
  return std::accumulate(scratch_bytes.begin(), scratch_bytes.end(), int64_t{0});
}

Plan PlanAsIs(program::Program program, std::span<const Memory> memories, bool allows_overlap) {
  Plan plan;
  plan.program = std::move(program);
  for (const program::Value& value : plan.program.values) {
    plan.offsets_bytes.push_back(value.storage == program::Storage::kScratch ? 0 : kNoOffset);
  }
  plan.memories.assign(plan.program.values.size(), 0);
  WeightsPlacer(plan).Run();
  PlaceState(plan);
  SetProblem(plan, memories, allows_overlap);
  PlaceScratch(plan);
  return plan;
}

namespace {

using Change = void (*)(program::Program&, const Candidate&);

template <void (*change)(program::Program&)>
void Always(program::Program& program, const Candidate&) {
  change(program);
}

// The transformations of a candidate, in order. The lowered program with the first kHoistingParts
// identifies the plan: candidates for which these give equal programs have equal plans.
constexpr PassPart<Change> kParts[] = {
    {"hoist_invariants",
     [](program::Program& program, const Candidate& candidate) {
       if (candidate.hoists_invariants) program::HoistInvariants(program);
     },
     "moves steps without loop inputs out of loops"},
    {"hoist",
     [](program::Program& program, const Candidate& candidate) {
       program::Hoist(program, candidate.hoisted_rows);
     },
     "moves products of loop inputs out of loops, several rows at once"},
    {"chains",
     [](program::Program& program, const Candidate& candidate) {
       if (candidate.joins_chains) program::JoinChains(program);
     },
     "fuses consecutive elementwise steps"},
    {"split_values", Always<SplitValues>, "splits values with separate lifetimes"},
    {"cell_inputs", Always<program::JoinCellInputs>, "fuses input products into cells"},
    {"weight_order", Always<AlternateWeightOrder>,
     "alternates the order in which weights are read"},
    {"chain_copies", Always<ChainCopies>, "lets copies read the source of earlier copies"},
    {"drop_copies", Always<program::DropCopies>, "removes copies whose source can be read"},
    {"uniform_copies", Always<FillUniformCopies>, "replaces copies of equal elements by fills"},
    {"in_place", Always<program::WriteInPlace>, "lets steps write over their inputs"}};
constexpr size_t kHoistingParts = 3;

void Apply(std::span<const PassPart<Change>> parts, const Candidate& candidate,
           program::Program& program, const PartObserver<program::Program>& observe = {}) {
  for (const PassPart<Change>& part : parts) {
    part.run(program, candidate);
    if (observe) observe(part.name, program);
  }
}

program::Program Hoisted(program::Program lowered, const Candidate& candidate) {
  Apply(std::span(kParts).first(kHoistingParts), candidate, lowered);
  return lowered;
}

// Which values can share a buffer depends on the order, and the best order depends on which values
// share a buffer. So ordering and coalescing alternate as long as ordering moves a step. Returns
// nullopt if no step has moved.
std::optional<program::Program> Ordered(program::Program program) {
  if (!OrderSteps(program)) return std::nullopt;
  Coalesce(program);
  for (int order = 1; order < kMaxOrders && OrderSteps(program); ++order) Coalesce(program);
  return program;
}

// Returns true if the peak of `program` is below the scratch of `plan`, so that planning it may
// pay.
bool CanShrink(const program::Program& program, const Plan& plan, bool allows_overlap) {
  const std::vector<Lifetime> lifetimes = Liveness(program);
  std::vector<Buffer> buffers;
  for (const Lifetime& each : lifetimes) buffers.push_back({"", each.bytes, each.time, each.gaps});
  const std::vector<AllowedOverlap> allowed_overlaps =
      AllOverlaps(program, lifetimes, allows_overlap);
  return PeakOf(buffers, 1, allowed_overlaps).bytes < plan.all_scratch_bytes();
}

// The steps keep the order in which they were lowered unless another order needs less scratch. Two
// searches are tried: one keeps the buffers shared in the first order, the other starts without
// sharing.
Plan PlanHoisted(program::Program hoisted, const Candidate& candidate,
                 std::span<const Memory> memories) {
  const auto parts = std::span(kParts).subspan(kHoistingParts);
  Apply(parts.first(parts.size() - 1), candidate, hoisted);
  program::Program apart = hoisted;
  Apply(parts.last(1), candidate, hoisted);
  Plan plan = PlanAsIs(hoisted, memories, candidate.allows_overlap);
  for (program::Program* start : {&hoisted, &apart}) {
    std::optional<program::Program> ordered = Ordered(std::move(*start));
    if (!ordered || !CanShrink(*ordered, plan, candidate.allows_overlap)) continue;
    Plan other = PlanAsIs(std::move(*ordered), memories, candidate.allows_overlap);
    if (other.all_scratch_bytes() < plan.all_scratch_bytes()) plan = std::move(other);
  }
  plan.candidate = candidate;
  return plan;
}

// Fingerprint of a hoisted program. Two hoisted versions of one program with equal outlines are the
// same: hoisting a step changes the items of blocks, and the number of rows of a product changes
// the bytes of values and the trip counts.
struct Outline {
  size_t values = 0;
  int64_t bytes = 0, trips = 0;
  std::vector<size_t> items;  // by block
  bool operator==(const Outline&) const = default;
};

Outline OutlineOf(const program::Program& program) {
  Outline outline;
  outline.values = program.values.size();
  for (const program::Block& block : program.blocks) outline.items.push_back(block.items.size());
  for (const program::Value& value : program.values) outline.bytes += value.bytes;
  for (const program::Section& section : program.sections) outline.trips += section.trip_count;
  return outline;
}

}  // namespace

Plan MakePlan(program::Program lowered, const Candidate& candidate,
              std::span<const Memory> memories) {
  return PlanHoisted(Hoisted(std::move(lowered), candidate), candidate, memories);
}

std::string ExcessOf(const Plan& plan, const PlanOptions& options) {
  if (const std::string excess = ExcessOfFormat(plan); !excess.empty()) return excess;
  if (options.budget_bytes && plan.all_scratch_bytes() > *options.budget_bytes) {
    return fmt::format("scratch needs {} bytes and --arena-budget is {}", plan.all_scratch_bytes(),
                       *options.budget_bytes);
  }
  if (options.memories.size() < 2) return "";
  const size_t last = options.memories.size() - 1;
  const Memory& slow = options.memories[last];
  if (!slow.capacity_bytes || plan.scratch_bytes[last] <= *slow.capacity_bytes) return "";
  std::string faster;
  for (size_t i = 0; i < last; ++i) {
    faster += fmt::format("{}{} in \"{}\"", i == 0 ? "" : ", ", plan.scratch_bytes[i],
                          options.memories[i].name);
  }
  return fmt::format(
      "scratch needs {} bytes in region \"{}\" in addition to {} and --region {} is {}",
      plan.scratch_bytes[last], slow.name, faster, slow.name, *slow.capacity_bytes);
}

namespace {

// Returns true if any step may write over its input, with the steps in their lowered order.
bool MayOverlap(program::Program hoisted) {
  ChainCopies(hoisted);
  Coalesce(hoisted);
  return !OverlapsOf(hoisted, Liveness(hoisted)).empty();
}

// Adds the plans of the candidates; candidates with equal programs result in one plan.
void AddPlansOf(const program::Program& lowered, std::span<const Candidate> candidates,
                const PlanOptions& options, std::vector<Plan>& plans) {
  std::optional<Outline> last;
  for (Candidate candidate : candidates) {
    candidate.joins_chains = options.joins_chains;
    program::Program hoisted = Hoisted(lowered, candidate);
    const Outline outline = OutlineOf(hoisted);
    const bool is_as_last = last == outline;
    last = outline;
    // A candidate that differs only in allows_overlap is new only if some step may write over its
    // input.
    const bool is_new =
        !is_as_last ||
        (candidate.allows_overlap && !plans.back().candidate.allows_overlap && MayOverlap(hoisted));
    if (is_new) plans.push_back(PlanHoisted(std::move(hoisted), candidate, options.memories));
  }
}

Work WorkOf(const Plan& plan) {
  std::vector<Placed> positions;
  for (size_t root = 0; root < plan.memories.size(); ++root) {
    positions.push_back({plan.memories[root], plan.offsets_bytes[root]});
  }
  return WorkOf(plan.program, positions);
}

// Sorts by cost, lowest first; among equal costs by scratch, smallest first.
void SortByCost(std::vector<Plan>& plans) {
  std::vector<std::pair<double, int64_t>> keys;
  for (const Plan& plan : plans) {
    keys.emplace_back(CostOf(WorkOf(plan)), plan.all_scratch_bytes());
  }
  std::vector<size_t> order(plans.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return keys[i]; });
  std::vector<Plan> sorted;
  for (const size_t i : order) sorted.push_back(std::move(plans[i]));
  plans = std::move(sorted);
}

// Returns the plans that fit into the memories and are smaller than all faster ones.
std::vector<size_t> FittingOf(const std::vector<Plan>& plans, PlanOptions options) {
  options.budget_bytes.reset();
  std::vector<size_t> fitting;
  for (size_t i = 0; i < plans.size(); ++i) {
    const bool is_smaller =
        fitting.empty() || plans[i].all_scratch_bytes() < plans[fitting.back()].all_scratch_bytes();
    if (is_smaller && ExcessOf(plans[i], options).empty()) fitting.push_back(i);
  }
  return fitting;
}

// Returns the fastest point within the limit of the options; nullopt if none is within the budget.
// The scratch bytes of the curve decrease.
std::optional<size_t> PointFor(const std::vector<CurvePoint>& curve, const PlanOptions& options) {
  if (curve.empty()) return std::nullopt;
  const int64_t smallest = curve.back().scratch_bytes;
  int64_t max = std::numeric_limits<int64_t>::max();
  if (options.budget_bytes) {
    max = *options.budget_bytes;
  } else if (options.aim != Aim::kFastest) {
    max = options.aim == Aim::kSmallest ? smallest : 2 * smallest;
  }
  for (size_t i = 0; i < curve.size(); ++i) {
    if (curve[i].scratch_bytes <= max) return i;
  }
  return std::nullopt;
}

// Plans of the program and of its versions with fused loops, fastest first.
std::vector<Plan> PlansOf(const program::Program& lowered, const PlanOptions& options,
                          std::span<const FusedProgram> fused) {
  std::vector<Plan> plans;
  AddPlansOf(lowered, kCandidates, options, plans);
  for (const FusedProgram& each : fused) {
    Candidate candidates[] = {{each.tile, true, true, true}, {each.tile, false, true, true}};
    for (Candidate& candidate : candidates) {
      candidate.fuses_steps = each.has_steps;
      candidate.fuses_windows = each.has_windows;
    }
    AddPlansOf(each.program, candidates, options, plans);
  }
  SortByCost(plans);
  return plans;
}

std::optional<Plan> ChosenOf(std::vector<Plan>& plans, const PlanOptions& options) {
  std::vector<CurvePoint> curve;
  const std::vector<size_t> fitting = FittingOf(plans, options);
  for (const size_t i : fitting) {
    const Plan& plan = plans[i];
    curve.push_back({plan.candidate, plan.all_scratch_bytes(), plan.account, WorkOf(plan)});
  }
  const std::optional<size_t> point = PointFor(curve, options);
  if (!point) return std::nullopt;
  Plan chosen = std::move(plans[fitting[*point]]);
  chosen.curve = std::move(curve);
  chosen.chosen = *point;
  return chosen;
}

bool HasChains(const program::Program& program) {
  return std::ranges::any_of(program.blocks, [](const program::Block& block) {
    return std::ranges::any_of(block.items, [](const program::Item& item) {
      const auto* step = std::get_if<program::Step>(&item);
      return step != nullptr && step->kind() == program::StepKind::kChain;
    });
  });
}

// Returns the lowered program of the candidate: one with fused loops, if it fuses them.
const program::Program& LoweredOf(const Candidate& candidate, const program::Program& lowered,
                                  std::span<const FusedProgram> fused) {
  const auto is_its = [&](const FusedProgram& each) {
    return each.tile == candidate.hoisted_rows && each.has_steps == candidate.fuses_steps &&
           each.has_windows == candidate.fuses_windows;
  };
  const auto found = std::ranges::find_if(fused, is_its);
  return candidate.fuses_loops && found != fused.end() ? found->program : lowered;
}

// Returns true if the same plan without chains needs less scratch: a chain runs at one time, while
// its steps could run at several.
bool IsSmallerWithoutChains(const Plan& plan, const program::Program& lowered,
                            const PlanOptions& options, std::span<const FusedProgram> fused) {
  if (!HasChains(plan.program)) return false;
  Candidate candidate = plan.candidate;
  candidate.joins_chains = false;
  const program::Program& program = LoweredOf(candidate, lowered, fused);
  return MakePlan(program, candidate, options.memories).all_scratch_bytes() <
         plan.all_scratch_bytes();
}

}  // namespace

std::optional<Plan> ChoosePlan(const program::Program& lowered, const PlanOptions& options,
                               Faults& faults, std::span<const FusedProgram> fused) {
  std::vector<Plan> plans = PlansOf(lowered, options, fused);
  std::optional<Plan> chosen = ChosenOf(plans, options);
  if (options.joins_chains &&
      (!chosen || IsSmallerWithoutChains(*chosen, lowered, options, fused))) {
    PlanOptions apart = options;
    apart.joins_chains = false;
    return ChoosePlan(lowered, apart, faults, fused);
  }
  if (chosen) return chosen;
  const Plan& min = *std::ranges::min_element(plans, {}, &Plan::all_scratch_bytes);
  std::string line = "plan: " + ExcessOf(min, options);
  if (ExcessOfFormat(min).empty()) {
    line += "; " + DescribePeak(min.program, min.problem.allowed_overlaps);
  }
  faults.Add(line);
  return std::nullopt;
}

std::vector<PartText> PlanParts() { return TextsOf(std::span(kParts)); }

void ObserveParts(const program::Program& lowered, std::span<const FusedProgram> fused,
                  const Candidate& candidate, const PartObserver<program::Program>& observe) {
  program::Program copy = LoweredOf(candidate, lowered, fused);
  Apply(kParts, candidate, copy, observe);
}

std::string RowsText(const Candidate& candidate) {
  return candidate.hoisted_rows == kAllRows ? "all" : fmt::format("{}", candidate.hoisted_rows);
}

std::string ToString(const Plan& plan) {
  return fmt::format(
      "{}\nhoisted: {} rows of a product at once, {} invariants; outputs overwrite inputs: {}; "
      "loops of stacked layers: {}\n{}"
      "weights {} bytes, state {}, scratch {} ({})\n",
      ToString(plan.program), RowsText(plan.candidate),
      plan.candidate.hoists_invariants ? "all" : "no",
      plan.candidate.allows_overlap ? "with an offset" : "no",
      plan.candidate.fuses_loops ? "fused" : "separate", ToString(plan.problem, plan.placement),
      plan.weights_bytes, plan.state_bytes, plan.all_scratch_bytes(), ToString(plan.account));
}

}  // namespace weft::plan
