/* SPDX-License-Identifier: Apache-2.0
 * The serial port and the clock of Arm's MPS boards. UART_BASE and CLOCK_HZ are macros of the
 * build. For another board, replace the functions of this file. */
#ifndef WEFT_EXAMPLES_MLPERF_TINY_BOARD_H_
#define WEFT_EXAMPLES_MLPERF_TINY_BOARD_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void OpenSerial(void);
void WriteSerial(char c);
char ReadSerial(void); /* waits for a byte */

void StartClock(void);
/* Microseconds since StartClock. */
uint64_t Microseconds(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* WEFT_EXAMPLES_MLPERF_TINY_BOARD_H_ */
