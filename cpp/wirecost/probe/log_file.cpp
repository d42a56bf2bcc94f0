// SPDX-License-Identifier: Apache-2.0
#include "log_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "settings.hpp"
#include "wirecost/probe/clock.hpp"

namespace wirecost::probe {
namespace {

constexpr int most_names_tried = 1000;

std::string file_name(std::string name) {
  for (char& c : name)
    if (c == '/' || c == ' ' || static_cast<unsigned char>(c) < ' ') c = '_';
  return name.empty() ? "program" : name.substr(0, 64);
}

template <std::size_t size>
void copy_text(std::array<char, size>& out, const std::string& text) {
  out.fill('\0');
  std::copy_n(text.begin(), std::min(text.size(), size - 1), out.begin());
}

std::string size_text(std::size_t bytes) {
  constexpr std::size_t mega = std::size_t{1} << 20;
  return bytes >= mega ? std::to_string(bytes / mega) + "MiB" : std::to_string(bytes);
}

std::string is_full(std::size_t records) {
  const std::size_t bytes = records * sizeof(Record);
  return whole_line("a thread's log is full: " + std::to_string(records) + " executions, " +
                    size_text(bytes) + "; what follows is dropped; set WIRECOST_PROBE_SIZE=" +
                    size_text(16 * bytes) + ", or record for less time or fewer sections");
}

}  // namespace

Owner this_thread() {
  std::array<char, 16> thread_name{};
  pthread_getname_np(pthread_self(), thread_name.data(), thread_name.size());
  return {.process = static_cast<std::uint32_t>(getpid()),
          .thread = static_cast<std::uint32_t>(syscall(SYS_gettid)),
          .program = program_invocation_short_name,
          .thread_name = thread_name.data()};
}

LogFile::LogFile(const std::string& folder, std::size_t records, const Owner& owner)
    : bytes_(sizeof(Header) + records * sizeof(Record)), capacity_(records) {
  if (!create(folder, owner) || !reserve()) {
    trouble_ = (path_.empty() ? folder : path_) + ": " + std::strerror(errno) +
               "; nothing is recorded; set WIRECOST_PROBE to a folder that can be written, or " +
               "WIRECOST_PROBE_SIZE to less";
    if (file_ >= 0) unlink(path_.c_str());
    return;
  }
  full_ = is_full(records);
  // Touched now: a mapped page that is not there costs a fault in the section that writes it.
  std::memset(static_cast<void*>(header_), 0, bytes_);
  records_ = reinterpret_cast<Record*>(header_ + 1);
  header_->version = version;
  header_->header_size = sizeof(Header);
  header_->record_size = sizeof(Record);
  header_->process = owner.process;
  header_->thread = owner.thread;
  header_->capacity = records;
  header_->wall_minus_monotonic_ns = wall_ns() - monotonic_ns();
  copy_text(header_->program, file_name(owner.program));
  copy_text(header_->thread_name, owner.thread_name);
  // Last: what has no magic is no log yet.
  std::atomic_signal_fence(std::memory_order_release);
  header_->magic = magic;
}

bool LogFile::create(const std::string& folder, const Owner& owner) {
  if (mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) return false;
  const std::string stem = folder + "/" + file_name(owner.program) + "-" +
                           std::to_string(owner.process) + "-" + std::to_string(owner.thread);
  // Thread identifiers come again, and a process can hold this library twice.
  for (int i = 1; i <= most_names_tried; ++i) {
    std::string path = stem;
    if (i > 1) path.append("-").append(std::to_string(i));
    path += ".wprobe";
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file_ < 0 && errno == EEXIST) continue;
    if (file_ >= 0) path_ = path;
    return file_ >= 0;
  }
  return false;
}

bool LogFile::reserve() {
  // Beyond this limit the kernel would end the program by a signal.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes_ > limit.rlim_cur) {
    errno = EFBIG;
    return false;
  }
  // Blocks are taken now: a full disk would end the program by a signal when a page is written.
  const int failed = posix_fallocate(file_, 0, static_cast<off_t>(bytes_));
  if (failed != 0) {
    errno = failed;
    return false;
  }
  void* mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (mapped == MAP_FAILED) return false;
  header_ = static_cast<Header*>(mapped);
  range_.emplace(mapped, bytes_, is_cut());
  return true;
}

Record* LogFile::drop() {
  ++header_->dropped;
  if (count_ == capacity_) write_once(topic_full, full_);
  return nullptr;
}

bool LogFile::name(std::uint32_t id, const std::string& name) {
  if (names_ == max_names) return false;
  NameEntry& entry = header_->section_names[names_];
  entry.id = id;
  copy_text(entry.name, name);
  std::atomic_ref(entry.used).store(1, std::memory_order_release);
  header_->names = ++names_;
  return true;
}

bool LogFile::cut() const {
  struct stat found{};
  return range_->lost() || fstat(file_, &found) != 0 || found.st_size < length();
}

void LogFile::trim() {
  if (cut()) return say_once(topic_cut, is_cut());
  [[maybe_unused]] const int kept = ftruncate(file_, length());
}

std::string LogFile::is_cut() const {
  return path_ +
         ": cut while it was recorded into; the program goes on, this thread records no more";
}

void LogFile::discard() const { unlink(path_.c_str()); }

LogFile::~LogFile() {
  range_.reset();
  if (header_ != nullptr) munmap(header_, bytes_);
  if (file_ >= 0) close(file_);
}

}  // namespace wirecost::probe
