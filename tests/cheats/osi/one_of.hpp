// SPDX-License-Identifier: Apache-2.0
// One codec that is any of several, by name: all cheats in one FMU, which is built once.
#pragma once

#include <array>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "wirecost/codec/codec.hpp"

namespace wirecost::cheats {

/// Which of the codecs the environment asks for.
template <class... Codecs>
std::size_t chosen() {
  constexpr std::array<std::string_view, sizeof...(Codecs)> names{Codecs::name...};
  const char* const asked = std::getenv("WIRECOST_CHEAT");
  for (std::size_t i = 0; i < names.size(); ++i)
    if (asked != nullptr && names[i] == asked) return i;
  throw std::invalid_argument("WIRECOST_CHEAT names no cheat");
}

/// One object of one of the types, made of `arguments`.
template <class... Types>
class Any {
  using Variant = std::variant<std::unique_ptr<Types>...>;

 public:
  explicit Any(std::size_t index, const auto&... arguments) {
    make(index, std::index_sequence_for<Types...>{}, arguments...);
  }
  decltype(auto) with(const auto& use) {
    return std::visit([&](const auto& one) -> decltype(auto) { return use(*one); }, one_);
  }
  decltype(auto) with(const auto& use) const {
    return std::visit([&](const auto& one) -> decltype(auto) { return use(std::as_const(*one)); },
                      one_);
  }

 private:
  template <std::size_t... indices>
  void make(std::size_t index, std::index_sequence<indices...>, const auto&... arguments) {
    const auto one = [&]<std::size_t at>(std::integral_constant<std::size_t, at>) {
      using Type = typename std::variant_alternative_t<at, Variant>::element_type;
      if (at == index) one_.template emplace<at>(std::make_unique<Type>(arguments...));
    };
    (one(std::integral_constant<std::size_t, indices>{}), ...);
  }

  Variant one_;
};

template <class... Codecs>
struct OneOf {
  class ViewWriter {
   public:
    explicit ViewWriter(Variant variant) : any_(chosen<Codecs...>(), variant) {}

    void begin(const SensorViewHeader& header) {
      any_.with([&](auto& one) { one.begin(header); });
    }
    void begin_reflections(const LidarConfiguration& lidar, std::size_t count) {
      any_.with([&](auto& one) { one.begin_reflections(lidar, count); });
    }
    void add(Reflection reflection) {
      any_.with([&](auto& one) { one.add(reflection); });
    }
    void end_reflections() {
      any_.with([](auto& one) { one.end_reflections(); });
    }
    void add(const MovingObject& object) {
      any_.with([&](auto& one) { one.add(object); });
    }
    void end() {
      any_.with([](auto& one) { one.end(); });
    }
    Bytes serialize() {
      return any_.with([](auto& one) { return one.serialize(); });
    }
    void release() {
      any_.with([](auto& one) { one.release(); });
    }

   private:
    Any<typename Codecs::ViewWriter...> any_;
  };

  class ViewReader {
   public:
    bool open(Bytes bytes) {
      return any_.with([&](auto& one) { return one.open(bytes); });
    }
    SensorViewHeader header() const {
      return any_.with([](const auto& one) { return one.header(); });
    }
    LidarConfiguration lidar() const {
      return any_.with([](const auto& one) { return one.lidar(); });
    }
    std::size_t object_count() const {
      return any_.with([](const auto& one) { return one.object_count(); });
    }
    auto object(std::size_t index) const {
      return any_.with([&](const auto& one) { return one.object(index); });
    }
    std::size_t reflection_count() const {
      return any_.with([](const auto& one) { return one.reflection_count(); });
    }
    Reflection reflection(std::size_t index) const {
      return any_.with([&](const auto& one) { return one.reflection(index); });
    }
    void release() {
      any_.with([](auto& one) { one.release(); });
    }

   private:
    Any<typename Codecs::ViewReader...> any_{chosen<Codecs...>()};
  };

  class DataWriter {
   public:
    explicit DataWriter(Variant variant) : any_(chosen<Codecs...>(), variant) {}

    void begin(const SensorDataHeader& header) {
      any_.with([&](auto& one) { one.begin(header); });
    }
    void add(const DetectedObject& object) {
      any_.with([&](auto& one) { one.add(object); });
    }
    void begin_detections(std::size_t count) {
      any_.with([&](auto& one) { one.begin_detections(count); });
    }
    void add(Detection detection) {
      any_.with([&](auto& one) { one.add(detection); });
    }
    void end() {
      any_.with([](auto& one) { one.end(); });
    }
    Bytes serialize() {
      return any_.with([](auto& one) { return one.serialize(); });
    }
    void release() {
      any_.with([](auto& one) { one.release(); });
    }

   private:
    Any<typename Codecs::DataWriter...> any_;
  };
};

}  // namespace wirecost::cheats
