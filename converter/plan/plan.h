// SPDX-License-Identifier: Apache-2.0
// Turns a program into the plan that a file is written from. A candidate selects transformations of
// the program. Its draft, a plan without addresses in scratch, gives lower bounds of cost and
// scratch; drafts that cannot be better than an earlier plan are not placed. The plans for which no
// other plan is both faster and smaller form the curve of the model, and one of them is chosen.
//
//   lowered Program -> drafts {min cost, min bytes} -> plans {bytes, bound, work} -> curve -> Plan
#ifndef WEFT_CONVERTER_PLAN_PLAN_H_
#define WEFT_CONVERTER_PLAN_PLAN_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/base/pass_parts.h"
#include "converter/plan/loops/fuse.h"
#include "converter/plan/problem.h"
#include "converter/plan/solve.h"
#include "converter/plan/traffic.h"
#include "converter/program/program.h"

namespace weft::plan {

inline constexpr int64_t kWeightsAlignment = 64;  // a cache line, and a panel of 16 floats
inline constexpr int64_t kScratchAlignment = 16;  // also of state
// Alignment of large values in scratch if it adds no byte: a load that straddles two cache lines
// takes twice as long.
inline constexpr int64_t kLargeAlignment = 64;
inline constexpr int64_t kLargeBytes = 256;
// Smaller weights are not copied: a copy needs about 50 bytes of the file.
inline constexpr int64_t kMinCopyBytes = 64;
// Maximum bytes of a region or of the file, because offsets of FlatBuffers have 31 bits.
inline constexpr int64_t kMaxRegionBytes = INT32_MAX;

// Offset of a value without an address. Adding any size to it never gives a valid file offset.
inline constexpr int64_t kNoOffset = INT64_MIN / 2;

inline constexpr int64_t kAllRows = INT64_MAX;

// The choices of one plan. A model has at most 9 candidates and those of its fused programs.
struct Candidate {
  // Rows of an input product computed at once, before the loop; in a fused program, iterations per
  // tile. More rows need more scratch and read weights less often.
  int64_t rows_at_once = 1;
  // Steps such as conv may write their output over their input, in blocks of a few pixels: slower
  // by a third for rows of five pixels, but two full maps are never live together.
  bool outputs_over_inputs = false;
  Fusion fusion = Fusion::kNone;  // of the loops of stacked layers
  bool joins_chains = true;       // program/chains.h; false if that needs more scratch
  bool operator==(const Candidate&) const = default;
};

// "all" or "16": the number of rows that are computed at once.
std::string RowsText(const Candidate& candidate);

// Selects the plan of the curve.
enum class Aim : uint8_t {
  kBalanced,  // the fastest plan that needs at most twice the scratch of the smallest plan
  kFastest,
  kSmallest,
};

// A plan of the curve: its scratch, and the work of one run.
struct CurvePoint {
  Candidate candidate;
  int64_t scratch_bytes = 0;
  Account account;
  Work work;
  bool operator==(const CurvePoint&) const = default;
};

// Memories and limits for the choice of a plan.
struct PlanOptions {
  // Memories for scratch, the fastest first; empty: one without a limit. The last memory receives
  // what does not fit into the others.
  std::vector<Memory> memories;
  // Maximum bytes of scratch in all memories together. If set, the fastest plan within this budget
  // is chosen, whatever the aim.
  std::optional<int64_t> budget_bytes;
  Aim aim = Aim::kBalanced;
};

// Weights that Open copies to scratch, where the steps read them.
struct WeightCopy {
  program::ValueId root = program::kNone;
  uint32_t memory = 0;
  int64_t offset_bytes = 0;
  bool operator==(const WeightCopy&) const = default;
};

// A program with an address for every value.
struct Plan {
  program::Program program;  // the steps in the order in which they run
  Candidate candidate;
  // Points in order of cost, each with less scratch than all earlier ones. Empty for a plan that
  // was not chosen from several.
  std::vector<CurvePoint> curve;
  size_t chosen = 0;  // index in the curve of this plan

  // Offset of each root of `program` in its region (weights, state or a memory of scratch), by
  // ValueId; 0 for scratch that no step accesses, kNoOffset for weights that nothing reads.
  std::vector<int64_t> offsets_bytes;
  std::vector<uint32_t> memories;              // by ValueId, of roots in scratch
  std::vector<program::ValueId> weight_roots;  // in the order of their offsets
  int64_t weights_bytes = 0, state_bytes = 0;
  std::vector<int64_t> scratch_bytes;  // per memory of the problem

  Problem problem;                              // of scratch
  std::vector<program::ValueId> scratch_roots;  // of the problem's buffers
  std::vector<WeightCopy> weight_copies;        // one per buffer after those
  Placement placement;
  Account account;  // of the placement, with the lower bound for this order of steps
  Work work;        // of one run

  // Scratch of all memories together.
  int64_t all_scratch_bytes() const;
};

// Assigns an address to every root of a program, without changing the program.
Plan PlanAsIs(program::Program program, std::span<const Memory> memories = {},
              bool allows_overlap = false);

// Applies the candidate's transformations, drops the copies that can be avoided, and assigns
// addresses.
Plan MakePlan(program::Program lowered, const Candidate& candidate,
              std::span<const Memory> memories);

// Sets the addresses of the roots in scratch from the placement, and the work that depends on them.
void SetScratchAddresses(Plan& plan);

// Describes by how much the plan exceeds a memory, the budget or the format; empty if it fits.
std::string ExcessOf(const Plan& plan, const PlanOptions& options);

// Returns the plan of the curve that the options select. `fused` is the same program with fused
// loops. Returns nullopt after adding an error if no plan fits, with the bytes that the last plan
// needs.
std::optional<Plan> ChoosePlan(const program::Program& lowered, const PlanOptions& options,
                               Faults& faults, std::span<const FusedProgram> fused = {});

// The transformations that MakePlan applies, in order. Afterwards it orders the steps.
std::vector<PartText> PlanParts();
// Applies them to a copy of the program of that candidate, and calls `observe` after each.
void ObserveParts(const program::Program& lowered, std::span<const FusedProgram> fused,
                  const Candidate& candidate, const PartObserver<program::Program>& observe);

// Returns the listing of the program and the table of its placement.
std::string ToString(const Plan& plan);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_PLAN_H_
