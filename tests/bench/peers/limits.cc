// SPDX-License-Identifier: Apache-2.0
// Measures the limits of one core: fused multiply-adds of f32, and bytes read from buffers of
// increasing size. Usage: limits MILLISECONDS; compile it for the processor that runs it.
#include <new>
#include <type_traits>
#include <utility>

#include "tests/bench/peers/timing.h"

namespace {

// GCC's and Clang's vectors with the processor's vector width.
#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif
typedef float Vector __attribute__((vector_size(kBytes)));
constexpr int kFloats = kBytes / 4;

// Hides the value of the vector from the compiler, so that each operation on it is executed.
#if defined(__x86_64__)
Vector Hidden(Vector vector) {
  asm volatile("" : "+v"(vector));
  return vector;
}
#else
Vector Hidden(Vector vector) {
  asm volatile("" : "+w"(vector));
  return vector;
}
#endif

// Nanoseconds of the fastest call.
template <class Work>
double Min(int milliseconds, const Work& work) {
  const uint64_t length = static_cast<uint64_t>(milliseconds) * 1000000, first = peers::Now();
  uint64_t min = ~uint64_t{0};
  while (peers::Now() - first < length) {
    const uint64_t begin = peers::Now();
    work();
    min = std::min(min, peers::Now() - begin);
  }
  return static_cast<double>(min);
}

// Calls each(i) with constants for i, so that arrays of vectors stay in registers.
template <size_t... kIndices, class Each>
inline void Unrolled(std::index_sequence<kIndices...>, const Each& each) {
  (each(std::integral_constant<size_t, kIndices>()), ...);
}

// Twelve independent chains hide an operation's latency.
double MultiplyAddsPerNanosecond(int milliseconds) {
  constexpr size_t kChains = 12, kRounds = 2000;
  const Vector x = Hidden(Vector{}), y = Hidden(Vector{});
  const double min = Min(milliseconds, [&] {
    Vector sums[kChains] = {};
    for (size_t round = 0; round < kRounds; ++round) {
      Unrolled(std::make_index_sequence<kChains>(),
               [&](auto i) { sums[i] = Hidden(sums[i] * x + y); });
    }
  });
  return double{kChains} * kRounds * kFloats / min;
}

double BytesPerNanosecond(const Vector* buffer, size_t bytes, int milliseconds) {
  constexpr size_t kSums = 8;
  const size_t vectors = bytes / kBytes, rounds = std::max<size_t>(1, (size_t{1} << 19) / bytes);
  const double min = Min(milliseconds, [&] {
    for (size_t round = 0; round < rounds; ++round) {
      Vector sums[kSums] = {};
      for (size_t at = 0; at < vectors; at += kSums) {
        Unrolled(std::make_index_sequence<kSums>(), [&](auto i) { sums[i] += buffer[at + i]; });
      }
      Unrolled(std::make_index_sequence<kSums>(), [&](auto i) { (void)Hidden(sums[i]); });
    }
  });
  return static_cast<double>(bytes * rounds) / min;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const int milliseconds = std::atoi(arguments[1]);
  constexpr size_t kMax = size_t{16} << 20;
  auto* const buffer = static_cast<Vector*>(::operator new (kMax, std::align_val_t{4096}));
  std::memset(buffer, 0, kMax);
  std::printf("{\"gigamultiply_adds_per_second\": %.1f, \"gigabytes_per_second\": {",
              MultiplyAddsPerNanosecond(milliseconds));
  const char* comma = "";
  for (const size_t kilobytes : {16, 32, 64, 128, 256, 512, 768, 1024, 1536, 2048, 4096, 16384}) {
    std::printf("%s\"%zu\": %.1f", comma, kilobytes,
                BytesPerNanosecond(buffer, kilobytes << 10, milliseconds));
    comma = ", ";
  }
  std::printf("}}\n");
}
