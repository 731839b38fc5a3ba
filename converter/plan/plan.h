// SPDX-License-Identifier: Apache-2.0
// From a program to the plan that a file is written from. A candidate says what leaves the loops;
// each makes a plan of its own. Those of which none is both faster and smaller are the curve of the
// model, and one of them is chosen.
//
//   lowered Program -> for each candidate: MakePlan -> Plan {bytes, bound, work} -> ChoosePlan
#ifndef WEFT_CONVERTER_PLAN_PLAN_H_
#define WEFT_CONVERTER_PLAN_PLAN_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converter/base/faults.h"
#include "converter/plan/loops/fuse.h"
#include "converter/plan/problem.h"
#include "converter/plan/solve.h"
#include "converter/plan/traffic.h"
#include "converter/program/program.h"

namespace weft::plan {

inline constexpr int64_t kWeightsAlignment = 64;  // a cache line, and a panel of 16 floats
inline constexpr int64_t kScratchAlignment = 16;  // of state too
// Of scratch where it costs no byte: a load that straddles two cache lines takes twice as long.
inline constexpr int64_t kLargeAlignment = 64;
inline constexpr int64_t kLargeBytes = 256;
// Bytes of a region or of the file: the offsets of FlatBuffers have 31 bits.
inline constexpr int64_t kMostRegionBytes = INT32_MAX;

// Of what has no place: no sum with a size is a number that a file can hold.
inline constexpr int64_t kNoOffset = INT64_MIN / 2;

// Rows of an input product that are computed at once, outside their loop, and whether steps that
// every iteration would repeat run once before it. More of either takes more scratch, and mostly is
// faster. And whether steps such as conv may write their output over their input, in blocks of a
// few pixels: slower, by a third where rows are of five pixels, and two full maps never stand side
// by side. And whether loops of stacked layers are one (loops/fuse.h). And whether functions behind
// one another are one step (program/chains.h).
struct Candidate {
  int64_t hoisted_rows = 1;
  bool hoists_invariants = false;
  bool lies_near = false;
  bool fuses_loops = false;
  bool joins_chains = false;
  bool fuses_steps = false;    // those between the loops, too
  bool fuses_windows = false;  // and windows over time
  bool operator==(const Candidate&) const = default;
};

// "all" or "16": rows that it hoists at once.
std::string RowsText(const Candidate& candidate);

// Where loops can be fused, there are more.
std::span<const Candidate> Candidates();

// Which plan of the curve is taken.
enum class Aim : uint8_t {
  kBalanced,  // the fastest that needs at most twice the scratch of the smallest
  kFastest,
  kSmallest,
};

// A plan of the curve: what it takes, and what one run of it does.
struct CurvePoint {
  Candidate candidate;
  int64_t scratch_bytes = 0;
  Account account;
  Work work;
  bool operator==(const CurvePoint&) const = default;
};

struct PlanOptions {
  // Of scratch, the fastest first; empty: one without a limit. The last takes what is left over.
  std::vector<Memory> memories;
  // Most bytes of scratch, all memories together: the fastest within it, whatever the aim.
  std::optional<int64_t> budget_bytes;
  Aim aim = Aim::kBalanced;
  bool joins_chains = false;  // where the plan needs no more scratch than without
};

struct Plan {
  Program program;  // with the steps that run, in their order
  Candidate candidate;
  // In order of their cost, each smaller than all before it. Empty for a plan that was not chosen
  // from any.
  std::vector<CurvePoint> curve;
  size_t chosen = 0;  // of the curve, the one that this is

  // Where each root of `program` begins in its region (weights, state or a memory of scratch), by
  // ValueId; 0 for scratch that no step touches, kNoOffset for weights that nothing reads.
  std::vector<int64_t> offsets_bytes;
  std::vector<uint32_t> memories;     // by ValueId, of roots in scratch
  std::vector<ValueId> weight_roots;  // in the order of their offsets
  int64_t weights_bytes = 0, state_bytes = 0;
  std::vector<int64_t> scratch_bytes;  // per memory of the problem

  Problem problem;                     // of scratch
  std::vector<ValueId> scratch_roots;  // of the problem's buffers
  Placement placement;
  Account account;  // of the placement: what no other one of this order of steps can go below

  int64_t all_scratch_bytes() const;
};

// Gives every root of a program its place; the program stays as it is.
Plan PlanAsIs(Program program, std::span<const Memory> memories = {}, bool lies_near = false);

// Hoists as the candidate says, drops the copies that can go away, and places.
Plan MakePlan(Program lowered, const Candidate& candidate, std::span<const Memory> memories);

// What of the plan is beyond a memory, the budget or the format; empty where it fits.
std::string ExcessOf(const Plan& plan, const PlanOptions& options);

// The plan of the curve that the options ask for. `fused` are the same program with fused loops.
// Nullopt when a fault was added: that none fits, and what the last one would need.
std::optional<Plan> ChoosePlan(const Program& lowered, const PlanOptions& options, Faults& faults,
                               std::span<const FusedProgram> fused = {});

// The program, and the table of its placement.
std::string ToString(const Plan& plan);

}  // namespace weft::plan

#endif  // WEFT_CONVERTER_PLAN_PLAN_H_
