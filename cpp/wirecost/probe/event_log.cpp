// SPDX-License-Identifier: Apache-2.0
#include "wirecost/probe/event_log.hpp"

#include <cstdio>
#include <memory>
#include <system_error>

namespace wirecost {
namespace {

constexpr std::size_t rows_reserved = std::size_t{1} << 14;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%H-%M-%S", &local);
  return text.data();
}

std::string event_list() {
  std::string list;
  for (const char* name : event_names)
    list += (list.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  return list;
}

}  // namespace

EventLog::EventLog(std::string model_identity)
    : model_identity_(std::move(model_identity)),
      wall_minus_monotonic_ns_(wall_ns() - monotonic_ns()) {
  rows_.reserve(rows_reserved);
}

void EventLog::keep(const StepEvents& step, double simulation_time,
                    std::array<std::size_t, 2> message_sizes) {
  for (const StepEvents::Entry& entry : step)
    rows_.push_back(
        {entry, simulation_time, message_sizes[static_cast<std::size_t>(entry.message)]});
}

bool EventLog::write(const std::filesystem::path& folder) const {
  if (rows_.empty()) return true;
  const std::filesystem::path path =
      folder / (model_identity_ + "_timing_" + time_of_day() + ".json");
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "w"));
  if (!file) return false;
  std::fprintf(
      file.get(),
      "{\n"
      "  \"Header\": {\n"
      "    \"OsiMessages\": [\"osi3::SensorView\", \"osi3::SensorData\"],\n"
      "    \"EventFields\": [\"EventId\", \"GlobalTime\", \"SimulationTime\", \"MessageId\","
      " \"SizeValueReference\", \"MessageSize\", \"MonotonicNanoseconds\"],\n"
      "    \"EventTypes\": [%s],\n"
      "    \"FormatVersion\": {\"Major\": 1, \"Minor\": 1, \"Patch\": 0, "
      "\"PreRelease\": \"\"}\n"
      "  },\n"
      "  \"Data\": [\n"
      "    {\n"
      "      \"Instance\": {\"ModelIdentity\": \"%s\"},\n"
      "      \"OsiEvents\": [",
      event_list().c_str(), model_identity_.c_str());
  const char* separator = "\n";
  for (const Row& row : rows_) {
    const std::int64_t wall = row.entry.monotonic_ns + wall_minus_monotonic_ns_;
    std::fprintf(file.get(), "%s        [%d, %lld.%09lld, %.9g, %d, %d, %zu, %lld]", separator,
                 static_cast<int>(row.entry.event), static_cast<long long>(wall / 1'000'000'000),
                 static_cast<long long>(wall % 1'000'000'000), row.simulation_time,
                 static_cast<int>(row.entry.message),
                 row.entry.message == LoggedMessage::sensor_view ? 2 : 5, row.message_size,
                 static_cast<long long>(row.entry.monotonic_ns));
    separator = ",\n";
  }
  std::fprintf(file.get(), "\n      ]\n    }\n  ]\n}\n");
  const bool complete = std::ferror(file.get()) == 0 && std::fflush(file.get()) == 0;
  file.reset();
  std::error_code ignored;
  if (!complete) std::filesystem::remove(path, ignored);
  return complete;
}

}  // namespace wirecost
