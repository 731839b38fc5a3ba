// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/self_test.h"

#include <fmt/format.h>

#include <cstring>

#include "converter/base/element_type.h"
#include "converter/emit/file_engine.h"
#include "kernels/elementwise/chain.h"
#include "runtime/self_test.h"
#include "runtime/weft.h"

namespace weft::emit {
namespace {

using format::RowsOf;

void Append(const void* from, size_t bytes, std::vector<std::byte>& to) {
  const auto* first = static_cast<const std::byte*>(from);
  to.insert(to.end(), first, first + bytes);
}

uint64_t QuietNan(Type type) {
  switch (type) {
    case Type::kF32:
      return 0x7FC00000u;
    case Type::kF16:
      return 0x7E00u;
    case Type::kBF16:
      return 0x7FC0u;
    default:
      return uint64_t{0x7FF8} << 48;
  }
}

// Replaces all NaNs by one NaN, because machines produce different ones.
void AppendOutput(const Tensor& tensor, const format::Port& port, std::vector<std::byte>& to) {
  if (port.length_slot() != format::kNoSlot) {
    Append(&tensor.dims[port.length_axis()], sizeof(uint32_t), to);
  }
  const size_t start = to.size();
  Append(tensor.data, tensor.bytes, to);
  if (!IsFloat(static_cast<format::ElementType>(tensor.type))) return;
  const size_t element_bytes = BitsOf(tensor.type) / 8;
  for (size_t at = start; at < to.size(); at += element_bytes) {
    uint64_t bits = 0;
    std::memcpy(&bits, &to[at], element_bytes);
    const uint64_t nan = QuietNan(tensor.type);
    if (IsNan(tensor.type, bits)) std::memcpy(&to[at], &nan, element_bytes);
  }
}

// Names used by the column `fuses` of ops.inc and functions.inc, which is true if the step uses
// fused multiply-adds. Targets without them round once more.
constexpr format::ElementType kF32 = format::ElementType::f32;
constexpr format::ReduceOp kL2 = format::ReduceOp::l2;
constexpr format::NormalizeOp kCentre = format::NormalizeOp::centre;

bool Fuses(format::UnaryOp op) {
  switch (op) {
#define WEFT_FUNCTION(name, Name, Group, operation, fuses, ...) \
  case format::UnaryOp::name:                                   \
    return fuses;
#include "kernels/elementwise/functions.inc"
#undef WEFT_FUNCTION
  }
  return true;
}

bool Fuses(format::BinaryOp op) {
  return op == format::BinaryOp::power || op == format::BinaryOp::mod ||
         op == format::BinaryOp::floor_mod;
}

bool Fuses(const format::ChainParams& chain) {
  for (uint32_t i = 0; i < chain.instructions(); ++i) {
    const uint8_t op = chain.code()->Get(4 * i);
    const bool fuses = op < kernels::kChainBinary
                           ? Fuses(static_cast<format::UnaryOp>(op))
                           : Fuses(static_cast<format::BinaryOp>(op - kernels::kChainBinary));
    if (fuses) return true;
  }
  return false;
}

bool Fuses(const format::Model& model, const format::Step& step) {
  switch (static_cast<format::Kind>(step.kind())) {
#define WEFT_STEP(name, Name, operands, multiply_adds, moved_bytes, tail, fuses, meaning) \
  case format::Kind::name: {                                                              \
    [[maybe_unused]] const format::Name##Params& p = *model.name()->Get(step.param());    \
    return fuses;                                                                         \
  }
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case format::Kind::section:
      break;
  }
  return false;
}

}  // namespace

void RepeatSelfTest(std::span<const std::byte> file, Faults& faults) {
  FileEngine bench(file);
  if (!bench.Open(faults)) return;
  Mismatch first;
  if (const Fault fault = bench.engine.SelfTest(&first); !fault.ok()) AddBrokenRule(fault, faults);
}

format::ToleranceClass ToleranceOf(const format::Model& model) {
  for (const format::Step& step : RowsOf(model.steps())) {
    if (Fuses(model, step)) return format::ToleranceClass::rounded;
  }
  return format::ToleranceClass::exact;
}

std::vector<std::byte> RecordSelfTest(std::span<const std::byte> file, uint32_t run_count,
                                      Faults& faults) {
  constexpr size_t kMaxBytes = size_t{1} << 30;  // a file is smaller than 2 GiB
  FileEngine bench(file);
  if (!bench.Open(faults)) return {};
  Engine& engine = bench.engine;
  const format::SelfTest head(run_count, ToleranceOf(bench.model()), 0, 0);
  std::vector<std::byte> recorded;
  Append(&head, sizeof(head), recorded);
  MadeNumbers random;
  for (uint32_t run = 0; run < run_count; ++run) {
    for (uint32_t i = 0; i < engine.input_count(); ++i) {
      const Tensor port = engine.input(i);
      Fill(port, random);
      Append(port.data, port.bytes, recorded);
    }
    if (const Fault fault = engine.Run(); !fault.ok()) {
      faults.Warn(fmt::format("--self-test: run {}: {}", run, Words(fault)));
    }
    for (uint32_t i = 0; i < engine.output_count(); ++i) {
      AppendOutput(engine.output(i), RowsOf(bench.model().outputs())[i], recorded);
    }
    if (recorded.size() > kMaxBytes) {
      faults.Add(fmt::format("--self-test: {} runs have {} bytes; must have at most {}", run + 1,
                             recorded.size(), kMaxBytes));
      return {};
    }
  }
  return recorded;
}

}  // namespace weft::emit
