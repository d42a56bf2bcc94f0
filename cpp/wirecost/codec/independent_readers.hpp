// SPDX-License-Identifier: Apache-2.0
// One independent reader a wire, made from that wire's own schema file.
#pragma once

#include <memory>
#include <string_view>

#include "wirecost/codec/canonical.hpp"

namespace wirecost::protobuf {
std::unique_ptr<IndependentReader> make_reader(std::string_view file_descriptor_set);
}

namespace wirecost::bare {
std::unique_ptr<IndependentReader> make_reader();
}

namespace wirecost::flatbuffer {
std::unique_ptr<IndependentReader> make_reader(std::string_view binary_schema);
}
