// SPDX-License-Identifier: Apache-2.0
// CTCGreedyDecoder and CTCGreedyDecoderSeqLen: the best class of each time step, without blanks
// and, if merging is on, without repetitions of the previous step. The remaining classes move to
// the front of the sequence, followed by -1.

#include "converter/ops/core/nonzero.h"
#include "converter/ops/core/top.h"
#include "converter/ops/families.h"
#include "converter/ops/support/axes.h"
#include "converter/ops/support/broadcast.h"
#include "converter/ops/support/pointwise.h"
#include "converter/ops/support/positions.h"

namespace weft::ops {
namespace {

using format::BinaryOp;
using format::CompareOp;
using program::ValueId;

constexpr ElementType kClassType = ElementType::i32;

// Sequences with one class per time step.
struct ClassSequences {
  int64_t batch = 0, time = 0;
  ValueId classes = program::kNone;  // [batch, time]
  ValueId lengths = program::kNone;  // [batch]
  ValueId blank = program::kNone;    // one element
  bool merges = true;
};

struct DecodedSequences {
  ValueId classes = program::kNone;  // [batch, time]
  ValueId lengths = program::kNone;  // [batch]
};

class ClassDecoding {
 public:
  ClassDecoding(program::Builder& builder, const ClassSequences& given)
      : builder_(builder), given_(given), dims_{given.batch, given.time} {}

  DecodedSequences Run() {
    // One statement each: compilers evaluate arguments in different orders, and the order decides
    // the order of steps.
    const Operand all = {given_.classes, dims_};
    const Operand is_class = Compared(builder_, CompareOp::not_equal, all, {given_.blank, {1, 1}});
    Operand kept = Combined(builder_, BinaryOp::logical_and, Before(given_.lengths), is_class);
    if (given_.merges && given_.time > 1) {
      const Operand differs = Compared(builder_, CompareOp::not_equal, all, {Previous(), dims_});
      kept = Combined(builder_, BinaryOp::logical_and, kept, differs);
    }
    const ValueId positions = builder_.Scratch({kClassType, dims_});
    const ValueId counts = builder_.Scratch({kClassType, {given_.batch}});
    EmitNonZeroIndices(builder_, given_.batch, {given_.time}, given_.time, kept.value, positions,
                       counts);
    const ValueId taken = builder_.Scratch({kClassType, dims_});
    EmitGather(builder_, {given_.batch, 1, given_.time, 1, given_.time}, given_.classes, positions,
               taken);
    const ValueId classes = builder_.Scratch({kClassType, dims_});
    const ValueId none = IntegerWeights(builder_, kClassType, {-1});
    EmitSelect(builder_, Before(counts), {taken, dims_}, {none, {1, 1}}, {classes, dims_});
    return {classes, counts};
  }

 private:
  // before[b, t]: true if step t precedes the end of sequence b.
  Operand Before(ValueId lengths) {
    const Operand steps = {IndexSequence(builder_, kClassType, given_.time), {1, given_.time}};
    return Compared(builder_, CompareOp::less, steps, {lengths, {given_.batch, 1}});
  }

  // The class of the previous step; -1 for the first step.
  ValueId Previous() {
    const ValueId y = builder_.Scratch({kClassType, dims_});
    const Dims strides = {given_.time, 1};
    builder_.CopyStrided(IntegerWeights(builder_, kClassType, {-1}), y, {given_.batch, 1}, {0, 0},
                         0, strides, 0);
    builder_.CopyStrided(given_.classes, y, {given_.batch, given_.time - 1}, strides, 0, strides,
                         1);
    return y;
  }

  program::Builder& builder_;
  const ClassSequences given_;
  const Dims dims_;
};

// The best class of each of `rows` steps.
ValueId BestClasses(program::Builder& builder, ValueId x, int64_t rows, int64_t classes) {
  const ValueId values = builder.Scratch({builder.type(x), {rows}});
  const ValueId best = builder.Scratch({kClassType, {rows}});
  EmitTop(builder, {.outer = rows, .axis = classes}, x, values, best);
  return best;
}

// Checks that data is f32 of rank 3 with at least one class.
bool CheckScores(InferScope& scope) {
  constexpr size_t kScores[] = {0};
  if (!CheckElements(scope, kScores, {ElementType::f32})) return false;
  if (scope.rank(0) == 3 && scope.input_dims(0)[2] > 0) return true;
  scope.Fault("scores are {}; must have three axes, the last with at least one class",
              ToString(scope.input_type(0)));
  return false;
}

// CTCGreedyDecoder: [time, batch, classes], and a mask whose first 0 ends a sequence.

void InferMaskedDecoder(InferScope& scope) {
  constexpr size_t kMask[] = {1};
  CheckElements(scope, kMask, {ElementType::f32});
  scope.attributes.Bool("ctc_merge_repeated", true);
  if (!CheckScores(scope)) return;
  const Dims& dims = scope.input_dims(0);
  if (scope.input_dims(1) != Dims{dims[0], dims[1]}) {
    return scope.Fault("the mask is {} for scores {}; must be [{},{}]",
                       ToString(scope.input_type(1)), ToString(scope.input_type(0)), dims[0],
                       dims[1]);
  }
  scope.SetOutput(0, ElementType::f32, {dims[1], dims[0], 1, 1});
}

// The index of the first 0 in each column of a mask [time, batch], or `time` if there is none.
ValueId LengthsByMask(program::Builder& builder, ValueId mask, int64_t time, int64_t batch) {
  const Operand zero = FloatNumber(builder, 0, 2);
  const Operand is_end = Compared(builder, CompareOp::equal, {mask, {time, batch}}, zero);
  return EmitFirstTrue(builder, 1, time, batch, is_end.value);
}

void LowerMaskedDecoder(LowerScope& scope) {
  program::Builder& builder = scope.builder;
  const Dims& dims = scope.input_dims(0);
  const int64_t time = dims[0], batch = dims[1], classes = dims[2];
  if (time * batch == 0) {
    scope.NewOutput(0);
    return;
  }
  const ValueId best = BestClasses(builder, scope.input(0), time * batch, classes);
  const ValueId sequences = builder.Scratch({kClassType, {batch, time}});
  EmitPermuted(builder, best, {1, batch, time}, false, sequences);
  const ClassSequences given = {batch,
                                time,
                                sequences,
                                LengthsByMask(builder, scope.input(1), time, batch),
                                IntegerWeights(builder, kClassType, {classes - 1}),
                                scope.attributes.Bool("ctc_merge_repeated", true)};
  const ValueId decoded = ClassDecoding(builder, given).Run().classes;
  scope.SetOutput(
      0, builder.View(Converted(builder, decoded, ElementType::f32), 0, scope.output_type(0)));
}

void MaskedDecoderAxes(AxisScope& scope) {
  scope.relation.groups.push_back({{false, 0, 1}, {false, 1, 1}, {true, 0, 0}});
  scope.relation.reason = "decodes the full sequence";
}

// CTCGreedyDecoderSeqLen: [batch, time, classes] and the lengths.

void InferDecoderByLengths(InferScope& scope) {
  for (size_t i = 1; i < scope.input_count(); ++i) CheckIndexType(scope, i);
  const ElementType class_type = IndexTypeOf(scope, "classes_index_type", "i32");
  const ElementType length_type = IndexTypeOf(scope, "sequence_length_type", "i32");
  scope.attributes.Bool("merge_repeated", true);
  if (!CheckScores(scope)) return;
  const Dims& dims = scope.input_dims(0);
  if (scope.input_dims(1) != Dims{dims[0]}) {
    scope.Fault("sequence lengths are {} for scores {}; must be [{}]",
                ToString(scope.input_type(1)), ToString(scope.input_type(0)), dims[0]);
  }
  if (scope.has_input(2) && ElementCount(scope.input_dims(2)) != 1) {
    scope.Fault("the blank index is {}; must be one number", ToString(scope.input_type(2)));
  }
  scope.SetOutput(0, class_type, {dims[0], dims[1]});
  if (scope.output_count() > 1) scope.SetOutput(1, length_type, {dims[0]});
}

void LowerDecoderByLengths(LowerScope& scope) {
  program::Builder& builder = scope.builder;
  const Dims& dims = scope.input_dims(0);
  const int64_t batch = dims[0], time = dims[1], classes = dims[2];
  if (batch * time == 0) {
    scope.NewOutput(0);
    if (scope.node().outputs.size() > 1) builder.Fill(scope.NewOutput(1));
    return;
  }
  const ValueId blank = scope.has_input(2) ? Converted(builder, scope.input(2), kClassType)
                                           : IntegerWeights(builder, kClassType, {classes - 1});
  const ClassSequences given = {batch,
                                time,
                                BestClasses(builder, scope.input(0), batch * time, classes),
                                Converted(builder, scope.input(1), kClassType),
                                blank,
                                scope.attributes.Bool("merge_repeated", true)};
  const DecodedSequences decoded = ClassDecoding(builder, given).Run();
  scope.SetOutput(0, Converted(builder, decoded.classes, scope.output_type(0).type));
  if (scope.node().outputs.size() < 2) return;
  scope.SetOutput(1, Converted(builder, decoded.lengths, scope.output_type(1).type));
}

void DecoderByLengthsAxes(AxisScope& scope) {
  AxisGroup group = {{false, 0, 0}, {false, 1, 0}, {true, 0, 0}};
  if (scope.node().outputs.size() > 1) group.push_back({true, 1, 0});
  scope.relation.groups.push_back(std::move(group));
  scope.relation.reason = "decodes the full sequence";
}

constexpr Operation kDecoderRows[] = {
    {"CTCGreedyDecoder", 1, 2, 2, InferMaskedDecoder, LowerMaskedDecoder, Apart(MaskedDecoderAxes)},
    {"CTCGreedyDecoderSeqLen", 6, 2, 3, InferDecoderByLengths, LowerDecoderByLengths,
     Apart(DecoderByLengthsAxes)},
};

}  // namespace

std::span<const Operation> DecoderOperations() { return kDecoderRows; }

}  // namespace weft::ops
