// SPDX-License-Identifier: Apache-2.0
#include "bound_method.hpp"

#include <dlfcn.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "wirecost/hooks/demangled.hpp"
#include "wirecost/hooks/function/symbol_at.hpp"
#include "wirecost/probe/undisturbed.hpp"

namespace wirecost::tracetools {
namespace {

using Word = std::uintptr_t;
/// Of the holder: rclcpp's are smaller.
constexpr std::size_t words_searched = 32;

/// How many words could be read at an address that may be none: the kernel looks.
template <std::size_t count>
std::size_t read_words(Word address, std::array<Word, count>& words) {
  if (address == 0 || address % sizeof(Word) != 0) return 0;
  const iovec here{words.data(), sizeof(words)};
  const iovec there{reinterpret_cast<void*>(address), sizeof(words)};
  const ssize_t bytes = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  return bytes < 0 ? 0 : static_cast<std::size_t>(bytes) / sizeof(Word);
}

/// Between "(" and "::*" of "std::_Bind<void (Class::*(Class*, ...".
std::string class_of(std::string_view symbol) {
  const std::size_t end = symbol.find("::*");
  if (end == symbol.npos) return "";
  int depth = 0;
  for (std::size_t i = end; i != 0; --i) {
    if (symbol[i - 1] == '>') ++depth;
    if (symbol[i - 1] == '<') --depth;
    if (depth == 0 && symbol[i - 1] == '(')
      return function::short_name(std::string(symbol.substr(i, end - i)));
  }
  return "";
}

/// The method of `owner` that a bound functor at an address calls: it holds the pointer to it,
/// then the object. "" where there is no such functor.
std::string method_at(Word address, const std::string& owner) {
  std::array<Word, 3> functor{};
  if (read_words(address, functor) != functor.size()) return "";
  std::array<Word, 1> table{}, method{functor[0]};
#ifdef __aarch64__
  const bool is_virtual = (functor[1] & 1) != 0;
  const Word place = functor[0], adjustment = functor[1] >> 1;
#else
  const bool is_virtual = (functor[0] & 1) != 0;
  const Word place = functor[0] - 1, adjustment = functor[1];
#endif
  if (is_virtual && (read_words(functor[2] + adjustment, table) == 0 ||
                     read_words(table[0] + place, method) == 0))
    return "";
  Dl_info info{};
  const auto* const code = reinterpret_cast<const void*>(method[0]);
  if (dladdr(code, &info) == 0) return "";
  std::string mangled = info.dli_saddr == code ? info.dli_sname : "";
  std::string unused;
  if (mangled.empty()) mangled = function::symbol_at(code, unused);
  std::string name =
      function::without_arguments(function::short_name(hooks::demangled_symbol(mangled.c_str())));
  return name.starts_with(owner + "::") || is_virtual ? name : "";
}

}  // namespace

std::string bound_method(const void* holder, std::string_view symbol) {
  if (!symbol.starts_with("std::_Bind<")) return "";
  const std::string owner = class_of(symbol);
  if (owner.empty()) return "";
  const probe::Undisturbed undisturbed;
  const auto address = reinterpret_cast<Word>(holder);
  if (std::string found = method_at(address, owner); !found.empty()) return found;
  for (std::size_t i = 0; i != words_searched; ++i) {
    std::array<Word, 1> word{};
    if (read_words(address + i * sizeof(Word), word) == 0) break;
    if (std::string found = method_at(word[0], owner); !found.empty()) return found;
  }
  return "";
}

}  // namespace wirecost::tracetools
