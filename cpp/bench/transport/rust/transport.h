/* SPDX-License-Identifier: Apache-2.0
 * iceoryx2 and Zenoh, whose libraries are in Rust, for the native clients: what src/lib.rs defines.
 */
#ifndef WIRECOST_BENCH_TRANSPORT_RUST_TRANSPORT_H
#define WIRECOST_BENCH_TRANSPORT_RUST_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Strings are not null; an empty address: the ends meet by themselves. */
typedef struct {
  const char* transport;
  const char* topic;
  const char* address;
  /* Messages that may wait at a subscriber. */
  size_t depth;
  /* Of the largest message, trailer included. */
  size_t bytes;
  /* Whether who sends waits for room. */
  bool waits;
  /* Whether a subscriber's oldest message makes room although senders wait. */
  bool overwrites;
  /* Whether ends that met at a router go on without it. */
  bool peer;
} WirecostTransportSettings;

typedef struct WirecostTransportPublisher WirecostTransportPublisher;
typedef struct WirecostTransportSubscriber WirecostTransportSubscriber;
typedef struct WirecostTransportRequester WirecostTransportRequester;
typedef struct WirecostTransportReplier WirecostTransportReplier;
/* What sends a request's content back. */
typedef struct WirecostTransportAnswer WirecostTransportAnswer;

/* Must not throw; the message is valid until it returns. */
typedef void (*WirecostTransportOnMessage)(void* context, const uint8_t* message, size_t size);

typedef void (*WirecostTransportOnRequest)(void* context, const uint8_t* request, size_t size,
                                           WirecostTransportAnswer* answer);

/* Why the last call of this thread failed, one line; valid until the next one fails. */
const char* wirecost_transport_why(void);

const char* wirecost_iceoryx2_version(void);
const char* wirecost_zenoh_version(void);

/* Null where it failed. An end is used and closed by the thread that opened it. */
WirecostTransportPublisher* wirecost_iceoryx2_publisher(const WirecostTransportSettings* settings);
WirecostTransportSubscriber* wirecost_iceoryx2_subscriber(
    const WirecostTransportSettings* settings);
WirecostTransportRequester* wirecost_iceoryx2_requester(const WirecostTransportSettings* settings);
WirecostTransportReplier* wirecost_iceoryx2_replier(const WirecostTransportSettings* settings);
WirecostTransportPublisher* wirecost_zenoh_publisher(const WirecostTransportSettings* settings);
WirecostTransportSubscriber* wirecost_zenoh_subscriber(const WirecostTransportSettings* settings);
WirecostTransportRequester* wirecost_zenoh_requester(const WirecostTransportSettings* settings);
WirecostTransportReplier* wirecost_zenoh_replier(const WirecostTransportSettings* settings);

/* 1 for a message that was taken, 0 for one that was refused, -1 where it failed. */
int wirecost_transport_publish(WirecostTransportPublisher* publisher, const uint8_t* message,
                               size_t size);

/* Gives what arrives within the time, and returns after it, or at once after a message; -1 where it
 * failed. */
int wirecost_transport_receive(WirecostTransportSubscriber* subscriber, uint64_t milliseconds,
                               WirecostTransportOnMessage on_message, void* context);

/* 1 where a reply was given to `on_reply`, 0 where none came within the time, -1 where it failed.
 */
int wirecost_transport_ask(WirecostTransportRequester* requester, const uint8_t* request,
                           size_t size, uint64_t milliseconds, WirecostTransportOnMessage on_reply,
                           void* context);

/* Gives a request that arrives within the time; -1 where it failed. */
int wirecost_transport_poll_requests(WirecostTransportReplier* replier, uint64_t milliseconds,
                                     WirecostTransportOnRequest on_request, void* context);
/* While `on_request` runs; -1 where it failed. */
int wirecost_transport_answer(WirecostTransportAnswer* answer);

void wirecost_transport_close_publisher(WirecostTransportPublisher* publisher);
void wirecost_transport_close_subscriber(WirecostTransportSubscriber* subscriber);
void wirecost_transport_close_requester(WirecostTransportRequester* requester);
void wirecost_transport_close_replier(WirecostTransportReplier* replier);

#ifdef __cplusplus
}
#endif

#endif
