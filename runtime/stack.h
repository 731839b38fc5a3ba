// SPDX-License-Identifier: Apache-2.0
// Stack that the engine uses at most on Cortex-M4, kernels included; the caller's own frames and
// interrupts are not. A test paints the stack of an emulated board and holds the engine to it;
// `weft inspect --budget` prints it.
#ifndef WEFT_RUNTIME_STACK_H_
#define WEFT_RUNTIME_STACK_H_

#include <cstdint>

namespace weft {

// Open, Run and Reset.
inline constexpr uint32_t kEngineStackBytes = 1024;
// What SelfTest, which calls Run, takes beyond that.
inline constexpr uint32_t kSelfTestStackBytes = 160;

}  // namespace weft

#endif  // WEFT_RUNTIME_STACK_H_
