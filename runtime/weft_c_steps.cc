// SPDX-License-Identifier: Apache-2.0
// A separate object file: it links every kernel, which a program with its own step table must
// avoid.
#include "runtime/weft.h"
#include "runtime/weft_c.h"

weft_steps weft_all_steps(void) {
  const weft::StepTable table = weft::AllSteps();
  return {reinterpret_cast<const weft_step_entry*>(table.entries), table.count};
}
