// SPDX-License-Identifier: Apache-2.0
//
// server serve STREAMS.weft PORT: serves streams on loopback until the input ends.
// server test STREAMS.weft ALONE.weft N SECONDS: serves N streams of its own in real time, compares
// all answers with the model that has one stream, and prints the times. Exit code 1: an answer is
// lost or wrong, or a file is no model. 2: invalid command line.

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "examples/server/load.h"
#include "examples/server/model.h"
#include "examples/server/service.h"

namespace {

uint32_t WorkerCount() { return std::max(1u, std::thread::hardware_concurrency()); }

int Serve(const server::Model& model, uint16_t port) {
  server::Service service(model, WorkerCount());
  const uint16_t used = service.Listen(port);
  if (used == 0) return 1;
  std::printf("port %u\n", unsigned{used});
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}

void PrintTimes(const server::LoadResult& result) {
  const server::Histogram& times = result.times;
  std::printf("time to the answer: p50 %" PRIu64 " us, p99 %" PRIu64 " us, p99.9 %" PRIu64
              " us, worst %" PRIu64 " us\n",
              times.Percentile(0.5), times.Percentile(0.99), times.Percentile(0.999), times.max_us);
  uint64_t limit_us = 250, below = 0;
  for (size_t i = 0; i < times.counts.size(); ++i) {
    below += times.counts[i];
    if ((i + 1) * 10 != limit_us && i + 1 != times.counts.size()) continue;
    std::printf("  up to %7" PRIu64 " us  %" PRIu64 "\n", limit_us, below);
    if (below == times.total) return;
    limit_us *= 2;
  }
}

int Test(const server::Model& model, const server::Model& single, uint32_t streams,
         uint32_t seconds) {
  server::Service service(model, WorkerCount());
  const uint16_t port = service.Listen(0);
  if (port == 0) return 1;
  const server::LoadResult result = server::RunLoad(single, port, streams, seconds);
  service.Stop();
  const server::WorkerCounts counts = service.counts();
  const uint64_t lost = result.sent - result.answered;
  std::printf("%u streams for %u s: %" PRIu64 " frames, %" PRIu64 " lost, %" PRIu64
              " wrong, %" PRIu64 " late\n",
              streams, seconds, result.sent, lost, result.wrong, result.late);
  std::printf(
      "%" PRIu64 " restarts, %" PRIu64 " moves, %.1f frames per run of an engine\n",
      result.restarts, counts.moves,
      static_cast<double>(counts.frames) / static_cast<double>(std::max<uint64_t>(counts.runs, 1)));
  PrintTimes(result);
  return result.sent != 0 && lost == 0 && result.wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool serves = argc == 4 && std::strcmp(argv[1], "serve") == 0;
  const bool tests = argc == 6 && std::strcmp(argv[1], "test") == 0;
  const long number = serves || tests ? std::strtol(argv[argc - 1], nullptr, 10) : 0;
  const long streams = tests ? std::strtol(argv[4], nullptr, 10) : 1;
  if (number <= 0 || number > 65535 || streams <= 0 || streams > 100'000) {
    std::fprintf(stderr,
                 "usage: server serve STREAMS.weft PORT\n"
                 "       server test STREAMS.weft ALONE.weft N SECONDS\n");
    return 2;
  }
  server::Model model, single;
  if (!model.Read(argv[2])) return 1;
  if (serves) return Serve(model, static_cast<uint16_t>(number));
  if (!single.Read(argv[3])) return 1;
  return Test(model, single, static_cast<uint32_t>(streams), static_cast<uint32_t>(number));
}
