/* SPDX-License-Identifier: Apache-2.0
 * Measures on the board how the time of a run is distributed: the table of `weft bench --profile`,
 * with any clock, in C99 and C++. A program that does not call this does not link it.
 *
 *   static weft_step_time rows[MODEL_STEPS];
 *   static weft_step_times times;
 *   times.now = Ticks;
 *   times.write = WriteToUart;
 *   times.ticks_per_second = 25000000;
 *   times.steps = rows;
 *   times.step_count = MODEL_STEPS;
 *   weft_time_steps(&engine, &times);
 *   for (i = 0; i < 10; ++i) fault = weft_run(&engine);
 *   weft_print_step_times(&engine, &times, 10);
 */
#ifndef WEFT_RUNTIME_STEP_TIMES_H_
#define WEFT_RUNTIME_STEP_TIMES_H_

#include "runtime/weft_c.h"

#ifdef __cplusplus
#include "runtime/weft.h"
extern "C" {
#endif

/* Sums over all runs since weft_time_steps, without the time that reading the clock needs. */
typedef struct weft_step_time {
  uint64_t ticks;
  uint64_t layer_ticks; /* sum of the layer whose first step this is, else 0 */
  uint32_t calls;
  uint32_t layer_steps;
} weft_step_time;

typedef struct weft_step_times {
  uint64_t (*now)(void* user);                 /* the clock; must not run backwards */
  void (*write)(void* user, const char* text); /* prints; a line may need several calls */
  void* user;                                  /* passed to both */
  uint32_t ticks_per_second;                   /* of the clock; 0: times are printed in ticks */
  uint32_t step_count;                         /* of `steps`; later steps are left out */
  weft_step_time* steps;                       /* owned by the caller */
  /* weft_time_steps sets these. */
  uint64_t clock_ticks; /* minimum between two readings */
  weft_profile profile;
} weft_step_times;

/* Clears the times; from here on every run of the engine adds to them. *times must live until
 * weft_set_profile(engine, 0). */
void weft_time_steps(weft_engine* engine, weft_step_times* times);
/* Prints the times of `runs` runs: the steps, slowest first, then the layers if one has several. */
void weft_print_step_times(const weft_engine* engine, weft_step_times* times, uint32_t runs);

#ifdef __cplusplus
}
namespace weft {
void TimeSteps(Engine* engine, weft_step_times* times);
void PrintStepTimes(const Engine& engine, weft_step_times* times, uint32_t runs);
}  // namespace weft
#endif

#endif /* WEFT_RUNTIME_STEP_TIMES_H_ */
