// SPDX-License-Identifier: Apache-2.0
#include "bench/transport/commands.hpp"

#include <unistd.h>

#include <iostream>
#include <thread>
#include <utility>

namespace wirecost::bench::transport {

namespace {

constexpr std::size_t longest_line = 1U << 20U;

}  // namespace

Commands::Commands() : out_(dup(STDOUT_FILENO)) {
  dup2(STDERR_FILENO, STDOUT_FILENO);
  std::thread([this] { read(); }).detach();
}

void Commands::read() {
  std::string line;
  while (std::getline(std::cin, line) && line.size() <= longest_line) {
    auto command = nlohmann::json::parse(line, nullptr, false);
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
    waiting_ = true;
    changed_.notify_one();
  }
  const std::lock_guard lock(mutex_);
  ended_ = waiting_ = true;
  changed_.notify_one();
}

std::optional<nlohmann::json> Commands::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_ || !commands_.empty(); });
  if (commands_.empty()) return std::nullopt;
  auto command = std::move(commands_.front());
  commands_.pop_front();
  waiting_ = ended_ || !commands_.empty();
  return command;
}

std::optional<nlohmann::json> Commands::next(std::chrono::milliseconds time) {
  {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, time, [this] { return !commands_.empty(); })) return std::nullopt;
  }
  return next();
}

void Commands::answer(const nlohmann::json& answer) {
  // Names of files and libraries may be no UTF-8.
  std::string line = answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  std::size_t done = 0;
  while (done < line.size()) {
    const auto written = write(out_, line.data() + done, line.size() - done);
    if (written <= 0) _exit(0);  // nobody drives this any more
    done += static_cast<std::size_t>(written);
  }
}

}  // namespace wirecost::bench::transport
