// SPDX-License-Identifier: Apache-2.0
// The names of messages, files and their options: what code asks of descriptors without reflection.
// C++17.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace wirecost::api {

// An extension of google.protobuf.FileOptions whose type is a message.
template <class T>
struct FileOption {
    int number;
};

class FileOptions {
  public:
    // As serialized.
    constexpr explicit FileOptions(std::string_view bytes) noexcept : bytes_(bytes) {}

    template <class T>
    const T& GetExtension(const FileOption<T>& option) const {
        // References stay valid, so each value is made once and kept.
        static std::map<std::pair<const FileOptions*, int>, T> values;
        static std::mutex access;
        const std::lock_guard lock(access);
        const auto [found, is_new] = values.try_emplace({this, option.number});
        T& value = found->second;
        for (std::string_view rest = is_new ? bytes_ : std::string_view(); !rest.empty();) {
            const std::string_view content = next(rest, option.number);
            if (content.data() != nullptr) value.MergePartialFromString(content);
        }
        return value;
    }
    template <class T>
    bool HasExtension(const FileOption<T>& option) const {
        for (std::string_view rest = bytes_; !rest.empty();) {
            if (next(rest, option.number).data() != nullptr) return true;
        }
        return false;
    }

  private:
    // Goes on behind the first field; its content if it has that number and a length.
    static std::string_view next(std::string_view& rest, int number);
    static unsigned long long varint(std::string_view& rest);

    std::string_view bytes_;
};

inline unsigned long long FileOptions::varint(std::string_view& rest) {
    unsigned long long value = 0;
    for (unsigned shift = 0; !rest.empty() && shift < 64; shift += 7) {
        const auto byte = static_cast<unsigned char>(rest.front());
        rest.remove_prefix(1);
        value |= (byte & 0x7FULL) << shift;
        if (byte < 0x80) break;
    }
    return value;
}

inline std::string_view FileOptions::next(std::string_view& rest, int number) {
    const unsigned long long tag = varint(rest);
    std::size_t size = 0;
    switch (tag & 7U) {
        case 0:
            varint(rest);
            return {};
        case 1:
            size = 8;
            break;
        case 2:
            size = static_cast<std::size_t>(varint(rest));
            break;
        case 5:
            size = 4;
            break;
        default:  // groups, which options have not
            rest = {};
            return {};
    }
    const std::string_view content = rest.substr(0, size);
    rest.remove_prefix(content.size());
    const bool wanted = (tag & 7U) == 2 && tag >> 3U == static_cast<unsigned long long>(number);
    return wanted ? content : std::string_view();
}

class FileDescriptor {
  public:
    constexpr FileDescriptor(std::string_view name, std::string_view package,
                             std::string_view options) noexcept
        : name_(name), package_(package), options_(options) {}
    std::string name() const { return std::string(name_); }
    std::string package() const { return std::string(package_); }
    const FileOptions& options() const noexcept { return options_; }

  private:
    std::string_view name_;
    std::string_view package_;
    FileOptions options_;
};

class Descriptor {
  public:
    constexpr Descriptor(std::string_view full_name, const FileDescriptor& file) noexcept
        : full_name_(full_name), file_(&file) {}
    std::string full_name() const { return std::string(full_name_); }
    std::string name() const { return std::string(full_name_.substr(full_name_.rfind('.') + 1)); }
    const FileDescriptor* file() const noexcept { return file_; }

  private:
    std::string_view full_name_;
    const FileDescriptor* file_;
};

}  // namespace wirecost::api
