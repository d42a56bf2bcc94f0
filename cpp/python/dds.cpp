// SPDX-License-Identifier: Apache-2.0
// Raw DDS endpoints for Python; every call that may wait is outside of Python's lock.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "wirecost/middleware/dds/mailbox.hpp"
#include "wirecost/middleware/dds/participant.hpp"
#include "wirecost/middleware/dds/reader.hpp"
#include "wirecost/middleware/dds/type.hpp"
#include "wirecost/middleware/dds/writer.hpp"
#include "wirecost/middleware/queue.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace wirecost::middleware;

namespace {

using Participant = std::shared_ptr<DdsParticipant>;
using Unlocked = nb::call_guard<nb::gil_scoped_release>;

/// Where requests, replies and announcements of one topic arrive.
class Inbox {
 public:
  Inbox(Participant participant, const DdsEndpoint& endpoint, std::size_t max_bytes)
      : mailbox_(max_bytes),
        reader_(std::move(participant), endpoint, {},
                [this](Message message, const SampleName& own, const SampleName& answered) {
                  mailbox_.put({std::move(message), own, answered});
                }) {}

  Mailbox& mailbox() { return mailbox_; }
  DdsReader& reader() { return reader_; }

 private:
  Mailbox mailbox_;
  // Ends first: its thread writes into the mailbox.
  DdsReader reader_;
};

template <class Bytes>
nb::bytes to_python(const Bytes& bytes) {
  return nb::bytes(bytes.data(), bytes.size());
}

/// A peer's texts need not be UTF-8.
nb::object readable(const std::string& text) {
  PyObject* const decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw nb::python_error();
  return nb::steal(decoded);
}

std::vector<std::uint8_t> octets(const nb::bytes& bytes) {
  const auto* const data = static_cast<const std::uint8_t*>(bytes.data());
  return {data, data + bytes.size()};
}

Guid to_guid_bytes(const nb::bytes& bytes) {
  Guid guid{};
  if (bytes.size() != guid.size()) throw nb::value_error("a GUID has 16 bytes");
  std::memcpy(guid.data(), bytes.data(), guid.size());
  return guid;
}

std::set<Guid> guids(const std::vector<nb::bytes>& all) {
  std::set<Guid> result;
  for (const nb::bytes& each : all) result.insert(to_guid_bytes(each));
  return result;
}

WriterChoice choice(bool same_class, const std::optional<std::vector<nb::bytes>>& only,
                    const std::vector<nb::bytes>& without) {
  return {same_class, only ? std::optional(guids(*only)) : std::nullopt, guids(without)};
}

std::chrono::nanoseconds seconds(double value) {
  // Also false of a NaN; a wait of more than a day is as good as one without end.
  if (!(value >= 0)) throw nb::value_error("timeout_s must not be negative");
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(std::min(value, 86'400.0)));
}

std::uint64_t wait(const DdsParticipant& participant, std::uint64_t seen, double timeout_s) {
  const auto timeout = seconds(timeout_s);
  const nb::gil_scoped_release unlocked;
  return participant.discovery().wait(seen, timeout);
}

std::vector<Envelope> arrived(Inbox& inbox, double timeout_s) {
  const auto timeout = seconds(timeout_s);
  const nb::gil_scoped_release unlocked;
  return inbox.mailbox().take(timeout);
}

nb::list take(Inbox& inbox, double timeout_s) {
  nb::list taken;
  for (const Envelope& each : arrived(inbox, timeout_s)) {
    taken.append(nb::make_tuple(each.message.received.realtime, each.message.source_ns,
                                to_python(each.own.writer), each.own.sequence,
                                to_python(each.answered.writer), each.answered.sequence,
                                nb::bytes(each.message.bytes.get(), each.message.size)));
  }
  return taken;
}

/// Python objects' memory, which stays where it is until this ends.
class Buffers {
 public:
  explicit Buffers(const nb::list& objects) {
    views_.reserve(objects.size());
    for (const nb::handle each : objects) {
      Py_buffer view;
      if (PyObject_GetBuffer(each.ptr(), &view, PyBUF_SIMPLE) != 0) {
        release();
        throw nb::python_error();
      }
      views_.push_back(view);
      pieces_.emplace_back(static_cast<const std::byte*>(view.buf),
                           static_cast<std::size_t>(view.len));
    }
  }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers() { release(); }

  Pieces pieces() const { return pieces_; }

 private:
  void release() {
    for (Py_buffer& each : views_) PyBuffer_Release(&each);
  }

  std::vector<Py_buffer> views_;
  std::vector<std::span<const std::byte>> pieces_;
};

void send_pieces(DdsWriter& writer, const nb::list& message) {
  const Buffers buffers(message);
  const nb::gil_scoped_release unlocked;
  writer.send_pieces(buffers.pieces());
}

/// A message's memory, read as it lies.
struct Received {
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size;
};

int received_buffer(PyObject* self, Py_buffer* view, int flags) {
  const auto* const received = nb::inst_ptr<Received>(self);
  // An empty message's memory is null, which Python takes for an error.
  static std::byte nothing;
  std::byte* const start = received->bytes ? received->bytes.get() : &nothing;
  return PyBuffer_FillInfo(view, self, start, static_cast<Py_ssize_t>(received->size), 1, flags);
}

PyType_Slot received_slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(received_buffer)},
    {0, nullptr},
};

nb::list take_views(Inbox& inbox, double timeout_s) {
  nb::list taken;
  for (Envelope& each : arrived(inbox, timeout_s))
    taken.append(nb::cast(Received{std::move(each.message.bytes), each.message.size}));
  return taken;
}

nb::tuple answer(DdsWriter& writer, const nb::bytes& message, const nb::bytes& guid,
                 std::int64_t sequence) {
  const std::span bytes(static_cast<const std::byte*>(message.data()), message.size());
  const SampleName answered{to_guid_bytes(guid), sequence};
  SampleName own;
  {
    const nb::gil_scoped_release unlocked;
    own = writer.answer(bytes, answered);
  }
  return nb::make_tuple(to_python(own.writer), own.sequence);
}

void bind_discovery(nb::module_& m) {
  nb::class_<DdsQos>(m, "Qos")
      .def(
          "__init__",
          [](DdsQos* qos, bool reliable, bool transient_local, std::int32_t depth,
             std::int64_t deadline_ns, std::int64_t lifespan_ns, std::int64_t lease_ns,
             bool manual_liveliness) {
            if (depth < 0) throw nb::value_error("depth must not be negative");
            new (qos) DdsQos{reliable, transient_local,  depth, deadline_ns, lifespan_ns,
                             lease_ns, manual_liveliness};
          },
          nb::kw_only(), "reliable"_a, "transient_local"_a, "depth"_a, "deadline_ns"_a = 0,
          "lifespan_ns"_a = 0, "lease_ns"_a = 0, "manual_liveliness"_a = false)
      .def_ro("reliable", &DdsQos::reliable)
      .def_ro("transient_local", &DdsQos::transient_local)
      .def_ro("depth", &DdsQos::depth)
      .def_ro("deadline_ns", &DdsQos::deadline_ns)
      .def_ro("lifespan_ns", &DdsQos::lifespan_ns)
      .def_ro("lease_ns", &DdsQos::lease_ns)
      .def_ro("manual_liveliness", &DdsQos::manual_liveliness);
  nb::class_<FoundParticipant>(m, "FoundParticipant")
      .def_prop_ro("guid", [](const FoundParticipant& found) { return to_python(found.guid); })
      .def_prop_ro("name", [](const FoundParticipant& found) { return readable(found.name); })
      .def_ro("vendor", &FoundParticipant::vendor)
      .def_prop_ro("user_data",
                   [](const FoundParticipant& found) { return to_python(found.user_data); })
      .def_prop_ro("properties",
                   [](const FoundParticipant& found) {
                     nb::dict properties;
                     for (const auto& [name, value] : found.properties)
                       properties[readable(name)] = readable(value);
                     return properties;
                   })
      .def_ro("ports", &FoundParticipant::ports);
  nb::class_<FoundEndpoint>(m, "FoundEndpoint")
      .def_prop_ro("guid", [](const FoundEndpoint& found) { return to_python(found.guid); })
      .def_ro("writer", &FoundEndpoint::writer)
      .def_prop_ro("topic", [](const FoundEndpoint& found) { return readable(found.topic); })
      .def_prop_ro("type", [](const FoundEndpoint& found) { return readable(found.type); })
      .def_ro("qos", &FoundEndpoint::qos)
      .def_prop_ro("user_data",
                   [](const FoundEndpoint& found) { return to_python(found.user_data); });
}

void bind_endpoints(nb::module_& m) {
  nb::class_<DdsReader>(m, "Reader")
      .def(
          "__init__",
          [](DdsReader* reader, Participant participant, const std::string& topic,
             const std::string& type, const DdsQos& qos, const nb::bytes& user_data, Queue& queue,
             std::uint32_t channel, bool same_class,
             const std::optional<std::vector<nb::bytes>>& only,
             const std::vector<nb::bytes>& without, bool live_only) {
            const DdsEndpoint endpoint{topic, type, qos, octets(user_data)};
            const auto handler = [&queue, channel](Message message, const SampleName&,
                                                   const SampleName&) {
              message.channel = channel;
              queue.put(std::move(message));
            };
            new (reader)
                DdsReader(std::move(participant), endpoint, choice(same_class, only, without),
                          handler, live_only ? Volatile::live : Volatile::all);
          },
          "participant"_a, "topic"_a, "type"_a, "qos"_a, "user_data"_a, "queue"_a, "channel"_a,
          "same_class"_a = false, "only"_a.none() = nb::none(), "without"_a = nb::list(),
          "live_only"_a = false, nb::keep_alive<1, 7>())
      .def(
          "choose",
          [](DdsReader& reader, bool same_class, const std::optional<std::vector<nb::bytes>>& only,
             const std::vector<nb::bytes>& without) {
            reader.choose(choice(same_class, only, without));
          },
          "same_class"_a, "only"_a.none(), "without"_a)
      .def("writers", &DdsReader::writers, Unlocked())
      .def("unconfirmed", &DdsReader::unconfirmed, Unlocked())
      .def("missed", &DdsReader::missed)
      .def("close", &DdsReader::close, Unlocked());
  nb::class_<Received>(m, "Received", nb::type_slots(received_slots))
      .def("__len__", [](const Received& received) { return received.size; });
  nb::class_<Inbox>(m, "Inbox")
      .def(
          "__init__",
          [](Inbox* inbox, Participant participant, const std::string& topic,
             const std::string& type, const DdsQos& qos, const nb::bytes& user_data,
             std::size_t max_bytes) {
            const DdsEndpoint endpoint{topic, type, qos, octets(user_data)};
            new (inbox) Inbox(std::move(participant), endpoint, max_bytes);
          },
          "participant"_a, "topic"_a, "type"_a, "qos"_a, "user_data"_a, "max_bytes"_a)
      .def_prop_ro("guid", [](Inbox& inbox) { return to_python(inbox.reader().guid()); })
      .def("take", &take, "timeout_s"_a)
      .def("take_views", &take_views, "timeout_s"_a)
      .def(
          "writers", [](Inbox& inbox) { return inbox.reader().writers(); }, Unlocked())
      .def(
          "unconfirmed", [](Inbox& inbox) { return inbox.reader().unconfirmed(); }, Unlocked())
      .def_prop_ro("dropped", [](Inbox& inbox) { return inbox.mailbox().dropped(); })
      .def("close", [](Inbox& inbox) { inbox.reader().close(); }, Unlocked());
  nb::class_<DdsWriter, Sink>(m, "Writer")
      .def(
          "__init__",
          [](DdsWriter* writer, Participant participant, const std::string& topic,
             const std::string& type, const DdsQos& qos, const nb::bytes& user_data) {
            const DdsEndpoint endpoint{topic, type, qos, octets(user_data)};
            new (writer) DdsWriter(std::move(participant), endpoint);
          },
          "participant"_a, "topic"_a, "type"_a, "qos"_a, "user_data"_a)
      .def_prop_ro("guid", [](DdsWriter& writer) { return to_python(writer.guid()); })
      .def("send_pieces", &send_pieces, "message"_a)
      .def("answer", &answer, "message"_a, "guid"_a, "sequence"_a)
      .def(
          "flush",
          [](DdsWriter& writer, double timeout_s) {
            const auto timeout = seconds(timeout_s);
            const nb::gil_scoped_release unlocked;
            return writer.flush(timeout);
          },
          "timeout_s"_a)
      .def("unconfirmed", &DdsWriter::unconfirmed, Unlocked())
      .def_prop_ro("dropped", &DdsWriter::dropped)
      .def("close", &DdsWriter::close, Unlocked());
}

}  // namespace

NB_MODULE(_dds, m) {
  // Queue and Sink are that module's.
  nb::module_::import_("wirecost._middleware");
  bind_discovery(m);
  nb::class_<DdsParticipant>(m, "Participant")
      .def(
          "__init__",
          [](DdsParticipant* participant, std::uint32_t domain, const std::string& name,
             const nb::bytes& user_data, const std::vector<std::string>& interfaces,
             double newcomers_wait_s) {
            const std::chrono::duration<double> wait(newcomers_wait_s);
            new (participant)
                DdsParticipant(domain, name, octets(user_data), interfaces,
                               std::chrono::duration_cast<std::chrono::nanoseconds>(wait));
          },
          "domain"_a, "name"_a, "user_data"_a, "interfaces"_a, "newcomers_wait_s"_a = 0.0)
      .def_prop_ro("guid",
                   [](const DdsParticipant& participant) { return to_python(participant.guid()); })
      .def("participants",
           [](const DdsParticipant& participant) { return participant.discovery().participants(); })
      .def("endpoints",
           [](const DdsParticipant& participant) { return participant.discovery().endpoints(); })
      .def("wait", &wait, "seen"_a, "timeout_s"_a)
      .def("close", &DdsParticipant::close, Unlocked());
  bind_endpoints(m);
}
