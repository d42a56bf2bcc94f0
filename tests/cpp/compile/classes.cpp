// SPDX-License-Identifier: Apache-2.0
// The classes with Protobuf's interface that a test's variant has, compiled once.
#include "conformance/proto2/every_type_proto2.pb.cc"
#include "conformance/proto3/every_type_proto3.pb.cc"
#include "wirecost/api/message.cc"
#if __has_include("conformance/chain.pb.cc")
#include "conformance/chain.pb.cc"
#endif
#if __has_include("rsb/protocol/notification.pb.cc")
#include "rsb/protocol/notification.pb.cc"
#endif
#if __has_include("bounds_msgs/bounded.pb.cc")
#include "bounds_msgs/bounded.pb.cc"
#include "bounds_msgs/part.pb.cc"
#endif
