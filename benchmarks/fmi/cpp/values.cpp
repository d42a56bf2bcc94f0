// SPDX-License-Identifier: Apache-2.0
// Values of one type from one FMU to the other.
#include <algorithm>
#include <iostream>
#include <vector>

#include "fmi/cpp/exchange.hpp"

namespace wirecost::bench::fmi {
namespace {

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
void exchange(const Request& request, const A& expected, const A& blank, auto is_same) {
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
  // What was right before must not stand in for what is exchanged now.
  const auto forget = [&] {
    A other = blank;
    moved = blank;
    other.set(sink, in.data(), 0, count);
  };
  const auto verify = [&] {
    A read(count);
    sink.step();
    read.get(sink, out.data(), 0, count);
    for (std::size_t at = 0; at < count; ++at)
      if (!is_same(read, expected, at))
        throw std::runtime_error("value " + std::to_string(at) + " is not what was set");
  };
  forget(), get(), set(), verify();
  answer([&](std::size_t repeats) {
    forget();
    const double copies = number_of(source, copied) + number_of(sink, copied);
    const auto begin = Clock::now();
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) get();
    const auto between = Clock::now();
    // A pointer is valid until the next call to its FMU: one call gets those that are set.
    if (is_each) moved.get(source, out.data(), 0, count);
    const auto set_begin = Clock::now();
    for (std::size_t repeat = 0; repeat < repeats; ++repeat) set();
    const auto end = Clock::now();
    std::cout << per(begin, between, repeats) << '\t' << per(set_begin, end, repeats) << '\t'
              << (number_of(source, copied) + number_of(sink, copied) - copies) /
                     static_cast<double>(repeats);
    verify();
  });
}

template <class Fmi>
void values(const Request& request) {
  const auto equal = [](const auto& one, const auto& other, std::size_t at) {
    return one.values[at] == other.values[at];
  };
  if (request.type == "float64") {
    Array<double> expected(request.count), blank(request.count);
    for (std::size_t at = 0; at < request.count; ++at) expected.values[at] = 0.5 + double(at);
    return exchange<Fmi>(request, expected, blank, equal);
  }
  if (request.type == "int32") {
    Array<std::int32_t> expected(request.count), blank(request.count);
    for (std::size_t at = 0; at < request.count; ++at) expected.values[at] = -1 - std::int32_t(at);
    return exchange<Fmi>(request, expected, blank, equal);
  }
  const std::vector<std::string> content = texts(request);
  if (request.type == "string") {
    Array<const char*> expected(request.count), blank(request.count);
    std::ranges::fill(blank.values, "");
    for (std::size_t at = 0; at < request.count; ++at) expected.values[at] = content[at].c_str();
    return exchange<Fmi>(request, expected, blank, [](auto& one, auto& other, std::size_t at) {
      return std::string_view(one.values[at]) == other.values[at];
    });
  }
  if constexpr (std::is_same_v<Fmi, Fmi3>)
    if (request.type == "binary") {
      BinaryArray expected(request.count), blank(request.count);
      for (std::size_t at = 0; at < request.count; ++at) {
        expected.sizes[at] = content[at].size();
        expected.values[at] = reinterpret_cast<fmi3Binary>(content[at].data());
      }
      return exchange<Fmi>(request, expected, blank, [](auto& one, auto& other, std::size_t at) {
        return std::ranges::equal(std::span(one.values[at], one.sizes[at]),
                                  std::span(other.values[at], other.sizes[at]));
      });
    }
  throw std::invalid_argument("no such values in this FMI: " + request.type);
}

}  // namespace

void exchange_values(const Request& request) {
  request.fmi == 2 ? values<Fmi2>(request) : values<Fmi3>(request);
}

}  // namespace wirecost::bench::fmi
