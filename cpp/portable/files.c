/* SPDX-License-Identifier: Apache-2.0
 * stat and its kin, functions since glibc 2.33: the kernel's structure is the library's where a
 * word has 64 bits. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "visibility.h"

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "one structure for both names");

int stand_in_stat(const char*, struct stat*) STANDS_IN_FOR("stat");
int stand_in_stat64(const char*, struct stat*) STANDS_IN_FOR("stat64");
int stand_in_lstat(const char*, struct stat*) STANDS_IN_FOR("lstat");
int stand_in_lstat64(const char*, struct stat*) STANDS_IN_FOR("lstat64");
int stand_in_fstat(int, struct stat*) STANDS_IN_FOR("fstat");
int stand_in_fstat64(int, struct stat*) STANDS_IN_FOR("fstat64");

static int status(int folder, const char* path, struct stat* into, int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, into, flags);
}

int stand_in_stat(const char* path, struct stat* into) { return status(AT_FDCWD, path, into, 0); }
int stand_in_stat64(const char* path, struct stat* into) { return status(AT_FDCWD, path, into, 0); }
int stand_in_lstat(const char* path, struct stat* into) {
  return status(AT_FDCWD, path, into, AT_SYMLINK_NOFOLLOW);
}
int stand_in_lstat64(const char* path, struct stat* into) {
  return status(AT_FDCWD, path, into, AT_SYMLINK_NOFOLLOW);
}
int stand_in_fstat(int file, struct stat* into) { return (int)syscall(SYS_fstat, file, into); }
int stand_in_fstat64(int file, struct stat* into) { return (int)syscall(SYS_fstat, file, into); }
