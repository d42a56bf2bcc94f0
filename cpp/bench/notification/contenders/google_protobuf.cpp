// SPDX-License-Identifier: Apache-2.0
// Google Protobuf's generated C++ classes, on the heap and on an arena.
#include <google/protobuf/arena.h>
#include <google/protobuf/stubs/common.h>

#include "bench/notification/contenders.hpp"
#include "bench/notification/contenders/protobuf_interface.hpp"
#include "google/notification.pb.h"

namespace wirecost::bench {
namespace {

using google::protobuf::Arena;
using Message = rsb::protocol::Notification;

struct Google : ProtobufInterface<Message> {
  static void encode(const Message& m, std::span<std::byte> out) {
    // What SerializeToArray does but for the size, which the stage before has computed.
    m.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(out.data()));
  }
};

/// Objects on an arena with a first block big enough for a batch.
template <class T>
class ArenaObjects {
 public:
  void resize(std::size_t count) {
    objects_.assign(count, nullptr);
    block_.resize(count * bytes_a_message);
    google::protobuf::ArenaOptions options;
    options.initial_block = block_.data();
    options.initial_block_size = block_.size();
    arena_ = std::make_unique<Arena>(options);
  }
  T& make(std::size_t i) { return *(objects_[i] = Arena::CreateMessage<T>(arena_.get())); }
  T& operator[](std::size_t i) { return *objects_[i]; }
  const T& operator[](std::size_t i) const { return *objects_[i]; }
  void destroy() { arena_->Reset(); }

 private:
  static constexpr std::size_t bytes_a_message = 4096;

  std::vector<T*> objects_;
  std::vector<char> block_;
  std::unique_ptr<Arena> arena_;
};

About about(const char* mode) {
  return {"protobuf", mode, "protobuf",
          "Protobuf " + google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION),
          "owning, validating"};
}

}  // namespace

void add_google_protobuf(Contenders& all) {
  all.push_back(std::make_unique<Batch<Google, NewObjects>>(about("new")));
  all.push_back(std::make_unique<Batch<Google, ReusedObjects>>(about("reused")));
  all.push_back(std::make_unique<Batch<Google, ArenaObjects>>(about("arena")));
}

}  // namespace wirecost::bench
