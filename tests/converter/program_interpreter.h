// SPDX-License-Identifier: Apache-2.0
// Runs the straight steps of a Program on host buffers, one element at a time and without the
// runtime's kernels: copy, fill, gather, select, compare for equality and convert between integers.
// Holds every step to the runtime's rules and reports what breaks them as test failures: an operand
// that leaves its buffer, inputs that overlap the output, an element written twice by one copy,
// bytes read before they were written.
#ifndef WEFT_TESTS_CONVERTER_PROGRAM_INTERPRETER_H_
#define WEFT_TESTS_CONVERTER_PROGRAM_INTERPRETER_H_

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "converter/program/program.h"

namespace weft {

class ProgramInterpreter {
 public:
  explicit ProgramInterpreter(const program::Program& program)
      : program_(program), buffers_(program.values.size()) {
    for (size_t id = 0; id < buffers_.size(); ++id) {
      const program::Value& value = program.values[id];
      if (value.parent != program::kNone) continue;
      buffers_[id].bytes.resize(static_cast<size_t>(value.bytes));
      buffers_[id].written.resize(static_cast<size_t>(value.bytes), value.data != nullptr);
      if (value.data != nullptr) buffers_[id].bytes = *value.data;
    }
  }

  // `elements` have the port's size.
  template <typename T>
  void SetInput(size_t port, const std::vector<T>& elements) {
    const Span target = At(program_.inputs[port].value);
    ASSERT_EQ(static_cast<size_t>(target.bytes), elements.size() * sizeof(T));
    for (int64_t i = 0; i < target.bytes; ++i) {
      Write(target, i, 1, reinterpret_cast<const std::byte*>(elements.data()) + i);
    }
  }

  void Run() {
    for (const program::Item& item : program_.blocks[program_.main].items) {
      ASSERT_TRUE(std::holds_alternative<program::Step>(item)) << "sections are not run here";
      const auto& step = std::get<program::Step>(item);
      CheckOverlap(step);
      std::visit([&](const auto& params) { RunStep(params, step); }, step.params);
      if (testing::Test::HasFatalFailure()) return;
    }
  }

  template <typename T>
  std::vector<T> Output(size_t port) const {
    const Span source = At(program_.outputs[port].value);
    std::vector<T> elements(static_cast<size_t>(source.bytes) / sizeof(T));
    for (int64_t i = 0; i < source.bytes; ++i) {
      Read(source, i, 1, reinterpret_cast<std::byte*>(elements.data()) + i);
    }
    return elements;
  }

 private:
  struct Buffer {
    std::vector<std::byte> bytes;
    std::vector<bool> written;
  };
  // Bytes [offset, offset + bytes) of a buffer.
  struct Span {
    program::ValueId root;
    int64_t offset, bytes;
  };

  Span At(program::ValueId value) const {
    const program::Location location = program::Resolve(program_, value);
    const Span span{location.root, location.offset_bytes, program_.values[value].bytes};
    EXPECT_TRUE(location.moves.empty());
    EXPECT_GE(span.offset, 0);
    EXPECT_LE(span.offset + span.bytes, program_.values[location.root].bytes);
    return span;
  }

  bool Inside(const Span& span, int64_t at, int64_t bytes) const {
    if (at >= 0 && at + bytes <= span.bytes) return true;
    ADD_FAILURE() << "bytes [" << at << ", " << at + bytes << ") of " << span.bytes;
    return false;
  }

  void Read(const Span& span, int64_t at, int64_t bytes, std::byte* to) const {
    if (!Inside(span, at, bytes)) return;
    const Buffer& buffer = buffers_[span.root];
    for (int64_t i = 0; i < bytes; ++i) {
      const size_t from = static_cast<size_t>(span.offset + at + i);
      if (!buffer.written[from]) ADD_FAILURE() << "byte " << from << " is read before written";
      to[i] = buffer.bytes[from];
    }
  }

  void Write(const Span& span, int64_t at, int64_t bytes, const std::byte* from) {
    if (!Inside(span, at, bytes)) return;
    Buffer& buffer = buffers_[span.root];
    for (int64_t i = 0; i < bytes; ++i) {
      const size_t to = static_cast<size_t>(span.offset + at + i);
      buffer.bytes[to] = from[i];
      buffer.written[to] = true;
    }
  }

  void CheckOverlap(const program::Step& step) const {
    for (const program::ValueId output : step.outputs) {
      const Span to = At(output);
      for (const program::ValueId input : step.inputs) {
        const Span from = At(input);
        const bool apart = from.root != to.root || from.offset + from.bytes <= to.offset ||
                           to.offset + to.bytes <= from.offset;
        EXPECT_TRUE(apart) << "an input overlaps the output";
      }
    }
  }

  template <typename Params>
  void RunStep(const Params&, const program::Step& step) {
    FAIL() << "steps of kind " << static_cast<int>(step.kind()) << " are not run here";
  }

  // Calls `visit` with the index of every element of `dims`, the last axis fastest.
  template <typename Array, typename Visit>
  static void ForEach(uint32_t rank, const Array* dims, Visit visit) {
    std::vector<int64_t> index(rank, 0);
    int64_t count = 1;
    for (uint32_t axis = 0; axis < rank; ++axis) count *= dims->Get(Location(axis));
    for (int64_t i = 0; i < count; ++i) {
      visit(index);
      for (uint32_t axis = rank; axis-- > 0;) {
        if (++index[axis] < dims->Get(Location(axis))) break;
        index[axis] = 0;
      }
    }
  }

  template <typename Array>
  static int64_t Dot(const std::vector<int64_t>& index, const Array* strides) {
    int64_t sum = 0;
    for (uint32_t axis = 0; axis < index.size(); ++axis) {
      sum += index[axis] * static_cast<int64_t>(strides->Get(Location(axis)));
    }
    return sum;
  }

  static uint16_t Location(uint32_t axis) { return static_cast<uint16_t>(axis); }

  void RunStep(const format::CopyParams& p, const program::Step& step) {
    ASSERT_LE(p.rank(), 8u);
    const Span source = At(step.inputs[0]), target = At(step.outputs[0]);
    const int64_t unit = p.element_bytes();
    std::set<int64_t> positions;
    ForEach(p.rank(), p.dims(), [&](const std::vector<int64_t>& index) {
      std::byte element[8] = {};
      const int64_t to = p.dst_offset() + Dot(index, p.dst_strides());
      if (!positions.insert(to).second) ADD_FAILURE() << "element " << to << " is written twice";
      Read(source, (p.src_offset() + Dot(index, p.src_strides())) * unit, unit, element);
      Write(target, to * unit, unit, element);
    });
  }

  void RunStep(const format::FillParams& p, const program::Step& step) {
    const Span target = At(step.outputs[0]);
    const uint64_t bits = p.bits_low() | uint64_t{p.bits_high()} << 32;
    for (int64_t i = 0; i < p.count(); ++i) {
      Write(target, i * p.element_bytes(), p.element_bytes(),
            reinterpret_cast<const std::byte*>(&bits));
    }
  }

  void RunStep(const format::GatherParams& p, const program::Step& step) {
    const Span source = At(step.inputs[0]), indices = At(step.inputs[1]);
    const Span target = At(step.outputs[0]);
    const int64_t row = int64_t{p.inner()} * p.element_bytes();
    std::vector<std::byte> element(static_cast<size_t>(row));
    for (int64_t b = 0; b < p.batch(); ++b) {
      for (int64_t o = 0; o < p.outer(); ++o) {
        for (int64_t i = 0; i < p.indices(); ++i) {
          int64_t index = Integer(indices, b * p.indices() + i, p.index_type());
          if (index < 0) index += p.axis();
          std::fill(element.begin(), element.end(), std::byte{0});
          if (index >= 0 && index < p.axis()) {
            Read(source, ((b * p.outer() + o) * p.axis() + index) * row, row, element.data());
          }
          Write(target, ((b * p.outer() + o) * p.indices() + i) * row, row, element.data());
        }
      }
    }
  }

  void RunStep(const format::CompactParams& p, const program::Step& step) {
    const Span source = At(step.inputs[0]), target = At(step.outputs[0]);
    const int64_t length = Integer(At(step.inputs[1]), 0, ElementType::i32);
    const int64_t row = int64_t{p.inner()} * p.element_bytes();
    std::vector<std::byte> element(static_cast<size_t>(row));
    for (int64_t o = 0; o < p.outer(); ++o) {
      for (int64_t i = 0; i < length; ++i) {
        Read(source, (o * p.max() + i) * row, row, element.data());
        Write(target, (o * length + i) * row, row, element.data());
      }
    }
  }

  void RunStep(const format::CompareParams& p, const program::Step& step) {
    ASSERT_EQ(p.op(), format::CompareOp::equal);
    const Span a = At(step.inputs[0]), b = At(step.inputs[1]), target = At(step.outputs[0]);
    int64_t next = 0;
    ForEach(p.rank(), p.dims(), [&](const std::vector<int64_t>& index) {
      const auto equal = static_cast<std::byte>(Integer(a, Dot(index, p.a_strides()), p.type()) ==
                                                Integer(b, Dot(index, p.b_strides()), p.type()));
      Write(target, next++, 1, &equal);
    });
  }

  void RunStep(const format::SelectParams& p, const program::Step& step) {
    const Span condition = At(step.inputs[0]), a = At(step.inputs[1]), b = At(step.inputs[2]);
    const Span target = At(step.outputs[0]);
    const int64_t unit = p.element_bytes();
    int64_t next = 0;
    ForEach(p.rank(), p.dims(), [&](const std::vector<int64_t>& index) {
      std::byte chosen{}, element[8] = {};
      Read(condition, Dot(index, p.condition_strides()), 1, &chosen);
      const bool first = chosen != std::byte{0};
      const int64_t at = first ? Dot(index, p.a_strides()) : Dot(index, p.b_strides());
      Read(first ? a : b, at * unit, unit, element);
      Write(target, next++ * unit, unit, element);
    });
  }

  void RunStep(const format::ConvertParams& p, const program::Step& step) {
    ASSERT_FALSE(IsFloat(p.from()) || IsFloat(p.to()));
    const int64_t unit = ElementBytes(p.to());
    for (int64_t i = 0; i < p.count(); ++i) {
      const int64_t value = Integer(At(step.inputs[0]), i, p.from());
      Write(At(step.outputs[0]), i * unit, unit, reinterpret_cast<const std::byte*>(&value));
    }
  }

  template <typename T>
  int64_t Load(const Span& span, int64_t index) const {
    T value{};
    Read(span, index * static_cast<int64_t>(sizeof(T)), sizeof(T),
         reinterpret_cast<std::byte*>(&value));
    return value;
  }

  int64_t Integer(const Span& span, int64_t index, ElementType type) const {
    switch (type) {
      case ElementType::i8:
        return Load<int8_t>(span, index);
      case ElementType::u8:
        return Load<uint8_t>(span, index);
      case ElementType::i16:
        return Load<int16_t>(span, index);
      case ElementType::i32:
        return Load<int32_t>(span, index);
      case ElementType::i64:
        return Load<int64_t>(span, index);
      default:
        ADD_FAILURE() << Name(type) << " is not read here";
        return 0;
    }
  }

  const program::Program& program_;
  std::vector<Buffer> buffers_;
};

}  // namespace weft

#endif  // WEFT_TESTS_CONVERTER_PROGRAM_INTERPRETER_H_
