// SPDX-License-Identifier: Apache-2.0
#include "runtime/weft_c.h"

#include "runtime/c_engine.h"
#include "runtime/weft.h"

namespace {

static_assert(WEFT_MAX_RANK == weft::kMaxRank && WEFT_MODEL_ALIGNMENT == weft::kModelAlignment &&
                  WEFT_MEMORY_ALIGNMENT == weft::kMemoryAlignment,
              "the limits of both headers must be equal");
static_assert(WEFT_BOOL == static_cast<int>(weft::Type::kBool),
              "the types of both headers must have the same numbers");
static_assert(sizeof(weft_step_entry) == sizeof(weft::StepEntry),
              "an entry must be two function addresses");
static_assert(weft::kMaxScratchRegions == WEFT_MAX_SCRATCH_REGIONS,
              "weft_memory must have as many scratch regions as weft::Memory");

using weft::Load;
using weft::Store;
using weft::ToC;

weft_tensor ToC(const weft::Tensor& tensor) {
  weft_tensor out = {};
  out.data = tensor.data;
  out.bytes = tensor.bytes;
  for (uint32_t i = 0; i < weft::kMaxRank; ++i) out.dims[i] = tensor.dims[i];
  out.rank = tensor.rank;
  out.type = static_cast<uint8_t>(tensor.type);
  return out;
}

weft::Block FromC(const weft_block& block) { return {block.data, block.bytes}; }

weft::Memory FromC(const weft_memory& memory) {
  weft::Memory blocks = {FromC(memory.state), FromC(memory.scratch)};
  for (uint32_t i = 0; i + 1 < weft::kMaxScratchRegions; ++i) {
    blocks.more_scratch[i] = FromC(memory.more_scratch[i]);
  }
  return blocks;
}

weft::StepTable FromC(const weft_steps& steps) {
  return {reinterpret_cast<const weft::StepEntry*>(steps.entries), steps.count};
}

}  // namespace

extern "C" {

size_t weft_describe(weft_fault fault, char* text, size_t text_bytes) {
  return weft::Describe({static_cast<weft::FaultCode>(fault.code), fault.kind, fault.operand,
                         fault.index, fault.is, fault.must},
                        text, text_bytes);
}

weft_fault weft_read_needs(const void* model, size_t model_bytes, weft_needs* needs) {
  weft::Needs read;
  const weft::Fault fault = weft::ReadNeeds({model, model_bytes}, &read);
  if (fault.ok()) {
    *needs = {read.state_bytes, read.scratch_bytes, read.alignment,
              read.input_count, read.output_count,  {}};
    for (uint32_t i = 0; i + 1 < weft::kMaxScratchRegions; ++i) {
      needs->more_scratch_bytes[i] = read.more_scratch_bytes[i];
    }
  }
  return ToC(fault);
}

weft_fault weft_open(const void* model, size_t model_bytes, weft_steps steps, weft_memory memory,
                     weft_engine* engine) {
  weft::Engine opened;
  const weft::Fault fault =
      weft::Engine::Open({model, model_bytes}, FromC(steps), FromC(memory), &opened);
  if (fault.ok()) Store(opened, engine);
  return ToC(fault);
}

weft_fault weft_open_checked(const void* model, size_t model_bytes, weft_steps steps,
                             weft_memory memory, weft_block table, weft_engine* engine) {
  weft::Engine opened;
  const weft::Fault fault = weft::Engine::OpenChecked({model, model_bytes}, FromC(steps),
                                                      FromC(memory), FromC(table), &opened);
  if (fault.ok()) Store(opened, engine);
  return ToC(fault);
}

uint32_t weft_plan_table_bytes(const void* model, size_t model_bytes) {
  return weft::PlanTableBytes({model, model_bytes});
}

uint32_t weft_input_count(const weft_engine* engine) { return Load(engine).input_count(); }
uint32_t weft_output_count(const weft_engine* engine) { return Load(engine).output_count(); }
weft_tensor weft_input(const weft_engine* engine, uint32_t port) {
  return ToC(Load(engine).input(port));
}
weft_tensor weft_output(const weft_engine* engine, uint32_t port) {
  return ToC(Load(engine).output(port));
}
weft_tensor weft_input_named(const weft_engine* engine, const char* name) {
  return ToC(Load(engine).input(weft::PortName(name)));
}
weft_tensor weft_output_named(const weft_engine* engine, const char* name) {
  return ToC(Load(engine).output(weft::PortName(name)));
}
const char* weft_input_name(const weft_engine* engine, uint32_t port) {
  return Load(engine).input_name(port);
}
const char* weft_output_name(const weft_engine* engine, uint32_t port) {
  return Load(engine).output_name(port);
}

uint64_t weft_max_steps(const weft_engine* engine) { return Load(engine).MaxSteps(); }

weft_fault weft_run(weft_engine* engine) { return ToC(Load(engine).Run()); }
weft_fault weft_run_checked(weft_engine* engine) { return ToC(Load(engine).RunChecked()); }

void weft_reset(weft_engine* engine) { Load(engine).Reset(); }

weft_fault weft_self_test(weft_engine* engine, weft_mismatch* first) {
  weft::Mismatch found;
  const weft::Fault fault = Load(engine).SelfTest(&found);
  if (fault.code == weft::FaultCode::kSelfTestDiffers) {
    *first = {found.run,      found.output, found.element, static_cast<uint8_t>(found.type),
              found.expected, found.actual};
  }
  return ToC(fault);
}

weft_fault weft_check_some(const void* model, size_t model_bytes, size_t bytes,
                           weft_file_check* check) {
  weft::FileCheck some = {check->hash, check->checked, check->passes};
  const weft::Fault fault = weft::CheckSome({model, model_bytes}, bytes, &some);
  *check = {some.hash, some.checked, some.passes};
  return ToC(fault);
}

uint64_t weft_state_layout(const void* model, size_t model_bytes) {
  return weft::StateLayout({model, model_bytes});
}

}  // extern "C"
