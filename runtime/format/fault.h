// SPDX-License-Identifier: Apache-2.0
// The errors of a model file or of a call, as numbers. weft.h includes this header.
#ifndef WEFT_RUNTIME_FORMAT_FAULT_H_
#define WEFT_RUNTIME_FORMAT_FAULT_H_

#include <cstdint>

namespace weft {

enum class FaultCode : uint16_t {
#define WEFT_FAULT(number, name, text) k##name = number,
#include "runtime/format/faults.inc"
#undef WEFT_FAULT
};

// An error: its code and its location. `index` is a row of the table that the text of the code
// names (steps, slots, ...). `is` and `must` are the value found and the value required, where the
// code has them.
struct [[nodiscard]] Fault {
  FaultCode code = FaultCode::kNone;
  uint8_t kind = 0;     // of the invalid step (row of ops.inc, from 1), else 0
  uint8_t operand = 0;  // of that step, inputs first
  uint32_t index = 0;
  uint32_t is = 0;
  uint32_t must = 0;
  constexpr bool ok() const { return code == FaultCode::kNone; }
};

}  // namespace weft

#endif  // WEFT_RUNTIME_FORMAT_FAULT_H_
