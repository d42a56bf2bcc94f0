/* SPDX-License-Identifier: Apache-2.0
 * What libgcc's unwinder finds a function's table by since glibc 2.35, without a lock. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "visibility.h"

int stand_in_find_object(void*, struct dl_find_object*) STANDS_IN_FOR("_dl_find_object");

static int (*find_object)(void*, struct dl_find_object*);

__attribute__((constructor)) static void find_newer(void) {
  find_object =
      (int (*)(void*, struct dl_find_object*))dlvsym(RTLD_DEFAULT, "_dl_find_object", "GLIBC_2.35");
}

struct Search {
  uintptr_t address;
  struct dl_find_object* result;
};

static int visit(struct dl_phdr_info* object, size_t size, void* argument) {
  struct Search* search = argument;
  const void* table = NULL;
  uintptr_t start = UINTPTR_MAX, end = 0;
  (void)size;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* header = &object->dlpi_phdr[i];
    const uintptr_t at = object->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_EH_FRAME) table = (const void*)at;
    if (header->p_type != PT_LOAD) continue;
    if (at < start) start = at;
    if (at + header->p_memsz > end) end = at + header->p_memsz;
  }
  if (search->address < start || search->address >= end || table == NULL) return 0;
  search->result->dlfo_map_start = (void*)start;
  search->result->dlfo_map_end = (void*)end;
  search->result->dlfo_eh_frame = (void*)table;
  return 1;
}

int stand_in_find_object(void* address, struct dl_find_object* result) {
  if (find_object) return find_object(address, result);
  struct Search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(visit, &search) == 1 ? 0 : -1;
}
