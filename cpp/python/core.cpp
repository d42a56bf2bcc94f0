// SPDX-License-Identifier: Apache-2.0
// What Python needs of the C++ side.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_arrow(nb::module_& m);
void bind_cloud(nb::module_& m);
void bind_columns(nb::module_& m);
void bind_probe(nb::module_& m);
void bind_noise(nb::module_& m);
void bind_prices(nb::module_& m);
#ifdef WIRECOST_MODELS
void bind_verification(nb::module_& m);
#endif

NB_MODULE(_core, m) {
  bind_arrow(m);
  bind_cloud(m);
  bind_columns(m);
  bind_probe(m);
  bind_noise(m);
  bind_prices(m);
#ifdef WIRECOST_MODELS
  bind_verification(m);
#endif
}
