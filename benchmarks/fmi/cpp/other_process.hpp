// SPDX-License-Identifier: Apache-2.0
// A second process of the C importer, and the socket between both.
#pragma once

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>

namespace wirecost::bench::fmi {

/// What goes to the other process in front of a message.
struct Head {
  std::uint64_t sequence;
  std::size_t size;
};
/// What it answers.
struct Tail {
  double received, copied;
};

class Channel {
 public:
  explicit Channel(int descriptor = -1) : descriptor_(descriptor) {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  void send(const void* from, std::size_t size) {
    const auto* at = static_cast<const char*>(from);
    while (size > 0) {
      const ssize_t sent = ::send(descriptor_, at, size, MSG_NOSIGNAL);
      if (sent <= 0) throw std::runtime_error("the other process has ended");
      at += sent, size -= static_cast<std::size_t>(sent);
    }
  }
  /// Returns false where the other end is closed.
  bool receive(void* to, std::size_t size) {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
      const ssize_t got = ::recv(descriptor_, at, size, MSG_WAITALL);
      if (got <= 0) return false;
      at += got, size -= static_cast<std::size_t>(got);
    }
    return true;
  }

 private:
  int descriptor_;
};

class OtherProcess {
  int ends_[2];

 public:
  explicit OtherProcess(const std::function<void(Channel&)>& body)
      : channel((make(ends_), ends_[0])) {
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("no other process could be started");
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(ends_[0]);
      int status = 0;
      try {
        Channel its(ends_[1]);
        body(its);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "fmi: other process: %s\n", error.what());
        status = 2;
      }
      _exit(status);
    }
    close(ends_[1]);
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;
  ~OtherProcess() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  Channel channel;

 private:
  static void make(int* ends) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
      throw std::runtime_error("no socket between processes");
  }

  pid_t process_;
};

}  // namespace wirecost::bench::fmi
