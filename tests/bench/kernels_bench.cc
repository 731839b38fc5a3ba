// SPDX-License-Identifier: Apache-2.0
// Speed of the kernels on this machine per Highway target (the last argument of a benchmark's name:
// 0 is the best target). Pin the benchmark to a core for stable results.
#include <benchmark/benchmark.h>

#include <vector>

#include "kernels/elementwise/binary.h"
#include "kernels/elementwise/convert.h"
#include "kernels/elementwise/snake.h"
#include "kernels/elementwise/unary.h"
#include "kernels/fourier/fourier.h"
#include "kernels/fourier/fourier_tables.h"
#include "kernels/matrix/conv.h"
#include "kernels/matrix/dense.h"
#include "kernels/matrix/dense_q8.h"
#include "kernels/matrix/depthwise.h"
#include "kernels/matrix/matmul.h"
#include "kernels/matrix/pack.h"
#include "kernels/matrix/ring_matmul.h"
#include "kernels/movement/copy.h"
#include "kernels/recurrent/gru_cell.h"
#include "kernels/recurrent/gru_gates.h"
#include "kernels/recurrent/gru_reset_cell.h"
#include "kernels/recurrent/lstm_cell.h"
#include "kernels/recurrent/lstm_gates.h"
#include "kernels/reduce/normalize.h"
#include "kernels/reduce/pool.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/softmax.h"
#include "kernels/simd/float_mode.h"
#include "tests/bench/bench.h"

namespace weft::kernels {
namespace {

// rows, inputs, outputs, target
void DenseOfShape(benchmark::State& state) {
  if (!Choose(state, state.range(3))) return;
  const uint32_t rows = static_cast<uint32_t>(state.range(0));
  const uint32_t inputs = static_cast<uint32_t>(state.range(1));
  const uint32_t outputs = static_cast<uint32_t>(state.range(2));
  const std::vector<float> x = Values(size_t{rows} * inputs);
  const std::vector<float> weights = Values(PackedDenseFloats(outputs, inputs));
  const std::vector<float> start = Values(outputs);
  std::vector<float> y(size_t{rows} * outputs);
  const DenseShape shape = {rows, inputs, outputs, inputs, outputs, 0, {}};
  for (auto _ : state) {
    Dense(shape, x.data(), Align(weights), start.data(), y.data());
    benchmark::ClobberMemory();
  }
  const double flops = 2.0 * static_cast<double>(state.iterations()) * rows * inputs * outputs;
  state.counters["flops"] = benchmark::Counter(flops, benchmark::Counter::kIsRate);
}
BENCHMARK(DenseOfShape)
    ->ArgNames({"rows", "inputs", "outputs", "target"})
    ->ArgsProduct({{1}, {64, 256}, {256, 1024}, {0, 1, 2}})
    ->ArgsProduct({{25}, {512}, {1024}, {0, 1}})
    ->ArgsProduct({{1, 2, 4}, {64}, {64}, {0, 1}});

// The same for quantised values: rows, inputs, outputs, target.
void DenseOfCodes(benchmark::State& state) {
  if (!Choose(state, state.range(3))) return;
  DenseQ8Shape shape;
  shape.rows = static_cast<uint32_t>(state.range(0));
  shape.inputs = shape.x_row_stride = static_cast<uint32_t>(state.range(1));
  shape.outputs = shape.y_row_stride = static_cast<uint32_t>(state.range(2));
  const std::vector<int8_t> x(size_t{shape.rows} * shape.inputs, 3);
  const std::vector<float> weights = Values(PackedDenseI8Bytes(shape.outputs, shape.inputs) / 4);
  const std::vector<float> scales = Values(shape.outputs), start = Values(shape.outputs);
  std::vector<int8_t> y(size_t{shape.rows} * shape.outputs);
  for (auto _ : state) {
    DenseQ8(shape, x.data(), reinterpret_cast<const int8_t*>(Align(weights)),
            {scales.data(), nullptr, start.data()}, y.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(DenseOfCodes)
    ->ArgNames({"rows", "inputs", "outputs", "target"})
    ->ArgsProduct({{1}, {64, 256, 1024}, {256, 1024}, {0, 1, 2}})
    ->ArgsProduct({{25}, {512}, {1024}, {0, 1}});

// size of a line of real values, target
void FourierOfSize(benchmark::State& state) {
  if (!Choose(state, state.range(1))) return;
  FourierShape shape;
  shape.lines = 1;
  shape.size = static_cast<uint32_t>(state.range(0));
  shape.op = FourierOp::kForwardReal;
  if (!FindFourierFactors(FourierPoints(shape), shape.factors)) return;
  const std::vector<float> x = Values(shape.size);
  std::vector<float> tables(FourierTableFloats(shape)), y(FourierOutputs(shape)),
      scratch(FourierScratchFloats(shape));
  FillFourierTables(shape, nullptr, tables.data());
  for (auto _ : state) {
    Fourier(shape, x.data(), tables.data(), y.data(), scratch.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(FourierOfSize)
    ->ArgNames({"size", "target"})
    ->ArgsProduct({{16, 24, 32, 48, 64, 128, 400, 512, 1024}, {0, 1, 2}});

// The spectrum of a line of `size` real values by a matrix product: size, target.
void DenseOfSpectrum(benchmark::State& state) {
  if (!Choose(state, state.range(1))) return;
  const uint32_t size = static_cast<uint32_t>(state.range(0)), outputs = size + 2;
  const std::vector<float> x = Values(size), weights = Values(PackedDenseFloats(outputs, size));
  std::vector<float> y(outputs);
  const DenseShape shape = {1, size, outputs, size, outputs, 0, {}};
  for (auto _ : state) {
    Dense(shape, x.data(), Align(weights), nullptr, y.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(DenseOfSpectrum)
    ->ArgNames({"size", "target"})
    ->ArgsProduct({{16, 24, 32, 48, 64, 128, 400, 512, 1024}, {0, 1, 2}});

// hidden, target
void LstmGatesOfSize(benchmark::State& state) {
  if (!Choose(state, state.range(1))) return;
  const uint32_t hidden = static_cast<uint32_t>(state.range(0));
  const std::vector<float> pre = Values(size_t{4} * hidden);
  std::vector<float> c = Values(hidden);
  std::vector<float> h(hidden);
  const Activation sigmoid = {0, 0, 0, UnaryOp::kSigmoid};
  const Activation tanh = {0, 0, 0, UnaryOp::kTanh};
  const LstmGatesShape shape = {1, hidden, 0, sigmoid, tanh, tanh};
  for (auto _ : state) {
    LstmGates(shape, pre.data(), c.data(), h.data(), c.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(LstmGatesOfSize)->ArgNames({"hidden", "target"})->ArgsProduct({{64, 256}, {0, 1, 2}});

void GruGatesOfSize(benchmark::State& state) {
  if (!Choose(state, state.range(1))) return;
  const uint32_t hidden = static_cast<uint32_t>(state.range(0));
  const std::vector<float> x = Values(size_t{3} * hidden);
  const std::vector<float> r = Values(size_t{3} * hidden);
  std::vector<float> h = Values(hidden);
  const GruGatesShape shape = {
      1, hidden, 0, 0, {0, 0, 0, UnaryOp::kSigmoid}, {0, 0, 0, UnaryOp::kTanh}};
  for (auto _ : state) {
    GruGates(shape, x.data(), r.data(), h.data(), h.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(GruGatesOfSize)->ArgNames({"hidden", "target"})->ArgsProduct({{64, 256}, {0, 1}});

// inputs (0: only the recurrent part), hidden, target; without inputs, alternately forward and
// backward
template <uint32_t kGates>
void CellOfSize(benchmark::State& state) {
  if (!Choose(state, state.range(2))) return;
  CellShape shape;
  shape.inputs = static_cast<uint32_t>(state.range(0));
  shape.hidden = static_cast<uint32_t>(state.range(1));
  const std::vector<float> weights = Values(CellWeights(kGates, shape.inputs, shape.hidden));
  const std::vector<float> start = Values(size_t{kGates} * shape.hidden);
  const std::vector<float> x = Values(shape.inputs);
  std::vector<float> h = Values(shape.hidden), c = h, next = h;
  for (auto _ : state) {
    if (kGates == kLstmGates) {
      LstmCell(shape, x.data(), Align(weights), h.data(), c.data(), start.data(), next.data(),
               c.data());
    } else {
      GruCell(shape, x.data(), Align(weights), h.data(), start.data(), start.data(), next.data());
    }
    if (shape.inputs == 0) shape.backward = !shape.backward;
    h.swap(next);
    benchmark::ClobberMemory();
  }
}
BENCHMARK_TEMPLATE(CellOfSize, kLstmGates)
    ->ArgNames({"inputs", "hidden", "target"})
    ->ArgsProduct({{0, 64}, {64, 256}, {0, 1}});
BENCHMARK_TEMPLATE(CellOfSize, kGruGates)
    ->ArgNames({"inputs", "hidden", "target"})
    ->ArgsProduct({{0, 40}, {128}, {0, 1}});

// inputs (0: only the recurrent part), hidden, target
void GruResetCellOfSize(benchmark::State& state) {
  if (!Choose(state, state.range(2))) return;
  CellShape shape;
  shape.inputs = static_cast<uint32_t>(state.range(0));
  shape.hidden = static_cast<uint32_t>(state.range(1));
  const std::vector<float> weights = Values(GruResetWeights(shape.inputs, shape.hidden));
  const std::vector<float> start = Values(size_t{kGruGates} * shape.hidden);
  const std::vector<float> x = Values(shape.inputs);
  std::vector<float> h = Values(shape.hidden), next = h, reset_h = h;
  for (auto _ : state) {
    GruResetCell(shape, x.data(), Align(weights), h.data(), start.data(), next.data(),
                 reset_h.data());
    h.swap(next);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(GruResetCellOfSize)
    ->ArgNames({"inputs", "hidden", "target"})
    ->ArgsProduct({{0, 40}, {24, 128}, {0, 1}});

// rows, inputs, hidden, target: an LSTM of several rows, whose products share weights
void LstmOfRows(benchmark::State& state) {
  if (!Choose(state, state.range(3))) return;
  const auto rows = static_cast<uint32_t>(state.range(0));
  const auto inputs = static_cast<uint32_t>(state.range(1));
  const auto hidden = static_cast<uint32_t>(state.range(2)), gates = kLstmGates * hidden;
  const std::vector<float> w = Values(size_t{gates} * inputs), r = Values(size_t{gates} * hidden);
  const std::vector<float> start = Values(gates), x = Values(size_t{rows} * inputs);
  std::vector<float> h = Values(size_t{rows} * hidden), c = h;
  std::vector<float> from_x(size_t{rows} * gates), pre = from_x;
  LstmGatesShape shape;
  shape.rows = rows;
  shape.hidden = hidden;
  shape.pre_row_stride = gates;
  shape.f.op = UnaryOp::kSigmoid;
  shape.g.op = shape.h.op = UnaryOp::kTanh;
  for (auto _ : state) {
    Dense({rows, inputs, gates, inputs, gates, 0, {}}, x.data(), Align(w), start.data(),
          from_x.data());
    Dense({rows, hidden, gates, hidden, gates, gates, {}}, h.data(), Align(r), from_x.data(),
          pre.data());
    LstmGates(shape, pre.data(), c.data(), h.data(), c.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(LstmOfRows)
    ->ArgNames({"rows", "inputs", "hidden", "target"})
    ->ArgsProduct({{1, 2, 3, 5, 8}, {64}, {64}, {0, 1}});

// op, target; 1024 elements
void UnaryOfOp(benchmark::State& state) {
  if (!Choose(state, state.range(1))) return;
  const std::vector<float> x = Values(1024);
  std::vector<float> y(1024);
  UnaryShape shape = {1024, {1, 1, 0, static_cast<UnaryOp>(state.range(0))}, Element::kF32};
  for (auto _ : state) {
    Unary(shape, x.data(), y.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(UnaryOfOp)
    ->ArgNames({"op", "target"})
    ->ArgsProduct({benchmark::CreateDenseRange(0, kUnaryOpCount - 1, 1), {0}})
    ->Args({static_cast<int>(UnaryOp::kTanh), 1})
    ->Args({static_cast<int>(UnaryOp::kSigmoid), 1});

// 1024 elements: add two arrays, add a broadcast scalar, power
void BinaryOfKind(benchmark::State& state) {
  if (!Choose(state, 0)) return;
  const std::vector<float> a = Values(1024);
  const std::vector<float> b = Values(1024);
  std::vector<float> y(1024);
  BinaryShape shape = {1, {1024}, {1}, {1}, BinaryOp::kAdd, Element::kF32};
  if (state.range(0) == 1) shape.b_strides[0] = 0;
  if (state.range(0) == 2) shape.op = BinaryOp::kPower;
  for (auto _ : state) {
    Binary(shape, a.data(), b.data(), y.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BinaryOfKind)->Arg(0)->Arg(1)->Arg(2);

// input and output channels, width, kernel
void ConvOfShape(benchmark::State& state) {
  if (!Choose(state, state.range(3))) return;
  const uint32_t channels = static_cast<uint32_t>(state.range(0));
  const uint32_t side = static_cast<uint32_t>(state.range(1));
  const uint32_t kernel = static_cast<uint32_t>(state.range(2));
  const uint32_t row = side * channels;
  const MapStrides planes = {side * row, side, 1, side * side},
                   last = {side * row, row, channels, 1};
  const MapStrides& map = state.range(4) != 0 ? last : planes;
  const ConvShape shape = {1,          1,          channels, channels, side, side, side,
                           side,       kernel,     kernel,   1,        1,    1,    1,
                           kernel / 2, kernel / 2, map,      map,      {}};
  const std::vector<float> x = Values(size_t{channels} * side * side);
  const std::vector<float> weights =
      Values(PackedConvFloats(1, channels, channels, kernel, kernel));
  std::vector<float> y(size_t{channels} * side * side);
  for (auto _ : state) {
    Conv(shape, x.data(), Align(weights), nullptr, y.data());
    benchmark::ClobberMemory();
  }
  const double flops = 2.0 * static_cast<double>(state.iterations()) * channels * channels * side *
                       side * kernel * kernel;
  state.counters["flops"] = benchmark::Counter(flops, benchmark::Counter::kIsRate);
}
BENCHMARK(ConvOfShape)
    ->ArgNames({"channels", "side", "kernel", "target", "last"})
    ->ArgsProduct({{16, 64, 100}, {16}, {1, 3}, {0, 1}, {0, 1}});

// Maps of side x side, or rows of side * side pixels if kernel_height is 1.
void DepthwiseOfShape(benchmark::State& state) {
  if (!Choose(state, state.range(4))) return;
  const uint32_t channels = static_cast<uint32_t>(state.range(0));
  const uint32_t height = static_cast<uint32_t>(state.range(1)),
                 width = static_cast<uint32_t>(state.range(2));
  const uint32_t kernel = static_cast<uint32_t>(state.range(3));
  const uint32_t row = width * channels, kernel_height = height == 1 ? 1 : kernel;
  DepthwiseShape shape = {1,     channels,          1,          height, width, height,
                          width, kernel_height,     kernel,     1,      1,     1,
                          1,     kernel_height / 2, kernel / 2, {},     {},    {}};
  shape.x = {height * row, width, 1, height * width};
  if (state.range(5) != 0) shape.x = {height * row, row, channels, 1};
  shape.y = shape.x;
  shape.activation.op = UnaryOp::kRelu;
  const std::vector<float> x = Values(size_t{height} * row);
  const std::vector<float> weights = Values(PackedDepthwiseFloats(channels, kernel_height, kernel));
  const std::vector<float> y = Values(size_t{height} * row);
  for (auto _ : state) {
    Depthwise(shape, Align(x), Align(weights), nullptr, const_cast<float*>(Align(y)));
    benchmark::ClobberMemory();
  }
  const double flops = 2.0 * height * row * kernel_height * kernel;
  state.counters["flops"] =
      benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(DepthwiseOfShape)
    ->ArgNames({"channels", "height", "width", "kernel", "target", "last"})
    ->ArgsProduct({{4, 16, 64, 100}, {32}, {32}, {3}, {0, 1}, {0, 1}})
    ->ArgsProduct({{64}, {25}, {5}, {3}, {0, 1}, {0, 1}})
    ->ArgsProduct({{1, 4, 16, 64, 100}, {1}, {200}, {3, 9, 33}, {0, 1}, {0, 1}});

// 64 channels of 32 x 32, non-overlapping adjacent windows of kernel x kernel.
void PoolOfShape(benchmark::State& state) {
  if (!Choose(state, 0)) return;
  const uint32_t kernel = static_cast<uint32_t>(state.range(1)), out = 32 / kernel;
  PoolShape shape = {1, 64, 32, 32, out, out, kernel, kernel, kernel, kernel,
                     1, 1,  0,  0,  0,   0,   {},     {},     {}};
  shape.op = static_cast<PoolOp>(state.range(0));
  const bool last = state.range(2) != 0;
  shape.x = last ? MapStrides{65536, 2048, 64, 1} : MapStrides{65536, 32, 1, 1024};
  shape.y = last ? MapStrides{64 * out * out, 64 * out, 64, 1}
                 : MapStrides{64 * out * out, out, 1, out * out};
  const std::vector<float> x = Values(65536);
  std::vector<float> y(size_t{64} * out * out);
  for (auto _ : state) {
    Pool(shape, Align(x), y.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(PoolOfShape)->ArgNames({"op", "kernel", "last"})->ArgsProduct({{0, 1}, {2, 32}, {0, 1}});

// [64, 64] x [64, 64], b row-major or transposed
void MatmulOfSide64(benchmark::State& state) {
  if (!Choose(state, 0)) return;
  const std::vector<float> a = Values(4096);
  const std::vector<float> b = Values(4096);
  std::vector<float> y(4096);
  MatmulShape shape = {};
  shape.rows = shape.columns = shape.inner = 64;
  shape.a_row_stride = 64;
  shape.a_inner_stride = 1;
  shape.b_inner_stride = state.range(0) != 0 ? 1 : 64;
  shape.b_column_stride = state.range(0) != 0 ? 64 : 1;
  for (auto _ : state) {
    Matmul(shape, a.data(), b.data(), y.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(MatmulOfSide64)->ArgName("transposed")->Arg(0)->Arg(1);

// A query of 64 times a ring of keys (along columns), or attention weights times a ring of values,
// and one new time step.
void RingMatmulOfHead64(benchmark::State& state) {
  if (!Choose(state, 0)) return;
  constexpr uint32_t kSize = 64;
  const auto held = static_cast<uint32_t>(state.range(0));
  RingMatmulShape shape;
  shape.is_along_columns = state.range(1) != 0;
  shape.rows = shape.positions = 1;
  shape.columns = shape.is_along_columns ? held + 1 : kSize;
  shape.inner = shape.is_along_columns ? kSize : held + 1;
  shape.a_inner_stride = 1;
  shape.past_inner_stride = shape.is_along_columns ? held : kSize;
  shape.past_column_stride = 1;
  shape.x_inner_stride = 1;
  shape.x_column_stride = 1;
  const std::vector<float> a = Values(shape.inner), past = Values(held * kSize), x = Values(kSize);
  std::vector<float> y(shape.columns);
  int32_t start = 0;
  for (auto _ : state) {
    RingMatmul(shape, a.data(), past.data(), x.data(), &start, y.data());
    start = (start + 1) % static_cast<int32_t>(held);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(RingMatmulOfHead64)
    ->ArgNames({"held", "columns"})
    ->ArgsProduct({{63, 255, 1023}, {0, 1}});

void ReduceRowsOf1024(benchmark::State& state) {
  if (!Choose(state, 0)) return;
  const std::vector<float> x = Values(16 * 1024);
  std::vector<float> y(16);
  const ReduceShape shape = {1, 1, {16, 1024}, {1024, 1}, ReduceOp::kSum, Element::kF32};
  for (auto _ : state) {
    Reduce(shape, x.data(), y.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(ReduceRowsOf1024);

void SoftmaxOf1024(benchmark::State& state) {
  if (!Choose(state, 0)) return;
  const std::vector<float> x = Values(1024);
  std::vector<float> y(1024);
  for (auto _ : state) {
    Softmax({1, 1024, 1, 0}, x.data(), y.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(SoftmaxOf1024);

// 1024 floats: elements of each channel, target
void SnakeOfChannels(benchmark::State& state) {
  if (!Choose(state, state.range(1))) return;
  const uint32_t inner = static_cast<uint32_t>(state.range(0));
  const std::vector<float> x = Values(1024), slopes = Values(1024), heights = Values(1024);
  std::vector<float> y(1024);
  for (auto _ : state) {
    Snake({1, 1024 / inner, inner}, x.data(), slopes.data(), heights.data(), y.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(SnakeOfChannels)->ArgNames({"inner", "target"})->ArgsProduct({{1, 8, 64, 1024}, {0, 1}});

// 4096 floats in lines of `axis`, strided by `inner` or contiguous: axis, inner, op, target
void NormalizeOfLines(benchmark::State& state) {
  if (!Choose(state, state.range(3))) return;
  NormalizeShape shape;
  shape.axis = static_cast<uint32_t>(state.range(0));
  shape.inner = static_cast<uint32_t>(state.range(1));
  shape.outer = 4096 / (shape.axis * shape.inner);
  shape.epsilon = 1e-5f;
  shape.op = static_cast<NormalizeOp>(state.range(2));
  const std::vector<float> x = Values(4096);
  std::vector<float> y(4096);
  for (auto _ : state) {
    Normalize(shape, x.data(), y.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(NormalizeOfLines)
    ->ArgNames({"axis", "inner", "op", "target"})
    ->ArgsProduct({{8, 16, 40, 64, 256, 1024, 4096},
                   {1},
                   {static_cast<int>(NormalizeOp::kStandardInside),
                    static_cast<int>(NormalizeOp::kRootMeanSquare)},
                   {0, 1, 2}})
    ->ArgsProduct({{64}, {4, 16, 64}, {static_cast<int>(NormalizeOp::kStandardInside)}, {0, 1, 2}});

// 65536 elements: from, to (both as values of Element; i4 and u4 are sources only), target
void ConvertOfTypes(benchmark::State& state) {
  if (!Choose(state, state.range(2))) return;
  const ConvertShape shape = {65536, static_cast<Element>(state.range(0)),
                              static_cast<Element>(state.range(1))};
  if (!ConvertKnows(shape.from, shape.to)) return state.SkipWithError("no such pair");
  std::vector<double> x(shape.count), y(shape.count);
  for (auto _ : state) {
    Convert(shape, x.data(), y.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * shape.count);
}
BENCHMARK(ConvertOfTypes)
    ->ArgNames({"from", "to", "target"})
    ->ArgsProduct({benchmark::CreateDenseRange(0, static_cast<int>(Element::kBoolean), 1),
                   benchmark::CreateDenseRange(0, static_cast<int>(Element::kBoolean), 1),
                   {0, 1}});

// 256 x 256 floats: copied, then transposed
void CopyOfSide256(benchmark::State& state) {
  const std::vector<float> x = Values(65536);
  std::vector<float> y(65536);
  CopyShape shape = {2, {256, 256}, {256, 1}, {256, 1}, 0, 0, 4};
  if (state.range(0) != 0) {
    shape.src_strides[0] = 1;
    shape.src_strides[1] = 256;
  }
  for (auto _ : state) {
    Copy(shape, x.data(), y.data());
    benchmark::ClobberMemory();
  }
}
BENCHMARK(CopyOfSide256)->ArgName("transposed")->Arg(0)->Arg(1);

}  // namespace
}  // namespace weft::kernels
