// SPDX-License-Identifier: Apache-2.0
// Stack that Open, Run, Reset and SelfTest use at most, kernels included, interrupts and the
// caller's own frames not. A test paints the stack of a board, runs every model and holds the
// engine to it; budgets print it.
#ifndef WEFT_RUNTIME_STACK_H_
#define WEFT_RUNTIME_STACK_H_

#include <cstdint>

namespace weft {

inline constexpr uint32_t kEngineStackBytes = 1536;        // Cortex-M4, M7, M33 by GCC
inline constexpr uint32_t kEngineStackBytesHelium = 2304;  // Cortex-M55 by Clang

}  // namespace weft

#endif  // WEFT_RUNTIME_STACK_H_
