// SPDX-License-Identifier: Apache-2.0
// In an object file of its own: it brings every kernel, which a program with a table of its own
// does not want.
#include "runtime/weft.h"
#include "runtime/weft_c.h"

weft_steps weft_all_steps(void) {
  const weft::StepTable table = weft::AllSteps();
  return {reinterpret_cast<const weft_step_entry*>(table.entries), table.count};
}
