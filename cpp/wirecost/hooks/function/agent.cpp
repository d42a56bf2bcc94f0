// SPDX-License-Identifier: Apache-2.0
// Preloaded by `wirecost probe run --function`: records the calls of functions of a program as it
// is.
#include <pthread.h>

#include <exception>
#include <mutex>
#include <string>

#include "recorder.hpp"
#include "request.hpp"
#include "shadow.hpp"
#include "wirecost/hooks/own_work.hpp"
#include "wirecost/probe.h"
#include "wirecost/probe/undisturbed.hpp"

namespace {

using namespace wirecost::function;

std::mutex mutex;
Recorder* recorder = nullptr;

void search(bool later) {
  const wirecost::hooks::OwnWork own_work;
  const wirecost::probe::Undisturbed undisturbed;
  const std::lock_guard lock(mutex);
  try {
    recorder->search(later);
  } catch (const std::exception& error) {
    static constinit bool said = false;
    if (!said) say(std::string("functions are not recorded: ") + error.what());
    said = true;
  }
}

[[gnu::constructor]] void start() {
  if (wirecost_probe_enabled() == 0) return;
  try {
    std::vector<std::string> patterns = asked_patterns();
    if (patterns.empty()) return;
    // Never destroyed: libraries may come while the program ends.
    recorder = new Recorder(std::move(patterns), asked_patterns(objects_variable), asked_limit(),
                            asked_means());
  } catch (const std::exception&) {
    return;
  }
  // Behind those of the probe, which were registered when it was loaded: this mutex is taken before
  // its own, here as in search().
  pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); },
                 [] {
                   mutex.unlock();
                   after_fork_in_child();
                 });
  search(false);
  if (!watch_loading([] { search(true); }))
    say("functions of libraries that are opened later are not recorded: the loader gives no "
        "notice");
}

[[gnu::destructor]] void report() {
  const NotRecorded lost = not_recorded();
  if (lost.foreign_stack != 0)
    say(std::to_string(lost.foreign_stack) +
        " calls were on a stack other than their thread's (coroutines): not recorded");
  if (lost.threads != 0)
    say("more than " + std::to_string(most_threads) +
        " threads at once: " + std::to_string(lost.threads) + " were not recorded");
}

}  // namespace
