// SPDX-License-Identifier: Apache-2.0
// OSI's messages, from a FileDescriptorSet that is read at run time.
#pragma once

#include <google/protobuf/descriptor.h>

#include <string_view>

namespace wirecost::verify {

class Descriptors {
 public:
  /// Throws MalformedMessage for what is no whole FileDescriptorSet.
  explicit Descriptors(std::string_view file_descriptor_set);

  /// The message `osi3.<name>`. Throws MalformedMessage if there is none.
  const google::protobuf::Descriptor* message(std::string_view name) const;

 private:
  google::protobuf::DescriptorPool pool_;
};

}  // namespace wirecost::verify
