// SPDX-License-Identifier: Apache-2.0
#include "converter/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "converter/plan/liveness.h"
#include "converter/plan/loops/loop_passes.h"
#include "converter/plan/plan_passes.h"
#include "converter/plan/solve.h"
#include "converter/plan/traffic.h"
#include "converter/plan/weight_copies.h"
#include "converter/program/cells.h"
#include "converter/program/chains.h"
#include "converter/program/coalesce.h"
#include "converter/program/passes.h"

namespace weft::plan {
namespace {

constexpr int64_t kAlignmentNodes = 2000;
constexpr int kMaxOrders = 4;
constexpr int64_t kRowsAtOnce[] = {kAllRows, 64, 32, 16, 8, 4, 2, 1};

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

// Allows steps to write their output over their input. Returns false if no step can.
bool AllowOverlap(Plan& plan) {
  std::vector<AllowedOverlap> allowed = OverlapsOf(plan.program, Liveness(plan.program));
  std::ranges::copy(allowed, std::back_inserter(plan.problem.allowed_overlaps));
  return !allowed.empty();
}

// Overlaps in loops cost no time, so they are always allowed; overlaps in a step make it slower.
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
  problem.allowed_overlaps = OverlapsInLoops(plan.program, lifetimes);
  if (allows_overlap) AllowOverlap(plan);
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
  SetScratchAddresses(plan);
}

// A plan with all addresses except those in scratch.
Plan Unplaced(program::Program program, std::span<const Memory> memories, bool allows_overlap) {
  Plan plan;
  plan.program = std::move(program);
  for (const program::Value& value : plan.program.values) {
    plan.offsets_bytes.push_back(value.storage == program::Storage::kScratch ? 0 : kNoOffset);
  }
  plan.memories.assign(plan.program.values.size(), 0);
  WeightsPlacer(plan).Run();
  PlaceState(plan);
  SetProblem(plan, memories, allows_overlap);
  return plan;
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

void SetScratchAddresses(Plan& plan) {
  for (size_t i = 0; i < plan.scratch_roots.size(); ++i) {
    const Placed& placed = plan.placement.buffers[i];
    plan.offsets_bytes[plan.scratch_roots[i]] = placed.offset_bytes;
    plan.memories[plan.scratch_roots[i]] = placed.memory;
  }
  plan.scratch_bytes = ScratchBytes(plan.placement);
  std::vector<Placed> positions;
  for (size_t root = 0; root < plan.memories.size(); ++root) {
    positions.push_back({plan.memories[root], plan.offsets_bytes[root]});
  }
  plan.work = WorkOf(plan.program, positions);
}

int64_t Plan::all_scratch_bytes() const {
  return std::accumulate(scratch_bytes.begin(), scratch_bytes.end(), int64_t{0});
}

Plan PlanAsIs(program::Program program, std::span<const Memory> memories, bool allows_overlap) {
  Plan plan = Unplaced(std::move(program), memories, allows_overlap);
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
// identifies the candidate.
constexpr PassPart<Change> kParts[] = {
    {"hoist_invariants", Always<program::HoistInvariants>,
     "moves steps without loop inputs out of loops"},
    {"hoist",
     [](program::Program& program, const Candidate& candidate) {
       program::Hoist(program, candidate.rows_at_once);
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
constexpr size_t kHoistingParts = 2;

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

int64_t PeakOf(const Plan& plan) {
  return PeakOf(plan.problem.buffers, 1, plan.problem.allowed_overlaps).bytes;
}

// The plans of one candidate before placement: its program in several orders of steps, and these
// without chains, because a chain runs at one time while its steps can run at several. The one that
// needs the smallest scratch is the candidate's plan; among equal ones, the first.
struct Draft {
  std::vector<Plan> orders;
  double min_cost = 0;    // of all orders, if no step writes over its input
  int64_t min_bytes = 0;  // of scratch: the minimum over all orders of the peak of live bytes
};

void SetBounds(Draft& draft) {
  draft.min_cost = std::numeric_limits<double>::infinity();
  draft.min_bytes = std::numeric_limits<int64_t>::max();
  for (const Plan& plan : draft.orders) {
    draft.min_cost = std::min(draft.min_cost, CostOf(WorkOf(plan.program, {})));
    draft.min_bytes = std::min(draft.min_bytes, PeakOf(plan));
  }
}

// The steps keep the order in which they were lowered unless another order needs less scratch. Two
// searches are tried: one keeps the buffers shared in the first order, the other starts without
// sharing.
void AddOrders(program::Program hoisted, const Candidate& candidate,
               std::span<const Memory> memories, Draft& draft) {
  const auto parts = std::span(kParts).subspan(kHoistingParts);
  Apply(parts.first(parts.size() - 1), candidate, hoisted);
  program::Program apart = hoisted;
  Apply(parts.last(1), candidate, hoisted);
  const auto add = [&](program::Program program) {
    draft.orders.push_back(Unplaced(std::move(program), memories, candidate.outputs_over_inputs));
    draft.orders.back().candidate = candidate;
  };
  std::optional<program::Program> ordered = Ordered(hoisted), again = Ordered(std::move(apart));
  add(std::move(hoisted));
  if (ordered) add(*std::move(ordered));
  if (again) add(*std::move(again));
}

Draft DraftOf(program::Program hoisted, Candidate candidate, std::span<const Memory> memories) {
  Draft draft;
  AddOrders(hoisted, candidate, memories, draft);
  if (HasStep(draft.orders[0].program, program::StepKind::kChain)) {
    candidate.joins_chains = false;
    AddOrders(std::move(hoisted), candidate, memories, draft);
  }
  SetBounds(draft);
  return draft;
}

Plan PlanOf(Draft draft) {
  std::optional<Plan> min;
  for (Plan& plan : draft.orders) {
    if (min && PeakOf(plan) >= min->all_scratch_bytes()) continue;
    PlaceScratch(plan);
    if (!min || plan.all_scratch_bytes() < min->all_scratch_bytes()) min = std::move(plan);
  }
  return *std::move(min);
}

}  // namespace

Plan MakePlan(program::Program lowered, const Candidate& candidate,
              std::span<const Memory> memories) {
  return PlanOf(DraftOf(Hoisted(std::move(lowered), candidate), candidate, memories));
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

// Adds the candidate's draft that may also write outputs over inputs, if any step can.
void AddOverlapping(std::vector<Draft>& drafts) {
  Draft overlapping = drafts.back();
  bool is_any = false;
  for (Plan& plan : overlapping.orders) {
    is_any = AllowOverlap(plan) || is_any;
    plan.candidate.outputs_over_inputs = true;
  }
  if (!is_any) return;
  SetBounds(overlapping);
  drafts.push_back(std::move(overlapping));
}

// Returns the drafts of all candidates, without those whose program equals an earlier one: it reads
// the same bytes, because fewer rows at once read more weights.
std::vector<Draft> DraftsOf(const program::Program& lowered, std::span<const Memory> memories,
                            std::span<const FusedProgram> fused) {
  std::vector<Draft> drafts;
  std::optional<Work> last;
  for (const int64_t rows : kRowsAtOnce) {
    const Candidate candidate{rows, rows != kAllRows};
    program::Program hoisted = Hoisted(lowered, candidate);
    const Work work = WorkOf(hoisted, {});
    if (std::exchange(last, work) == work) continue;
    drafts.push_back(DraftOf(std::move(hoisted), candidate, memories));
    if (rows == kAllRows) AddOverlapping(drafts);
    if (lowered.sections.empty()) break;  // there is nothing to hoist
  }
  for (const FusedProgram& each : fused) {
    const Candidate candidate{each.tile, true, each.fusion};
    drafts.push_back(DraftOf(Hoisted(each.program, candidate), candidate, memories));
  }
  return drafts;
}

// Returns the plans that may be points of the curve, in order of cost; among equal costs the
// smallest first. If a plan that fits costs at most the lower bound of a draft, and needs at most
// its lower bound of scratch, the draft is not placed.
std::vector<Plan> PlansOf(std::vector<Draft> drafts, const PlanOptions& options) {
  std::ranges::stable_sort(drafts, {}, &Draft::min_cost);
  std::vector<Plan> plans;
  for (Draft& draft : drafts) {
    const bool is_dominated = std::ranges::any_of(plans, [&](const Plan& plan) {
      return CostOf(plan.work) <= draft.min_cost && plan.all_scratch_bytes() <= draft.min_bytes &&
             ExcessOf(plan, options).empty();
    });
    if (!is_dominated) plans.push_back(PlanOf(std::move(draft)));
  }
  std::ranges::stable_sort(plans, {}, [](const Plan& plan) {
    return std::pair(CostOf(plan.work), plan.all_scratch_bytes());
  });
  return plans;
}

// Returns the plans that fit into the memories and are smaller than all faster ones.
std::vector<size_t> FittingOf(const std::vector<Plan>& plans, const PlanOptions& options) {
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

std::optional<Plan> ChosenOf(std::vector<Plan>& plans, const std::vector<size_t>& fitting,
                             const PlanOptions& options) {
  std::vector<CurvePoint> curve;
  for (const size_t i : fitting) {
    const Plan& plan = plans[i];
    curve.push_back({plan.candidate, plan.all_scratch_bytes(), plan.account, plan.work});
  }
  const std::optional<size_t> point = PointFor(curve, options);
  if (!point) return std::nullopt;
  Plan chosen = std::move(plans[fitting[*point]]);
  chosen.curve = std::move(curve);
  chosen.chosen = *point;
  return chosen;
}

// Returns the lowered program of the candidate: one with fused loops, if it fuses them.
const program::Program& LoweredOf(const Candidate& candidate, const program::Program& lowered,
                                  std::span<const FusedProgram> fused) {
  const auto found = std::ranges::find_if(fused, [&](const FusedProgram& each) {
    return each.tile == candidate.rows_at_once && each.fusion == candidate.fusion;
  });
  return found == fused.end() ? lowered : found->program;
}

}  // namespace

std::optional<Plan> ChoosePlan(const program::Program& lowered, const PlanOptions& options,
                               Faults& faults, std::span<const FusedProgram> fused) {
  PlanOptions unlimited = options;
  unlimited.budget_bytes.reset();
  std::vector<Plan> plans = PlansOf(DraftsOf(lowered, options.memories, fused), unlimited);
  if (std::optional<Plan> chosen = ChosenOf(plans, FittingOf(plans, unlimited), options)) {
    return WithWeightCopies(*std::move(chosen), options);
  }
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
  return candidate.rows_at_once == kAllRows ? "all" : fmt::format("{}", candidate.rows_at_once);
}

std::string ToString(const Plan& plan) {
  return fmt::format(
      "{}\nhoisted: {} rows of a product at once; outputs overwrite inputs: {}; "
      "loops of stacked layers: {}\n{}"
      "weights {} bytes, state {}, scratch {} ({})\n",
      ToString(plan.program), RowsText(plan.candidate),
      plan.candidate.outputs_over_inputs ? "with an offset" : "no",
      plan.candidate.fusion == Fusion::kNone ? "separate" : "fused",
      ToString(plan.problem, plan.placement), plan.weights_bytes, plan.state_bytes,
      plan.all_scratch_bytes(), ToString(plan.account));
}

}  // namespace weft::plan
