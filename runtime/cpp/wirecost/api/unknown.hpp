// SPDX-License-Identifier: Apache-2.0
// The fields of a message that its schema does not know, as they came. C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace wirecost::api {

class Unknown {
  public:
    Unknown() noexcept {}
    Unknown(const Unknown& other) : bytes_(copy(other)) {}
    Unknown(Unknown&&) noexcept = default;
    Unknown& operator=(const Unknown& other) {
        if (this != &other) bytes_ = copy(other);
        return *this;
    }
    Unknown& operator=(Unknown&&) noexcept = default;
    ~Unknown() = default;

    std::string_view view() const noexcept {
        return bytes_ == nullptr ? std::string_view() : std::string_view(*bytes_);
    }
    operator std::string_view() const noexcept { return view(); }
    std::size_t size() const noexcept { return view().size(); }
    bool empty() const noexcept { return view().empty(); }
    void clear() noexcept {
        if (bytes_ != nullptr) bytes_->clear();
    }
    void append(const std::uint8_t* first, const std::uint8_t* last) { text().append(first, last); }
    void append(std::string_view bytes) {
        if (!bytes.empty()) text().append(bytes);
    }
    std::string& text() {
        if (bytes_ == nullptr) bytes_ = std::make_unique<std::string>();
        return *bytes_;
    }
    std::size_t space() const noexcept {
        return bytes_ == nullptr ? 0 : sizeof(std::string) + bytes_->capacity();
    }

    bool operator==(const Unknown& other) const noexcept { return view() == other.view(); }

  private:
    static std::unique_ptr<std::string> copy(const Unknown& other) {
        return other.empty() ? nullptr : std::make_unique<std::string>(*other.bytes_);
    }

    std::unique_ptr<std::string> bytes_;
};

}  // namespace wirecost::api
