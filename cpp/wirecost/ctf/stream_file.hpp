// SPDX-License-Identifier: Apache-2.0
// The events of one stream's file, packet by packet.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "fields.hpp"
#include "layout.hpp"

namespace wirecost::ctf {

/// What ends the reading of a trace: one line for the user, the file's name not in it.
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class StreamFile {
 public:
  static constexpr std::uint64_t largest_packet = std::uint64_t{64} << 20;

  /// `room`: the bytes that packets of all streams may take still; it outlives this object. Raises
  /// TraceError where the file cannot be opened.
  StreamFile(const Layout& layout, const std::string& path, std::uint64_t& room);
  ~StreamFile();
  StreamFile(StreamFile&& other) noexcept = delete;

  /// Goes on to the next event; false after the last. Raises TraceError.
  bool next();

  const Values& values() const { return values_; }
  std::uint64_t time() const { return values_.clock; }
  /// Of the event; null where nobody needs it.
  const Event& event() const { return *event_; }
  const std::string& path() const { return path_; }

  /// Events that the tracer discarded, as far as packets say so.
  std::uint64_t discarded() const { return discarded_; }
  /// Packets whose rest could not be read.
  std::uint64_t damaged() const { return damaged_; }
  bool cut_off() const { return cut_off_; }

 private:
  bool open_packet();
  std::uint64_t read_at(std::uint64_t offset, std::uint64_t bytes);
  void make_room(std::uint64_t bytes);
  void give_back_room();
  bool event_in_packet();

  const Layout* layout_;
  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0, offset_ = 0;
  std::uint64_t& room_;
  std::vector<std::uint8_t> bytes_;  ///< a packet's; as large as the largest so far
  Values values_;
  FieldReader fields_;
  const StreamLayout* stream_ = nullptr;
  const Event* event_ = nullptr;
  bool in_packet_ = false, cut_off_ = false;
  std::uint64_t discarded_ = 0, damaged_ = 0;
};

}  // namespace wirecost::ctf
