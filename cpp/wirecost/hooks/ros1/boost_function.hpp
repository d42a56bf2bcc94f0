// SPDX-License-Identifier: Apache-2.0
// A boost::function by its layout, the same from Boost 1.53 to 1.86.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <typeinfo>

namespace wirecost::ros1 {

union FunctionBuffer {
  void* object;  ///< on the heap, where it is larger than this buffer
  struct {
    const std::type_info* type;
    bool is_const, is_volatile;
  } type;
  std::array<std::byte, 24> data;
};
static_assert(sizeof(FunctionBuffer) == 24);

enum class FunctionOperation { clone, move, destroy, check_type, get_type };

/// Called with as many arguments as the function has, of which none is larger than a register here:
/// references and what is passed by reference.
using Invoker = std::uintptr_t (*)(FunctionBuffer&, void*, void*);

struct FunctionTable {
  void (*manager)(const FunctionBuffer& in, FunctionBuffer& out, FunctionOperation);
  Invoker invoker;
};

struct Function {
  std::uintptr_t tagged_table;
  FunctionBuffer buffer;

  bool empty() const { return tagged_table == 0; }
  /// Copied and destroyed as bytes. One that is not may lie in the buffer all the same.
  bool trivial() const { return (tagged_table & 1) != 0; }
  const FunctionTable& table() const {
    return *reinterpret_cast<const FunctionTable*>(tagged_table & ~std::uintptr_t{1});
  }
  const std::type_info& type() const { return *qualified_type().type.type; }
  /// The functor itself, wherever it lies: in the buffer, on the heap, or where boost::ref says.
  const void* functor() const {
    FunctionBuffer found = qualified_type();
    table().manager(buffer, found, FunctionOperation::check_type);
    return found.object;
  }

 private:
  FunctionBuffer qualified_type() const {
    FunctionBuffer found{};
    table().manager(buffer, found, FunctionOperation::get_type);
    return found;
  }
};
static_assert(sizeof(Function) == 32);

}  // namespace wirecost::ros1
