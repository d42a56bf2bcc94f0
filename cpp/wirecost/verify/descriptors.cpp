// SPDX-License-Identifier: Apache-2.0
#include "wirecost/verify/descriptors.hpp"

#include <google/protobuf/descriptor.pb.h>

#include <string>

#include "wirecost/verify/reader.hpp"

namespace wirecost::verify {

Descriptors::Descriptors(std::string_view file_descriptor_set) {
  google::protobuf::FileDescriptorSet set;
  if (!set.ParseFromArray(file_descriptor_set.data(), static_cast<int>(file_descriptor_set.size())))
    throw MalformedMessage("the schema is not a FileDescriptorSet");
  for (const google::protobuf::FileDescriptorProto& file : set.file())
    if (pool_.BuildFile(file) == nullptr)
      throw MalformedMessage("the schema's file " + file.name() + " cannot be built");
}

const google::protobuf::Descriptor* Descriptors::message(std::string_view name) const {
  const auto* const found = pool_.FindMessageTypeByName("osi3." + std::string(name));
  if (found == nullptr) throw MalformedMessage("no message osi3." + std::string(name));
  return found;
}

}  // namespace wirecost::verify
