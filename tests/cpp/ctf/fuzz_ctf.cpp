// SPDX-License-Identifier: Apache-2.0
// The decoder of traces under libFuzzer: any layout that passes for sound, any packets.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "wirecost/ctf/check.hpp"
#include "wirecost/ctf/merged_streams.hpp"
#include "wirecost/ctf/ros2_trace.hpp"

namespace {

using namespace wirecost::ctf;

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}

  std::uint8_t one() {
    if (left_ == 0) return 0;
    --left_;
    return *at_++;
  }
  std::int32_t slot() { return static_cast<std::int8_t>(one()); }
  Range range() {
    const std::uint8_t first = one();
    return {first, static_cast<std::uint32_t>(first) + one() % 8};
  }
  const std::uint8_t* data() const { return at_; }
  std::size_t size() const { return left_; }

 private:
  const std::uint8_t* at_;
  std::size_t left_;
};

Step step(Bytes& from) {
  const std::uint8_t flags = from.one();
  Step made{};
  made.op = static_cast<Op>(flags % 8);
  made.is_signed = (flags & 8) != 0;
  made.big_endian = (flags & 16) != 0;
  made.clock = (flags & 32) != 0;
  made.size = from.one() % 66;
  made.align = 1U << from.one() % 8;
  made.slot = from.slot();
  made.from = from.slot();
  // A body of no size may be repeated as often as anybody likes: nothing is read for it.
  made.count = from.one() | static_cast<std::uint32_t>(from.one()) << 24;
  const Range body = from.range();
  made.first = body.first;
  made.last = body.last;
  return made;
}

Layout layout(Bytes& from) {
  Layout made;
  for (int left = from.one() % 24; left > 0; --left) made.steps.push_back(step(from));
  for (int left = from.one() % 8; left > 0; --left) {
    const std::int64_t low = from.slot();
    made.options.push_back({low, low + from.one(), from.range()});
  }
  made.packet_header = from.range();
  StreamLayout& stream = made.streams[from.one() % 2];
  stream.packet_context = from.range();
  stream.event_header = from.range();
  stream.event_context = from.range();
  for (int left = from.one() % 24; left > 0; --left) {
    const std::int64_t id = from.one() % 32;
    stream.events[id] = {from.slot(), from.range(), from.range()};
  }
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes from(data, size);
  const Layout made = layout(from);
  if (!is_sound(made)) return 0;
  const int file = memfd_create("packets", 0);
  [[maybe_unused]] const auto written = write(file, from.data(), from.size());
  try {
    MergedStreams streams;
    streams.add(made, {"/proc/self/fd/" + std::to_string(file)});
    Ros2Trace trace(1.0, 1'700'000'000'000'000'000);
    while (const StreamFile* stream = streams.next())
      trace.event(stream->event().kind, stream->time(), stream->values());
  } catch (const TraceError& error) {
    if (std::strchr(error.what(), '\n') != nullptr) __builtin_trap();
  }
  close(file);
  return 0;
}
