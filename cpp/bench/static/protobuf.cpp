// SPDX-License-Identifier: Apache-2.0
// Google's Protobuf: everything in each message, what changed, and static data once.
#include <google/protobuf/stubs/common.h>

#include <unordered_map>

#include "bench/static/protobuf_roads.hpp"

namespace wirecost::bench::static_ {
namespace {

using Truth = osi3::GroundTruth;

/// All in each message. `Write`, `Read`: where the messages live.
template <template <class> class Write, template <class> class Read>
class All : public Contender {
 public:
  Bytes begin(const Roads& roads) override {
    roads_ = &roads;
    return {};
  }
  Bytes write(const Traffic& traffic) override {
    writing_.release();
    set(writing_.make(), *roads_);
    set(writing_.get(), traffic);
    return output_.write(writing_.get());
  }
  double read(Bytes message, std::size_t lane) override {
    reading_.release();
    parse(reading_.make(), message);
    return seen(reading_.get(), reading_.get(), lane);
  }
  Traffic traffic() const override { return traffic_of(reading_.get()); }
  Roads roads() const override { return roads_of(reading_.get()); }

 protected:
  protobuf::ArrayOutput output_;

 private:
  const Roads* roads_ = nullptr;
  Write<Truth> writing_;
  Read<Truth> reading_;
};

/// The writer's message keeps the roads; what moves is written over.
template <template <class> class Read>
class Kept : public All<protobuf::Fresh, Read> {
 public:
  Bytes begin(const Roads& roads) override {
    set(kept_, roads);
    return {};
  }
  Bytes write(const Traffic& traffic) override {
    set(kept_, traffic);
    return this->output_.write(kept_);
  }

 private:
  Truth kept_;
};

/// The roads' bytes lie in both buffers already: two messages behind each other are one.
template <template <class> class Read>
class Cached : public All<protobuf::Fresh, Read> {
 public:
  Bytes begin(const Roads& roads) override {
    Truth truth;
    set(truth, roads);
    const Bytes bytes = this->output_.write(truth);
    for (auto& buffer : buffers_) buffer.assign(bytes.begin(), bytes.end());
    size_ = bytes.size();
    return {};
  }
  Bytes write(const Traffic& traffic) override {
    set(moving_, traffic);
    std::vector<std::byte>& out = buffers_[current_ ^= 1];
    out.resize(size_ + moving_.ByteSizeLong());
    moving_.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(out.data() + size_));
    return out;
  }

 private:
  Truth moving_;
  std::array<std::vector<std::byte>, 2> buffers_;
  unsigned current_ = 0;
  std::size_t size_ = 0;
};

/// Roads once, then messages that name them.
class Once : public Contender {
 public:
  Bytes begin(const Roads& roads) override {
    message_ = complete(roads, first_version, moving_fields);
    parse(roads_, message_);
    sent_.version = read_.version = first_version;
    return message_;
  }
  Bytes write(const Traffic& traffic) override {
    set(moving_, traffic);
    message_.resize(moving_.ByteSizeLong() + mark_size);
    auto* const first = reinterpret_cast<std::uint8_t*>(message_.data());
    auto* end = reinterpret_cast<std::byte*>(moving_.SerializeWithCachedSizesToArray(first));
    append(end, sent_);
    ++sent_.sequence;
    return message_;
  }
  double read(Bytes message, std::size_t lane) override {
    check(message, read_);
    ++read_.sequence;
    parse(reading_, message);
    return seen(reading_, roads_, lane);
  }
  Traffic traffic() const override { return traffic_of(reading_); }
  Roads roads() const override { return roads_of(roads_); }

 protected:
  Truth roads_;

 private:
  Truth moving_, reading_;
  std::vector<std::byte> message_;
  Mark sent_, read_;
};

/// Of the traffic, too, only what differs from the message before: every message is needed.
class Changed : public Once {
 public:
  Bytes write(const Traffic& traffic) override {
    changed_.clear_moving_object();
    set_header(changed_, traffic);
    for (std::size_t at = 0; at < traffic.objects.size(); ++at) {
      const MovingObject& now = traffic.objects[at];
      if (at >= last_.size() || last_[at].id != now.id) {
        protobuf::set(*changed_.add_moving_object(), now);
        continue;
      }
      const MovingObject& before = last_[at];
      if (before == now) continue;
      osi3::MovingObject& out = *changed_.add_moving_object();
      out.mutable_id()->set_value(now.id);
      if (before.type != now.type) out.set_type(static_cast<osi3::MovingObject::Type>(now.type));
      if (before.vehicle != now.vehicle)
        protobuf::set(*out.mutable_vehicle_classification(), now.vehicle);
      if (before.bbcenter_to_rear != now.bbcenter_to_rear)
        protobuf::set(*out.mutable_vehicle_attributes()->mutable_bbcenter_to_rear(),
                      now.bbcenter_to_rear);
      auto& base = *out.mutable_base();
      if (before.dimension != now.dimension)
        protobuf::set(*base.mutable_dimension(), now.dimension);
      if (before.position != now.position) protobuf::set(*base.mutable_position(), now.position);
      if (before.velocity != now.velocity) protobuf::set(*base.mutable_velocity(), now.velocity);
      if (before.acceleration != now.acceleration)
        protobuf::set(*base.mutable_acceleration(), now.acceleration);
      if (before.orientation != now.orientation)
        protobuf::set(*base.mutable_orientation(), now.orientation);
      if (before.orientation_rate != now.orientation_rate)
        protobuf::set(*base.mutable_orientation_rate(), now.orientation_rate);
    }
    last_ = traffic.objects;
    return output_.write(changed_);
  }
  double read(Bytes message, std::size_t lane) override {
    parse(reading_, message);
    known_.timestamp = {reading_.timestamp().seconds(), reading_.timestamp().nanos()};
    known_.host_vehicle_id = reading_.host_vehicle_id().value();
    for (const auto& object : reading_.moving_object()) take(object);
    Seen seen;
    for (const MovingObject& object : known_.objects) seen.add(object);
    for (const auto& point : roads_.lane(static_cast<int>(lane)).classification().centerline())
      seen.add(protobuf::value(point));
    return seen.sum();
  }
  Traffic traffic() const override { return known_; }

 private:
  void take(const osi3::MovingObject& in) {
    const std::uint64_t id = in.id().value();
    const auto [place, is_new] = places_.try_emplace(id, known_.objects.size());
    if (is_new) known_.objects.emplace_back();
    MovingObject& to = known_.objects[place->second];
    const protobuf::ObjectView view(in);
    to.id = id;
    if (in.has_type()) to.type = view.type();
    if (in.has_vehicle_classification()) to.vehicle = view.vehicle();
    if (in.has_vehicle_attributes()) to.bbcenter_to_rear = view.bbcenter_to_rear();
    const auto& base = in.base();
    if (base.has_dimension()) to.dimension = view.dimension();
    if (base.has_position()) to.position = view.position();
    if (base.has_velocity()) to.velocity = view.velocity();
    if (base.has_acceleration()) to.acceleration = view.acceleration();
    if (base.has_orientation()) to.orientation = view.orientation();
    if (base.has_orientation_rate()) to.orientation_rate = view.orientation_rate();
  }

  Truth changed_, reading_;
  protobuf::ArrayOutput output_;
  std::vector<MovingObject> last_;
  Traffic known_;
  std::unordered_map<std::uint64_t, std::size_t> places_;
};

template <class Made>
std::unique_ptr<Contender> make() {
  return std::make_unique<Made>();
}

}  // namespace

Roads roads_in(Bytes message) {
  Truth truth;
  parse(truth, message);
  return roads_of(truth);
}

Traffic traffic_in(Bytes message) {
  Truth truth;
  parse(truth, message);
  return traffic_of(truth);
}

std::string protobuf_version() { return std::to_string(GOOGLE_PROTOBUF_VERSION); }

std::vector<Listed> of_protobuf() {
  using protobuf::Fresh, protobuf::OnArena, protobuf::Reused;
  return {{"protobuf", Sent::all, make<All<Fresh, Fresh>>},
          {"protobuf-arena", Sent::all, make<All<OnArena, OnArena>>},
          {"protobuf-reuse", Sent::all, make<Kept<Reused>>},
          {"protobuf-reuse-arena", Sent::all, make<Kept<OnArena>>},
          {"protobuf-cached", Sent::all, make<Cached<Reused>>},
          {"protobuf-cached-arena", Sent::all, make<Cached<OnArena>>},
          {"protobuf-changed", Sent::changed, make<Changed>},
          {"protobuf-once", Sent::once, make<Once>}};
}

}  // namespace wirecost::bench::static_
