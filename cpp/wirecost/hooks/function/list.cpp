// SPDX-License-Identifier: Apache-2.0
#include "list.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "json_text.hpp"
#include "pattern.hpp"
#include "selection.hpp"

namespace wirecost::function {
namespace {

constexpr std::size_t most_suggested = 5;

std::string offsets(const ElfFile& file, const std::vector<std::uint64_t>& addresses) {
  return array_of(addresses, [&](std::uint64_t address) {
    const auto offset = file.offset_of(address);
    return std::to_string(offset.value_or(0));
  });
}

std::string described(const ElfFile& file, const Selected& one, const std::string& section) {
  const auto flag = [](std::string_view key, const std::string& value) {
    return ",\"" + std::string(key) + "\":" + value;
  };
  return "{\"object\":" + quoted(file.path()) + flag("name", quoted(one.name)) +
         flag("section", quoted(section)) + flag("symbol", quoted(one.symbol)) +
         flag("offset", std::to_string(file.offset_of(one.address).value_or(0))) +
         flag("size", std::to_string(one.size)) + flag("refusal", quoted(one.refusal)) +
         flag("no_jump", quoted(one.code.no_jump)) + flag("no_exits", quoted(one.code.no_exits)) +
         flag("returns", offsets(file, one.code.returns)) +
         flag("tail_jumps", offsets(file, one.code.tail_jumps)) + "}";
}

/// The pattern's letters without its stars, against a name and against the name's last part.
std::size_t away(std::string_view pattern, const std::string& name, std::size_t most) {
  std::string letters;
  for (const char c : pattern)
    if (c != '*') letters += c;
  const std::size_t last = name.rfind("::");
  std::size_t least = distance(letters, name, most);
  if (last != std::string::npos)
    least = std::min(least, distance(letters, name.substr(last + 2), most));
  return least;
}

bool opens_libraries(const ElfFile& file) {
  return file.mentions("dlopen") || file.mentions("dlmopen");
}

class Nearest {
 public:
  explicit Nearest(const std::vector<std::string>& patterns) : patterns_(patterns) {}

  void look_at(const ElfFile& file) {
    for (const FunctionSymbol& function : file.functions()) {
      const std::string name = without_parameters(demangled(function.symbol));
      for (const std::string& pattern : patterns_) {
        const std::size_t most = std::max<std::size_t>(2, pattern.size() / 3);
        const std::size_t far = away(pattern, name, most);
        if (far <= most) found_.emplace(far, name);
        while (found_.size() > most_suggested) found_.erase(std::prev(found_.end()));
      }
    }
  }
  std::string text() const {
    return array_of(found_, [](const auto& one) { return quoted(one.second); });
  }

 private:
  const std::vector<std::string>& patterns_;
  std::set<std::pair<std::size_t, std::string>> found_;
};

}  // namespace

std::string list(const std::vector<std::string>& patterns,
                 const std::vector<std::string>& objects) {
  std::vector<std::string> files;
  std::vector<std::string> functions;
  std::vector<std::string> missing = patterns;
  for (const std::string& path : objects) {
    if (is_runtime(path)) continue;
    const ElfFile file(path);
    const auto yes = [](bool value) { return std::string(value ? "true" : "false"); };
    files.push_back("{\"path\":" + quoted(path) + ",\"trouble\":" + quoted(file.trouble()) +
                    ",\"calls_hooks\":" + yes(file.mentions("__cyg_profile_func_enter")) +
                    ",\"has_sleds\":" + yes(file.has_section("xray_instr_map")) +
                    ",\"opens_libraries\":" + yes(opens_libraries(file)) +
                    ",\"debug_information\":" + yes(file.has_section(".debug_info")) + "}");
    if (!file.trouble().empty()) continue;
    const std::vector<Selected> selected = select(file, patterns);
    std::erase_if(missing, [&](const std::string& pattern) {
      return std::ranges::any_of(
          selected, [&](const Selected& one) { return any_matches({pattern}, one.name); });
    });
    std::vector<const Selected*> possible;
    for (const Selected& one : selected)
      if (one.refusal.empty()) possible.push_back(&one);
    const std::vector<std::string> names = section_names(possible);
    std::size_t next = 0;
    for (const Selected& one : selected)
      functions.push_back(described(file, one, one.refusal.empty() ? names[next++] : ""));
  }
  Nearest nearest(missing);
  if (!missing.empty())
    for (const std::string& path : objects)
      if (const ElfFile file(path); !is_runtime(path) && file.trouble().empty())
        nearest.look_at(file);
  const auto same = [](const std::string& text) { return text; };
  return "{\"objects\":" + array_of(files, same) + ",\"functions\":" + array_of(functions, same) +
         ",\"missing\":" + array_of(missing, quoted) + ",\"nearest\":" + nearest.text() + "}\n";
}

}  // namespace wirecost::function
