// SPDX-License-Identifier: Apache-2.0
// The interface of MLPerf Tiny between the harness, which processes commands (ee_), and the
// implementation of a submitter (th_). With -DMLPERF_API= the build uses MLCommons' harness and its
// headers instead of harness.cc and the declarations below.
#ifndef WEFT_EXAMPLES_MLPERF_TINY_HARNESS_H_
#define WEFT_EXAMPLES_MLPERF_TINY_HARNESS_H_

#ifdef MLPERF_API

#include "api/internally_implemented.h"
#include "api/submitter_implemented.h"

#else

#include <stddef.h>
#include <stdint.h>

// Prints m-init-done and m-ready, and enables commands.
void ee_benchmark_initialize();
// Adds a received character to the command; % ends a command.
void ee_serial_callback(char c);
// Executes a command and answers it. The last line of an answer is m-ready.
void ee_serial_command_parser_callback(char* command);
// Returns the count of the bytes that db commands stored, at most `size`, and copies them to
// `buffer` unless it is null.
size_t ee_get_buffer(uint8_t* buffer, size_t size);

void th_load_tensor();
void th_infer();
void th_results();
void th_pre();
void th_post();
void th_timestamp();
void th_command_ready(volatile char* command);
// Supports %s, %d, %lu, %02x and %%.
void th_printf(const char* format, ...);
char th_getchar();
void th_serialport_initialize();
void th_timestamp_initialize();
void th_final_initialize();

#endif

extern uint8_t gp_buff[MAX_DB_INPUT_SIZE];  // the bytes that db commands store

#endif  // WEFT_EXAMPLES_MLPERF_TINY_HARNESS_H_
