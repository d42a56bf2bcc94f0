// SPDX-License-Identifier: Apache-2.0
// Reads messages of JSON from the standard input and writes each again: as JSON, or why it is none.
// A request is the size of a text, whether unknown names are skipped, and the text; an answer is
// the size of a text, 1 if the request was a message, and the text.
//   -DHEADER='"a.json.hpp"' -DMESSAGE=::wire::a::Message -DTYPES=::wire::json_types
#include <cstdint>
#include <cstdio>
#include <string>

#include HEADER

namespace {

bool read(std::string& text, std::size_t size) {
  text.resize(size);
  return std::fread(text.data(), 1, size, stdin) == size;
}

bool read(std::uint32_t& number) { return std::fread(&number, sizeof number, 1, stdin) == 1; }

void answer(bool read, const std::string& text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  std::fwrite(&size, sizeof size, 1, stdout);
  std::fputc(read ? 1 : 0, stdout);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

int main() {
  MESSAGE message;
  std::string text;
  std::string again;
  std::uint32_t size = 0;
  std::uint32_t ignored = 0;
  while (read(size) && read(ignored) && read(text, size)) {
#ifdef TYPES
    const auto* const types = &TYPES();
#else
    const wirecost::json::Types* const types = nullptr;
#endif
    // Of exactly its size, so that a read behind it is seen.
    const std::vector<char> exact(text.begin(), text.end());
    const std::string_view given(exact.data(), exact.size());
    auto error = from_json(given, message, {ignored != 0, types});
    if (error) {
      answer(false, std::string(error.what()) + " at " + std::to_string(error.position));
      continue;
    }
    error = to_json(message, again, {.types = types});
    answer(!error, error ? std::string("cannot be written: ") + error.what() : again);
  }
}
