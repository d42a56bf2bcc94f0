// SPDX-License-Identifier: Apache-2.0
#include "selection.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "pattern.hpp"

namespace wirecost::function {
namespace {

constexpr std::size_t longest_name = 200;

/// What comes back twice from one call, returns where it was not called from, or is not called.
constexpr std::array no_calls{"setjmp",     "_setjmp",      "sigsetjmp", "__sigsetjmp",
                              "vfork",      "getcontext",   "clone",     "swapcontext",
                              "setcontext", "makecontext",  "longjmp",   "siglongjmp",
                              "_start",     "__longjmp_chk"};

/// A part of a function that the compiler cut off; its name has `suffix` and perhaps a number.
bool is_part(std::string_view symbol, std::string_view suffix) {
  const std::size_t at = symbol.rfind(suffix);
  return at != symbol.npos && at != 0 &&
         symbol.find_first_not_of(".0123456789", at + suffix.size()) == symbol.npos;
}

std::string refusal_of(const FunctionSymbol& function) {
  if (function.indirect) return "the loader chooses one of several functions for it (IFUNC)";
  if (std::ranges::find(no_calls, function.symbol) != no_calls.end())
    return "it is not entered and left as functions are";
  if (is_part(function.symbol, ".part"))
    return "it is the rest of a function whose beginning was inlined into its callers";
  if (function.size == 0) return "the file does not tell where it ends";
  return {};
}

}  // namespace

bool is_runtime(std::string_view path) {
  constexpr std::array names{"ld-linux",    "libc.so",         "libpthread.so", "libdl.so",
                             "librt.so",    "libgcc_s.so",     "libstdc++.so",  "libc++",
                             "linux-vdso",  "libZydis.so",     "libZycore.so",  "libpfm.so",
                             "libwirecost", "libwirecost-heap"};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return std::ranges::any_of(names, [&](std::string_view one) { return name.starts_with(one); });
}

std::vector<Selected> select(const ElfFile& file, const std::vector<std::string>& patterns) {
  const std::vector<FunctionSymbol> all = file.functions();
  const Memory memory = [&file](std::uint64_t address, std::uint64_t size) {
    return file.bytes_at(address, size);
  };
  std::vector<Selected> selected;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const FunctionSymbol& function = all[i];
    if (is_part(function.symbol, ".cold")) continue;
    const std::string name = demangled(function.symbol);
    if (!any_matches(patterns, name)) continue;
    Selected one{.name = name,
                 .symbol = function.symbol,
                 .address = function.address,
                 .size = function.size,
                 .refusal = refusal_of(function),
                 .code = {}};
    if (one.refusal.empty()) {
      std::vector<Range> cold;
      for (const FunctionSymbol& other : all)
        if (other.symbol.starts_with(function.symbol) &&
            is_part(std::string_view(other.symbol).substr(function.symbol.size() - 1), ".cold"))
          cold.push_back({other.address, other.address + other.size});
      const std::uint64_t next = i + 1 < all.size() ? all[i + 1].address : ~std::uint64_t{0};
      one.code = examine(memory, {function.address, function.address + function.size}, cold, next);
      one.refusal = one.code.undecodable;
    }
    selected.push_back(std::move(one));
  }
  return selected;
}

std::vector<std::string> section_names(const std::vector<const Selected*>& selected) {
  std::map<std::string, std::size_t> uses;
  for (const Selected* one : selected) ++uses[without_parameters(one->name)];
  std::set<std::string> given;
  std::vector<std::string> names;
  for (const Selected* one : selected) {
    const std::string plain = without_parameters(one->name);
    const std::string whole = uses[plain] == 1 ? plain : one->name;
    std::string name = shortened(whole, longest_name);
    for (int again = 2; !given.insert(name).second; ++again) {
      const std::string number = "#" + std::to_string(again);
      name = shortened(whole, longest_name - number.size()) + number;
    }
    names.push_back(name);
  }
  return names;
}

}  // namespace wirecost::function
