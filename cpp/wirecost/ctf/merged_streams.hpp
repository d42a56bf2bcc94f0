// SPDX-License-Identifier: Apache-2.0
// The events of all streams of one trace or several in the order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "layout.hpp"
#include "stream_file.hpp"

namespace wirecost::ctf {

class MergedStreams {
 public:
  static constexpr std::size_t most_streams = 4096;
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

  /// `room`: the bytes that packets of all streams may take at once.
  explicit MergedStreams(std::uint64_t room = most_bytes) : room_(room) {}
  /// Adds a trace's streams, before the first event is taken; traces have one clock. Raises
  /// TraceError, the file's name in it.
  void add(const Layout& layout, const std::vector<std::string>& paths);
  MergedStreams(const MergedStreams&) = delete;
  MergedStreams& operator=(const MergedStreams&) = delete;

  /// The stream that has the next event, null after the last. Raises TraceError.
  const StreamFile* next();

  const std::vector<std::unique_ptr<StreamFile>>& files() const { return files_; }

 private:
  bool advance(StreamFile& file);
  void sift_down();

  std::uint64_t room_;
  std::vector<std::unique_ptr<StreamFile>> files_;
  std::vector<StreamFile*> heap_;  ///< the earliest first
  bool given_ = false;
};

}  // namespace wirecost::ctf
