// SPDX-License-Identifier: Apache-2.0
// Functions of fields whose names are in camel case. Built with protoc's classes and with ours, it
// prints the same.
#include <iostream>

#include "camel_case.pb.h"

int main() {
  conformance::camel_case::Mixed mixed;
  mixed.set_foobar(1);
  mixed.add_baz("x");
  mixed.mutable_inner()->set_text("t");
  (*mixed.mutable_byname())["a"].set_class_(true);
  std::cout << mixed.foobar() << mixed.baz_size() << mixed.has_inner() << mixed.inner().text()
            << mixed.byname().at("a").class_() << mixed.Pick_case() << mixed.kFooBarFieldNumber
            << '\n'
            << mixed.DebugString();
}
