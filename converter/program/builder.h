// SPDX-License-Identifier: Apache-2.0
// Appends values and steps to a Program. Lowering functions access the Program only through this.
// Sizes were checked by shape inference; nothing here fails.
#ifndef WEFT_CONVERTER_PROGRAM_BUILDER_H_
#define WEFT_CONVERTER_PROGRAM_BUILDER_H_

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "converter/program/program.h"

namespace weft::program {

// Refers to a Program, which must outlive the Builder. Steps are appended to the current block.
class Builder {
 public:
  explicit Builder(Program& program) : program_(program), block_(program.main) {}

  Program& program() { return program_; }
  const Value& value(ValueId id) const { return program_.values[id]; }
  const Dims& dims(ValueId id) const { return value(id).type.dims; }
  ElementType type(ValueId id) const { return value(id).type.type; }

  // A new value in scratch.
  ValueId Scratch(TensorType type);
  // A new value in state.
  ValueId State(TensorType type, std::string name);
  // A constant; constants with equal bytes share them, even if their types differ.
  ValueId Weights(TensorType type, std::vector<std::byte> bytes,
                  QuantisationPtr quantisation = nullptr);
  template <typename T>
  ValueId WeightsOf(TensorType type, const std::vector<T>& elements) {
    const auto* first = reinterpret_cast<const std::byte*>(elements.data());
    return Weights(std::move(type),
                   std::vector<std::byte>(first, first + elements.size() * sizeof(T)));
  }
  ValueId WeightsOf(TensorType type, const CodedFloats& numbers);
  // A view of the part of `parent` that starts at `offset_bytes`. The byte order does not change,
  // so Reshape is View(v, 0, type).
  ValueId View(ValueId parent, int64_t offset_bytes, TensorType type, std::vector<Move> moves = {});

  // Steps go to the current block. `params` decides the kind.
  template <typename P>
  void Emit(const P& params, std::vector<ValueId> inputs, std::vector<ValueId> outputs) {
    Append(Step{Params(params), std::move(inputs), std::move(outputs), layer_, reason_});
  }
  // Copies `source` to `target`, both dense and of equal size. The planner removes the copy if it
  // can.
  void Copy(ValueId source, ValueId target);
  // Fills `target` with zero bytes, or with elements of the given bits.
  void Fill(ValueId target, uint64_t element_bits = 0);
  // source[index . source_strides + source_offset] -> target[index . target_strides +
  // target_offset], in elements. Collapses dims first. Sub-byte types must be rejected earlier.
  void CopyStrided(ValueId source, ValueId target, const Dims& dims, const Dims& source_strides,
                   int64_t source_offset, const Dims& target_strides, int64_t target_offset);

  void SetLayer(std::string layer) { layer_ = std::move(layer); }
  const std::string& layer() const { return layer_; }
  // Sets why the following steps move bytes, and returns the previous reason.
  format::Reason SetReason(format::Reason reason) { return std::exchange(reason_, reason); }
  BlockId block() const { return block_; }
  void SetBlock(BlockId block) { block_ = block; }
  // Add an empty block or section, without entering it.
  BlockId NewBlock();
  SectionId NewSection();
  // Append an entry of the section, or an item, to the current block.
  void Enter(SectionId section) { Append(SectionEntry{section}); }
  void Append(Item item) { program_.blocks[block_].items.push_back(std::move(item)); }

  // Returns the variable of that name. If there is none, adds one in state, initialised to zeros.
  Variable& VariableNamed(const std::string& name, const TensorType& type);
  // Sets the initial value of a variable, unless it has one already.
  void SetInitial(const std::string& name, ValueId initial);

 private:
  Program& program_;
  BlockId block_;
  std::string layer_;
  format::Reason reason_ = format::Reason::operation;
  std::multimap<size_t, ValueId> weights_by_hash_;
  std::unordered_map<std::string, size_t> variable_index_;
};

// Replaces the items of all blocks: `rewrite` appends what replaces an item to its block.
template <typename Rewrite>
void RewriteItems(Builder& builder, const Rewrite& rewrite) {
  for (BlockId block = 0; block < builder.program().blocks.size(); ++block) {
    std::vector<Item> items = std::exchange(builder.program().blocks[block].items, {});
    builder.SetBlock(block);
    for (Item& item : items) rewrite(item);
  }
}

// Sets the reason for moving bytes during its lifetime.
class Because {
 public:
  Because(Builder& builder, format::Reason reason)
      : builder_(builder), before_(builder.SetReason(reason)) {}
  ~Because() { builder_.SetReason(before_); }
  Because(const Because&) = delete;
  Because& operator=(const Because&) = delete;

 private:
  Builder& builder_;
  const format::Reason before_;
};

// Row-major strides in elements.
Dims DenseStrides(const Dims& dims);
// Returns true if the strides are those; axes of extent 1 may have any stride.
bool AreDense(const Dims& dims, const Dims& strides);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_BUILDER_H_
