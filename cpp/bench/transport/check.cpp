// SPDX-License-Identifier: Apache-2.0
#include "bench/transport/check.hpp"

namespace wirecost::bench::transport {

std::optional<Checked> Check::operator()(Bytes payload) {
  const auto head = read_head(payload);
  if (!head) return Checked{unreadable, wrong};
  const auto number = head->number;
  if (head->run != run_ || number < 0) return std::nullopt;
  if (every_ > 0 && number % every_ == 0)
    return Checked{number, expected_.equals(payload, number) ? whole : wrong};
  return Checked{number, payload.size() == expected_.size() ? head_only : wrong};
}

}  // namespace wirecost::bench::transport
