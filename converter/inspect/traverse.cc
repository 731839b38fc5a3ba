// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/traverse.h"

namespace weft::inspect {
namespace {

// Run j of a section: first its copies, then its epilogues.
StepRun RunOf(const format::Model& model, uint32_t section, uint32_t run) {
  const uint32_t unroll = SectionAt(model, section).unroll();
  return run < unroll ? CopyOf(model, section, run) : EpilogueOf(model, section, run - unroll + 1);
}

uint32_t RunCount(const format::Model& model, uint32_t section) {
  return 2u * SectionAt(model, section).unroll() - 1;
}

// The steps of a run without those of nested sections, except the step that enters them.
std::vector<uint32_t> DirectSteps(const format::Model& model, StepRun run) {
  const auto steps = format::RowsOf(model.steps());
  std::vector<uint32_t> direct;
  for (uint32_t i = run.begin; i < run.end;) {
    direct.push_back(i);
    i = steps[i].kind() == 0 ? EndOf(model, steps[i].param()) : i + 1;
  }
  return direct;
}

class Summing {
 public:
  Summing(const format::Model& model, const Cost& cost)
      : model_(model),
        cost_(cost),
        steps_(format::RowsOf(model.steps())),
        epilogue_runs_(format::RowsOf(model.sections()).count, 0) {
    sum.times.assign(steps_.count, 0);
    sum.sections.resize(epilogue_runs_.size());
    sum.run = Once(AllOf(model));
    SetTimes(AllOf(model), 1);
  }

  Sum sum;

 private:
  // Cost of executing a run once.
  double Once(StepRun run) {
    double total = 0;
    for (const uint32_t step : DirectSteps(model_, run)) {
      total += steps_[step].kind() == 0 ? Entered(steps_[step].param()) : cost_(step);
    }
    return total;
  }

  double Entered(uint32_t section) {
    const uint32_t unroll = SectionAt(model_, section).unroll();
    const Trips trips = TripsOf(model_, section);
    sum.exact = sum.exact && trips.exact;
    SectionSum result;
    for (uint32_t copy = 0; copy < unroll; ++copy) {
      const double once = Once(CopyOf(model_, section, copy));
      result.per_iteration += once;
      result.per_entry += once * Iterations(section, copy);
    }
    result.per_iteration /= unroll;
    for (uint32_t run = 1; run < unroll; ++run) {
      const double once = Once(EpilogueOf(model_, section, run));
      const bool may_come = trips.exact ? trips.count % unroll == run : true;
      if (!may_come || (epilogue_runs_[section] != 0 && once <= result.epilogue)) continue;
      epilogue_runs_[section] = run;
      result.epilogue = once;
    }
    result.per_entry += result.epilogue;
    sum.sections[section] = result;
    return result.per_entry;
  }

  // Number of iterations that copy `copy` of the body executes.
  double Iterations(uint32_t section, uint32_t copy) const {
    const uint32_t count = TripsOf(model_, section).count;
    return count > copy ? (count - copy - 1) / SectionAt(model_, section).unroll() + 1 : 0;
  }

  void SetTimes(StepRun run, double times) {
    for (const uint32_t step : DirectSteps(model_, run)) {
      sum.times[step] = times;
      if (steps_[step].kind() != 0) continue;
      const uint32_t section = steps_[step].param();
      const uint32_t unroll = SectionAt(model_, section).unroll();
      for (uint32_t i = 0; i < RunCount(model_, section); ++i) {
        const bool epilogues = i + 1 == unroll + epilogue_runs_[section];
        const double runs = i < unroll ? Iterations(section, i) : epilogues ? 1 : 0;
        SetTimes(RunOf(model_, section, i), times * runs);
      }
    }
  }

  const format::Model& model_;
  const Cost& cost_;
  const format::Rows<format::Step> steps_;
  std::vector<uint32_t> epilogue_runs_;  // by section: the epilogue that counts; 0: none
};

}  // namespace

void Traverse(const format::Model& model, StepRun run, Visitor& visitor) {
  const auto steps = format::RowsOf(model.steps());
  for (const uint32_t step : DirectSteps(model, run)) {
    if (steps[step].kind() != 0) {
      visitor.Step(step);
      continue;
    }
    const uint32_t section = steps[step].param();
    visitor.Enter(step, section);
    for (uint32_t i = 0; i < RunCount(model, section); ++i) {
      visitor.Run(section, i);
      Traverse(model, RunOf(model, section, i), visitor);
      visitor.EndRun(section, i);
    }
    visitor.Leave(step, section);
  }
}

Sum SumOf(const format::Model& model, const Cost& cost) { return Summing(model, cost).sum; }

}  // namespace weft::inspect
