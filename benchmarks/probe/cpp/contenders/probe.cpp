// SPDX-License-Identifier: Apache-2.0
// The probe library as programs use it, linked as a shared library. What it saw is in its log.
#include "wirecost/probe.h"

#include "probe/cpp/contenders.hpp"
#include "probe/cpp/counters.hpp"

namespace wirecost::bench::probe {
namespace {

struct Section {
  std::string prepare() {
    wirecost_probe_prepare_thread();
    return "";
  }
  void begin() { wirecost_probe_begin(1, WIRECOST_PROBE_COUNT_LOOPS); }
  void end() { wirecost_probe_end(1, 0); }
  Seen last() const { return {}; }
};

class Marks {
 public:
  std::string prepare() {
    wirecost_probe_prepare_thread();
    return "";
  }
  void begin() { wirecost_probe_mark(1, 0, loop_, 0); }
  void end() { wirecost_probe_mark(1, 1, loop_++, 0); }
  Seen last() const { return {}; }

 private:
  std::uint64_t loop_ = 0;
};

}  // namespace

void add_probe(Contenders& all) {
  add<Section>(all, {times, "section", "off", "", "", "a section where nothing is recorded", 0});
  add<Section>(all, {times, "section", "", "none", "sections", "a section with its times", 0});
  add<Marks>(all, {times, "marks", "", "none", "marks", "two marks", 0});
  add<Section>(all, {software_counters, "section", "", names_of(software), "sections",
                     "a section with four software counters", 2});
  add<Section>(all, {hardware_counters, "section", "", names_of(hardware), "sections",
                     "a section with two hardware counters", 0});
  add<Section>(all, {hardware_counters, "section", "mixed",
                     names_of(hardware).append(",").append(names_of(software)), "sections",
                     "a section with two hardware and four software counters", 2});
  add<Section>(all, {other_counters, "section", "", "minor-faults", "sections",
                     "a section with minor faults alone", 2});
  add<Section>(all, {other_counters, "section", "block IO", "minor-faults,block-input,block-output",
                     "sections", "the same with block IO", 2});
  add<Section>(all, {other_counters, "section", "queue", "minor-faults,run-queue-wait-ns",
                     "sections", "the same with the wait for a processor", 4});
  add<Section>(all,
               {other_counters, "section", "waits", "minor-faults,run-queue-wait-ns,blocked-ns",
                "sections", "the same with both waits", 6});
  add<Section>(all, {other_counters, "section", "calls", "minor-faults,system-calls", "sections",
                     "the same with system calls", 4});
}

}  // namespace wirecost::bench::probe
