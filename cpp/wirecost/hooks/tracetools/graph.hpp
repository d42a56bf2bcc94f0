// SPDX-License-Identifier: Apache-2.0
// Who is who among the handles of one process's tracepoints: nodes, topics, callbacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace wirecost::tracetools {

using Handle = std::uint64_t;

/// The sections of one callback; what does not apply is empty.
struct CallbackNames {
  std::string callback;
  std::string wait;    ///< from taking the message to the callback
  std::string queued;  ///< from a ring buffer within the process to the callback
  std::string place;   ///< node and topic, of subscriptions alone
};

/// Filled by the events of initialization, in any order; an address that is used again stands for
/// the newest object there. Not locked. Forgets everything rather than hold more than `most`
/// objects of a kind.
class Graph {
 public:
  static constexpr std::size_t most = std::size_t{1} << 16;
  static constexpr std::size_t longest_text = 500;
  static constexpr std::size_t most_links = 256;

  void node(Handle node, std::string_view name, std::string_view name_space);
  void publisher(Handle publisher, Handle node, Handle rmw, std::string_view topic);
  void subscription(Handle handle, Handle node, Handle rmw, std::string_view topic);
  void subscription_object(Handle handle, Handle subscription);
  void subscription_callback(Handle subscription, Handle callback);
  void service(Handle service, Handle node, std::string_view name);
  void service_callback(Handle service, Handle callback);
  void timer(Handle timer, std::int64_t period_ns);
  void timer_node(Handle timer, Handle node);
  void timer_callback(Handle timer, Handle callback);
  void symbol(Handle callback, std::string_view symbol);

  /// Whether a handle is a publisher's in the middleware.
  bool is_rmw_publisher(Handle rmw) const { return rmw_publishers_.contains(rmw); }

  CallbackNames names_of(Handle callback) const;
  /// From a message's source time stamp to taking it; `rmw`: the subscription's handle there.
  std::string transport_name_of(Handle rmw) const;
  /// `rmw`: the publisher's handle in the middleware, 0 where it is not known. It comes first: rcl
  /// moves the publishers of /rosout after their initialization.
  std::string publish_name_of(Handle publisher, Handle rmw) const;
  /// What the middleware does for a message: sending it, giving it out. `rmw`: the handle there.
  std::string send_name_of(Handle rmw) const;
  std::string take_name_of(Handle rmw) const;
  /// Of the process's executors: the process is called by its first node.
  std::string idle_name() const;
  /// Of a program's statement that what it publishes depends on what it took: a section for each
  /// pair, at most `most_links`. `kind` is the tracepoint.
  std::vector<std::string> link_names(std::string_view kind,
                                      const std::vector<Handle>& subscriptions,
                                      const std::vector<Handle>& publishers) const;

  /// Grows with each change: names that were looked up before may be others now.
  std::uint64_t changes() const { return changes_; }

 private:
  enum class Kind : std::uint8_t { subscription, service, timer };
  struct Endpoint {
    Handle node = 0;
    std::string name;
  };
  struct Timer {
    Handle node = 0;
    std::int64_t period_ns = 0;
  };
  struct Owner {
    Kind kind;
    Handle handle;
  };
  template <class Value>
  using Table = std::unordered_map<Handle, Value>;

  template <class Value>
  void put(Table<Value>& table, Handle key, Value value);
  template <class Value>
  void set(Table<Value>& table, Handle key, Value value);
  std::string node_name(Handle node) const;
  /// Node and topic of an end that may not be known.
  std::string place_of(const Endpoint* endpoint) const;

  std::string first_node_;
  Table<std::string> nodes_, symbols_;
  Table<Endpoint> publishers_, rmw_publishers_, subscriptions_, rmw_subscriptions_, services_;
  Table<Handle> objects_;
  Table<Timer> timers_;
  Table<Owner> owners_;
  std::uint64_t changes_ = 1;
};

}  // namespace wirecost::tracetools
