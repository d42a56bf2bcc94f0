// SPDX-License-Identifier: Apache-2.0
// Traces of ROS 2 for Python: wirecost._ctf.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "wirecost/ctf/check.hpp"
#include "wirecost/ctf/layout.hpp"
#include "wirecost/ctf/merged_streams.hpp"
#include "wirecost/ctf/ros2_trace.hpp"

namespace nb = nanobind;

namespace {

using namespace wirecost::ctf;

using StepNumbers = std::array<std::int64_t, 11>;
using OptionNumbers = std::array<std::int64_t, 4>;
using EventNumbers = std::array<std::int64_t, 6>;
using StreamNumbers = std::pair<std::array<std::int64_t, 7>, std::vector<EventNumbers>>;

std::uint32_t index(std::int64_t number) {
  if (number < 0 || number > UINT32_MAX) throw std::invalid_argument("a layout with a wrong index");
  return static_cast<std::uint32_t>(number);
}

Range range(std::int64_t first, std::int64_t last) { return {index(first), index(last)}; }

Step step(const StepNumbers& n) {
  const bool sound = n[0] >= 0 && n[0] <= static_cast<std::int64_t>(Op::align) && n[4] >= 0 &&
                     n[4] <= 64 && n[6] >= -1 && n[6] < slots && n[7] >= -1 && n[7] < slots;
  if (!sound) throw std::invalid_argument("a layout with a wrong step");
  return {.op = static_cast<Op>(n[0]),
          .is_signed = n[1] != 0,
          .big_endian = n[2] != 0,
          .clock = n[3] != 0,
          .size = static_cast<std::uint8_t>(n[4]),
          .align = index(n[5]),
          .slot = static_cast<std::int32_t>(n[6]),
          .from = static_cast<std::int32_t>(n[7]),
          .count = index(n[8]),
          .first = index(n[9]),
          .last = index(n[10])};
}

template <class Value>
auto array_of(std::vector<Value>&& values) {
  auto* owned = new std::vector<Value>(std::move(values));
  const nb::capsule owner(owned,
                          [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  return nb::ndarray<nb::numpy, Value, nb::ndim<1>>(owned->data(), {owned->size()}, owner);
}

/// Traces of one clock, read once, in parts.
class Reader {
 public:
  Reader(double ns_per_tick, std::int64_t epoch_ns) : trace_(ns_per_tick, epoch_ns) {}

  /// Adds the streams of a trace, before the first event is read.
  void add(const std::vector<StepNumbers>& steps, const std::vector<OptionNumbers>& options,
           std::pair<std::int64_t, std::int64_t> packet_header,
           const std::vector<StreamNumbers>& streams, const std::vector<std::string>& paths) {
    Layout& layout = layouts_.emplace_back();
    for (const StepNumbers& numbers : steps) layout.steps.push_back(step(numbers));
    for (const auto& [low, high, first, last] : options)
      layout.options.push_back({low, high, range(first, last)});
    layout.packet_header = range(packet_header.first, packet_header.second);
    for (const auto& [numbers, events] : streams) {
      StreamLayout& stream = layout.streams[numbers[0]];
      stream.packet_context = range(numbers[1], numbers[2]);
      stream.event_header = range(numbers[3], numbers[4]);
      stream.event_context = range(numbers[5], numbers[6]);
      for (const auto& [id, kind, context, context_end, fields, fields_end] : events)
        stream.events[id] = {static_cast<std::int32_t>(kind), range(context, context_end),
                             range(fields, fields_end)};
    }
    if (!is_sound(layout)) throw std::invalid_argument("a layout that contradicts itself");
    streams_.add(layout, paths);
  }
  Reader(const Reader&) = delete;

  /// At most so many events; false after the last.
  bool run(std::uint64_t most) {
    const nb::gil_scoped_release released;
    for (std::uint64_t i = 0; i < most; ++i) {
      const StreamFile* file = streams_.next();
      if (file == nullptr) return false;
      ++events_;
      trace_.event(file->event().kind, file->time(), file->values());
    }
    return true;
  }

  std::uint64_t events() const { return events_; }
  const std::vector<std::string>& sections() const { return trace_.rows().names(); }

  std::vector<std::tuple<std::uint32_t, std::uint32_t, nb::bytes>> threads() const {
    std::vector<std::tuple<std::uint32_t, std::uint32_t, nb::bytes>> found;
    for (const ThreadInfo& info : trace_.threads())
      found.emplace_back(info.process, info.thread,
                         nb::bytes(info.program.data(), info.program.size()));
    return found;
  }

  std::vector<nb::bytes> section_names() const {
    std::vector<nb::bytes> found;
    for (const std::string& name : sections()) found.emplace_back(name.data(), name.size());
    return found;
  }

  /// Rows of these sections; of a thread or, with -1, of all.
  nb::tuple rows(const std::vector<std::int64_t>& wanted, std::int64_t thread) const {
    std::vector<bool> is_section_wanted(this->sections().size());
    for (const std::int64_t section : wanted) {
      if (section < 0 || static_cast<std::size_t>(section) >= is_section_wanted.size())
        throw std::invalid_argument("no section of this number");
      is_section_wanted[static_cast<std::size_t>(section)] = true;
    }
    std::size_t count = 0;
    const auto is_wanted = [&](const Group& group) {
      return is_section_wanted[group.section] && (thread < 0 || group.thread == thread);
    };
    for (const auto& [group, rows] : trace_.rows().groups())
      if (is_wanted(group)) count += rows.count();
    std::vector<std::int64_t> begin(count), end(count);
    std::vector<std::uint64_t> loop(count), message(count);
    std::vector<std::uint32_t> sections(count), parents(count), threads(count);
    std::vector<std::uint8_t> kinds(count), depths(count);
    std::size_t at = 0;
    for (const auto& [group, rows] : trace_.rows().groups()) {
      if (!is_wanted(group)) continue;
      for (const std::vector<Row>& block : rows.blocks())
        for (const Row& row : block) {
          begin[at] = row.begin_ns;
          end[at] = row.end_ns;
          loop[at] = row.loop;
          message[at] = row.message;
          sections[at] = group.section;
          parents[at] = group.parent;
          threads[at] = group.thread;
          kinds[at] = group.kind;
          depths[at] = group.depth;
          ++at;
        }
    }
    return nb::make_tuple(
        array_of(std::move(begin)), array_of(std::move(end)), array_of(std::move(loop)),
        array_of(std::move(message)), array_of(std::move(sections)), array_of(std::move(parents)),
        array_of(std::move(threads)), array_of(std::move(kinds)), array_of(std::move(depths)));
  }

  std::vector<std::uint64_t> counts() const {
    std::vector<std::uint64_t> found(sections().size());
    for (const auto& [group, rows] : trace_.rows().groups()) found[group.section] += rows.count();
    return found;
  }

  std::vector<std::uint64_t> counts_of_threads() const {
    std::vector<std::uint64_t> found(trace_.threads().size());
    for (const auto& [group, rows] : trace_.rows().groups()) found[group.thread] += rows.count();
    return found;
  }

  std::uint64_t discarded() const { return sum(&StreamFile::discarded); }
  std::uint64_t damaged() const { return sum(&StreamFile::damaged); }
  std::uint64_t cut_off() const { return sum(&StreamFile::cut_off); }
  std::uint64_t unmatched() const { return trace_.unmatched(); }
  std::uint64_t ignored() const { return trace_.ignored(); }

 private:
  template <class Result>
  std::uint64_t sum(Result (StreamFile::*count)() const) const {
    std::uint64_t all = 0;
    for (const auto& file : streams_.files()) all += static_cast<std::uint64_t>((*file.*count)());
    return all;
  }

  std::deque<Layout> layouts_;
  Ros2Trace trace_;
  MergedStreams streams_;
  std::uint64_t events_ = 0;
};

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): as nanobind writes it
NB_MODULE(_ctf, module) {
  nb::set_leak_warnings(false);
  const nb::exception<TraceError> error(module, "TraceError");
  nb::class_<Reader>(module, "Reader")
      .def(nb::init<double, std::int64_t>())
      .def("add", &Reader::add)
      .def("run", &Reader::run)
      .def("rows", &Reader::rows)
      .def("counts", &Reader::counts)
      .def("counts_of_threads", &Reader::counts_of_threads)
      .def("section_names", &Reader::section_names)
      .def("threads", &Reader::threads)
      .def_prop_ro("events", &Reader::events)
      .def_prop_ro("discarded", &Reader::discarded)
      .def_prop_ro("damaged", &Reader::damaged)
      .def_prop_ro("cut_off", &Reader::cut_off)
      .def_prop_ro("unmatched", &Reader::unmatched)
      .def_prop_ro("ignored", &Reader::ignored);
}
