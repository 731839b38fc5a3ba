// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/run_here.h"

#include <utility>

#include "converter/base/faults.h"
#include "converter/emit/file_engine.h"
#include "converter/emit/model_file.h"
#include "converter/plan/loops/loops.h"
#include "converter/plan/plan.h"
#include "converter/program/fuse_tail.h"
#include "runtime/weft.h"

namespace weft::emit {

program::ProgramRun RunHere(program::Program program, int64_t max_scratch_bytes) {
  program::FuseTails(program);
  plan::PlanLoops(program);
  const plan::Plan plan = plan::MakePlan(std::move(program), {}, {});
  program::ProgramRun run;
  Faults faults;
  const ModelFile file = WriteModelFile(plan, {.names = false, .checksum = false}, faults);
  if (!faults.ok()) {
    run.fault = faults.lines()[0];
    return run;
  }
  run.scratch_bytes = plan.all_scratch_bytes();
  if (run.scratch_bytes > max_scratch_bytes) return run;
  FileEngine here(file.bytes);
  Fault fault = here.Open();
  if (fault.ok()) fault = here.engine.Run();
  if (!fault.ok()) {
    run.fault = Words(fault);
    return run;
  }
  for (uint32_t i = 0; i < here.engine.output_count(); ++i) {
    const Tensor tensor = here.engine.output(i);
    const auto* first = static_cast<const std::byte*>(tensor.data);
    run.outputs.emplace_back(first, first + tensor.bytes);
  }
  return run;
}

}  // namespace weft::emit
