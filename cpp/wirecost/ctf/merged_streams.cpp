// SPDX-License-Identifier: Apache-2.0
#include "merged_streams.hpp"

#include <algorithm>

namespace wirecost::ctf {
namespace {

bool later(const StreamFile* one, const StreamFile* other) { return one->time() > other->time(); }

}  // namespace

void MergedStreams::add(const Layout& layout, const std::vector<std::string>& paths) {
  if (files_.size() + paths.size() > most_streams)
    throw TraceError(std::to_string(files_.size() + paths.size()) +
                     " streams; up to 4096 are read");
  for (const std::string& path : paths) {
    try {
      files_.push_back(std::make_unique<StreamFile>(layout, path, room_));
    } catch (const TraceError& error) {
      throw TraceError(path + ": " + error.what());
    }
    if (advance(*files_.back())) heap_.push_back(files_.back().get());
  }
  std::ranges::make_heap(heap_, later);
}

bool MergedStreams::advance(StreamFile& file) {
  try {
    return file.next();
  } catch (const TraceError& error) {
    throw TraceError(file.path() + ": " + error.what());
  }
}

const StreamFile* MergedStreams::next() {
  if (given_) {
    if (!advance(*heap_.front())) {
      heap_.front() = heap_.back();
      heap_.pop_back();
    }
    sift_down();
  }
  given_ = !heap_.empty();
  return given_ ? heap_.front() : nullptr;
}

void MergedStreams::sift_down() {
  const std::size_t size = heap_.size();
  std::size_t at = 0;
  while (2 * at + 1 < size) {
    std::size_t child = 2 * at + 1;
    if (child + 1 < size && later(heap_[child], heap_[child + 1])) ++child;
    if (!later(heap_[at], heap_[child])) return;
    std::swap(heap_[at], heap_[child]);
    at = child;
  }
}

}  // namespace wirecost::ctf
