// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of data movement: literal i32 tensors, the naive movements by which the
// OpenVINO specification defines the operations, and the execution of one operation.
#ifndef WEFT_TESTS_CONVERTER_OPS_MOVEMENT_FIXTURE_H_
#define WEFT_TESTS_CONVERTER_OPS_MOVEMENT_FIXTURE_H_

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/converter/graph_builder.h"
#include "tests/converter/program_interpreter.h"
#include "tests/converter/steps.h"

namespace weft {

struct Nd {
  Dims dims;
  std::vector<int32_t> elements;
  bool operator==(const Nd&) const = default;
};

inline void PrintTo(const Nd& nd, std::ostream* os) {
  *os << ToString(nd.dims) << " " << testing::PrintToString(nd.elements);
}

inline int64_t CountOf(const Dims& dims) { return ElementCount(dims).value_or(0); }

// A tensor of 0, 1, 2, ...
inline Nd Iota(Dims dims) {
  Nd nd{std::move(dims), {}};
  nd.elements.resize(static_cast<size_t>(CountOf(nd.dims)));
  std::iota(nd.elements.begin(), nd.elements.end(), 0);
  return nd;
}

inline int32_t At(const Nd& nd, const Dims& index) {
  int64_t flat = 0;
  for (size_t i = 0; i < nd.dims.size(); ++i) flat = flat * nd.dims[i] + index[i];
  return nd.elements.at(static_cast<size_t>(flat));
}

// A tensor whose elements are a function of their index.
template <typename F>
Nd Make(Dims dims, F element) {
  Nd nd{std::move(dims), {}};
  Dims index(nd.dims.size(), 0);
  for (int64_t i = 0; i < CountOf(nd.dims); ++i) {
    nd.elements.push_back(element(index));
    for (size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < nd.dims[axis]) break;
      index[axis] = 0;
    }
  }
  return nd;
}

inline Nd Reshaped(Nd nd, Dims dims) {
  EXPECT_EQ(CountOf(nd.dims), CountOf(dims));
  nd.dims = std::move(dims);
  return nd;
}

inline Nd Transposed(const Nd& nd, const std::vector<size_t>& order) {
  Dims dims;
  for (const size_t axis : order) dims.push_back(nd.dims[axis]);
  return Make(dims, [&](const Dims& index) {
    Dims from(index.size());
    for (size_t i = 0; i < order.size(); ++i) from[order[i]] = index[i];
    return At(nd, from);
  });
}

// The result of a graph: the outputs of its steps, or its errors.
struct Outcome {
  std::vector<Nd> outputs;
  std::string faults;
  program::Program program;
  size_t step_count() const { return Steps(program).size(); }
};

// Infers, lowers and runs a graph whose parameters are i32 with the given `values`. Returns the
// outputs of node `y`.
inline Outcome RunGraph(GraphBuilder& g, const std::vector<Nd>& values, ir::Source y) {
  Outcome outcome;
  const auto output_count = static_cast<uint32_t>(y.node->outputs.size());
  for (uint32_t i = 0; i < output_count; ++i) g.Result({y.node, i});
  if (g.Infer()) outcome.program = g.Lower();
  outcome.faults = g.FaultText();
  if (!g.faults.ok()) return outcome;
  ProgramInterpreter interpreter(outcome.program);
  for (size_t i = 0; i < values.size(); ++i) interpreter.SetInput(i, values[i].elements);
  interpreter.Run();
  for (uint32_t i = 0; i < output_count; ++i) {
    outcome.outputs.push_back({g.type({y.node, i}).dims, interpreter.Output<int32_t>(i)});
  }
  return outcome;
}

using Text = std::map<std::string, std::string>;

// One operation over a run-time tensor and one-dimensional constants.
inline Outcome Apply(const std::string& type, int opset, const Nd& x,
                     const std::vector<std::vector<int64_t>>& controls, const Text& attributes = {},
                     uint32_t output_count = 1) {
  GraphBuilder g;
  std::vector<ir::Source> inputs = {g.Parameter({ElementType::i32, x.dims})};
  for (const std::vector<int64_t>& control : controls) inputs.push_back(g.Ints(control));
  return RunGraph(g, {x}, g.Add(type, opset, inputs, attributes, output_count));
}

// The only output. Fails the test and returns an empty tensor if there were errors.
inline Nd Only(const Outcome& outcome) {
  EXPECT_EQ(outcome.faults, "");
  if (outcome.outputs.size() == 1) return outcome.outputs[0];
  ADD_FAILURE() << outcome.outputs.size() << " outputs";
  return {};
}

// "1,2,3".
inline std::string Listed(const Dims& values) {
  std::string text = ToString(values);
  return text.substr(1, text.size() - 2);
}

// Integers from low to high, the same sequence on every machine.
class Dice {
 public:
  explicit Dice(uint32_t seed) : engine_(seed) {}
  int64_t Roll(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }

 private:
  std::mt19937 engine_;
};

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_OPS_MOVEMENT_FIXTURE_H_
