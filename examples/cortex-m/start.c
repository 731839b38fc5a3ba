/* SPDX-License-Identifier: Apache-2.0
 * Startup code from reset to main() without a library, for every Cortex-M with an FPU. A processor
 * fault ends the program with code 70. boards/sections.ld defines the symbols. Static constructors
 * are not supported. */
#include <stdint.h>

#include "semihost.h"

extern uint32_t stack_top[], data_begin[], data_end[], data_in_flash[], bss_begin[], bss_end[];
extern int main(void);

static void OnFault(void) {
  SemihostWrite("the processor took a fault\n");
  SemihostExit(70);
}

/* A program that uses the interrupt of SysTick defines this function. */
void OnSysTick(void) __attribute__((weak, alias("OnFault")));

void Reset(void) {
  *(volatile uint32_t*)0xE000ED88u |= 0xFu << 20; /* CPACR: enable the FPU */
#if __ARM_ARCH >= 8
  *(volatile uint32_t*)0xE000ED14u |= 1u
                                      << 19; /* CCR.LOB: low-overhead loops, if available */
#endif
  __asm__ volatile("dsb\n isb");
  const uint32_t* from = data_in_flash;
  for (uint32_t* to = data_begin; to != data_end;) *to++ = *from++;
  for (uint32_t* to = bss_begin; to != bss_end;) *to++ = 0;
  SemihostExit(main());
}

__attribute__((section(".vectors"), used)) static const void* const vectors[16] = {
    stack_top, Reset,   OnFault, OnFault, OnFault, OnFault, OnFault, OnFault,
    OnFault,   OnFault, OnFault, OnFault, OnFault, OnFault, OnFault, OnSysTick,
};
