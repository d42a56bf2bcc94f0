// SPDX-License-Identifier: Apache-2.0
// What the driver asks of a program: a command and --name value pairs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace wirecost::bench {

/// What to do with an option's value, by the option's name.
using Options = std::map<std::string, std::function<void(const std::string& value)>>;

/// Hands every value to its option and returns the command, the first argument.
/// Throws std::invalid_argument with what is wrong.
std::string read_arguments(int argc, char** argv, const Options& options);

/// Sets `target`, a number, a text or a path, or appends to it if it is a vector.
template <class T>
auto into(T& target) {
  return [&target](const std::string& value) {
    if constexpr (std::is_integral_v<T>)
      target = std::stoul(value);
    else if constexpr (std::is_constructible_v<typename T::value_type, const std::string&>)
      target.emplace_back(value);
    else
      target = value;
  };
}

/// The file's content. Throws std::runtime_error if it cannot be read.
std::vector<std::byte> bytes_of(const std::filesystem::path& path);

}  // namespace wirecost::bench
