// SPDX-License-Identifier: Apache-2.0
// Compares the stored outputs of every conformance case with the results of this target, by the
// rule of tests/conformance/README.md. Only the models are converted on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "runtime/weft.h"
#include "tests/device/loaded_file.h"
#include "tests/device/stored_models.h"
#include "tests/kernels/every_target.h"

namespace weft {
namespace {

// NumPy's name of each type that ports of stored cases have.
const char* NumpyType(Type type) {
  switch (type) {
    case Type::kF32:
      return "<f4";
    case Type::kF16:
      return "<f2";
    case Type::kF64:
      return "<f8";
    case Type::kI8:
      return "|i1";
    case Type::kU8:
      return "|u1";
    case Type::kI16:
      return "<i2";
    case Type::kI32:
      return "<i4";
    case Type::kI64:
      return "<i8";
    case Type::kBool:
      return "|b1";
    default:
      return "no NumPy type";
  }
}

// The start of the header that NumPy writes for an array of such tensors, one per call.
std::string HeaderOf(const Tensor& tensor, size_t calls) {
  std::string shape;
  const auto add = [&shape](size_t dim) {
    if (!shape.empty()) shape += ", ";
    shape += std::to_string(dim);
  };
  if (calls != 0) add(calls);
  for (uint32_t i = 0; i < tensor.rank; ++i) add(tensor.dims[i]);
  if (tensor.rank + (calls != 0 ? 1 : 0) == 1) shape += ",";  // (), (3,), (3, 4)
  std::string header = "{'descr': '";
  header += NumpyType(tensor.type);
  header += "', 'fortran_order': False, 'shape': (";
  return header + shape + ")";
}

bool Overlapping(double actual, double expected, const StoredCase& rule) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (actual == expected) return true;
  if (std::isinf(expected)) return false;
  return std::abs(actual - expected) <= std::max(rule.atol, rule.rtol * std::abs(expected));
}

template <typename T>
void CompareFloats(const Tensor& tensor, const unsigned char* expected, const StoredCase& rule) {
  for (size_t i = 0; i < tensor.bytes / sizeof(T); ++i) {
    T must;
    std::memcpy(&must, expected + i * sizeof(T), sizeof(T));
    ASSERT_TRUE(Overlapping(tensor.as<T>()[i], must, rule))
        << "element " << i << " is " << tensor.as<T>()[i] << "; must be " << must;
  }
}

void Compare(const Tensor& tensor, const unsigned char* expected, const StoredCase& rule) {
  if (tensor.type == Type::kF32) {
    CompareFloats<float>(tensor, expected, rule);
  } else if (tensor.type == Type::kF64) {
    CompareFloats<double>(tensor, expected, rule);
  } else if (tensor.bytes != 0) {
    EXPECT_EQ(std::memcmp(tensor.data, expected, tensor.bytes), 0) << "these match exactly";
  }
}

// Returns true if the file has the tensor's type and shape, and all of its bytes.
bool Fits(const StoredArray& array, const Tensor& tensor, size_t calls) {
  const std::string must = HeaderOf(tensor, calls);
  const std::string is = array.header.substr(0, must.size());
  EXPECT_EQ(is, must);
  EXPECT_EQ(array.elements.size(), tensor.bytes * std::max<size_t>(calls, 1));
  return is == must && array.elements.size() == tensor.bytes * std::max<size_t>(calls, 1);
}

void Check(const StoredCase& stored) {
  const auto model = ReadModelFile(ModelPath(stored.name));
  const Stream stream(*model);
  Engine engine = stream.engine;
  const std::vector<StoredArray> arrays = ReadArrays(stored.name);
  ASSERT_EQ(arrays.size(), engine.input_count() + engine.output_count());
  const auto inputs = std::span(arrays).first(engine.input_count());
  const auto expected = std::span(arrays).subspan(engine.input_count());
  for (size_t call = 0; call < std::max<size_t>(stored.calls, 1); ++call) {
    for (uint32_t i = 0; i < inputs.size(); ++i) {
      SCOPED_TRACE("input " + std::to_string(i));
      const Tensor tensor = engine.input(i);
      ASSERT_TRUE(Fits(inputs[i], tensor, stored.calls));
      if (tensor.bytes == 0) continue;
      std::memcpy(tensor.data, inputs[i].elements.data() + call * tensor.bytes, tensor.bytes);
    }
    ASSERT_TRUE(engine.Run().ok());
    for (uint32_t i = 0; i < expected.size(); ++i) {
      SCOPED_TRACE("output " + std::to_string(i) + " of call " + std::to_string(call));
      const Tensor tensor = engine.output(i);
      ASSERT_TRUE(Fits(expected[i], tensor, stored.calls));
      Compare(tensor, expected[i].elements.data() + call * tensor.bytes, stored);
    }
  }
}

TEST(Golden, EveryStoredCaseAgrees) {
  const std::vector<StoredCase> cases = StoredCases();
  ASSERT_FALSE(cases.empty()) << "the target weft_models writes " WEFT_MODELS_DIR "/index.txt";
  kernels::ForEachTarget([&](const char* target) {
    for (const StoredCase& stored : cases) {
      SCOPED_TRACE(stored.name);
      Check(stored);
    }
    std::printf("%s: %d cases\n", target, static_cast<int>(cases.size()));
  });
}

}  // namespace
}  // namespace weft
