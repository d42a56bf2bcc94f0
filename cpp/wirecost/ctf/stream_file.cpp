// SPDX-License-Identifier: Apache-2.0
#include "stream_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace wirecost::ctf {
namespace {

constexpr std::uint64_t magic = 0xc1fc1fc1;
constexpr std::uint64_t largest_header = 4096;
constexpr std::int64_t absent = -1;

}  // namespace

StreamFile::StreamFile(const Layout& layout, const std::string& path, std::uint64_t& room)
    : layout_(&layout), path_(path), room_(room), fields_(layout, values_) {
  // A pipe in the place of a file must not be waited for.
  file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat found{};
  if (file_ < 0 || fstat(file_, &found) != 0) {
    const std::string reason = std::strerror(errno);
    if (file_ >= 0) close(file_);
    throw TraceError(reason);
  }
  if (!S_ISREG(found.st_mode)) {
    close(file_);
    throw TraceError("not a file");
  }
  size_ = static_cast<std::uint64_t>(found.st_size);
}

StreamFile::~StreamFile() {
  give_back_room();
  close(file_);
}

void StreamFile::give_back_room() {
  room_ += bytes_.size();
  bytes_ = {};
}

/// What was read is lost where there was less.
void StreamFile::make_room(std::uint64_t bytes) {
  if (bytes <= bytes_.size()) return;
  give_back_room();
  if (bytes > room_)
    throw TraceError(
        "the packets of all streams that are open at once are too large together: more than "
        "1024 MiB; record with smaller sub-buffers");
  bytes_.resize(bytes);
  room_ -= bytes;
}

std::uint64_t StreamFile::read_at(std::uint64_t offset, std::uint64_t bytes) {
  make_room(bytes);
  std::uint64_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        pread(file_, bytes_.data() + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw TraceError(std::strerror(errno));
    if (got == 0) break;
    done += static_cast<std::uint64_t>(got);
  }
  return done;
}

/// Its header and context tell the size; then all of it is read.
bool StreamFile::open_packet() {
  if (offset_ >= size_) {
    give_back_room();
    return false;
  }
  auto& numbers = values_.numbers;
  numbers[slot_magic] = static_cast<std::int64_t>(magic);
  numbers[slot_stream] = 0;
  numbers[slot_content_bits] = numbers[slot_packet_bits] = numbers[slot_discarded] = absent;
  const std::uint64_t peeked = read_at(offset_, std::min(size_ - offset_, largest_header));
  fields_.open({bytes_.data(), peeked}, 0, 8 * peeked);
  const bool header = fields_.read(layout_->packet_header);
  if (header && static_cast<std::uint64_t>(numbers[slot_magic]) != magic) {
    if (offset_ == 0) throw TraceError("no packet at byte 0");
    // What a crash leaves behind the last whole packet, often zeros.
    cut_off_ = true;
    offset_ = size_;
    return false;
  }
  const auto stream = layout_->streams.find(numbers[slot_stream]);
  if (header && stream == layout_->streams.end())
    throw TraceError("a packet of stream " + std::to_string(numbers[slot_stream]) +
                     ", which the metadata does not have");
  if (!header || !fields_.read(stream->second.packet_context)) {
    cut_off_ = true;
    offset_ = size_;
    return false;
  }
  stream_ = &stream->second;
  const std::uint64_t left = 8 * (size_ - offset_);
  auto packet = static_cast<std::uint64_t>(numbers[slot_packet_bits]);
  auto content = static_cast<std::uint64_t>(numbers[slot_content_bits]);
  if (numbers[slot_packet_bits] == absent) packet = content;
  if (packet == static_cast<std::uint64_t>(absent)) packet = left;
  if (numbers[slot_content_bits] == absent) content = packet;
  const std::uint64_t begun = fields_.bit();
  if (packet % 8 != 0 || packet < begun || content > packet || content < begun)
    throw TraceError("sizes of the packet at byte " + std::to_string(offset_) +
                     " contradict each other");
  if (packet > left) {
    cut_off_ = true;
    packet = left;
    content = std::min(content, left);
  }
  if (packet / 8 > largest_packet)
    throw TraceError("a packet of " + std::to_string(packet >> 23) +
                     " MiB; packets up to 64 MiB are read");
  const std::uint64_t got = read_at(offset_, (content + 7) / 8);
  fields_.open({bytes_.data(), got}, begun, std::min(content, 8 * got));
  if (numbers[slot_discarded] > 0)
    discarded_ = std::max(discarded_, static_cast<std::uint64_t>(numbers[slot_discarded]));
  offset_ += packet / 8;
  return true;
}

bool StreamFile::event_in_packet() {
  values_.numbers[slot_event] = 0;
  if (!fields_.read(stream_->event_header)) return false;
  const auto event = stream_->events.find(values_.numbers[slot_event]);
  if (event == stream_->events.end()) return false;
  event_ = &event->second;
  values_.reset_event();
  return fields_.read(stream_->event_context) && fields_.read(event_->context) &&
         fields_.read(event_->fields);
}

bool StreamFile::next() {
  while (true) {
    if (!in_packet_ && !open_packet()) return false;
    in_packet_ = fields_.bit() < fields_.end();
    if (!in_packet_) continue;
    const std::uint64_t before = fields_.bit();
    if (event_in_packet() && fields_.bit() > before) return true;
    // What follows cannot be found: the next packet can.
    if (!cut_off_ || offset_ < size_) ++damaged_;
    in_packet_ = false;
  }
}

}  // namespace wirecost::ctf
