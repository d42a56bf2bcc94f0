// SPDX-License-Identifier: Apache-2.0
// A contender that sends a GroundTruth step by step, as the race sees it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/static/state.hpp"

namespace wirecost::bench::static_ {

using Bytes = std::span<const std::byte>;

class Contender {
 public:
  Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;
  virtual ~Contender() = default;

  /// The message with the roads, where they are not in every one. It is read at once.
  virtual Bytes begin(const Roads& roads) = 0;
  /// The message of a step, valid until the next one.
  virtual Bytes write(const Traffic& traffic) = 0;
  /// Reads a message, and of it what `Seen` says.
  virtual double read(Bytes message, std::size_t lane) = 0;
  /// Everything that the reader knows now.
  virtual Traffic traffic() const = 0;
  virtual Roads roads() const = 0;
};

enum class Sent { all, changed, once };

struct Listed {
  std::string name;
  Sent sent = Sent::all;
  std::unique_ptr<Contender> (*make)() = nullptr;
  std::string library{};
  bool is_rival = false;  ///< what people use: the best of these is a yardstick
};

/// What names static data: a number of the static data, and of the message (StaticOnce).
struct Mark {
  std::uint64_t version = 0, sequence = 0;
  bool operator==(const Mark&) const = default;
};

/// What a GroundTruth in Protobuf holds of them. Throws std::runtime_error on what is none.
Roads roads_in(Bytes message);
Traffic traffic_in(Bytes message);

std::string protobuf_version();
std::string flatbuffers_version();

inline constexpr std::uint64_t first_version = 0x8BADF00D00000001;

std::vector<Listed> of_protobuf();
std::vector<Listed> of_flatbuffers();
std::vector<Listed> of_columns();

}  // namespace wirecost::bench::static_
