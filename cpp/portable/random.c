/* SPDX-License-Identifier: Apache-2.0
 * Random numbers of the kernel, glibc's since 2.36. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#include "visibility.h"

uint32_t stand_in_random(void) STANDS_IN_FOR("arc4random");

uint32_t stand_in_random(void) {
  uint32_t number;
  if (getrandom(&number, sizeof number, 0) != sizeof number) abort();
  return number;
}
