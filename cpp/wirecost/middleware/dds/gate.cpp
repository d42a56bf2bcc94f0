// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/dds/gate.hpp"

#include <chrono>
#include <cstdint>

#include <fastdds/rtps/network/SenderResource.h>

namespace wirecost::middleware {

namespace transport = eprosima::fastdds::rtps;
namespace rtps = eprosima::fastrtps::rtps;

namespace {

class GatedTransport final : public transport::ChainingTransport {
 public:
  explicit GatedTransport(const Gate& gate) : ChainingTransport(gate), gate_(gate) {}

  transport::TransportDescriptorInterface* get_configuration() override { return &gate_; }

  bool send(rtps::SenderResource* sender, const rtps::octet* bytes, std::uint32_t size,
            rtps::LocatorsIterator* first, rtps::LocatorsIterator* last,
            const std::chrono::steady_clock::time_point& timeout) override {
    return !*gate_.opened || sender->send(bytes, size, first, last, timeout);
  }

  void receive(transport::TransportReceiverInterface* receiver, const rtps::octet* bytes,
               std::uint32_t size, const rtps::Locator_t& local,
               const rtps::Locator_t& remote) override {
    gate_.acknowledgements->received({bytes, size});
    receiver->OnDataReceived(bytes, size, local, remote);
  }

 private:
  Gate gate_;
};

}  // namespace

transport::TransportInterface* Gate::create_transport() const { return new GatedTransport(*this); }

}  // namespace wirecost::middleware
