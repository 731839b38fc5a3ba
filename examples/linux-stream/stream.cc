// SPDX-License-Identifier: Apache-2.0
//
// Reads raw audio (16 bit little-endian, mono, 8 kHz) from a pipe on stdin, runs the model once per
// 10 ms frame and prints each key when it is detected. All memory is allocated before the first
// frame, so every step does the same work; the times are printed on stderr. Exit code 0: the pipe
// ended. 1: read error or invalid model. 2: invalid command line.

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "dtmf.h"  // written by weft convert --c-source
#include "dtmf/debounce.h"

namespace {

constexpr size_t kFrameSamples = 80;  // 10 ms

uint64_t Nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

int Complain(const char* where, weft_fault fault) {
  char text[160];
  weft_describe(fault, text, sizeof(text));
  fprintf(stderr, "%s: %s\n", where, text);
  return 1;
}

// Waits for a complete frame. Returns 1 on success, 0 if the pipe ended before the last sample, -1
// on error.
int ReadFrame(uint8_t* bytes, size_t frame_bytes) {
  size_t have = 0;
  while (have < frame_bytes) {
    const ssize_t got = read(STDIN_FILENO, bytes + have, frame_bytes - have);
    if (got == 0) return 0;
    if (got > 0) {
      have += static_cast<size_t>(got);
    } else if (errno != EINTR) {
      fprintf(stderr, "stdin: %s\n", strerror(errno));
      return -1;
    }
  }
  return 1;
}

struct Times {
  uint64_t count = 0, sum = 0, min = UINT64_MAX, max = 0;

  void Add(uint64_t nanoseconds) {
    ++count;
    sum += nanoseconds;
    if (nanoseconds < min) min = nanoseconds;
    if (nanoseconds > max) max = nanoseconds;
  }
  void Print() const {
    if (count == 0) return;
    fprintf(stderr,
            "%llu frames; one step takes %.1f us at least, %.1f in the mean, %.1f at most\n",
            static_cast<unsigned long long>(count), 1e-3 * static_cast<double>(min),
            1e-3 * static_cast<double>(sum) / static_cast<double>(count),
            1e-3 * static_cast<double>(max));
  }
};

void ToFloat(const uint8_t* bytes, float* audio) {
  for (size_t i = 0; i < kFrameSamples; ++i) {
    const auto sample = static_cast<int16_t>(bytes[2 * i] | bytes[2 * i + 1] << 8);
    audio[i] = static_cast<float>(sample) * (1.0f / 32768.0f);
  }
}

int Listen(weft_engine* engine, Times* times) {
  float* audio = static_cast<float*>(weft_input(engine, DTMF_INPUT_AUDIO).data);
  dtmf::Debounce debounce;
  uint8_t frame[kFrameSamples * 2];
  int more = 0;
  while ((more = ReadFrame(frame, sizeof(frame))) > 0) {
    const uint64_t begin = Nanoseconds();
    ToFloat(frame, audio);
    const weft_fault fault = weft_run(engine);
    if (!weft_ok(fault)) return Complain("run", fault);
    const auto* answers = static_cast<const float*>(weft_output(engine, DTMF_OUTPUT_KEYS).data);
    const char key = debounce.Hear(answers);
    times->Add(Nanoseconds() - begin);
    if (key != '\0') {
      putchar(key);
      fflush(stdout);
    }
  }
  putchar('\n');
  return more == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  const bool lock = count == 2 && strcmp(arguments[1], "--lock") == 0;
  if (count > 1 && !lock) {
    fprintf(stderr, "usage: linux_stream [--lock] <AUDIO.raw    s16le, mono, 8 kHz\n");
    return 2;
  }
  if (lock && mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    fprintf(stderr, "--lock: %s; needs CAP_IPC_LOCK or a higher ulimit -l\n", strerror(errno));
    return 1;
  }
  weft_engine engine;
  const weft_fault fault = dtmf_open(&engine);
  if (!weft_ok(fault)) return Complain("dtmf", fault);
  if (weft_input(&engine, DTMF_INPUT_AUDIO).bytes != kFrameSamples * sizeof(float)) {
    fprintf(stderr, "dtmf: a frame has not %zu samples\n", kFrameSamples);
    return 1;
  }
  Times times;
  const int result = Listen(&engine, &times);
  times.Print();
  return result;
}
