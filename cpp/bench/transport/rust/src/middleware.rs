// SPDX-License-Identifier: Apache-2.0
//! What a middleware gives the C interface: one publisher or one subscriber.

use std::time::Duration;

use crate::outcome::Outcome;

/// What an end is asked for, after the table of settings in Python.
pub struct Settings {
    pub transport: String,
    pub topic: String,
    /// Empty where the ends meet by themselves.
    pub address: String,
    /// Messages that may wait at a subscriber.
    pub depth: usize,
    /// Of the largest message, trailer included.
    pub bytes: usize,
    /// Whether who sends waits for room.
    pub waits: bool,
    /// Whether a subscriber's oldest message makes room although senders wait.
    pub overwrites: bool,
    /// Whether ends that met at a router go on without it.
    pub peer: bool,
}

pub trait Publisher {
    /// Sends a message, the payload and 24 bytes of trailer; false where it is refused.
    fn publish(&mut self, message: &[u8]) -> Outcome<bool>;
}

pub trait Subscriber {
    /// Gives what arrives within the time, and returns after it, or at once after a message.
    fn receive(&mut self, time: Duration, on_message: &mut dyn FnMut(&[u8])) -> Outcome<()>;
}

pub trait Requester {
    /// Sends a request and gives its reply; false where none came within the time.
    fn ask(
        &mut self,
        request: &[u8],
        time: Duration,
        on_reply: &mut dyn FnMut(&[u8]),
    ) -> Outcome<bool>;
}

/// Called with a request, and with what sends its content back.
pub type OnRequest<'a> = dyn FnMut(&[u8], &mut dyn FnMut() -> Outcome<()>) + 'a;

pub trait Replier {
    /// Gives a request that arrives within the time.
    fn answer(&mut self, time: Duration, on_request: &mut OnRequest<'_>) -> Outcome<()>;
}
