// SPDX-License-Identifier: Apache-2.0
// Makes a contender of a codec: where its objects live is the mode, what it does with one message
// is the codec's own.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bench/notification/contender.hpp"

namespace wirecost::bench {

/// A new object for each message.
template <class T>
class NewObjects {
 public:
  void resize(std::size_t count) { objects_ = std::vector<std::optional<T>>(count); }
  T& make(std::size_t i) { return objects_[i].emplace(); }
  T& operator[](std::size_t i) { return *objects_[i]; }
  const T& operator[](std::size_t i) const { return *objects_[i]; }
  void destroy() {
    for (std::optional<T>& object : objects_) object.reset();
  }

 private:
  std::vector<std::optional<T>> objects_;
};

/// Objects that are cleared and used again.
template <class T>
class ReusedObjects {
 public:
  void resize(std::size_t count) { objects_ = std::vector<T>(count); }
  T& make(std::size_t i) { return objects_[i]; }
  T& operator[](std::size_t i) { return objects_[i]; }
  const T& operator[](std::size_t i) const { return objects_[i]; }
  void destroy() {}

 private:
  std::vector<T> objects_;
};

/// `Codec` has types Sent and Received and static functions
///   fill(const NotificationValue&, Sent&)      on a new or a used object
///   size(const Sent&) -> std::size_t
///   encode(const Sent&, std::span<std::byte>)  the span has just the size
///   decode(std::span<const std::byte>, Received&) -> bool
///   visit(const Received&, Sink&)              every field
///   value(const Received&) -> NotificationValue
template <class Codec, template <class> class Objects>
class Batch final : public Contender {
  using Sent = typename Codec::Sent;
  using Received = typename Codec::Received;

 public:
  explicit Batch(About about) : about_(std::move(about)) {}

  const About& about() const override { return about_; }

  void load(std::span<const NotificationValue> batch) override {
    values_ = batch;
    sent_.resize(batch.size());
    received_.resize(batch.size());
    one_sent_.resize(1);
    one_received_.resize(1);
    offsets_.assign(batch.size() + 1, 0);
    std::size_t largest = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      Sent& message = one_sent_.make(0);
      Codec::fill(batch[i], message);
      const std::size_t bytes = Codec::size(message);
      offsets_[i + 1] = offsets_[i] + bytes;
      largest = std::max(largest, bytes);
      one_sent_.destroy();
    }
    buffer_.resize(offsets_.back());
    one_buffer_.resize(largest);
  }

  void run(Stage stage) override {
    const std::size_t count = values_.size();
    switch (stage) {
      case Stage::fill:
        for (std::size_t i = 0; i < count; ++i) Codec::fill(values_[i], sent_.make(i));
        break;
      case Stage::size:
        for (std::size_t i = 0; i < count; ++i)
          offsets_[i + 1] = offsets_[i] + Codec::size(sent_[i]);
        break;
      case Stage::encode:
        for (std::size_t i = 0; i < count; ++i) Codec::encode(sent_[i], place(i));
        break;
      case Stage::decode:
        for (std::size_t i = 0; i < count; ++i)
          failed_ |= !Codec::decode(place(i), received_.make(i));
        break;
      case Stage::read_all:
        for (std::size_t i = 0; i < count; ++i) Codec::visit(received_[i], sink_);
        break;
      default: sent_.destroy(); received_.destroy();
    }
  }

  void run_total(std::size_t count) override {
    for (const NotificationValue& value : values_.first(count)) {
      Sent& sent = one_sent_.make(0);
      Codec::fill(value, sent);
      const std::span<std::byte> out = std::span(one_buffer_).first(Codec::size(sent));
      Codec::encode(sent, out);
      last_ = out;
      Received& received = one_received_.make(0);
      failed_ |= !Codec::decode(out, received);
      Codec::visit(received, sink_);
      one_sent_.destroy();
      one_received_.destroy();
    }
  }

  std::uint64_t take_sum() override {
    const std::uint64_t sum = failed_ ? 0 : sink_.sum();
    sink_ = {};
    failed_ = false;
    return sum;
  }

  std::span<const std::byte> last() const override { return last_; }
  std::span<const std::byte> encoded(std::size_t i) const override {
    return std::span(buffer_).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  NotificationValue decoded(std::size_t i) const override { return Codec::value(received_[i]); }
  void poison(std::byte value) override { buffer_.assign(buffer_.size(), value); }

 private:
  std::span<std::byte> place(std::size_t i) {
    return std::span(buffer_).subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }

  About about_;
  std::span<const NotificationValue> values_;
  Objects<Sent> sent_, one_sent_;
  Objects<Received> received_, one_received_;
  std::vector<std::size_t> offsets_;
  std::vector<std::byte> buffer_, one_buffer_;
  std::span<const std::byte> last_;
  Sink sink_;
  bool failed_ = false;
};

}  // namespace wirecost::bench
