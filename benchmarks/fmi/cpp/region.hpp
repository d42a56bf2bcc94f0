// SPDX-License-Identifier: Apache-2.0
// A region of shared memory with one writer, any number of readers and one or more buffers. Readers
// map it read-only; a message that was overwritten while it was read is always noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace wirecost::bench::fmi {

using Bytes = std::span<const std::byte>;

enum class Kind { shm, memfd };  ///< a POSIX name, or a file without one that cannot shrink

constexpr std::size_t most_buffers = 16;

struct Header;

/// An open descriptor and what of it is mapped; both end with it.
class Mapping {
 public:
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  int descriptor = -1;
  std::byte* memory = nullptr;
  std::size_t size = 0;
};

class Writer {
 public:
  /// Creates the region. Throws std::runtime_error with what is wrong.
  Writer(Kind kind, std::size_t size, std::size_t buffers, const std::string& layout);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer();  ///< readers find the region ended; its name goes

  const std::string& name() const { return name_; }
  /// The buffer of the next message, which readers no longer get.
  std::span<std::byte> begin();
  /// Makes the message readable and returns its sequence, which begins at 1.
  std::uint64_t publish();
  Bytes latest() const;

 private:
  Header& header() const;
  std::span<std::byte> buffer(std::uint64_t sequence) const;

  Mapping mapping_;
  std::string name_;
  std::size_t size_, buffers_;
  std::uint64_t sequence_ = 0;
};

class Reader {
 public:
  /// Opens the region. Throws std::runtime_error if it is not of this size and layout.
  Reader(const std::string& name, std::size_t size, const std::string& layout);

  /// The message where it lies, or nothing where its buffer holds another by now.
  Bytes find(std::uint64_t sequence) const;
  /// Whether all that was read of a message since find() was that message.
  bool is_intact(std::uint64_t sequence) const;
  /// Whether the writer's process lives and has not ended the region. If not, its name is removed.
  bool has_writer();

 private:
  const Header& header() const;

  Mapping mapping_;
  std::string name_;
  std::size_t size_, buffers_ = 0;
};

}  // namespace wirecost::bench::fmi
