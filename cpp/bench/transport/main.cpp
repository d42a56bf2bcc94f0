// SPDX-License-Identifier: Apache-2.0
// A native client of `wirecost bench transport`; bench/transport/protocol.py says what it answers.
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "bench/transport/client.hpp"

namespace {

using nlohmann::json;
namespace transport = wirecost::bench::transport;

constexpr unsigned most_seconds_to_end = 2;

json hello() {
  const auto [name, version, transports] = transport::library();
  std::vector<std::string> roles{"publisher", "subscriber"};
  if (transport::has_requests()) roles.insert(roles.end(), {"requester", "replier"});
  return {{"protocol", 2},
          {"client", "native"},
          {"transports", transports},
          {"roles", roles},
          {"versions", {{name, version}}}};
}

json answer_to(transport::Client& client, const json& command) {
  if (!command.is_object()) return {{"failure", "a command is a JSON object on one line"}};
  try {
    const std::string asked = command.at("do");
    if (asked == "hello") return hello();
    if (asked == "open") return client.open(command);
    if (asked == "prime") return client.prime(command);
    if (asked == "run") return client.run(command);
    if (asked == "finish") return nullptr;
    return {{"failure", "'" + asked + "' is no command"}};
  } catch (const std::exception& error) {
    return {{"failure", error.what()}};
  }
}

bool is_close(const json& command) {
  const auto found = command.find("do");
  return command.is_object() && found != command.end() && *found == "close";
}

/// Does not return: the thread that reads commands still runs.
void serve() {
  transport::Commands commands;
  {
    transport::Client client(commands);
    while (const auto command = commands.next()) {
      if (is_close(*command)) break;
      if (const json answer = answer_to(client, *command); !answer.is_null())
        commands.answer(answer);
    }
    // Some middlewares hang when they are closed.
    (void)std::signal(SIGALRM, [](int) { _exit(0); });
    alarm(most_seconds_to_end);
  }
  _exit(0);
}

}  // namespace

int main() {
  (void)std::signal(SIGINT, SIG_IGN);  // Ctrl-C is for whoever drives this
  (void)std::signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_TIMERSLACK, 1);  // a sleep ends when it is due, not up to 50 us later
  try {
    serve();
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
  }
  _exit(1);
}
