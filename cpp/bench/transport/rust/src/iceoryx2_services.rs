// SPDX-License-Identifier: Apache-2.0
//! A topic's two services, with the settings of the Python client: one carries messages and wakes
//! nobody, the other, of events, wakes who waits for them.

use std::fmt::Display;
use std::thread::sleep;
use std::time::{Duration, Instant};

use iceoryx2::port::listener::Listener;
use iceoryx2::prelude::*;
use iceoryx2::service::port_factory::{event, publish_subscribe, request_response};

use crate::iceoryx2_blocks::Block;
use crate::outcome::{one_line, Outcome};

pub const MOST_DEPTH: usize = 64;

/// Of publishers and of subscribers.
const MOST_ENDS: usize = 16;
const MOST_NODES: usize = 64;
/// How long others may be making or removing the same service.
const PATIENCE: Duration = Duration::from_secs(6);
const AGAIN: Duration = Duration::from_millis(2);

pub type Topic = publish_subscribe::PortFactory<ipc::Service, [Block], ()>;
pub type Requests = request_response::PortFactory<ipc::Service, [Block], (), [Block], ()>;
pub type Wake = event::PortFactory<ipc::Service>;

/// `overwrites`: a new message takes the place of the oldest where there is no room.
pub fn open_topic(node: &Node<ipc::Service>, topic: &str, overwrites: bool) -> Outcome<Topic> {
    let name = service_name(topic)?;
    let alignment = alignment()?;
    opened(node, topic, || {
        node.service_builder(&name)
            .publish_subscribe::<[Block]>()
            .payload_alignment(alignment)
            .enable_safe_overflow(overwrites)
            .subscriber_max_buffer_size(MOST_DEPTH)
            .subscriber_max_borrowed_samples(MOST_DEPTH)
            .max_publishers(MOST_ENDS)
            .max_subscribers(MOST_ENDS)
            .max_nodes(MOST_NODES)
            .open_or_create()
    })
}

pub fn open_service(node: &Node<ipc::Service>, service: &str) -> Outcome<Requests> {
    let name = service_name(service)?;
    let alignment = alignment()?;
    opened(node, service, || {
        node.service_builder(&name)
            .request_response::<[Block], [Block]>()
            .request_payload_alignment(alignment)
            .response_payload_alignment(alignment)
            .max_clients(MOST_ENDS)
            .max_servers(1)
            .max_nodes(MOST_NODES)
            .open_or_create()
    })
}

pub fn open_wake(node: &Node<ipc::Service>, topic: &str) -> Outcome<Wake> {
    let name = service_name(topic)?;
    opened(node, topic, || {
        node.service_builder(&name)
            .event()
            .max_listeners(MOST_ENDS)
            .max_notifiers(MOST_ENDS)
            .max_nodes(MOST_NODES)
            .open_or_create()
    })
}

fn alignment() -> Outcome<Alignment> {
    Alignment::new(Block::BYTES).ok_or_else(|| "iceoryx2: no alignment of 64".to_owned())
}

fn service_name(topic: &str) -> Outcome<ServiceName> {
    ServiceName::new(topic)
        .map_err(|_| format!("iceoryx2: topic '{topic}' must have 1 to 255 characters"))
}

/// Opens a service that somebody else may just be making or removing.
fn opened<T, E: Display>(
    node: &Node<ipc::Service>,
    topic: &str,
    make: impl Fn() -> Result<T, E>,
) -> Outcome<T> {
    let end = Instant::now() + PATIENCE;
    loop {
        match make() {
            Ok(service) => return Ok(service),
            Err(error) if Instant::now() >= end => {
                return Err(format!(
                    "iceoryx2: '{topic}' cannot be opened ({}): another program uses it with other \
                     settings, or a killed one left it; take another name",
                    one_line(error)
                ))
            }
            Err(_) => {
                node.try_cleanup_dead_nodes();
                sleep(AGAIN);
            }
        }
    }
}

/// Looks, and again after each event, until something was found or the time is over.
pub fn wait_until(
    listener: &Listener<ipc::Service>,
    time: Duration,
    mut look: impl FnMut() -> Outcome<bool>,
) -> Outcome<()> {
    let end = Instant::now() + time;
    while !look()? {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        // Events of messages that were taken already end the wait as well; so does a signal.
        if let Err(error) = listener.timed_wait(|_| {}, left) {
            let why = one_line(error);
            if !why.contains("Interrupt") {
                return Err(format!("iceoryx2 cannot wait: {why}"));
            }
        }
    }
    Ok(())
}
