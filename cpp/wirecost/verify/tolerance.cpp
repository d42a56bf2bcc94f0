// SPDX-License-Identifier: Apache-2.0
#include "wirecost/verify/tolerance.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace wirecost {
namespace {

/// One entry of a canonical form: see canonical.hpp.
struct Entry {
  char kind = 0;
  std::string_view name, content;

  double real() const {
    double value = 0;
    std::memcpy(&value, content.data(), sizeof value);
    return value;
  }
};

class Entries {
 public:
  explicit Entries(std::string_view form) : rest_(form) { next(); }

  bool done() const { return done_; }
  const Entry& entry() const { return entry_; }

  void next() {
    done_ = rest_.empty();
    if (done_) return;
    entry_ = {.kind = rest_[0], .name = {}, .content = {}};
    rest_.remove_prefix(1);
    if (entry_.kind == 'E') return;
    const std::size_t end = rest_.find('\0');
    entry_.name = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    if (entry_.kind == 'M') return;
    std::size_t size = 8;
    if (entry_.kind == 'T') {
      std::uint64_t length = 0;
      std::memcpy(&length, rest_.data(), sizeof length);
      size += length;
    }
    entry_.content = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

 private:
  std::string_view rest_;
  Entry entry_;
  bool done_ = false;
};

/// A zero is left out of the form, so a number may stand alone if it is that near to zero.
bool skip_zero(Entries& from, const Tolerances& tolerances) {
  const Entry& entry = from.entry();
  if (from.done() || entry.kind != 'R') return false;
  const auto allowed = tolerances.find(entry.name);
  if (allowed == tolerances.end() || std::abs(entry.real()) > allowed->second) return false;
  from.next();
  return true;
}

}  // namespace

std::string difference_beyond(std::string_view one, std::string_view other,
                              const Tolerances& tolerances) {
  Entries mine(one), theirs(other);
  while (!mine.done() && !theirs.done()) {
    const Entry &a = mine.entry(), &b = theirs.entry();
    if (a.kind != b.kind || a.name != b.name) {
      if (skip_zero(mine, tolerances) || skip_zero(theirs, tolerances)) continue;
      return std::string(a.name) + " against " + std::string(b.name);
    }
    if (a.content != b.content) {
      const auto allowed = tolerances.find(a.name);
      const bool near = a.kind == 'R' && allowed != tolerances.end() &&
                        std::abs(a.real() - b.real()) <= allowed->second;
      if (!near) {
        std::string text(a.name);
        if (a.kind == 'R')
          text += ": " + std::to_string(a.real()) + " against " + std::to_string(b.real());
        return text;
      }
    }
    mine.next();
    theirs.next();
  }
  while (skip_zero(mine, tolerances) || skip_zero(theirs, tolerances)) {
  }
  return mine.done() && theirs.done() ? "" : "one message ends before the other";
}

}  // namespace wirecost
