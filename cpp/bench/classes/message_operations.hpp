// SPDX-License-Identifier: Apache-2.0
// The operations, once for every library: each compiles this file with its own classes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "bench/classes/ground_truth.hpp"
#include "bench/classes/operations.hpp"

namespace wirecost::bench::classes {

/// A new object of its own.
class Fresh {
 public:
  osi3::GroundTruth& make() { return message_.emplace(); }
  osi3::GroundTruth& get() { return *message_; }
  void release() { message_.reset(); }

 private:
  std::optional<osi3::GroundTruth> message_;
};

/// `Storage` gives a new object, and takes it back.
template <class Storage>
class MessageOperations : public Operations {
 public:
  MessageOperations(std::size_t objects, bool full, std::span<const std::byte> message)
      : objects_(objects), full_(full), message_(message), buffer_(message.size()) {
    if (message.empty()) return;
    fill(source_.make(), objects_, full_);
    fill(rebuilt_.make(), objects_, full_);
    parse_into(reparsed_.make());
  }

  void run(Stage stage) override {
    if (stage == Stage::build || stage == Stage::total) {
      fill(new_.make(), objects_, full_);
      if (stage == Stage::total) encode_from(new_.get());
      keep(new_.get());
      new_.release();
    }
    if (stage == Stage::rebuild) {
      rebuilt_.get().Clear();
      fill(rebuilt_.get(), objects_, full_);
      keep(rebuilt_.get());
    }
    if (stage == Stage::encode) encode_from(source_.get());
    if (stage == Stage::parse || stage == Stage::total) {
      parse_into(new_.make());
      keep(new_.get());
      new_.release();
    }
    if (stage == Stage::reparse) {
      parse_into(reparsed_.get());
      keep(reparsed_.get());
    }
  }

  std::vector<std::byte> made_by(Stage stage) override {
    if (stage == Stage::build || stage == Stage::parse) {
      osi3::GroundTruth& message = new_.make();
      if (stage == Stage::build)
        fill(message, objects_, full_);
      else
        parse_into(message);
      std::vector<std::byte> made = encoded(message);
      new_.release();
      return made;
    }
    std::ranges::fill(buffer_, std::byte{0xA5});
    run(stage);
    if (stage == Stage::rebuild) return encoded(rebuilt_.get());
    if (stage == Stage::reparse) return encoded(reparsed_.get());
    return buffer_;
  }

  void hold() override { fill(new_.make(), objects_, full_); }
  void release() override { new_.release(); }

 private:
  /// The compiler must believe that somebody reads it.
  static void keep(osi3::GroundTruth& message) { asm volatile("" : : "r"(&message) : "memory"); }

  void encode_from(const osi3::GroundTruth& message) {
    if (!message.SerializeToArray(buffer_.data(), static_cast<int>(buffer_.size())))
      throw std::runtime_error("a message cannot be encoded");
    asm volatile("" : : "r"(buffer_.data()) : "memory");
  }

  void parse_into(osi3::GroundTruth& message) {
    if (!message.ParseFromArray(message_.data(), static_cast<int>(message_.size())))
      throw std::runtime_error("a message cannot be parsed");
  }

  static std::vector<std::byte> encoded(const osi3::GroundTruth& message) {
    std::vector<std::byte> bytes(message.ByteSizeLong());
    if (!message.SerializeToArray(bytes.data(), static_cast<int>(bytes.size())))
      throw std::runtime_error("a message cannot be encoded");
    return bytes;
  }

  std::size_t objects_;
  bool full_;
  std::span<const std::byte> message_;
  std::vector<std::byte> buffer_;
  Storage new_;
  Storage source_;
  Storage rebuilt_;
  Storage reparsed_;
};

template <class Storage>
Mode mode(std::string name) {
  return {std::move(name), [](std::size_t objects, bool full, std::span<const std::byte> message) {
            return std::make_unique<MessageOperations<Storage>>(objects, full, message);
          }};
}

}  // namespace wirecost::bench::classes
