// SPDX-License-Identifier: Apache-2.0
// A section that lasts as long as a C++ scope, exceptions included.
#pragma once

#include <cstdint>

#include "wirecost/probe.h"

namespace wirecost::probe {

class [[nodiscard]] Section {
 public:
  explicit Section([[maybe_unused]] std::uint32_t id,
                   [[maybe_unused]] std::uint64_t loop = WIRECOST_PROBE_COUNT_LOOPS)
#ifndef WIRECOST_PROBE_OFF
      : id_(id)
#endif
  {
    wirecost_probe_begin(id, loop);
  }
  ~Section() { wirecost_probe_end(id_, value_); }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

  /// The number recorded with the section.
  void value([[maybe_unused]] std::int64_t value) {
#ifndef WIRECOST_PROBE_OFF
    value_ = value;
#endif
  }

 private:
#ifndef WIRECOST_PROBE_OFF
  std::uint32_t id_;
  std::int64_t value_ = 0;
#else
  static constexpr std::uint32_t id_ = 0;
  static constexpr std::int64_t value_ = 0;
#endif
};

}  // namespace wirecost::probe
