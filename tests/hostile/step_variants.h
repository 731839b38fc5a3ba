// SPDX-License-Identifier: Apache-2.0
// The sample of a step kind in its variants (each value of an enum or flag, each element type,
// without its optional operands), and the fields of its parameters by name, from the schema.
#ifndef WEFT_TESTS_HOSTILE_STEP_VARIANTS_H_
#define WEFT_TESTS_HOSTILE_STEP_VARIANTS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "runtime/steps.h"
#include "tests/runtime/listing_builder.h"
#include "tests/runtime/samples.h"

namespace weft::test {

// A number in the parameters of a step.
struct ParamField {
  std::string name;
  size_t offset, bytes;
  bool is_float = false;
  bool is_element = false;     // of an array
  bool is_activation = false;  // which affects no extent
  const flatbuffers::TypeTable* enumeration = nullptr;
};

inline size_t ScalarBytes(uint16_t type) {
  switch (type) {
    case flatbuffers::ET_USHORT:
      return 2;
    case flatbuffers::ET_INT:
    case flatbuffers::ET_UINT:
    case flatbuffers::ET_FLOAT:
      return 4;
    default:
      return 1;
  }
}

inline void AddFields(const flatbuffers::TypeTable& table, const std::string& prefix, size_t offset,
                      std::vector<ParamField>& fields) {
  size_t array = 0;
  for (size_t i = 0; i < table.num_elems; ++i) {
    const flatbuffers::TypeCode code = table.type_codes[i];
    const std::string name = prefix + table.names[i];
    const size_t at = offset + static_cast<size_t>(table.values[i]);
    const bool has_type = code.sequence_ref >= 0;
    if (code.base_type == flatbuffers::ET_SEQUENCE) {
      AddFields(*table.type_refs[code.sequence_ref](), name + ".", at, fields);
      continue;
    }
    const size_t count =
        code.is_repeating != 0 ? static_cast<size_t>(table.array_sizes[array++]) : 1;
    ParamField field = {name, at, ScalarBytes(code.base_type)};
    field.is_float = code.base_type == flatbuffers::ET_FLOAT;
    field.is_element = code.is_repeating != 0;
    field.enumeration = has_type ? table.type_refs[code.sequence_ref]() : nullptr;
    field.is_activation = &table == format::ActivationTypeTable();
    for (size_t k = 0; k < count; ++k) {
      if (field.is_element) field.name = name + "[" + std::to_string(k) + "]";
      field.offset = at + k * field.bytes;
      fields.push_back(field);
    }
  }
}

inline std::vector<ParamField> FieldsOf(format::Kind kind) {
  std::vector<ParamField> fields;
  switch (kind) {
#define WEFT_STEP(name, Name, ...)                                           \
  case format::Kind::name:                                                   \
    AddFields(*format::Name##Params::MiniReflectTypeTable(), "", 0, fields); \
    break;
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case format::Kind::section:
      break;
  }
  return fields;
}

// Returns the first row of parameters of a kind, in a builder or in a file.
template <typename Listing>
std::byte* ParamsOf(Listing& listing, format::Kind kind);

template <>
inline std::byte* ParamsOf(ListingBuilder& builder, format::Kind kind) {
  switch (kind) {
#define WEFT_STEP(name, ...) \
  case format::Kind::name:   \
    return reinterpret_cast<std::byte*>(builder.name##_rows.data());
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case format::Kind::section:
      break;
  }
  return nullptr;
}

template <>
inline std::byte* ParamsOf(format::Model& model, format::Kind kind) {
  switch (kind) {
#define WEFT_STEP(name, ...) \
  case format::Kind::name:   \
    return reinterpret_cast<std::byte*>(model.mutable_##name()->GetMutableObject(0));
#include "runtime/format/ops.inc"
#undef WEFT_STEP
    case format::Kind::section:
      break;
  }
  return nullptr;
}

struct StepVariant {
  std::string name;
  StepSample sample;
  bool overlaps = false;  // y overlaps x
  StepTable steps = AllSteps();
};

// The entries of f32 weights and without overlaps.
inline StepTable PlainSteps() {
  static constexpr StepEntry kEntries[] = {
#define WEFT_STEP(name, Name, ...) steps::k##Name,
#include "runtime/format/ops.inc"
#undef WEFT_STEP
  };
  return {kEntries, sizeof(kEntries) / sizeof(kEntries[0])};
}

// Collects the candidates that Open accepts.
class StepVariants {
 public:
  explicit StepVariants(const StepSample& sample) : plain_(sample) {
    plain_.builder.generator = "; plan-2 00000001";
    plain_.builder.region_bytes[0] = 64;  // weights, so that the file ends without padding
    plain_.builder.inputs.clear();        // which would hold every slot to its type
    plain_.builder.outputs.clear();
  }

  std::vector<StepVariant> All() {
    Add("plain", plain_);
    AddWithoutOperands();
    for (const ParamField& field : FieldsOf(plain_.kind)) {
      if (field.name == "element_bytes") {
        for (const uint32_t bytes : {1u, 2u, 8u}) AddElements(field, bytes);
      } else if (field.bytes == 1 && !field.is_element && !field.is_activation) {
        AddValues(field);
      }
    }
    return std::move(accepted_);
  }

 private:
  void Add(const std::string& name, StepSample sample) {
    if (!Loaded(sample.builder.Finish()).fault.ok()) return;
    accepted_.push_back({name, std::move(sample)});
  }

  static void Set(StepSample& sample, const ParamField& field, uint32_t value) {
    std::memcpy(ParamsOf(sample.builder, sample.kind) + field.offset, &value, field.bytes);
  }

  void AddWithoutOperands() {
    const format::Arity arity = format::kArity[static_cast<uint32_t>(plain_.kind)];
    StepSample none = plain_;
    for (uint32_t i = 0; i < arity.operands(); ++i) {
      if (!arity.MayLack(i)) continue;
      StepSample one = plain_;
      one.builder.operands[i] = none.builder.operands[i] = kNoSlot;
      Add("without operand " + std::to_string(i), std::move(one));
    }
    if (arity.optional != 0) Add("without operands", std::move(none));
  }

  void AddValues(const ParamField& field) {
    const bool is_type = field.enumeration == format::ElementTypeTypeTable();
    const uint32_t count =
        field.enumeration == nullptr ? 3 : static_cast<uint32_t>(field.enumeration->num_elems);
    const auto now = static_cast<uint8_t>(ParamsOf(plain_.builder, plain_.kind)[field.offset]);
    for (uint32_t value = 0; value < count; ++value) {
      if (value == now) continue;
      const std::string name = field.name + " = " + std::to_string(value);
      StepSample sample = plain_;
      Set(sample, field, value);
      if (!is_type) {
        Add(name, std::move(sample));
        continue;
      }
      const auto to = static_cast<ElementType>(value);
      StepSample all = sample;
      Retype(all, kAll, static_cast<ElementType>(now), to);
      Add(name, std::move(all));
      for (uint32_t i = 0; i < sample.operands.size(); ++i) {
        StepSample one = sample;
        if (Retype(one, i, static_cast<ElementType>(now), to)) Add(name, std::move(one));
      }
    }
  }

  void AddElements(const ParamField& field, uint32_t bytes) {
    StepSample sample = plain_;
    Set(sample, field, bytes);
    if (bytes == 8) Retype(sample, kAll, kF32, ElementType::f64);
    Add("element_bytes = " + std::to_string(bytes), std::move(sample));
  }

  static constexpr uint32_t kAll = 0xFFFFFFFF;

  // Changes the element type of all slots of one type, or of one operand, and the addresses of all
  // slots.
  static bool Retype(StepSample& sample, uint32_t operand, ElementType from, ElementType to) {
    ListingBuilder& b = sample.builder;
    bool any = false;
    b.region_bytes[2] = 0;
    for (uint32_t i = 0; i < b.slots.size(); ++i) {
      format::Slot& slot = b.slots[i];
      if (slot.type() == from && (operand == kAll || sample.operands[operand] == i)) {
        slot.mutate_type(to);
        const uint64_t bits = uint64_t{b.dims[slot.first_dim()]} * format::BitsOf(to);
        slot.mutate_bytes(static_cast<uint32_t>((bits + 7) / 8));
        any = true;
      }
      slot.mutate_offset_bytes((b.region_bytes[2] + 63) / 64 * 64);
      b.region_bytes[2] = slot.offset_bytes() + slot.bytes();
    }
    return any;
  }

  StepSample plain_;
  std::vector<StepVariant> accepted_;
};

// Products and cells whose weights are codes after their scales, with units that fill no block.
inline std::vector<StepSample> ScaledSteps() {
  using format::Kind;
  constexpr ElementType kI8 = ElementType::i8;
  const format::MapStrides map(12, 12, 3, 1), pixel(5, 5, 5, 1);
  return {
      StepSample(Kind::dense, {{kF32, 6}, {kI8, 16 * (3 + 4)}, {kF32, 5}, {kF32, 10}})
          .With(format::DenseParams(2, 3, 5, 3, 5, 0, samples::kTanh, kI8, 0, 0)),
      StepSample(Kind::conv, {{kF32, 12}, {kI8, 16 * (12 + 4)}, {kF32, 5}, {kF32, 5}})
          .With(format::ConvParams(1, 1, 3, 5, 1, 4, 1, 1, 1, 4, 1, 1, 1, 1, 0, 0, map, pixel,
                                   samples::kTanh, kI8, 0, 0)),
      StepSample(Kind::lstm_cell, {{kF32, 3},
                                   {kI8, 80 * (3 + 20 + 8)},
                                   {kF32, 20},
                                   {kF32, 20},
                                   {kF32, 80},
                                   {kF32, 20},
                                   {kF32, 20}})
          .With(format::LstmCellParams(3, 20, 1, kI8, 0, 0)),
      StepSample(
          Kind::gru_cell,
          {{kF32, 3}, {kI8, 64 * (3 + 17 + 8)}, {kF32, 17}, {kF32, 51}, {kF32, 51}, {kF32, 17}})
          .With(format::GruCellParams(3, 17, 0, kI8, 0, 0)),
      StepSample(Kind::gru_reset_cell, {{kF32, 3},
                                        {kI8, (48 + 32) * (3 + 17 + 8)},
                                        {kF32, 17},
                                        {kF32, 51},
                                        {kF32, 17},
                                        {kF32, 17}})
          .With(format::GruResetCellParams(3, 17, 0, kI8, 0, 0)),
  };
}

// Samples that reach other branches of kernels than EveryStep.
inline std::vector<StepSample> OtherBranches() {
  using format::Kind;
  const format::MapStrides last(40, 8, 2, 1), wide(80, 16, 4, 1);  // 5 x 4 pixels
  const uint32_t two[6] = {2}, eight[6] = {8}, past[6] = {15}, five[6] = {5};
  const uint8_t factors[12] = {4, 3};
  std::vector<StepSample> steps;
  steps.push_back(StepSample(Kind::softmax, {{kF32, 12}, {kF32, 12}})
                      .With(format::SoftmaxParams(4, 3, 1, 0, 1, 0)));
  steps.push_back(
      StepSample(Kind::ring_matmul, {{kF32, 16}, {kF32, 30}, {kF32, 10}, {kI32, 1}, {kF32, 20}})
          .With(format::RingMatmulParams(1, two, eight, past, five, 2, 5, 4, 1, 4, 1, 5, 1, 5, 1,
                                         format::RingAlong::inner, 0, 0)));
  steps.push_back(StepSample(Kind::dense_i8, {{ElementType::i16, 6},
                                              {ElementType::i8, 256},
                                              {kF32, 16},
                                              {kF32, 5},
                                              {kF32, 10},
                                              {ElementType::i16, 32}})
                      .With(format::DenseI8Params(2, 3, 5, 3, 5, 0, samples::kTanh, 0)));
  steps.push_back(StepSample(Kind::conv, {{kF32, 40}, {kF32, 32}, {kF32, 4}, {kF32, 80}})
                      .With(format::ConvParams(1, 2, 1, 2, 5, 4, 5, 4, 1, 1, 1, 1, 1, 1, 0, 0, last,
                                               wide, samples::kTanh, kF32, 0, 0)));
  steps.push_back(StepSample(Kind::depthwise, {{kF32, 40}, {kF32, 144}, {kF32, 4}, {kF32, 80}})
                      .With(format::DepthwiseParams(1, 4, 2, 5, 4, 5, 4, 3, 3, 1, 1, 1, 1, 1, 1,
                                                    last, wide, samples::kTanh, kF32, 0, 0)));
  steps.push_back(
      StepSample(Kind::conv_q8, {{ElementType::i8, 40},
                                 {ElementType::i8, 256},
                                 {kF32, 4},
                                 {kI32, 4},
                                 {kF32, 4},
                                 {ElementType::i8, 80},
                                 {ElementType::i8, 64}})
          .With(format::ConvQ8Params(1, 1, 2, 4, 5, 4, 5, 4, 1, 1, 1, 1, 1, 1, 0, 0, last, wide,
                                     format::Activation(), samples::kCodes, -7, 0, 0)));
  steps.push_back(StepSample(Kind::gather, {{kF32, 32}, {kI32, 6}, {kF32, 24}})
                      .With(format::GatherParams(2, 2, 4, 2, 3, 4, kI32, 0, 0)));
  steps.push_back(StepSample(Kind::fourier, {{kF32, 48}, {kF32, 24}, {kF32, 48}, {kF32, 24}})
                      .With(format::FourierParams(2, 12, 24, 24, 0.5f, factors,
                                                  format::FourierOp::forward, 0, 0)));
  return steps;
}

inline std::vector<std::vector<StepVariant>> EveryVariant() {
  std::vector<std::vector<StepVariant>> all;
  for (const StepSample& sample : EveryStep()) all.push_back(StepVariants(sample).All());
  for (const StepSample& sample : OtherBranches()) all.push_back(StepVariants(sample).All());
  for (const StepSample& sample : samples::ShortSteps()) all.push_back(StepVariants(sample).All());
  for (const StepSample& sample : ScaledSteps()) all.push_back(StepVariants(sample).All());
  for (const StepSample& sample : OverlappingSteps()) {
    all.push_back(StepVariants(sample).All());
    for (StepVariant& variant : all.back()) variant.overlaps = true;
  }
#define WEFT_NARROW_STEP(name, Name)                                                    \
  all.push_back({StepVariants(samples::SampleOf<format::Kind::name>()).All().front()}); \
  all.back()[0].steps = PlainSteps();
#include "runtime/format/narrow_steps.inc"
#undef WEFT_NARROW_STEP
  return all;
}

}  // namespace weft::test

#endif  // WEFT_TESTS_HOSTILE_STEP_VARIANTS_H_
