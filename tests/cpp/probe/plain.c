/* SPDX-License-Identifier: Apache-2.0 */
/* The C API in C11, switched on and compiled out. */
#include <stdio.h>

#include "wirecost/probe.h"

int main(void) {
  const uint32_t id = wirecost_probe_section("plain C");
  int computed = 0;
  wirecost_probe_prepare_thread();
  wirecost_probe_name(2, "chosen");
  wirecost_probe_begin(id, WIRECOST_PROBE_COUNT_LOOPS);
  wirecost_probe_mark(2, 0, WIRECOST_PROBE_COUNT_LOOPS, ++computed);
  wirecost_probe_end(id, computed);
  printf("%d %d\n", wirecost_probe_enabled(), computed);
  return 0;
}
