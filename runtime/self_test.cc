// SPDX-License-Identifier: Apache-2.0
// Only Engine::SelfTest, so that firmware that does not call it does not link it.
#include "runtime/self_test.h"

#include <cstring>

#include "kernels/simd/fused.h"

namespace weft {
namespace {

using format::RowsOf;
using format::ToleranceClass;

// Reader of the stored pairs, in order. Nothing is read before Take has checked that it exists.
struct Pairs {
  const uint8_t* at;
  uint32_t left;
  uint32_t run = 0;

  // Returns the next `bytes` bytes, or null and an error if the data ends before.
  const uint8_t* Take(size_t bytes, Fault* fault) {
    if (bytes > left) {
      *fault = {FaultCode::kSelfTestBytes, 0, 0, run, left, static_cast<uint32_t>(bytes)};
      return nullptr;
    }
    const uint8_t* taken = at;
    at += bytes;
    left -= static_cast<uint32_t>(bytes);
    return taken;
  }
};

Fault CheckHead(const format::SelfTest* test) {
  if (test == nullptr) return {FaultCode::kSelfTestAbsent};
  const format::SelfTest& row = *test;
  constexpr uint32_t kMax = format::kMaxSelfTestRuns;
  if (row.run_count() == 0 || row.run_count() > kMax) {
    return {FaultCode::kSelfTestRuns, 0, 0, 0, row.run_count(), kMax};
  }
  if (row.tolerance() > ToleranceClass::MAX) {
    constexpr uint32_t kClasses = static_cast<uint32_t>(ToleranceClass::MAX) + 1;
    return {FaultCode::kSelfTestTolerance,          0,       0, 0,
            static_cast<uint32_t>(row.tolerance()), kClasses};
  }
  const uint32_t reserved = uint32_t{row.reserved0()} | uint32_t{row.reserved1()};
  if (reserved != 0) return {FaultCode::kSelfTestReserved, 0, 0, 0, reserved, 0};
  return {};
}

// Returns element `index` of contiguous elements, which need no alignment.
uint64_t BitsAt(const uint8_t* bytes, uint32_t index, uint32_t element_bits) {
  if (element_bits < 8) return (bytes[index / 2] >> (index % 2 * 4)) & 15u;
  uint64_t bits = 0;
  const uint32_t element_bytes = element_bits / 8;
  std::memcpy(&bits, bytes + size_t{index} * element_bytes, element_bytes);
  return bits;
}

uint32_t ElementsOf(const Tensor& tensor) {
  uint32_t count = 1;
  for (uint32_t i = 0; i < tensor.rank; ++i) count *= tensor.dims[i];
  return count;
}

Fault Differs(const Mismatch& found, Mismatch* first) {
  *first = found;
  return {FaultCode::kSelfTestDiffers, 0, 0, found.run, found.output, found.element};
}

Fault Compare(const Tensor& is, const uint8_t* must, uint32_t output, uint32_t run,
              ToleranceClass tolerance, Mismatch* first) {
  const uint8_t* bytes = static_cast<const uint8_t*>(is.data);
  const uint32_t bits = static_cast<uint32_t>(BitsOf(is.type));
  const uint32_t count = ElementsOf(is);
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t expected = BitsAt(must, i, bits), actual = BitsAt(bytes, i, bits);
    if (!Passes(is.type, tolerance, expected, actual)) {
      return Differs({run, output, i, is.type, expected, actual}, first);
    }
  }
  return {};
}

Fault CheckOutput(const Tensor& is, const format::Port& port, uint32_t output,
                  ToleranceClass tolerance, Pairs* pairs, Mismatch* first) {
  Fault fault;
  if (port.length_slot() != format::kNoSlot) {
    const uint8_t* length = pairs->Take(sizeof(uint32_t), &fault);
    if (!fault.ok()) return fault;
    const uint64_t expected = BitsAt(length, 0, 32), actual = is.dims[port.length_axis()];
    if (expected != actual) {
      return Differs({pairs->run, output, Mismatch::kLengthDiffers, Type::kI32, expected, actual},
                     first);
    }
  }
  const uint8_t* must = pairs->Take(is.bytes, &fault);
  if (!fault.ok()) return fault;
  return Compare(is, must, output, pairs->run, tolerance, first);
}

// Converts a double to the single-precision number that is compared instead: truncated, not
// rounded; too small numbers become 0, too large ones infinity.
uint32_t Narrow(uint64_t bits) {
  const uint32_t low = static_cast<uint32_t>(bits), high = static_cast<uint32_t>(bits >> 32);
  const uint32_t sign = high & 0x80000000u, exponent = (high >> 20) & 0x7FFu;
  if (exponent <= 896) return sign;
  if (exponent >= 896 + 255) return sign | 0x7F800000u;
  return sign | (exponent - 896) << 23 | (high & 0xFFFFFu) << 3 | low >> 29;
}

bool Overlapping(uint32_t expected, uint32_t actual) {
  constexpr float kInfinity = __builtin_huge_valf();
  float must, is;
  std::memcpy(&must, &expected, sizeof(must));
  std::memcpy(&is, &actual, sizeof(is));
  const float size = must < 0 ? -must : must;
  const float distance = is < must ? must - is : is - must;
  return size < kInfinity && distance <= (1.0f + size) * (1.0f / 65536.0f);
}

// For f16 and bf16. Returns true if the numbers are equal, or neighbours of the same sign.
bool Neighbours(uint64_t expected, uint64_t actual) {
  const uint32_t must = static_cast<uint32_t>(expected), is = static_cast<uint32_t>(actual);
  return (must & 0x8000u) == (is & 0x8000u) && (is < must ? must - is : is - must) <= 1;
}

}  // namespace

bool IsNan(Type type, uint64_t bits) {
  const uint32_t low = static_cast<uint32_t>(bits);
  const uint32_t high = static_cast<uint32_t>(bits >> 32) & 0x7FFFFFFFu;
  switch (type) {
    case Type::kF32:
      return (low & 0x7FFFFFFFu) > 0x7F800000u;
    case Type::kF16:
      return (low & 0x7FFFu) > 0x7C00u;
    case Type::kBF16:
      return (low & 0x7FFFu) > 0x7F80u;
    case Type::kF64:
      return high > 0x7FF00000u || (high == 0x7FF00000u && low != 0);
    default:
      return false;
  }
}

bool Passes(Type type, ToleranceClass tolerance, uint64_t expected, uint64_t actual) {
  if (expected == actual) return true;
  const bool nan = IsNan(type, expected);
  if (nan || IsNan(type, actual)) return nan && IsNan(type, actual);
  if (tolerance == ToleranceClass::exact) return false;
  switch (type) {
    case Type::kF32:
      return Overlapping(static_cast<uint32_t>(expected), static_cast<uint32_t>(actual));
    case Type::kF64:
      return Overlapping(Narrow(expected), Narrow(actual));
    case Type::kF16:
    case Type::kBF16:
      return Neighbours(expected, actual);
    default:
      return false;
  }
}

Fault Engine::SelfTest(Mismatch* first) {
  if (model_ == nullptr) return {FaultCode::kEngineClosed};
  const format::SelfTest* test = format::SelfTestOf(*model_);
  Fault fault = CheckHead(test);
  if (!fault.ok()) return fault;
  constexpr uint32_t kHeadBytes = sizeof(*test);
  Pairs pairs = {model_->self_test()->data() + kHeadBytes,
                 model_->self_test()->size() - kHeadBytes};
  const ToleranceClass tolerance =
      kernels::FusesMultiplyAdd() ? ToleranceClass::exact : test->tolerance();
  Reset();
  for (; fault.ok() && pairs.run < test->run_count(); ++pairs.run) {
    for (uint32_t i = 0; fault.ok() && i < input_count(); ++i) {
      const Tensor port = input(i);
      const uint8_t* bytes = pairs.Take(port.bytes, &fault);
      if (fault.ok() && port.bytes != 0) std::memcpy(port.data, bytes, port.bytes);
    }
    // A loop that reaches its maximum here also did so on the desktop; its results are compared as
    // well.
    if (fault.ok()) (void)Run();
    for (uint32_t i = 0; fault.ok() && i < output_count(); ++i) {
      fault = CheckOutput(output(i), RowsOf(model_->outputs())[i], i, tolerance, &pairs, first);
    }
  }
  if (fault.ok() && pairs.left != 0) {
    fault = {FaultCode::kSelfTestBytes, 0, 0, pairs.run, pairs.left, 0};
  }
  Reset();
  return fault;
}

}  // namespace weft
