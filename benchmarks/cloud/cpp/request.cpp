// SPDX-License-Identifier: Apache-2.0
#include "cloud/cpp/request.hpp"

#include <cstring>
#include <stdexcept>

#include "bench/arguments.hpp"

namespace wirecost::bench::cloud {
namespace {

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
  Request request;
  request.command = read_arguments(
      argc, argv,
      {{"--study", into(request.study)},
       {"--version", into(request.version)},
       {"--cloud", into(request.clouds)},
       {"--areas", into(request.areas)},
       {"--out", into(request.out)},
       {"--secret", into(request.secret)},
       {"--calls", into(request.calls)},
       {"--format", [&](const auto& value) { request.older = value == "radrt"; }},
       {"--rules", [&](const auto& value) { request.published = value == "published"; }},
       {"--ask", [&](const auto& value) { request.first = value == "first"; }}});
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
