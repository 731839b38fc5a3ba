// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/work.h"

#include <algorithm>

#include "converter/inspect/sections.h"

namespace weft::inspect {
namespace {

// Products of a window along one axis: pairs of a position and a tap that lies inside the input.
double TapsInside(int64_t in, int64_t out, int64_t taps, int64_t stride, int64_t dilation,
                  int64_t pad) {
  double pairs = 0;
  for (int64_t tap = 0; tap < taps; ++tap) {
    // Positions p with 0 <= p * stride + tap * dilation - pad < in.
    const int64_t shift = tap * dilation - pad;
    const int64_t first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    const int64_t end = in > shift ? (in - shift + stride - 1) / stride : 0;
    pairs += static_cast<double>(std::max<int64_t>(0, std::min(end, out) - first));
  }
  return pairs;
}

// Of conv and depthwise.
template <typename Params>
double PlanePairs(const Params& p) {
  return TapsInside(p.in_height(), p.out_height(), p.kernel_height(), p.stride_y(), p.dilation_y(),
                    p.pad_top()) *
         TapsInside(p.in_width(), p.out_width(), p.kernel_width(), p.stride_x(), p.dilation_x(),
                    p.pad_left());
}

double Product(const flatbuffers::Array<uint32_t, 8>& dims, uint32_t rank) {
  double product = 1;
  for (uint32_t i = 0; i < rank; ++i) product *= dims.Get(i);
  return product;
}

double MultiplyAddsOf(const format::DenseParams& p) {
  return 1.0 * p.rows() * p.inputs() * p.outputs();
}
double MultiplyAddsOf(const format::MatmulParams& p) {
  double batch = 1;
  for (uint32_t i = 0; i < p.batch_rank(); ++i) batch *= p.batch_dims()->Get(i);
  return batch * p.rows() * p.columns() * p.inner();
}
double MultiplyAddsOf(const format::ConvParams& p) {
  return 1.0 * p.batch() * p.groups() * p.out_channels() * p.in_channels() * PlanePairs(p);
}
double MultiplyAddsOf(const format::DepthwiseParams& p) {
  return 1.0 * p.batch() * p.channels() * PlanePairs(p);
}
double MultiplyAddsOf(const format::ReduceParams& p) {
  return p.op() == format::ReduceOp::l2 ? Product(*p.dims(), p.kept_rank() + p.reduced_rank()) : 0;
}
template <typename Params>
double MultiplyAddsOf(const Params&) {
  return 0;
}

class Tally {
 public:
  explicit Tally(const format::Model& model) : model_(model) {
    const uint32_t section_count = format::RowsOf(model.sections()).count;
    work.calls.assign(format::RowsOf(model.steps()).count, 0);
    work.iterations.resize(section_count);
    work.entries.resize(section_count);
    work.run = Run(AllOf(model), 1);
  }

  ModelWork work;

 private:
  static void Add(Work& sum, const Work& more, double times) {
    sum.steps += more.steps * times;
    sum.multiply_adds += more.multiply_adds * times;
  }

  // One pass through a run of steps, which the model makes `times` times in one run of it.
  Work Run(StepRun run, double times) {
    const auto steps = format::RowsOf(model_.steps());
    Work sum;
    for (const uint32_t i : DirectSteps(model_, run)) {
      work.calls[i] += times;
      if (steps[i].kind() == 0) {
        Add(sum, Entry(steps[i].param(), times), 1);
      } else {
        Add(sum, {1, MultiplyAdds(model_, steps[i])}, 1);
      }
    }
    return sum;
  }

  Work Entry(uint32_t section, double times) {
    const uint32_t unroll = SectionAt(model_, section).unroll();
    const Trips trips = TripsOf(model_, section);
    work.exact = work.exact && trips.exact;
    Work sum, settle;
    for (uint32_t copy = 0; copy < unroll; ++copy) {
      const double runs = trips.count > copy ? (trips.count - copy - 1) / unroll + 1 : 0;
      const Work once = Run(CopyOf(model_, section, copy), times * runs);
      Add(work.iterations[section], once, 1.0 / unroll);
      Add(sum, once, runs);
    }
    // Of an open count the dearest settle run is taken: no run makes two.
    for (uint32_t run = 1; run < unroll; ++run) {
      const bool executed = !trips.exact || trips.count % unroll == run;
      const Work once = Run(SettleOf(model_, section, run), executed ? times : 0);
      if (executed && once.steps >= settle.steps) settle = once;
    }
    Add(sum, settle, 1);
    work.entries[section] = sum;
    return sum;
  }

  const format::Model& model_;
};

}  // namespace

double MultiplyAdds(const format::Model& model, const format::Step& step) {
  switch (static_cast<format::Kind>(step.kind())) {
#define WEFT_STEP(name, ...) \
  case format::Kind::name:                              \
    return MultiplyAddsOf(*model.name()->Get(step.param()));
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case format::Kind::section:
      break;
  }
  return 0;
}

ModelWork WorkOf(const format::Model& model) { return Tally(model).work; }

}  // namespace weft::inspect
