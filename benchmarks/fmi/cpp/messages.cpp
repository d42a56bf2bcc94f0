// SPDX-License-Identifier: Apache-2.0
// Messages from one FMU to the other, in this process or from another.
#include <iostream>
#include <memory>
#include <vector>

#include "fmi/cpp/exchange.hpp"
#include "fmi/cpp/other_process.hpp"

namespace wirecost::bench::fmi {
namespace {

constexpr std::size_t warm_up = 8;  ///< exchanges after which every buffer has its pages

/// Passes the OSMP triple of a message.
void carry_osmp(auto& source, auto& sink) {
  static constexpr std::uint32_t out[] = {osmp_out, osmp_out + 1, osmp_out + 2};
  static constexpr std::uint32_t in[] = {osmp_in, osmp_in + 1, osmp_in + 2};
  std::int32_t triple[3];
  source.get(out, 3, triple);
  sink.set(in, 3, triple);
}

void carry_binary(Fmi3& source, Fmi3& sink, std::uint32_t out = binary_out,
                  std::uint32_t in = binary_in) {
  std::size_t size;
  fmi3Binary message;
  source.get(&out, 1, &size, &message);
  sink.set(&in, 1, &size, &message);
}

void carry_sequence(Fmi3& source, Fmi3& sink) {
  static constexpr std::uint32_t out = memory_out + 3, in = memory_in + 3;
  std::uint64_t sequence;
  source.get(&out, 1, &sequence);
  sink.set(&in, 1, &sequence);
}

/// Connects a memory terminal: name, size and layout, once, as an importer connects variables.
struct Connection {
  const char *name, *layout;
  std::uint64_t size;

  explicit Connection(Fmi3& source) {
    constexpr std::uint32_t texts[] = {memory_out, memory_out + 2}, number = memory_out + 1;
    const char* found[2];
    source.get(&number, 1, &size);
    source.get(texts, 2, found);
    name = found[0], layout = found[1];
  }
  void set(Fmi3& sink) const {
    constexpr std::uint32_t texts[] = {memory_in, memory_in + 2}, number = memory_in + 1;
    const char* const values[] = {name, layout};
    sink.set(texts, 2, values);
    sink.set(&number, 1, &size);
  }
};

template <class Fmi>
void set_parameters(Fmi& source, const Request& request) {
  constexpr std::uint32_t references[] = {message_size, buffers, in_memfd};
  // memory-2: two buffers; memory-2-memfd
  const bool is_memory = request.carrier.starts_with("memory-");
  const std::int32_t values[] = {static_cast<std::int32_t>(request.bytes),
                                 is_memory ? request.carrier.at(7) - '0' : 0,
                                 request.carrier.find("memfd") != std::string::npos};
  source.set(references, 3, values);
}

/// Answers with exchanges; `number` and `copies` are what the reading FMU received and copied.
template <class Fmi>
void answer_messages(Fmi& source, const std::function<void()>& exchange,
                     const std::function<double()>& number, const std::function<double()>& copies) {
  const auto run = [&](std::size_t repeats) {
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) exchange();
    if (number() != number_of(source, written))
      throw std::runtime_error("the newest message was not read");
  };
  run(warm_up);
  answer([&](std::size_t repeats) {
    exchange();  // in parallel, one is on its way when time begins, and one when it ends
    const double before = number_of(source, copied) + copies();
    const auto begin = Clock::now();
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) exchange();
    const auto end = Clock::now();
    std::cout << per(begin, end, repeats) << '\t'
              << (number_of(source, copied) + copies() - before) / static_cast<double>(repeats);
    run(1);
  });
}

void messages_between_processes(const Request& request, const Library& library) {
  Fmi3 source(library, token(request), false);
  set_parameters(source, request);
  const bool is_memory = request.carrier.starts_with("memory-");
  const bool is_parallel = request.carrier.find("parallel") != std::string::npos;
  Connection terminal(source);
  source.start();
  OtherProcess other([&](Channel& channel) {
    Fmi3 sink(library, token(request), false);
    if (is_memory) terminal.set(sink);
    sink.start();
    std::vector<fmi3UInt8> message;
    Head head;
    while (channel.receive(&head, sizeof head)) {
      if (is_memory) {
        constexpr std::uint32_t in = memory_in + 3;
        sink.set(&in, 1, &head.sequence);
      } else {
        message.resize(head.size);
        channel.receive(message.data(), head.size);
        constexpr std::uint32_t in = binary_in;
        const fmi3Binary bytes = message.data();
        sink.set(&in, 1, &head.size, &bytes);
      }
      sink.step();
      const Tail tail{number_of(sink, received), number_of(sink, copied)};
      channel.send(&tail, sizeof tail);
    }
  });
  Tail tail{};
  bool is_read = true;
  const auto wait = [&] {
    if (!is_read && !other.channel.receive(&tail, sizeof tail))
      throw std::runtime_error("the other process has ended");
    is_read = true;
  };
  const auto exchange = [&] {
    source.step();
    wait();  // in parallel: for the message before, which was read meanwhile
    Head head{};
    fmi3Binary message = nullptr;
    if (is_memory) {
      constexpr std::uint32_t out = memory_out + 3;
      source.get(&out, 1, &head.sequence);
    } else {
      constexpr std::uint32_t out = binary_out;
      source.get(&out, 1, &head.size, &message);
    }
    other.channel.send(&head, sizeof head);
    if (message) other.channel.send(message, head.size);
    is_read = false;
    if (!is_parallel) wait();
  };
  const auto number = [&] {
    wait();
    return tail.received;
  };
  answer_messages(source, exchange, number, [&] { return tail.copied; });
}

template <class Fmi>
void messages(const Request& request) {
  const Library library(request.library);
  const std::string& carrier = request.carrier;
  const bool has_events = carrier == "clocked";
  if constexpr (std::is_same_v<Fmi, Fmi3>)
    if (carrier.ends_with("-processes")) return messages_between_processes(request, library);
  Fmi source(library, token(request), has_events), sink(library, token(request), has_events);
  set_parameters(source, request);
  std::function<void()> exchange;
  if (carrier == "none" || carrier == "osmp")
    exchange = [&, connected = false]() mutable {
      source.step();
      // The floor: its address never changes, so that only writing and reading are left.
      if (carrier == "osmp" || !connected) carry_osmp(source, sink);
      connected = true;
      sink.step();
    };
  if constexpr (std::is_same_v<Fmi, Fmi3>) {
    if (carrier == "binary")
      exchange = [&] {
        source.step();
        carry_binary(source, sink);
        sink.step();
      };
    if (carrier == "clocked")
      exchange = [&] {
        if (source.step()) {
          source.begin_event();
          if (source.ticks(clock_out)) {
            sink.begin_event();
            sink.tick(clock_in);
            carry_binary(source, sink, clocked_out, clocked_in);
            sink.end_event();
          }
          source.end_event();
        }
        sink.step();
      };
    if (carrier.starts_with("memory-")) {
      Connection(source).set(sink);
      exchange = [&] {
        source.step();
        carry_sequence(source, sink);
        sink.step();
      };
    }
  }
  if (!exchange) throw std::invalid_argument("no such carrier in this FMI: " + carrier);
  source.start(), sink.start();
  answer_messages(
      source, exchange, [&] { return number_of(sink, received); },
      [&] { return number_of(sink, copied); });
}

}  // namespace

void exchange_messages(const Request& request) {
  request.fmi == 2 ? messages<Fmi2>(request) : messages<Fmi3>(request);
}

}  // namespace wirecost::bench::fmi
