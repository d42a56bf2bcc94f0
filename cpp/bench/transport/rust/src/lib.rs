// SPDX-License-Identifier: Apache-2.0
//! iceoryx2 and Zenoh for the native clients of `bench transport`, behind the C interface of
//! `transport.h`. What goes wrong is reported as one line by `wirecost_transport_why`.

mod iceoryx2_blocks;
mod iceoryx2_ends;
mod iceoryx2_home;
mod iceoryx2_requests;
mod iceoryx2_services;
mod lock;
mod middleware;
mod outcome;
mod peers;
mod private_folder;
mod shared_memory;
mod versions;
mod zenoh_ends;
mod zenoh_pool;
mod zenoh_requests;
mod zenoh_session;

use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::time::Duration;

use middleware::{Publisher, Replier, Requester, Settings, Subscriber};
use outcome::Outcome;

const FAILED: c_int = -1;

/// `WirecostTransportSettings` of `transport.h`.
#[repr(C)]
pub struct CSettings {
    transport: *const c_char,
    topic: *const c_char,
    address: *const c_char,
    depth: usize,
    bytes: usize,
    waits: bool,
    overwrites: bool,
    peer: bool,
}

type OnMessage = unsafe extern "C" fn(*mut c_void, *const u8, usize);

type OnRequest = unsafe extern "C" fn(*mut c_void, *const u8, usize, *mut Answer);

pub struct Handle<T: ?Sized>(Box<T>);

type PublisherHandle = Handle<dyn Publisher>;
type SubscriberHandle = Handle<dyn Subscriber>;
type RequesterHandle = Handle<dyn Requester>;
type ReplierHandle = Handle<dyn Replier>;

/// Sends a request's content back.
pub struct Answer<'a>(&'a mut dyn FnMut() -> Outcome<()>);

thread_local! {
    static WHY: RefCell<CString> = RefCell::default();
}

/// Returns why the last call of this thread failed, until its next one fails.
#[no_mangle]
pub extern "C" fn wirecost_transport_why() -> *const c_char {
    WHY.with_borrow(|why| why.as_ptr())
}

/// # Safety
/// `settings` is as `transport.h` has it.
#[no_mangle]
pub unsafe extern "C" fn wirecost_iceoryx2_publisher(
    settings: *const CSettings,
) -> *mut PublisherHandle {
    opened(settings, iceoryx2_ends::publisher)
}

/// # Safety
/// `settings` is as `transport.h` has it.
#[no_mangle]
pub unsafe extern "C" fn wirecost_iceoryx2_subscriber(
    settings: *const CSettings,
) -> *mut SubscriberHandle {
    opened(settings, iceoryx2_ends::subscriber)
}

/// # Safety
/// `settings` is as `transport.h` has it.
#[no_mangle]
pub unsafe extern "C" fn wirecost_iceoryx2_requester(
    settings: *const CSettings,
) -> *mut RequesterHandle {
    opened(settings, iceoryx2_requests::requester)
}

/// # Safety
/// `settings` is as `transport.h` has it.
#[no_mangle]
pub unsafe extern "C" fn wirecost_iceoryx2_replier(
    settings: *const CSettings,
) -> *mut ReplierHandle {
    opened(settings, iceoryx2_requests::replier)
}

/// # Safety
/// `settings` is as `transport.h` has it.
#[no_mangle]
pub unsafe extern "C" fn wirecost_zenoh_publisher(
    settings: *const CSettings,
) -> *mut PublisherHandle {
    opened(settings, zenoh_ends::publisher)
}

/// # Safety
/// `settings` is as `transport.h` has it.
#[no_mangle]
pub unsafe extern "C" fn wirecost_zenoh_subscriber(
    settings: *const CSettings,
) -> *mut SubscriberHandle {
    opened(settings, zenoh_ends::subscriber)
}

/// # Safety
/// `settings` is as `transport.h` has it.
#[no_mangle]
pub unsafe extern "C" fn wirecost_zenoh_requester(
    settings: *const CSettings,
) -> *mut RequesterHandle {
    opened(settings, zenoh_requests::requester)
}

/// # Safety
/// `settings` is as `transport.h` has it.
#[no_mangle]
pub unsafe extern "C" fn wirecost_zenoh_replier(settings: *const CSettings) -> *mut ReplierHandle {
    opened(settings, zenoh_requests::replier)
}

/// Returns 1 for a message that was taken, 0 for one that was refused, -1 where it failed.
///
/// # Safety
/// The publisher is open, and `message` has `size` bytes.
#[no_mangle]
pub unsafe extern "C" fn wirecost_transport_publish(
    publisher: *mut PublisherHandle,
    message: *const u8,
    size: usize,
) -> c_int {
    match (*publisher).0.publish(std::slice::from_raw_parts(message, size)) {
        Ok(taken) => taken.into(),
        Err(why) => failed(why, FAILED),
    }
}

/// Gives messages to `on_message`, which must not throw, with `context`; -1 where it failed.
///
/// # Safety
/// The subscriber is open.
#[no_mangle]
pub unsafe extern "C" fn wirecost_transport_receive(
    subscriber: *mut SubscriberHandle,
    milliseconds: u64,
    on_message: OnMessage,
    context: *mut c_void,
) -> c_int {
    let mut give = |message: &[u8]| on_message(context, message.as_ptr(), message.len());
    match (*subscriber).0.receive(Duration::from_millis(milliseconds), &mut give) {
        Ok(()) => 0,
        Err(why) => failed(why, FAILED),
    }
}

/// Returns 1 where a reply was given to `on_reply`, which must not throw, 0 where none came in time.
///
/// # Safety
/// The requester is open, and `request` has `size` bytes.
#[no_mangle]
pub unsafe extern "C" fn wirecost_transport_ask(
    requester: *mut RequesterHandle,
    request: *const u8,
    size: usize,
    milliseconds: u64,
    on_reply: OnMessage,
    context: *mut c_void,
) -> c_int {
    let request = std::slice::from_raw_parts(request, size);
    let mut give = |reply: &[u8]| on_reply(context, reply.as_ptr(), reply.len());
    match (*requester).0.ask(request, Duration::from_millis(milliseconds), &mut give) {
        Ok(answered) => answered.into(),
        Err(why) => failed(why, FAILED),
    }
}

/// Gives a request to `on_request`, which must not throw, with `context`; -1 where it failed.
///
/// # Safety
/// The replier is open.
#[no_mangle]
pub unsafe extern "C" fn wirecost_transport_poll_requests(
    replier: *mut ReplierHandle,
    milliseconds: u64,
    on_request: OnRequest,
    context: *mut c_void,
) -> c_int {
    let mut give = |request: &[u8], answer: &mut dyn FnMut() -> Outcome<()>| {
        on_request(context, request.as_ptr(), request.len(), &mut Answer(answer));
    };
    match (*replier).0.answer(Duration::from_millis(milliseconds), &mut give) {
        Ok(()) => 0,
        Err(why) => failed(why, FAILED),
    }
}

/// # Safety
/// `answer` is what `on_request` was just given.
#[no_mangle]
pub unsafe extern "C" fn wirecost_transport_answer(answer: *mut Answer) -> c_int {
    match ((*answer).0)() {
        Ok(()) => 0,
        Err(why) => failed(why, FAILED),
    }
}

/// # Safety
/// The publisher is open, and not used any more.
#[no_mangle]
pub unsafe extern "C" fn wirecost_transport_close_publisher(publisher: *mut PublisherHandle) {
    drop(Box::from_raw(publisher));
}

/// # Safety
/// The subscriber is open, and not used any more.
#[no_mangle]
pub unsafe extern "C" fn wirecost_transport_close_subscriber(subscriber: *mut SubscriberHandle) {
    drop(Box::from_raw(subscriber));
}

/// # Safety
/// The requester is open, and not used any more.
#[no_mangle]
pub unsafe extern "C" fn wirecost_transport_close_requester(requester: *mut RequesterHandle) {
    drop(Box::from_raw(requester));
}

/// # Safety
/// The replier is open, and not used any more.
#[no_mangle]
pub unsafe extern "C" fn wirecost_transport_close_replier(replier: *mut ReplierHandle) {
    drop(Box::from_raw(replier));
}

unsafe fn opened<T: ?Sized>(
    settings: *const CSettings,
    open: fn(&Settings) -> Outcome<Box<T>>,
) -> *mut Handle<T> {
    match open(&settings_of(&*settings)) {
        Ok(end) => Box::into_raw(Box::new(Handle(end))),
        Err(why) => failed(why, std::ptr::null_mut()),
    }
}

unsafe fn settings_of(given: &CSettings) -> Settings {
    let text = |of: *const c_char| CStr::from_ptr(of).to_string_lossy().into_owned();
    Settings {
        transport: text(given.transport),
        topic: text(given.topic),
        address: text(given.address),
        depth: given.depth,
        bytes: given.bytes,
        waits: given.waits,
        overwrites: given.overwrites,
        peer: given.peer,
    }
}

fn failed<T>(why: String, returned: T) -> T {
    let text = CString::new(why.replace('\0', " ")).unwrap_or_default();
    WHY.set(text);
    returned
}
