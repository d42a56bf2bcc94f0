// SPDX-License-Identifier: Apache-2.0
// Between a list's elements and its columns, field by field: what a program does that fills and
// reads columns itself. Generated code says by `Nodes` how each field is reached.
#pragma once

#include <tuple>

#include "harness.hpp"
#include "wirecost/columns/builder.hpp"
#include "wirecost/columns/find.hpp"
#include "wirecost/columns/view.hpp"
#include "wirecost/support_holders.hpp"

namespace message_bench {

namespace columns = wirecost::columns;

// What a field holds, nullptr where it is absent.
template <class T>
const T* there(const T& value) {
  return &value;
}
template <class T>
const T* there(const wirecost::Optional<T>& value) {
  return value ? &*value : nullptr;
}
template <class T>
const T* there(const wirecost::Box<T>& value) {
  return value ? &*value : nullptr;
}
template <class T>
const T* there(const T* value) {  // of a oneof
  return value;
}

// The field that some steps lead to, nullptr where a message on the way is absent.
template <class M>
const M* along(const M& m) {
  return &m;
}
template <class M, class Step, class... Steps>
auto along(const M& m, Step step, Steps... steps) {
  const auto* const next = there(step(m));
  using End = decltype(along(*next, steps...));
  return next != nullptr ? along(*next, steps...) : End{nullptr};
}

// Calls f(element) for each element of the innermost of some lists; each of `lists` leads from an
// element of the one before to the next list, nullptr where there is none.
template <class M, class F>
void for_elements(const M& m, F& f) {
  f(m);
}
template <class M, class F, class List, class... Lists>
void for_elements(const M& m, F& f, List list, Lists... lists) {
  if (const auto* const elements = list(m)) {
    for (const auto& element : *elements) for_elements(element, f, lists...);
  }
}

template <class T>
struct IsScalar : std::false_type {};
template <class T>
struct IsScalar<columns::Scalar<T>> : std::true_type {};
template <class T>
struct IsRepeated : std::false_type {};
template <class T>
struct IsRepeated<columns::Repeated<T>> : std::true_type {};

template <class Token>
auto values_of(Token) -> std::byte;
template <class T>
auto values_of(columns::Scalar<T>) -> typename columns::Values<T>::Stored;
template <class T>
auto values_of(columns::Repeated<T>) -> typename columns::Values<T>::Stored;

// One field of the elements. `Field` has the `token`, and `visit(rows, f)`, which calls f with the
// field of each element of the innermost list that it is in.
template <class Columns, class Field>
class ColumnOf {
  static constexpr auto token = Field::token;
  using Token = std::remove_const_t<decltype(token)>;
  using Stored = decltype(values_of(token));
  static constexpr const columns::Node& node = Columns::nodes[token.node];
  static constexpr bool is_scalar = IsScalar<Token>::value;
  static constexpr bool is_text = std::is_same_v<Token, columns::Text>;
  static constexpr bool is_repeated = IsRepeated<Token>::value;
  static constexpr bool is_texts = std::is_same_v<Token, columns::RepeatedText>;
  static constexpr bool is_messages = std::is_base_of_v<columns::RepeatedMessage, Token>;

 public:
  void begin() { elements_ = having_ = total_ = bytes_ = 0; }
  // Counts what columns need to know before they are placed.
  template <class Rows>
  void count(const Rows& rows) {
    if constexpr (is_scalar && !node.optional) {
      if (node.required || total_ != 0) return;  // one value that is not 0 tells all
      Field::visit(rows,
                   [this](const auto* value) { total_ += value != nullptr && is_set(*value); });
    } else {
      Field::visit(rows, [this](const auto* value) {
        ++elements_;
        if (value == nullptr) return;
        ++having_;
        if constexpr (is_text || is_repeated || is_texts || is_messages) total_ += value->size();
        if constexpr (is_texts) {
          for (const auto& text : *value) bytes_ += text.size();
        }
      });
    }
  }
  void announce(columns::Builder<Columns>& builder) {
    is_written_ = node.required || (node.optional ? having_ != 0 : total_ != 0);
    if (!is_written_) return;
    const auto presence = having_ == elements_ ? columns::Presence::all : columns::Presence::some;
    if constexpr (is_scalar) {
      builder.announce(token, presence);
    } else if constexpr (is_text) {
      builder.announce(token, total_, presence);
    } else if constexpr (is_repeated || is_messages) {
      builder.announce(token, static_cast<std::uint32_t>(total_));
    } else if constexpr (is_texts) {
      builder.announce(token, static_cast<std::uint32_t>(total_), bytes_);
    } else {
      builder.announce(token, presence);
    }
  }
  // Where the values go, once the columns are placed.
  void place(const columns::Builder<Columns>& builder) {
    at_ = end_ = text_at_ = text_end_ = 0;
    offsets_ = text_offsets_ = {};
    if (!is_written_) return;
    presence_ = builder.presence(token);
    if constexpr (is_scalar || is_text || is_repeated) values_ = builder.values(token);
    if constexpr (!is_scalar) offsets_ = builder.offsets(token);
    if constexpr (is_texts) {
      text_offsets_ = builder.offsets(builder.texts(token));
      values_ = builder.values(builder.texts(token));
    }
    for (const auto offsets : {offsets_, text_offsets_}) {
      if (!offsets.empty()) offsets[0] = 0;
    }
  }
  template <class Rows>
  void store(const Rows& rows) {
    if (!is_written_) return;
    std::size_t at = at_;
    if constexpr (is_scalar) {
      Stored* to = values_.data() + at;
      Field::visit(rows, [&to](const auto* value) {
        *to++ = value != nullptr ? static_cast<Stored>(*value) : Stored{};
      });
      at = static_cast<std::size_t>(to - values_.data());
    } else if (!offsets_.empty()) {
      Field::visit(rows, [this, &at](const auto* value) {
        if (value != nullptr) store_one(*value);
        offsets_[++at] = static_cast<std::uint32_t>(end_);
      });
    }
    if (!presence_.empty()) {
      at = at_;
      Field::visit(rows, [this, &at](const auto* value) {
        if (value != nullptr) presence_[at / 8] |= static_cast<wirecost::Byte>(1U << (at % 8));
        ++at;
      });
    }
    at_ = at;
  }

  void read(Sum& sum, const columns::View<Columns>& view) {
    if constexpr (is_scalar) {
      const auto column = view[token];
      if (column.all()) {
        add_all(sum, column.span(spare_));
      } else if (column.present()) {
        Sum own;
        for (std::size_t i = 0; i < column.size(); ++i) {
          if (column.has(i)) own.number(column[i]);
        }
        sum.add(own);
      }
    } else if constexpr (is_repeated) {
      add_all(sum, view[token].values().span(spare_));
    } else if constexpr (is_text) {
      add_texts(sum, view[token]);
    } else if constexpr (is_texts) {
      add_texts(sum, view[token].values());
    }
  }

 private:
  template <class T>
  static bool is_set(T value) {
    if constexpr (std::is_floating_point_v<T>) return value != T{} || std::signbit(value);
    return value != T{};
  }
  // A text, the values of a list, or how many messages it has.
  template <class T>
  void store_one(const T& value) {
    if constexpr (is_text) {
      put(value, end_);
    } else if constexpr (is_repeated) {
      if (value.size() != 0)
        std::memcpy(&values_[end_], value.data(), value.size() * sizeof(Stored));
      end_ += value.size();
    } else if constexpr (is_texts) {
      for (const auto& text : value) {
        put(text, text_end_);
        text_offsets_[++text_at_] = static_cast<std::uint32_t>(text_end_);
      }
      end_ += value.size();
    } else if constexpr (is_messages) {
      end_ += value.size();
    }
  }
  template <class Text>
  void put(const Text& text, std::size_t& end) {
    if (text.size() == 0) return;
    std::memcpy(&values_[end], text.data(), text.size());
    end += text.size();
  }
  static void add_all(Sum& sum, std::span<const Stored> values) {
    Sum own;
    for (const Stored value : values) own.number(value);
    sum.add(own);
  }
  static void add_texts(Sum& sum, const columns::TextColumn& column) {
    if (!column.present()) return;
    for (std::size_t i = 0; i < column.size(); ++i) {
      if (column.has(i)) sum.text(column[i]);
    }
  }

  std::size_t elements_ = 0, having_ = 0, total_ = 0, bytes_ = 0;
  bool is_written_ = false;
  std::size_t at_ = 0, end_ = 0, text_at_ = 0, text_end_ = 0;
  std::span<wirecost::Byte> presence_;
  std::span<std::uint32_t> offsets_, text_offsets_;
  std::span<Stored> values_;
  std::vector<Stored> spare_;
};

// A list in columns. `Nodes` is a tuple of its fields, those of a message behind it.
template <class Columns, class... Fields>
class ListInColumns {
 public:
  // Appends the columns of a list with that number to the message that holds it.
  template <class Rows>
  void append(const Rows& rows, columns::Buffer& message, std::uint32_t number) {
    each([](auto& column) { column.begin(); });
    in_blocks(rows, [](auto& column, const auto& block) { column.count(block); });
    builder_.begin(static_cast<std::uint32_t>(rows.size()));
    each([this](auto& column) { column.announce(builder_); });
    require(!builder_.append_to(message, number), "it does not encode");
    each([this](auto& column) { column.place(builder_); });
    in_blocks(rows, [](auto& column, const auto& block) { column.store(block); });
  }
  // Of each message that such a list stands in, whose name is `holder`. A list without elements has
  // no columns.
  void find(std::uint32_t container, std::span<const std::byte> message, std::string_view holder,
            std::uint32_t number, const columns::Containers& containers) {
    require(!columns::find<Columns>(containers, container, message, found_), "it does not decode");
    count_ = 0;
    for (const columns::FoundColumns& one : found_) {
      if (one.container->name != holder || one.columns_field->rows != number) continue;
      if (count_ == views_.size()) views_.emplace_back();
      require(!views_[count_++].read(one.content), "it does not decode");
    }
  }
  void read(Sum& sum) {
    for (std::size_t i = 0; i < count_; ++i) {
      each([&](auto& column) { column.read(sum, views_[i]); });
    }
  }

 private:
  // Few at a time, so that they stay in a core's cache while each field is looked at.
  static constexpr std::size_t block_size = 256;

  void each(auto f) {
    std::apply([&](auto&... column) { (f(column), ...); }, all_);
  }
  template <class Rows>
  void in_blocks(const Rows& rows, auto f) {
    for (std::size_t begin = 0; begin < rows.size(); begin += block_size) {
      const std::span block(rows.data() + begin, std::min(block_size, rows.size() - begin));
      each([&](auto& column) { f(column, block); });
    }
  }

  columns::Builder<Columns> builder_;
  std::vector<columns::FoundColumns> found_;
  std::vector<columns::View<Columns>> views_;  // `count_` of them are read; the others have memory
  std::size_t count_ = 0;
  std::tuple<ColumnOf<Columns, Fields>...> all_;
};

}  // namespace message_bench
