// SPDX-License-Identifier: Apache-2.0
// What all classes with Protobuf's interface share. C++17: programs that include it need no newer
// one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wirecost/api/descriptor.hpp"
#include "wirecost/api/lent.hpp"
#include "wirecost/api/map.hpp"
#include "wirecost/api/repeated_field.hpp"
#include "wirecost/api/repeated_ptr_field.hpp"
#include "wirecost/api/sub.hpp"
#include "wirecost/api/unknown.hpp"

namespace wirecost {
using Byte = std::uint8_t;
struct Reading;
}  // namespace wirecost

namespace wirecost::api {

class TextPrinter;

// What a message may cost that is parsed.
struct ParseLimits {
    int depth = 100;                               // of messages in the outermost one
    std::size_t memory = std::size_t{256} << 20U;  // of messages, bytes
    std::size_t memory_per_byte = 64;              // and for each byte of input
};

// Those of the whole program: change them before its threads parse.
inline ParseLimits& parse_limits() noexcept {
    static ParseLimits limits;
    return limits;
}

// Serializers answer false for a message that misses a required field, breaks a bound or reaches
// 2 GiB; with `Partial` in the name for the last two only. Parsers answer false for what is no
// whole message, beyond the limits, or misses a required field, with `Partial` for the first two
// only; its beginning may have been read.
class MessageLite {
  public:
    virtual ~MessageLite() = default;

    virtual MessageLite* New() const = 0;
    virtual void Clear() = 0;
    // Of the messages in it as well.
    virtual void DiscardUnknownFields() = 0;
    virtual bool IsInitialized() const = 0;
    virtual std::size_t ByteSizeLong() const = 0;
    virtual std::size_t SpaceUsedLong() const = 0;
    virtual const Descriptor* GetDescriptor() const = 0;
    // Throws std::invalid_argument if `other` has another type.
    virtual void CheckTypeAndMergeFrom(const MessageLite& other) = 0;

    std::string GetTypeName() const { return GetDescriptor()->full_name(); }
    std::string InitializationErrorString() const;
    int ByteSize() const { return static_cast<int>(ByteSizeLong()); }
    int GetCachedSize() const { return static_cast<int>(ByteSizeLong()); }
    int SpaceUsed() const { return static_cast<int>(SpaceUsedLong()); }
    std::string DebugString() const;
    std::string ShortDebugString() const;
    std::string Utf8DebugString() const;
    void PrintDebugString() const;

    bool SerializeToArray(void* data, int size) const;
    bool SerializePartialToArray(void* data, int size) const;
    bool SerializeToString(std::string* output) const;
    bool SerializePartialToString(std::string* output) const;
    bool AppendToString(std::string* output) const;
    bool AppendPartialToString(std::string* output) const;
    std::string SerializeAsString() const;
    std::string SerializePartialAsString() const;
    std::uint8_t* SerializeWithCachedSizesToArray(std::uint8_t* target) const;
    template <class Stream>
    bool SerializeToOstream(Stream* output) const {
        std::string bytes;
        return SerializeToString(&bytes) && put(bytes, output);
    }
    template <class Stream>
    bool SerializePartialToOstream(Stream* output) const {
        std::string bytes;
        return SerializePartialToString(&bytes) && put(bytes, output);
    }

    bool ParseFromArray(const void* data, int size);
    bool ParsePartialFromArray(const void* data, int size);
    bool ParseFromString(std::string_view data);
    bool ParsePartialFromString(std::string_view data);
    bool MergeFromString(std::string_view data);
    bool MergePartialFromString(std::string_view data);
    template <class Stream>
    bool ParseFromIstream(Stream* input) {
        return ParseFromString(all(input));
    }
    template <class Stream>
    bool ParsePartialFromIstream(Stream* input) {
        return ParsePartialFromString(all(input));
    }

    // As the functions above and generated code call them.
    virtual Byte* wirecost_write(Byte* p, const Byte* begin) const noexcept = 0;
    virtual const Byte* wirecost_read(const Byte* p, const Byte* end, Reading& r) = 0;
    virtual bool wirecost_within_bounds() const noexcept { return true; }
    virtual void wirecost_print(TextPrinter& printer) const = 0;

  protected:
    // Keeps the size of this message, which the thread may write next.
    std::size_t wirecost_sized(std::size_t size) const noexcept;

    MessageLite() = default;
    MessageLite(const MessageLite&) = default;
    MessageLite(MessageLite&&) = default;
    MessageLite& operator=(const MessageLite&) = default;
    MessageLite& operator=(MessageLite&&) = default;

  private:
    template <class Stream>
    static bool put(const std::string& bytes, Stream* output) {
        output->write(bytes.data(), static_cast<std::ptrdiff_t>(bytes.size()));
        return output->good();
    }
    template <class Stream>
    static std::string all(Stream* input) {
        std::string bytes;
        constexpr std::size_t piece = 1 << 16;
        constexpr std::size_t most = std::size_t{1} << 31U;  // of which no parser takes all
        do {
            const std::size_t old = bytes.size();
            bytes.resize(old + piece);
            input->read(bytes.data() + old, static_cast<std::ptrdiff_t>(piece));
            bytes.resize(old + static_cast<std::size_t>(input->gcount()));
        } while (input->good() && bytes.size() <= most);
        return bytes;
    }
};

// Reflection is not there: code that takes a Message finds what it calls above, or does not
// compile.
using Message = MessageLite;

// Bytes that a field holds besides its own.
template <class T>
std::size_t space_of(const T& field) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>)
        return 0;
    else if constexpr (std::is_base_of_v<MessageLite, T>)
        return field.SpaceUsedLong() - sizeof field;
    else
        return field.SpaceUsedExcludingSelfLong();
}
template <class T, bool near>
std::size_t space_of(const Sub<T, near>& field) {
    return field.space();
}

}  // namespace wirecost::api
