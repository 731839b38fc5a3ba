/* SPDX-License-Identifier: Apache-2.0
 * The int8 layers of layers.cc, computed by functions of CMSIS-NN, which the program calls without
 * another runtime. Prints the same lines: ticks of the second of two runs, and multiply-adds. */
#include <arm_nnfunctions.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/size/ticks.h"

enum { kBytes = 40000, kChannels = 256, kBufferBytes = 16384 };
static int8_t data[kBytes], weights[kBytes], results[kBytes];
static int32_t bias[kChannels], sums[kChannels], multipliers[kChannels], shifts[kChannels];
static _Alignas(16) int8_t buffer[kBufferBytes];
static const cmsis_nn_activation kAllCodes = {-128, 127};
static cmsis_nn_per_channel_quant_params channels = {multipliers, shifts};

typedef struct {
  int32_t input, output, kernel, stride, pad;
} Axis;

/* A buffer of this many bytes; a layer may not need more than there are. */
static cmsis_nn_context BufferOf(int32_t bytes) {
  const cmsis_nn_context context = {buffer, bytes};
  if (bytes > kBufferBytes) exit(1);
  return context;
}

static void Check(const char* name, arm_cmsis_nn_status status) {
  if (status == ARM_CMSIS_NN_SUCCESS) return;
  printf("%s fails with status %d\n", name, (int)status);
  exit(1);
}

#define MEASURE(name, multiply_adds, call)                                  \
  do {                                                                      \
    Check(name, call);                                                      \
    const uint32_t start = *kCount;                                         \
    Check(name, call);                                                      \
    const uint32_t ticks = TicksSince(start);                               \
    printf("%s %u %u\n", name, (unsigned)ticks, (unsigned)(multiply_adds)); \
  } while (0)

static void MeasureDense(const char* name, int32_t rows, int32_t inputs, int32_t outputs) {
  const cmsis_nn_fc_params params = {128, 0, 0, kAllCodes};
  const cmsis_nn_per_tensor_quant_params one = {multipliers[0], shifts[0]};
  const cmsis_nn_dims x = {rows, 1, 1, inputs}, filter = {inputs, 1, 1, outputs};
  const cmsis_nn_dims biases = {1, 1, 1, outputs}, y = {rows, 1, 1, outputs};
  cmsis_nn_context context = BufferOf(arm_fully_connected_s8_get_buffer_size(&filter));
  if (context.size > 0) { /* once per model: the sums of weights */
    context.buf = sums;
    Check(name, arm_vector_sum_s8(sums, inputs, outputs, weights, 128, 0, bias));
  }
  MEASURE(name, rows * inputs * outputs,
          arm_fully_connected_s8(&context, &params, &one, &x, data, &filter, weights, &biases, bias,
                                 &y, results));
}

static void MeasureConv(const char* name, Axis down, Axis across, int32_t inputs, int32_t outputs) {
  const cmsis_nn_conv_params params = {
      128, 0, {across.stride, down.stride}, {across.pad, down.pad}, {1, 1}, kAllCodes};
  const cmsis_nn_dims x = {1, down.input, across.input, inputs};
  const cmsis_nn_dims filter = {outputs, down.kernel, across.kernel, inputs};
  const cmsis_nn_dims biases = {1, 1, 1, outputs}, y = {1, down.output, across.output, outputs};
  const cmsis_nn_context context =
      BufferOf(arm_convolve_wrapper_s8_get_buffer_size(&params, &x, &filter, &y));
  MEASURE(name, down.output * across.output * outputs * down.kernel * across.kernel * inputs,
          arm_convolve_wrapper_s8(&context, &params, &channels, &x, data, &filter, weights, &biases,
                                  bias, &y, results));
}

static void MeasureDepthwise(const char* name, Axis down, Axis across, int32_t count) {
  const cmsis_nn_dw_conv_params params = {
      128, 0, 1, {across.stride, down.stride}, {across.pad, down.pad}, {1, 1}, kAllCodes};
  const cmsis_nn_dims x = {1, down.input, across.input, count};
  const cmsis_nn_dims filter = {1, down.kernel, across.kernel, count};
  const cmsis_nn_dims biases = {1, 1, 1, count}, y = {1, down.output, across.output, count};
  const cmsis_nn_context context =
      BufferOf(arm_depthwise_conv_wrapper_s8_get_buffer_size(&params, &x, &filter, &y));
  MEASURE(name, down.output * across.output * count * down.kernel * across.kernel,
          arm_depthwise_conv_wrapper_s8(&context, &params, &channels, &x, data, &filter, weights,
                                        &biases, bias, &y, results));
}

typedef arm_cmsis_nn_status Pool(const cmsis_nn_context*, const cmsis_nn_pool_params*,
                                 const cmsis_nn_dims*, const int8_t*, const cmsis_nn_dims*,
                                 const cmsis_nn_dims*, int8_t*);

/* 16 channels on 16 x 16. */
static void MeasurePool(const char* name, Pool* pool, int32_t kernel, int32_t stride) {
  const int32_t outputs = (16 - kernel) / stride + 1;
  const cmsis_nn_pool_params params = {{stride, stride}, {0, 0}, kAllCodes};
  const cmsis_nn_dims x = {1, 16, 16, 16}, window = {1, kernel, kernel, 1};
  const cmsis_nn_dims y = {1, outputs, outputs, 16};
  const cmsis_nn_context context = BufferOf(arm_avgpool_s8_get_buffer_size(outputs, 16));
  MEASURE(name, outputs * outputs * 16 * kernel * kernel,
          pool(&context, &params, &x, data, &window, &y, results));
}

static void MeasurePairs(void) {
  enum { kElements = 4096 };
  const int8_t* other = data + kElements;
  MEASURE("add_4096_q8_integers", kElements,
          arm_elementwise_add_s8(data, other, 128, 1 << 30, 0, 128, 1510998016, -2, 20, results, 0,
                                 1510998016, -18, -128, 127, kElements));
  MEASURE("multiply_4096_q8_integers", kElements,
          arm_elementwise_mul_s8(data, other, 128, 128, results, 0, 1510998016, -8, -128, 127,
                                 kElements));
}

static cmsis_nn_lstm_gate GateOf(arm_nn_activation_type type) {
  const cmsis_nn_lstm_gate gate = {1510998016, -2,      weights, bias, 1510998016,
                                   -2,         weights, bias,    NULL, type};
  return gate;
}

static void MeasureLstm(const char* name, int32_t inputs, int32_t units) {
  static int16_t first[64], second[64], cell[64];
  static int8_t hidden[64];
  cmsis_nn_lstm_params params = {0};
  params.time_major = 1;
  params.batch_size = params.time_steps = 1;
  params.input_size = inputs;
  params.hidden_size = units;
  params.input_offset = 128;
  params.forget_to_cell_multiplier = params.input_to_cell_multiplier = 1 << 30;
  params.forget_to_cell_shift = -14;
  params.input_to_cell_shift = -18;
  params.cell_clip = 32767;
  params.cell_scale_power = -11;
  params.output_multiplier = 1510998016;
  params.output_shift = -22;
  params.forget_gate = params.input_gate = params.output_gate = GateOf(ARM_SIGMOID);
  params.cell_gate = GateOf(ARM_TANH);
  cmsis_nn_lstm_context buffers = {first, second, cell, hidden};
  MEASURE(name, 4 * units * (inputs + units),
          arm_lstm_unidirectional_s8(data, results, &params, &buffers));
}

int main(void) {
  for (int i = 0; i < kBytes; ++i) data[i] = weights[i] = (int8_t)i;
  for (int i = 0; i < kChannels; ++i) {
    multipliers[i] = 1510998016;
    shifts[i] = -8;
  }
  StartTicks();
  MeasureLstm("lstm_40_to_64_q8", 40, 64);
  MeasureLstm("lstm_40_to_24_q8", 40, 24);
  MeasureDense("dense_64_to_64_q8_integers", 1, 64, 64);
  MeasureDense("dense_64_to_256_q8_integers", 1, 64, 256);
  MeasureDense("dense_100_rows_32_to_256_q8_integers", 100, 32, 256);
  const Axis rows = {49, 25, 10, 2, 4}, columns = {10, 5, 4, 2, 1};
  MeasureConv("conv_10x4_by_2_q8_integers", rows, columns, 1, 64);
  const Axis map_rows = {25, 25, 1, 1, 0}, map_columns = {5, 5, 1, 1, 0};
  MeasureConv("pointwise_64_on_25x5_q8_integers", map_rows, map_columns, 64, 64);
  const Axis square = {16, 16, 3, 1, 1};
  MeasureConv("conv_3x3_16_on_16x16_q8_integers", square, square, 16, 16);
  const Axis tall = {25, 25, 3, 1, 1}, narrow = {5, 5, 3, 1, 1};
  MeasureDepthwise("depthwise_3x3_64_on_25x5_q8_integers", tall, narrow, 64);
  MeasureConv("conv_3x3_3_to_8_on_16x16_q8_integers", square, square, 3, 8);
  MeasureDense("dense_99_rows_8_to_16_q8_integers", 99, 8, 16);
  MeasureDense("dense_99_rows_32_to_12_q8_integers", 99, 32, 12);
  MeasurePairs();
  MeasurePool("max_3x3_q8", arm_max_pool_s8, 3, 1);
  MeasurePool("mean_2x2_q8_integers", arm_avgpool_s8, 2, 2);
  return 0;
}
