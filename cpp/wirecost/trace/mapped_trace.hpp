// SPDX-License-Identifier: Apache-2.0
// An OSI trace file (.osi: uint32 little-endian length and message, repeated), mapped: a frame is
// handed out where it lies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace wirecost {

class MappedTrace {
 public:
  /// Maps a file and finds its frames. A last frame that is cut off is left out. Throws
  /// std::invalid_argument, with file, problem and remedy, if there is not one whole frame.
  explicit MappedTrace(const std::string& path);
  ~MappedTrace();
  MappedTrace(const MappedTrace&) = delete;
  MappedTrace& operator=(const MappedTrace&) = delete;

  std::size_t size() const { return frames_.size(); }
  std::span<const std::byte> operator[](std::size_t index) const { return frames_[index]; }
  /// Where a frame's message begins in the file.
  std::uint64_t offset(std::size_t index) const {
    return static_cast<std::uint64_t>(frames_[index].data() - data_);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<std::span<const std::byte>> frames_;
};

}  // namespace wirecost
