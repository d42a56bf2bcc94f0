// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include <fastdds/rtps/transport/ChainingTransport.h>
#include <fastdds/rtps/transport/ChainingTransportDescriptor.h>

#include "wirecost/middleware/dds/acknowledgements.hpp"
#include "wirecost/middleware/dds/newcomers.hpp"

namespace wirecost::middleware {

/// Keeps a participant from announcing itself before it can receive. Fast DDS announces a
/// participant and then begins to handle what arrives; Cyclone answers an announcement once, at
/// once, and stays silent for half a minute where that answer is lost. The next announcement comes
/// 0.1 s later. Everything that comes in is shown to `acknowledgements`, and newcomers' is
/// left unread.
struct Gate final : eprosima::fastdds::rtps::ChainingTransportDescriptor {
  Gate(std::shared_ptr<eprosima::fastdds::rtps::TransportDescriptorInterface> below,
       std::shared_ptr<Acknowledgements> inspector, std::chrono::nanoseconds newcomers_wait)
      : ChainingTransportDescriptor(std::move(below)),
        acknowledgements(std::move(inspector)),
        newcomers(std::make_shared<Newcomers>(newcomers_wait)) {}
  eprosima::fastdds::rtps::TransportInterface* create_transport() const override;

  void open() { *opened = true; }

  const std::shared_ptr<std::atomic<bool>> opened = std::make_shared<std::atomic<bool>>(false);
  const std::shared_ptr<Acknowledgements> acknowledgements;
  const std::shared_ptr<Newcomers> newcomers;
};

}  // namespace wirecost::middleware
