// SPDX-License-Identifier: Apache-2.0
// Finds a message's fields by their numbers.
#pragma once

#include <algorithm>
#include <vector>

#include "wirecost/columns/schema.hpp"

namespace wirecost::columns {

// Of each message of a schema, its fields in the order of their numbers. A message is named by the
// index of its node; -1 is the message in columns.
class Index {
  public:
    // Keeps what it holds if it is of such a schema already.
    void bind(const Schema& schema) {
        nodes_ = schema.nodes;
        const auto alike = [](const Key& key, const Node& node) {
            return key.number == node.number && key.parent == node.parent;
        };
        if (std::equal(keys_.begin(), keys_.end(), nodes_.begin(), nodes_.end(), alike) &&
            !first_.empty())
            return;
        keys_.clear();
        for (const Node& node : nodes_) keys_.push_back({node.number, node.parent});
        const auto size = static_cast<std::uint32_t>(nodes_.size());
        first_.assign(size + 2, 0);
        for (const Node& node : nodes_) ++first_[static_cast<std::size_t>(node.parent + 2)];
        for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
        children_.resize(size);
        std::vector<std::uint32_t> next(first_);
        for (std::uint32_t i = 0; i < size; ++i) {
            children_[next[static_cast<std::size_t>(nodes_[i].parent + 1)]++] = i;
        }
        for (std::int32_t message = -1; message < static_cast<std::int32_t>(size); ++message) {
            const auto fields = of(message);
            std::sort(fields.begin(), fields.end(), [this](std::uint32_t a, std::uint32_t b) {
                return nodes_[a].number < nodes_[b].number;
            });
        }
    }

    std::span<const std::uint32_t> children(std::int32_t message) const noexcept {
        const std::size_t at = static_cast<std::size_t>(message + 1);
        return {children_.data() + first_[at], first_[at + 1] - first_[at]};
    }

    // The node of that number, or -1. `hint` is where among the message's fields the next one is
    // likely: fields mostly come in the order of their numbers.
    std::int32_t find(std::int32_t message, std::uint32_t number,
                      std::uint32_t& hint) const noexcept {
        const auto fields = children(message);
        if (hint >= fields.size() || nodes_[fields[hint]].number != number) {
            std::size_t low = 0;
            for (std::size_t high = fields.size(); low != high;) {
                const std::size_t middle = (low + high) / 2;
                if (nodes_[fields[middle]].number < number) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            if (low == fields.size() || nodes_[fields[low]].number != number) return -1;
            hint = static_cast<std::uint32_t>(low);
        }
        return static_cast<std::int32_t>(fields[hint++]);
    }

  private:
    std::span<std::uint32_t> of(std::int32_t message) noexcept {
        const std::size_t at = static_cast<std::size_t>(message + 1);
        return {children_.data() + first_[at], first_[at + 1] - first_[at]};
    }

    struct Key {
        std::uint32_t number;
        std::int32_t parent;
    };

    std::span<const Node> nodes_{};
    std::vector<Key> keys_;
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> children_;
};

}  // namespace wirecost::columns
