// SPDX-License-Identifier: Apache-2.0
#include "bench/cloud/request.hpp"

#include <cstring>
#include <fstream>
#include <stdexcept>

namespace wirecost::bench::cloud {
namespace {

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

std::vector<std::vector<double>> areas_of(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = bytes_of(path);
  std::vector<std::vector<double>> areas;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint64_t count = 0;
    if (bytes.size() - at < sizeof count) throw std::runtime_error(path.string() + " is cut off");
    std::memcpy(&count, bytes.data() + at, sizeof count);
    at += sizeof count;
    if ((bytes.size() - at) / sizeof(double) < count)
      throw std::runtime_error(path.string() + " is cut off");
    auto& area = areas.emplace_back(count);
    if (count > 0) std::memcpy(area.data(), bytes.data() + at, count * sizeof(double));
    at += count * sizeof(double);
  }
  return areas;
}

}  // namespace

Request Request::parse(int argc, char** argv) {
  if (argc < 2) throw std::invalid_argument("a command is missing");
  Request request;
  request.command = argv[1];
  for (int i = 2; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) throw std::invalid_argument(name + " has no value");
    const std::string value = argv[i + 1];
    if (name == "--study") {
      request.study = value;
    } else if (name == "--version") {
      request.version = value;
    } else if (name == "--cloud") {
      request.clouds.emplace_back(value);
    } else if (name == "--areas") {
      request.areas = value;
    } else if (name == "--out") {
      request.out = value;
    } else if (name == "--format") {
      request.older = value == "radrt";
    } else if (name == "--rules") {
      request.published = value == "published";
    } else if (name == "--ask") {
      request.first = value == "first";
    } else {
      throw std::invalid_argument(name + " is not known");
    }
  }
  return request;
}

Input Request::input() const {
  Input input{{}, older, published, {}, first};
  for (const auto& path : clouds) input.clouds.push_back(bytes_of(path));
  if (input.clouds.empty()) throw std::invalid_argument("--cloud is missing");
  if (!areas.empty()) input.areas = areas_of(areas);
  return input;
}

}  // namespace wirecost::bench::cloud
