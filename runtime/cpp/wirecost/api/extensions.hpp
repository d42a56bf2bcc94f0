// SPDX-License-Identifier: Apache-2.0
// Fields that a file adds to a message of another: what a message keeps of them, and how code
// reaches them, as in Protobuf. C++17.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "wirecost/api/message.hpp"

namespace wirecost::api {

// What code names an extension by. `Holder`: a class whose one field, `value`, is the extension.
template <class Extendee, class Holder>
class Extension {
  public:
    constexpr explicit Extension(int number) noexcept : number_(number) {}
    constexpr int number() const noexcept { return number_; }

  private:
    int number_;
};

using KnownExtensions = std::map<int, MessageLite* (*)()>;

// Those of a message in the whole program, by number: its sources add them when it starts.
template <class Extendee>
KnownExtensions& known_extensions() {
    static KnownExtensions known;
    return known;
}

template <class Extendee, class Holder>
bool know_extension(const Extension<Extendee, Holder>& extension) {
    return known_extensions<Extendee>()
        .emplace(extension.number(), []() -> MessageLite* { return new Holder; })
        .second;
}

// A message's extensions, and its fields that nobody knows.
class Extensions : public Unknown {
  public:
    Extensions() noexcept {}
    Extensions(const Extensions& other);
    Extensions(Extensions&&) noexcept = default;
    Extensions& operator=(const Extensions& other);
    Extensions& operator=(Extensions&&) noexcept = default;
    ~Extensions() = default;

    // Null if there is none of that number.
    const MessageLite* find(int number) const noexcept;
    template <class Holder>
    Holder& touch(int number) {
        std::unique_ptr<MessageLite>& holder = all()[number];
        if (holder == nullptr) holder = std::make_unique<Holder>();
        return static_cast<Holder&>(*holder);
    }
    void erase(int number);

    // A whole field with its tag, which the message's own are not; false if it is none.
    bool take(const Byte* first, const Byte* last, Reading& reading, const KnownExtensions& known);
    std::size_t size() const noexcept;
    // In front of `p`, by their numbers; null if there is no room.
    Byte* write(Byte* p, const Byte* begin) const noexcept;

    void clear() noexcept;
    void discard_unknown();
    void merge_extensions(const Extensions& other);
    bool initialized() const;
    void print(TextPrinter& printer) const;
    std::size_t space() const;
    bool operator==(const Extensions& other) const;

  private:
    using Holders = std::map<int, std::unique_ptr<MessageLite>>;

    Holders& all();
    std::string bytes() const;

    std::unique_ptr<Holders> holders_;  // most messages have none
};

// A message that files may add fields to.
template <class M>
class ExtendableMessage : public Message {
  public:
    template <class Holder>
    bool HasExtension(const Extension<M, Holder>& extension) const {
        const Holder* const holder = find(extension);
        return holder != nullptr && holder->has_value();
    }
    template <class Holder>
    int ExtensionSize(const Extension<M, Holder>& extension) const {
        return held(extension).value_size();
    }
    template <class Holder>
    void ClearExtension(const Extension<M, Holder>& extension) {
        extensions().erase(extension.number());
    }

    // The value, the default where there is none; of a repeated one all of it.
    template <class Holder>
    decltype(auto) GetExtension(const Extension<M, Holder>& extension) const {
        return held(extension).value();
    }
    template <class Holder>
    decltype(auto) GetExtension(const Extension<M, Holder>& extension, int index) const {
        return held(extension).value(index);
    }
    template <class Holder>
    const auto& GetRepeatedExtension(const Extension<M, Holder>& extension) const {
        return held(extension).value();
    }

    template <class Holder>
    auto* MutableExtension(const Extension<M, Holder>& extension) {
        return touch(extension).mutable_value();
    }
    template <class Holder>
    auto* MutableExtension(const Extension<M, Holder>& extension, int index) {
        return touch(extension).mutable_value(index);
    }
    template <class Holder>
    auto* MutableRepeatedExtension(const Extension<M, Holder>& extension) {
        return touch(extension).mutable_value();
    }

    template <class Holder, class Value>
    void SetExtension(const Extension<M, Holder>& extension, Value&& value) {
        touch(extension).set_value(std::forward<Value>(value));
    }
    template <class Holder, class Value>
    void SetExtension(const Extension<M, Holder>& extension, int index, Value&& value) {
        touch(extension).set_value(index, std::forward<Value>(value));
    }
    template <class Holder, class Value>
    void AddExtension(const Extension<M, Holder>& extension, Value&& value) {
        touch(extension).add_value(std::forward<Value>(value));
    }
    template <class Holder>
    auto* AddExtension(const Extension<M, Holder>& extension) {
        return touch(extension).add_value();
    }

    // What was here, for `delete`; null if absent.
    template <class Holder>
    auto* ReleaseExtension(const Extension<M, Holder>& extension) {
        auto* const released = touch(extension).release_value();
        ClearExtension(extension);
        return released;
    }
    // Takes what `value` points to, from `new`.
    template <class Holder, class Value>
    void SetAllocatedExtension(const Extension<M, Holder>& extension, Value* value) {
        touch(extension).set_allocated_value(value);
    }

  private:
    Extensions& extensions() {
        static_cast<M*>(this)->wirecost_own();
        return static_cast<M*>(this)->wirecost_fields().unknown_fields;
    }
    const Extensions& extensions() const {
        return static_cast<const M*>(this)->wirecost_fields().unknown_fields;
    }
    template <class Holder>
    const Holder* find(const Extension<M, Holder>& extension) const {
        return static_cast<const Holder*>(extensions().find(extension.number()));
    }
    template <class Holder>
    const Holder& held(const Extension<M, Holder>& extension) const {
        const Holder* const holder = find(extension);
        return holder != nullptr ? *holder : Holder::default_instance();
    }
    template <class Holder>
    Holder& touch(const Extension<M, Holder>& extension) {
        return extensions().template touch<Holder>(extension.number());
    }
};

}  // namespace wirecost::api
