// SPDX-License-Identifier: Apache-2.0
// Listens on loopback and passes the requests of all clients to a pool of workers. A stream stays
// with the worker that has the fewest streams when it joins.
#ifndef WEFT_EXAMPLES_SERVER_SERVICE_H_
#define WEFT_EXAMPLES_SERVER_SERVICE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "examples/server/model.h"
#include "examples/server/worker.h"

namespace server {

class Service {
 public:
  Service(const Model& model, uint32_t worker_count);
  ~Service() { Stop(); }
  // Returns the port, or 0 if the socket cannot listen. Port 0 selects a free port.
  uint16_t Listen(uint16_t port);
  // Ends all connections and workers.
  void Stop();
  // The counts of all workers, after Stop.
  WorkerCounts counts() const;

 private:
  void Accept();
  void Serve(const std::shared_ptr<Connection>& connection);

  const Model& model_;
  size_t input_bytes_ = 0;  // of a stream
  std::vector<std::unique_ptr<Worker>> workers_;
  std::mutex mutex_;
  std::vector<uint32_t> loads_;  // streams of each worker
  std::vector<std::shared_ptr<Connection>> connections_;
  std::vector<std::thread> threads_;
  int listening_ = -1;
  std::thread accepting_;
};

}  // namespace server

#endif  // WEFT_EXAMPLES_SERVER_SERVICE_H_
