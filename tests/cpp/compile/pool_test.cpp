// SPDX-License-Identifier: Apache-2.0
// Messages in pools of lists and in arenas, moved about at random beside a model that has none.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "compile/random_message.hpp"
#include "conformance/chain.pb.h"
#include "conformance/proto2/every_type_proto2.pb.h"
#include "conformance/proto3/every_type_proto3.pb.h"
#include "google/every_type_proto2.pb.h"
#include "google/every_type_proto3.pb.h"
#include "rsb/protocol/notification.pb.h"

namespace {

using wirecost::api::Arena;
using Chain = facade::conformance::Chain;

struct Model {
  std::uint32_t value = 0;
  std::unique_ptr<Model> next;
  std::vector<std::unique_ptr<Model>> branches;
};

std::unique_ptr<Model> copy(const Model& model) {
  auto made = std::make_unique<Model>();
  made->value = model.value;
  if (model.next) made->next = copy(*model.next);
  for (const auto& branch : model.branches) made->branches.push_back(copy(*branch));
  return made;
}

void expect_same(const Chain& chain, const Model& model) {
  ASSERT_EQ(chain.value(), model.value);
  ASSERT_EQ(chain.has_next(), model.next != nullptr);
  if (model.next) expect_same(chain.next(), *model.next);
  ASSERT_EQ(chain.branches_size(), static_cast<int>(model.branches.size()));
  for (int i = 0; i < chain.branches_size(); ++i)
    expect_same(chain.branches(i), *model.branches[static_cast<std::size_t>(i)]);
}

struct Both {
  Chain* chain;
  Model* model;
};

class Stirring {
 public:
  Stirring(unsigned seed, Arena* first, Arena* second)
      : random_(seed), roots_{made_in(first), made_in(second)} {}

  void step() {
    auto [chain, model] = somewhere(0);
    auto [other, others] = somewhere(1);
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
        chain->add_branches()->set_value(next_);
        model->branches.push_back(std::make_unique<Model>());
        model->branches.back()->value = next_++;
        break;
      case 3:
      case 4:
        chain->mutable_next()->set_value(next_);
        if (!model->next) model->next = std::make_unique<Model>();
        model->next->value = next_++;
        break;
      case 5:
        chain->clear_next();
        model->next.reset();
        break;
      case 6:
        other->set_allocated_next(chain->release_next());
        others->next = std::move(model->next);
        break;
      case 7:
        chain->set_allocated_next(nullptr);
        model->next.reset();
        break;
      case 8:
        chain->mutable_branches()->Swap(other->mutable_branches());
        std::swap(model->branches, others->branches);
        break;
      case 9:
        if (model->branches.size() > 1) {
          const std::size_t last = model->branches.size() - 1;
          chain->mutable_branches()->SwapElements(0, static_cast<int>(last));
          std::swap(model->branches[0], model->branches[last]);
          chain->mutable_branches(0)->Swap(chain->mutable_branches(static_cast<int>(last)));
          std::swap(*model->branches[0], *model->branches[last]);
        }
        break;
      case 10:
        if (!model->branches.empty()) {
          other->mutable_branches()->AddAllocated(chain->mutable_branches()->ReleaseLast());
          others->branches.push_back(std::move(model->branches.back()));
          model->branches.pop_back();
        }
        break;
      case 11:
        chain->Swap(other);
        std::swap(*model, *others);
        break;
      case 12:
        *chain = *other;
        *model = std::move(*copy(*others));
        break;
      case 13:
        *chain = std::move(*other);
        *model = std::move(*others);
        other->Clear();
        *others = Model();
        break;
      case 14:
        if (!model->branches.empty()) {
          chain->mutable_branches()->DeleteSubrange(0, 1);
          model->branches.erase(model->branches.begin());
        }
        break;
      default:
        ASSERT_TRUE(roots_[0]->ParseFromString(roots_[0]->SerializeAsString()));
        other->mutable_unknown_fields()->assign("\x78\x01");
        ASSERT_TRUE(other->SerializeAsString().ends_with("\x78\x01"));
        other->mutable_unknown_fields()->clear();
    }
  }
  void look() const {
    for (std::size_t i = 0; i < roots_.size(); ++i) expect_same(*roots_[i], models_[i]);
  }
  bool is_large() const {
    return roots_[0]->SpaceUsedLong() + roots_[1]->SpaceUsedLong() > 100'000;
  }

 private:
  using Root = std::unique_ptr<Chain, void (*)(Chain*)>;

  static Root made_in(Arena* arena) {
    constexpr auto leave = [](Chain* /*root*/) {};
    constexpr auto remove = [](Chain* root) { delete root; };
    return {Arena::Create<Chain>(arena), arena != nullptr ? +leave : +remove};
  }
  std::size_t below(std::size_t count) { return random_() % count; }
  // Of different trees, so that neither holds the other.
  Both somewhere(std::size_t tree) {
    Both at{roots_[tree].get(), &models_[tree]};
    for (std::size_t depth = below(5); depth != 0; --depth) {
      const std::size_t count = at.model->branches.size();
      if (at.model->next && below(2) == 0) {
        at = {at.chain->mutable_next(), at.model->next.get()};
      } else if (count != 0) {
        const std::size_t which = below(count);
        at = {at.chain->mutable_branches(static_cast<int>(which)), at.model->branches[which].get()};
      }
    }
    return at;
  }

  std::mt19937 random_;
  std::array<Root, 2> roots_;
  std::array<Model, 2> models_;
  std::uint32_t next_ = 1;
};

void stir(Arena* first, Arena* second) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Stirring stirring(seed, first, second);
    for (int i = 0; i < 400 && !stirring.is_large(); ++i) {
      ASSERT_NO_FATAL_FAILURE(stirring.step());
      if (i % 20 == 0) ASSERT_NO_FATAL_FAILURE(stirring.look());
    }
    ASSERT_NO_FATAL_FAILURE(stirring.look());
  }
}

TEST(Pool, MessagesOutliveEveryMove) { stir(nullptr, nullptr); }

TEST(Arena, MessagesOutliveEveryMove) {
  Arena arena;
  Arena other;
  stir(&arena, &arena);
  stir(&arena, nullptr);
  stir(nullptr, &arena);
  arena.Reset();
  stir(&arena, &other);
}

// What is made and given away again and again takes no more of the pool.
TEST(Pool, DoesNotGrowWithUse) {
  Chain root;
  for (int i = 0; i < 8; ++i) root.add_branches();
  const auto use = [&root] {
    Chain& chain = *root.mutable_branches(7);
    chain.mutable_next();
    chain.set_allocated_next(nullptr);
    chain.mutable_next();
    delete chain.release_next();
    chain.mutable_next();
    chain.set_allocated_next(new Chain);
    chain.clear_next();
    root.mutable_branches()->RemoveLast();
    root.add_branches()->mutable_next();
  };
  for (int i = 0; i < 10; ++i) use();
  const std::size_t space = root.SpaceUsedLong();
  for (int i = 0; i < 1000; ++i) use();
  EXPECT_EQ(root.SpaceUsedLong(), space);
}

template <class Class, class Google>
void pass_through_arena() {
  wirecost::test::Random random(7);
  std::vector<char> memory(3000);
  Arena own;
  Arena given(memory.data(), memory.size());
  for (unsigned round = 0; round < 100; ++round) {
    Google google;
    wirecost::test::fill(google, random, 3);
    const std::string bytes =
        wirecost::test::scrambled(google.SerializeAsString(), *google.GetDescriptor(), random);
    Class heap;
    ASSERT_TRUE(heap.ParseFromString(bytes));
    for (Arena* arena : {&own, &given}) {
      auto* const parsed = Arena::Create<Class>(arena);
      EXPECT_EQ(parsed->GetArena(), arena);
      for (int again = 0; again < 2; ++again) {
        ASSERT_TRUE(parsed->ParseFromString(bytes));
        ASSERT_EQ(*parsed, heap);
      }
      auto* const copied = Arena::Create<Class>(&own, heap);
      copied->Swap(parsed);
      ASSERT_EQ(*copied, *parsed);
      Class taken(std::move(*copied));
      ASSERT_EQ(taken, heap);
      *copied = std::move(taken);
      copied->MergeFrom(heap);
      parsed->MergeFrom(heap);
      ASSERT_EQ(*copied, *parsed);
      Arena::Create<Class>(arena);  // defaults may take memory as well
      if (round % 3 == 0) arena->Reset();
    }
  }
}

TEST(Arena, EveryTypeIsParsedCopiedAndFreed) {
  pass_through_arena<facade::conformance::proto2::EveryType, conformance::proto2::EveryType>();
  pass_through_arena<facade::conformance::proto3::EveryType, conformance::proto3::EveryType>();
}

// What code keeps setting in a message that stays takes no more of the arena.
TEST(Arena, DoesNotGrowWithUse) {
  Arena arena;
  auto* const message = Arena::Create<facade::conformance::proto3::EveryType>(&arena);
  const std::string bytes = [] {
    wirecost::test::Random random(1);
    conformance::proto3::EveryType google;
    wirecost::test::fill(google, random, 3);
    return google.SerializeAsString();
  }();
  ASSERT_TRUE(message->ParseFromString(bytes));
  ASSERT_TRUE(message->ParseFromString(bytes));
  const auto used = arena.SpaceUsed();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(message->ParseFromString(bytes));
  EXPECT_EQ(arena.SpaceUsed(), used);
}

// Bytes of texts lie in the arena until code may change them.
TEST(Arena, TextsBecomeTheirOwn) {
  const std::string first(100, 'a');
  const std::string second(1000, 'b');
  Arena arena;
  auto* const parsed = Arena::Create<facade::rsb::protocol::EventId>(&arena);
  parsed->set_sequence_number(1);
  const auto used = arena.SpaceUsed();
  parsed->set_sender_id(first);
  EXPECT_GT(arena.SpaceUsed(), used + first.size());
  ASSERT_TRUE(parsed->ParseFromString(parsed->SerializeAsString()));
  auto* const copied = Arena::Create<facade::rsb::protocol::EventId>(&arena, *parsed);
  parsed->mutable_sender_id()->append(second);
  EXPECT_EQ(parsed->sender_id(), first + second);
  parsed->set_sender_id(second + first);
  ASSERT_TRUE(parsed->ParseFromString(parsed->SerializeAsString()));
  EXPECT_EQ(parsed->sender_id(), second + first);
  const std::unique_ptr<std::string> released(copied->release_sender_id());
  EXPECT_EQ(*released, first);
  EXPECT_FALSE(copied->has_sender_id());
}

// What was made in an arena is taken in the same one, copied in another; what is from `new` is
// deleted with the arena.
TEST(Arena, TakesWhatIsAllocated) {
  Arena arena;
  Arena other;
  auto* const root = Arena::Create<Chain>(&arena);
  auto* const mine = Arena::Create<Chain>(&arena);
  root->set_allocated_next(mine);
  root->mutable_branches()->AddAllocated(mine->New(&arena));
  EXPECT_EQ(&root->next(), mine);
  auto* const theirs = Arena::Create<Chain>(&other);
  theirs->set_value(3);
  root->set_allocated_next(theirs);
  root->mutable_branches()->AddAllocated(theirs);
  EXPECT_NE(&root->next(), theirs);
  EXPECT_EQ(root->next().value(), 3U);
  EXPECT_EQ(root->branches(1).value(), 3U);
  auto* const made = new Chain;
  root->set_allocated_next(made);
  EXPECT_EQ(root->mutable_next(), made);
  root->mutable_branches()->AddAllocated(new Chain);
  delete root->mutable_branches()->ReleaseLast();
  Chain heap;
  heap.set_allocated_next(mine);
  EXPECT_NE(&heap.next(), mine);
  arena.Own(new std::string(100, 'x'));
  EXPECT_EQ(Arena::Create<std::string>(&arena, 100, 'x')->size(), 100U);
}

}  // namespace
