/* SPDX-License-Identifier: Apache-2.0
 * Stack depth of a call on a Cortex-M: the stack below the caller is filled with a pattern before
 * the call and checked after it; the lowest changed word is the depth. C99 and C++. */
#ifndef WEFT_TESTS_RUNTIME_PAINTED_STACK_H_
#define WEFT_TESTS_RUNTIME_PAINTED_STACK_H_

#include <stdint.h>

enum { kPaintedWords = 2048, kSparedWords = 16 }; /* spared for the two functions themselves */
static const uint32_t kPaint = 0xA5C35A3Cu;

/* End of the caller's own frame. */
#define WEFT_STACK_TOP(top) __asm__ volatile("mov %0, sp" : "=r"(top))

static void __attribute__((noinline)) PaintStack(volatile uint32_t* top) {
  for (int i = kSparedWords; i < kPaintedWords; ++i) top[-i] = kPaint;
}

static uint32_t __attribute__((noinline)) TouchedStackBytes(const volatile uint32_t* top) {
  int depth = kPaintedWords - 1;
  while (depth >= kSparedWords && top[-depth] == kPaint) --depth;
  return (uint32_t)depth * (uint32_t)sizeof(uint32_t);
}

#endif /* WEFT_TESTS_RUNTIME_PAINTED_STACK_H_ */
