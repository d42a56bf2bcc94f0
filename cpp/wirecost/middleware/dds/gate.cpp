// SPDX-License-Identifier: Apache-2.0
#include "wirecost/middleware/dds/gate.hpp"

#include <ifaddrs.h>
#include <netinet/in.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>

#include <fastdds/rtps/network/SenderResource.h>
#include <fastrtps/utils/IPLocator.h>

namespace wirecost::middleware {

namespace transport = eprosima::fastdds::rtps;
namespace rtps = eprosima::fastrtps::rtps;

namespace {

/// Whether an interface of this machine has the address, as the interfaces are now.
bool is_own_address(const rtps::Locator_t& locator) {
  in_addr_t address = 0;
  std::memcpy(&address, rtps::IPLocator::getIPv4(locator), sizeof address);
  ifaddrs* interfaces = nullptr;
  if (getifaddrs(&interfaces) != 0) return false;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(interfaces, &freeifaddrs);
  for (const ifaddrs* each = interfaces; each != nullptr; each = each->ifa_next)
    if (each->ifa_addr != nullptr && each->ifa_addr->sa_family == AF_INET &&
        reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr.s_addr == address)
      return true;
  return false;
}

class GatedTransport final : public transport::ChainingTransport {
 public:
  explicit GatedTransport(const Gate& gate) : ChainingTransport(gate), gate_(gate) {}

  transport::TransportDescriptorInterface* get_configuration() override { return &gate_; }

  bool send(rtps::SenderResource* sender, const rtps::octet* bytes, std::uint32_t size,
            rtps::LocatorsIterator* first, rtps::LocatorsIterator* last,
            const std::chrono::steady_clock::time_point& timeout) override {
    return !*gate_.opened || sender->send(bytes, size, first, last, timeout);
  }

  /// A program of this machine that announces the address of another interface listens on loopback,
  /// too. With loopback on its list of interfaces, the library would refuse that address.
  bool transform_remote_locator(const rtps::Locator_t& remote,
                                rtps::Locator_t& result) const override {
    rtps::Locator_t reachable = remote;
    if (IsLocatorSupported(remote) && !is_locator_allowed(remote) && is_own_address(remote))
      rtps::IPLocator::setIPv4(reachable, 127, 0, 0, 1);
    return ChainingTransport::transform_remote_locator(reachable, result);
  }

  void receive(transport::TransportReceiverInterface* receiver, const rtps::octet* bytes,
               std::uint32_t size, const rtps::Locator_t& local,
               const rtps::Locator_t& remote) override {
    if (gate_.newcomers->sent({bytes, size})) return;
    gate_.acknowledgements->received({bytes, size});
    receiver->OnDataReceived(bytes, size, local, remote);
  }

 private:
  Gate gate_;
};

}  // namespace

transport::TransportInterface* Gate::create_transport() const { return new GatedTransport(*this); }

}  // namespace wirecost::middleware
