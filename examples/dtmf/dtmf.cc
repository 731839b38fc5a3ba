// SPDX-License-Identifier: Apache-2.0
//
// Decodes the keypad tones of a recording: maps a model file, allocates its memory, runs it once
// per 10 ms of sound and prints the keys on stdout. stderr shows the memory sizes and, with a third
// argument, the largest difference from the outputs of another engine.
// Exit code 0: done. 1: invalid file, or outputs that differ. 2: invalid command line.

#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "examples/dtmf/debounce.h"
#include "examples/dtmf/file.h"
#include "examples/dtmf/npy.h"
#include "examples/dtmf/wav.h"
#include "runtime/weft.h"

namespace dtmf {
namespace {

constexpr float kTolerance = 1e-5f;  // two f32 engines; 6e-7 was measured over 255 frames

struct Released {
  void operator()(void* data) const { std::free(data); }
};
using Storage = std::unique_ptr<void, Released>;

// Memory for one region of the engine; not null for size 0.
Storage Allocate(size_t bytes, size_t alignment) {
  const size_t whole = (bytes / alignment + 1) * alignment;
  return Storage(std::aligned_alloc(alignment, whole));
}

bool Complain(const std::string& where, const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", where.c_str(), what.c_str());
  return false;
}

bool Complain(const std::string& where, const weft::Fault& fault) {
  char text[256];
  weft::Describe(fault, text, sizeof(text));
  return Complain(where, text);
}

// A decoder of one stream: the engine and its memory.
class Decoder {
 public:
  bool Open(const char* path) {
    if (!model_.Open(path)) return Complain(path, "cannot be read");
    const weft::Bytes model = {model_.data(), model_.size()};
    weft::Fault fault = weft::ReadNeeds(model, &needs_);
    if (!fault.ok()) return Complain(path, fault);
    for (const uint32_t bytes : needs_.more_scratch_bytes) {
      if (bytes != 0) {
        return Complain(path, "is planned for several scratch memories; must be for one");
      }
    }
    state_ = Allocate(needs_.state_bytes, weft::kMemoryAlignment);
    scratch_ = Allocate(needs_.scratch_bytes, weft::kMemoryAlignment);
    if (!state_ || !scratch_) return Complain(path, "needs more memory than is available");
    const weft::Memory memory = {{state_.get(), needs_.state_bytes},
                                 {scratch_.get(), needs_.scratch_bytes}};
    fault = weft::Engine::Open(model, weft::AllSteps(), memory, &engine_);
    if (!fault.ok()) return Complain(path, fault);
    return HasThePorts(path);
  }

  void PrintPlan() const {
    std::fprintf(stderr, "model   %8zu bytes, mapped and never written\n", model_.size());
    std::fprintf(stderr, "state   %8" PRIu32 " bytes, kept from frame to frame\n",
                 needs_.state_bytes);
    std::fprintf(stderr, "scratch %8" PRIu32 " bytes, free between frames\n", needs_.scratch_bytes);
  }

  size_t frame_samples() const { return engine_.input(0).bytes / sizeof(float); }

  // Probabilities of kAnswerCount classes for one frame, valid until the next call; null on error.
  const float* Step(const int16_t* samples) {
    float* audio = engine_.input(0).as<float>();
    for (size_t i = 0; i < frame_samples(); ++i) audio[i] = samples[i] * (1.0f / 32768.0f);
    const weft::Fault fault = engine_.Run();
    if (!fault.ok()) {
      Complain("run", fault);
      return nullptr;
    }
    return engine_.output(0).as<float>();
  }

 private:
  bool HasThePorts(const char* path) const {
    const weft::Tensor audio = engine_.input(0);
    const weft::Tensor keys = engine_.output(0);
    if (engine_.input_count() != 1 || engine_.output_count() != 1 ||
        audio.type != weft::Type::kF32 || keys.type != weft::Type::kF32 || audio.bytes == 0 ||
        keys.bytes != kAnswerCount * sizeof(float)) {
      return Complain(path, "is no keypad decoder; must map f32 samples to 17 f32 probabilities");
    }
    return true;
  }

  MappedFile model_;
  weft::Needs needs_;
  Storage state_;
  Storage scratch_;
  weft::Engine engine_;
};

struct Heard {
  std::string keys;
  std::vector<float> answers;  // kAnswerCount per frame
  double seconds = 0.0;
};

bool Listen(const std::vector<int16_t>& samples, Decoder* decoder, Heard* heard) {
  const size_t step = decoder->frame_samples();
  const size_t frame_count = samples.size() / step;
  heard->answers.reserve(frame_count * kAnswerCount);
  Debounce debounce;
  const auto begin = std::chrono::steady_clock::now();
  for (size_t frame = 0; frame < frame_count; ++frame) {
    const float* answers = decoder->Step(samples.data() + frame * step);
    if (answers == nullptr) return false;
    const char key = debounce.Hear(answers);
    if (key != '\0') heard->keys += key;
    heard->answers.insert(heard->answers.end(), answers, answers + kAnswerCount);
  }
  heard->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return true;
}

bool Agrees(const std::vector<float>& answers, const char* path) {
  std::vector<float> expected;
  const std::string fault = ReadNpy(path, &expected);
  if (!fault.empty()) return Complain("compare", fault);
  if (expected.size() != answers.size()) {
    return Complain(path, "has " + std::to_string(expected.size()) + " numbers; must have " +
                              std::to_string(answers.size()) + ", 17 for each frame");
  }
  float worst = 0.0f;
  for (size_t i = 0; i < answers.size(); ++i) {
    const float difference = std::fabs(answers[i] - expected[i]);
    if (!(difference <= worst)) worst = difference;  // keeps a NaN
  }
  const bool agrees = worst <= kTolerance;
  std::fprintf(stderr, "compare %8zu answers with %s: differ by %.1e at most; %s %.0e\n",
               answers.size(), path, static_cast<double>(worst),
               agrees ? "within" : "must be within", static_cast<double>(kTolerance));
  return agrees;
}

int Main(int count, char** arguments) {
  if (count < 3 || count > 4) {
    std::fprintf(stderr, "usage: dtmf MODEL.weft RECORDING.wav [EXPECTED.npy]\n");
    return 2;
  }
  Decoder decoder;
  if (!decoder.Open(arguments[1])) return 1;
  decoder.PrintPlan();

  std::vector<int16_t> samples;
  const std::string fault = ReadWav(arguments[2], &samples);
  if (!fault.empty()) {
    std::fprintf(stderr, "%s\n", fault.c_str());
    return 1;
  }
  Heard heard;
  if (!Listen(samples, &decoder, &heard)) return 1;
  const size_t frame_count = heard.answers.size() / kAnswerCount;
  std::fprintf(stderr, "heard   %8zu frames in %.2f ms\n", frame_count, heard.seconds * 1e3);
  std::printf("%s\n", heard.keys.c_str());
  return count == 4 && !Agrees(heard.answers, arguments[3]) ? 1 : 0;
}

}  // namespace
}  // namespace dtmf

int main(int count, char** arguments) { return dtmf::Main(count, arguments); }
