// SPDX-License-Identifier: Apache-2.0
// Where a Protobuf message lives from frame to frame: three storages, the only difference between
// the contenders protobuf, protobuf-arena and protobuf-reuse.
#pragma once

#include <google/protobuf/arena.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "wirecost/codec/codec.hpp"

namespace wirecost::protobuf {

/// A new message every frame, destroyed after it: usual, and what the report did.
template <class Message>
class Fresh {
 public:
  Message& make() { return message_.emplace(); }
  const Message& get() const { return *message_; }
  Message& get() { return *message_; }
  void release() { message_.reset(); }

 private:
  std::optional<Message> message_;
};

/// A new message every frame on an arena whose first block has grown to hold a whole frame.
template <class Message>
class OnArena {
 public:
  Message& make() {
    if (!arena_) create_arena();
    message_ = create(&*arena_);
    return *message_;
  }
  const Message& get() const { return *message_; }
  Message& get() { return *message_; }
  void release() {
    message_ = nullptr;
    if (!arena_) return;
    const auto needed = static_cast<std::size_t>(arena_->SpaceAllocated());
    if (needed <= size_) {
      arena_->Reset();
      return;
    }
    arena_.reset();  // the frame spilled over: take a block that holds it, with room to spare
    size_ = needed + needed / 4;
  }

 private:
  /// Debian's Protobuf puts messages onto an arena by CreateMessage, which current ones lack.
  template <class Arena>
  static Message* create(Arena* arena) {
    if constexpr (requires { Arena::template CreateMessage<Message>(arena); })
      return Arena::template CreateMessage<Message>(arena);
    else
      return Arena::template Create<Message>(arena);
  }

  void create_arena() {
    block_ = std::make_unique_for_overwrite<char[]>(size_);
    google::protobuf::ArenaOptions options;
    options.initial_block = block_.get();
    options.initial_block_size = size_;
    options.start_block_size = std::size_t{1} << 16;
    options.max_block_size = std::size_t{1} << 23;
    arena_.emplace(options);
  }

  std::size_t size_ = std::size_t{1} << 16;
  std::unique_ptr<char[]> block_;
  std::optional<google::protobuf::Arena> arena_;
  Message* message_ = nullptr;
};

/// One message for all frames, cleared after each: its sub-messages keep their memory.
template <class Message>
class Reused {
 public:
  Message& make() { return message_; }
  const Message& get() const { return message_; }
  Message& get() { return message_; }
  void release() { message_.Clear(); }

 private:
  Message message_;
};

inline Bytes as_bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Output as in the report: SerializeToString into one of two strings.
class StringOutput {
 public:
  Bytes write(const auto& message) {
    std::string& buffer = buffers_[current_ ^= 1];
    if (!message.SerializeToString(&buffer)) return {};  // beyond 2 GiB
    return as_bytes(buffer);
  }

 private:
  std::array<std::string, 2> buffers_;
  unsigned current_ = 0;
};

/// The quickest output: straight into one of two buffers that never shrink, nothing zeroed first.
class ArrayOutput {
 public:
  Bytes write(const auto& message) {
    Buffer& buffer = buffers_[current_ ^= 1];
    const std::size_t size = message.ByteSizeLong();
    if (size > buffer.capacity) {
      buffer.capacity = size + size / 4;
      buffer.data = std::make_unique_for_overwrite<std::byte[]>(buffer.capacity);
    }
    auto* const first = reinterpret_cast<std::uint8_t*>(buffer.data.get());
    return std::as_bytes(std::span(first, message.SerializeWithCachedSizesToArray(first)));
  }

 private:
  struct Buffer {
    std::unique_ptr<std::byte[]> data;
    std::size_t capacity = 0;
  };
  std::array<Buffer, 2> buffers_;
  unsigned current_ = 0;
};

}  // namespace wirecost::protobuf
