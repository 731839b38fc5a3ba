/* SPDX-License-Identifier: Apache-2.0
 * With -DPROFILE=ON, measures the time of every step and layer and prints it at the end; otherwise
 * does nothing. The clock is SysTick, which every Cortex-M has. Define PROFILE_STEPS, the model's
 * number of steps from its header, before including this file. The clock has 24 bits: two events
 * must not be further apart than one period. */
#ifndef WEFT_EXAMPLES_CORTEX_M_PROFILE_H_
#define WEFT_EXAMPLES_CORTEX_M_PROFILE_H_

#ifdef PROFILE

#include "runtime/step_times.h"
#include "semihost.h"

static volatile uint32_t* const kSysTick = (volatile uint32_t*)0xE000E010u;

/* SysTick counts down and then restarts at its maximum. */
static inline uint64_t Ticks(void* user) {
  enum { kHighest = 0xFFFFFF };
  static uint32_t last = 0;
  static uint64_t total = 0;
  const uint32_t now = kSysTick[2];
  (void)user;
  total += (last - now) & kHighest;
  last = now;
  return total;
}

static inline void WriteText(void* user, const char* text) {
  (void)user;
  SemihostWrite(text);
}

static weft_step_time step_rows[PROFILE_STEPS];
static weft_step_times step_times;

static inline void BeginProfile(weft_engine* engine) {
  kSysTick[1] = 0xFFFFFF; /* reload value */
  kSysTick[2] = 0;
  kSysTick[0] = 5; /* enabled, processor clock, no interrupt */
  step_times.now = Ticks;
  step_times.write = WriteText;
  step_times.ticks_per_second = CLOCK_HZ;
  step_times.steps = step_rows;
  step_times.step_count = PROFILE_STEPS;
  weft_time_steps(engine, &step_times);
}

static inline void PrintProfile(const weft_engine* engine, uint32_t runs) {
  weft_print_step_times(engine, &step_times, runs);
}

#else
#define BeginProfile(engine) ((void)0)
#define PrintProfile(engine, runs) ((void)(runs))
#endif

#endif /* WEFT_EXAMPLES_CORTEX_M_PROFILE_H_ */
