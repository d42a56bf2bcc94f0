// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include <fastdds/rtps/transport/ChainingTransport.h>
#include <fastdds/rtps/transport/ChainingTransportDescriptor.h>

#include "wirecost/middleware/dds/acknowledgements.hpp"

namespace wirecost::middleware {

/// Keeps a participant from announcing itself before it can receive. Fast DDS announces a
/// participant and then begins to handle what arrives; Cyclone answers an announcement once, at
/// once, and stays silent for half a minute where that answer is lost. The next announcement comes
/// 0.1 s later. Everything that comes in is shown to `acknowledgements`.
struct Gate final : eprosima::fastdds::rtps::ChainingTransportDescriptor {
  Gate(std::shared_ptr<eprosima::fastdds::rtps::TransportDescriptorInterface> below,
       std::shared_ptr<Acknowledgements> inspector)
      : ChainingTransportDescriptor(std::move(below)), acknowledgements(std::move(inspector)) {}
  eprosima::fastdds::rtps::TransportInterface* create_transport() const override;

  void open() { *opened = true; }

  const std::shared_ptr<std::atomic<bool>> opened = std::make_shared<std::atomic<bool>>(false);
  const std::shared_ptr<Acknowledgements> acknowledgements;
};

}  // namespace wirecost::middleware
