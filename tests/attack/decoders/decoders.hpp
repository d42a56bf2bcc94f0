// SPDX-License-Identifier: Apache-2.0
// What programs that decode the messages of a file share. The files are those of cases.py.
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/codecs.hpp"
#include "wirecost/support.hpp"

namespace decoders {

using wirecost::test::exact;

enum class Status : std::uint8_t { refused, accepted, seen, not_for_it, split, broken };

struct Result {
  Status status = Status::not_for_it;
  std::string content{};
};

// Of one message, by each decoder.
struct Results {
  Result holder, reused, utf8, view, api, google;
};

// One message: nullopt is the one that was just made.
using Input = std::optional<std::string_view>;

template <class Codec>
Result encoded(const typename Codec::Message& message) {
  std::vector<std::byte> buffer(Codec::size(message));
  const auto made = Codec::encode(message, buffer);
  if (made.error) return {Status::broken, std::string("not encoded: ") + made.error.what()};
  return {Status::accepted, wirecost::test::text(made.bytes)};
}

template <class Codec>
Result decoded(const Input& in, typename Codec::Message& message,
               const wirecost::Limits& limits = {}) {
  if (in && Codec::decode(exact(*in), message, limits)) return {Status::refused};
  return encoded<Codec>(message);
}

// By the holders and the view of a codec.
template <class Codec>
void ours(const Input& in, Results& results) {
  typename Codec::Message fresh;
  typename Codec::Message strict;
  static typename Codec::Message used;
  wirecost::Limits utf8;
  utf8.utf8 = true;
  results.holder = decoded<Codec>(in, fresh);
  results.utf8 = decoded<Codec>(in, strict, utf8);
  if (!in) return;
  results.reused = decoded<Codec>(in, used);
  typename Codec::View view;
  const auto input = exact(*in);
  const auto error = Codec::view(input, view);
  results.view = {error.reason == wirecost::Reason::split_message ? Status::split
                  : error                                         ? Status::refused
                                                                  : Status::seen};
}

// A file of results.
struct Output {
  std::string name;
  Result Results::* result;
  std::ofstream file{};

  void write(const Results& results) {
    const Result& found = results.*result;
    const auto size = static_cast<std::uint32_t>(found.content.size());
    file.put(static_cast<char>(found.status));
    file.write(reinterpret_cast<const char*>(&size), sizeof size);
    file.write(found.content.data(), size);
  }
};

// Calls `decode(message, wire, input, results)` for each message of the file of cases.
template <class Decode>
void run(const char* cases_path, const std::string& folder, std::vector<Output> outputs,
         Decode decode) {
  std::ifstream file(cases_path, std::ios::binary);
  const std::string cases{std::istreambuf_iterator<char>(file), {}};
  for (Output& output : outputs) output.file.open(folder + "/" + output.name, std::ios::binary);
  for (std::size_t at = 0; at < cases.size();) {
    const auto message = static_cast<unsigned char>(cases[at]);
    const auto wire = static_cast<unsigned char>(cases[at + 1]);
    std::uint32_t size = 0;
    std::memcpy(&size, cases.data() + at + 2, sizeof size);
    const std::string_view data(cases.data() + at + 6, size);
    at += 6 + size;
    Results results;
    decode(message, wire & 0x7FU, (wire & 0x80U) != 0 ? Input() : Input(data), results);
    for (Output& output : outputs) output.write(results);
  }
}

}  // namespace decoders
