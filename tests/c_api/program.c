/* SPDX-License-Identifier: Apache-2.0
 * A C99 program over weft_c.h and the C source that the converter writes: three runs of the model
 * on fixed inputs, and the hash of their outputs, which must be that of the device tests. Steps read
 * copies of weights. Then the model's self test, which must detect a damaged copy of the model. Compiled by the same compiler as firmware,
 * on a desktop and on boards. */
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "runtime/step_times.h"

static uint64_t Hash(const void* data, size_t bytes, uint64_t hash) {
  const unsigned char* p = (const unsigned char*)data;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ p[i]) * UINT64_C(0x100000001B3);
  return hash;
}

/* f32 in [-1, 1) in steps of 2^-12. */
static void Fill(weft_tensor tensor, uint32_t* random) {
  float* element = (float*)tensor.data;
  for (size_t i = 0; i < tensor.bytes / sizeof(float); ++i) {
    *random = *random * 1664525u + 1013904223u;
    element[i] = ((float)(*random >> 19) - 4096.0f) / 4096.0f;
  }
}

static int Fail(weft_fault fault) {
  char text[160];
  weft_describe(fault, text, sizeof(text));
  printf("%s\n", text);
  return 1;
}

static int CheckNames(const weft_engine* engine) {
  for (uint32_t i = 0; i < weft_input_count(engine); ++i) {
    const weft_tensor named = weft_input_named(engine, weft_input_name(engine, i));
    if (named.data != weft_input(engine, i).data || named.data == 0) return 0;
  }
  for (uint32_t i = 0; i < weft_output_count(engine); ++i) {
    const weft_tensor named = weft_output_named(engine, weft_output_name(engine, i));
    if (named.data != weft_output(engine, i).data || named.type != WEFT_F32) return 0;
  }
  return weft_input(engine, 99).data == 0 && weft_output_named(engine, "absent").data == 0;
}

static unsigned char damaged_room[MODEL_MODEL_BYTES + WEFT_MODEL_ALIGNMENT];

/* The model passes its own test; of copies with one bit of a weight flipped, most do not. */
static int CheckSelfTest(weft_engine* engine) {
  weft_mismatch first;
  weft_fault fault = weft_self_test(engine, &first);
  if (!weft_ok(fault)) return !Fail(fault);
  const size_t past = (uintptr_t)damaged_room % WEFT_MODEL_ALIGNMENT;
  unsigned char* damaged = damaged_room + (WEFT_MODEL_ALIGNMENT - past) % WEFT_MODEL_ALIGNMENT;
  const weft_memory memory = {{model_state, MODEL_STATE_BYTES},
                              {model_scratch, MODEL_SCRATCH_BYTES},
                              {{model_more_scratch, MODEL_MORE_SCRATCH_BYTES}}};
  int found = 0;
  enum { kCopies = 16, kLastWeights = MODEL_MODEL_BYTES - 3072 };
  for (int i = 0; i < kCopies; ++i) {
    memcpy(damaged, model_model, MODEL_MODEL_BYTES);
    damaged[kLastWeights + 68 * i + 3] ^= 0x80; /* the sign of a float */
    fault = weft_open(damaged, MODEL_MODEL_BYTES, model_steps, memory, engine);
    if (!weft_ok(fault)) return !Fail(fault);
    fault = weft_self_test(engine, &first);
    if (weft_ok(fault)) continue; /* a weight that is zero, or padding */
    if (first.type != WEFT_F32 || first.expected == first.actual) return 0;
    if (++found == 1) {
      printf("a damaged weight: run %d, output %d, element %d is %08lx; must be %08lx\n",
             (int)first.run, (int)first.output, (int)first.element, (unsigned long)first.actual,
             (unsigned long)first.expected);
    }
  }
  return found >= kCopies / 2;
}

/* The plan hash matches that of the file; that of a copy with another weight does not. */
static int CheckPlan(weft_engine* engine) {
  static unsigned char room[16 * MODEL_STEPS]; /* less than it could use */
  const size_t past = (uintptr_t)damaged_room % WEFT_MODEL_ALIGNMENT;
  unsigned char* damaged = damaged_room + (WEFT_MODEL_ALIGNMENT - past) % WEFT_MODEL_ALIGNMENT;
  const weft_memory memory = {{model_state, MODEL_STATE_BYTES},
                              {model_scratch, MODEL_SCRATCH_BYTES},
                              {{model_more_scratch, MODEL_MORE_SCRATCH_BYTES}}};
  const weft_block table = {room, sizeof(room)};
  weft_fault fault =
      weft_open_checked(model_model, MODEL_MODEL_BYTES, model_steps, memory, table, engine);
  if (!weft_ok(fault)) return !Fail(fault);
  if (weft_plan_table_bytes(model_model, MODEL_MODEL_BYTES) < sizeof(room)) return 0;
  memcpy(damaged, model_model, MODEL_MODEL_BYTES);
  damaged[MODEL_MODEL_BYTES - 3072] ^= 1;
  fault = weft_open_checked(damaged, MODEL_MODEL_BYTES, model_steps, memory, table, engine);
  return !weft_ok(fault) && fault.is != fault.must;
}

/* The hash of the outputs of one run after a reset, on fixed inputs. */
static uint64_t HashOfFirstRun(weft_engine* engine, int clears_scratch) {
  uint32_t random = 1;
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  weft_reset(engine);
  if (clears_scratch) memset(model_scratch, 0, MODEL_SCRATCH_BYTES);
  for (uint32_t i = 0; i < weft_input_count(engine); ++i) Fill(weft_input(engine, i), &random);
  if (!weft_ok(weft_run(engine))) return 0;
  for (uint32_t i = 0; i < weft_output_count(engine); ++i) {
    const weft_tensor output = weft_output(engine, i);
    hash = Hash(output.data, output.bytes, hash);
  }
  return hash;
}

/* The steps read copies of weights in scratch, and a reset writes them again. */
static int CheckCopies(weft_engine* engine) {
  const uint64_t hash = HashOfFirstRun(engine, 0);
  return HashOfFirstRun(engine, 1) != hash && HashOfFirstRun(engine, 0) == hash;
}

/* A clock that advances with each reading. */
static uint64_t Count(void* user) {
  uint64_t* time = (uint64_t*)user;
  return ++*time;
}

static size_t written;
static void CountText(void* user, const char* text) {
  (void)user;
  written += strlen(text);
}

/* Every step of a run is timed, and none after that. */
static int CheckStepTimes(weft_engine* engine) {
  static weft_step_time rows[MODEL_STEPS];
  static weft_step_times times;
  uint64_t time = 0, last = 0;
  uint32_t calls = 0;
  times.now = Count;
  times.write = CountText;
  times.user = &time;
  times.steps = rows;
  times.step_count = MODEL_STEPS;
  weft_time_steps(engine, &times);
  if (!weft_ok(weft_run(engine))) return 0;
  weft_set_profile(engine, 0);
  last = time;
  if (!weft_ok(weft_run(engine)) || time != last) return 0;
  weft_print_step_times(engine, &times, 1);
  for (uint32_t i = 0; i < MODEL_STEPS; ++i) calls += rows[i].calls;
  return weft_step_count(engine) == MODEL_STEPS && weft_step_kind(engine, 0) != 0 && calls > 0 &&
         written > 0;
}

int main(void) {
  weft_needs needs;
  weft_fault fault = weft_read_needs(model_model, MODEL_MODEL_BYTES, &needs);
  if (!weft_ok(fault)) return Fail(fault);
  if (needs.state_bytes != MODEL_STATE_BYTES || needs.scratch_bytes != MODEL_SCRATCH_BYTES ||
      needs.more_scratch_bytes[0] != MODEL_MORE_SCRATCH_BYTES) {
    printf("the header's sizes are not the file's\n");
    return 1;
  }
  weft_engine engine;
  fault = model_open(&engine);
  if (!weft_ok(fault)) return Fail(fault);
  if (!CheckNames(&engine)) {
    printf("a port is not found by its name\n");
    return 1;
  }
  uint64_t hashes[2];
  for (int round = 0; round < 2; ++round) { /* the same again after a reset */
    uint32_t random = 1;
    hashes[round] = UINT64_C(0xCBF29CE484222325);
    weft_reset(&engine);
    for (int run = 0; run < 3; ++run) {
      for (uint32_t i = 0; i < needs.input_count; ++i) Fill(weft_input(&engine, i), &random);
      fault = weft_run(&engine);
      if (!weft_ok(fault)) return Fail(fault);
      for (uint32_t i = 0; i < needs.output_count; ++i) {
        const weft_tensor output = weft_output(&engine, i);
        hashes[round] = Hash(output.data, output.bytes, hashes[round]);
      }
    }
  }
  if (!CheckCopies(&engine)) {
    printf("the weights are not copied\n");
    return 1;
  }
  if (weft_max_steps(&engine) == 0) {
    printf("no run is counted\n");
    return 1;
  }
  if (!CheckSelfTest(&engine)) {
    printf("the self test is wrong\n");
    return 1;
  }
  if (!CheckPlan(&engine)) {
    printf("the plan is not that of the file\n");
    return 1;
  }
  fault = model_open(&engine);
  if (!weft_ok(fault)) return Fail(fault);
  if (!CheckStepTimes(&engine)) {
    printf("the times of steps are wrong\n");
    return 1;
  }
  weft_steps none = {0, 0};
  const weft_memory nothing = {{0, 0}, {0, 0}, {{0, 0}}};
  if (weft_ok(weft_open(model_model, MODEL_MODEL_BYTES, none, nothing, &engine))) return 1;
  if (hashes[0] != hashes[1]) return 1;
  printf("hash %08lx%08lx\n", (unsigned long)(hashes[0] >> 32),
         (unsigned long)(hashes[0] & 0xFFFFFFFFu));
  return 0;
}
