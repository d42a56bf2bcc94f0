// SPDX-License-Identifier: Apache-2.0
// Wants the program's lock while it is being loaded.
#include <pthread.h>

extern pthread_mutex_t wanted;

[[gnu::constructor]] void start() {
  pthread_mutex_lock(&wanted);
  pthread_mutex_unlock(&wanted);
}
