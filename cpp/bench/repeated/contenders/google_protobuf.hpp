// SPDX-License-Identifier: Apache-2.0
// Google Protobuf's generated classes. `Repeated::Google` has Message, rows(message), add(message),
// fill(element, row) and value(row).
#pragma once

#include <google/protobuf/stubs/common.h>

#include <limits>

#include "bench/repeated/carrier.hpp"
#include "wirecost/codec/protobuf_storage.hpp"

namespace wirecost::bench::repeated {

/// `Storage` holds a message from one use to the next: new each time, or cleared.
template <class Repeated_, template <class> class Storage>
class GoogleProtobuf {
 public:
  using Repeated = Repeated_;
  using Google = typename Repeated::Google;

  void encode(std::span<const typename Repeated::Element> elements) {
    auto& message = sent_.make();
    Google::rows(message).Reserve(static_cast<int>(elements.size()));
    for (const auto& element : elements) Google::fill(element, Google::add(message));
    buffer_.resize(message.ByteSizeLong());
    message.SerializeWithCachedSizesToArray(buffer_.data());
    sent_.release();
  }
  std::span<std::byte> buffer() {
    return std::as_writable_bytes(std::span(buffer_.data(), buffer_.size()));
  }
  bool decode(auto& out) {
    auto& message = received_.make();
    if (buffer_.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
        !message.ParseFromArray(buffer_.data(), static_cast<int>(buffer_.size())))
      return false;
    const auto& rows = Google::rows(message);
    out.begin(static_cast<std::size_t>(rows.size()));
    std::size_t i = 0;
    for (const auto& row : rows) out.element(i++, Google::value(row));
    received_.release();
    return true;
  }

 private:
  columns::Buffer buffer_;
  Storage<typename Google::Message> sent_, received_;
};

template <class Repeated>
void add_google_protobuf(Contenders& all) {
  const auto about = [](const char* mode) {
    return About{"protobuf", mode, "protobuf",
                 "Protobuf " + google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION),
                 "owning, validating"};
  };
  add<GoogleProtobuf<Repeated, protobuf::Fresh>>(all, about("new"));
  add<GoogleProtobuf<Repeated, protobuf::Reused>>(all, about("reused"));
}

}  // namespace wirecost::bench::repeated
