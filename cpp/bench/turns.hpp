// SPDX-License-Identifier: Apache-2.0
// Contenders of one program in turns, in another order in each round, and the lines that Python
// reads (measure/bench/engine/turns.py):
//   absent  name, why        it cannot take part
//   failed  name, why        its work was not right
//   fact    name, fact, n    a number of it
//   sample  name, round, bytes, and nanoseconds of each stage
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace wirecost::bench {

template <class Contender>
struct Runner {
  std::string name;
  std::unique_ptr<Contender> contender;
};

inline void print_fact(const std::string& name, const char* fact, double number) {
  std::printf("fact\t%s\t%s\t%.17g\n", name.c_str(), fact, number);
}

inline void print_sample(const std::string& name, std::size_t round, double bytes,
                         std::initializer_list<double> stages_ns) {
  std::printf("sample\t%s\t%zu\t%.17g", name.c_str(), round, bytes);
  for (const double ns : stages_ns) std::printf("\t%.17g", ns);
  std::printf("\n");
}

/// Makes the contenders of a list by `make`, which returns a pointer to one, or throws.
template <class Listed, class Make>
auto runners_of(const std::vector<Listed>& all, Make make) {
  std::vector<Runner<typename decltype(make(all.front()))::element_type>> runners;
  for (const Listed& listed : all) try {
      runners.push_back({listed.name, make(listed)});
    } catch (const std::exception& error) {
      std::printf("absent\t%s\t%s\n", listed.name.c_str(), error.what());
    }
  return runners;
}

/// Calls `turn` with a runner and the round's number. Round 0 is not timed: it warms up, and in it
/// everything is checked. A contender whose turn throws has failed and gets no more turns.
template <class Contender, class Turn>
void in_turns(std::vector<Runner<Contender>> runners, std::size_t rounds, std::size_t seed,
              Turn turn) {
  std::mt19937_64 random(seed);
  for (std::size_t round = 0; round <= rounds; ++round) {
    std::ranges::shuffle(runners, random);
    for (Runner<Contender>& runner : runners) try {
        turn(runner, round);
      } catch (const std::exception& error) {
        std::printf("failed\t%s\t%s\n", runner.name.c_str(), error.what());
        runner.contender = nullptr;
      }
    std::erase_if(runners, [](const auto& runner) { return runner.contender == nullptr; });
    std::fflush(stdout);
  }
}

}  // namespace wirecost::bench
