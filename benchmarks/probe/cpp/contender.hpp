// SPDX-License-Identifier: Apache-2.0
// A contender: measures what a section of a program took.
//
// A scheme, default-constructible or made with its counters' names, has
//   prepare() -> std::string  opens what it needs in the calling thread; what is missing, or
//   nothing begin(), end()            around the section; inline, since this is what is measured
//   last() -> Seen            what it saw of the last section, where it keeps that itself
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace wirecost::bench::probe {

/// What a scheme saw of a section; -1 where it does not look, or leaves it to its log.
struct Seen {
  std::int64_t ns = -1;
  std::int64_t counted = -1;  ///< how far its first counter came
};

/// `counters`: comma-separated, the first is verified; `records`: what the probe's log holds of one
/// section, `sections`, `marks` or nothing; `what`: its work in words.
struct About {
  std::string case_name, name, mode, counters, records, what;
  int system_calls = 0;
};

class Contender {
 public:
  virtual ~Contender() = default;
  virtual const About& about() const = 0;

  /// In the process and thread that it is run in. Empty, or why it cannot be run.
  virtual std::string prepare() = 0;
  /// That many sections with nothing in them.
  virtual void run(std::size_t times) = 0;
  /// One section with `work` in it.
  virtual Seen around(void (*work)(std::size_t), std::size_t amount) = 0;
};

using Contenders = std::vector<std::unique_ptr<Contender>>;

template <class Scheme>
class Timed final : public Contender {
 public:
  Timed(About about, Scheme scheme) : about_(std::move(about)), scheme_(std::move(scheme)) {}

  const About& about() const override { return about_; }
  std::string prepare() override { return scheme_.prepare(); }
  void run(std::size_t times) override {
    for (std::size_t i = 0; i < times; ++i) {
      scheme_.begin();
      scheme_.end();
    }
  }
  Seen around(void (*work)(std::size_t), std::size_t amount) override {
    scheme_.begin();
    work(amount);
    scheme_.end();
    return scheme_.last();
  }

 private:
  About about_;
  Scheme scheme_;
};

template <class Scheme>
void add(Contenders& all, About about, Scheme scheme = {}) {
  all.push_back(std::make_unique<Timed<Scheme>>(std::move(about), std::move(scheme)));
}

}  // namespace wirecost::bench::probe
