// SPDX-License-Identifier: Apache-2.0
#include "wirecost/trace/mapped_trace.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace wirecost {
namespace {

constexpr std::size_t length_size = sizeof(std::uint32_t);
constexpr std::size_t populate_at_most = std::size_t{4} << 30;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw std::invalid_argument("trace " + path + ": " + what);
}

}  // namespace

MappedTrace::MappedTrace(const std::string& path) : path_(path) {
  if (path.empty()) refuse("", "no file is named; set the parameter trace to an .osi file");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse(path, std::string(std::strerror(errno)) + "; name a readable .osi file");
  struct stat status{};
  const bool known = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  bytes_ = known ? static_cast<std::size_t>(status.st_size) : 0;
  void* mapped = MAP_FAILED;
  if (bytes_ != 0) {
    // Small enough traces have their pages in place before the first step, not during it.
    const int populate = bytes_ <= populate_at_most ? MAP_POPULATE : 0;
    mapped = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE | populate, file, 0);
  }
  ::close(file);
  if (mapped == MAP_FAILED) refuse(path, "empty or not a plain file; name an .osi file");
  data_ = static_cast<const std::byte*>(mapped);
  for (std::size_t at = 0; bytes_ - at >= length_size;) {
    std::uint32_t length = 0;
    std::memcpy(&length, data_ + at, length_size);
    at += length_size;
    if (length > bytes_ - at) break;
    frames_.emplace_back(data_ + at, length);
    at += length;
  }
  if (frames_.empty()) {
    ::munmap(const_cast<std::byte*>(data_), bytes_);
    refuse(path, "not one whole frame; name an .osi file (length and message, repeated)");
  }
}

MappedTrace::~MappedTrace() { ::munmap(const_cast<std::byte*>(data_), bytes_); }

}  // namespace wirecost
