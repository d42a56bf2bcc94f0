// SPDX-License-Identifier: Apache-2.0
//! iceoryx2: messages are written in place into shared memory and read there.

use std::fmt::Display;
use std::time::Duration;

use iceoryx2::port::listener::Listener;
use iceoryx2::port::notifier::Notifier;
use iceoryx2::port::publisher;
use iceoryx2::port::subscriber;
use iceoryx2::prelude::*;

use crate::iceoryx2_blocks::{bytes_of, Block, Writer};
use crate::iceoryx2_home::Home;
use crate::iceoryx2_services::{open_topic, open_wake, wait_until, MOST_DEPTH};
use crate::middleware::{Publisher, Settings, Subscriber};
use crate::outcome::{one_line, Outcome};
use crate::shared_memory::{check_room, reserve_files, END_BYTES};

pub fn publisher(settings: &Settings) -> Outcome<Box<dyn Publisher>> {
    let home = begun(settings)?;
    let node = home.node()?;
    let topic = open_topic(&node, &settings.topic, !settings.waits)?;
    let wake = open_wake(&node, &settings.topic)?;
    let port = topic
        .publisher_builder()
        .allocation_strategy(AllocationStrategy::PowerOfTwo)
        .max_loaned_samples(1)
        .create()
        .map_err(|error| unopened(settings, error))?;
    let notifier = wake.notifier_builder().create().map_err(|error| unopened(settings, error))?;
    reserved(&home, settings)?;
    Ok(Box::new(Iceoryx2Publisher { port, notifier, writer: Writer::default(), _node: node }))
}

pub fn subscriber(settings: &Settings) -> Outcome<Box<dyn Subscriber>> {
    if !(1..=MOST_DEPTH).contains(&settings.depth) {
        return Err(format!("iceoryx2: depth {} must be 1 to {MOST_DEPTH}", settings.depth));
    }
    let home = begun(settings)?;
    let node = home.node()?;
    let topic = open_topic(&node, &settings.topic, !settings.waits)?;
    let wake = open_wake(&node, &settings.topic)?;
    // Before the subscriber, so that nobody sees one that cannot be woken.
    let listener = wake.listener_builder().create().map_err(|error| unopened(settings, error))?;
    let port = topic
        .subscriber_builder()
        .buffer_size(settings.depth)
        .create()
        .map_err(|error| unopened(settings, error))?;
    reserved(&home, settings)?;
    Ok(Box::new(Iceoryx2Subscriber { port, listener, _node: node }))
}

pub fn begun(settings: &Settings) -> Outcome<Home> {
    set_log_level_from_env_or(LogLevel::Error);
    check_room(END_BYTES, &what(settings))?;
    Home::new(&settings.address)
}

/// Takes the memory of iceoryx2's own files.
pub fn reserved(home: &Home, settings: &Settings) -> Outcome<()> {
    reserve_files(|name| home.is_bookkeeping(name), &what(settings))
}

fn what(settings: &Settings) -> String {
    format!("iceoryx2 for '{}'", settings.topic)
}

pub fn unopened(settings: &Settings, error: impl Display) -> String {
    format!("{}: {}; use another topic", what(settings), one_line(error))
}

/// The node is given up last.
struct Iceoryx2Publisher {
    port: publisher::Publisher<ipc::Service, [Block], ()>,
    notifier: Notifier<ipc::Service>,
    writer: Writer,
    _node: Node<ipc::Service>,
}

impl Publisher for Iceoryx2Publisher {
    fn publish(&mut self, message: &[u8]) -> Outcome<bool> {
        let blocks = self.writer.prepare(message)?;
        let mut loan = self.port.loan_slice_uninit(blocks).map_err(|error| {
            format!("no shared memory for {} bytes: {}", message.len(), one_line(error))
        })?;
        self.writer.write(message, loan.payload_mut())?;
        // SAFETY: it was just written.
        let sent = unsafe { loan.assume_init() }.send();
        sent.map_err(|error| format!("iceoryx2 cannot send: {}", one_line(error)))?;
        // A listener that is gone needs no event.
        let _ = self.notifier.notify();
        Ok(true)
    }
}

struct Iceoryx2Subscriber {
    port: subscriber::Subscriber<ipc::Service, [Block], ()>,
    listener: Listener<ipc::Service>,
    _node: Node<ipc::Service>,
}

impl Iceoryx2Subscriber {
    /// Gives all that is there; false where nothing was.
    fn drain(&self, on_message: &mut dyn FnMut(&[u8])) -> Outcome<bool> {
        let mut found = false;
        while let Some(sample) = self
            .port
            .receive()
            .map_err(|error| format!("iceoryx2 cannot receive: {}", one_line(error)))?
        {
            on_message(bytes_of(sample.payload()));
            found = true;
        }
        Ok(found)
    }
}

impl Subscriber for Iceoryx2Subscriber {
    fn receive(&mut self, time: Duration, on_message: &mut dyn FnMut(&[u8])) -> Outcome<()> {
        wait_until(&self.listener, time, || self.drain(on_message))
    }
}
