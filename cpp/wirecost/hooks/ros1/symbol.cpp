// SPDX-License-Identifier: Apache-2.0
#include "symbol.hpp"

#include <array>
#include <cstring>
#include <string_view>

#include "wirecost/hooks/demangled.hpp"
#include "wirecost/hooks/function/symbol_at.hpp"
#include "wirecost/probe/undisturbed.hpp"

namespace wirecost::ros1 {
namespace {

constexpr int deepest = 8;

/// The class whose member function a bound functor calls: "void, Class" in its type's name.
std::string class_in(const std::string& type) {
  for (const std::string_view mark : {"boost::_mfi::mf", "boost::_mfi::cmf"}) {
    const std::size_t found = type.find(mark);
    if (found == type.npos) continue;
    const std::size_t comma = type.find(", ", found);
    if (comma == type.npos) continue;
    int depth = 0;
    for (std::size_t i = comma + 2; i < type.size(); ++i) {
      if (type[i] == '<') ++depth;
      if (depth == 0 && (type[i] == ',' || type[i] == '>' || type[i] == ' '))
        return type.substr(comma + 2, i - comma - 2);
      if (type[i] == '>') --depth;
    }
  }
  return "";
}

/// The function behind a pointer to a member function; null where that needs an object, and the
/// bound functor begins with none.
const void* member_function(const void* functor, bool has_object) {
  std::array<std::uintptr_t, 3> words{};
  std::memcpy(words.data(), functor, has_object ? sizeof(words) : 2 * sizeof(words[0]));
#ifdef __aarch64__
  const bool is_virtual = (words[1] & 1) != 0;
  const std::uintptr_t place = words[0], adjustment = words[1] >> 1;
#else
  const bool is_virtual = (words[0] & 1) != 0;
  const std::uintptr_t place = words[0] - 1, adjustment = words[1];
#endif
  if (!is_virtual) return reinterpret_cast<const void*>(words[0]);
  if (words[2] == 0) return nullptr;
  const std::uintptr_t table = *reinterpret_cast<const std::uintptr_t*>(words[2] + adjustment);
  return *reinterpret_cast<const void* const*>(table + place);
}

bool holds_pointer(const std::string& type) {
  return type.starts_with("boost::_bi::bind_t<") || type.starts_with("std::_Bind<") ||
         type.find("(*)(") != type.npos;
}

std::string symbol_within(const Function& function, int depth) {
  const void* const functor = function.functor();
  std::string type = function::short_name(hooks::demangled_type(function.type().name()));
  if (functor == nullptr) return type;
  // A function made of one of another signature holds that one.
  if (type.starts_with("boost::function<") && depth < deepest) {
    const auto& inner = *static_cast<const Function*>(functor);
    return inner.empty() ? type : symbol_within(inner, depth + 1);
  }
  if (!holds_pointer(type)) return type;
  // The functor begins with the pointer.
  const std::string owner = class_in(type);
  const bool of_member = !owner.empty() || type.find("::*)(") != type.npos;
  const bool has_object = type.find("boost::_bi::value<" + owner + "*>") != type.npos;
  const void* const address =
      of_member ? member_function(functor, has_object) : *static_cast<const void* const*>(functor);
  if (address == nullptr) return owner.empty() ? type : owner + "::(virtual)";
  std::string place;
  const std::string symbol = function::symbol_at(address, place);
  if (!symbol.empty())
    return function::without_arguments(
        function::short_name(hooks::demangled_symbol(symbol.c_str())));
  if (place.empty()) return type;
  return owner.empty() ? place : owner + "::" + place;
}

}  // namespace

std::string symbol_of(const Function& function) {
  const probe::Undisturbed undisturbed;
  return symbol_within(function, 0);
}

}  // namespace wirecost::ros1
