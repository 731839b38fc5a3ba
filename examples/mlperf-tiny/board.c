/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

/* The UART of Arm's Cortex-M System Design Kit, and SysTick. */
enum { kData = 0, kState = 1, kControl = 2, kDivider = 4 };
enum { kBaud = 115200, kTxFull = 1, kRxFull = 2, kTxAndRx = 3 };
enum { kSysTickControl = 0, kSysTickReload = 1, kSysTickValue = 2 };
enum { kEnabledWithInterrupt = 7, kMaxTick = 0xFFFFFF };

static volatile uint32_t* const kUart = (volatile uint32_t*)UART_BASE;
static volatile uint32_t* const kSysTick = (volatile uint32_t*)0xE000E010u;
static volatile uint32_t periods;

void OpenSerial(void) {
  kUart[kDivider] = CLOCK_HZ / kBaud;
  kUart[kControl] = kTxAndRx;
}

void WriteSerial(char c) {
  while (kUart[kState] & kTxFull) {
  }
  kUart[kData] = (uint8_t)c;
}

char ReadSerial(void) {
  while (!(kUart[kState] & kRxFull)) {
  }
  return (char)kUart[kData];
}

/* SysTick has 24 bits; its interrupt counts the periods. */
void OnSysTick(void) { ++periods; }

void StartClock(void) {
  kSysTick[kSysTickReload] = kMaxTick;
  kSysTick[kSysTickValue] = 0;
  kSysTick[kSysTickControl] = kEnabledWithInterrupt;
}

uint64_t Microseconds(void) {
  uint32_t before, value;
  do { /* again if a period ended in between */
    before = periods;
    value = kSysTick[kSysTickValue];
  } while (before != periods);
  const uint64_t ticks = (uint64_t)before * (kMaxTick + 1u) + (kMaxTick - value);
  return ticks / (CLOCK_HZ / 1000000u);
}
