// SPDX-License-Identifier: Apache-2.0
// Maximum stack that the engine uses, including kernels but not the caller's own frames and
// interrupts. A test fills the stack of emulated boards with a pattern, runs every model and
// compares the used size with this; `weft inspect --budget` prints it.
#ifndef WEFT_RUNTIME_STACK_H_
#define WEFT_RUNTIME_STACK_H_

#include <cstdint>

namespace weft {

// Open, Run and Reset: on Cortex-M4, M7 and M33 by GCC, and on Cortex-M55 by Clang.
inline constexpr uint32_t kEngineStackBytes = 2816;
inline constexpr uint32_t kEngineStackBytesHelium = 2048;
// OpenChecked is not included: it needs 2,400 bytes on a Cortex-M4 for a model with one loop, and
// more for nested loops. kSelfTestStackBytes is what SelfTest, which calls Run, needs in addition.
inline constexpr uint32_t kSelfTestStackBytes = 160;

}  // namespace weft

#endif  // WEFT_RUNTIME_STACK_H_
