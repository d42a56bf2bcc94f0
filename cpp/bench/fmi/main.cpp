// SPDX-License-Identifier: Apache-2.0
// The C importer of `wirecost bench fmi`; its driver is Python and reads standard output.
//   built       compiler and flags
//   describe    modelDescription.xml of --fmi, with --count values of --type
//   terminals   terminalsAndIcons.xml
//   values      exchanges --count values of --type between two FMUs, --calls together, each or
//   array messages    exchanges messages of --bytes by --carrier
// The last two answer each line of standard input, a number of exchanges, with nanoseconds of an
// exchange and the bytes that FMUs copied in it; `values` with those of get and of set.
#include <algorithm>
#include <chrono>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>

#include "bench/arguments.hpp"
#include "bench/fmi/describe.hpp"
#include "bench/fmi/importer.hpp"
#include "bench/fmi/other_process.hpp"

namespace wirecost::bench::fmi {
namespace {

struct Request {
  std::string library, type = "message", calls = "together", carrier = "none";
  std::size_t fmi = 3, count = 0, bytes = 8;
};

using Clock = std::chrono::steady_clock;
double per(Clock::time_point begin, Clock::time_point end, std::size_t repeats) {
  return std::chrono::duration<double, std::nano>(end - begin).count() /
         static_cast<double>(repeats);
}

/// Calls `run` with each number that the driver writes.
void answer(const std::function<void(std::size_t)>& run) {
  std::cout << std::setprecision(12) << "ready" << std::endl;
  for (std::size_t repeats; std::cin >> repeats;) {
    if (repeats == 0) throw std::invalid_argument("give 1 exchange or more");
    run(repeats);
    std::cout << std::endl;
  }
}

std::string token(const Request& request) {
  return "wirecost-fmi-" + std::to_string(request.count);
}

template <class Fmi>
double copied_by(Fmi& fmu) {
  constexpr std::uint32_t reference = copied;
  double value;
  fmu.get(&reference, 1, &value);
  return value;
}

/// Values of one type in the arrays that FMI asks for.
template <class T>
struct Array {
  std::vector<T> values;
  explicit Array(std::size_t count) : values(count) {}

  void get(auto& fmu, const std::uint32_t* vr, std::size_t at, std::size_t count) {
    fmu.get(vr + at, count, values.data() + at);
  }
  void set(auto& fmu, const std::uint32_t* vr, std::size_t at, std::size_t count) {
    fmu.set(vr + at, count, values.data() + at);
  }
};

struct BinaryArray {
  std::vector<std::size_t> sizes;
  std::vector<fmi3Binary> values;
  explicit BinaryArray(std::size_t count) : sizes(count), values(count) {}

  void get(auto& fmu, const std::uint32_t* vr, std::size_t at, std::size_t count) {
    fmu.get(vr + at, count, sizes.data() + at, values.data() + at);
  }
  void set(auto& fmu, const std::uint32_t* vr, std::size_t at, std::size_t count) {
    fmu.set(vr + at, count, sizes.data() + at, values.data() + at);
  }
};

/// What the values are, each another; as many bytes as asked for where the type has a length.
std::vector<std::string> texts(const Request& request) {
  std::vector<std::string> found(request.count);
  for (std::size_t at = 0; at < request.count; ++at) {
    found[at] = std::to_string(at);
    found[at].resize(request.bytes, '.');
  }
  return found;
}

template <class Fmi, class A>
void exchange_values(const Request& request, const A& expected, auto is_same) {
  const Library library(request.library);
  Fmi source(library, token(request), false), sink(library, token(request), false);
  source.start(), sink.start();
  const std::size_t count = request.count;
  std::vector<std::uint32_t> out(count), in(count);
  for (std::size_t at = 0; at < count; ++at) {
    out[at] = values_out + static_cast<std::uint32_t>(at);
    in[at] = values_in + static_cast<std::uint32_t>(at);
  }
  A first = expected, moved(count);
  first.set(source, in.data(), 0, count);
  source.step();
  const bool is_each = request.calls == "each", is_array = request.calls == "array";
  const auto get = [&] {
    if constexpr (std::is_same_v<A, Array<double>> && std::is_same_v<Fmi, Fmi3>)
      if (is_array) return source.get_array(array_out, count, moved.values.data());
    if (is_each)
      for (std::size_t at = 0; at < count; ++at) moved.get(source, out.data(), at, 1);
    else
      moved.get(source, out.data(), 0, count);
  };
  const auto set = [&] {
    if constexpr (std::is_same_v<A, Array<double>> && std::is_same_v<Fmi, Fmi3>)
      if (is_array) return sink.set_array(array_in, count, moved.values.data());
    if (is_each)
      for (std::size_t at = 0; at < count; ++at) moved.set(sink, in.data(), at, 1);
    else
      moved.set(sink, in.data(), 0, count);
  };
  const auto verify = [&] {
    A read(count);
    sink.step();
    read.get(sink, out.data(), 0, count);
    for (std::size_t at = 0; at < count; ++at)
      if (!is_same(read, expected, at))
        throw std::runtime_error("value " + std::to_string(at) + " is not what was set");
  };
  get(), set(), verify();
  answer([&](std::size_t repeats) {
    const double copies = copied_by(source) + copied_by(sink);
    const auto begin = Clock::now();
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) get();
    const auto between = Clock::now();
    // A pointer is valid until the next call to its FMU: one call gets those that are set.
    if (is_each) moved.get(source, out.data(), 0, count);
    const auto set_begin = Clock::now();
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) set();
    const auto end = Clock::now();
    std::cout << per(begin, between, repeats) << '\t' << per(set_begin, end, repeats) << '\t'
              << (copied_by(source) + copied_by(sink) - copies) / static_cast<double>(repeats);
    verify();
  });
}

template <class Fmi>
void values(const Request& request) {
  const auto equal = [](const auto& one, const auto& other, std::size_t at) {
    return one.values[at] == other.values[at];
  };
  if (request.type == "float64") {
    Array<double> expected(request.count);
    for (std::size_t at = 0; at < request.count; ++at) expected.values[at] = 0.5 + double(at);
    return exchange_values<Fmi>(request, expected, equal);
  }
  if (request.type == "int32") {
    Array<std::int32_t> expected(request.count);
    for (std::size_t at = 0; at < request.count; ++at) expected.values[at] = -std::int32_t(at);
    return exchange_values<Fmi>(request, expected, equal);
  }
  const std::vector<std::string> content = texts(request);
  if (request.type == "string") {
    Array<const char*> expected(request.count);
    for (std::size_t at = 0; at < request.count; ++at) expected.values[at] = content[at].c_str();
    return exchange_values<Fmi>(request, expected, [](auto& one, auto& other, std::size_t at) {
      return std::string_view(one.values[at]) == other.values[at];
    });
  }
  if constexpr (std::is_same_v<Fmi, Fmi3>)
    if (request.type == "binary") {
      BinaryArray expected(request.count);
      for (std::size_t at = 0; at < request.count; ++at) {
        expected.sizes[at] = content[at].size();
        expected.values[at] = reinterpret_cast<fmi3Binary>(content[at].data());
      }
      return exchange_values<Fmi>(request, expected, [](auto& one, auto& other, std::size_t at) {
        return std::ranges::equal(std::span(one.values[at], one.sizes[at]),
                                  std::span(other.values[at], other.sizes[at]));
      });
    }
  throw std::invalid_argument("no such values in this FMI: " + request.type);
}

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

template <class Fmi>
double number_of(Fmi& fmu, std::uint32_t reference) {
  double value;
  fmu.get(&reference, 1, &value);
  return value;
}

/// Answers with exchanges whose sink is `received` and has copied `copies` bytes.
template <class Fmi>
void answer_messages(Fmi& source, const std::function<void()>& exchange,
                     const std::function<double()>& number, const std::function<double()>& copies) {
  const auto run = [&](std::size_t repeats) {
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) exchange();
    if (number() != number_of(source, written))
      throw std::runtime_error("the newest message was not read");
  };
  run(3 * most_buffers);  // every buffer has its pages
  answer([&](std::size_t repeats) {
    const double before = copied_by(source) + copies();
    const auto begin = Clock::now();
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) exchange();
    const auto end = Clock::now();
    std::cout << per(begin, end, repeats) << '\t'
              << (copied_by(source) + copies() - before) / static_cast<double>(repeats);
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
      const Tail tail{number_of(sink, received), copied_by(sink)};
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
      source, exchange, [&] { return number_of(sink, received); }, [&] { return copied_by(sink); });
}

void run(int argc, char** argv) {
  Request request;
  const std::string command = read_arguments(argc, argv,
                                             {{"--library", into(request.library)},
                                              {"--fmi", into(request.fmi)},
                                              {"--type", into(request.type)},
                                              {"--count", into(request.count)},
                                              {"--bytes", into(request.bytes)},
                                              {"--calls", into(request.calls)},
                                              {"--carrier", into(request.carrier)}});
  const bool is_fmi2 = request.fmi == 2;
  if (command == "built")
    std::cout << WIRECOST_COMPILER << '\t' << WIRECOST_FLAGS << '\n';
  else if (command == "describe")
    describe(is_fmi2, request.type, request.count, token(request));
  else if (command == "terminals")
    describe_terminals();
  else if (command == "values")
    is_fmi2 ? values<Fmi2>(request) : values<Fmi3>(request);
  else if (command == "messages")
    is_fmi2 ? messages<Fmi2>(request) : messages<Fmi3>(request);
  else
    throw std::invalid_argument("command " + command + " is not known");
}

}  // namespace
}  // namespace wirecost::bench::fmi

int main(int argc, char** argv) {
  try {
    wirecost::bench::fmi::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fmi: %s\n", error.what());
    return 2;
  }
}
