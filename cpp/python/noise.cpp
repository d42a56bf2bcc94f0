// SPDX-License-Identifier: Apache-2.0
// A thread that does nothing but read the clock, and so sees what is taken from it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace {

using Gap = std::pair<std::int64_t, std::int64_t>;

/// All times in nanoseconds.
struct Noise {
  std::int64_t elapsed = 0, lost = 0;
  std::uint64_t reads = 0, gaps = 0;
  /// The shortest time between two reads: what the loop itself takes.
  std::int64_t step = 0;
  /// Of each power of two, how many gaps are at least that and less than the next.
  std::array<std::uint64_t, 64> histogram{};
  /// Length and start since the beginning, the longest first.
  std::vector<Gap> longest;
  std::int64_t voluntary_switches = 0, involuntary_switches = 0, minor_faults = 0;
};

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

rusage thread_usage() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage;
}

class Recorder {
 public:
  explicit Recorder(std::size_t keep) : keep_(keep) {
    // Touched now: a page fault while spinning would be a gap of our own making.
    noise.longest.assign(keep + 1, Gap{});
    noise.longest.clear();
  }
  void add(std::int64_t start, std::int64_t length) {
    ++noise.gaps;
    noise.lost += length;
    ++noise.histogram[std::bit_width(static_cast<std::uint64_t>(length)) - 1];
    auto& heap = noise.longest;
    if (heap.size() == keep_ && length <= heap.front().first) return;
    heap.emplace_back(length, start);
    std::ranges::push_heap(heap, std::greater{});
    if (heap.size() <= keep_) return;
    std::ranges::pop_heap(heap, std::greater{});
    heap.pop_back();
  }
  Noise noise;

 private:
  std::size_t keep_;
};

/// Spins on the calling thread; its CPU and priority are the caller's to set.
Noise spin(std::int64_t duration, std::int64_t threshold, std::size_t keep) {
  if (threshold < 1 || keep < 1) throw nb::value_error("threshold and keep must be positive");
  const nb::gil_scoped_release unlocked;
  Recorder recorder(keep);
  Noise& noise = recorder.noise;
  noise.step = INT64_MAX;
  const rusage before = thread_usage();
  const std::int64_t start = now_ns();
  std::int64_t last = start;
  while (last - start < duration) {
    const std::int64_t now = now_ns();
    const std::int64_t length = now - last;
    ++noise.reads;
    noise.step = std::min(noise.step, length);
    if (length >= threshold) {
      recorder.add(last - start, length);
      // Recording takes time of its own, which nobody took from us.
      last = now_ns();
    } else {
      last = now;
    }
  }
  noise.elapsed = last - start;
  const rusage after = thread_usage();
  noise.voluntary_switches = after.ru_nvcsw - before.ru_nvcsw;
  noise.involuntary_switches = after.ru_nivcsw - before.ru_nivcsw;
  noise.minor_faults = after.ru_minflt - before.ru_minflt;
  std::ranges::sort(noise.longest, std::greater{});
  return std::move(recorder.noise);
}

}  // namespace

void bind_noise(nb::module_& m) {
  nb::class_<Noise>(m, "Noise")
      .def_ro("elapsed_ns", &Noise::elapsed)
      .def_ro("lost_ns", &Noise::lost)
      .def_ro("reads", &Noise::reads)
      .def_ro("gaps", &Noise::gaps)
      .def_ro("step_ns", &Noise::step)
      .def_ro("histogram", &Noise::histogram)
      .def_ro("longest", &Noise::longest)
      .def_ro("voluntary_switches", &Noise::voluntary_switches)
      .def_ro("involuntary_switches", &Noise::involuntary_switches)
      .def_ro("minor_faults", &Noise::minor_faults);
  m.def("spin", &spin, nb::arg("duration_ns"), nb::arg("threshold_ns"), nb::arg("keep"));
}
