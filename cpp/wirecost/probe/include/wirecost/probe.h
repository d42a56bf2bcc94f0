/* SPDX-License-Identifier: Apache-2.0 */
/* Times and performance counters of sections of a program, for C11 and C++.
 *
 * Recording starts where the environment variable WIRECOST_PROBE names a folder; without it a call
 * costs one comparison. Compiled with WIRECOST_PROBE_OFF, the calls are gone and their arguments
 * are not computed. No call ever fails or ends the program: trouble is one line on stderr.
 * What is recorded: docs/formats/probe-log.md. Not for signal handlers.
 */
#ifndef WIRECOST_PROBE_H
#define WIRECOST_PROBE_H

#include <stddef.h>
#include <stdint.h>

/* A loop index that the probe gives itself: a nested section has that of the section around it,
 * an outermost one counts the thread's outermost sections from 0. */
#define WIRECOST_PROBE_COUNT_LOOPS UINT64_MAX

/* Identifiers up to this one are the program's to choose; those above come from
 * wirecost_probe_section. */
#define WIRECOST_PROBE_LAST_CHOSEN_ID UINT32_C(0xffff)

#ifndef WIRECOST_PROBE_OFF

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Whether this program records. */
int wirecost_probe_enabled(void);

/* Creates the calling thread's log now, not in its first section. */
void wirecost_probe_prepare_thread(void);

/* The identifier of a section with this name, the same for the same name (at most 1024 bytes of
 * UTF-8 are kept). Takes a lock: call it once, outside loops. */
uint32_t wirecost_probe_section(const char* name);

/* Names a section whose identifier the program chose. */
void wirecost_probe_name(uint32_t id, const char* name);

/* Enters a section. Sections nest, 32 deep. `loop`: which turn of the program's loop this is. */
void wirecost_probe_begin(uint32_t id, uint64_t loop);

/* Leaves the innermost open section with this id and records it. Sections in it that were not left
 * are given up and counted. `value`: a number of the program's choice, as the input's size. */
void wirecost_probe_end(uint32_t id, int64_t value);

/* Records a time that is over, as a wait that began before the caller knew of it, from readings of
 * CLOCK_MONOTONIC. It may overlap with sections. Reads no counter. `message`: what identifies the
 * message that it waited for or gave, the same in all processes; 0 where nothing does. */
void wirecost_probe_span(uint32_t id, int64_t begin_ns, int64_t end_ns, uint64_t loop,
                         int64_t value, uint64_t message);

/* Records an execution of a section that is over, where begin and end are impossible: it left its
 * thread meanwhile, as a coroutine does. It may overlap with sections. Reads no counter. */
void wirecost_probe_execution(uint32_t id, int64_t begin_ns, int64_t end_ns, uint64_t loop,
                              int64_t value);

/* Gives up the innermost open section with this id: left without an end, as by longjmp. It counts
 * as not left, and so do sections in it. */
void wirecost_probe_abandon(uint32_t id);

/* Records one instant: part `part` of section `id`; the time from one part to the next of the same
 * loop is what `wirecost probe show` prints. Reads no counter. */
void wirecost_probe_mark(uint32_t id, uint16_t part, uint64_t loop, int64_t value);

/* Records numbers of one instant: `count` values of a variable of section `id`, eight a record.
 * `variable` is a name's identifier, as a section's. Reads no counter. */
void wirecost_probe_values(uint32_t id, uint32_t variable, uint64_t loop, const double* values,
                           size_t count);

/* Records a text, of which 64 bytes are kept: the one at `index` of those the variable has. */
void wirecost_probe_text(uint32_t id, uint32_t variable, uint16_t index, uint64_t loop,
                         const char* text);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#else

#define wirecost_probe_enabled() 0
#define wirecost_probe_prepare_thread() ((void)0)
#define wirecost_probe_section(name) ((void)sizeof(name), UINT32_C(0))
#define wirecost_probe_name(id, name) ((void)sizeof(id), (void)sizeof(name))
#define wirecost_probe_begin(id, loop) ((void)sizeof(id), (void)sizeof(loop))
#define wirecost_probe_end(id, value) ((void)sizeof(id), (void)sizeof(value))
#define wirecost_probe_span(id, begin_ns, end_ns, loop, value, message)                \
  ((void)sizeof(id), (void)sizeof(begin_ns), (void)sizeof(end_ns), (void)sizeof(loop), \
   (void)sizeof(value), (void)sizeof(message))
#define wirecost_probe_execution(id, begin_ns, end_ns, loop, value)                    \
  ((void)sizeof(id), (void)sizeof(begin_ns), (void)sizeof(end_ns), (void)sizeof(loop), \
   (void)sizeof(value))
#define wirecost_probe_abandon(id) ((void)sizeof(id))
#define wirecost_probe_mark(id, part, loop, value) \
  ((void)sizeof(id), (void)sizeof(part), (void)sizeof(loop), (void)sizeof(value))
#define wirecost_probe_values(id, variable, loop, values, count)                       \
  ((void)sizeof(id), (void)sizeof(variable), (void)sizeof(loop), (void)sizeof(values), \
   (void)sizeof(count))
#define wirecost_probe_text(id, variable, index, loop, text)                          \
  ((void)sizeof(id), (void)sizeof(variable), (void)sizeof(index), (void)sizeof(loop), \
   (void)sizeof(text))

#endif
#endif
