// SPDX-License-Identifier: Apache-2.0
// Dense, conv, depthwise and the cells with weights of each type: float and every row of
// weights.inc, except depthwise with scales. The last argument of a benchmark's name is the Highway
// target, 0 the best one.
#include <algorithm>
#include <type_traits>

#include "kernels/elementwise/convert.h"
#include "kernels/matrix/conv.h"
#include "kernels/matrix/dense.h"
#include "kernels/matrix/depthwise.h"
#include "kernels/matrix/pack.h"
#include "kernels/matrix/weights.h"
#include "kernels/recurrent/gru_cell.h"
#include "kernels/recurrent/lstm_cell.h"
#include "tests/bench/bench.h"

namespace weft::kernels {
namespace {

template <class Weight>
constexpr Element kElementOf = Element::kF32;
#define WEFT_WEIGHTS(name, Name, ...) \
  template <>                         \
  constexpr Element kElementOf<Name> = Element::k##Name;
#include "kernels/weights.inc"
#undef WEFT_WEIGHTS

// `count` weights with the alignment that the format gives weights, and `scales` scales if the type
// has them.
template <class Weight>
class Weights {
 public:
  Weights(size_t count, size_t scales) : memory_(count + scales + 16) {
    const std::vector<float> values = Values(count);
    Weight* const from = const_cast<Weight*>(data());
    if constexpr (std::is_same_v<Weight, float>) {
      std::copy_n(values.data(), count, from);
    } else if constexpr (std::is_same_v<Weight, Scaled8>) {
      std::fill_n(reinterpret_cast<float*>(from), scales, 0.01f);
      for (size_t i = 0; i < count; ++i) {
        from[scales * sizeof(float) + i].code = static_cast<int8_t>(values[i] * 127);
      }
    } else {
      Convert({static_cast<uint32_t>(count), Element::kF32, kElementOf<Weight>}, values.data(),
              from);
    }
  }
  const Weight* data() const {
    const size_t past = reinterpret_cast<uintptr_t>(memory_.data()) % 64 / sizeof(float);
    return reinterpret_cast<const Weight*>(memory_.data() + (16 - past) % 16);
  }

 private:
  std::vector<float> memory_;  // enough for the widest type
};

// inputs, outputs, target; one row
template <class Weight>
void DenseOf(benchmark::State& state) {
  if (!Choose(state, state.range(2))) return;
  const auto inputs = static_cast<uint32_t>(state.range(0));
  const auto outputs = static_cast<uint32_t>(state.range(1));
  const std::vector<float> x = Values(inputs);
  const Weights<Weight> weights(PackedDenseFloats(outputs, inputs), outputs);
  std::vector<float> y(outputs);
  const DenseShape shape = {1, inputs, outputs, inputs, outputs, 0, {}};
  for (auto _ : state) {
    Dense(shape, x.data(), weights.data(), nullptr, y.data());
    benchmark::ClobberMemory();
  }
}

// channels, side of the map, kernel, target; channels last
template <class Weight>
void ConvOf(benchmark::State& state) {
  if (!Choose(state, state.range(3))) return;
  const auto channels = static_cast<uint32_t>(state.range(0));
  const auto side = static_cast<uint32_t>(state.range(1));
  const auto kernel = static_cast<uint32_t>(state.range(2));
  const uint32_t row = side * channels;
  const MapStrides map = {side * row, row, channels, 1};
  const ConvShape shape = {1,          1,          channels, channels, side, side, side,
                           side,       kernel,     kernel,   1,        1,    1,    1,
                           kernel / 2, kernel / 2, map,      map,      {}};
  const std::vector<float> x = Values(size_t{side} * row);
  const Weights<Weight> weights(PackedConvFloats(1, channels, channels, kernel, kernel), channels);
  std::vector<float> y(size_t{side} * row);
  for (auto _ : state) {
    Conv(shape, x.data(), weights.data(), nullptr, y.data());
    benchmark::ClobberMemory();
  }
}

// as ConvOf
template <class Weight>
void DepthwiseOf(benchmark::State& state) {
  if (!Choose(state, state.range(3))) return;
  const auto channels = static_cast<uint32_t>(state.range(0));
  const auto side = static_cast<uint32_t>(state.range(1));
  const auto kernel = static_cast<uint32_t>(state.range(2));
  const uint32_t row = side * channels;
  const MapStrides map = {side * row, row, channels, 1};
  const DepthwiseShape shape = {1, channels, 1, side, side,       side,       side, kernel, kernel,
                                1, 1,        1, 1,    kernel / 2, kernel / 2, map,  map,    {}};
  const std::vector<float> x = Values(size_t{side} * row);
  const Weights<Weight> weights(PackedDepthwiseFloats(channels, kernel, kernel), 0);
  std::vector<float> y(size_t{side} * row);
  for (auto _ : state) {
    Depthwise(shape, x.data(), weights.data(), nullptr, y.data());
    benchmark::ClobberMemory();
  }
}

// inputs, hidden, target; one step
template <class Weight, uint32_t kGates>
void CellOf(benchmark::State& state) {
  if (!Choose(state, state.range(2))) return;
  CellShape shape;
  shape.inputs = static_cast<uint32_t>(state.range(0));
  shape.hidden = static_cast<uint32_t>(state.range(1));
  const Weights<Weight> weights(CellWeights(kGates, shape.inputs, shape.hidden),
                                CellScales(kGates, shape.hidden));
  const std::vector<float> start = Values(size_t{kGates} * shape.hidden);
  const std::vector<float> x = Values(shape.inputs);
  std::vector<float> h = Values(shape.hidden), c = h, next = h;
  for (auto _ : state) {
    if constexpr (kGates == kLstmGates) {
      LstmCell(shape, x.data(), weights.data(), h.data(), c.data(), start.data(), next.data(),
               c.data());
    } else {
      GruCell(shape, x.data(), weights.data(), h.data(), start.data(), start.data(), next.data());
    }
    h.swap(next);
    benchmark::ClobberMemory();
  }
}

#define WEFT_SCALED_BENCHES(Type)                           \
  BENCHMARK_TEMPLATE(DenseOf, Type)                         \
      ->ArgNames({"inputs", "outputs", "target"})           \
      ->ArgsProduct({{64, 512}, {64, 1024, 8192}, {0, 1}}); \
  BENCHMARK_TEMPLATE(ConvOf, Type)                          \
      ->ArgNames({"channels", "side", "kernel", "target"})  \
      ->ArgsProduct({{64}, {16}, {1, 3}, {0, 1}});          \
  BENCHMARK_TEMPLATE(CellOf, Type, kLstmGates)              \
      ->ArgNames({"inputs", "hidden", "target"})            \
      ->ArgsProduct({{64}, {64, 256, 1024}, {0, 1}});       \
  BENCHMARK_TEMPLATE(CellOf, Type, kGruGates)               \
      ->ArgNames({"inputs", "hidden", "target"})            \
      ->ArgsProduct({{40}, {128}, {0, 1}});
#define WEFT_BENCHES(Type)                                 \
  WEFT_SCALED_BENCHES(Type)                                \
  BENCHMARK_TEMPLATE(DepthwiseOf, Type)                    \
      ->ArgNames({"channels", "side", "kernel", "target"}) \
      ->ArgsProduct({{64}, {16}, {3}, {0, 1}});

WEFT_BENCHES(float)
#define WEFT_WEIGHTS(name, Name, ...) WEFT_BENCHES(Name)
#define WEFT_SCALED_WEIGHTS(name, Name, ...) WEFT_SCALED_BENCHES(Name)
#include "kernels/weights.inc"
#undef WEFT_SCALED_WEIGHTS
#undef WEFT_WEIGHTS

}  // namespace
}  // namespace weft::kernels
