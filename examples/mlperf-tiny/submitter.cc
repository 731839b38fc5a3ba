// SPDX-License-Identifier: Apache-2.0
//
// The functions of a submitter of MLPerf Tiny, for a model with one input and one output. The bytes
// of an input are what the reference implementations of the tasks expect: kws, sww: codes. vww, ic:
// pixels, code + 128. ad: floats, which QUANTISATION converts to codes.

#include <stdarg.h>
#include <string.h>

#include "board.h"
#include "harness.h"
#include "model.h"  // written by weft convert --c-source

namespace {

enum Task { kCodes, kPixels, kFloats };
constexpr Task kTask = INPUT;  // a macro of the build

struct Quantisation {
  float input_scale;
  int input_zero;
  float output_scale;
  int output_zero;
};
// Classifiers end with a softmax, whose output always has this scale and zero point.
constexpr Quantisation kQuantisation = {QUANTISATION};

weft_engine engine;
weft_tensor input, output;
int8_t codes[kTask == kFloats ? MAX_DB_INPUT_SIZE / sizeof(float) : 1];
bool fits = false;  // the model has the ports of the task
bool is_loaded = false;

void PrintDigits(uint32_t number, uint32_t base, int min_digits) {
  char digits[10];
  int count = 0;
  do {
    digits[count++] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number != 0 || count < min_digits);
  while (count > 0) WriteSerial(digits[--count]);
}

void PrintText(const char* text) {
  while (*text != '\0') WriteSerial(*text++);
}

// Prints a number of at least 0 with three decimals.
void PrintThousandths(float value) {
  const float limit = 4e6f;
  const uint32_t number = static_cast<uint32_t>((value < limit ? value : limit) * 1000 + 0.5f);
  PrintDigits(number / 1000, 10, 1);
  WriteSerial('.');
  PrintDigits(number % 1000, 10, 3);
}

void PrintFault(weft_fault fault) {
  char text[160];
  weft_describe(fault, text, sizeof(text));
  th_printf("e-[%s]\r\n", text);
}

float Dequantised(int code) {
  return kQuantisation.output_scale * static_cast<float>(code - kQuantisation.output_zero);
}

// Rounds half away from zero, as TensorFlow Lite.
int8_t Quantised(float value) {
  const float code = value / kQuantisation.input_scale;
  const int rounded =
      static_cast<int>(code < 0 ? code - 0.5f : code + 0.5f) + kQuantisation.input_zero;
  return static_cast<int8_t>(rounded < -128 ? -128 : rounded > 127 ? 127 : rounded);
}

float FloatAt(size_t i) {
  float value;
  memcpy(&value, gp_buff + i * sizeof(value), sizeof(value));
  return value;
}

size_t InputBytes() { return kTask == kFloats ? input.bytes * sizeof(float) : input.bytes; }

// Writes the model's input before each run, because a run may overwrite its memory.
void FillInput() {
  const uint8_t* from = kTask == kFloats ? reinterpret_cast<uint8_t*>(codes) : gp_buff;
  uint8_t* to = static_cast<uint8_t*>(input.data);
  constexpr uint32_t kFlips = kTask == kPixels ? 0x80808080u : 0u;  // subtracts 128
  size_t i = 0;
  for (uint32_t four; i + sizeof(four) <= input.bytes; i += sizeof(four)) {
    memcpy(&four, from + i, sizeof(four));
    four ^= kFlips;
    memcpy(to + i, &four, sizeof(four));
  }
  for (; i < input.bytes; ++i) to[i] = from[i] ^ static_cast<uint8_t>(kFlips);
}

// Mean of the squares of output - input, of the task ad.
float Difference() {
  float sum = 0;
  for (size_t i = 0; i < output.bytes; ++i) {
    const float difference = Dequantised(static_cast<int8_t*>(output.data)[i]) - FloatAt(i);
    sum += difference * difference;
  }
  return sum / static_cast<float>(output.bytes);
}

}  // namespace

void th_load_tensor() {
  const size_t count = ee_get_buffer(nullptr, MAX_DB_INPUT_SIZE);
  is_loaded = fits && count == InputBytes();
  if (!is_loaded) {
    th_printf("e-[Input has %d bytes; must have %d]\r\n", static_cast<int>(count),
              static_cast<int>(InputBytes()));
    return;
  }
  if (kTask == kFloats) {
    for (size_t i = 0; i < input.bytes; ++i) codes[i] = Quantised(FloatAt(i));
  }
  weft_reset(&engine);
}

void th_infer() {
  if (!is_loaded) return;
  FillInput();
  const weft_fault fault = weft_run(&engine);
  if (!weft_ok(fault)) PrintFault(fault);
}

void th_results() {
  if (!is_loaded) {
    th_printf("e-[No input; load one with 'db' and run 'infer']\r\n");
    return;
  }
  th_printf("m-results-[");
  if (kTask == kFloats) {
    PrintThousandths(Difference());
  } else {
    for (size_t i = 0; i < output.bytes; ++i) {
      if (i > 0) th_printf(",");
      PrintThousandths(Dequantised(static_cast<int8_t*>(output.data)[i]));
    }
  }
  th_printf("]\r\n");
}

void th_final_initialize() {
  const weft_fault fault = model_open(&engine);
  if (!weft_ok(fault)) {
    PrintFault(fault);
    return;
  }
  input = weft_input(&engine, 0);
  output = weft_output(&engine, 0);
  fits = input.type == WEFT_I8 && output.type == WEFT_I8 && InputBytes() <= MAX_DB_INPUT_SIZE &&
         (kTask != kFloats || input.bytes == output.bytes) &&
         weft_input(&engine, 1).data == nullptr;
  if (!fits) {
    th_printf("e-[The model does not fit the task %s; must have one int8 input and output]\r\n",
              TH_MODEL_VERSION);
  }
}

void th_pre() {}
void th_post() {}

void th_command_ready(volatile char* text) {
  ee_serial_command_parser_callback(const_cast<char*>(text));
}

void th_timestamp() { th_printf("m-lap-us-%lu\r\n", static_cast<unsigned long>(Microseconds())); }
void th_timestamp_initialize() {
  th_printf("m-timestamp-mode-performance\r\n");
  StartClock();
}
void th_serialport_initialize() { OpenSerial(); }
char th_getchar() { return ReadSerial(); }

void th_printf(const char* format, ...) {
  va_list values;
  va_start(values, format);
  for (const char* c = format; *c != '\0'; ++c) {
    if (*c != '%') {
      WriteSerial(*c);
      continue;
    }
    ++c;
    if (*c == 's') {
      PrintText(va_arg(values, const char*));
    } else if (*c == 'd') {
      const int number = va_arg(values, int);
      if (number < 0) WriteSerial('-');
      PrintDigits(static_cast<uint32_t>(number < 0 ? -number : number), 10, 1);
    } else if (*c == 'l') {  // %lu
      ++c;
      PrintDigits(static_cast<uint32_t>(va_arg(values, unsigned long)), 10, 1);
    } else if (*c == '0') {  // %02x
      c += 2;
      PrintDigits(va_arg(values, unsigned), 16, 2);
    } else {
      WriteSerial(*c);
    }
  }
  va_end(values);
}

#ifdef MLPERF_API
size_t th_strnlen(const char* text, size_t max) {
  size_t size = 0;
  while (size < max && text[size] != '\0') ++size;
  return size;
}
#endif

int main() {
  ee_benchmark_initialize();
  for (;;) ee_serial_callback(th_getchar());
}
