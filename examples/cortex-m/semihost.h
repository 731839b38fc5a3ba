/* SPDX-License-Identifier: Apache-2.0
 * Semihosting instead of a serial port: prints text and ends the program with an exit code, through
 * the debugger or the emulator. Without a debugger, both calls cause a processor fault. */
#ifndef WEFT_EXAMPLES_CORTEX_M_SEMIHOST_H_
#define WEFT_EXAMPLES_CORTEX_M_SEMIHOST_H_

#include <stdint.h>

static inline int Semihost(int operation, const void* argument) {
  register int r0 __asm__("r0") = operation;
  register const void* r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

static inline void SemihostWrite(const char* text) { Semihost(0x04, text); } /* SYS_WRITE0 */

static inline void SemihostExit(int code) {
  const uint32_t reason[] = {0x20026u, (uint32_t)code}; /* ADP_Stopped_ApplicationExit */
  Semihost(0x20, reason);                               /* SYS_EXIT_EXTENDED */
  for (;;) {
  }
}

#endif /* WEFT_EXAMPLES_CORTEX_M_SEMIHOST_H_ */
