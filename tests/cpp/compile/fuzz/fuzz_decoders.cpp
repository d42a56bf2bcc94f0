// SPDX-License-Identifier: Apache-2.0
// libFuzzer over the decoders of one message on every wire. What can be read is written again and
// read once more; the first byte says which wire. Built once for each message:
//   WIRECOST_HEADER   its header without suffix
//   WIRECOST_SPACE, WIRECOST_MESSAGE, WIRECOST_WALK
#include <cstdint>
#include <cstdlib>

#include "compile/codecs.hpp"
#include "compile/fuzz/walks.hpp"

#define WIRECOST_TEXT_OF(text) #text
#define WIRECOST_TEXT(text) WIRECOST_TEXT_OF(text)
#include WIRECOST_TEXT(WIRECOST_HEADER.cdr.hpp)
#include WIRECOST_TEXT(WIRECOST_HEADER.protobuf.hpp)
#include WIRECOST_TEXT(WIRECOST_HEADER.ros1.hpp)

namespace {

using namespace wirecost::test;

#define WIRECOST_FUZZED(name, wire) WIRECOST_CODEC_OF(name, WIRECOST_SPACE, WIRECOST_MESSAGE, wire)
#define WIRECOST_CODEC_OF(name, space, message, wire) WIRECOST_CODEC(name, space, message, wire)
WIRECOST_FUZZED(Protobuf, protobuf);
WIRECOST_FUZZED(Ros1, ros1);
WIRECOST_FUZZED(Cdr, cdr);

void require(bool holds) {
  if (!holds) std::abort();
}

template <class Codec>
void run(Bytes in) {
  typename Codec::View view;
  if (!Codec::view(in, view)) require(WIRECOST_WALK(view) < SIZE_MAX);
  static typename Codec::Message message;
  static typename Codec::Message again;
  if (Codec::decode(in, message)) return;
  const std::string first = encoded<Codec>(message);
  require(!Codec::decode(bytes(first), again));
  require(encoded<Codec>(again) == first);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const auto in = std::as_bytes(std::span(data, size)).subspan(1);
  switch (data[0] % 3) {
    case 0: run<Protobuf>(in); break;
    case 1: run<Ros1>(in); break;
    default: run<Cdr>(in);
  }
  return 0;
}
