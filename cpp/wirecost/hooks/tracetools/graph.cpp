// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <array>
#include <cstdio>

namespace wirecost::tracetools {
namespace {

template <class Value>
const Value* found(const std::unordered_map<Handle, Value>& table, Handle key) {
  const auto at = table.find(key);
  return at == table.end() ? nullptr : &at->second;
}

std::string hexadecimal(Handle handle) {
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(handle));
  return text.data();
}

std::string cut(std::string_view text) { return std::string(text.substr(0, Graph::longest_text)); }

/// Without template arguments where it would be cut: the class and what is in it is at the end.
std::string fitting(std::string_view symbol) {
  if (symbol.size() <= Graph::longest_text) return std::string(symbol);
  std::string kept;
  int depth = 0;
  for (std::size_t i = 0; i != symbol.size(); ++i) {
    if (symbol[i] == '<') ++depth;
    if (depth == 0) kept += symbol[i];
    if (symbol[i] == '>' && depth != 0 && symbol[i - 1] != '-') --depth;
  }
  return cut(kept);
}

std::string period_text(std::int64_t ns) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "timer %.6g ms", static_cast<double>(ns) / 1e6);
  return text.data();
}

}  // namespace

template <class Value>
void Graph::put(Table<Value>& table, Handle key, Value value) {
  if (table.size() >= most && !table.contains(key)) table.clear();
  table.insert_or_assign(key, std::move(value));
}

template <class Value>
void Graph::set(Table<Value>& table, Handle key, Value value) {
  put(table, key, std::move(value));
  ++changes_;
}

void Graph::node(Handle node, std::string_view name, std::string_view name_space) {
  std::string whole = cut(name_space);
  if (!whole.ends_with('/')) whole += '/';
  whole += cut(name);
  if (first_node_.empty()) first_node_ = whole;
  set(nodes_, node, std::move(whole));
}

void Graph::publisher(Handle publisher, Handle node, Handle rmw, std::string_view topic) {
  set(publishers_, publisher, Endpoint{node, cut(topic)});
  set(rmw_publishers_, rmw, Endpoint{node, cut(topic)});
}

void Graph::subscription(Handle handle, Handle node, Handle rmw, std::string_view topic) {
  set(subscriptions_, handle, Endpoint{node, cut(topic)});
  set(rmw_subscriptions_, rmw, Endpoint{node, cut(topic)});
}

void Graph::subscription_object(Handle handle, Handle subscription) {
  set(objects_, subscription, handle);
}

void Graph::subscription_callback(Handle subscription, Handle callback) {
  set(owners_, callback, Owner{Kind::subscription, subscription});
}

void Graph::service(Handle service, Handle node, std::string_view name) {
  set(services_, service, Endpoint{node, cut(name)});
}

void Graph::service_callback(Handle service, Handle callback) {
  set(owners_, callback, Owner{Kind::service, service});
}

void Graph::timer(Handle timer, std::int64_t period_ns) {
  // No name changes before its callback is added; rclpy has a timer for each wait with a timeout.
  put(timers_, timer, Timer{0, period_ns});
}

void Graph::timer_node(Handle timer, Handle node) {
  Timer known = timers_.contains(timer) ? timers_.at(timer) : Timer{};
  known.node = node;
  set(timers_, timer, known);
}

void Graph::timer_callback(Handle timer, Handle callback) {
  set(owners_, callback, Owner{Kind::timer, timer});
}

void Graph::symbol(Handle callback, std::string_view symbol) {
  set(symbols_, callback, fitting(symbol));
}

std::string Graph::node_name(Handle node) const {
  const std::string* name = found(nodes_, node);
  return name == nullptr ? "?" : *name;
}

CallbackNames Graph::names_of(Handle callback) const {
  const std::string* known = found(symbols_, callback);
  const std::string symbol = known == nullptr || known->empty() ? hexadecimal(callback) : *known;
  const Owner* owner = found(owners_, callback);
  if (owner == nullptr) return {"callback " + symbol, "take→callback", "queued→callback", "? ?"};
  switch (owner->kind) {
    case Kind::subscription: {
      const Handle* handle = found(objects_, owner->handle);
      const Endpoint* endpoint = handle == nullptr ? nullptr : found(subscriptions_, *handle);
      const std::string place = place_of(endpoint);
      return {place + " " + symbol, place + " take→callback", place + " queued→callback", place};
    }
    case Kind::service: {
      const Endpoint* endpoint = found(services_, owner->handle);
      const std::string place = endpoint == nullptr
                                    ? "? service ?"
                                    : node_name(endpoint->node) + " service " + endpoint->name;
      return {place + " " + symbol, "", "", ""};
    }
    case Kind::timer: {
      const Timer* timer = found(timers_, owner->handle);
      const std::string place = timer == nullptr
                                    ? "? timer"
                                    : node_name(timer->node) + " " + period_text(timer->period_ns);
      return {place + " " + symbol, "", "", ""};
    }
  }
  return {};
}

std::string Graph::idle_name() const {
  return first_node_.empty() ? "executor idle" : first_node_ + " executor idle";
}

std::string Graph::transport_name_of(Handle rmw) const {
  return place_of(found(rmw_subscriptions_, rmw)) + " publish→take";
}

std::string Graph::send_name_of(Handle rmw) const {
  return place_of(found(rmw_publishers_, rmw)) + " send";
}

std::string Graph::take_name_of(Handle rmw) const {
  return place_of(found(rmw_subscriptions_, rmw)) + " take";
}

std::string Graph::place_of(const Endpoint* endpoint) const {
  return endpoint == nullptr ? "? ?" : node_name(endpoint->node) + " " + endpoint->name;
}

std::vector<std::string> Graph::link_names(std::string_view kind,
                                           const std::vector<Handle>& subscriptions,
                                           const std::vector<Handle>& publishers) const {
  std::vector<std::string> names;
  for (const Handle subscription : subscriptions)
    for (const Handle publisher : publishers) {
      const Endpoint* in = found(subscriptions_, subscription);
      const Endpoint* out = found(publishers_, publisher);
      if (in == nullptr || out == nullptr || names.size() == most_links) continue;
      names.push_back(node_name(in->node) + " " + std::string(kind) + " " + in->name + " → " +
                      out->name);
    }
  return names;
}

std::string Graph::publish_name_of(Handle publisher, Handle rmw) const {
  const Endpoint* endpoint = found(rmw_publishers_, rmw);
  if (endpoint == nullptr) endpoint = found(publishers_, publisher);
  return endpoint == nullptr ? "? publish ?"
                             : node_name(endpoint->node) + " publish " + endpoint->name;
}

}  // namespace wirecost::tracetools
