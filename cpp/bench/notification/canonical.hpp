// SPDX-License-Identifier: Apache-2.0
// A notification as one line of text: what contenders are compared by. Absent values count as
// their defaults, since ros1 and cdr carry no presence.
#pragma once

#include <string>

#include "wirecost/message/notification.hpp"

namespace wirecost::bench {

std::string hex(const void* data, std::size_t size);
std::string canonical(const NotificationValue& value);

}  // namespace wirecost::bench
