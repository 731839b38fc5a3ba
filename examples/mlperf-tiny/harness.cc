// SPDX-License-Identifier: Apache-2.0
//
// The commands of MLPerf Tiny on a serial port. Answers have the texts that the runner of MLCommons
// reads: lines of data begin with m-, errors with e-[, and m-ready ends each answer.

#include "harness.h"

alignas(4) uint8_t gp_buff[MAX_DB_INPUT_SIZE];

namespace {

constexpr char kTerminator = '%';
constexpr size_t kMaxCommand = 80;  // without the terminator
constexpr size_t kBytesPerLine = 8;
constexpr int kDefaultWarmups = 10;
constexpr int kMaxNumber = 100000000;

char command[kMaxCommand + 1];
size_t command_size = 0;
bool is_too_long = false;
bool is_ready = false;

size_t expected_bytes = 0;  // of db load
size_t stored_bytes = 0;

bool Equals(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

// Returns the next word of `*rest` and moves `*rest` after the word; null if there is none.
char* NextWord(char** rest) {
  char* word = *rest;
  while (*word == ' ') ++word;
  if (*word == '\0') return nullptr;
  char* end = word;
  while (*end != ' ' && *end != '\0') ++end;
  *rest = *end == '\0' ? end : end + 1;
  *end = '\0';
  return word;
}

// Returns the decimal number at the start of `word`, 0 if there is none, as atoi.
int Number(const char* word) {
  const bool is_negative = *word == '-';
  if (is_negative) ++word;
  int number = 0;
  for (; *word >= '0' && *word <= '9' && number < kMaxNumber; ++word) {
    number = 10 * number + (*word - '0');
  }
  return is_negative ? -number : number;
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void LoadBuffer(const char* word) {
  const int size = word == nullptr ? 0 : Number(word);
  if (word == nullptr) {
    th_printf("e-[Command 'db load' requires the # of bytes]\r\n");
  } else if (size <= 0) {
    th_printf("e-[Command 'db load' must be >0 bytes]\r\n");
  } else if (static_cast<size_t>(size) > sizeof(gp_buff)) {
    th_printf("e-[Supplied buffer size %d exceeds maximum of %d]\r\n", size,
              static_cast<int>(sizeof(gp_buff)));
  } else {
    expected_bytes = static_cast<size_t>(size);
    stored_bytes = 0;
    th_printf("m-[Expecting %d bytes]\r\n", size);
  }
}

void PrintBuffer() {
  for (size_t i = 0; i < expected_bytes; ++i) {
    if (i % kBytesPerLine == 0) th_printf("m-buffer-");
    th_printf("%02x", gp_buff[i]);
    const bool is_last = (i + 1) % kBytesPerLine == 0 || i + 1 == expected_bytes;
    th_printf(is_last ? "\r\n" : "-");
  }
}

void StoreBytes(const char* digits) {
  size_t count = 0;
  while (digits[count] != '\0') ++count;
  if (count % 2 != 0) {
    th_printf("e-[Insufficent number of hex digits]\r\n");  // as MLCommons writes it
    return;
  }
  for (size_t i = 0; i < count; i += 2) {
    const int high = HexDigit(digits[i]), low = HexDigit(digits[i + 1]);
    if (high < 0 || low < 0) {
      const char pair[] = {digits[i], digits[i + 1], '\0'};
      th_printf("e-[Invalid hex digit '%s']\r\n", pair);
      return;
    }
    if (stored_bytes == expected_bytes) {
      th_printf("e-[Command 'db' has more bytes than 'db load']\r\n");
      return;
    }
    gp_buff[stored_bytes++] = static_cast<uint8_t>(high << 4 | low);
    if (stored_bytes == expected_bytes) {
      th_printf("m-load-done\r\n");
      return;  // ignores the rest
    }
  }
}

void Buffer(char* rest) {
  char* word = NextWord(&rest);
  if (word == nullptr) {
    th_printf("e-[Command 'db' requires a subcommand]\r\n");
  } else if (Equals(word, "load")) {
    LoadBuffer(NextWord(&rest));
  } else if (Equals(word, "print")) {
    PrintBuffer();
  } else {
    StoreBytes(word);
  }
}

void Infer(char* rest) {
  const char* word = NextWord(&rest);
  const int runs = word == nullptr ? 1 : Number(word);
  if (runs <= 0) {
    th_printf("e-[Inference iterations must be >0]\r\n");
    return;
  }
  word = word == nullptr ? nullptr : NextWord(&rest);
  const int warmups = word == nullptr ? kDefaultWarmups : Number(word);
  if (warmups < 0) {
    th_printf("e-[Inference warmup must be >=0]\r\n");
    return;
  }
  th_load_tensor();
  th_printf("m-warmup-start-%d\r\n", warmups);
  for (int i = 0; i < warmups; ++i) th_infer();
  th_printf("m-warmup-done\r\n");
  th_printf("m-infer-start-%d\r\n", runs);
  th_timestamp();
  th_pre();
  for (int i = 0; i < runs; ++i) th_infer();
  th_post();
  th_timestamp();
  th_printf("m-infer-done\r\n");
  th_results();
}

void Help() {
  th_printf(
      "name            : Print the name of the device\r\n"
      "profile         : Print the versions of the firmware and of the model\r\n"
      "timestamp       : Print the time in microseconds\r\n"
      "db load N       : Expect N bytes of input\r\n"
      "db HH[HH]*      : Store bytes of input in hexadecimal\r\n"
      "db print        : Print the input\r\n"
      "infer N [W=10]  : Run N inferences after W warm-up inferences\r\n"
      "results         : Print the output of the last inference\r\n");
}

void Execute(char* word, char* rest) {
  if (Equals(word, "name")) {
    th_printf("m-name-dut-[%s]\r\n", "weft");
  } else if (Equals(word, "timestamp")) {
    th_timestamp();
  } else if (Equals(word, "profile")) {
    th_printf("m-profile-[%s]\r\n", "ULPMark for tinyML Firmware V0.0.1");
    th_printf("m-model-[%s]\r\n", TH_MODEL_VERSION);
  } else if (Equals(word, "help")) {
    Help();
  } else if (Equals(word, "db")) {
    Buffer(rest);
  } else if (Equals(word, "infer")) {
    Infer(rest);
  } else if (Equals(word, "results")) {
    th_results();
  } else {
    th_printf("e-[Unknown command: %s]\r\n", word);
  }
}

}  // namespace

void ee_serial_callback(char c) {
  if (c == kTerminator) {
    command[is_too_long ? 0 : command_size] = '\0';
    if (is_too_long) {
      th_printf("e-[Command has more than %d characters]\r\n", static_cast<int>(kMaxCommand));
    }
    command_size = 0;
    is_too_long = false;
    th_command_ready(command);
  } else if (c == '\r' || c == '\n') {
    return;  // of a terminal
  } else if (command_size == kMaxCommand) {
    is_too_long = true;
  } else {
    command[command_size++] = c;
  }
}

void ee_serial_command_parser_callback(char* text) {
  if (!is_ready) return;
  char* rest = text;
  char* word = NextWord(&rest);
  if (word != nullptr) Execute(word, rest);
  th_printf("m-ready\r\n");
}

void ee_benchmark_initialize() {
  th_serialport_initialize();
  th_timestamp_initialize();
  th_final_initialize();
  th_printf("m-init-done\r\n");
  is_ready = true;
  th_printf("m-ready\r\n");
}

size_t ee_get_buffer(uint8_t* to, size_t size) {
  const size_t count = size < stored_bytes ? size : stored_bytes;
  for (size_t i = 0; to != nullptr && i < count; ++i) to[i] = gp_buff[i];
  return count;
}
