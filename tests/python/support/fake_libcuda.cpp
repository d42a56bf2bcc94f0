// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVIDIA's libcuda.so.1, where no machine has a device: what wirecost calls of it,
// over POSIX shared memory, so that two processes exchange data. It shows that the right calls are
// made in the right order with the right types, and nothing about a device. It is stricter than the
// real one: copies happen only when they are waited for, and a copy out of bounds aborts.
//
// FAKE_CUDA_DEVICES: the last byte of each device's UUID, a letter each; "a" if it is not set.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

enum Status {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  invalid_device = 101,
  invalid_context = 201
};

struct Memory {
  std::size_t size;
  std::string name;
  bool own;
};

struct Copy {
  std::uint64_t to, from;
  std::size_t size;
  void* stream;
};

struct Handle {
  char name[64];
};

constexpr std::size_t most_bytes = std::size_t{1} << 30;
std::mutex mutex;
std::map<std::uint64_t, Memory> memories;
std::vector<Copy> copies;
pid_t initialized_by = 0;
int pushed = 0;
unsigned made = 0;

std::string devices() {
  const char* const found = std::getenv("FAKE_CUDA_DEVICES");
  return found == nullptr ? "a" : found;
}

bool ready() { return initialized_by == getpid() && pushed > 0; }

std::map<std::uint64_t, Memory>::iterator holding(std::uint64_t address) {
  auto found = memories.upper_bound(address);
  if (found == memories.begin()) return memories.end();
  --found;
  return address < found->first + found->second.size ? found : memories.end();
}

// Frameworks' memory is not known here; what begins in a ring has to end in it.
void check(std::uint64_t address, std::size_t size) {
  const auto found = holding(address);
  if (found == memories.end() || size <= found->first + found->second.size - address) return;
  std::fputs("fake_libcuda: a copy out of bounds\n", stderr);
  std::abort();
}

void copy(std::uint64_t to, std::uint64_t from, std::size_t size) {
  check(to, size);
  check(from, size);
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), size);
}

std::uint64_t map(int file, std::size_t size) {
  void* const mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return mapped == MAP_FAILED ? 0 : reinterpret_cast<std::uint64_t>(mapped);
}

int forget(std::uint64_t address, bool own) {
  const auto found = memories.find(address);
  if (found == memories.end() || found->second.own != own) return invalid_value;
  munmap(reinterpret_cast<void*>(address), found->second.size);
  if (own) shm_unlink(found->second.name.c_str());
  memories.erase(found);
  return success;
}

}  // namespace

extern "C" {

int cuInit(unsigned) {
  if (initialized_by != 0 && initialized_by != getpid()) return not_initialized;
  initialized_by = getpid();
  return success;
}

int cuGetErrorName(int status, const char** text) {
  static const std::map<int, const char*> names{
      {invalid_value, "CUDA_ERROR_INVALID_VALUE"},
      {out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {not_initialized, "CUDA_ERROR_NOT_INITIALIZED"},
      {invalid_device, "CUDA_ERROR_INVALID_DEVICE"},
      {invalid_context, "CUDA_ERROR_INVALID_CONTEXT"},
  };
  const auto found = names.find(status);
  *text = found == names.end() ? nullptr : found->second;
  return found == names.end() ? invalid_value : success;
}

int cuDeviceGetCount(int* count) {
  *count = static_cast<int>(devices().size());
  return success;
}

int cuDeviceGet(int* device, int number) {
  if (number < 0 || number >= static_cast<int>(devices().size())) return invalid_device;
  *device = number;
  return success;
}

int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  std::memset(uuid, 7, 16);
  uuid[15] = static_cast<unsigned char>(devices()[static_cast<std::size_t>(device)]);
  return success;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = reinterpret_cast<void*>(static_cast<std::uintptr_t>(device + 1));
  return initialized_by == getpid() ? success : not_initialized;
}

int cuCtxPushCurrent_v2(void* context) {
  if (context == nullptr) return invalid_context;
  const std::lock_guard lock(mutex);
  if (initialized_by != getpid()) return not_initialized;
  ++pushed;
  return success;
}

int cuCtxPopCurrent_v2(void** context) {
  const std::lock_guard lock(mutex);
  *context = nullptr;
  return pushed-- > 0 ? success : invalid_context;
}

int cuMemAlloc_v2(std::uint64_t* address, std::size_t size) {
  const std::lock_guard lock(mutex);
  if (!ready()) return invalid_context;
  if (size == 0) return invalid_value;
  if (size > most_bytes) return out_of_memory;
  const std::string name =
      "/wirecost-fake-" + std::to_string(getpid()) + "-" + std::to_string(made++);
  const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (file < 0 || ftruncate(file, static_cast<off_t>(size)) != 0) return out_of_memory;
  *address = map(file, size);
  if (*address == 0) return out_of_memory;
  memories[*address] = {size, name, true};
  return success;
}

int cuMemFree_v2(std::uint64_t address) {
  const std::lock_guard lock(mutex);
  return ready() ? forget(address, true) : invalid_context;
}

int cuMemGetAddressRange_v2(std::uint64_t* base, std::size_t* size, std::uint64_t address) {
  const std::lock_guard lock(mutex);
  const auto found = holding(address);
  if (found == memories.end()) return invalid_value;
  *base = found->first;
  *size = found->second.size;
  return success;
}

int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t size, void* stream) {
  const std::lock_guard lock(mutex);
  if (!ready()) return invalid_context;
  copies.push_back({to, from, size, stream});
  return success;
}

int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t size) {
  const std::lock_guard lock(mutex);
  if (!ready()) return invalid_context;
  copy(reinterpret_cast<std::uint64_t>(to), from, size);
  return success;
}

int cuStreamSynchronize(void* stream) {
  const std::lock_guard lock(mutex);
  if (!ready()) return invalid_context;
  std::vector<Copy> left;
  for (const Copy& one : copies) {
    if (one.stream == stream)
      copy(one.to, one.from, one.size);
    else
      left.push_back(one);
  }
  copies = left;
  return success;
}

int cuIpcGetMemHandle(Handle* handle, std::uint64_t address) {
  const std::lock_guard lock(mutex);
  const auto found = memories.find(address);
  if (found == memories.end() || !found->second.own) return invalid_value;
  std::memset(handle, 0, sizeof *handle);
  found->second.name.copy(handle->name, sizeof handle->name - 1);
  return success;
}

int cuIpcOpenMemHandle_v2(std::uint64_t* address, Handle handle, unsigned flags) {
  const std::lock_guard lock(mutex);
  if (!ready()) return invalid_context;
  handle.name[sizeof handle.name - 1] = '\0';
  for (const auto& [_, one] : memories)
    if (one.own && one.name == handle.name) return invalid_context;
  const int file = shm_open(handle.name, O_RDWR, 0);
  struct stat about{};
  if (flags != 1 || file < 0 || fstat(file, &about) != 0) return invalid_value;
  *address = map(file, static_cast<std::size_t>(about.st_size));
  if (*address == 0) return out_of_memory;
  memories[*address] = {static_cast<std::size_t>(about.st_size), handle.name, false};
  return success;
}

int cuIpcCloseMemHandle(std::uint64_t address) {
  const std::lock_guard lock(mutex);
  return ready() ? forget(address, false) : invalid_context;
}

}  // extern "C"
