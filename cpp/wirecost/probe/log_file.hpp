// SPDX-License-Identifier: Apache-2.0
// One thread's log: a mapped file whose pages are all there before the first record.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mapped_range.hpp"
#include "record.hpp"

namespace wirecost::probe {

/// Whose log it is.
struct Owner {
  std::uint32_t process, thread;
  std::string program, thread_name;
};
/// The calling thread.
Owner this_thread();

/// The file is anybody's to cut or to overwrite: nothing in it is read back to be relied on, and
/// where it was cut the rest of the records count as dropped.
class LogFile {
 public:
  /// Creates a new file in `folder` (which is made if its parent exists). Where that fails,
  /// `open()` is false and `trouble()` is the reason.
  LogFile(const std::string& folder, std::size_t records, const Owner& owner = this_thread());
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  bool open() const { return header_ != nullptr; }
  const std::string& trouble() const { return trouble_; }
  Header& header() { return *header_; }

  /// The place of the next record, or null where the file is full or cut and the record counts as
  /// dropped. `publish` makes it one that readers see.
  Record* next() { return count_ < capacity_ && !range_->lost() ? &records_[count_] : drop(); }
  Record* drop();
  void publish() {
    Record& record = records_[count_];
    ++count_;
    std::atomic_ref(record.sequence).store(count_, std::memory_order_release);
  }

  /// Sets the name of a section. False where the table is full.
  bool name(std::uint32_t id, const std::string& name);

  std::span<const Record> records() const { return {records_, count_}; }

  /// Whether records were cut off the file.
  bool cut() const;

  /// Gives the file the length of its records; one that is shorter stays as it is.
  void trim();

  /// Takes the file away.
  void discard() const;

 private:
  bool create(const std::string& folder, const Owner& owner);
  bool reserve();
  off_t length() const { return static_cast<off_t>(sizeof(Header) + count_ * sizeof(Record)); }
  std::string is_cut() const;

  int file_ = -1;
  std::size_t bytes_;
  std::uint64_t capacity_;
  std::uint32_t names_ = 0;
  std::optional<MappedRange> range_;
  Header* header_ = nullptr;
  Record* records_ = nullptr;
  std::uint64_t count_ = 0;
  std::string path_;
  std::string full_;  ///< the line for it, made beforehand
  std::string trouble_;
};

}  // namespace wirecost::probe
