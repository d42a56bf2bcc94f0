// SPDX-License-Identifier: Apache-2.0
// The C++ side of the study of probes; its driver is Python and reads standard output.
//   built              compiler and flags
//   list               contenders, a line each: number, case, name, mode, counters, what its log
//                      holds, system calls per section, what it does
//   measure N FOLDER I…  contenders of these numbers take turns in this order, N samples each.
//                      A line each: `missing` number reason; `planted` number pages instructions ns
//                      counted, -1 what it does not see; `sample` number repetition nanoseconds
//                      per section. Contender i logs into FOLDER/i: planted sections first.
#include <signal.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "probe/cpp/contender_process.hpp"
#include "probe/cpp/contenders.hpp"

namespace wirecost::bench::probe {
namespace {

constexpr std::size_t sections_of_a_sample = 500;
constexpr std::size_t planted_sections = 100;
constexpr std::size_t most_planted_pages = 7;
constexpr std::size_t marks_of_a_section = 2;

Contenders all_contenders() {
  Contenders all;
  add_floors(all);
  add_probe(all);
  add_pmu_analyzer(all);
  return all;
}

void list() {
  std::size_t number = 0;
  for (const auto& one : all_contenders()) {
    const About& about = one->about();
    std::printf("%zu\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", number++, about.case_name.c_str(),
                about.name.c_str(), about.mode.c_str(), about.counters.c_str(),
                about.records.c_str(), about.system_calls, about.what.c_str());
  }
}

struct Numbered {
  std::size_t number;
  std::unique_ptr<ContenderProcess> process;
};

std::vector<Numbered> start(Contenders& contenders, std::size_t samples, const std::string& folder,
                            const std::vector<std::size_t>& numbers) {
  const std::size_t sections = planted_sections + samples * (sections_of_a_sample + warm_runs);
  std::vector<Numbered> processes;
  for (const std::size_t i : numbers) {
    const std::string logs = std::string(folder).append("/").append(std::to_string(i));
    auto process =
        std::make_unique<ContenderProcess>(*contenders.at(i), logs, sections * marks_of_a_section);
    if (process->missing().empty())
      processes.push_back({i, std::move(process)});
    else
      std::printf("missing\t%zu\t%s\n", i, process->missing().c_str());
  }
  return processes;
}

void measure(std::size_t samples, const std::string& folder,
             const std::vector<std::size_t>& numbers) {
  Contenders contenders = all_contenders();
  const std::vector<Numbered> processes = start(contenders, samples, folder, numbers);
  for (const Numbered& one : processes) {
    for (std::size_t i = 0; i < planted_sections; ++i) {
      const std::size_t pages = 1 + i % most_planted_pages;
      const Seen seen = one.process->plant(pages);
      std::printf("planted\t%zu\t%zu\t%zu\t%lld\t%lld\n", one.number, pages,
                  pages * planted_instructions, static_cast<long long>(seen.ns),
                  static_cast<long long>(seen.counted));
    }
  }
  for (std::size_t repetition = 0; repetition < samples; ++repetition) {
    for (const Numbered& one : processes) {
      const auto ns = static_cast<double>(one.process->measure(sections_of_a_sample));
      std::printf("sample\t%zu\t%zu\t%.3f\n", one.number, repetition, ns / sections_of_a_sample);
    }
    std::fflush(stdout);
  }
}

void run(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "built" && argc == 2) {
    std::printf("%s\t%s\n", WIRECOST_COMPILER, WIRECOST_FLAGS);
  } else if (command == "list" && argc == 2) {
    list();
  } else if (command == "measure" && argc > 4) {
    std::vector<std::size_t> numbers;
    for (int i = 4; i < argc; ++i) numbers.push_back(std::stoul(argv[i]));
    measure(std::stoul(argv[2]), argv[3], numbers);
  } else {
    throw std::invalid_argument("there are built, list, measure SAMPLES FOLDER NUMBER…");
  }
}

}  // namespace
}  // namespace wirecost::bench::probe

int main(int argc, char** argv) {
  // A failed write shows that a contender's process has ended.
  signal(SIGPIPE, SIG_IGN);
  try {
    wirecost::bench::probe::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "probe: %s\n", error.what());
    return 2;
  }
}
