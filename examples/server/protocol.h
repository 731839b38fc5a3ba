// SPDX-License-Identifier: Apache-2.0
// Messages between a client and the server, over TCP on loopback. Both are on one machine, so
// numbers have its byte order.
#ifndef WEFT_EXAMPLES_SERVER_PROTOCOL_H_
#define WEFT_EXAMPLES_SERVER_PROTOCOL_H_

#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace server {

enum class Kind : uint32_t { kJoin = 1, kFrame = 2, kLeave = 3 };

// A request. A frame is followed by the input of the stream, and its answer, a header with the same
// fields, by the output. Joining and leaving have no answer.
struct Header {
  uint32_t stream;  // chosen by the client, unique in its connection
  Kind kind;
  uint64_t frame;  // number of the frame, returned with the answer
};

// Messages that are sent together.
class Outbox {
 public:
  void Add(const Header& header, const void* bytes, size_t count) {
    Append(&header, sizeof(header));
    Append(bytes, count);
  }
  // Returns false at the end of the connection.
  bool Send(int socket) {
    size_t sent = 0;
    while (sent < bytes_.size()) {
      const ssize_t now = send(socket, bytes_.data() + sent, bytes_.size() - sent, MSG_NOSIGNAL);
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) return false;
      sent += static_cast<size_t>(now);
    }
    bytes_.clear();
    return true;
  }

 private:
  void Append(const void* bytes, size_t count) {
    const auto* first = static_cast<const unsigned char*>(bytes);
    bytes_.insert(bytes_.end(), first, first + count);
  }
  std::vector<unsigned char> bytes_;
};

// Received bytes. The messages of one call of `recv` need no further system calls.
class Inbox {
 public:
  explicit Inbox(int socket) : socket_(socket), bytes_(size_t{1} << 16) {}

  // Returns false at the end of the connection.
  bool Receive(void* to, size_t count) {
    auto* next = static_cast<unsigned char*>(to);
    while (count > 0) {
      if (begin_ == end_ && !Refill()) return false;
      const size_t now = count < end_ - begin_ ? count : end_ - begin_;
      std::memcpy(next, bytes_.data() + begin_, now);
      begin_ += now;
      next += now;
      count -= now;
    }
    return true;
  }

 private:
  bool Refill() {
    ssize_t got = 0;
    do got = recv(socket_, bytes_.data(), bytes_.size(), 0);
    while (got < 0 && errno == EINTR);
    begin_ = 0;
    end_ = got > 0 ? static_cast<size_t>(got) : 0;
    return got > 0;
  }

  int socket_;
  std::vector<unsigned char> bytes_;
  size_t begin_ = 0, end_ = 0;
};

}  // namespace server

#endif  // WEFT_EXAMPLES_SERVER_PROTOCOL_H_
