// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/dds/acknowledgements.hpp"

#include <algorithm>
#include <string_view>

namespace wirecost::middleware {

namespace {

using Bytes = std::span<const std::uint8_t>;

// RTPS 9.4: "RTPS", version, vendor, prefix; then submessages of kind, flags and length.
constexpr std::string_view magic = "RTPS";
constexpr std::size_t prefix_at = 8, header_bytes = 20, submessage_header_bytes = 4;
constexpr std::uint8_t acknack_kind = 0x06, info_source_kind = 0x0c;
constexpr std::uint8_t little_endian_flag = 0x01;
// Reader, writer, and the number before which everything has arrived.
constexpr std::size_t acknack_bytes = 16;
// SEDP's built-in writers: what they send are a participant's endpoints.
constexpr std::array<std::uint8_t, 4> of_writers{0, 0, 3, 0xc2}, of_readers{0, 0, 4, 0xc2};
// Many more than a system has; whoever makes them up must not fill the memory.
constexpr std::size_t most_participants = 10'000, most_answers = 100'000;

std::uint64_t number(Bytes bytes, bool little_endian) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    value = value << 8U | bytes[little_endian ? bytes.size() - 1 - i : i];
  return value;
}

template <std::size_t size>
std::array<std::uint8_t, size> copied(Bytes bytes) {
  std::array<std::uint8_t, size> copy{};
  std::ranges::copy(bytes.first<size>(), copy.begin());
  return copy;
}

}  // namespace

void Acknowledgements::received(Bytes datagram) {
  if (datagram.size() < header_bytes || !std::equal(magic.begin(), magic.end(), datagram.begin()))
    return;
  Guid reader{};
  std::ranges::copy(datagram.subspan(prefix_at, header_bytes - prefix_at), reader.begin());
  Bytes left = datagram.subspan(header_bytes);
  while (left.size() >= submessage_header_bytes) {
    const std::uint8_t kind = left[0];
    const bool little_endian = (left[1] & little_endian_flag) != 0;
    const std::size_t length = number(left.subspan(2, 2), little_endian);
    left = left.subspan(submessage_header_bytes);
    // What follows is on behalf of another participant, which nobody sends on one machine.
    if (kind == info_source_kind) return;
    if (kind == acknack_kind && length >= acknack_bytes && left.size() >= acknack_bytes) {
      std::ranges::copy(left.first(4), reader.end() - 4);
      const std::uint64_t high = number(left.subspan(8, 4), little_endian);
      acknowledged(reader, copied<4>(left.subspan(4)),
                   high << 32U | number(left.subspan(12, 4), little_endian));
    }
    // A length of zero means up to the end.
    if (length == 0 || length > left.size()) return;
    left = left.subspan(length);
  }
}

void Acknowledgements::acknowledged(const Guid& reader, const Entity& writer, std::uint64_t up_to) {
  const std::lock_guard lock(mutex_);
  if (writer == of_writers || writer == of_readers) {
    const auto prefix = copied<12>(reader);
    if (known_.size() >= most_participants && !known_.contains(prefix)) return;
    std::uint64_t& known = known_[prefix].up_to[writer == of_writers ? 1 : 0];
    known = std::max(known, up_to);
  } else if (answered_.size() < most_answers) {
    answered_.emplace(reader, writer);
  }
}

bool Acknowledgements::has_announcements(const Guid& endpoint, bool of_our_writers) const {
  const std::size_t which = of_our_writers ? 1 : 0;
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(copied<12>(endpoint));
  // Numbers begin at 1, and an acknowledgement names the first that is missing.
  return known != known_.end() && known->second.up_to[which] > announced_[which];
}

bool Acknowledgements::has_answered(const Guid& reader, const Guid& writer) const {
  const std::lock_guard lock(mutex_);
  return answered_.contains({reader, copied<4>(Bytes(writer).last<4>())});
}

}  // namespace wirecost::middleware
