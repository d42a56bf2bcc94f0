// SPDX-License-Identifier: Apache-2.0
// The modes of our generated codecs, the same for every wire.
#pragma once

#include "bench/notification/contenders.hpp"
#include "bench/notification/contenders/struct_interface.hpp"

namespace wirecost::bench {

inline constexpr const char* generated_by = "wirecost compile " WIRECOST_VERSION;

/// `Functions` are the generated ones of one wire.
template <class Functions, class Message>
struct Owning {
  using Sent = Message;
  using Received = Message;
  static void fill(const NotificationValue& v, Sent& m) { fill_struct(v, m); }
  static std::size_t size(const Sent& m) { return Functions::size(m); }
  static void encode(const Sent& m, std::span<std::byte> out) {
    static_cast<void>(Functions::encode(m, out));
  }
  static bool decode(std::span<const std::byte> in, Received& m) {
    return !Functions::decode(in, m);
  }
  static void visit(const Received& m, Sink& sink) { visit_struct(m, sink); }
  static NotificationValue value(const Received& m) { return value_of_struct(m); }
};

/// Sends a reused struct, receives a view of the buffer.
template <class Functions, class Message, class View>
struct Viewing : Owning<Functions, Message> {
  using Received = View;
  static bool decode(std::span<const std::byte> in, Received& m) { return !Functions::view(in, m); }
  static void visit(const Received& m, Sink& sink) { visit_struct(m, sink); }
  static NotificationValue value(const Received& m) { return value_of_struct(m); }
};

/// What they were generated with: new objects get small blocks from the program's allocator, or
/// from a list that each thread keeps.
enum class Memory : std::uint8_t { plain, recycled };

template <class Functions, class Message, class View>
void add_wirecost(Contenders& all, const char* wire, Memory memory) {
  const auto about = [wire](const char* mode, const char* guarantees) {
    return About{"wirecost", mode, wire, generated_by, guarantees};
  };
  using Owner = Owning<Functions, Message>;
  using Viewer = Viewing<Functions, Message, View>;
  const char* const fresh = memory == Memory::recycled ? "recycled" : "new";
  all.push_back(std::make_unique<Batch<Owner, NewObjects>>(about(fresh, "owning, validating")));
  if (memory == Memory::recycled) return;  // the others take nothing from the list
  all.push_back(
      std::make_unique<Batch<Owner, ReusedObjects>>(about("reused", "owning, validating")));
  all.push_back(
      std::make_unique<Batch<Viewer, ReusedObjects>>(about("view", "borrowing, validating")));
}

}  // namespace wirecost::bench
