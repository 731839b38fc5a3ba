// SPDX-License-Identifier: Apache-2.0
#include "examples/server/worker.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

namespace server {
namespace {

// Frames that arrive within this time after the first one run together.
constexpr std::chrono::microseconds kWindow(500);

// The bytes of a port that belong to a lane.
weft::Block LaneOf(const weft::Tensor& tensor, uint32_t lane, uint32_t count) {
  const size_t bytes = tensor.bytes / count;
  return {tensor.as<unsigned char>() + lane * bytes, bytes};
}

}  // namespace

Worker::Worker(const Model& model)
    : model_(model), scratch_(MemoryOf(model.needs.scratch_bytes)), thread_([this] { Loop(); }) {}

Worker::~Worker() { Stop(); }

void Worker::Put(Request request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  requests_.push_back(std::move(request));
  arrived_.notify_one();
}

void Worker::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stops_ = true;
    arrived_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Worker::Loop() {
  for (;;) {
    std::deque<Request> requests = TakeRequests();
    if (requests.empty()) return;
    while (!requests.empty()) {
      std::deque<Request> later;
      for (Request& request : requests) {
        if (!Handle(request)) later.push_back(std::move(request));
      }
      RunEngines();
      requests = std::move(later);
    }
    Compact();
  }
}

// Waits for requests. Returns none if the worker stops.
std::deque<Request> Worker::TakeRequests() {
  std::unique_lock<std::mutex> lock(mutex_);
  arrived_.wait(lock, [this] { return stops_ || !requests_.empty(); });
  if (!stops_) {
    lock.unlock();
    std::this_thread::sleep_for(kWindow);
    lock.lock();
  }
  return std::exchange(requests_, {});
}

// Returns false for a request that must wait for the run of the stream's earlier frame.
bool Worker::Handle(Request& request) {
  Session& session = *request.session;
  if (request.header.kind == Kind::kJoin) return Join(request.session);
  Lanes& lanes = *engines_[session.engine];
  Lane& lane = lanes.lanes[session.lane];
  if (lane.has_frame) return false;
  if (request.header.kind == Kind::kLeave) {
    Leave(session);
    return true;
  }
  lane.input = std::move(request.input);
  lane.has_frame = true;
  lane.frame = request.header.frame;
  return true;
}

bool Worker::Join(const std::shared_ptr<Session>& session) {
  uint32_t engine = 0;
  while (engine < engines_.size() && engines_[engine]->used == engines_[engine]->lanes.size()) {
    ++engine;
  }
  if (engine == engines_.size()) {
    auto lanes = std::make_unique<Lanes>();
    if (!lanes->engine.Open(model_, scratch_)) std::abort();
    const weft::Fault fault =
        weft::Streams::Open(model_.bytes(), lanes->engine.state(), &lanes->streams);
    if (!Model::Passes("streams", fault)) std::abort();
    lanes->lanes.resize(lanes->streams.count());
    for (Lane& lane : lanes->lanes) lane.saved.resize(lanes->streams.state_bytes());
    engines_.push_back(std::move(lanes));
  }
  Lanes& lanes = *engines_[engine];
  uint32_t lane = 0;
  while (lanes.lanes[lane].session != nullptr) ++lane;
  lanes.lanes[lane].session = session;
  ++lanes.used;
  session->engine = engine;
  session->lane = lane;
  (void)lanes.streams.Reset(lane);
  return true;
}

void Worker::Leave(const Session& session) {
  Lanes& lanes = *engines_[session.engine];
  lanes.lanes[session.lane].session.reset();
  --lanes.used;
}

// Moves streams of the last engine to free lanes of earlier ones, and drops empty engines.
void Worker::Compact() {
  uint32_t to = 0;
  while (!engines_.empty()) {
    Lanes& last = *engines_.back();
    if (last.used == 0) {
      engines_.pop_back();
      continue;
    }
    while (to + 1 < engines_.size() && engines_[to]->used == engines_[to]->lanes.size()) ++to;
    if (to + 1 >= engines_.size()) return;
    uint32_t from = 0, free_lane = 0;
    while (last.lanes[from].session == nullptr) ++from;
    Lanes& target = *engines_[to];
    while (target.lanes[free_lane].session != nullptr) ++free_lane;
    Lane& lane = last.lanes[from];
    (void)last.streams.Save(from, {lane.saved.data(), lane.saved.size()});
    (void)target.streams.Load(free_lane, {lane.saved.data(), lane.saved.size()});
    lane.session->engine = to;
    lane.session->lane = free_lane;
    target.lanes[free_lane].session = std::move(lane.session);
    lane.session.reset();
    --last.used;
    ++target.used;
    ++counts_.moves;
  }
}

// Runs each engine that has a frame. Inputs are in the scratch that the engines share, so they are
// written directly before the run.
void Worker::RunEngines() {
  std::map<std::shared_ptr<Connection>, Outbox> answers;
  for (const auto& engine : engines_) {
    Lanes& lanes = *engine;
    uint32_t frames = 0;
    for (const Lane& lane : lanes.lanes) frames += lane.has_frame ? 1 : 0;
    if (frames == 0) continue;
    const weft::Tensor input = lanes.engine.engine.input(0);
    std::memset(input.data, 0, input.bytes);
    for (uint32_t i = 0; i < lanes.lanes.size(); ++i) {
      Lane& lane = lanes.lanes[i];
      if (lane.has_frame) {
        const weft::Block part = LaneOf(input, i, lanes.streams.count());
        std::memcpy(part.data, lane.input.data(), part.bytes);
      } else if (lane.session != nullptr) {
        (void)lanes.streams.Save(i, {lane.saved.data(), lane.saved.size()});
      }
    }
    if (!Model::Passes("run", lanes.engine.engine.Run())) std::abort();
    ++counts_.runs;
    counts_.frames += frames;
    const weft::Tensor output = lanes.engine.engine.output(0);
    for (uint32_t i = 0; i < lanes.lanes.size(); ++i) {
      Lane& lane = lanes.lanes[i];
      if (lane.has_frame) {
        const weft::Block part = LaneOf(output, i, lanes.streams.count());
        answers[lane.session->connection].Add({lane.session->stream, Kind::kFrame, lane.frame},
                                              part.data, part.bytes);
        lane.has_frame = false;
      } else if (lane.session != nullptr) {
        (void)lanes.streams.Load(i, {lane.saved.data(), lane.saved.size()});
      }
    }
  }
  for (auto& [connection, outbox] : answers) {
    const std::lock_guard<std::mutex> lock(connection->sending);
    (void)outbox.Send(connection->socket);  // a client that has left needs no answer
  }
}

}  // namespace server
