// SPDX-License-Identifier: Apache-2.0
// Only Engine::OpenChecked, so that firmware that does not call it does not link it.
#include "runtime/plan_number.h"
#include "runtime/verify.h"
#include "runtime/weft.h"

namespace weft {

uint32_t PlanTableBytes(Bytes model) {
  const format::Model* root = nullptr;
  if (!VerifyHeader(model, &root).ok()) return 0;
  return format::RowsOf(root->operands()).count * kPlanTableBytesPerOperand;
}

Fault Engine::OpenChecked(Bytes model, StepTable steps, Memory memory, Block table, Engine* out) {
  Engine engine;
  const Fault fault = Open(model, steps, memory, &engine);
  if (!fault.ok()) return fault;
  const uint32_t must = StoredPlanNumber(*engine.model_);
  if (must == 0) return {FaultCode::kPlanNumberAbsent};
  const uint32_t is = PlanNumber(*engine.model_, steps.entries, engine.regions_, table);
  if (is == 0) return {FaultCode::kPlanNumberAbsent};  // its steps access too many bytes
  if (is != must) return {FaultCode::kPlanNumber, 0, 0, 0, is, must};
  return OpenVerified(*engine.model_, steps, memory, out);
}

}  // namespace weft
