// SPDX-License-Identifier: Apache-2.0
// Google FlatBuffers, every message a table, built in a builder that is used again.
// `Repeated::Flat` has Message, Row, make(builder, element), finish(builder, rows), rows(message)
// and value(row).
#pragma once

#include "bench/repeated/carrier.hpp"
#include "wirecost/codec/flatbuffers_parts.hpp"

namespace wirecost::bench::repeated {

/// Reads in place and trusts the buffer, as FlatBuffers' users do within one machine.
template <class Repeated_>
class FlatBuffers {
 public:
  using Repeated = Repeated_;
  using Flat = typename Repeated::Flat;

  void encode(std::span<const typename Repeated::Element> elements) {
    builder_.Clear();
    rows_.clear();
    rows_.reserve(elements.size());
    for (const auto& element : elements) rows_.push_back(Flat::make(builder_, element));
    builder_.Finish(Flat::finish(builder_, builder_.CreateVector(rows_)));
  }
  std::span<std::byte> buffer() {
    return std::as_writable_bytes(std::span(builder_.GetBufferPointer(), builder_.GetSize()));
  }
  bool decode(auto& out) {
    const auto* rows =
        Flat::rows(*flatbuffers::GetRoot<typename Flat::Message>(builder_.GetBufferPointer()));
    if (rows == nullptr) return false;
    out.begin(rows->size());
    for (flatbuffers::uoffset_t i = 0; i < rows->size(); ++i)
      out.element(i, Flat::value(*rows->Get(i)));
    return true;
  }

 private:
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<flatbuffers::Offset<typename Flat::Row>> rows_;
};

template <class Repeated>
void add_flatbuffers(Contenders& all) {
  add<FlatBuffers<Repeated>>(all, {"flatbuffers", "view", "flatbuffers",
                                   "FlatBuffers " FLATBUFFERS_VERSION_TEXT, "borrowing, trusting"});
}

}  // namespace wirecost::bench::repeated
