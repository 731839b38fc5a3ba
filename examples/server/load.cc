// SPDX-License-Identifier: Apache-2.0
#include "examples/server/load.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "examples/server/protocol.h"

namespace server {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint32_t kFramesPerSecond = 100, kSlots = 10;  // a tenth of the streams sends each ms
constexpr uint32_t kConnections = 4, kRecordings = 16;
constexpr uint32_t kRemembered = 256;        // frames whose time of sending is kept
constexpr uint32_t kFramesToRestart = 1700;  // a stream leaves and joins again after 17 s or less

uint64_t Microseconds() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch())
          .count());
}

uint64_t HashOf(const void* bytes, size_t count) {
  const auto* next = static_cast<const unsigned char*>(bytes);
  uint64_t hash = 0xCBF29CE484222325u;
  for (size_t i = 0; i < count; ++i) hash = (hash ^ next[i]) * 0x100000001B3u;
  return hash;
}

// Frame `frame` of a recording: noise with a slow change of its level.
void MakeFrame(uint32_t recording, uint32_t frame, float* samples, size_t count) {
  uint32_t random = (recording * 7919 + frame) * 2654435761u + 1;
  const float level = 0.001f * static_cast<float>(1 + (frame / 16 + recording) % 200);
  for (size_t i = 0; i < count; ++i) {
    random = random * 1664525u + 1013904223u;
    samples[i] = level * (static_cast<float>(random >> 16) / 32768.0f - 1.0f);
  }
}

// A stream of the client. Its receiver reads what its sender has stored.
struct Stream {
  uint32_t recording = 0, connection = 0, restart_after = 0;
  uint32_t frame = 0;  // of the current session
  std::atomic<uint64_t> sent_us[kRemembered] = {};
};

class Load {
 public:
  Load(const Model& single, uint32_t streams, uint32_t seconds)
      : frames_(seconds * kFramesPerSecond), streams_(streams) {
    Expect(single);
    for (uint32_t i = 0; i < streams; ++i) {
      streams_[i].recording = i % kRecordings;
      streams_[i].connection = i % kConnections;
      streams_[i].restart_after = 50 + i * 7919 % kFramesToRestart;
    }
  }

  LoadResult Run(uint16_t port) {
    LoadResult result;
    std::vector<std::thread> receivers;
    for (uint32_t i = 0; i < kConnections; ++i) {
      sockets_[i] = Connect(port);
      if (sockets_[i] < 0) return result;
      receivers.emplace_back([this, i] { Receive(i); });
    }
    Send(result);
    for (int wait = 0; wait < 300 && answered_ < result.sent; ++wait) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
    for (std::thread& receiver : receivers) receiver.join();
    for (const int socket : sockets_) close(socket);
    result.answered = answered_;
    for (const LoadResult& part : parts_) {
      result.wrong += part.wrong;
      result.late += part.late;
      result.times.Add(part.times);
    }
    return result;
  }

 private:
  // Computes the answers of all recordings with the model that has one stream.
  void Expect(const Model& single) {
    std::vector<Line> scratch = MemoryOf(single.needs.scratch_bytes);
    ModelEngine engine;
    if (!engine.Open(single, scratch)) std::exit(1);
    const weft::Tensor input = engine.engine.input(0);
    samples_ = input.bytes / sizeof(float);
    output_bytes_ = engine.engine.output(0).bytes;
    expected_.resize(kRecordings);
    for (uint32_t i = 0; i < kRecordings; ++i) {
      engine.engine.Reset();
      for (uint32_t frame = 0; frame < std::min(frames_, kFramesToRestart + 50); ++frame) {
        MakeFrame(i, frame, input.as<float>(), samples_);
        if (!Model::Passes("run", engine.engine.Run())) std::exit(1);
        expected_[i].push_back(HashOf(engine.engine.output(0).data, output_bytes_));
      }
    }
  }

  static int Connect(uint16_t port) {
    const int client = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(client, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
      std::perror("server: connect");
      return -1;
    }
    const int on = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    return client;
  }

  // Sends the frames of a tenth of the streams each millisecond.
  void Send(LoadResult& result) {
    Outbox outboxes[kConnections];
    std::vector<float> samples(samples_);
    const Clock::time_point begin = Clock::now();
    for (uint32_t tick = 0; tick < frames_ * kSlots; ++tick) {
      std::this_thread::sleep_until(begin + std::chrono::milliseconds(tick));
      for (uint32_t i = tick % kSlots; i < streams_.size(); i += kSlots) {
        Stream& stream = streams_[i];
        Outbox& outbox = outboxes[stream.connection];
        if (stream.frame == stream.restart_after) {
          outbox.Add({i, Kind::kLeave, 0}, nullptr, 0);
          stream.frame = 0;
          ++result.restarts;
        }
        if (stream.frame == 0) outbox.Add({i, Kind::kJoin, 0}, nullptr, 0);
        MakeFrame(stream.recording, stream.frame, samples.data(), samples_);
        stream.sent_us[stream.frame % kRemembered] = Microseconds();
        outbox.Add({i, Kind::kFrame, stream.frame}, samples.data(), samples_ * sizeof(float));
        ++stream.frame;
        ++result.sent;
      }
      for (uint32_t i = 0; i < kConnections; ++i) (void)outboxes[i].Send(sockets_[i]);
    }
  }

  void Receive(uint32_t connection) {
    LoadResult& result = parts_[connection];
    Inbox inbox(sockets_[connection]);
    std::vector<unsigned char> output(output_bytes_);
    Header header;
    while (inbox.Receive(&header, sizeof(header)) && inbox.Receive(output.data(), output.size())) {
      if (header.stream >= streams_.size()) return;
      const Stream& stream = streams_[header.stream];
      const std::vector<uint64_t>& expected = expected_[stream.recording];
      const uint64_t time = Microseconds() - stream.sent_us[header.frame % kRemembered];
      const bool is_right = header.frame < expected.size() &&
                            expected[header.frame] == HashOf(output.data(), output.size());
      result.wrong += is_right ? 0 : 1;
      result.late += time > 1'000'000 / kFramesPerSecond ? 1 : 0;
      result.times.Add(time);
      ++answered_;
    }
  }

  const uint32_t frames_;
  std::vector<Stream> streams_;
  size_t samples_ = 0, output_bytes_ = 0;
  std::vector<std::vector<uint64_t>> expected_;  // hashes of outputs, by recording and frame
  int sockets_[kConnections] = {};
  LoadResult parts_[kConnections];
  std::atomic<uint64_t> answered_ = 0;
};

}  // namespace

void Histogram::Add(uint64_t microseconds) {
  ++counts[std::min<uint64_t>(microseconds / 10, counts.size() - 1)];
  ++total;
  max_us = std::max(max_us, microseconds);
}

void Histogram::Add(const Histogram& other) {
  for (size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  total += other.total;
  max_us = std::max(max_us, other.max_us);
}

uint64_t Histogram::Percentile(double share) const {
  uint64_t seen = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    seen += counts[i];
    if (static_cast<double>(seen) >= share * static_cast<double>(total)) return (i + 1) * 10;
  }
  return max_us;
}

LoadResult RunLoad(const Model& single, uint16_t port, uint32_t streams, uint32_t seconds) {
  return std::make_unique<Load>(single, streams, seconds)->Run(port);
}

}  // namespace server
