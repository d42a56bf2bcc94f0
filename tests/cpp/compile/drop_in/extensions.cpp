// SPDX-License-Identifier: Apache-2.0
// What programs call of Protobuf's extensions. Built with protoc's classes and with ours, it prints
// the same.
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "extensions.pb.h"

namespace {

using namespace conformance::extensions;

template <class Message>
void say(const Message& message) {
  for (const char c : message.SerializePartialAsString())
    std::cout << static_cast<unsigned>(static_cast<unsigned char>(c)) << ' ';
  std::cout << '\n' << message.DebugString() << message.ShortDebugString() << '\n';
}

void numbers(Base& base) {
  std::cout << base.HasExtension(count) << base.GetExtension(count) << count.number() << '\n';
  base.SetExtension(count, -3);
  base.SetExtension(real, 0.1);
  base.SetExtension(flag, true);
  base.SetExtension(colour, BLUE);
  base.AddExtension(colours, RED);
  base.AddExtension(colours, BLUE);
  base.SetExtension(colours, 0, BLUE);
  for (const int step : {1, -1, 300}) base.AddExtension(steps, step);
  base.MutableRepeatedExtension(steps)->RemoveLast();
  base.AddExtension(Scope::Deeper::numbers, 5);
  for (const auto step : base.GetRepeatedExtension(steps)) std::cout << step << ' ';
  std::cout << base.ExtensionSize(steps) << base.GetExtension(steps, 1) << base.HasExtension(count)
            << base.GetExtension(count) << base.GetExtension(colour) << kCountFieldNumber
            << Scope::kScopedFieldNumber << '\n';
  base.ClearExtension(count);
  std::cout << base.HasExtension(count) << base.GetExtension(count) << '\n';
}

void texts(Base& base) {
  base.SetExtension(note, "a \"note\"");
  base.SetExtension(raw, std::string("\0\xFF", 2));
  *base.MutableExtension(note) += '!';
  base.AddExtension(words, "one");
  *base.AddExtension(words) = "two";
  base.SetExtension(words, 0, std::string("first"));
  std::cout << base.GetExtension(note) << base.GetExtension(words, 1) << '\n';
}

void messages(Base& base) {
  Base* const held = base.MutableExtension(::conformance::extensions::base);
  held->set_known(4);
  base.MutableExtension(grouped)->set_x(9);
  base.MutableExtension(Scope::scoped)->set_x(1.5F);
  Inner* const added = base.AddExtension(inners);
  std::cout << base.IsInitialized();
  added->set_must(1);
  base.MutableExtension(inners, 0)->MutableExtension(deeper)->set_must(2);
  base.mutable_inner()->set_must(3);
  std::cout << base.IsInitialized() << '\n';
  base.mutable_inner()->MutableExtension(deeper);
  std::cout << base.IsInitialized() << '\n';
  base.mutable_inner()->ClearExtension(deeper);
  std::cout << (held == base.MutableExtension(::conformance::extensions::base)) << '\n';
  const std::unique_ptr<Scope> released(base.ReleaseExtension(Scope::scoped));
  std::cout << base.HasExtension(Scope::scoped) << released->x() << '\n';
  auto owned = std::make_unique<Scope>();
  owned->set_x(2);
  base.SetAllocatedExtension(Scope::scoped, owned.release());
}

void parsing(const Base& base) {
  const std::string bytes = base.SerializeAsString();
  Base parsed;
  std::cout << parsed.ParseFromString(bytes) << (parsed.SerializeAsString() == bytes)
            << parsed.GetExtension(note) << parsed.GetExtension(inners, 0).must() << '\n';
  Base copy(parsed);
  copy.MergeFrom(base);
  copy.SetExtension(count, 1);
  say(copy);
  say(parsed);
  // Field 100 again, and 5,000, which nobody knows.
  std::cout << parsed.MergeFromString(std::string("\xA2\x06\x01z\xC0\xB8\x02\x07", 8)) << '\n';
  say(parsed);
  parsed.DiscardUnknownFields();
  say(parsed);
  // A colour that is none stays a field that nobody knows.
  Base odd;
  std::cout << odd.ParseFromString(std::string("\xC0\x06\x09", 3)) << odd.HasExtension(colour)
            << odd.GetExtension(colour) << '\n';
  std::cout << odd.ParseFromString(std::string("\xA2\x06\x09", 3)) << '\n';
  Base moved(std::move(copy));
  moved.Swap(&parsed);
  say(moved);
  moved.Clear();
  say(moved);
  std::string deep;
  for (int i = 0; i < 200; ++i) {
    Base outer;
    outer.MutableExtension(::conformance::extensions::base)->ParsePartialFromString(deep);
    deep = outer.SerializeAsString();
    if (i == 20) std::cout << Base().ParseFromString(deep);
  }
  std::string bomb;
  for (int i = 0; i < 200; ++i) {
    std::string outer = "\xDA\x06";
    if (bomb.size() >= 128) outer += static_cast<char>((bomb.size() & 0x7FU) | 0x80U);
    outer += static_cast<char>(bomb.size() >= 128 ? bomb.size() >> 7U : bomb.size());
    bomb = outer + bomb;
  }
  std::cout << Base().ParseFromString(bomb) << '\n';
}

}  // namespace

int main() {
  GOOGLE_PROTOBUF_VERIFY_VERSION;
  Base base;
  base.set_known(1);
  numbers(base);
  texts(base);
  messages(base);
  say(base);
  parsing(base);
  google::protobuf::ShutdownProtobufLibrary();
}
