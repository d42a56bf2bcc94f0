// SPDX-License-Identifier: Apache-2.0
// Records how long a section takes.
#include <cstdio>
#include <wirecost/probe.hpp>

int main() {
  const wirecost::probe::Section section(wirecost_probe_section("say"));
  std::puts("recorded");
}
