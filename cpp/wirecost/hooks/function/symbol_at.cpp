// SPDX-License-Identifier: Apache-2.0
#include "symbol_at.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "elf_functions.hpp"

namespace wirecost::function {
namespace {

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

}  // namespace

std::string short_name(std::string whole) {
  replace_all(whole, "(anonymous namespace)", "{anonymous}");
  replace_all(whole, "[abi:cxx11]", "");
  replace_all(whole, "std::__cxx11::", "std::");
  return without_lambda_arguments(std::move(whole));
}

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
  const ElfFile elf(path);
  if (!elf.trouble().empty()) return "";
  const auto functions = elf.functions();
  auto at = std::upper_bound(functions.begin(), functions.end(), inside,
                             [](std::uint64_t a, const auto& one) { return a < one.address; });
  if (at == functions.begin()) return "";
  --at;
  if (inside != at->address && inside - at->address >= at->size) return "";
  return at->symbol;
}

}  // namespace wirecost::function
