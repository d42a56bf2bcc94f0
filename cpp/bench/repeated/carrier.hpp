// SPDX-License-Identifier: Apache-2.0
// Makes a contender of a codec. `Codec`, default-constructible, has
//   using Repeated                                   what it carries
//   encode(std::span<const Repeated::Element>)       into a buffer of its own
//   buffer() -> std::span<std::byte>                 the message
//   decode(Out&) -> bool                             the message into out.begin(count), then
//                                                    out.element(i, element) for each element or
//                                                    out.template column<index>(values) for each
//                                                    field; false if it is malformed
#pragma once

#include <cstring>
#include <stdexcept>

#include "bench/repeated/contender.hpp"

namespace wirecost::bench::repeated {

template <class Codec>
class Carrier final : public Contender {
  using Repeated = typename Codec::Repeated;
  using Element = typename Repeated::Element;

 public:
  explicit Carrier(About about) : about_(std::move(about)) {}

  const About& about() const override { return about_; }

  void load(std::span<const std::byte> content, std::size_t count) override {
    std::size_t width = 0;
    for_each_field<Repeated>(
        [&](const auto&, auto index) { width += sizeof(StoredOf<Repeated, index>); });
    if (content.size() != width * count)
      throw std::invalid_argument("the content has " + std::to_string(content.size()) +
                                  " bytes instead of " + std::to_string(width * count));
    elements_.assign(count, Element{});
    const std::byte* from = content.data();
    for_each_field<Repeated>([&](const auto& field, auto index) {
      for (Element& element : elements_) {
        StoredOf<Repeated, index> value;
        std::memcpy(&value, from, sizeof value);
        from += sizeof value;
        auto& member = field.get(element);
        member = static_cast<std::remove_reference_t<decltype(member)>>(value);
      }
    });
  }
  void encode() override { codec_.encode(elements_); }
  void decode() override {
    if (!codec_.decode(digest_)) throw malformed();
  }
  std::uint64_t take_sum() override { return digest_.take(); }
  std::span<const std::byte> encoded() const override { return codec_.buffer(); }
  std::vector<std::byte> decoded() override {
    Values<Repeated> values;
    if (!codec_.decode(values)) throw malformed();
    return values.bytes();
  }
  void poison(std::byte value) override {
    const std::span<std::byte> buffer = codec_.buffer();
    std::fill(buffer.begin(), buffer.end(), value);
  }

 private:
  std::runtime_error malformed() const {
    return std::runtime_error(about_.name + " " + about_.mode + " cannot read what it wrote");
  }

  About about_;
  std::vector<Element> elements_;
  mutable Codec codec_;
  Digest<Repeated> digest_;
};

template <class Codec>
void add(Contenders& all, About about) {
  all.push_back(std::make_unique<Carrier<Codec>>(std::move(about)));
}

}  // namespace wirecost::bench::repeated
