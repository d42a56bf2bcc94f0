// SPDX-License-Identifier: Apache-2.0
// What a callback is called, wherever boost::function keeps it: in itself, on the heap, elsewhere.
#include "wirecost/hooks/ros1/symbol.hpp"

#include <gtest/gtest.h>

#include <boost/bind/bind.hpp>
#include <boost/function.hpp>
#include <boost/intrusive_ptr.hpp>
#include <boost/make_shared.hpp>
#include <boost/ref.hpp>

namespace named {

struct Node {
  virtual ~Node() = default;
  int owners = 0;
  void counts(int) {}
  virtual void virtually(int) {}
};
void intrusive_ptr_add_ref(Node* node) { ++node->owners; }
void intrusive_ptr_release(Node* node) {
  if (--node->owners == 0) delete node;
}

void plainly(int) {}
void with_node(const boost::shared_ptr<Node>&, int) {}

}  // namespace named

namespace {

using Callback = boost::function<void(int)>;
using boost::placeholders::_1;

std::string name_of(const Callback& callback) {
  static_assert(sizeof(Callback) == sizeof(wirecost::ros1::Function));
  return wirecost::ros1::symbol_of(reinterpret_cast<const wirecost::ros1::Function&>(callback));
}

TEST(Symbol, OfAFunction) {
  EXPECT_EQ(name_of(named::plainly), "named::plainly");
  EXPECT_EQ(name_of(boost::bind(&named::plainly, _1)), "named::plainly");
}

TEST(Symbol, OfAMemberFunction) {
  named::Node node;
  EXPECT_EQ(name_of(boost::bind(&named::Node::counts, &node, _1)), "named::Node::counts");
  EXPECT_EQ(name_of(boost::bind(&named::Node::virtually, &node, _1)), "named::Node::virtually");
}

TEST(Symbol, OfAFunctorOnTheHeap) {
  const auto node = boost::make_shared<named::Node>();
  EXPECT_EQ(name_of(boost::bind(&named::Node::counts, node, _1)), "named::Node::counts");
}

TEST(Symbol, OfASmallFunctorThatIsNotTrivial) {
  const boost::intrusive_ptr<named::Node> node(new named::Node);
  EXPECT_EQ(name_of(boost::bind(&named::Node::counts, node, _1)), "named::Node::counts");
  const auto shared = boost::make_shared<named::Node>();
  EXPECT_EQ(name_of(boost::bind(&named::with_node, shared, _1)), "named::with_node");
}

TEST(Symbol, OfAFunctorElsewhere) {
  const auto bound = boost::bind(&named::plainly, _1);
  EXPECT_EQ(name_of(boost::ref(bound)), "named::plainly");
  const boost::function<void(long)> of_other_signature = named::plainly;
  EXPECT_EQ(name_of(of_other_signature), "named::plainly");
}

}  // namespace
