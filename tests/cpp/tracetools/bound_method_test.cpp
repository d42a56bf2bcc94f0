// SPDX-License-Identifier: Apache-2.0
// Methods behind std::bind are found in the functor itself and in objects that hold a
// std::function.
#include "wirecost/hooks/tracetools/bound_method.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <typeinfo>
#include <variant>

#include "wirecost/hooks/demangled.hpp"

namespace example {

struct Base {
  virtual ~Base() = default;
  virtual void on_virtual(int) {}
};
struct Node : Base {
  void on_message(int number) { sum += number; }
  int on_request(int, int) const { return sum; }
  void on_virtual(int number) override { sum -= number; }
  int sum = 0;
};
template <class Message>
struct Typed {
  void on_typed(const Message&) {}
};

/// As rclcpp's AnySubscriptionCallback: a std::function somewhere inside.
struct Holder {
  std::shared_ptr<int> allocator = std::make_shared<int>(3);
  std::variant<std::function<void()>, std::function<void(int)>> callback;
};

}  // namespace example

namespace {

using std::placeholders::_1;
using std::placeholders::_2;

template <class Functor>
std::string found_in(const void* holder, const Functor&) {
  const std::string symbol = wirecost::hooks::demangled_type(typeid(Functor).name());
  return wirecost::tracetools::bound_method(holder, symbol);
}

TEST(BoundMethod, IsFoundInTheFunctorItself) {
  example::Node node;
  const auto bound = std::bind(&example::Node::on_message, &node, _1);
  EXPECT_EQ(found_in(&bound, bound), "example::Node::on_message");
  const auto constant = std::bind(&example::Node::on_request, &node, _1, _2);
  EXPECT_EQ(found_in(&constant, constant), "example::Node::on_request");
  const auto shared = std::bind(&example::Node::on_message, std::make_shared<example::Node>(), _1);
  EXPECT_EQ(found_in(&shared, shared), "example::Node::on_message");
}

TEST(BoundMethod, IsFoundThroughTheTableOfAVirtualOne) {
  example::Node node;
  const auto bound = std::bind(&example::Node::on_virtual, &node, _1);
  EXPECT_EQ(found_in(&bound, bound), "example::Node::on_virtual");
}

TEST(BoundMethod, IsFoundBehindAFunctionInAHolder) {
  example::Node node;
  const auto bound = std::bind(&example::Node::on_message, &node, _1);
  example::Holder holder;
  holder.callback = std::function<void(int)>(bound);
  EXPECT_EQ(found_in(&holder, bound), "example::Node::on_message");
}

TEST(BoundMethod, IsFoundInAClassTemplate) {
  example::Typed<std::string> typed;
  const auto bound = std::bind(&example::Typed<std::string>::on_typed, &typed, _1);
  const std::string found = found_in(&bound, bound);
  EXPECT_TRUE(found.ends_with("::on_typed")) << found;
}

TEST(BoundMethod, IsNotInventedWhereThereIsNone) {
  example::Node node;
  const auto bound = std::bind(&example::Node::on_message, &node, _1);
  const example::Holder empty;
  EXPECT_EQ(found_in(&empty, bound), "");
  EXPECT_EQ(found_in(nullptr, bound), "");
  EXPECT_EQ(found_in(reinterpret_cast<const void*>(0x10), bound), "");
  EXPECT_EQ(wirecost::tracetools::bound_method(&bound, "Node::Node()::{lambda()#1}"), "");
  EXPECT_EQ(wirecost::tracetools::bound_method(&bound, "std::_Bind<void (*(int))(int)>"), "");
}

}  // namespace
