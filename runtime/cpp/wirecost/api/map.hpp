// SPDX-License-Identifier: Apache-2.0
// A map field with the interface of Protobuf's, in the order of its keys. C++17.
#pragma once

#include <cstddef>
#include <map>
#include <type_traits>
#include <utility>

#include "wirecost/api/repeated_ptr_field.hpp"

namespace wirecost::api {

// As decoders read it.
template <class K, class V>
struct MapEntry {
    K key{};
    V value{};
};

template <class K, class V>
class Map : public std::map<K, V> {
    using Base = std::map<K, V>;

  public:
    using Base::Base;
    using Base::operator[];

    bool contains(const K& key) const { return this->find(key) != this->end(); }
    const V& at(const K& key) const { return Base::at(key); }
    V& at(const K& key) { return Base::at(key); }

    std::size_t SpaceUsedExcludingSelfLong() const {
        constexpr std::size_t links = 4 * sizeof(void*);  // of a node of the tree
        std::size_t bytes = 0;
        for (const auto& [key, value] : *this) bytes += links + space(key) + space(value);
        return bytes;
    }

  private:
    template <class T>
    static std::size_t space(const T& value) {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
            return sizeof value;
        else
            return space_of_element(value);
    }
};

}  // namespace wirecost::api
