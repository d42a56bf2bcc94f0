/* SPDX-License-Identifier: Apache-2.0
 * A program's start before glibc 2.34, where the program calls its own constructors. Newer versions
 * do as they did for such programs. Linked with --wrap=__libc_start_main. */
#include <stddef.h>

#ifdef __x86_64__
__asm__(".symver older_start_main, __libc_start_main@GLIBC_2.2.5");
#else
__asm__(".symver older_start_main, __libc_start_main@GLIBC_2.17");
#endif

typedef int (*Main)(int, char**, char**);
typedef void (*Init)(int, char**, char**);

int older_start_main(Main, int, char**, Init, void (*)(void), void (*)(void), void*);
int __wrap___libc_start_main(Main, int, char**, Init, void (*)(void), void (*)(void), void*);

extern Init __init_array_start[] __attribute__((visibility("hidden")));
extern Init __init_array_end[] __attribute__((visibility("hidden")));
extern void _init(void);

static void initialize(int count, char** arguments, char** environment) {
  _init();
  for (Init* each = __init_array_start; each != __init_array_end; ++each)
    (*each)(count, arguments, environment);
}

int __wrap___libc_start_main(Main main, int count, char** arguments, Init init, void (*fini)(void),
                             void (*rtld_fini)(void), void* stack_end) {
  (void)init;
  return older_start_main(main, count, arguments, initialize, fini, rtld_fini, stack_end);
}
