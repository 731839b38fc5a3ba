/* SPDX-License-Identifier: Apache-2.0
 * compare.c with a model of weft: MODEL is the model's name, MODEL_HEADER its generated header. */
#ifndef WEFT_TESTS_SIZE_WEFT_MODEL_H_
#define WEFT_TESTS_SIZE_WEFT_MODEL_H_

#include MODEL_HEADER

#define JOIN(a, b) a##b
#define NAMED(name, what) JOIN(name, what)

static weft_engine engine;

static inline uint32_t ErrorOf(weft_fault fault) {
  return weft_ok(fault) ? 0 : (uint32_t)fault.code << 16 | (fault.index & 0xFFFF);
}
static inline uint32_t Open(void) { return ErrorOf(NAMED(MODEL, _open)(&engine)); }
static inline uint32_t Run(void) { return ErrorOf(weft_run(&engine)); }
static inline uint32_t InputCount(void) { return weft_input_count(&engine); }
static inline uint32_t OutputCount(void) { return weft_output_count(&engine); }
static inline Port PortOf(weft_tensor tensor) {
  const Port port = {tensor.data, tensor.bytes, tensor.type == WEFT_F32};
  return port;
}
static inline Port InputAt(uint32_t i) { return PortOf(weft_input(&engine, i)); }
static inline Port OutputAt(uint32_t i) { return PortOf(weft_output(&engine, i)); }
static inline uint32_t UnusedBytes(void) { return 0; }

#endif /* WEFT_TESTS_SIZE_WEFT_MODEL_H_ */
