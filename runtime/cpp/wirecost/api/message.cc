// SPDX-License-Identifier: Apache-2.0
// The functions of all messages. They are weak because each folder of generated code has this file,
// and a program can have several.
#include "wirecost/api/message.hpp"

#include <cstdio>
#include <stdexcept>

#include "wirecost/api/text.hpp"
#include "wirecost/support_protobuf.hpp"

#define WIRECOST_SHARED [[gnu::weak]]

namespace wirecost::api {

using protobuf::max_message;

WIRECOST_SHARED std::string MessageLite::InitializationErrorString() const {
    return "(cannot determine missing fields for lite message)";
}

WIRECOST_SHARED std::string MessageLite::DebugString() const {
    return TextPrinter::printed(*this, {});
}

WIRECOST_SHARED std::string MessageLite::ShortDebugString() const {
    return TextPrinter::printed(*this, {.in_one_line = true});
}

WIRECOST_SHARED std::string MessageLite::Utf8DebugString() const {
    return TextPrinter::printed(*this, {.utf8 = true});
}

WIRECOST_SHARED void MessageLite::PrintDebugString() const {
    std::fputs(DebugString().c_str(), stdout);
}

WIRECOST_SHARED bool MessageLite::write_to(Byte* begin, std::size_t size) const {
    return size == 0 || wirecost_write(begin + size, begin) != nullptr;
}

WIRECOST_SHARED bool MessageLite::SerializePartialToArray(void* data, int size) const {
    const std::size_t needed = ByteSizeLong();
    if (size < 0 || needed > static_cast<std::size_t>(size) || !wirecost_within_bounds())
        return false;
    return write_to(static_cast<Byte*>(data), needed);
}

WIRECOST_SHARED bool MessageLite::SerializeToArray(void* data, int size) const {
    return IsInitialized() && SerializePartialToArray(data, size);
}

WIRECOST_SHARED bool MessageLite::AppendPartialToString(std::string* output) const {
    const std::size_t needed = ByteSizeLong();
    if (needed > max_message || !wirecost_within_bounds()) return false;
    const std::size_t old = output->size();
    output->resize(old + needed);
    return write_to(reinterpret_cast<Byte*>(output->data()) + old, needed);
}

WIRECOST_SHARED bool MessageLite::AppendToString(std::string* output) const {
    return IsInitialized() && AppendPartialToString(output);
}

WIRECOST_SHARED bool MessageLite::SerializePartialToString(std::string* output) const {
    output->clear();
    return AppendPartialToString(output);
}

WIRECOST_SHARED bool MessageLite::SerializeToString(std::string* output) const {
    output->clear();
    return AppendToString(output);
}

WIRECOST_SHARED std::string MessageLite::SerializeAsString() const {
    std::string output;
    return AppendToString(&output) ? output : std::string();
}

WIRECOST_SHARED std::string MessageLite::SerializePartialAsString() const {
    std::string output;
    return AppendPartialToString(&output) ? output : std::string();
}

WIRECOST_SHARED std::uint8_t* MessageLite::SerializeWithCachedSizesToArray(
    std::uint8_t* target) const {
    const std::size_t size = ByteSizeLong();
    write_to(target, size);
    return target + size;
}

WIRECOST_SHARED bool MessageLite::MergePartialFromString(std::string_view data) {
    if (data.size() > max_message) return false;
    const ParseLimits& allowed = parse_limits();
    Limits limits;
    limits.depth = allowed.depth;
    const auto* const begin = reinterpret_cast<const Byte*>(data.data());
    Reading reading(begin, 0, data.size(), limits);
    reading.memory = allowed.memory + data.size() * allowed.memory_per_byte;
    wirecost_read(begin, begin + data.size(), reading);
    return !reading.error;
}

WIRECOST_SHARED bool MessageLite::MergeFromString(std::string_view data) {
    return MergePartialFromString(data) && IsInitialized();
}

WIRECOST_SHARED bool MessageLite::ParsePartialFromString(std::string_view data) {
    Clear();
    return MergePartialFromString(data);
}

WIRECOST_SHARED bool MessageLite::ParseFromString(std::string_view data) {
    return ParsePartialFromString(data) && IsInitialized();
}

WIRECOST_SHARED bool MessageLite::ParsePartialFromArray(const void* data, int size) {
    if (size < 0) return false;
    return ParsePartialFromString({static_cast<const char*>(data), static_cast<std::size_t>(size)});
}

WIRECOST_SHARED bool MessageLite::ParseFromArray(const void* data, int size) {
    return ParsePartialFromArray(data, size) && IsInitialized();
}

}  // namespace wirecost::api
