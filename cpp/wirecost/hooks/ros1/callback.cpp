// SPDX-License-Identifier: Apache-2.0
#include "callback.hpp"

#include <atomic>
#include <utility>

#include "wirecost/probe.hpp"
#include "wirecost/probe/clock.hpp"

namespace wirecost::ros1 {

thread_local constinit Arrival arrival;

namespace {

struct Recorded {
  std::atomic<std::size_t> owners{1};
  Function original{};
  CallbackSections sections;
};

Recorded& recorded(const FunctionBuffer& buffer) { return *static_cast<Recorded*>(buffer.object); }

std::uintptr_t invoke(FunctionBuffer& buffer, void* first, void* second) {
  Recorded& callback = recorded(buffer);
  const Arrival from = std::exchange(arrival, {});
  if (from.received_ns != 0 && callback.sections.wait != 0)
    wirecost_probe_span(callback.sections.wait, from.received_ns, monotonic_ns(),
                        WIRECOST_PROBE_COUNT_LOOPS, from.bytes, from.message);
  probe::Section section(callback.sections.callback);
  section.value(from.bytes);
  return callback.original.table().invoker(callback.original.buffer, first, second);
}

void destroy(Recorded& callback) {
  if (!callback.original.trivial()) {
    FunctionBuffer& buffer = callback.original.buffer;
    callback.original.table().manager(buffer, buffer, FunctionOperation::destroy);
  }
  delete &callback;
}

void manage(const FunctionBuffer& in, FunctionBuffer& out, FunctionOperation operation) {
  switch (operation) {
    case FunctionOperation::clone:
      ++recorded(in).owners;
      out.object = in.object;
      return;
    case FunctionOperation::move: out.object = in.object; return;
    case FunctionOperation::destroy:
      if (--recorded(out).owners == 0) destroy(recorded(out));
      out.object = nullptr;
      return;
    case FunctionOperation::check_type:
    case FunctionOperation::get_type:
      recorded(in).original.table().manager(recorded(in).original.buffer, out, operation);
  }
}

alignas(16) constexpr FunctionTable recording_table{manage, invoke};

bool records(const Function& function) {
  return function.tagged_table == reinterpret_cast<std::uintptr_t>(&recording_table);
}

}  // namespace

void record_calls(Function& function, const CallbackSections& sections) {
  if (function.empty() || records(function)) return;
  auto* made = new Recorded;
  made->sections = sections;
  made->original.tagged_table = function.tagged_table;
  if (function.trivial()) {
    made->original.buffer = function.buffer;
  } else {
    function.table().manager(function.buffer, made->original.buffer, FunctionOperation::move);
  }
  function.buffer.object = made;
  function.tagged_table = reinterpret_cast<std::uintptr_t>(&recording_table);
}

const CallbackSections* sections_of(const Function& function) {
  return records(function) ? &recorded(function.buffer).sections : nullptr;
}

}  // namespace wirecost::ros1
