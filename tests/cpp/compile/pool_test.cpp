// SPDX-License-Identifier: Apache-2.0
// Messages in pools of lists, moved about at random beside a model that has no pools.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "conformance/chain.pb.h"

namespace {

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
  explicit Stirring(unsigned seed) : random_(seed) {}

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
        ASSERT_TRUE(roots_[0].ParseFromString(roots_[0].SerializeAsString()));
        other->mutable_unknown_fields()->assign("\x78\x01");
        ASSERT_TRUE(other->SerializeAsString().ends_with("\x78\x01"));
        other->mutable_unknown_fields()->clear();
    }
  }
  void look() const {
    for (std::size_t i = 0; i < roots_.size(); ++i) expect_same(roots_[i], models_[i]);
  }
  bool is_large() const { return roots_[0].SpaceUsedLong() + roots_[1].SpaceUsedLong() > 100'000; }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  // Of different trees, so that neither holds the other.
  Both somewhere(std::size_t tree) {
    Both at{&roots_[tree], &models_[tree]};
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
  std::array<Chain, 2> roots_;
  std::array<Model, 2> models_;
  std::uint32_t next_ = 1;
};

TEST(Pool, MessagesOutliveEveryMove) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Stirring stirring(seed);
    for (int i = 0; i < 400 && !stirring.is_large(); ++i) {
      ASSERT_NO_FATAL_FAILURE(stirring.step());
      if (i % 20 == 0) ASSERT_NO_FATAL_FAILURE(stirring.look());
    }
    ASSERT_NO_FATAL_FAILURE(stirring.look());
  }
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

}  // namespace
