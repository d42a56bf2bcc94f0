// SPDX-License-Identifier: Apache-2.0
#include "bench/arguments.hpp"

#include <fstream>
#include <stdexcept>

namespace wirecost::bench {

std::string read_arguments(int argc, char** argv, const Options& options) {
  if (argc < 2) throw std::invalid_argument("a command is missing");
  for (int i = 2; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(name + " has no value");
    const auto option = options.find(name);
    if (option == options.end()) throw std::invalid_argument(name + " is not known");
    option->second(argv[i + 1]);
  }
  return argv[1];
}

std::vector<std::byte> bytes_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw std::runtime_error(path.string() + " cannot be read");
  std::vector<std::byte> all(size);
  file.read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(all.size()));
  if (!file) throw std::runtime_error(path.string() + " ended early");
  return all;
}

}  // namespace wirecost::bench
