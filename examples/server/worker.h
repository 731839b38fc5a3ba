// SPDX-License-Identifier: Apache-2.0
// A thread with engines of several streams each. A stream has a lane of an engine. Each run steps
// the lanes that have a frame; other lanes keep their state. If streams leave, the worker moves
// streams from its last engine to free lanes, so that engines stay full.
#ifndef WEFT_EXAMPLES_SERVER_WORKER_H_
#define WEFT_EXAMPLES_SERVER_WORKER_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "examples/server/model.h"
#include "examples/server/protocol.h"
#include "runtime/weft.h"

namespace server {

// The socket of a client, to which several workers send.
struct Connection {
  int socket = -1;
  std::mutex sending;
};

// A stream of a client. Only its worker uses the lane.
struct Session {
  std::shared_ptr<Connection> connection;
  uint32_t stream = 0;
  uint32_t engine = 0, lane = 0;
};

struct Request {
  std::shared_ptr<Session> session;
  Header header;
  std::vector<unsigned char> input;
};

struct WorkerCounts {
  uint64_t frames = 0, runs = 0, moves = 0;
};

class Worker {
 public:
  explicit Worker(const Model& model);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void Put(Request request);
  // The counts so far; valid after Stop.
  const WorkerCounts& counts() const { return counts_; }
  void Stop();

 private:
  struct Lane {
    std::shared_ptr<Session> session;  // null: the lane is free
    bool has_frame = false;
    uint64_t frame = 0;
    std::vector<unsigned char> input;
    std::vector<unsigned char> saved;  // the state of a lane without a frame, during a run
  };
  struct Lanes {
    ModelEngine engine;
    weft::Streams streams;
    std::vector<Lane> lanes;
    uint32_t used = 0;
  };

  void Loop();
  std::deque<Request> TakeRequests();
  bool Handle(Request& request);
  bool Join(const std::shared_ptr<Session>& session);
  void Leave(const Session& session);
  void Compact();
  void RunEngines();

  const Model& model_;
  std::vector<Line> scratch_;
  std::vector<std::unique_ptr<Lanes>> engines_;
  WorkerCounts counts_;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Request> requests_;
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace server

#endif  // WEFT_EXAMPLES_SERVER_WORKER_H_
