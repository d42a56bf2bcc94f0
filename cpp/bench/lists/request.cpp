// SPDX-License-Identifier: Apache-2.0
#include "bench/lists/request.hpp"

#include <fstream>
#include <stdexcept>

namespace wirecost::bench::lists {

Request Request::parse(int argc, char** argv) {
  if (argc < 2) throw std::invalid_argument("a command is missing");
  Request request;
  request.command = argv[1];
  for (int i = 2; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(name + " has no value");
    const std::string value = argv[i + 1];
    if (name == "--list") {
      request.list = value;
    } else if (name == "--content") {
      request.content = value;
    } else if (name == "--count") {
      request.count = std::stoul(value);
    } else if (name == "--repetitions") {
      request.repetitions = std::stoul(value);
    } else if (name == "--out") {
      request.out = value;
    } else if (name == "--contender") {
      request.contenders.push_back(value);
    } else {
      throw std::invalid_argument(name + " is not known");
    }
  }
  return request;
}

std::vector<std::byte> Request::bytes() const {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(content, error);
  std::ifstream file(content, std::ios::binary);
  if (error || !file) throw std::runtime_error(content.string() + " cannot be read");
  std::vector<std::byte> all(size);
  file.read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(all.size()));
  if (!file) throw std::runtime_error(content.string() + " ended early");
  return all;
}

}  // namespace wirecost::bench::lists
