// SPDX-License-Identifier: Apache-2.0
// What a repeated field is to every contender: plain elements and the fields they have.
//
// It is a type with `Element`, a plain struct; `name`; `message`, the type that has the field, and
// `rows`, its field number there; and `fields`, a tuple of Field in the order of the content.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "wirecost/columns/builder.hpp"

namespace wirecost::bench::repeated {

/// `name`: the field's path in the schema; `get(element)`: a reference to its value; `token`: its
/// column; `reduction`: how the reduced contender stores it.
template <class Get, class T>
struct Field {
  using Type = T;
  using Stored = typename columns::Values<T>::Stored;

  const char* name;
  Get get;
  columns::Scalar<T> token;
  columns::Reduction reduction;
};

template <class Get, class T>
Field(const char*, Get, columns::Scalar<T>, columns::Reduction) -> Field<Get, T>;

/// A field of elements whose columns are a `Table`: `member` of the element is `path` in the
/// schema.
#define WIRECOST_FIELD(member, path, reduction)                                          \
  ::wirecost::bench::repeated::Field {                                                   \
    #path, [](auto& element) -> auto& { return element.member; }, Table::path, reduction \
  }

/// What the reduced contender may lose; checked value by value before anything is timed.
inline constexpr columns::Reduction lossless{columns::Reduce::automatic};
constexpr columns::Reduction within(double error) { return {columns::Reduce::error, error}; }
inline constexpr double speed_of_light = 299'792'458;             // metres per second
inline constexpr auto of_length = within(1e-3);                   // metres
inline constexpr auto of_speed = within(1e-3);                    // metres per second
inline constexpr auto of_flight = within(2e-3 / speed_of_light);  // seconds there and back: 1 mm
inline constexpr auto of_level = within(0.1);                     // decibel
inline constexpr auto of_angle = within(1.7453292519943296e-5);   // radians: 0.001 degree
inline constexpr auto of_share = within(1e-3);                    // of one
inline constexpr auto of_percent = within(0.1);

/// Calls f(field, index) for each field; the index is a constant expression.
template <class Repeated, class F>
constexpr void for_each_field(F&& f) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (f(std::get<i>(Repeated::fields), std::integral_constant<std::size_t, i>{}), ...);
  }(std::make_index_sequence<std::tuple_size_v<decltype(Repeated::fields)>>{});
}

template <class Repeated>
inline constexpr std::size_t field_count = std::tuple_size_v<decltype(Repeated::fields)>;

template <class Repeated, std::size_t i>
using StoredOf =
    typename std::remove_cvref_t<std::tuple_element_t<i, decltype(Repeated::fields)>>::Stored;

namespace detail {
template <class Repeated, template <class> class Holder, class Indices>
struct EachField;
template <class Repeated, template <class> class Holder, std::size_t... i>
struct EachField<Repeated, Holder, std::index_sequence<i...>> {
  using type = std::tuple<Holder<StoredOf<Repeated, i>>...>;
};
template <class T>
using Vector = std::vector<T>;
template <class T>
using Span = std::span<T>;
}  // namespace detail

/// A vector, or a span, for each field of the elements.
template <class Repeated>
using Arrays = typename detail::EachField<Repeated, detail::Vector,
                                          std::make_index_sequence<field_count<Repeated>>>::type;
template <class Repeated>
using Spans = typename detail::EachField<Repeated, detail::Span,
                                         std::make_index_sequence<field_count<Repeated>>>::type;

/// Elements into arrays as long as they are, field by field, few enough elements at a time to stay
/// in a core's cache.
template <class Repeated>
void scatter(std::span<const typename Repeated::Element> elements, const Spans<Repeated>& to) {
  constexpr std::size_t block = 256;
  for (std::size_t begin = 0; begin < elements.size(); begin += block) {
    const std::span part = elements.subspan(begin, std::min(block, elements.size() - begin));
    for_each_field<Repeated>([&](const auto& field, auto index) {
      using Stored = StoredOf<Repeated, index>;
      Stored* out = std::get<index>(to).data() + begin;
      for (const auto& element : part) *out++ = static_cast<Stored>(field.get(element));
    });
  }
}

}  // namespace wirecost::bench::repeated
