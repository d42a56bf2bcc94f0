// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cerrno>

namespace wirecost::probe {

/// While one lives, system calls of ours change nothing for the program that we are in: errno is
/// as it was afterwards, and a thread that is being cancelled does not end in one of them.
class [[nodiscard]] Undisturbed {
 public:
  Undisturbed() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation_); }
  ~Undisturbed() {
    pthread_setcancelstate(cancellation_, nullptr);
    errno = number_;
  }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  int number_ = errno;
  int cancellation_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace wirecost::probe
