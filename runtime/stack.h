// SPDX-License-Identifier: Apache-2.0
// Stack that the engine uses at most, kernels included; the caller's own frames and interrupts are
// not. A test paints the stack of emulated boards, runs every model and holds the engine to it;
// `weft inspect --budget` prints it.
#ifndef WEFT_RUNTIME_STACK_H_
#define WEFT_RUNTIME_STACK_H_

#include <cstdint>

namespace weft {

// Open, Run and Reset: on Cortex-M4, M7 and M33 by GCC, and on Cortex-M55 by Clang.
inline constexpr uint32_t kEngineStackBytes = 2176;
inline constexpr uint32_t kEngineStackBytesHelium = 2048;
// OpenChecked is not among them: 2,400 bytes on a Cortex-M4 for a model of one loop, and more for
// loops within loops. What SelfTest, which calls Run, takes beyond that.
inline constexpr uint32_t kSelfTestStackBytes = 160;

}  // namespace weft

#endif  // WEFT_RUNTIME_STACK_H_
