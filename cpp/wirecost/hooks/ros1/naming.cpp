// SPDX-License-Identifier: Apache-2.0
#include "naming.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <unordered_map>

#include "library.hpp"
#include "symbol.hpp"
#include "wirecost/probe.h"

namespace wirecost::ros1 {
namespace {

constexpr std::size_t most_topics = 4096;
/// Of a subscriber that takes whatever comes.
constexpr const char* any_type = "*";
constexpr std::size_t hashed_bytes = 64;

std::uint32_t section(const std::string& name) { return wirecost_probe_section(name.c_str()); }

/// FNV-1a.
std::uint64_t hash(std::uint64_t seed, const void* data, std::size_t bytes) {
  const auto* const first = static_cast<const unsigned char*>(data);
  std::uint64_t value = seed;
  for (std::size_t i = 0; i < bytes; ++i) value = (value ^ first[i]) * 0x100000001b3ULL;
  return value;
}

std::uint64_t hash_of(const std::string& topic) {
  return hash(0xcbf29ce484222325ULL, topic.data(), topic.size());
}

// Trivial, so that what publishes in a destructor at the thread's end still finds them.
using Publications = std::unordered_map<std::string, Publication>;
thread_local constinit Publications* known = nullptr;
thread_local constinit bool ended = false;

struct AtThreadEnd {
  ~AtThreadEnd() {
    ended = true;
    delete known;
    known = nullptr;
  }
};

}  // namespace

CallbackSections of_subscription(const std::string& topic, const std::string& type,
                                 const Function& callback) {
  const std::string place = node_name() + " " + topic;
  const std::string of_type = type == any_type ? " " : " " + type + " ";
  return {.callback = section(place + of_type + symbol_of(callback)),
          .wait = section(place + " queue wait"),
          .deserialize = section(place + " deserialize"),
          .topic_hash = hash_of(topic)};
}

CallbackSections of_service(const std::string& service, const std::string& type,
                            const Function& callback) {
  const std::string place = node_name() + " service " + service;
  return {.callback = section(place + " " + type + " " + symbol_of(callback)),
          .wait = section(place + " queue wait")};
}

CallbackSections of_timer(std::int64_t period_ns, const Function& callback) {
  std::array<char, 40> period{};
  std::snprintf(period.data(), period.size(), " timer %.6g ms ",
                static_cast<double>(period_ns) / 1e6);
  const std::string name = node_name() + period.data() + symbol_of(callback);
  return {.callback = section(name), .wait = section(name + " queue wait")};
}

Publication publication(const std::string& topic) {
  if (!ended && known == nullptr) {
    known = new Publications;
    thread_local const AtThreadEnd at_thread_end;
    static_cast<void>(at_thread_end);
  }
  if (known != nullptr)
    if (const auto found = known->find(topic); found != known->end()) return found->second;
  const Publication made{section(node_name() + " publish " + topic), hash_of(topic)};
  if (known == nullptr) return made;
  // A program that makes up topics without end must not fill the memory.
  if (known->size() >= most_topics) known->clear();
  known->emplace(topic, made);
  return made;
}

std::uint64_t identity(std::uint64_t topic_hash, const void* body, std::size_t bytes) {
  const std::uint64_t value =
      hash(topic_hash ^ bytes, body, std::min<std::size_t>(bytes, hashed_bytes));
  return value == 0 ? 1 : value;
}

}  // namespace wirecost::ros1
