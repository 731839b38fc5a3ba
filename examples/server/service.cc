// SPDX-License-Identifier: Apache-2.0
#include "examples/server/service.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

namespace server {

Service::Service(const Model& model, uint32_t worker_count)
    : model_(model), loads_(worker_count, 0) {
  std::vector<Line> scratch = MemoryOf(model.needs.scratch_bytes);
  ModelEngine engine;
  weft::Streams streams;
  if (engine.Open(model, scratch) &&
      Model::Passes("streams", weft::Streams::Open(model.bytes(), engine.state(), &streams))) {
    input_bytes_ = engine.engine.input(0).bytes / streams.count();
  }
  for (uint32_t i = 0; i < worker_count; ++i) workers_.push_back(std::make_unique<Worker>(model_));
}

uint16_t Service::Listen(uint16_t port) {
  if (input_bytes_ == 0) return 0;
  listening_ = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(listening_, any, bytes) != 0 || listen(listening_, 64) != 0 ||
      getsockname(listening_, any, &bytes) != 0) {
    std::perror("server: listen");
    return 0;
  }
  accepting_ = std::thread([this] { Accept(); });
  return ntohs(address.sin_port);
}

void Service::Accept() {
  for (;;) {
    const int client = accept(listening_, nullptr, nullptr);
    if (client < 0) return;
    const int on = 1;
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    auto connection = std::make_shared<Connection>();
    connection->socket = client;
    const std::lock_guard<std::mutex> lock(mutex_);
    connections_.push_back(connection);
    threads_.emplace_back([this, connection] { Serve(connection); });
  }
}

void Service::Serve(const std::shared_ptr<Connection>& connection) {
  struct Member {
    std::shared_ptr<Session> session;
    size_t worker;
  };
  std::map<uint32_t, Member> members;
  const auto end = [&](const Member& member, const Header& header) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      --loads_[member.worker];
    }
    workers_[member.worker]->Put({member.session, header, {}});
  };
  Inbox inbox(connection->socket);
  Header header;
  while (inbox.Receive(&header, sizeof(header))) {
    const auto found = members.find(header.stream);
    if (header.kind == Kind::kJoin && found == members.end()) {
      auto session = std::make_shared<Session>();
      session->connection = connection;
      session->stream = header.stream;
      size_t worker = 0;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        worker =
            static_cast<size_t>(std::min_element(loads_.begin(), loads_.end()) - loads_.begin());
        ++loads_[worker];
      }
      members[header.stream] = {session, worker};
      workers_[worker]->Put({session, header, {}});
    } else if (header.kind == Kind::kFrame && found != members.end()) {
      std::vector<unsigned char> input(input_bytes_);
      if (!inbox.Receive(input.data(), input.size())) break;
      workers_[found->second.worker]->Put({found->second.session, header, std::move(input)});
    } else if (header.kind == Kind::kLeave && found != members.end()) {
      end(found->second, header);
      members.erase(found);
    } else {
      break;  // not the protocol
    }
  }
  for (const auto& [stream, member] : members) end(member, {stream, Kind::kLeave, 0});
}

void Service::Stop() {
  if (listening_ >= 0) {
    shutdown(listening_, SHUT_RDWR);
    accepting_.join();
    close(listening_);
    listening_ = -1;
  }
  for (const auto& connection : connections_) shutdown(connection->socket, SHUT_RDWR);
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  for (const auto& worker : workers_) worker->Stop();
  for (const auto& connection : connections_) close(connection->socket);
  connections_.clear();
}

WorkerCounts Service::counts() const {
  WorkerCounts sum;
  for (const auto& worker : workers_) {
    sum.frames += worker->counts().frames;
    sum.runs += worker->counts().runs;
    sum.moves += worker->counts().moves;
  }
  return sum;
}

}  // namespace server
