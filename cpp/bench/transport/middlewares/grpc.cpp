// SPDX-License-Identifier: Apache-2.0
// gRPC: the publisher is the server at `address`, host:port; a subscriber reads the stream that a
// call of the topic's method gives. Messages are bytes as they are, so there is no .proto.
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include "bench/transport/middleware.hpp"

namespace wirecost::bench::transport {

namespace {

constexpr int most_bytes = 1 << 30;
constexpr int usual_queue = 1;
constexpr std::chrono::milliseconds again{20};

/// As the Python client has it.
std::string method_of(const Settings& settings) { return "/topic/" + settings.topic; }

grpc::ByteBuffer buffer_of(Bytes message) {
  const grpc::Slice slice(message.data(), message.size());
  return {&slice, 1};
}

/// One subscriber's stream.
class Stream : public grpc::ServerGenericBidiReactor {
 public:
  Stream(std::size_t most, bool waits) : most_(most), waits_(waits) {
    StartWrite(&empty_);  // what is sent from now on arrives
  }

  /// False if a message was lost for want of room.
  bool send(const grpc::ByteBuffer& message) {
    std::unique_lock lock(mutex_);
    if (waits_) room_.wait(lock, [this] { return over_ || waiting_.size() < most_; });
    if (over_) return true;
    const bool full = waiting_.size() >= most_;
    if (full) waiting_.erase(waiting_.begin() + 1);  // the oldest; the first is being written
    waiting_.push_back(message);
    if (!writing_) write_next();
    return !full;
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    if (!greeted_)
      greeted_ = true;
    else
      waiting_.pop_front();
    writing_ = false;
    room_.notify_one();
    if (!ok) over_ = true;
    if (over_)
      finish();
    else if (!waiting_.empty())
      write_next();
  }

  void OnCancel() override {
    const std::lock_guard lock(mutex_);
    over_ = true;
    room_.notify_one();
    if (!writing_) finish();
  }

  void OnDone() override { done_ = true; }
  [[nodiscard]] bool done() const { return done_; }

  void end() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    if (!writing_) finish();
  }

 private:
  void write_next() {
    writing_ = true;
    StartWrite(&waiting_.front());
  }

  void finish() {
    if (!std::exchange(finished_, true)) Finish(grpc::Status::OK);
  }

  std::size_t most_;
  bool waits_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::deque<grpc::ByteBuffer> waiting_;
  grpc::ByteBuffer empty_ = buffer_of({nullptr, 0});
  bool writing_ = true;
  bool greeted_ = false;
  bool over_ = false;
  bool finished_ = false;
  std::atomic<bool> done_ = false;
};

class Service : public grpc::CallbackGenericService {
 public:
  explicit Service(const Settings& settings)
      : method_(method_of(settings)),
        most_(std::size_t(settings.depth(usual_queue)) + 1),
        waits_(settings.reliable.value_or(true)) {}

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* call) override {
    if (call->method() != method_) return grpc::CallbackGenericService::CreateReactor(call);
    const std::lock_guard lock(mutex_);
    streams_.remove_if([](const Stream& stream) { return stream.done(); });
    return &streams_.emplace_back(most_, waits_);
  }

  bool send(const grpc::ByteBuffer& message) {
    const std::lock_guard lock(mutex_);
    bool all = true;
    for (auto& stream : streams_) all = stream.send(message) && all;
    return all;
  }

  void end() {
    const std::lock_guard lock(mutex_);
    for (auto& stream : streams_) stream.end();
  }

 private:
  std::string method_;
  std::size_t most_;
  bool waits_;
  std::mutex mutex_;
  std::list<Stream> streams_;
};

class GrpcPublisher : public Publisher {
 public:
  explicit GrpcPublisher(const Settings& settings) : service_(settings) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(settings.address, grpc::InsecureServerCredentials(), &port);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.SetMaxSendMessageSize(most_bytes);
    builder.RegisterCallbackGenericService(&service_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port == 0) throw Failure(settings.address + " cannot be served");
  }
  ~GrpcPublisher() override {
    service_.end();
    server_->Shutdown(std::chrono::system_clock::now() + again);
  }

  bool publish(Bytes message) override {
    service_.send(buffer_of(message));
    return true;
  }

 private:
  Service service_;
  std::unique_ptr<grpc::Server> server_;
};

/// Called from threads of the library.
class Reading : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Reading(grpc::GenericStub& stub, const std::string& method, const OnMessage& on_message)
      : on_message_(on_message) {
    context_.set_wait_for_ready(true);
    stub.PrepareBidiStreamingCall(&context_, method, {}, this);
    StartWriteLast(&request_, {});
    StartRead(&received_);
    StartCall();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    grpc::Slice whole;
    if (received_.TrySingleSlice(&whole).ok() || received_.DumpToSingleSlice(&whole).ok())
      on_message_({reinterpret_cast<const std::byte*>(whole.begin()), whole.size()});
    StartRead(&received_);
  }

  void OnDone(const grpc::Status&) override {
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_one();
  }

  bool wait_for_end(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return done_; });
  }

  void cancel() { context_.TryCancel(); }

 private:
  const OnMessage& on_message_;
  grpc::ClientContext context_;
  grpc::ByteBuffer request_ = buffer_of({nullptr, 0});
  grpc::ByteBuffer received_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
};

class GrpcSubscriber : public Subscriber {
 public:
  GrpcSubscriber(const Settings& settings, OnMessage on_message)
      : method_(method_of(settings)), on_message_(std::move(on_message)) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(most_bytes);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    stub_ = std::make_unique<grpc::GenericStub>(
        grpc::CreateCustomChannel(settings.address, grpc::InsecureChannelCredentials(), arguments));
    reading_ = std::make_unique<Reading>(*stub_, method_, on_message_);
  }
  ~GrpcSubscriber() override {
    reading_->cancel();
    reading_->wait_for_end(std::chrono::seconds(1));
  }

  void poll(std::chrono::milliseconds time) override {
    if (!reading_->wait_for_end(time)) return;
    std::this_thread::sleep_for(again);
    reading_ = std::make_unique<Reading>(*stub_, method_, on_message_);
  }

 private:
  std::string method_;
  OnMessage on_message_;
  std::unique_ptr<grpc::GenericStub> stub_;
  std::unique_ptr<Reading> reading_;
};

}  // namespace

Library library() { return {"gRPC C++", grpc::Version(), {"grpc"}}; }

std::unique_ptr<Publisher> make_publisher(const Settings& settings) {
  return std::make_unique<GrpcPublisher>(settings);
}

std::unique_ptr<Subscriber> make_subscriber(const Settings& settings, OnMessage on_message) {
  return std::make_unique<GrpcSubscriber>(settings, std::move(on_message));
}

}  // namespace wirecost::bench::transport
