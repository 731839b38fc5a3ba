// SPDX-License-Identifier: Apache-2.0
// The program between lowering and planning: steps over values, before any value has an address.
// A value is a typed run of bytes. A view is a part of another value; in a loop the part can move
// with the iteration. A Program owns everything and refers to it by index, so it can be copied and
// changed.
//
// A loop is lowered as one body and a description of what is sliced, carried, gathered and kept
// last (struct Loop). plan/loops/loops.h converts it to copies of the body with buffers for its
// states.
#ifndef WEFT_CONVERTER_PROGRAM_PROGRAM_H_
#define WEFT_CONVERTER_PROGRAM_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "converter/base/element_type.h"
#include "converter/base/quantisation.h"
#include "runtime/format/weft_generated.h"

namespace weft::program {

using ValueId = uint32_t;
using SectionId = uint32_t;
using BlockId = uint32_t;
inline constexpr uint32_t kNone = 0xFFFFFFFFu;

// Row of ops.inc, from 1.
enum class StepKind : uint16_t {
  kSection = 0,
#define WEFT_STEP(name, Name, ...) k##Name,
#include "runtime/format/ops.inc"
#undef WEFT_STEP
};

// "dense", as in ops.inc.
std::string_view Name(StepKind kind);

template <typename T, typename... Others>
concept IsOneOf = (std::is_same_v<T, Others> || ...);

using Params = std::variant<std::monostate
#define WEFT_STEP(name, Name, ...) , format::Name##Params
#include "runtime/format/ops.inc"
#undef WEFT_STEP
                            >;

// The region that stores a value.
enum class Storage : uint8_t { kScratch, kWeights, kState };

// The address of a view moves by `stride_bytes` in each iteration of `section`.
struct Move {
  SectionId section = kNone;
  int64_t stride_bytes = 0;
  bool operator==(const Move&) const = default;
};

// A typed run of bytes, or a view of a part of another value.
struct Value {
  TensorType type;
  int64_t bytes = 0;
  Storage storage = Storage::kScratch;
  std::string name;  // layer that it came from, for reports
  // The block that it belongs to: only that block and the sections in it use the value.
  BlockId block = 0;

  // A view: part of `parent`, which holds its bytes. kNone for a value with storage of its own.
  ValueId parent = kNone;
  int64_t offset_bytes = 0;
  std::vector<Move> moves;

  std::shared_ptr<const std::vector<std::byte>> data;  // of kWeights
  QuantisationPtr quantisation;  // of such floats that were computed from integers; else null
};

// Operands are in the order of the step's row in ops.inc; kNone marks an absent optional one.
struct Step {
  Params params;
  std::vector<ValueId> inputs, outputs;
  std::string layer;
  format::Reason reason = format::Reason::operation;  // of bytes moved
  bool is_never_fused = false;  // never fused with neighbours, so that it rounds as a separate step
  // Weights never become integers. They belong to no layer, or to a part of a window. Such a window
  // becomes other steps with another layout or number of time steps per run.
  bool stays_float = false;
  // A dense product that is a convolution of several taps with another layout or number of time
  // steps per run.
  bool is_window = false;
  // A dense product that is a convolution over one position. Over several positions it is not a
  // dense product, so a sum after it must not start from the addend.
  bool is_one_position = false;
  // A dense product of a constant matrix and one column. With several columns it is a product of
  // two matrices, whose sums start from 0.
  bool is_one_column = false;
  StepKind kind() const { return static_cast<StepKind>(params.index()); }
};

// Runs a section at this position of a block.
struct SectionEntry {
  SectionId section = kNone;
};
using Item = std::variant<Step, SectionEntry>;

// A straight run of items.
struct Block {
  std::vector<Item> items;
  std::vector<ValueId> results;  // of a loop body: the results of each iteration
};

// Inputs and results of the iterations, before the choice of state buffers. `body` runs
// section.max_trips times, or less often if the trip count depends on run-time values. Values "of
// the body" are set before each iteration; results are indices in the body's results.
struct Loop {
  // `chunk` (of the body) is the iteration's part of `whole`: `part` elements of `axis`, counted
  // from element `begin`. `backward` starts with the last chunk.
  struct Sliced {
    ValueId whole = kNone, chunk = kNone;
    int64_t axis = 0, part = 1, begin = 0;
    bool backward = false;
  };
  // `state` (of the body) is `initial` in the first iteration, then the result of the one before.
  // In a loop that can run more than once nothing else reads `initial`.
  struct Carried {
    ValueId initial = kNone, state = kNone;
    size_t result = 0;
  };
  // `whole` consists of the results of all iterations, joined on `axis`. If it is a part of another
  // value, that value has space for one more chunk before the first (after the last, if backward).
  struct Scan {
    size_t result = 0;
    ValueId whole = kNone;
    int64_t axis = 0;
    bool backward = false;
  };
  // `value` is the result of the last iteration. Without iterations it is the initial value of the
  // first state that takes this result, or zeros.
  struct Last {
    size_t result = 0;
    ValueId value = kNone;
  };

  BlockId body = 0;
  std::vector<Sliced> sliced;
  std::vector<Carried> carried;
  std::vector<Scan> scans;
  std::vector<Last> lasts;
  std::optional<size_t> condition;  // result; false: this iteration was the last
};

// See `struct Section` in weft.fbs; copies and settles hold unroll and unroll - 1 blocks. While
// `loop` is set both are empty.
struct Section {
  std::optional<Loop> loop;
  std::vector<BlockId> copies;
  std::vector<BlockId> epilogues;
  int64_t trip_count = -1;  // -1: no limit known
  ValueId trip = kNone;
  int64_t max_trips = 0;
  ValueId first_condition = kNone;
  ValueId body_condition = kNone;
  ValueId iteration = kNone;
  ValueId length = kNone;
  bool runs_when = true;
  std::string layer;

  // Returns true if the trip count depends on run-time values.
  bool is_open() const {
    return trip != kNone || first_condition != kNone || body_condition != kNone;
  }
  bool may_run_nothing() const { return trip != kNone || first_condition != kNone; }
};

// An input or output of the model.
struct Port {
  ValueId value = kNone;
  std::vector<std::string> names;  // the first is the port's name
  ValueId length = kNone;  // holds the true extent of length_axis, when known at run time only
  uint8_t length_axis = 0;
};

// A named value that keeps its contents from run to run.
struct Variable {
  ValueId value = kNone;
  ValueId initial = kNone;  // kWeights, or kNone for zeros
  std::string name;
};

// All blocks, sections and values of a model. `main` is the block that a run executes.
struct Program {
  std::vector<Value> values;
  std::vector<Section> sections;
  std::vector<Block> blocks;
  BlockId main = 0;
  std::vector<Port> inputs, outputs;
  std::vector<Variable> variables;

  Program() : blocks(1) {}
  ValueId Add(Value value) {
    values.push_back(std::move(value));
    return static_cast<ValueId>(values.size() - 1);
  }
};

// Address of a value relative to its root: the summed offset and all moves of the views between.
struct Location {
  ValueId root = kNone;
  int64_t offset_bytes = 0;
  std::vector<Move> moves;
  bool operator==(const Location&) const = default;
};
// Follows the parents of a view up to its root.
Location Resolve(const Program& program, ValueId value);
// Returns true if the value is a complete root in scratch.
bool IsCompleteScratch(const Program& program, const Location& location, ValueId value);

// Returns true for a copy of all bytes of its source to all bytes of its target, in order. Only
// such copies can be removed.
bool IsPlainCopy(const Program& program, const Step& step);

// Calls visit(step) for each step of all blocks, in the order of the blocks.
template <typename AnyProgram, typename Visit>
void ForEachStep(AnyProgram& program, const Visit& visit) {
  for (auto& block : program.blocks) {
    for (auto& item : block.items) {
      if (auto* step = std::get_if<Step>(&item)) visit(*step);
    }
  }
}

// Returns the sections that the block enters, in order.
std::vector<SectionId> SectionsIn(const Program& program, BlockId block);

// Removes the items whose indices are in a set, or are the keys of a map.
template <typename Indices>
void RemoveItems(std::vector<Item>& items, const Indices& removed) {
  size_t index = 0;
  std::erase_if(items, [&](const Item&) { return removed.contains(index++); });
}

// Returns a readable listing, one line per step, for --dump-after.
std::string ToString(const Program& program);

}  // namespace weft::program

#endif  // WEFT_CONVERTER_PROGRAM_PROGRAM_H_
