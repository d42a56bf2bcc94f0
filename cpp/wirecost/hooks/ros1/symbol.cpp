// SPDX-License-Identifier: Apache-2.0
#include "symbol.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "wirecost/hooks/demangled.hpp"
#include "wirecost/hooks/function/elf_functions.hpp"
#include "wirecost/probe/undisturbed.hpp"

namespace wirecost::ros1 {
namespace {

constexpr int deepest = 8;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// "{lambda(int)#1}" is "{lambda#1}".
std::string without_lambda_arguments(std::string text) {
  constexpr std::string_view begin = "{lambda(";
  for (std::size_t at = 0; (at = text.find(begin, at)) != text.npos;) {
    at += begin.size() - 1;
    const std::size_t end = text.find(")#", at);
    if (end == text.npos) break;
    text.erase(at, end + 1 - at);
  }
  return text;
}

/// As people write it.
std::string short_name(std::string whole) {
  replace_all(whole, "(anonymous namespace)", "{anonymous}");
  replace_all(whole, "[abi:cxx11]", "");
  replace_all(whole, "std::__cxx11::", "std::");
  return without_lambda_arguments(std::move(whole));
}

/// Up to the arguments; a result type before the name goes as well.
std::string without_arguments(std::string name) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<' || name[i] == '{') ++depth;
    if (name[i] == '>' || name[i] == '}') --depth;
    if (depth != 0) continue;
    if (name[i] == ' ') begin = i + 1;
    if (name[i] == '(') return name.substr(begin, i - begin);
  }
  return name;
}

/// The symbol at an address, or "" and in `place` the file and the address in it.
std::string symbol_at(const void* address, std::string& place) {
  Dl_info info{};
  void* found = nullptr;
  if (dladdr1(address, &info, &found, RTLD_DL_LINKMAP) == 0 || found == nullptr) return "";
  const auto& object = *static_cast<const link_map*>(found);
  const std::uint64_t inside = reinterpret_cast<std::uintptr_t>(address) - object.l_addr;
  const std::string path = object.l_name[0] == '\0' ? "/proc/self/exe" : object.l_name;
  const std::string_view file = info.dli_fname;
  std::array<char, 24> number{};
  std::snprintf(number.data(), number.size(), "+0x%llx", static_cast<unsigned long long>(inside));
  place = std::string(file.substr(file.rfind('/') + 1)) + number.data();
  const function::ElfFile elf(path);
  if (!elf.trouble().empty()) return "";
  const auto functions = elf.functions();
  auto at = std::upper_bound(functions.begin(), functions.end(), inside,
                             [](std::uint64_t a, const auto& one) { return a < one.address; });
  if (at == functions.begin()) return "";
  --at;
  if (inside != at->address && inside - at->address >= at->size) return "";
  return at->symbol;
}

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
  std::string type = short_name(hooks::demangled_type(function.type().name()));
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
  const std::string symbol = symbol_at(address, place);
  if (!symbol.empty())
    return without_arguments(short_name(hooks::demangled_symbol(symbol.c_str())));
  if (place.empty()) return type;
  return owner.empty() ? place : owner + "::" + place;
}

}  // namespace

std::string symbol_of(const Function& function) {
  const probe::Undisturbed undisturbed;
  return symbol_within(function, 0);
}

}  // namespace wirecost::ros1
