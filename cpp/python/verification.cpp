// SPDX-License-Identifier: Apache-2.0
// The independent readers of OSI's messages; wirecost.verification gives them types and names.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>

#include <cstdint>

#include "fmu/osmp/step_events.hpp"
#include "wirecost/verify/reader.hpp"
#include "wirecost/verify/tolerance.hpp"

namespace nb = nanobind;
using namespace wirecost;

namespace {

nb::bytes canonical(const IndependentReader& reader, std::string_view message,
                    std::uintptr_t address, std::size_t size) {
  // The address comes from an FMU, through Python, as an integer.
  const auto* data =
      reinterpret_cast<const std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
  const Bytes bytes{data, size};
  const Canonical form = [&] {
    nb::gil_scoped_release unlocked;
    return reader.read(message, bytes);
  }();
  return nb::bytes(form.bytes().data(), form.bytes().size());
}

/// Nanoseconds from the first to the last timestamp of a source's and a sensor's empty step.
std::int64_t empty_step_ns() {
  const auto span = [](std::initializer_list<Event> events) {
    StepEvents step;
    for (const Event event : events) step.mark(event, LoggedMessage::sensor_view);
    return (step.end() - 1)->monotonic_ns - step.begin()->monotonic_ns;
  };
  using enum Event;
  return span({start_source_calc, start_osi_serialize, stop_osi_serialize, stop_release}) +
         span({start_osi_deserialize, stop_osi_deserialize, start_osi_serialize, stop_osi_serialize,
               stop_release});
}

}  // namespace

void bind_verification(nb::module_& m) {
  const nb::exception<MalformedMessage> malformed(m, "MalformedMessage", PyExc_ValueError);
  nb::class_<IndependentReader>(m, "IndependentReader")
      .def("canonical", &canonical, nb::arg("message"), nb::arg("address"), nb::arg("size"));
  m.def("independent_reader", [](std::string_view wire, const nb::bytes& schema) {
    return make_reader(wire, {schema.c_str(), schema.size()});
  });
  m.def("difference_beyond", [](const nb::bytes& one, const nb::bytes& other,
                                const Tolerances& tolerances) {
    return difference_beyond({one.c_str(), one.size()}, {other.c_str(), other.size()}, tolerances);
  });
  m.def("empty_step_ns", &empty_step_ns);
}
