// SPDX-License-Identifier: Apache-2.0
#include "fmi/cpp/region.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace wirecost::bench::fmi {

/// The region's first page; buffers follow, each on pages of its own.
struct Header {
  struct alignas(64) Buffer {
    std::atomic<std::uint64_t> state;  ///< twice the message's sequence, less 1 while it is written
  };
  static constexpr std::uint64_t mark = 0x314E4F4947455257;  // "WREGION1"

  std::uint64_t magic, size, buffers;
  char layout[128];
  std::atomic<std::uint32_t> ended;
  Buffer states[most_buffers];
};

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t most_bytes = std::size_t{1} << 40;
const std::string prefix = "wirecost-fmi-";
static_assert(sizeof(Header) <= page);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

std::size_t stride(std::size_t size) { return (size + page - 1) / page * page; }
std::size_t total(std::size_t size, std::size_t buffers) { return page + buffers * stride(size); }
std::size_t index(std::uint64_t sequence, std::size_t buffers) { return (sequence - 1) % buffers; }

[[noreturn]] void fail(const std::string& name, const std::string& problem) {
  throw std::runtime_error("memory region " + name + ": " + problem);
}

/// Whether no process holds the writer's lock: the kernel drops it with the process.
bool unlocked(int descriptor) { return flock(descriptor, LOCK_SH | LOCK_NB) == 0; }

void map(Mapping& mapping, const std::string& name, std::size_t size, int protection) {
  void* memory = mmap(nullptr, size, protection, MAP_SHARED, mapping.descriptor, 0);
  if (memory == MAP_FAILED) fail(name, std::string("cannot be mapped: ") + std::strerror(errno));
  mapping.memory = static_cast<std::byte*>(memory);
  mapping.size = size;
}

/// Removes regions of this user whose writers died before any reader noticed.
void sweep() {
  DIR* folder = opendir("/dev/shm");
  if (!folder) return;
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;
    if (!name.starts_with(prefix)) continue;
    Mapping found;
    found.descriptor = shm_open(("/" + name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    struct stat status;
    if (found.descriptor < 0 || fstat(found.descriptor, &status) != 0) continue;
    if (status.st_uid == geteuid() && flock(found.descriptor, LOCK_EX | LOCK_NB) == 0)
      shm_unlink(("/" + name).c_str());
  }
  closedir(folder);
}

/// A new file of POSIX shared memory, locked by this process, whose name is returned.
std::string create_shm(int& descriptor) {
  static std::atomic<unsigned> created{0};
  sweep();
  for (;;) {
    const std::string name =
        "/" + prefix + std::to_string(getpid()) + "-" + std::to_string(++created);
    descriptor = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) fail(name, std::string("cannot be created: ") + std::strerror(errno));
    struct stat status;
    // Another process may have swept it before the lock was taken.
    if (flock(descriptor, LOCK_EX) == 0 && fstat(descriptor, &status) == 0 && status.st_nlink > 0)
      return name;
    close(descriptor);
  }
}

std::string create_memfd(int& descriptor) {
  descriptor = memfd_create("wirecost-fmi", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) fail("memfd", std::string("cannot be created: ") + std::strerror(errno));
  flock(descriptor, LOCK_EX);
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(descriptor);
}

bool is_shm(const std::string& name) {
  return name.size() > 1 && name.size() <= 255 && name[0] == '/' && name.find('/', 1) == name.npos;
}

bool is_memfd(const std::string& name) {
  int end = -1;
  std::sscanf(name.c_str(), "/proc/%*u/fd/%*u%n", &end);
  return end == static_cast<int>(name.size());
}

}  // namespace

Mapping::~Mapping() {
  if (memory) munmap(memory, size);
  if (descriptor >= 0) close(descriptor);
}

Writer::Writer(Kind kind, std::size_t size, std::size_t buffers, const std::string& layout)
    : size_(size), buffers_(buffers) {
  if (size == 0 || size > most_bytes || buffers == 0 || buffers > most_buffers)
    fail("of " + std::to_string(size) + " bytes", "give 1 byte to 1 TiB, and 1 to 16 buffers");
  if (layout.size() >= sizeof(Header::layout))
    fail(layout, "give a layout of at most 127 characters");
  name_ = kind == Kind::shm ? create_shm(mapping_.descriptor) : create_memfd(mapping_.descriptor);
  try {
    const auto all = static_cast<off_t>(total(size, buffers));
    // Its pages are there before a step needs them: later, a full /dev/shm is a signal, no error.
    if (const int error = posix_fallocate(mapping_.descriptor, 0, all))
      fail(name_, std::string("no room for its buffers: ") + std::strerror(error) +
                      "; make room in /dev/shm, or take smaller messages");
    if (kind == Kind::memfd)
      fcntl(mapping_.descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    map(mapping_, name_, total(size, buffers), PROT_READ | PROT_WRITE);
  } catch (...) {
    if (kind == Kind::shm) shm_unlink(name_.c_str());
    throw;
  }
  header().size = size;
  header().buffers = buffers;
  std::memcpy(header().layout, layout.data(), layout.size());
  header().magic = Header::mark;
}

Writer::~Writer() {
  header().ended.store(1, std::memory_order_release);
  if (!is_memfd(name_)) shm_unlink(name_.c_str());
}

Header& Writer::header() const { return *reinterpret_cast<Header*>(mapping_.memory); }

std::span<std::byte> Writer::buffer(std::uint64_t sequence) const {
  return {mapping_.memory + page + index(sequence, buffers_) * stride(size_), size_};
}

std::span<std::byte> Writer::begin() {
  auto& state = header().states[index(sequence_ + 1, buffers_)].state;
  state.store(2 * (sequence_ + 1) - 1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  return buffer(sequence_ + 1);
}

std::uint64_t Writer::publish() {
  ++sequence_;
  header().states[index(sequence_, buffers_)].state.store(2 * sequence_, std::memory_order_release);
  return sequence_;
}

Bytes Writer::latest() const { return sequence_ ? buffer(sequence_) : Bytes{}; }

Reader::Reader(const std::string& name, std::size_t size, const std::string& layout)
    : name_(name), size_(size) {
  if (is_shm(name))
    mapping_.descriptor = shm_open(name.c_str(), O_RDONLY | O_CLOEXEC, 0);
  else if (is_memfd(name))
    mapping_.descriptor = open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  else
    fail(name, "is neither a name of POSIX shared memory nor /proc/PROCESS/fd/NUMBER");
  if (mapping_.descriptor < 0)
    fail(name, std::string("cannot be opened: ") + std::strerror(errno) + "; is its writer there?");
  struct stat status;
  if (fstat(mapping_.descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    fail(name, "is no memory");
  const int seals = is_memfd(name) ? fcntl(mapping_.descriptor, F_GET_SEALS) : F_SEAL_SHRINK;
  if (seals < 0 || !(seals & F_SEAL_SHRINK))
    fail(name, "could shrink while it is read; seal it with F_SEAL_SHRINK");
  const auto there = static_cast<std::size_t>(status.st_size);
  if (there < page || size == 0 || size > most_bytes) fail(name, "is no region of this prototype");
  map(mapping_, name, there, PROT_READ);
  // Each is read once: a writer that changes them later must not lead a reader outside the mapping.
  const std::uint64_t magic = header().magic, stated = header().size, buffers = header().buffers;
  char its[sizeof(Header::layout)];
  std::memcpy(its, header().layout, sizeof its);
  its[sizeof its - 1] = 0;
  if (magic != Header::mark || buffers == 0 || buffers > most_buffers)
    fail(name, "is no region of this prototype");
  if (stated != size || there != total(size, buffers))
    fail(name, "has messages of " + std::to_string(stated) + " bytes in " + std::to_string(there) +
                   ", expected " + std::to_string(size) + "; connect `size` of the same terminal");
  if (its != layout)
    fail(name, "has layout '" + std::string(its) + "', expected '" + layout +
                   "'; connect a terminal of the same layout");
  buffers_ = buffers;
}

const Header& Reader::header() const { return *reinterpret_cast<const Header*>(mapping_.memory); }

Bytes Reader::find(std::uint64_t sequence) const {
  if (sequence == 0) return {};
  const std::size_t at = index(sequence, buffers_);
  if (header().states[at].state.load(std::memory_order_acquire) != 2 * sequence) return {};
  return {mapping_.memory + page + at * stride(size_), size_};
}

bool Reader::is_intact(std::uint64_t sequence) const {
  std::atomic_thread_fence(std::memory_order_acquire);
  const auto& state = header().states[index(sequence, buffers_)].state;
  return state.load(std::memory_order_relaxed) == 2 * sequence;
}

bool Reader::has_writer() {
  if (header().ended.load(std::memory_order_acquire) == 0 && !unlocked(mapping_.descriptor))
    return true;
  if (!is_memfd(name_)) shm_unlink(name_.c_str());
  return false;
}

}  // namespace wirecost::bench::fmi
