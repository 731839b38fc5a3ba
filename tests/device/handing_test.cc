// SPDX-License-Identifier: Apache-2.0
// Streaming models of one source with different numbers of steps per run (`weft convert
// --streaming=N`) exchange their state: after each run the bytes are copied to an engine of another
// model, which continues. All outputs must be bit-identical to the model with one step per run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/weft.h"
#include "tests/device/loaded_file.h"
#include "tests/device/stored_models.h"

namespace weft {
namespace {

// A streaming model and its engine.
struct Cut {
  explicit Cut(const std::string& name)
      : steps(std::stoul(name.substr(name.rfind('.') + 1))),
        file(ReadModelFile(StreamedPath(name))),
        stream(*file) {}

  size_t steps;  // per run
  std::unique_ptr<ExactBytes> file;
  Stream stream;
};

// A port over all steps, as rows with a number of bytes per step. Without time axis all of it is
// one step, which every run reads or writes.
struct Line {
  size_t rows = 1, step_bytes = 0;
  bool has_time = false;

  // One step in `few` and several in `many`.
  Line(const Tensor& few, const Tensor& many) {
    for (uint32_t axis = 0; axis < few.rank; ++axis) {
      has_time = few.dims[axis] != many.dims[axis];
      if (has_time) break;
      rows *= few.dims[axis];
    }
    if (!has_time) rows = 1;
    step_bytes = rows == 0 ? 0 : few.bytes / rows;
  }
};

void MoveSteps(const Line& line, const Tensor& tensor, Buffer& all, size_t first, size_t steps,
               bool to_tensor) {
  const size_t bytes = line.has_time ? line.step_bytes * steps : line.step_bytes;
  const size_t row_bytes = line.rows == 0 ? 0 : all.size() / line.rows;
  const size_t begin = line.has_time ? first * line.step_bytes : 0;
  for (size_t row = 0; row < line.rows; ++row) {
    unsigned char* there = all.data() + row * row_bytes + begin;
    unsigned char* here = tensor.as<unsigned char>() + row * bytes;
    std::memcpy(to_tensor ? here : there, to_tensor ? there : here, bytes);
  }
}

// All streaming models of one source, which process one stream alternately.
class Relay {
 public:
  Relay(const std::string& of_case, const std::vector<std::string>& names) {
    for (const std::string& name : names) cuts_.push_back(std::make_unique<Cut>(name));
    const Engine &few = cuts_[0]->stream.engine, &many = cuts_[1]->stream.engine;
    const auto whole_file = ReadModelFile(ModelPath(of_case));
    const Stream whole(*whole_file);
    std::vector<StoredArray> arrays = ReadArrays(of_case);
    for (uint32_t i = 0; i < few.input_count(); ++i) {
      input_lines_.emplace_back(few.input(i), many.input(i));
      Buffer all = std::move(arrays[i].elements);
      all.resize(whole.engine.input(i).bytes);  // of the first call, if a case has several
      CountSteps(input_lines_.back(), all.size());
      inputs_.push_back(std::move(all));
    }
    const bool is_known = steps_ != 0;
    for (uint32_t i = 0; i < few.output_count(); ++i) {
      output_lines_.emplace_back(few.output(i), many.output(i));
      if (!is_known) CountSteps(output_lines_.back(), whole.engine.output(i).bytes);
    }
  }

  size_t steps() const { return steps_; }

  // The outputs of every step; for those without time axis one after each run.
  struct Outputs {
    std::vector<Buffer> all;  // of ports with time
    std::map<std::pair<uint32_t, size_t>, Buffer>
        last;  // of outputs without time axis: port, steps so far
  };

  // Runs the models in the order of `is_permuted` (indices of models), repeatedly, until no steps
  // are left.
  Outputs Run(const std::vector<size_t>& is_permuted) {
    Outputs outputs;
    for (const Line& line : output_lines_) {
      outputs.all.emplace_back(line.has_time ? line.rows * line.step_bytes * steps_ : 0);
    }
    Cut* holder = nullptr;
    for (size_t done = 0, permutation = 0; done < steps_; ++permutation) {
      Cut* next = cuts_[is_permuted[permutation % is_permuted.size()]].get();
      if (done + next->steps > steps_) next = cuts_[0].get();
      if (holder == nullptr) {
        next->stream.engine.Reset();
      } else if (next != holder) {
        EXPECT_EQ(next->stream.state->size(), holder->stream.state->size());
        if (next->stream.state->size() != holder->stream.state->size()) return outputs;
        std::memcpy(next->stream.state->data(), holder->stream.state->data(),
                    next->stream.state->size());
        // The memory of the engine that gave its state away must not matter.
        std::memset(holder->stream.state->data(), 0x5A, holder->stream.state->size());
      }
      RunOne(*next, done, outputs);
      done += next->steps;
      holder = next;
    }
    return outputs;
  }

 private:
  // A loop may create its own time axis, which no input has. Delayed outputs may end after the
  // inputs.
  void CountSteps(const Line& line, size_t bytes) {
    if (!line.has_time || line.step_bytes == 0) return;
    steps_ = std::max(steps_, bytes / (line.rows * line.step_bytes));
  }

  void RunOne(Cut& cut, size_t done, Outputs& outputs) {
    Engine& engine = cut.stream.engine;
    for (uint32_t i = 0; i < inputs_.size(); ++i) {
      MoveSteps(input_lines_[i], engine.input(i), inputs_[i], done, cut.steps, true);
    }
    EXPECT_TRUE(engine.Run().ok());
    for (uint32_t i = 0; i < output_lines_.size(); ++i) {
      const Tensor tensor = engine.output(i);
      if (output_lines_[i].has_time) {
        MoveSteps(output_lines_[i], tensor, outputs.all[i], done, cut.steps, false);
      } else {
        const auto* first = tensor.as<unsigned char>();
        outputs.last[{i, done + cut.steps}] = Buffer(first, first + tensor.bytes);
      }
    }
  }

  std::vector<std::unique_ptr<Cut>> cuts_;
  std::vector<Line> input_lines_, output_lines_;
  std::vector<Buffer> inputs_;
  size_t steps_ = 0;
};

TEST(HandingOver, LeavesNoTrace) {
  std::map<std::string, std::vector<std::string>> cuts;  // of each case, the fewest steps first
  for (const auto& [name, model] : StreamedModels()) {
    cuts[name.substr(0, name.rfind('.'))].push_back(name);
  }
  size_t count = 0;
  for (auto& [of_case, names] : cuts) {
    SCOPED_TRACE(of_case);
    if (names.size() < 2) continue;
    Relay relay(of_case, names);
    ASSERT_GT(relay.steps(), 0u) << "no port has time";
    const Relay::Outputs expected = relay.Run({0});
    std::vector<size_t> there, back;
    for (size_t i = 0; i < names.size(); ++i) there.push_back(i);
    back.assign(there.rbegin(), there.rend());
    for (const std::vector<size_t>& is_permuted : {there, back}) {
      const Relay::Outputs actual = relay.Run(is_permuted);
      for (size_t i = 0; i < expected.all.size(); ++i) {
        EXPECT_EQ(actual.all[i], expected.all[i]) << "output " << i;
      }
      for (const auto& [position, bytes] : actual.last) {
        EXPECT_EQ(bytes, expected.last.at(position))
            << "output " << position.first << " after " << position.second << " steps";
      }
    }
    ++count;
  }
  EXPECT_GT(count, 100u);
  std::printf("%d models hand over their state\n", static_cast<int>(count));
}

}  // namespace
}  // namespace weft
