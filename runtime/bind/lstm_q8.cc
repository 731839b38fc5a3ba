// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent/lstm_q8.h"

#include "kernels/matrix/dense.h"
#include "runtime/bind/multiplier.h"
#include "runtime/bind/variants.h"

namespace weft::kernels {
__attribute__((weak)) void LstmQ8LiteRt(const LstmQ8Shape& shape, const int8_t* x,
                                        const int8_t* weights, const int32_t* numbers,
                                        const int8_t* h, const int16_t* c, int8_t* h_next,
                                        int16_t* c_next, int16_t* scratch);
__attribute__((weak)) void LstmQ8Shorts(const LstmQ8Shape& shape, const int16_t* x,
                                        const int8_t* weights, const int32_t* numbers,
                                        const int16_t* h, const int16_t* c, int16_t* h_next,
                                        int16_t* c_next, int16_t* scratch);
}  // namespace weft::kernels

namespace weft::bind::lstm_q8 {
namespace {

// Shift of the normalisation's last factor; limits of the cell's scale.
constexpr int32_t kNormExponents = 12, kMinPower = -15, kMaxLiteRtPower = -9;

}  // namespace

static void Rules(const format::LstmQ8Params& params, ParamChecker& check) {
  const bool has_shorts = params.type() == footprint::kI16;
  const bool is_litert = params.rounding() == format::Rounding::litert;
  check.Require(has_shorts || params.type() == footprint::kI8, FaultCode::kParamType,
                params.type());
  check.RequireBelow(FaultCode::kParamOp, params.rounding(), kernels::kRoundingCount);
  check.Require(!has_shorts || !is_litert, FaultCode::kParamOpType, params.rounding(),
                params.type());
  if (!check.ok()) return;
  check.Require(AreVariantsLinked(params), FaultCode::kTypeAbsent, params.type());
  const int32_t max = has_shorts ? kernels::kMaxShortExponent : kMaxExponent;
  for (uint32_t gate = 0; gate < kernels::kLstmQ8Gates; ++gate) {
    RequireMultiplier(check, *params.of_x()->Get(gate), max);
    RequireMultiplier(check, *params.of_h()->Get(gate), max);
    RequireMultiplier(check, *params.of_c()->Get(gate));
    RequireMultiplier(check, *params.of_norm()->Get(gate), kMaxExponent - kNormExponents);
  }
  RequireMultiplier(check, params.result());
  for (const uint8_t flag : {params.coupled(), params.peepholes(), params.norm()}) {
    check.RequireAtMost(FaultCode::kParamFlag, flag, 1);
  }
  RequireFactor(check, params.cell_power(), kMinPower, is_litert ? kMaxLiteRtPower : 0);
  check.RequireAtMost(FaultCode::kParamTerms, params.inputs(), kernels::kMaxProducts);
  check.RequireAtMost(FaultCode::kParamTerms, params.outputs(), kernels::kMaxProducts);
}

void Run(const format::LstmQ8Params& params, std::byte* const* operands) {
  kernels::LstmQ8Shape shape;
  WEFT_FIELDS((rows)(inputs)(cells)(outputs)(x_row_stride)(zero)(cell_clip)(cell_power))
  for (uint32_t gate = 0; gate < kernels::kLstmQ8Gates; ++gate) {
    shape.of_x[gate] = MultiplierOf(*params.of_x()->Get(gate));
    shape.of_h[gate] = MultiplierOf(*params.of_h()->Get(gate));
    shape.of_c[gate] = MultiplierOf(*params.of_c()->Get(gate));
    shape.of_norm[gate] = MultiplierOf(*params.of_norm()->Get(gate));
    shape.min_variance[gate] = params.min_variance()->Get(gate);
  }
  shape.result = MultiplierOf(params.result());
  shape.is_coupled = params.coupled() != 0;
  shape.has_peepholes = params.peepholes() != 0;
  shape.has_norm = params.norm() != 0;
  if (params.type() == footprint::kI16) return Call(kernels::LstmQ8Shorts, shape, operands);
  if (params.rounding() == format::Rounding::litert) {
    return Call(kernels::LstmQ8LiteRt, shape, operands);
  }
  Call(kernels::LstmQ8, shape, operands);
}

}  // namespace weft::bind::lstm_q8

WEFT_BIND_STEP(lstm_q8, LstmQ8)
