// SPDX-License-Identifier: Apache-2.0
// The functions of all messages. They are weak because each folder of generated code has this file,
// and a program can have several.
#include "wirecost/api/message.hpp"

#include <cstdio>
#include <stdexcept>

#include "wirecost/api/extensions.hpp"
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

// The message whose size was asked for last, and that size. Programs ask before they write, and
// what a message holds may not change in between.
struct Sized {
    const MessageLite* message;
    std::size_t size;
};
inline constinit thread_local Sized sized{};

WIRECOST_SHARED std::size_t MessageLite::wirecost_sized(std::size_t size) const noexcept {
    sized = {this, size};
    return size;
}

// Whether it takes just `size` bytes, which are then written.
static bool wrote(const MessageLite& message, Byte* begin, std::size_t size) {
    if (size == 0) return message.ByteSizeLong() == 0;
    return message.wirecost_write(begin + size, begin) == begin;
}

WIRECOST_SHARED bool MessageLite::SerializePartialToArray(void* data, int size) const {
    if (size < 0 || !wirecost_within_bounds()) return false;
    const auto room = static_cast<std::size_t>(size);
    auto* const begin = static_cast<Byte*>(data);
    if (sized.message == this && sized.size <= room && wrote(*this, begin, sized.size)) return true;
    const std::size_t needed = ByteSizeLong();
    return needed <= room && wrote(*this, begin, needed);
}

WIRECOST_SHARED bool MessageLite::SerializeToArray(void* data, int size) const {
    return IsInitialized() && SerializePartialToArray(data, size);
}

WIRECOST_SHARED bool MessageLite::AppendPartialToString(std::string* output) const {
    const std::size_t needed = ByteSizeLong();
    if (needed > max_message || !wirecost_within_bounds()) return false;
    const std::size_t old = output->size();
    output->resize(old + needed);
    return wrote(*this, reinterpret_cast<Byte*>(output->data()) + old, needed);
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
    if (sized.message == this && wrote(*this, target, sized.size)) return target + sized.size;
    const std::size_t size = ByteSizeLong();
    wrote(*this, target, size);
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

WIRECOST_SHARED Extensions::Extensions(const Extensions& other) : Unknown(other) {
    if (other.holders_ != nullptr) merge_extensions(other);
}

WIRECOST_SHARED Extensions& Extensions::operator=(const Extensions& other) {
    if (this != &other) *this = Extensions(other);
    return *this;
}

WIRECOST_SHARED Extensions::Holders& Extensions::all() {
    if (holders_ == nullptr) holders_ = std::make_unique<Holders>();
    return *holders_;
}

WIRECOST_SHARED const MessageLite* Extensions::find(int number) const noexcept {
    if (holders_ == nullptr) return nullptr;
    const auto found = holders_->find(number);
    return found != holders_->end() ? found->second.get() : nullptr;
}

WIRECOST_SHARED void Extensions::erase(int number) {
    if (holders_ != nullptr) holders_->erase(number);
}

WIRECOST_SHARED bool Extensions::take(const Byte* first, const Byte* last, Reading& reading,
                                      const KnownExtensions& known) {
    std::uint32_t tag = 0;
    protobuf::read_tag(first, last, reading, tag);
    const auto found = known.find(static_cast<int>(tag >> 3U));
    if (found == known.end()) {
        append(first, last);
        return true;
    }
    std::unique_ptr<MessageLite>& holder = all()[found->first];
    if (holder == nullptr) {
        constexpr std::size_t about = 256;  // bytes of a holder and its place among the others
        if (!reading.take(about)) return reading.fail(Reason::too_much_memory, first) != nullptr;
        holder.reset(found->second());
    }
    if (reading.depth-- < 0) return reading.fail(Reason::nested_too_deep, first) != nullptr;
    if (holder->wirecost_read(first, last, reading) == nullptr) return false;
    ++reading.depth;
    return true;
}

WIRECOST_SHARED std::size_t Extensions::size() const noexcept {
    std::size_t bytes = Unknown::size();
    if (holders_ != nullptr) {
        for (const auto& [number, holder] : *holders_) bytes += holder->ByteSizeLong();
    }
    return bytes;
}

WIRECOST_SHARED Byte* Extensions::write(Byte* p, const Byte* begin) const noexcept {
    p = protobuf::put_raw(p, begin, view());
    if (holders_ != nullptr) {
        for (auto one = holders_->rbegin(); one != holders_->rend() && p != nullptr; ++one)
            p = one->second->wirecost_write(p, begin);
    }
    return p;
}

WIRECOST_SHARED void Extensions::clear() noexcept {
    Unknown::clear();
    holders_.reset();
}

WIRECOST_SHARED void Extensions::discard_unknown() {
    Unknown::clear();
    if (holders_ != nullptr) {
        for (const auto& [number, holder] : *holders_) holder->DiscardUnknownFields();
    }
}

WIRECOST_SHARED void Extensions::merge_extensions(const Extensions& other) {
    if (other.holders_ != nullptr) {
        for (const auto& [number, theirs] : *other.holders_) {
            std::unique_ptr<MessageLite>& mine = all()[number];
            if (mine == nullptr) mine.reset(theirs->New());
            mine->CheckTypeAndMergeFrom(*theirs);
        }
    }
}

WIRECOST_SHARED bool Extensions::initialized() const {
    if (holders_ != nullptr) {
        for (const auto& [number, holder] : *holders_) {
            if (!holder->IsInitialized()) return false;
        }
    }
    return true;
}

WIRECOST_SHARED void Extensions::print(TextPrinter& printer) const {
    if (holders_ != nullptr) {
        for (const auto& [number, holder] : *holders_) holder->wirecost_print(printer);
    }
    printer.unknown(view());
}

WIRECOST_SHARED std::size_t Extensions::space() const {
    std::size_t bytes = Unknown::space();
    if (holders_ != nullptr) {
        for (const auto& [number, holder] : *holders_)
            bytes += holder->SpaceUsedLong() + sizeof(Holders::value_type);
    }
    return bytes;
}

WIRECOST_SHARED std::string Extensions::bytes() const {
    std::string written(size(), '\0');
    auto* const begin = reinterpret_cast<Byte*>(written.data());
    write(begin + written.size(), begin);
    return written;
}

WIRECOST_SHARED bool Extensions::operator==(const Extensions& other) const {
    if (holders_ == nullptr && other.holders_ == nullptr) return Unknown::operator==(other);
    return bytes() == other.bytes();
}

}  // namespace wirecost::api
