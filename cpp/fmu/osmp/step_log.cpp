// SPDX-License-Identifier: Apache-2.0
#include "osmp/step_log.hpp"

#include <bit>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "wirecost/probe/log_file.hpp"

namespace wirecost::fmu {
namespace {

using probe::Record;
using probe::RecordKind;

constexpr std::size_t first_records = std::size_t{1} << 14;  // 3000 steps in 2 MiB

// Names in the probe's log; an event's mark is part EventId of the model, within its message. The
// logs of a process share their names, and it may hold several models.
constexpr std::uint32_t message_ids = 0xff00'0000;
constexpr std::array message_names{"osi3::SensorView", "osi3::SensorData"};
constexpr std::uint32_t time_id = message_ids + message_names.size();

std::uint32_t model_id(const std::string& identity) {
  return 0x8000'0000 | static_cast<std::uint32_t>(std::hash<std::string>{}(identity) & 0x3fff'ffff);
}

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

// Not std::filesystem's: GCC 8's libstdc++, with which an FMU runs too, does not have it.
std::string temporary_folder() {
  for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"})
    if (const char* folder = std::getenv(name); folder != nullptr && *folder != 0) return folder;
  return "/tmp";
}

std::string listed(const auto& names) {
  std::string list;
  for (const char* name : names)
    list.append(list.empty() ? "\"" : ", \"").append(name).append("\"");
  return list;
}

}  // namespace

StepLog::StepLog(std::string identity, const std::string& folder)
    : identity_(std::move(identity)),
      model_id_(model_id(identity_)),
      folder_(folder.empty() ? temporary_folder() : folder),
      wall_minus_monotonic_ns_(wall_ns() - monotonic_ns()) {
  open(first_records);
}

StepLog::~StepLog() = default;

void StepLog::open(std::size_t records) {
  auto log = std::make_unique<probe::LogFile>(folder_, records);
  if (!log->open()) {
    lost_ = true;
    return;
  }
  log->name(model_id_, identity_);
  for (std::uint32_t i = 0; i < message_names.size(); ++i)
    log->name(message_ids + i, message_names[i]);
  log->name(time_id, "SimulationTime");
  records_ = records;
  logs_.push_back(std::move(log));
}

Record* StepLog::next() {
  if (lost_) return nullptr;
  if (logs_.back()->records().size() == records_) open(2 * records_);
  return lost_ ? nullptr : logs_.back()->next();
}

void StepLog::keep(const StepEvents& step, double simulation_time,
                   std::array<std::size_t, 2> message_sizes) {
  if (Record* record = next()) {
    record->kind = RecordKind::values;
    record->id = time_id;
    record->parent = model_id_;
    record->loop = steps_;
    record->value = 1;
    record->begin_ns = record->end_ns = step.begin()->monotonic_ns;
    record->counted = 1;
    record->counters[0] = std::bit_cast<std::uint64_t>(simulation_time);
    logs_.back()->publish();
  }
  for (const StepEvents::Entry& entry : step) {
    Record* record = next();
    if (record == nullptr) break;
    const auto message = static_cast<std::uint32_t>(entry.message);
    record->kind = RecordKind::mark;
    record->id = model_id_;
    record->parent = message_ids + message;
    record->part = static_cast<std::uint16_t>(entry.event);
    record->loop = steps_;
    record->value = static_cast<std::int64_t>(message_sizes[message]);
    record->begin_ns = record->end_ns = entry.monotonic_ns;
    logs_.back()->publish();
  }
  ++steps_;
}

std::string StepLog::write() {
  const std::string path = folder_ + "/" + identity_ + "_timing_" + time_of_day() + ".json";
  bool complete = !lost_ || steps_ == 0;
  if (complete && steps_ != 0) {
    std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "w"));
    complete = file != nullptr;
    if (complete) {
      print(file.get());
      complete = std::ferror(file.get()) == 0 && std::fflush(file.get()) == 0;
      // Known now: what somebody cut off was read as zeros.
      for (const auto& log : logs_) complete = complete && !log->cut();
      file.reset();
      if (!complete) std::remove(path.c_str());
    }
  }
  for (const auto& log : logs_) {
    if (complete)
      log->discard();
    else
      log->trim();
  }
  return complete ? "" : "cannot write the performance log into " + folder_;
}

void StepLog::print(std::FILE* file) const {
  std::fprintf(
      file,
      "{\n"
      "  \"Header\": {\n"
      "    \"OsiMessages\": [%s],\n"
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
      listed(message_names).c_str(), listed(event_names).c_str(), identity_.c_str());
  const char* separator = "\n";
  double simulation_time = 0;
  for (const auto& log : logs_) {
    for (const Record& record : log->records()) {
      if (record.kind == RecordKind::values) {
        simulation_time = std::bit_cast<double>(record.counters[0]);
        continue;
      }
      const std::int64_t wall = record.begin_ns + wall_minus_monotonic_ns_;
      const std::uint32_t message = record.parent - message_ids;
      std::fprintf(file, "%s        [%d, %lld.%09lld, %.9g, %d, %d, %lld, %lld]", separator,
                   record.part, static_cast<long long>(wall / 1'000'000'000),
                   static_cast<long long>(wall % 1'000'000'000), simulation_time,
                   static_cast<int>(message), message == 0 ? 2 : 5,
                   static_cast<long long>(record.value), static_cast<long long>(record.begin_ns));
      separator = ",\n";
    }
  }
  std::fprintf(file, "\n      ]\n    }\n  ]\n}\n");
}

}  // namespace wirecost::fmu
