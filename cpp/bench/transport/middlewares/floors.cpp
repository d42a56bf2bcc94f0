// SPDX-License-Identifier: Apache-2.0
// Floors: how messages get from one process to another without a middleware. `floor-spin` and
// `floor-futex` copy each into memory that both processes map, where the subscriber looks for it
// without pause or sleeps until it is woken; `floor-pipe` and `floor-unix` give it to the kernel.
// The subscriber makes a file, a pipe or a socket in the folder `address`, and one publisher opens
// it.
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/utsname.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <ctime>

#include "bench/transport/middlewares/stream.hpp"

namespace wirecost::bench::transport {

namespace {

using std::chrono::milliseconds;

constexpr auto spin = "floor-spin";
constexpr auto pipe_name = "floor-pipe";
constexpr auto unix_name = "floor-unix";
constexpr mode_t own = 0600;
/// How long a publisher waits until the message before was taken.
constexpr milliseconds patience{500};
/// Looks at shared memory between two looks at the clock.
constexpr int looks = 1000;
constexpr std::size_t line = 64;

[[noreturn]] void fail(const std::string& what) {
  throw Failure(what + ": " + std::strerror(errno));
}

std::string place_of(const Settings& settings) {
  if (settings.address.empty()) throw Failure(settings.transport + ": an address is needed");
  return settings.address + "/" + settings.topic;
}

/// One message in shared memory, and how many were written and taken.
struct Slot {
  alignas(line) std::atomic<std::uint32_t> written;
  alignas(line) std::atomic<std::uint32_t> taken;
  std::size_t size;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

/// A slot with its message behind it, mapped from a file; how its ends wait.
class Memory {
 public:
  Memory(const Descriptor& file, const Settings& settings)
      : size_(bytes_for(settings)), spins_(settings.transport == spin) {
    void* const at =
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file.get(), 0);
    if (at == MAP_FAILED) fail("shared memory");
    slot_ = static_cast<Slot*>(at);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { munmap(slot_, size_); }

  static std::size_t bytes_for(const Settings& settings) {
    return sizeof(Slot) + settings.bytes + trailer_bytes;
  }
  [[nodiscard]] Slot& slot() const { return *slot_; }
  [[nodiscard]] std::byte* message() const { return reinterpret_cast<std::byte*>(slot_ + 1); }

  /// Waits until a counter is another than `before`; false where the time passed.
  bool wait(std::atomic<std::uint32_t>& counter, std::uint32_t before, milliseconds time) const {
    const auto end = std::chrono::steady_clock::now() + time;
    while (counter.load(std::memory_order_acquire) == before) {
      const auto left = end - std::chrono::steady_clock::now();
      if (left.count() <= 0) return false;
      if (spins_) {
        for (int i = 0; i < looks && counter.load(std::memory_order_relaxed) == before; ++i) {
        }
      } else {
        const timespec most{0, std::chrono::nanoseconds(left).count()};  // less than a second
        syscall(SYS_futex, &counter, FUTEX_WAIT, before, &most, nullptr, 0);
      }
    }
    return true;
  }

  /// Sets a counter, and wakes who sleeps until it changes.
  void set(std::atomic<std::uint32_t>& counter, std::uint32_t value) const {
    counter.store(value, std::memory_order_release);
    if (!spins_) syscall(SYS_futex, &counter, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }

 private:
  std::size_t size_;
  bool spins_;
  Slot* slot_;
};

class MemoryPublisher : public Publisher {
 public:
  explicit MemoryPublisher(Settings settings) : settings_(std::move(settings)) {}

  bool publish(Bytes message) override {
    if (memory_ == nullptr) {
      const Descriptor file(::open(place_of(settings_).c_str(), O_RDWR | O_CLOEXEC));
      if (!file.open()) return true;  // nobody listens
      memory_ = std::make_unique<Memory>(file, settings_);
    }
    if (message.size() > settings_.bytes + trailer_bytes) throw Failure("a message is too long");
    Slot& slot = memory_->slot();
    const auto written = slot.written.load(std::memory_order_relaxed);
    if (!memory_->wait(slot.taken, written - 1, patience)) return false;
    std::memcpy(memory_->message(), message.data(), message.size());
    slot.size = message.size();
    memory_->set(slot.written, written + 1);
    return true;
  }

 private:
  Settings settings_;
  std::unique_ptr<Memory> memory_;
};

class MemorySubscriber : public Subscriber {
 public:
  MemorySubscriber(const Settings& settings, OnMessage on_message)
      : on_message_(std::move(on_message)) {
    const std::string place = place_of(settings);
    const std::string part = place + ".part";
    const Descriptor file(::open(part.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, own));
    if (!file.open()) fail(part);
    errno = posix_fallocate(file.get(), 0, static_cast<off_t>(Memory::bytes_for(settings)));
    if (errno != 0) fail(part);
    memory_ = std::make_unique<Memory>(file, settings);
    if (std::rename(part.c_str(), place.c_str()) != 0) fail(place);
  }

  void poll(milliseconds time) override {
    Slot& slot = memory_->slot();
    const auto taken = slot.taken.load(std::memory_order_relaxed);
    if (!memory_->wait(slot.written, taken, time)) return;
    on_message_({memory_->message(), slot.size});
    memory_->set(slot.taken, taken + 1);
  }

 private:
  OnMessage on_message_;
  std::unique_ptr<Memory> memory_;
};

sockaddr_un socket_at(const std::string& place) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (place.size() >= sizeof address.sun_path) throw Failure(place + ": too long for a socket");
  place.copy(address.sun_path, place.size());
  return address;
}

Descriptor unix_socket() { return Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

class StreamPublisher : public Publisher {
 public:
  explicit StreamPublisher(const Settings& settings)
      : place_(place_of(settings)), is_socket_(settings.transport == unix_name) {}

  bool publish(Bytes message) override {
    if (!end_.open()) connect_now();
    return !end_.open() || write_message(end_, message);
  }

 private:
  void connect_now() {
    if (!is_socket_) {
      end_ = Descriptor(::open(place_.c_str(), O_WRONLY | O_CLOEXEC));
      return;
    }
    Descriptor made = unix_socket();
    const sockaddr_un address = socket_at(place_);
    if (connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
      end_ = std::move(made);
  }

  std::string place_;
  bool is_socket_;
  Descriptor end_;
};

class StreamSubscriber : public Subscriber {
 public:
  StreamSubscriber(const Settings& settings, OnMessage on_message)
      : on_message_(std::move(on_message)),
        reader_(settings.bytes),
        accepts_(settings.transport == unix_name) {
    const std::string place = place_of(settings);
    if (accepts_) {
      end_ = unix_socket();
      const sockaddr_un address = socket_at(place);
      if (bind(end_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
          listen(end_.get(), 1) != 0)
        fail(place);
      return;
    }
    if (mkfifo(place.c_str(), own) != 0) fail(place);
    end_ = Descriptor(::open(place.c_str(), O_RDWR | O_CLOEXEC));  // it waits for no publisher
    if (!end_.open()) fail(place);
  }

  void poll(milliseconds time) override {
    pollfd readable{end_.get(), POLLIN, 0};
    if (::poll(&readable, 1, static_cast<int>(time.count())) <= 0) return;
    if (std::exchange(accepts_, false))
      end_ = Descriptor(accept4(end_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    else if (!reader_.read(end_, on_message_))
      end_ = Descriptor();
  }

 private:
  OnMessage on_message_;
  MessageReader reader_;
  /// Whether the publisher is still to come.
  bool accepts_;
  Descriptor end_;
};

bool is_stream(const Settings& settings) {
  return settings.transport == pipe_name || settings.transport == unix_name;
}

}  // namespace

Library library() {
  utsname kernel{};
  uname(&kernel);
  return {kernel.sysname, kernel.release, {spin, "floor-futex", pipe_name, unix_name}};
}

std::unique_ptr<Publisher> make_publisher(const Settings& settings) {
  if (is_stream(settings)) return std::make_unique<StreamPublisher>(settings);
  return std::make_unique<MemoryPublisher>(settings);
}

std::unique_ptr<Subscriber> make_subscriber(const Settings& settings, OnMessage on_message) {
  if (is_stream(settings))
    return std::make_unique<StreamSubscriber>(settings, std::move(on_message));
  return std::make_unique<MemorySubscriber>(settings, std::move(on_message));
}

}  // namespace wirecost::bench::transport
