// SPDX-License-Identifier: Apache-2.0
// Notification frames: old and new peers on one stream, pieces of any size, hostile lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/notification/frame.hpp"
#include "bench/notification/loopback.hpp"

namespace wirecost::bench {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

std::vector<std::byte> framed(std::uint32_t header, const std::string& message) {
  std::vector<std::byte> made(sizeof header);
  std::memcpy(made.data(), &header, sizeof header);
  std::ranges::copy(bytes_of(message), std::back_inserter(made));
  return made;
}

void feed(FrameReader& reader, std::span<const std::byte> piece) {
  std::ranges::copy(piece, reader.room().begin());
  reader.received(piece.size());
}

TEST(Frame, OfAnOldPeerIsProtobuf) {
  FrameReader reader;
  feed(reader, framed(3, "abc"));  // RSB's framing: the length alone
  const auto frame = reader.next();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->wire, Wire::protobuf);
  EXPECT_TRUE(std::ranges::equal(frame->message, bytes_of("abc")));
  EXPECT_FALSE(reader.next());
}

TEST(Frame, OfDifferentPeersAreToldApartInPiecesOfAnySize) {
  std::vector<std::byte> stream;
  for (const Wire wire : {Wire::protobuf, Wire::ros1, Wire::cdr, Wire::protobuf}) {
    const std::string message(static_cast<std::size_t>(wire) * 100 + 7, 'm');
    std::ranges::copy(framed(frame_length(wire, message.size()), message),
                      std::back_inserter(stream));
  }
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    FrameReader reader;
    std::vector<Wire> found;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      feed(reader, std::span(stream).subspan(at, std::min(piece, stream.size() - at)));
      while (const auto frame = reader.next()) {
        EXPECT_EQ(frame->message.size(), static_cast<std::size_t>(frame->wire) * 100 + 7);
        found.push_back(frame->wire);
      }
    }
    EXPECT_EQ(found, (std::vector{Wire::protobuf, Wire::ros1, Wire::cdr, Wire::protobuf}));
  }
}

TEST(Frame, OfAnEmptyMessageIsAFrame) {
  FrameReader reader;
  feed(reader, framed(0, ""));
  ASSERT_TRUE(reader.next());
}

TEST(Frame, BeyondTheLimitOrOfAnUnknownWireIsRefusedBeforeRoomIsMade) {
  FrameReader large;
  feed(large, framed(frame_length(Wire::ros1, largest_frame + 1), ""));
  EXPECT_THROW(large.next(), std::runtime_error);
  FrameReader unknown;
  feed(unknown, framed(3U << wire_shift, ""));
  EXPECT_THROW(unknown.next(), std::runtime_error);
}

TEST(Loopback, DeliversWhatWasSent) {
  Loopback loopback;
  for (std::size_t size : {0, 1, 100, 60'000}) {
    const std::vector<std::byte> sent(size, std::byte{0x5A});
    loopback.send(Wire::cdr, sent);
    const Frame frame = loopback.receive();
    EXPECT_EQ(frame.wire, Wire::cdr);
    EXPECT_TRUE(std::ranges::equal(frame.message, sent));
  }
  EXPECT_EQ(wire_of("ros1"), Wire::ros1);
  EXPECT_THROW(wire_of("xml"), std::invalid_argument);
}

}  // namespace
}  // namespace wirecost::bench
