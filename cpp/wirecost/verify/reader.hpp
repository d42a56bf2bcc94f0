// SPDX-License-Identifier: Apache-2.0
// Independent readers, one file per wire: they decide whether contenders did the same work.
#pragma once

#include <memory>
#include <stdexcept>
#include <string_view>

#include "wirecost/verify/canonical.hpp"

namespace wirecost {

/// A buffer that is not a message of the schema.
struct MalformedMessage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Interprets messages of one wire, sharing no code with the codecs.
class IndependentReader {
 public:
  virtual ~IndependentReader() = default;

  /// The canonical form of `bytes` as message `name` ("SensorView", "SensorData").
  /// Throws MalformedMessage.
  virtual Canonical read(std::string_view name, Bytes bytes) const = 0;
};

/// The reader of a wire, as `registry.csv` names it. `schema`: the content of that wire's own
/// schema file, a FileDescriptorSet or a binary FlatBuffers schema; unused by `arrays`. Throws
/// std::invalid_argument for an unknown wire, MalformedMessage for a broken schema.
std::unique_ptr<IndependentReader> make_reader(std::string_view wire, std::string_view schema);

namespace verify {

std::unique_ptr<IndependentReader> protobuf_reader(std::string_view file_descriptor_set);
std::unique_ptr<IndependentReader> flatbuffers_reader(std::string_view binary_schema);
std::unique_ptr<IndependentReader> arrays_reader(std::string_view no_schema);

}  // namespace verify
}  // namespace wirecost
