// SPDX-License-Identifier: Apache-2.0
// Shared by all peer drivers: reads arrays, measures and reports as `weft bench --json` does, so
// that results are comparable. Inputs are rewritten before each run, and the cost of the clock is
// subtracted.
#ifndef WEFT_TESTS_BENCH_PEERS_TIMING_H_
#define WEFT_TESTS_BENCH_PEERS_TIMING_H_

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace peers {

using Array = std::vector<float>;

[[noreturn]] inline void Stop(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

inline std::string Bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  if (!stream) return {};
  std::string bytes(static_cast<size_t>(stream.tellg()), '\0');
  stream.seekg(0);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

// The elements of a version 1 .npy file of f32; empty if there is no file.
inline Array Read(const std::string& path) {
  const std::string bytes = Bytes(path);
  if (bytes.size() < 10) return {};
  const size_t start =
      10 + static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
  if (bytes.find("'descr': '<f4'") == std::string::npos) Stop(path + ": must be of f32");
  Array array((bytes.size() - start) / sizeof(float));
  std::memcpy(array.data(), bytes.data() + start, array.size() * sizeof(float));
  return array;
}

inline Array Needed(const std::string& path) {
  Array array = Read(path);
  if (array.empty()) Stop(path + ": cannot be read");
  return array;
}

// Reads input.0.npy and following files.
inline std::vector<Array> Inputs(const std::string& folder) {
  std::vector<Array> inputs;
  for (;;) {
    Array array = Read(folder + "/input." + std::to_string(inputs.size()) + ".npy");
    if (array.empty()) return inputs;
    inputs.push_back(std::move(array));
  }
}

// Writes the elements only, to be compared before anything is measured.
inline void WriteOutput(const std::string& path, const float* values, size_t count) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values),
             static_cast<std::streamsize>(count * sizeof(float)));
}

inline uint64_t Now() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

inline uint64_t ClockCost() {
  uint64_t min = ~uint64_t{0};
  for (int i = 0; i < 1000; ++i) {
    const uint64_t begin = Now();
    min = std::min(min, Now() - begin);
  }
  return min;
}

// Measures run(), not fill(), for `milliseconds` and at least fifty times, and prints the results.
template <class Fill, class Run>
void Report(const char* engine, const std::string& version, int milliseconds, const Fill& fill,
            const Run& run) {
  const uint64_t clock = ClockCost(), length = static_cast<uint64_t>(milliseconds) * 1000000;
  std::vector<uint64_t> times;
  times.reserve(1 << 20);
  const auto once = [&] {
    fill();
    const uint64_t begin = Now();
    run();
    const uint64_t time = Now() - begin;
    return time - std::min(time, clock);
  };
  const uint64_t first = Now();
  for (int i = 0; i < 10 || Now() - first < length / 4; ++i) once();
  const uint64_t begin = Now();
  while (times.size() < 50 || (Now() - begin < length && times.size() < times.capacity())) {
    times.push_back(once());
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return static_cast<double>(
               times[static_cast<size_t>(share * static_cast<double>(times.size() - 1))]) /
           1000;
  };
  std::printf(
      "{\"engine\": \"%s\", \"version\": \"%s\", \"iterations\": %zu, \"microseconds\": "
      "{\"min\": %.3f, \"median\": %.3f, \"p99\": %.3f}}\n",
      engine, version.c_str(), times.size(), at(0), at(0.5), at(0.99));
}

}  // namespace peers

#endif  // WEFT_TESTS_BENCH_PEERS_TIMING_H_
