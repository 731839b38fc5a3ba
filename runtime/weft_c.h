/* SPDX-License-Identifier: Apache-2.0
 * The C interface of weft, over the engine of weft.h; C99 and later. The rules of weft.h about
 * ownership, threads and errors apply: the caller owns every byte, nothing here allocates or
 * blocks, one engine is used by one thread at a time. A valid model may run for hours:
 * weft_max_steps gives a bound, and a host that runs untrusted files needs a watchdog.
 *
 *   weft_needs needs;
 *   weft_engine engine;
 *   weft_fault fault = weft_read_needs(model, model_bytes, &needs);
 *   if (weft_ok(fault)) {
 *     const weft_memory memory = {{state, needs.state_bytes}, {scratch, needs.scratch_bytes}};
 *     fault = weft_open(model, model_bytes, weft_all_steps(), memory, &engine);
 *   }
 *   if (weft_ok(fault)) fault = weft_run(&engine);
 */
#ifndef WEFT_RUNTIME_WEFT_C_H_
#define WEFT_RUNTIME_WEFT_C_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/version.h"

/* Marks functions whose returned error must be checked. */
#if defined(__GNUC__) || defined(__clang__)
#define WEFT_NODISCARD __attribute__((warn_unused_result))
#else
#define WEFT_NODISCARD
#endif

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default) /* a static weft hides everything else */
#endif

enum {
  WEFT_MAX_RANK = 8,
  WEFT_MODEL_ALIGNMENT = 64,
  WEFT_MEMORY_ALIGNMENT = 64,
  WEFT_MAX_SCRATCH_REGIONS = 4
};

/* Element types, numbered as weft::Type. */
typedef enum weft_type {
  WEFT_F32,
  WEFT_F16,
  WEFT_BF16,
  WEFT_F64,
  WEFT_I4,
  WEFT_U4,
  WEFT_I8,
  WEFT_U8,
  WEFT_I16,
  WEFT_I32,
  WEFT_I64,
  WEFT_BOOL
} weft_type;

/* An error, with the fields of weft::Fault; code 0 means success. */
typedef struct weft_fault {
  uint16_t code;
  uint8_t kind, operand;
  uint32_t index, is, must;
} weft_fault;

static inline int weft_ok(weft_fault fault) { return fault.code == 0U; }

/* Writes one line of readable text, always terminated, and returns its length. */
size_t weft_describe(weft_fault fault, char* text, size_t text_bytes);

typedef struct weft_needs {
  uint32_t state_bytes, scratch_bytes, alignment;
  uint32_t input_count, output_count;
  uint32_t more_scratch_bytes[WEFT_MAX_SCRATCH_REGIONS - 1];
} weft_needs;

typedef struct weft_block {
  void* data;
  size_t bytes;
} weft_block;

typedef struct weft_memory {
  weft_block state, scratch;
  /* Only of models converted for several memories. */
  weft_block more_scratch[WEFT_MAX_SCRATCH_REGIONS - 1];
} weft_memory;

/* A view of a port: contiguous, row-major; data is null for a port that does not exist. */
typedef struct weft_tensor {
  void* data;
  size_t bytes;
  uint32_t dims[WEFT_MAX_RANK];
  uint8_t rank;
  uint8_t type; /* weft_type */
} weft_tensor;

/* The kernels that are linked: weft_all_steps(), or the table that the converter writes for a
 * model. The caller only passes the table; the engine calls the functions. */
typedef struct weft_step_entry {
  void (*check)(void);
  void (*run)(void);
} weft_step_entry;
typedef struct weft_steps {
  const weft_step_entry* entries;
  uint32_t count;
} weft_steps;

enum {
#define WEFT_STEP(name, ...) WEFT_STEP_##name,
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  WEFT_STEP_KINDS
};
#ifndef __cplusplus /* C++ declares them with their types in steps.h */
#define WEFT_STEP(name, ...)    \
  void weft_check_##name(void); \
  void weft_run_##name(void);
#include "runtime/format/ops.inc"
#undef WEFT_STEP
#define WEFT_OVERLAPPING_STEP(name, Name)   \
  void weft_check_overlapping_##name(void); \
  void weft_run_overlapping_##name(void);
#include "runtime/format/overlapping_steps.inc"
#undef WEFT_OVERLAPPING_STEP
#define WEFT_NARROW_STEP(name, Name)   \
  void weft_check_narrow_##name(void); \
  void weft_run_narrow_##name(void);
#define WEFT_OVERLAPPING_NARROW_STEP(name, Name)   \
  void weft_check_overlapping_narrow_##name(void); \
  void weft_run_overlapping_narrow_##name(void);
#define WEFT_SHORTS_STEP(name, Name)     \
  void weft_check_##name##_shorts(void); \
  void weft_run_##name##_shorts(void);   \
  void weft_check_##name##_mixed(void);  \
  void weft_run_##name##_mixed(void);
#include "runtime/format/narrow_steps.inc"
#undef WEFT_SHORTS_STEP
#undef WEFT_NARROW_STEP
#undef WEFT_OVERLAPPING_NARROW_STEP
#endif

/* Memory of an engine; plain bytes that may be copied. */
typedef struct weft_engine {
  void* words[10];
} weft_engine;

weft_steps weft_all_steps(void);

/* Reads the memory requirements. Checks only the header. */
WEFT_NODISCARD weft_fault weft_read_needs(const void* model, size_t model_bytes, weft_needs* needs);

/* Checks every rule of the file and resets the variables; *engine is unchanged on an error. */
WEFT_NODISCARD weft_fault weft_open(const void* model, size_t model_bytes, weft_steps steps,
                                    weft_memory memory, weft_engine* engine);

/* Checks the plan as well, as weft::Engine::OpenChecked does. `table` may have any size, including
 * 0; weft_plan_table_bytes gives the size that saves the most time. */
WEFT_NODISCARD weft_fault weft_open_checked(const void* model, size_t model_bytes, weft_steps steps,
                                            weft_memory memory, weft_block table,
                                            weft_engine* engine);
uint32_t weft_plan_table_bytes(const void* model, size_t model_bytes);

/* Views of a port's memory. Write all inputs before each run, because a run may overwrite them.
 * Read outputs before you write the next inputs, which may overwrite them. */
uint32_t weft_input_count(const weft_engine* engine);
uint32_t weft_output_count(const weft_engine* engine);
weft_tensor weft_input(const weft_engine* engine, uint32_t port);
weft_tensor weft_output(const weft_engine* engine, uint32_t port);
/* By any of the port's names. */
weft_tensor weft_input_named(const weft_engine* engine, const char* name);
weft_tensor weft_output_named(const weft_engine* engine, const char* name);
/* The port's first name, or null. */
const char* weft_input_name(const weft_engine* engine, uint32_t port);
const char* weft_output_name(const weft_engine* engine, uint32_t port);

/* The maximum number of steps that a run executes, each iteration of a loop counted as one more.
 * Saturates at UINT64_MAX. */
uint64_t weft_max_steps(const weft_engine* engine);
/* Fails only if a loop reaches its hard maximum. */
WEFT_NODISCARD weft_fault weft_run(weft_engine* engine);
/* As weft::Engine::RunChecked: also fails if an output or variable has a NaN or infinity. */
WEFT_NODISCARD weft_fault weft_run_checked(weft_engine* engine);
/* Sets the variables to their initial values. */
void weft_reset(weft_engine* engine);

/* As weft::FileCheck; set to zeros before the first call. */
typedef struct weft_file_check {
  uint64_t hash;
  size_t checked;
  uint32_t passes;
} weft_file_check;

/* Hashes the next `bytes` bytes of the file, and fails at its end if the file was changed; then
 * begins again. */
WEFT_NODISCARD weft_fault weft_check_some(const void* model, size_t model_bytes, size_t bytes,
                                          weft_file_check* check);

/* As weft::StateLayout: two models may exchange state only if their layouts are equal. */
uint64_t weft_state_layout(const void* model, size_t model_bytes);

/* As weft::Streams: the streams of a model that `weft convert --streams` created. Plain bytes.
 * `model` and `state` are those of an open engine. */
typedef struct weft_streams {
  void* words[5];
} weft_streams;

WEFT_NODISCARD weft_fault weft_streams_open(const void* model, size_t model_bytes, weft_block state,
                                            weft_streams* streams);
uint32_t weft_streams_count(const weft_streams* streams);
/* Bytes of a saved stream. */
uint32_t weft_stream_state_bytes(const weft_streams* streams);
WEFT_NODISCARD weft_fault weft_save_stream(const weft_streams* streams, uint32_t stream,
                                           weft_block to);
WEFT_NODISCARD weft_fault weft_load_stream(const weft_streams* streams, uint32_t stream,
                                           const void* from, size_t bytes);
WEFT_NODISCARD weft_fault weft_reset_stream(const weft_streams* streams, uint32_t stream);

/* Fields as in weft::Mismatch. */
typedef struct weft_mismatch {
  uint32_t run, output, element;
  uint8_t type; /* weft_type */
  uint64_t expected, actual;
} weft_mismatch;

/* Runs the inputs that `weft convert --self-test` stored; sets *first if an output differs. */
WEFT_NODISCARD weft_fault weft_self_test(weft_engine* engine, weft_mismatch* first);

/* Called before and after every step: `now` is the caller's clock, in the caller's ticks.
 * step_times.h collects a table from it. */
typedef struct weft_profile {
  uint64_t (*now)(void* user);
  void (*step)(void* user, uint32_t step_index, uint64_t begin, uint64_t end);
  void* user;
} weft_profile;

/* *profile must live as long as it is set; null: none. */
void weft_set_profile(weft_engine* engine, const weft_profile* profile);
/* Describe a step: its kind, such as "dense", and its layer, or null if the file names none. Both
 * are null for `step` >= weft_step_count(). */
uint32_t weft_step_count(const weft_engine* engine);
const char* weft_step_kind(const weft_engine* engine, uint32_t step);
const char* weft_step_layer(const weft_engine* engine, uint32_t step);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* WEFT_RUNTIME_WEFT_C_H_ */
