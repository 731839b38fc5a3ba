// SPDX-License-Identifier: Apache-2.0
// weft plan: solves a placement problem in the format of the MiniMalloc benchmarks.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "converter/base/files.h"
#include "converter/base/paths.h"
#include "converter/cli/call_files.h"
#include "converter/cli/commands.h"
#include "converter/cli/numbers.h"
#include "converter/cli/streams.h"
#include "converter/plan/problem_csv.h"
#include "converter/plan/solve.h"
#include "converter/plan/validate_placement.h"

namespace weft::cli {
namespace {

// Limit of the work of all nodes of a search: some seconds, independent of the cost of a node.
constexpr int64_t kMaxLooks = 1'500'000'000;

constexpr const char* kPlanFooter =
    R"(FILE.csv has the header id,lower,upper,size and a line for each buffer: its unique name, the
half-open interval of time in which it is live, and its size in bytes. Optional columns:
  alignment  divisor of the offset
  gaps       BEGIN-END BEGIN-END: times at which the buffer is not live
  offset     fixed offset
  near       X:BEFORE:BEHIND: may overlap the buffer of index X
  hint, traffic   accepted, but not used with one memory
The solution has the column offset. weft convert --dump-after plan prints the buffers of a model
as text.

The solver tries greedy orders, then searches for the minimum. The result reports the maximum
distance from the minimum. The search is limited by nodes (placed buffers), not by time, so the
result is the same on each machine.

Examples:
  weft plan problem.csv
  weft plan problem.csv --capacity 1M -o solution.csv
  weft plan problem.csv --nodes 50000000)";

struct PlanCall {
  std::string problem, solution;
  std::optional<int64_t> capacity_bytes, nodes;
  bool json = false;
};

std::optional<plan::Problem> ReadProblem(const std::string& file, Faults& faults) {
  std::string reason;
  const std::optional<std::vector<std::byte>> bytes = ReadFile(PathOf(file), &reason);
  if (!bytes) {
    faults.Add(fmt::format("{}: cannot be read: {}", file, reason));
    return std::nullopt;
  }
  const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return plan::FromCsv(text, file, faults);
}

struct Solved {
  plan::Placement placement;
  plan::Account account;
  double seconds = 0;
};

Solved SolveTimed(const PlanCall& call, const plan::Problem& problem) {
  plan::Effort effort;
  effort.max_looks = kMaxLooks;
  if (call.nodes) effort.max_nodes = *call.nodes;
  if (call.capacity_bytes) effort.enough_bytes = *call.capacity_bytes;
  Solved solved;
  const auto begin = std::chrono::steady_clock::now();
  solved.placement = plan::Solve(problem, effort, &solved.account);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  solved.seconds = took.count();
  return solved;
}

bool Write(const PlanCall& call, const plan::Problem& problem, const Solved& solved,
           Faults& faults) {
  if (call.solution.empty()) return true;
  const std::string text = plan::ToCsv(problem, &solved.placement);
  const FileToWrite file = {PathOf(call.solution),
                            std::as_bytes(std::span(text.data(), text.size()))};
  std::string reason;
  if (WriteFiles(std::span(&file, 1), &reason)) return true;
  faults.Add(reason);
  return false;
}

bool Fits(const PlanCall& call, const Solved& solved) {
  return !call.capacity_bytes || solved.placement.used_bytes[0] <= *call.capacity_bytes;
}

void PrintSolved(const PlanCall& call, const plan::Problem& problem, const Solved& solved) {
  const int64_t used = solved.placement.used_bytes[0];
  const bool fits = Fits(call, solved);
  if (call.json) {
    nlohmann::ordered_json json = {{"instance", call.problem},
                                   {"buffers", problem.buffers.size()},
                                   {"bound_bytes", solved.account.bound_bytes},
                                   {"used_bytes", used},
                                   {"proven", solved.account.is_optimal()},
                                   {"nodes", solved.account.nodes},
                                   {"seconds", solved.seconds}};
    if (call.capacity_bytes) {
      json["capacity_bytes"] = *call.capacity_bytes;
      json["fits"] = fits;
    }
    return Print(json);
  }
  std::string capacity;
  if (call.capacity_bytes) {
    capacity =
        fmt::format("; {} {}", fits ? "fits into" : "no placement within", *call.capacity_bytes);
  }
  Answer("{}: {} buffers, bound {}, result {} ({}){}; {} nodes, {:.2f} s", call.problem,
         problem.buffers.size(), solved.account.bound_bytes, used, plan::ToString(solved.account),
         capacity, solved.account.nodes, solved.seconds);
}

Exit PlanProblem(const PlanCall& call) {
  Diagnostics complaints;
  CallFiles files;
  files.Reads("FILE.csv", PathOf(call.problem));
  if (!call.solution.empty()) files.Writes("--output", PathOf(call.solution));
  files.Check(complaints.call);
  if (!complaints.ok()) return Report(complaints);
  Faults& faults = complaints.input;
  const std::optional<plan::Problem> problem = ReadProblem(call.problem, faults);
  if (!problem) return Report(faults);
  const Solved solved = SolveTimed(call, *problem);
  for (const plan::PlacementFault& fault : plan::ValidatePlacement(*problem, solved.placement)) {
    faults.Add(fmt::format("{}: {}", call.problem, fault.text));
  }
  const bool fits = Fits(call, solved);
  if (!faults.ok() || (fits && !Write(call, *problem, solved, faults))) return Report(faults);
  PrintSolved(call, *problem, solved);
  if (!fits) {
    faults.Add(
        fmt::format("{}: the best placement found needs {} bytes; must be at most {}, as "
                    "--capacity requires{}",
                    call.problem, solved.placement.used_bytes[0], *call.capacity_bytes,
                    solved.account.is_optimal() ? "" : " (more --nodes may find one)"));
  }
  return Report(faults);
}

}  // namespace

void AddPlan(CommandLine& line, Exit* exit) {
  Command& command = line.AddCommand("plan", "Solve a static memory-placement problem");
  auto call = std::make_shared<PlanCall>();
  command.Add("FILE", call->problem, "Problem to solve").Value("FILE.csv", PathName).Required();
  command.Add("-o,--output", call->solution, "Solution to write").Value("FILE.csv", PathName);
  command
      .Add("--capacity", call->capacity_bytes,
           "Stop at a placement of at most BYTES, such as 1048576 or 1M. If none was found, the "
           "exit code is 1 and no solution is written")
      .Value("BYTES", ByteCount());
  command
      .Add("--nodes", call->nodes,
           "Maximum number of nodes of the search. Default: 1500000000 divided "
           "by the work of one node (the number of buffers and of times at "
           "which they are live)")
      .Value("N", Integer(0, int64_t{1} << 40));
  command.AddFlag("--json", call->json, "Print JSON");
  command.Footer(kPlanFooter);
  command.OnCall([call, exit] { *exit = PlanProblem(*call); });
}

}  // namespace weft::cli
