// SPDX-License-Identifier: Apache-2.0
// The probe's C API for Python; wirecost.probe gives it types and names.
#include <nanobind/nanobind.h>

#include <cstdint>

#include "wirecost/probe.h"

namespace nb = nanobind;

void bind_probe(nb::module_& m) {
  m.attr("PROBE_COUNT_LOOPS") = WIRECOST_PROBE_COUNT_LOOPS;
  m.def("probe_enabled", [] { return wirecost_probe_enabled() != 0; });
  m.def("probe_prepare_thread", &wirecost_probe_prepare_thread);
  m.def("probe_section", &wirecost_probe_section, nb::arg("name"));
  m.def("probe_begin", &wirecost_probe_begin, nb::arg("id"), nb::arg("loop"));
  m.def("probe_end", &wirecost_probe_end, nb::arg("id"), nb::arg("value"));
  m.def("probe_mark", &wirecost_probe_mark, nb::arg("id"), nb::arg("part"), nb::arg("loop"),
        nb::arg("value"));
}
