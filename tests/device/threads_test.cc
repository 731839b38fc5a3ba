// SPDX-License-Identifier: Apache-2.0
// Engines in several threads share a model and its kernels. 64 streams on 4 threads give the bits
// of the same streams one after the other. In a build with -DWEFT_SANITIZE=thread the sanitizer
// also checks every access.
#if defined(__unix__) && !defined(__EMSCRIPTEN__)  // built without threads

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/weft.h"
#include "tests/device/loaded_file.h"
#include "tests/device/made_inputs.h"
#include "tests/device/stored_models.h"

namespace weft {
namespace {

constexpr size_t kThreads = 4, kStreamsOfThread = 16, kRunsOfStream = 3;

// The outputs of all runs of some streams, which take turns in one scratch.
std::vector<Buffer> RunStreams(ExactBytes& model, size_t first) {
  std::vector<Buffer> outputs(kStreamsOfThread);
  std::vector<Stream> streams;
  for (size_t i = 0; i < kStreamsOfThread; ++i) {
    streams.emplace_back(model, i == 0 ? nullptr : streams[0].scratch);
  }
  for (size_t run = 0; run < kRunsOfStream; ++run) {
    for (size_t i = 0; i < kStreamsOfThread; ++i) {
      const Engine& engine = streams[i].engine;
      auto random = static_cast<uint32_t>((first + i) * kRunsOfStream + run);
      for (uint32_t p = 0; p < engine.input_count(); ++p) FillInput(engine.input(p), random);
      (void)streams[i].engine.Run();  // these inputs may set a count above its maximum
      for (uint32_t p = 0; p < engine.output_count(); ++p) {
        const Tensor output = engine.output(p);
        const auto* bytes = output.as<unsigned char>();
        outputs[i].insert(outputs[i].end(), bytes, bytes + output.bytes);
      }
    }
  }
  return outputs;
}

// The threads run first, so that they are the first to choose the kernels of the processor.
void ExpectSameBits(ExactBytes& model) {
  std::vector<std::vector<Buffer>> outputs(kThreads);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] { outputs[t] = RunStreams(model, t * kStreamsOfThread); });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < kThreads; ++t) {
    EXPECT_EQ(outputs[t], RunStreams(model, t * kStreamsOfThread)) << "thread " << t;
  }
}

TEST(Threads, ShareAModel) {
  const std::vector<std::string> paths = ModelPaths();
  ASSERT_GT(paths.size(), 1000u);
  for (size_t i = 0; i < paths.size(); i += 16) {
    SCOPED_TRACE(paths[i]);
    ExpectSameBits(*ReadModelFile(paths[i]));
  }
}

}  // namespace
}  // namespace weft

#endif  // unix
