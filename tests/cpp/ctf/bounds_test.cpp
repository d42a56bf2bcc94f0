// SPDX-License-Identifier: Apache-2.0
// What a trace may take of memory, whatever it says.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "wirecost/ctf/check.hpp"
#include "wirecost/ctf/merged_streams.hpp"
#include "wirecost/ctf/ros2_trace.hpp"

namespace {

using namespace wirecost::ctf;

constexpr std::uint64_t packet_bytes = 8192;

Step integer(std::uint8_t size, std::int32_t slot) {
  return {.op = Op::integer,
          .is_signed = false,
          .big_endian = false,
          .clock = false,
          .size = size,
          .align = 8,
          .slot = slot,
          .from = -1,
          .count = 0,
          .first = 0,
          .last = 0};
}

/// Packets say their sizes; events are of one byte.
Layout layout() {
  Layout made;
  made.steps = {integer(64, slot_content_bits), integer(64, slot_packet_bits), integer(8, -1)};
  StreamLayout& stream = made.streams[0];
  stream.packet_context = {0, 2};
  stream.events[0] = {-1, {}, {2, 3}};
  return made;
}

/// A stream of one packet in memory.
class Stream {
 public:
  explicit Stream(std::uint64_t content_bytes = packet_bytes) {
    const std::array<std::uint64_t, 2> sizes{8 * content_bytes, 8 * packet_bytes};
    if (write(file_, sizes.data(), sizeof(sizes)) < 0) throw TraceError("no memory");
    if (ftruncate(file_, packet_bytes) != 0) throw TraceError("no memory");
  }
  ~Stream() { close(file_); }
  Stream(const Stream&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_ = memfd_create("stream", MFD_CLOEXEC);
};

std::uint64_t events_of(const std::vector<std::string>& paths, std::uint64_t room) {
  const Layout made = layout();
  EXPECT_TRUE(is_sound(made));
  MergedStreams streams(room);
  streams.add(made, paths);
  std::uint64_t events = 0;
  while (streams.next() != nullptr) ++events;
  return events;
}

TEST(Streams, ShareOneRoomForTheirPackets) {
  const Stream one;
  const Stream other;
  const std::vector<std::string> paths{one.path(), other.path()};
  EXPECT_EQ(events_of(paths, 2 * packet_bytes), 2 * (packet_bytes - 16));
  EXPECT_THROW(events_of(paths, 2 * packet_bytes - 1), TraceError);
}

TEST(Streams, ThatHaveEndedTakeNoRoom) {
  const Stream one(17);  // of one event
  const Layout made = layout();
  std::uint64_t room = packet_bytes;
  StreamFile first(made, one.path(), room);
  EXPECT_TRUE(first.next());
  EXPECT_LT(room, packet_bytes);
  EXPECT_FALSE(first.next());
  EXPECT_EQ(room, packet_bytes);
}

void queue(Ros2Trace& trace, std::int64_t process, std::int64_t buffer, std::int64_t index) {
  Values values;
  values.numbers[slot_process] = values.numbers[slot_thread] = process;
  values.numbers[slot_value] = buffer;
  values.numbers[slot_value + 1] = index;
  trace.event(static_cast<std::int32_t>(Kind::enqueue), 1, values);
}

TEST(QueuedMessages, OfAllProcessesShareOneRoom) {
  Ros2Trace trace(1.0, 0);
  constexpr std::int64_t last = 1023;
  std::uint64_t sent = 0;
  for (std::int64_t process = 1; process <= 3; ++process)
    for (std::int64_t buffer = 1; buffer <= 3000; ++buffer, ++sent)
      queue(trace, process, buffer, last);
  const std::uint64_t kept =
      Ros2Trace::most_queued / (last + 1 + wirecost::tracetools::QueuedMessages::buffer_room);
  EXPECT_EQ(trace.ignored(), sent - kept);
  // What has room already goes on.
  queue(trace, 1, 1, last);
  EXPECT_EQ(trace.ignored(), sent - kept);
}

TEST(QueuedMessages, TakeWhatTheirIndicesNeed) {
  std::size_t room = 100;
  wirecost::tracetools::QueuedMessages queued(room);
  EXPECT_TRUE(queued.enqueue(1, 9, 5));
  EXPECT_EQ(room, 100 - 10 - wirecost::tracetools::QueuedMessages::buffer_room);
  EXPECT_TRUE(queued.enqueue(1, 3, 6));
  EXPECT_FALSE(queued.enqueue(2, 90, 7));
  EXPECT_FALSE(queued.enqueue(1, ~std::uint64_t{0}, 8));
  EXPECT_EQ(queued.dequeue(1, 9), 5);
  EXPECT_EQ(queued.dequeue(1, 9), 0);
  EXPECT_EQ(queued.dequeue(2, 90), 0);
}

}  // namespace
