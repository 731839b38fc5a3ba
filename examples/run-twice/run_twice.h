// SPDX-License-Identifier: Apache-2.0
// Detects errors of state, scratch and processor during a run: runs a model twice from the same
// state and inputs, and compares all bits of outputs and state. Costs the time of a second run.
// Copy this file into your firmware; it needs no heap and no C library except <cstring>.
//
//   static unsigned char kept[...];  // KeptBytes(engine, state.bytes), printed once on the desktop
//   Fill(engine.input(0));
//   const RunTwiceResult result = RunTwice(engine, state, {kept, sizeof(kept)});
//   if (result.differs) EnterSafeState();
#ifndef WEFT_EXAMPLES_RUN_TWICE_RUN_TWICE_H_
#define WEFT_EXAMPLES_RUN_TWICE_RUN_TWICE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/weft.h"

namespace run_twice {

struct RunTwiceResult {
  weft::Fault fault;     // of the first run
  bool differs = false;  // the two runs differ: their outputs and the state are invalid
  bool fits = true;      // false: `kept` is too small, and the runs were not compared
};

inline size_t DimsBytes(const weft::Tensor& tensor) { return tensor.rank * sizeof(tensor.dims[0]); }

// Bytes that RunTwice keeps: the state before and after the first run, all inputs and all outputs.
// An output with a length that is known at run time counts with its current length; reserve its
// maximum.
inline size_t KeptBytes(const weft::Engine& engine, size_t state_bytes) {
  size_t bytes = 2 * state_bytes;
  for (uint32_t i = 0; i < engine.input_count(); ++i) bytes += engine.input(i).bytes;
  for (uint32_t i = 0; i < engine.output_count(); ++i) {
    bytes += engine.output(i).bytes + DimsBytes(engine.output(i));
  }
  return bytes;
}

// A position in the kept bytes.
class Kept {
 public:
  explicit Kept(weft::Block block) : block_(block) {}
  bool fits() const { return used_ <= block_.bytes; }

  void Store(const void* from, size_t bytes) {
    std::byte* const to = Next(bytes);
    if (to != nullptr && bytes != 0) std::memcpy(to, from, bytes);
  }
  void Load(void* to, size_t bytes) {
    const std::byte* const from = Next(bytes);
    if (from != nullptr && bytes != 0) std::memcpy(to, from, bytes);
  }
  bool Equals(const void* other, size_t bytes) {
    const std::byte* const mine = Next(bytes);
    return mine != nullptr && (bytes == 0 || std::memcmp(mine, other, bytes) == 0);
  }

 private:
  // Returns null after the end of the block.
  std::byte* Next(size_t bytes) {
    const size_t begin = used_;
    used_ += bytes;
    return fits() ? static_cast<std::byte*>(block_.data) + begin : nullptr;
  }

  weft::Block block_;
  size_t used_ = 0;
};

// `state` is the block that the engine was opened with. Afterwards outputs and state are those of
// the second run, which equal those of the first one unless `differs`.
inline RunTwiceResult RunTwice(weft::Engine& engine, weft::Block state, weft::Block kept) {
  RunTwiceResult result;
  Kept before(kept);
  before.Store(state.data, state.bytes);
  for (uint32_t i = 0; i < engine.input_count(); ++i) {
    const weft::Tensor input = engine.input(i);
    before.Store(input.data, input.bytes);
  }
  Kept after = before;
  result.fault = engine.Run();
  Kept first = after;
  first.Store(state.data, state.bytes);
  for (uint32_t i = 0; i < engine.output_count(); ++i) {
    const weft::Tensor output = engine.output(i);
    first.Store(output.dims, DimsBytes(output));  // a run may change a length
    first.Store(output.data, output.bytes);
  }
  result.fits = first.fits();
  if (!result.fits) return result;
  Kept again(kept);
  again.Load(state.data, state.bytes);
  for (uint32_t i = 0; i < engine.input_count(); ++i) {
    const weft::Tensor input = engine.input(i);
    again.Load(input.data, input.bytes);
  }
  const weft::Fault fault = engine.Run();
  result.differs = fault.code != result.fault.code || !after.Equals(state.data, state.bytes);
  for (uint32_t i = 0; i < engine.output_count(); ++i) {
    const weft::Tensor output = engine.output(i);
    result.differs = !after.Equals(output.dims, DimsBytes(output)) || result.differs;
    result.differs = !after.Equals(output.data, output.bytes) || result.differs;
  }
  return result;
}

}  // namespace run_twice

#endif  // WEFT_EXAMPLES_RUN_TWICE_RUN_TWICE_H_
