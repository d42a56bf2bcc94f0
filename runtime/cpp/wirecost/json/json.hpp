// SPDX-License-Identifier: Apache-2.0
// Canonical JSON of generated holders, as Protobuf maps messages to it.
#pragma once

#include "wirecost/json/access.hpp"
#include "wirecost/json/read.hpp"
#include "wirecost/json/write.hpp"

namespace wirecost::json {

// Replaces `text`, whose storage serves again; it holds what came before an error.
[[nodiscard]] inline Error write(const Message& type, const void* m, std::string& text,
                                 const WriteOptions& options) {
    text.clear();
    Writer writer(text, options);
    writer.message(type, m);
    return writer.error();
}

// Where a text is not UTF-8; its size if it is.
inline std::size_t first_not_utf8(std::string_view text) noexcept {
    if (is_utf8(text)) return text.size();
    std::size_t at = 0;
    while (at < text.size()) {
        const auto lead = static_cast<Byte>(text[at]);
        const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (!is_utf8(text.substr(at, size))) break;
        at += size;
    }
    return at;
}

// Into a holder that is clear.
[[nodiscard]] inline Error read(std::string_view text, const Message& type, void* m,
                                const ReadOptions& options, const Limits& limits) {
    if (const std::size_t at = first_not_utf8(text); at != text.size())
        return {Reason::bad_utf8, at};
    return Reader(text, options, limits).read(type, m);
}

}  // namespace wirecost::json
