// SPDX-License-Identifier: Apache-2.0
// Queue, sockets and player for Python; every wait is outside of Python's lock.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "wirecost/middleware/player.hpp"
#include "wirecost/middleware/queue.hpp"
#include "wirecost/middleware/tcp/receiver.hpp"
#include "wirecost/middleware/tcp/sink.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace wirecost::middleware;

namespace {

std::span<const std::byte> view(const nb::bytes& bytes) {
  return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

std::chrono::nanoseconds seconds(double value, const char* name) {
  // Also false of a NaN; a wait of more than a day is as good as one without end.
  if (!(value >= 0)) throw nb::value_error(name);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(std::min(value, 86'400.0)));
}

nb::list take(Queue& queue, std::size_t max_messages, double timeout_s) {
  std::vector<Message> messages;
  {
    const auto timeout = seconds(timeout_s, "timeout_s must not be negative");
    const nb::gil_scoped_release unlocked;
    messages = queue.take(max_messages, timeout);
  }
  nb::list taken;
  for (const Message& each : messages) {
    taken.append(nb::make_tuple(each.channel, each.received.realtime, each.received.monotonic,
                                each.source_ns, each.missed,
                                nb::bytes(each.bytes.get(), each.size)));
  }
  return taken;
}

std::map<std::uint32_t, std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> counts(
    const Queue& queue) {
  std::map<std::uint32_t, std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> result;
  for (const auto& [channel, count] : queue.counts())
    result.emplace(channel, std::tuple(count.received, count.dropped, count.bytes));
  return result;
}

std::vector<std::tuple<std::uint32_t, int, std::string>> ended(TcpReceiver& tcp) {
  std::vector<std::tuple<std::uint32_t, int, std::string>> result;
  for (TcpReceiver::Ended& each : tcp.ended())
    result.emplace_back(each.channel, each.descriptor, std::move(each.reason));
  return result;
}

std::unique_ptr<Player> make_player(const nb::sequence& messages, bool lock) {
  std::vector<PlayedMessage> played;
  // What the views point to must outlive the copy below, also where the sequence makes its items.
  std::vector<nb::bytes> kept;
  for (const nb::handle each : messages) {
    const auto [time_ns, sink, bytes] =
        nb::cast<std::tuple<std::int64_t, std::size_t, nb::bytes>>(each);
    played.push_back({time_ns, sink, view(bytes)});
    kept.push_back(bytes);
  }
  const nb::gil_scoped_release unlocked;
  return std::make_unique<Player>(played, lock);
}

using Rows = nb::ndarray<nb::numpy, std::int64_t, nb::shape<-1, 4>>;

Rows play(Player& player, const std::vector<Sink*>& sinks, double rate, std::size_t first,
          std::size_t last, std::int64_t spin_ns, std::optional<int> cpu,
          std::optional<int> fifo_priority, std::optional<std::int64_t> origin_ns) {
  if (std::ranges::count(sinks, nullptr) != 0) throw nb::type_error("a sink is None");
  std::vector<Sent> sent;
  {
    const nb::gil_scoped_release unlocked;
    // Ctrl-C ends the playing as it would end a loop of Python.
    const auto uninterrupted = [] {
      const nb::gil_scoped_acquire locked;
      return PyErr_CheckSignals() == 0;
    };
    sent = player.play(sinks, {rate, first, last, origin_ns, spin_ns}, {cpu, fifo_priority},
                       uninterrupted);
  }
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  static_assert(sizeof(Sent) == 4 * sizeof(std::int64_t));
  auto rows = std::make_unique<std::vector<Sent>>(std::move(sent));
  void* const data = rows->data();
  const std::size_t count = rows->size();
  const nb::capsule owner(
      rows.release(), [](void* kept) noexcept { delete static_cast<std::vector<Sent>*>(kept); });
  return Rows(data, {count, 4}, owner);
}

void bind_receiving(nb::module_& m) {
  nb::class_<Queue>(m, "Queue")
      .def(nb::init<std::size_t>(), "max_bytes"_a)
      .def("take", &take, "max_messages"_a, "timeout_s"_a)
      .def("counts", &counts);
  nb::class_<TcpReceiver>(m, "Tcp")
      .def(nb::init<Queue&, std::size_t>(), "queue"_a, "max_message_bytes"_a,
           nb::keep_alive<1, 2>())
      .def(
          "add",
          [](TcpReceiver& tcp, int descriptor, std::uint32_t channel) {
            tcp.add(Descriptor(descriptor), channel);
          },
          "descriptor"_a, "channel"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("ended", &ended)
      .def("close", &TcpReceiver::close, nb::call_guard<nb::gil_scoped_release>());
}

void bind_sending(nb::module_& m) {
  nb::class_<Sink>(m, "Sink")
      .def(
          "send",
          [](Sink& sink, const nb::bytes& message) {
            const auto bytes = view(message);
            const nb::gil_scoped_release unlocked;
            sink.send(bytes);
          },
          "message"_a)
      .def("readers", &Sink::readers, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<TcpSink, Sink>(m, "TcpSink")
      .def(
          "__init__",
          [](TcpSink* sink, bool latched, double patience_s) {
            const auto patience = seconds(patience_s, "patience_s must not be negative");
            new (sink) TcpSink(latched, std::chrono::ceil<std::chrono::milliseconds>(patience));
          },
          "latched"_a, "patience_s"_a = 10.0)
      .def(
          "add", [](TcpSink& sink, int descriptor) { sink.add(Descriptor(descriptor)); },
          "descriptor"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("dropped", &TcpSink::dropped);
  nb::class_<Player>(m, "Player")
      .def(nb::new_(&make_player), "messages"_a, "lock"_a)
      .def("play", &play, "sinks"_a, "rate"_a, "first"_a, "last"_a, "spin_ns"_a, "cpu"_a.none(),
           "fifo_priority"_a.none(), "origin_ns"_a.none() = nb::none())
      .def("stop", &Player::stop)
      .def_prop_ro("locked", &Player::locked);
}

}  // namespace

NB_MODULE(_middleware, m) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::system_error& error) {
      const nb::object arguments = nb::make_tuple(error.code().value(), nb::str(error.what()));
      PyErr_SetObject(PyExc_OSError, arguments.ptr());
    }
  });
  bind_receiving(m);
  bind_sending(m);
}
