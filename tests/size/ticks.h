/* SPDX-License-Identifier: Apache-2.0
 * SysTick of a Cortex-M as a counter of the core clock, for C and C++. Under an emulator that
 * counts instructions a tick is a fixed number of instructions. */
#ifndef WEFT_TESTS_SIZE_TICKS_H_
#define WEFT_TESTS_SIZE_TICKS_H_

#include <stdint.h>

static volatile uint32_t* const kControl = (volatile uint32_t*)0xE000E010u;
static volatile uint32_t* const kReload = (volatile uint32_t*)0xE000E014u;
static volatile uint32_t* const kCount = (volatile uint32_t*)0xE000E018u;

enum { kTicks = 0xFFFFFF, kEnabledOnCoreClock = 5 };

static inline void StartTicks(void) {
  *kReload = kTicks;
  *kCount = 0;
  *kControl = kEnabledOnCoreClock;
}

/* `start` is an earlier value of *kCount, which counts down. */
static inline uint32_t TicksSince(uint32_t start) { return (start - *kCount) & kTicks; }

#endif /* WEFT_TESTS_SIZE_TICKS_H_ */
