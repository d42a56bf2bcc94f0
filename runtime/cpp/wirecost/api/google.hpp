// SPDX-License-Identifier: Apache-2.0
// The names in google::protobuf that code uses beside its messages, for these messages. A program
// that includes Google's own headers as well defines WIRECOST_BESIDE_GOOGLE. C++17.
#pragma once

// What Google's headers bring along: code that uses them has it without asking.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <cctype>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "wirecost/api/message.hpp"

#ifdef WIRECOST_BESIDE_GOOGLE
#include <google/protobuf/io/coded_stream.h>
#endif

#if !defined(WIRECOST_BESIDE_GOOGLE) && !defined(GOOGLE_PROTOBUF_VERSION)
namespace google::protobuf {
using wirecost::api::Arena;
using wirecost::api::Descriptor;
using wirecost::api::FileDescriptor;
#ifndef WIRECOST_OWN_DESCRIPTORS  // a schema that has descriptors in its messages has its own
using wirecost::api::FileOptions;
#endif
using wirecost::api::Map;
using wirecost::api::Message;
using wirecost::api::MessageLite;
using wirecost::api::RepeatedField;
using wirecost::api::RepeatedPtrField;
using int32 = std::int32_t;
using int64 = std::int64_t;
using uint32 = std::uint32_t;
using uint64 = std::uint64_t;
// Nothing is kept for the whole program.
inline void ShutdownProtobufLibrary() {}
}  // namespace google::protobuf
#define GOOGLE_PROTOBUF_VERIFY_VERSION
#endif
