// SPDX-License-Identifier: Apache-2.0
#include "pattern.hpp"

#include <algorithm>
#include <numeric>

#include "wirecost/hooks/demangled.hpp"

namespace wirecost::function {
namespace {

constexpr std::size_t npos = std::string_view::npos;

/// Rust's hash at the end of a name: `::h` and 16 hexadecimal digits.
std::string_view without_hash(std::string_view name) {
  constexpr std::size_t length = 19;
  if (name.size() <= length || name.substr(name.size() - length, 3) != "::h") return name;
  const std::string_view digits = name.substr(name.size() - 16);
  return digits.find_first_not_of("0123456789abcdef") == npos ? name.substr(0, name.size() - length)
                                                              : name;
}

/// Where the parenthesis that closes at `close` opens.
std::size_t opening(std::string_view name, std::size_t close) {
  std::size_t depth = 0;
  for (std::size_t i = close + 1; i-- != 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i;
  }
  return npos;
}

/// Where the name begins behind the type of the result, which templates have.
std::size_t behind_result(std::string_view name) {
  const std::size_t conversion = name.find("operator ");
  std::size_t depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < std::min(name.size(), conversion); ++i) {
    const char c = name[i];
    if (name.substr(i).starts_with("operator")) break;
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if ((c == '>' || c == ')' || c == '}' || c == ']') && depth != 0) --depth;
    if (c == ' ' && depth == 0) start = i + 1;
  }
  return start;
}

}  // namespace

std::string demangled(const std::string& symbol) {
  const std::string name = hooks::demangled_symbol(symbol.c_str());
  return name == symbol ? symbol : std::string(without_hash(name));
}

std::string without_parameters(std::string_view demangled) {
  std::string_view name = demangled.substr(0, demangled.find(" [clone"));
  for (const std::string_view qualifier : {" const", " volatile", " &", " &&"})
    if (name.ends_with(qualifier)) name.remove_suffix(qualifier.size());
  if (name.ends_with(')')) {
    const std::size_t open = opening(name, name.size() - 1);
    // `(anonymous namespace)` and a plain operator() have no parameters to lose.
    if (open != npos && open != 0 && !name.substr(0, open).ends_with("operator") &&
        !name.substr(0, open).ends_with("::"))
      name = name.substr(0, open);
  }
  return std::string(name.substr(behind_result(name)));
}

bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = npos;
  std::size_t retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == npos;
}

bool any_matches(const std::vector<std::string>& patterns, std::string_view demangled) {
  const std::string plain = without_parameters(demangled);
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return matches(pattern, plain) || matches(pattern, demangled);
  });
}

std::size_t distance(std::string_view a, std::string_view b, std::size_t most) {
  const std::size_t longer = std::max(a.size(), b.size());
  if (longer - std::min(a.size(), b.size()) > most) return most + 1;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
    if (*std::ranges::min_element(row) > most) return most + 1;
  }
  return std::min(row.back(), most + 1);
}

std::string shortened(const std::string& name, std::size_t bytes) {
  if (name.size() <= bytes) return name;
  constexpr std::string_view gap = "...";
  const std::size_t head = (bytes - gap.size()) / 2;
  const std::size_t tail = bytes - gap.size() - head;
  return name.substr(0, head) + std::string(gap) + name.substr(name.size() - tail);
}

}  // namespace wirecost::function
