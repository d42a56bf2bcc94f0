// SPDX-License-Identifier: Apache-2.0
// The C API over the calling thread's probe.
#include "wirecost/probe.h"

#include <pthread.h>

#include <exception>
#include <string>

#include "event_names.hpp"
#include "names.hpp"
#include "settings.hpp"
#include "thread_probe.hpp"
#include "thread_section.hpp"
#include "undisturbed.hpp"

namespace {

using namespace wirecost::probe;

// Trivial, so that a section in another thread_local's destructor still finds them.
thread_local ThreadProbe* of_thread = nullptr;
thread_local bool given_up = false;

struct AtThreadEnd {
  ~AtThreadEnd() {
    const Undisturbed undisturbed;
    given_up = true;
    delete of_thread;
    of_thread = nullptr;
  }
};

void after_fork_in_child() {
  forget_logs_after_fork();
  give_up_libpfm_after_fork();
  if (of_thread == nullptr) return;
  const Undisturbed undisturbed;
  of_thread->abandon();
  delete of_thread;
  of_thread = nullptr;
}

/// When this library is loaded: before a thread can hold a lock at a fork(), and before libraries
/// that need this one register their own, whose locks are taken first then, as they are when such
/// a library calls this one.
[[gnu::constructor]] void take_care_of_forks() {
  pthread_atfork(lock_for_fork, unlock_after_fork, after_fork_in_child);
}

/// The thread's probe, made at its first use; null where the thread does not record.
ThreadProbe* make_probe() {
  if (given_up || settings().folder.empty()) return nullptr;
  const Undisturbed undisturbed;
  given_up = true;
  try {
    auto* made = new ThreadProbe(settings());
    if (!made->recording()) {
      delete made;
      return nullptr;
    }
    thread_local const AtThreadEnd at_thread_end;
    static_cast<void>(at_thread_end);
    of_thread = made;
    given_up = false;
  } catch (const std::exception& error) {
    say_once(topic_log, std::string(error.what()) + "; this thread is not recorded");
  }
  return of_thread;
}

ThreadProbe* probe() { return of_thread != nullptr ? of_thread : make_probe(); }

}  // namespace

extern "C" {

int wirecost_probe_enabled(void) { return settings().folder.empty() ? 0 : 1; }

void wirecost_probe_prepare_thread(void) { probe(); }

uint32_t wirecost_probe_section(const char* name) {
  const Undisturbed undisturbed;
  try {
    bool added = false;
    const std::uint32_t id = identifier_of(name, added);
    if (added && needs_records(id, name))
      if (ThreadProbe* here = probe()) here->name(id, name);
    return id;
  } catch (const std::exception&) {
    return WIRECOST_PROBE_LAST_CHOSEN_ID + 1 + max_sections;
  }
}

void wirecost_probe_name(uint32_t id, const char* name) {
  const Undisturbed undisturbed;
  try {
    set_name(id, name);
  } catch (const std::exception&) {
    say_once(topic_names, "no memory for section names; sections show their numbers");
  }
}

void wirecost_probe_begin(uint32_t id, uint64_t loop) {
  if (ThreadProbe* here = probe()) here->begin(id, loop);
}

void wirecost_probe_end(uint32_t id, int64_t value) {
  if (ThreadProbe* here = probe()) here->end(id, value);
}

[[gnu::visibility("default")]] void wirecost_probe_thread(std::uint32_t section) {
  if (ThreadProbe* here = probe()) here->set_thread_section(section);
}

[[gnu::visibility("default")]] void wirecost_probe_pause() {
  if (of_thread != nullptr) of_thread->pause();
}

[[gnu::visibility("default")]] void wirecost_probe_resume() {
  if (of_thread != nullptr) of_thread->resume();
}

void wirecost_probe_span(uint32_t id, int64_t begin_ns, int64_t end_ns, uint64_t loop,
                         int64_t value, uint64_t message) {
  if (ThreadProbe* here = probe())
    here->past(RecordKind::span, id, begin_ns, end_ns, loop, value, message);
}

void wirecost_probe_execution(uint32_t id, int64_t begin_ns, int64_t end_ns, uint64_t loop,
                              int64_t value) {
  if (ThreadProbe* here = probe())
    here->past(RecordKind::section, id, begin_ns, end_ns, loop, value, 0);
}

void wirecost_probe_abandon(uint32_t id) {
  if (ThreadProbe* here = probe()) here->give_up(id);
}

void wirecost_probe_mark(uint32_t id, uint16_t part, uint64_t loop, int64_t value) {
  if (ThreadProbe* here = probe()) here->mark(id, part, loop, value);
}

void wirecost_probe_values(uint32_t id, uint32_t variable, uint64_t loop, const double* values,
                           size_t count) {
  if (ThreadProbe* here = probe()) here->values(id, variable, loop, {values, count});
}

void wirecost_probe_text(uint32_t id, uint32_t variable, uint16_t index, uint64_t loop,
                         const char* text) {
  if (ThreadProbe* here = probe()) here->text(id, variable, index, loop, text);
}
}
