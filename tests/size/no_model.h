/* SPDX-License-Identifier: Apache-2.0
 * compare.c without a model: flash and RAM of this program are those of the start-up, the C library
 * and compare.c, which tflite.py subtracts. */
#ifndef WEFT_TESTS_SIZE_NO_MODEL_H_
#define WEFT_TESTS_SIZE_NO_MODEL_H_

static float no_element[1];

static inline uint32_t Open(void) { return 0; }
static inline uint32_t Run(void) { return 0; }
static inline uint32_t InputCount(void) { return 1; }
static inline uint32_t OutputCount(void) { return 1; }
static inline Port InputAt(uint32_t i) {
  const Port port = {no_element, sizeof(no_element), i == 0};
  return port;
}
static inline Port OutputAt(uint32_t i) { return InputAt(i); }
static inline uint32_t UnusedBytes(void) { return 0; }

#endif /* WEFT_TESTS_SIZE_NO_MODEL_H_ */
