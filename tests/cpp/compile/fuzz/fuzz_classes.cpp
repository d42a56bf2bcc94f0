// SPDX-License-Identifier: Apache-2.0
// libFuzzer over classes with Protobuf's interface. The first byte says what: a message that is
// parsed, written, copied and merged, or operations on a repeated field beside a vector of numbers.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/extensions/extensions.pb.cc"
#include "conformance/proto2/every_type_proto2.pb.cc"
#include "conformance/proto3/every_type_proto3.pb.cc"
#include "rsb/protocol/notification.pb.cc"
#include "wirecost/api/message.cc"

namespace {

using facade::rsb::protocol::EventId;
using Events = wirecost::api::RepeatedPtrField<EventId>;

void require(bool holds) {
  if (!holds) std::abort();
}

template <class Message>
void run_message(std::string_view in) {
  static Message message;
  static Message again;
  if (!message.ParsePartialFromString(in)) return;
  const std::string first = message.SerializePartialAsString();
  require(message.ByteSizeLong() == first.size());
  require(again.ParsePartialFromString(first));
  require(again.SerializePartialAsString() == first);
  require(message.SpaceUsedLong() >= sizeof message);
  Message merged;
  merged.MergeFrom(message);
  require(merged.SerializePartialAsString() == first);
  const Message moved = std::move(merged);
  require(moved.SerializePartialAsString() == first);
  static_cast<void>(message.DebugString());
  again.CopyFrom(message);
  again.DiscardUnknownFields();
  require(again.ByteSizeLong() <= first.size());
  again.Swap(&message);
  message.Clear();
  require(message.ByteSizeLong() == 0);
}

// Elements hold what the model says, and each is where it was as long as nobody took it out.
class Operations {
 public:
  explicit Operations(std::span<const unsigned char> in) : in_(in) {}

  void run() {
    while (!in_.empty() && field_.size() < 500) {
      step(next());
      compare();
    }
  }

 private:
  unsigned next() {
    if (in_.empty()) return 0;
    const unsigned value = in_.front();
    in_ = in_.subspan(1);
    return value;
  }
  int place() { return model_.empty() ? 0 : static_cast<int>(next() % model_.size()); }

  void add(EventId* element) {
    require(!element->has_sequence_number());
    element->set_sequence_number(++made_);
    element->set_sender_id(std::string(made_ % 40, 'x'));
    model_.push_back(made_);
  }
  void take(std::unique_ptr<EventId> element, unsigned number) {
    require(element->sequence_number() == number);
    if (kept_.size() < 20) kept_.push_back(std::move(element));
  }

  void step(unsigned code) {
    const int first = place();
    const int count = model_.empty() ? 0 : static_cast<int>(next() % (model_.size() - first + 1));
    const auto from = model_.begin() + first;
    switch (code % 12) {
      case 0:
      case 1:
      case 2:
        for (unsigned i = 0; i <= next() % 8; ++i) add(field_.Add());
        break;
      case 3: {
        auto* const own = new EventId;
        field_.AddAllocated(own);
        add(own);
        break;
      }
      case 4:
        if (model_.empty()) break;
        take(std::unique_ptr<EventId>(field_.ReleaseLast()), model_.back());
        model_.pop_back();
        break;
      case 5:
        if (model_.empty()) break;
        field_.RemoveLast();
        model_.pop_back();
        break;
      case 6:
        field_.DeleteSubrange(first, count);
        model_.erase(from, from + count);
        break;
      case 7: {
        std::vector<EventId*> taken(static_cast<std::size_t>(count));
        field_.ExtractSubrange(first, count, taken.data());
        for (int i = 0; i < count; ++i)
          take(std::unique_ptr<EventId>(taken[static_cast<std::size_t>(i)]), *(from + i));
        model_.erase(from, from + count);
        break;
      }
      case 8: {
        const int other = place();
        if (model_.empty()) break;
        field_.SwapElements(first, other);
        std::swap(model_[static_cast<std::size_t>(first)], model_[static_cast<std::size_t>(other)]);
        break;
      }
      case 9:
        if (next() % 8 != 0) break;
        field_.Clear();
        model_.clear();
        break;
      case 10: {
        Events other = field_;
        other.Swap(&field_);
        if (next() % 2 == 0) field_ = std::move(other);
        break;
      }
      default:
        if (kept_.empty()) break;
        model_.push_back(kept_.back()->sequence_number());
        field_.AddAllocated(kept_.back().release());
        kept_.pop_back();
    }
  }

  void compare() const {
    require(field_.size() == static_cast<int>(model_.size()));
    for (std::size_t i = 0; i < model_.size(); ++i) {
      require(field_[i].sequence_number() == model_[i]);
      require(field_[i].sender_id().size() == model_[i] % 40);
    }
  }

  std::span<const unsigned char> in_;
  Events field_;
  std::vector<unsigned> model_;
  std::vector<std::unique_ptr<EventId>> kept_;
  unsigned made_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const auto in = std::span(data, size).subspan(1);
  const std::string_view text(reinterpret_cast<const char*>(in.data()), in.size());
  switch (data[0] % 5) {
    case 0: run_message<facade::conformance::proto2::EveryType>(text); break;
    case 1: run_message<facade::conformance::proto3::EveryType>(text); break;
    case 2: run_message<facade::rsb::protocol::Notification>(text); break;
    case 3: run_message<facade::conformance::extensions::Base>(text); break;
    default: Operations(in).run();
  }
  return 0;
}
