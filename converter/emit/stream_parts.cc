// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/stream_parts.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "converter/base/aligned_bytes.h"
#include "converter/base/element_type.h"
#include "converter/base/narrow.h"
#include "converter/base/visible.h"
#include "converter/emit/file_engine.h"
#include "runtime/format/listing.h"
#include "runtime/weft.h"

namespace weft::emit {
namespace {

using format::RowsOf;

// Returns the only axis that has `streams` times as many elements in `many` as in `one`, if all
// others are equal. The elements of a stream are adjacent, which CheckStreams verifies. A number of
// steps may have fewer axes in `one`, because it had the rank of its constant there.
std::optional<size_t> StreamAxis(Dims one, const Dims& many, uint32_t streams) {
  std::optional<size_t> axis;
  if (one.size() > many.size()) return std::nullopt;
  one.insert(one.begin(), many.size() - one.size(), 1);
  for (size_t i = 0; i < one.size(); ++i) {
    if (one[i] == many[i]) continue;
    if (axis || many[i] != one[i] * int64_t{streams}) return std::nullopt;
    axis = i;
  }
  return axis;
}

std::string NameOf(const format::Model& model, uint32_t name, const std::string& otherwise) {
  return name == format::kNoSlot || model.names() == nullptr
             ? otherwise
             : OneLine(model.names()->Get(name)->str());
}

class StreamFinder {
 public:
  StreamFinder(const format::Model& one, const format::Model& many, uint32_t streams,
               Faults& faults)
      : one_(one), many_(many), streams_(streams), faults_(faults) {}

  std::vector<format::StreamPart> Find() {
    CheckPorts("input", *one_.inputs(), *many_.inputs());
    CheckPorts("output", *one_.outputs(), *many_.outputs());
    if (!faults_.ok()) return {};
    const uint32_t count = StateCountOf(many_);
    if (count == 0) {
      faults_.Add("has no state; must have one, because --shape sets the batch of other models");
      return {};
    }
    if (StateCountOf(one_) != count) {
      faults_.Add("the states of several streams differ from those of one");
      return {};
    }
    std::vector<format::StreamPart> parts;
    for (uint32_t i = 0; i < count && faults_.ok(); ++i) parts.push_back(PartOf(i));
    if (!faults_.ok()) return {};  // FindRings needs a part for each variable
    FindRings(parts);
    while (parts.size() < RowsOf(many_.variables()).count) parts.push_back({streams_, 0, 0, 0});
    for (uint32_t i = 0; i < count && faults_.ok(); ++i) {
      if (parts[i].outer() != 0 || starts_[i]) continue;
      faults_.Add(fmt::format(
          "variable \"{}\" is {}, one for all streams; must have an axis of the streams, so that a "
          "stream can begin at any run",
          VariableName(i), ToString(TypeOfSlot(many_, SlotOf(many_, i)))));
    }
    return parts;
  }

 private:
  static const format::Slot& SlotOf(const format::Model& model, uint32_t variable) {
    return RowsOf(model.slots())[RowsOf(model.variables())[variable].slot()];
  }
  // The number of variables in the state, which come before copies of weights.
  static uint32_t StateCountOf(const format::Model& model) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < RowsOf(model.variables()).count; ++i) {
      if (SlotOf(model, i).region() == format::kStateRegion) ++count;
    }
    return count;
  }
  std::string VariableName(uint32_t variable) const {
    return NameOf(many_, RowsOf(many_.variables())[variable].first_name(),
                  fmt::format("{}", variable));
  }

  void CheckPorts(const char* side, const flatbuffers::Vector<const format::Port*>& one,
                  const flatbuffers::Vector<const format::Port*>& many) {
    for (uint32_t i = 0; i < many.size() && faults_.ok(); ++i) {
      const format::Port& port = *many.Get(i);
      const TensorType before = TypeOfSlot(one_, RowsOf(one_.slots())[one.Get(i)->slot()]);
      const TensorType after = TypeOfSlot(many_, RowsOf(many_.slots())[port.slot()]);
      const bool has_one = !before.dims.empty() && before.dims[0] == 1;
      if (has_one && port.length_slot() == format::kNoSlot &&
          StreamAxis(before.dims, after.dims, streams_) == std::optional<size_t>(0)) {
        continue;
      }
      faults_.Add(fmt::format(
          "{} \"{}\" is {}, and {} for one stream; must have the streams as its first axis", side,
          NameOf(many_, port.name_count() > 0 ? port.first_name() : format::kNoSlot,
                 fmt::format("{}", i)),
          ToString(after), ToString(before)));
    }
  }

  format::StreamPart PartOf(uint32_t variable) {
    const TensorType one = TypeOfSlot(one_, SlotOf(one_, variable));
    const TensorType many = TypeOfSlot(many_, SlotOf(many_, variable));
    starts_.push_back(false);
    if (one.dims == many.dims) return {streams_, 0, 0, 0};
    const std::optional<size_t> axis = StreamAxis(one.dims, many.dims, streams_);
    if (!axis || format::BitsOf(many.type) % 8 != 0) {
      faults_.Add(fmt::format(
          "variable \"{}\" is {}, and {} for one stream; must have an axis of the streams",
          VariableName(variable), ToString(many), ToString(one)));
      return {};
    }
    return {streams_, Narrow32(ProductOf(many.dims, 0, *axis), "outer"), 0, 0};
  }

  // The variable in this slot, or nullopt.
  std::optional<uint32_t> VariableAt(uint32_t slot_index) const {
    if (slot_index == format::kNoSlot) return std::nullopt;
    const format::Slot& slot = RowsOf(many_.slots())[slot_index];
    if (slot.region() != format::kStateRegion) return std::nullopt;
    for (uint32_t i = 0; i < RowsOf(many_.variables()).count; ++i) {
      const format::Slot& own = SlotOf(many_, i);
      if (own.offset_bytes() == slot.offset_bytes() && own.bytes() == slot.bytes()) return i;
    }
    return std::nullopt;
  }

  // Marks variables that are rings, and the variables with the position of their oldest time step.
  void FindRings(std::vector<format::StreamPart>& parts) {
    for (const format::Step& step : RowsOf(many_.steps())) {
      if (static_cast<format::Kind>(step.kind()) != format::Kind::ring) continue;
      const format::RingParams& params = *many_.ring()->Get(step.param());
      const uint32_t* const operands = RowsOf(many_.operands()).data + step.first_operand();
      const std::optional<uint32_t> ring = VariableAt(operands[1]), start = VariableAt(operands[2]);
      if (!ring || !start || parts[*ring].outer() == 0) continue;
      if (params.order() != format::RingOrder::positions_outer_inner ||
          parts[*ring].outer() % params.past() != 0) {
        continue;  // its start is then reported as shared
      }
      parts[*ring] = {streams_, parts[*ring].outer(), params.past(), *start};
      starts_[*start] = true;
    }
  }

  const format::Model& one_;
  const format::Model& many_;
  const uint32_t streams_;
  Faults& faults_;
  std::vector<bool> starts_;  // by variable: the start of a ring
};

constexpr uint32_t kRuns = 12;  // of the check
constexpr uint32_t kMovedAt = 5;

// Runs the model with one stream, and compares with a stream of several ones.
class StreamChecker {
 public:
  StreamChecker(std::span<const std::byte> single, std::span<const std::byte> file, Faults& faults)
      : one_(single), first_(file), second_(file), faults_(faults) {}

  void Check() {
    if (!one_.Open(faults_) || !first_.Open(faults_) || !second_.Open(faults_)) return;
    if (!Streams::Open(first_.bytes(), StateOf(first_), &before_).ok() ||
        !Streams::Open(second_.bytes(), StateOf(second_), &after_).ok()) {
      faults_.Add("weft: internal error: the file has no streams");
      return;
    }
    const uint32_t streams = before_.count();
    RunStreams(first_, 0, kMovedAt, 0);
    std::vector<std::byte> saved(before_.state_bytes());
    for (uint32_t i = 0; i < streams; ++i) {
      const Fault was_saved = before_.Save(i, {saved.data(), saved.size()});
      const Fault was_loaded = after_.Load((i + 1) % streams, {saved.data(), saved.size()});
      if (!was_saved.ok() || !was_loaded.ok()) {
        faults_.Add("weft: internal error: a stream is not saved");
        return;
      }
    }
    RunStreams(second_, kMovedAt, kRuns, 1);
    for (uint32_t i = 0; i < streams && faults_.ok(); ++i) Compare(i);
  }

 private:
  static Block StateOf(FileEngine& engine) {
    return {engine.state().data(), engine.state().size()};
  }
  static MadeNumbers NumbersOf(uint32_t stream, uint32_t run) {
    return MadeNumbers(1 + stream * 7919 + run * 104729);
  }

  // Stream i is at lane (i + moved) % count.
  void RunStreams(FileEngine& engine, uint32_t from, uint32_t to, uint32_t moved) {
    const uint32_t streams = before_.count();
    for (uint32_t run = from; run < to; ++run) {
      for (uint32_t i = 0; i < streams; ++i) {
        MadeNumbers numbers = NumbersOf(i, run);
        for (uint32_t port = 0; port < engine.engine.input_count(); ++port) {
          Fill(LaneOf(engine.engine.input(port), (i + moved) % streams), numbers);
        }
      }
      (void)engine.engine.Run();
      for (uint32_t i = 0; i < streams; ++i) {
        for (uint32_t port = 0; port < engine.engine.output_count(); ++port) {
          const Tensor lane = LaneOf(engine.engine.output(port), (i + moved) % streams);
          outputs_[{i, run, port}].assign(lane.as<std::byte>(), lane.as<std::byte>() + lane.bytes);
        }
      }
    }
  }

  Tensor LaneOf(Tensor tensor, uint32_t lane) const {
    tensor.bytes /= before_.count();
    tensor.dims[0] = 1;
    tensor.data = tensor.as<std::byte>() + lane * tensor.bytes;
    return tensor;
  }

  void Compare(uint32_t stream) {
    one_.engine.Reset();
    for (uint32_t run = 0; run < kRuns; ++run) {
      MadeNumbers numbers = NumbersOf(stream, run);
      for (uint32_t port = 0; port < one_.engine.input_count(); ++port) {
        Fill(one_.engine.input(port), numbers);
      }
      (void)one_.engine.Run();
      for (uint32_t port = 0; port < one_.engine.output_count(); ++port) {
        const Tensor output = one_.engine.output(port);
        const std::vector<std::byte>& other = outputs_[{stream, run, port}];
        if (other.size() == output.bytes &&
            std::memcmp(other.data(), output.data, output.bytes) == 0) {
          continue;
        }
        const char* const name = one_.engine.output_name(port);
        faults_.Add(fmt::format(
            "output \"{}\" of stream {} differs in run {} from that of the model with one stream; "
            "must be bit-identical: the model mixes its batch",
            name == nullptr ? fmt::format("{}", port) : OneLine(name), stream, run));
        return;
      }
    }
  }

  FileEngine one_, first_, second_;
  Faults& faults_;
  Streams before_, after_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::vector<std::byte>> outputs_;
};

}  // namespace

std::vector<format::StreamPart> StreamPartsOf(std::span<const std::byte> single,
                                              std::span<const std::byte> file, uint32_t streams,
                                              Faults& faults) {
  return StreamFinder(*format::GetModel(single.data()), *format::GetModel(file.data()), streams,
                      faults)
      .Find();
}

void CheckStreams(std::span<const std::byte> single, std::span<const std::byte> file,
                  Faults& faults) {
  StreamChecker(single, file, faults).Check();
}

int64_t StreamBytesOf(std::span<const std::byte> file) {
  FileEngine engine(file);
  Faults discarded;
  Streams streams;
  if (!engine.Open(discarded)) return 0;
  const Block state = {engine.state().data(), engine.state().size()};
  return Streams::Open(engine.bytes(), state, &streams).ok() ? streams.state_bytes() : 0;
}

}  // namespace weft::emit
