// SPDX-License-Identifier: Apache-2.0
// The sums of a fused cell. CellSums holds the sums of all gates of one or more blocks of 16 units
// in registers, while the weights are read in one stream per block. If vectors have one lane, the
// registers hold one gate of one block (AddCellRow), and cells compute one gate after the other to
// save stack.

#if defined(WEFT_KERNELS_RECURRENT_CELL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef WEFT_KERNELS_RECURRENT_CELL_INL_H_
#undef WEFT_KERNELS_RECURRENT_CELL_INL_H_
#else
#define WEFT_KERNELS_RECURRENT_CELL_INL_H_
#endif

#include <type_traits>

#include "kernels/matrix/panel-inl.h"
#include "kernels/recurrent/cell.h"

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {
static_assert(kCellUnits == kPanel, "a gate of a block is a panel");
}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// A Cortex-M has a dedicated loop, selected by the features of its FPU.
#if HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#include "kernels/recurrent/cell_helium-inl.h"
#elif HWY_TARGET == HWY_SCALAR && defined(__ARM_FEATURE_FMA) && defined(__ARM_ARCH_PROFILE) && \
    __ARM_ARCH_PROFILE == 'M'
#include "kernels/recurrent/cell_cortex_m-inl.h"
#elif HWY_TARGET == HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

// to[n] = fma(x[k], weights[k * panels * 16 + n], from[n]) for n < 16 and k = 0 .. count - 1; to
// may be from.
template <class Weights>
HWY_NOINLINE void AddPanelRow(const float* from, float* to, const float* x, Weights weights,
                              size_t panels, size_t count) {
  FloatVec sums[kPanel];
  HWY_UNROLL(16)
  for (size_t n = 0; n < kPanel; ++n) sums[n] = Load(from + n);
  for (size_t k = 0; k < count; ++k, weights += panels * kPanel) {
    const FloatVec factor = Set(x[k]);
    HWY_UNROLL(16)
    for (size_t n = 0; n < kPanel; ++n) {
      sums[n] = Fma(factor, LoadWeights(weights, n, n), sums[n]);
    }
  }
  HWY_UNROLL(16)
  for (size_t n = 0; n < kPanel; ++n) Store(sums[n], to + n);
}

// The same for a gate of full blocks.
template <size_t kGates, class Weights>
HWY_INLINE void AddCellRow(const float* from, float* to, const float* x, Weights weights,
                           size_t count) {
  AddPanelRow(from, to, x, weights, kGates, count);
}

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

HWY_BEFORE_NAMESPACE();
namespace weft::kernels::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// Value of kRest for units that fit in half a vector: their loads cross fewer cache lines.
inline constexpr size_t kHalfRest = 8;
constexpr size_t RestVectors(size_t rest) { return rest == kHalfRest ? 1 : rest; }

// kRest: number of vectors per gate for the remaining units, which do not fill a block; their gates
// are `units` floats apart. Lanes after the last unit hold the floats that follow in memory, and
// are not used.
template <size_t kGates, size_t kBlocks, size_t kRest>
struct CellSums {
  static constexpr size_t kVectors = kGates * kPanelVectors;  // of a block
  static constexpr size_t kRestVectors = RestVectors(kRest);
  static constexpr bool kIsHalf = kRest == kHalfRest;
  using RestTag = std::conditional_t<kIsHalf, hn::Half<FloatTag>, FloatTag>;

  FloatVec sums[kBlocks + 1][kVectors];
  hn::Vec<RestTag> rest[kRestVectors + 1][kGates];
  size_t units;

  // `start` is that of the first unit, `rest_start` that of the first remaining unit; gates are
  // `hidden` floats apart.
  HWY_INLINE void Start(const float* start, const float* rest_start, size_t hidden) {
    HWY_UNROLL(16)
    for (size_t b = 0; b < kBlocks; ++b) {
      HWY_UNROLL(16)
      for (size_t v = 0; v < kVectors; ++v) {
        const size_t gate = v / kPanelVectors, lanes = v % kPanelVectors * kLanes;
        sums[b][v] = Load(start + gate * hidden + b * kPanel + lanes);
      }
    }
    HWY_UNROLL(16)
    for (size_t v = 0; v < kRestVectors; ++v) {
      HWY_UNROLL(16)
      for (size_t gate = 0; gate < kGates; ++gate) {
        const float* const from = rest_start + gate * hidden + v * kLanes;
        if constexpr (kIsHalf) {
          rest[v][gate] = hn::LoadN(RestTag(), from, units);
        } else {
          rest[v][gate] = LoadFirst(from, RestLanes(v));
        }
      }
    }
  }

  // Returns a vector of sums of a gate of the remaining units.
  HWY_INLINE FloatVec Rest(size_t gate, size_t v) const {
    if constexpr (kIsHalf) {
      return hn::ZeroExtendVector(FloatTag(), rest[v][gate]);
    } else {
      return rest[v][gate];
    }
  }

  // Number of lanes used in vector v of the remaining units.
  HWY_INLINE size_t RestLanes(size_t v) const {
    const size_t left = units - v * kLanes;
    return left < kLanes ? left : kLanes;
  }

  // If a vector is a panel and weights have half the size of a float, the weights of two gates are
  // one load: its 32-bit lanes hold even units in their lower half and odd units in their upper
  // half. While such weights are added, the sums of two gates are in the same order: even units of
  // both gates, then odd units of both.
  template <class Weights>
  static constexpr size_t kPaired =
      kPanelVectors == 1 && std::is_same<Weights, const BF16*>::value ? kGates / 2 * 2 : 0;

  // Loads a gate that has no second gate to be paired with; another gate is stored before it.
  template <class Weights>
  static HWY_INLINE FloatVec LoadGate(Weights weights, size_t count, size_t output) {
#if HWY_TARGET <= HWY_AVX3
    if constexpr (kPaired<Weights> != 0) return LoadUpperOfTwo(weights + count - kPanel);
#endif
    return LoadWeights(weights, count, output);
  }

  template <class Weights, class Function>
  HWY_INLINE void ForPairs(const Function& function) {
    if constexpr (kPaired<Weights> != 0) {
      HWY_UNROLL(16)
      for (size_t b = 0; b < kBlocks; ++b) {
        HWY_UNROLL(16)
        for (size_t v = 0; v < kPaired<Weights>; v += 2) function(sums[b][v], sums[b][v + 1]);
      }
    }
  }
  template <class Weights>
  HWY_INLINE void PairGates() {
    ForPairs<Weights>([](FloatVec& a, FloatVec& b) HWY_ATTR {
      const FloatVec even = hn::ConcatEven(FloatTag(), b, a);
      b = hn::ConcatOdd(FloatTag(), b, a);
      a = even;
    });
  }
  template <class Weights>
  HWY_INLINE void PartGates() {
    ForPairs<Weights>([](FloatVec& even, FloatVec& odd) HWY_ATTR {
      const FloatVec first = hn::InterleaveWholeLower(FloatTag(), even, odd);
      odd = hn::InterleaveWholeUpper(FloatTag(), even, odd);
      even = first;
    });
  }

  // Weights of the next block are `block_stride` further on, those of the next input of the
  // remaining units `rest_row` further on. kIsLast: nothing may be read after the last weight of
  // the remaining units.
  template <bool kIsLast, class Weights>
  HWY_INLINE void AddColumn(FloatVec factor, Weights weights, size_t block_stride,
                            Weights rest_weights) {
    HWY_UNROLL(16)
    for (size_t b = 0; b < kBlocks; ++b) {
      if constexpr (kPaired<Weights> != 0) {
        HWY_UNROLL(16)
        for (size_t v = 0; v < kPaired<Weights>; v += 2) {
          const IntVec pairs = LoadPairs(weights + b * block_stride + v * kLanes);
          sums[b][v] = Fma(factor, LowerHalves(pairs), sums[b][v]);
          sums[b][v + 1] = Fma(factor, UpperHalves(pairs), sums[b][v + 1]);
        }
      }
      HWY_UNROLL(16)
      for (size_t v = kPaired<Weights>; v < kVectors; ++v) {
        const size_t lane = v * kLanes;
        const FloatVec w = LoadGate(weights, b * block_stride + lane, b * kGates * kPanel + lane);
        sums[b][v] = Fma(factor, w, sums[b][v]);
      }
    }
    HWY_UNROLL(16)
    for (size_t v = 0; v < kRestVectors; ++v) {
      HWY_UNROLL(16)
      for (size_t gate = 0; gate < kGates; ++gate) {
        const size_t at = gate * units + v * kLanes;
        if constexpr (kIsHalf) {
          const RestTag half;
          const auto w = kIsLast ? hn::LoadN(half, rest_weights + at, units)
                                 : hn::LoadU(half, rest_weights + at);
          rest[v][gate] = hn::MulAdd(hn::LowerHalf(half, factor), w, rest[v][gate]);
        } else {
          const FloatVec w = kIsLast ? LoadFirstWeights(rest_weights, at, at, RestLanes(v))
                                     : LoadWeights(rest_weights, at, at);
          rest[v][gate] = Fma(factor, w, rest[v][gate]);
        }
      }
    }
  }
  template <class Weights>
  HWY_INLINE void Add(const float* x, Weights weights, size_t block_stride, Weights rest_weights,
                      size_t rest_row, size_t count) {
    if (count == 0) return;
    PairGates<Weights>();
    const size_t last = count - (kRest == 0 ? 0 : 1);
    HWY_UNROLL(4)
    for (size_t k = 0; k < last; ++k) {
      AddColumn<false>(Set(x[k]), weights, block_stride, rest_weights);
      weights += kGates * kPanel;
      if (kRest != 0) rest_weights += rest_row;
    }
    if (kRest != 0) AddColumn<true>(Set(x[last]), weights, block_stride, rest_weights);
    PartGates<Weights>();
  }

  // Returns a vector of sums of a gate; `v` counts over all blocks.
  HWY_INLINE FloatVec Of(size_t gate, size_t v) const {
    return sums[v / kPanelVectors][gate * kPanelVectors + v % kPanelVectors];
  }
};

// Number of blocks at once. Their sums fit in the registers, and their accumulators hide the
// latency of a multiply-add: 8 or 6 on AVX-512, 8 or 12 on AVX2, 16 or 12 on NEON. Floats come from
// the L2 cache at one vector per cycle. bfloats take half a cycle per vector, so AVX-512 needs more
// accumulators for them: 16 or 12. With one or two gates the number of blocks is larger
// accordingly.
template <size_t kGates, class Weight>
constexpr size_t BlocksAtOnce() {
  if (kGates <= 2) return (kPanelVectors == 1 ? 8 : 4) / kGates;
  if (kPanelVectors == 1) return std::is_same<Weight, BF16>::value ? 4 : 2;
  return kPanelVectors == 2 && kGates == 3 ? 2 : 1;
}
// Number of sums that fit in the registers in addition to the operands: of 32 registers on AVX-512,
// 16 on AVX2 and 32 on NEON.
inline constexpr size_t kMaxSums = kPanelVectors == 2 ? 12 : 20;

// Runs blocks [block, blocks), at most kAtOnce, with the remaining units.
template <size_t kAtOnce, size_t kRest, class Cell>
HWY_INLINE void RunLastBlocks(const Cell& cell, size_t block, size_t blocks) {
  if (block + kAtOnce == blocks) return cell.template Run<kAtOnce, kRest>(block * kCellUnits);
  if constexpr (kAtOnce > 1) {
    constexpr size_t kHalf = kAtOnce / 2;
    if (block + kHalf < blocks) {
      cell.template Run<kHalf, 0>(block * kCellUnits);
      block += kHalf;
    }
    RunLastBlocks<kHalf, kRest>(cell, block, blocks);
  }
}

// On 32-bit ARM a function for each number of remaining vectors: in one function, a conditional
// branch of Thumb would not reach its end (1 MB).
#if HWY_ARCH_ARM_V7
#define WEFT_RUN_BLOCKS HWY_NOINLINE
#else
#define WEFT_RUN_BLOCKS HWY_INLINE
#endif

// Calls cell.Run<blocks, rest>(unit) for all units, with the first unit of each group of blocks.
// The remaining units, in `rest` vectors, are computed together with the last blocks if the
// registers hold both.
template <size_t kGates, size_t kAtOnce, size_t kRest, class Cell>
WEFT_RUN_BLOCKS void RunBlocks(const Cell& cell, const CellShape& shape) {
  static_assert((kAtOnce & (kAtOnce - 1)) == 0, "the remaining blocks are run in halves");
  constexpr bool kMayJoin = (kAtOnce * kPanelVectors + RestVectors(kRest)) * kGates <= kMaxSums;
  constexpr size_t kJoined = kMayJoin ? kRest : 0;
  const size_t blocks = shape.hidden / kCellUnits;
  const size_t iterations = (blocks + kAtOnce - 1) / kAtOnce;
  const bool is_alone = kRest != kJoined || (kRest != 0 && blocks == 0);
  if (is_alone && shape.backward) cell.template Run<0, kRest>(blocks * kCellUnits);
  for (size_t iteration = 0; iteration < iterations; ++iteration) {
    size_t at = shape.backward ? iterations - 1 - iteration : iteration;
    // The next step of a loop begins with the first units, so they are not computed last in either
    // direction.
    if (at < 2 && iterations > 2) at = 1 - at;
    const size_t block = at * kAtOnce;
    if (block + kAtOnce < blocks) {
      cell.template Run<kAtOnce, 0>(block * kCellUnits);
    } else {
      RunLastBlocks<kAtOnce, kJoined>(cell, block, blocks);
    }
  }
  if (is_alone && !shape.backward) cell.template Run<0, kRest>(blocks * kCellUnits);
}

template <size_t kGates, class Weight, class Cell>
HWY_INLINE void RunCell(const Cell& cell, const CellShape& shape) {
  constexpr size_t kAtOnce = BlocksAtOnce<kGates, Weight>();
  const size_t rest = (shape.hidden % kCellUnits + kLanes - 1) / kLanes;
  constexpr size_t kTwo = kPanelVectors >= 2 ? 2 : 1, kFour = kPanelVectors == 4 ? 4 : 1;
  constexpr bool kHasHalf = kPanelVectors == 1 && std::is_same<Weight, float>::value;
  if (kHasHalf && rest == 1 && shape.hidden % kCellUnits <= kLanes / 2) {
    RunBlocks<kGates, kAtOnce, kHasHalf ? kHalfRest : 1>(cell, shape);
  } else if (rest == 1) {
    RunBlocks<kGates, kAtOnce, 1>(cell, shape);
  } else if (kTwo == 2 && rest == 2) {
    RunBlocks<kGates, kAtOnce, kTwo>(cell, shape);
  } else if (kFour == 4 && rest == 3) {
    RunBlocks<kGates, kAtOnce, kFour - kFour / 4>(cell, shape);
  } else if (kFour == 4 && rest == 4) {
    RunBlocks<kGates, kAtOnce, kFour>(cell, shape);
  } else {
    RunBlocks<kGates, kAtOnce, 0>(cell, shape);
  }
}

#else

// Calls cell.RunBlock(unit) for all full blocks, and cell.RunRest() for the remaining units.
template <size_t kGates, class Weight, class Cell>
HWY_INLINE void RunCell(const Cell& cell, const CellShape& shape) {
  const size_t blocks = shape.hidden / kCellUnits;
  for (size_t iteration = 0; iteration < blocks; ++iteration) {
    cell.RunBlock((shape.backward ? blocks - 1 - iteration : iteration) * kCellUnits);
  }
  if (shape.hidden % kCellUnits != 0) cell.RunRest();
}

// Optimised for size: firmware without remaining units links it as well.
#undef WEFT_SMALL
#ifdef __clang__
#define WEFT_SMALL HWY_NOINLINE __attribute__((minsize))
#else
#define WEFT_SMALL HWY_NOINLINE __attribute__((cold))
#endif

// sums[n] = fma(x[k], weights[k * panels * 16 + n], sums[n]) for n < panels * 16 and k = 0 .. count
// - 1.
template <class Weights>
WEFT_SMALL void AddRest(float* sums, const float* x, Weights weights, size_t panels, size_t count) {
  if (count == 0) return;
  for (size_t p = 0; p < panels; ++p) {
    AddPanelRow(sums + p * kPanel, sums + p * kPanel, x, MovedTo(weights, p * kPanel, p * kPanel),
                panels, count);
  }
}
#endif

template <class Weight>
HWY_INLINE WeightsOf<Weight> FirstCellWeight(const Weight* memory, uint32_t gates,
                                             const CellShape& shape) {
  return FirstWeight(memory, static_cast<size_t>(CellScales(gates, shape.hidden)));
}

// The operands of the sums, for the blocks that begin at `unit`.
template <size_t kGates, class Weight>
struct CellOperands {
  using Weights = WeightsOf<Weight>;

  const CellShape& shape;
  const float* x;
  Weights weights;
  const float* h;

  HWY_INLINE size_t BlockStride() const {
    return (size_t{shape.inputs} + shape.hidden) * kGates * kPanel;
  }
  HWY_INLINE size_t Inputs() const { return x == nullptr ? 0 : shape.inputs; }
  HWY_INLINE Weights OfInputs(size_t unit) const {
    const size_t block = unit / kPanel;
    return MovedTo(weights, block * BlockStride(), block * kGates * kPanel);
  }
  // The weights of the old units have separate scales.
  HWY_INLINE Weights AfterInputs(Weights of_inputs, size_t row) const {
    const size_t outputs = static_cast<size_t>(CellRow(kGates, shape.hidden));
    return MovedTo(of_inputs, shape.inputs * row, outputs);
  }
  HWY_INLINE Weights OfHidden(size_t unit) const {
    return AfterInputs(OfInputs(unit), kGates * kPanel);
  }

  // The units after the last full block: the first one, their number, and the weights of their
  // inputs and of their old units.
  HWY_INLINE size_t RestUnit() const { return shape.hidden - RestUnits(); }
  HWY_INLINE size_t RestUnits() const { return shape.hidden % kCellUnits; }
  HWY_INLINE size_t RestPanels() const { return CellRestPanels(kGates, shape.hidden); }
  HWY_INLINE Weights RestOfInputs() const { return OfInputs(RestUnit()); }
  HWY_INLINE Weights RestOfHidden() const {
    return AfterInputs(RestOfInputs(), RestPanels() * kPanel);
  }

#if HWY_TARGET == HWY_SCALAR
  // Sums of one gate of one block, whose weights begin at `gate`. AddInputs adds the inputs to
  // `from`, stores the sums in `to` and returns their address; without inputs it returns `from`.
  // AddHidden adds the old units and stores to `to`, which may be `from`.
  HWY_INLINE const float* AddInputs(Weights gate, const float* from, float* to) const {
    if (Inputs() == 0) return from;
    AddCellRow<kGates>(from, to, x, gate, Inputs());
    return to;
  }
  HWY_INLINE void AddHidden(Weights gate, const float* from, float* to) const {
    AddCellRow<kGates>(from, to, h, AfterInputs(gate, kGates * kPanel), shape.hidden);
  }
  static HWY_INLINE Weights Gate(Weights first, size_t gate) {
    return MovedTo(first, gate * kPanel, gate * kPanel);
  }
  // Sums of the remaining units, RestUnits() per gate; they start from `start`, which has all
  // gates.
  HWY_INLINE void StartRest(const float* start, float* sums) const {
    const size_t units = RestUnits(), whole = RestPanels() * kPanel;
    for (size_t n = kGates * units; n < whole; ++n) sums[n] = 0.0f;
    for (size_t gate = 0; gate < kGates; ++gate) {
      const float* from = start + gate * shape.hidden + RestUnit();
      for (size_t n = 0; n < units; ++n) sums[gate * units + n] = from[n];
    }
  }
  HWY_INLINE void AddRestInputs(float* sums) const {
    AddRest(sums, x, RestOfInputs(), RestPanels(), Inputs());
  }
  HWY_INLINE void AddRestHidden(float* sums) const {
    AddRest(sums, h, RestOfHidden(), RestPanels(), shape.hidden);
  }
#else
  // Starts the sums from `start`, which has all gates.
  template <size_t kBlocks, size_t kRest>
  HWY_INLINE void Start(const float* start, size_t unit,
                        CellSums<kGates, kBlocks, kRest>& sums) const {
    sums.units = RestUnits();
    sums.Start(start + unit, start + RestUnit(), shape.hidden);
  }
  template <size_t kBlocks, size_t kRest>
  HWY_INLINE void AddInputs(size_t unit, CellSums<kGates, kBlocks, kRest>& sums) const {
    sums.Add(x, OfInputs(unit), BlockStride(), RestOfInputs(), RestPanels() * kPanel, Inputs());
  }
  template <size_t kBlocks, size_t kRest>
  HWY_INLINE void AddHidden(size_t unit, CellSums<kGates, kBlocks, kRest>& sums) const {
    sums.Add(h, OfHidden(unit), BlockStride(), RestOfHidden(), RestPanels() * kPanel, shape.hidden);
  }
#endif
};

}  // namespace weft::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // WEFT_KERNELS_RECURRENT_CELL_INL_H_
